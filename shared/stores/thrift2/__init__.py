"""Thrift2 as this suite uses it: puts whose cells have timestamps of their own, and what Thrift1 lacks for tables.

May import `keys`, `outcomes` and `thrift1`.
"""
