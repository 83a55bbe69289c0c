"""Other layouts of the same products, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
