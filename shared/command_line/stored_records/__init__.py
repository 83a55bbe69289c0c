"""Records of stored tables: `ask`, `scan`, `get` and `count`, and how their answers are written.

May import `screen`, `named` and `rows` of the command line.
"""
