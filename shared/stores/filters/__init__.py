"""HBase's filter language: its text becomes filters, and filters choose the cells of a row.

`language.py` reads the text, `filter.py` says how a scan calls a filter, and the filters stand by kind.
`filtered_rows.py` applies a filter to the rows of a scan.

May import `outcomes` and `thrift1`.
"""
