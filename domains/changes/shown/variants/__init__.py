"""Other layouts of the same changes, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
