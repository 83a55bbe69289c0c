"""HBase's behaviour on SQLite: a happybase connection to a store in memory or in a file.

May import `keys`, `outcomes`, `thrift1`, `thrift2` and `filters`.
"""
