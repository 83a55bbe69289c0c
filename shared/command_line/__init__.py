"""The command line: `rowbook COMMAND`. It knows no design: `give` hands it a `Suite` of them.

It starts fast because it imports what a command needs when the command runs: `commands.app` and `named.options`, which
every command needs, import typer alone, and `named.designs` imports a design when it is asked for.

The rooms, from the lowest to the highest:

    screen          what a command writes, and how it ends
    named           what a command line names: designs, stores, settings, options, values of fields
    rows            rows by their keys: `rowbook explain`
    stored_records  records of stored tables: asked for, scanned, as lines for `load`
    files           `rowbook load`: files into tables
    measured        what designs cost: `run`, `review`, `lint`
    operations      the work beside a service
    new_package     a package that is a copy of a design
    commands        the commands with their arguments and options

May import all other rooms but `testing`.
"""
