"""HBase's filter language: its text becomes filters, and filters choose the cells of a row.

May import `thrift1`.
"""
