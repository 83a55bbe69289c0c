"""HBase's behaviour on SQLite: a happybase connection to a store in memory or in a file.

To read: `connection.py` and `service.py` have HBase's calls; `reads.py`, `scanners.py` and `mutations.py` do what each
call says, and `filters/filtered_rows.py` applies a filter; `engine.py` stores rows in SQLite.

May import `keys`, `outcomes`, `thrift1`, `thrift2` and `filters`.
"""
