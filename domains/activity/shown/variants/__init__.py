"""Other layouts of the same actions, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
