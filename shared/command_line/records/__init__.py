"""Records of stored tables: questions asked, tables scanned, answers written.

May import `screen`, `named` and `rows` of the command line.
"""
