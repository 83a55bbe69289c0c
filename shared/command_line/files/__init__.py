"""Files into tables: what became of each line.

May import `screen`, `named` and `rows` of the command line.
"""
