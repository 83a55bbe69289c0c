"""How tables of HBase split as data grows, and how large they become: simulated, and compared with a real server.

`splitting` is a table that splits as HBase's default policy does, `simulation` a load of up to billions of rows drawn
from a sample, and `sizing` predicts files, regions and RPCs.
"""
