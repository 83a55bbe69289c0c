"""Other layouts of the same messages, each a module with `TABLES`; `keys.py` and `repository.py` import none."""
