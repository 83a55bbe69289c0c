"""Other layouts of the same feeds. Each is a module with `TABLES`; `keys.py` and `repository.py` import none."""
