"""A happybase connection to a real HBase that survives the network.

`calls.py` lists the calls and says which may be sent again, and why others may not; `retries.py` says when, or with
which error a call ends; `resumed_scans.py` replaces lost scanners; `pool.py`, `sockets.py` and `scan_sockets.py` are
the sockets.

May import `keys`, `outcomes`, `thrift1`, `thrift2` and `filters`.
"""
