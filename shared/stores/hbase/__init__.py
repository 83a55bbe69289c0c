"""A happybase connection to a real HBase that survives the network.

May import `keys`, `outcomes`, `thrift1`, `thrift2` and `filters`.
"""
