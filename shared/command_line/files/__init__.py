"""`rowbook load`: files into tables, and what became of each line; `shared.loading` makes records of lines.

`load_command.py` stores and counts them, `load_report.py` holds the counts and words them, `jobs.py` runs several
processes, and `stored_keys.py` notices records that replace others.

May import `screen`, `named` and `rows` of the command line.
"""
