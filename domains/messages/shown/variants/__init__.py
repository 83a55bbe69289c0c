"""Other layouts of the same messages. Each is a module with `TABLES`; `keys.py` and `repository.py` import none."""
