"""What a command line names: designs, stores, settings, options, and the values of fields.

May import `screen` of the command line.
"""
