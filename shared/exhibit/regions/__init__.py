"""How tables of HBase split as data grows, and how large they become: simulated, and compared with a real server.

`simulated_splits.py` is a table that splits as HBase's default policy does, `simulation.py` a load of up to billions of
rows drawn from a sample. `sampling.py` stores that sample in a variant's tables, and `stored_growth.py` tells from its
sizes what larger loads leave there; `simulated_variants.py` then simulates the tables, and `sizing.py` predicts files,
regions and RPCs.
"""
