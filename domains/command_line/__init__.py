"""The command line: `rowbook COMMAND`. It knows all designs.

It starts fast because it imports what a command needs when the command runs: `app` and `options`, which every command
needs, import typer alone, and `designs` imports a design when it is asked for.
"""
