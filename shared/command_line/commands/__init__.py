"""The commands with their arguments and options; the work is imported when a command runs.

May import all other rooms of the command line.
"""
