"""The commands with their arguments and options; the work is imported when one runs. `new` is in `new_package`.

May import all other rooms of the command line.
"""
