"""`rowbook load`: files into tables, and what became of each line; `shared.loading` makes records of lines.

May import `screen`, `named` and `rows` of the command line.
"""
