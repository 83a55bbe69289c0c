"""Records of stored tables: `ask`, `scan`, `get`, `count` and `export`, and how their answers are written.

May import `screen`, `named` and `rows` of the command line.
"""
