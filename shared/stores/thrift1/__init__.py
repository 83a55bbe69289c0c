"""Thrift1 as HBase 2.6 speaks it: calls and structs, errors, descriptors of tables.

May import `keys` and `outcomes`.
"""
