"""Other layouts of the same orders, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
