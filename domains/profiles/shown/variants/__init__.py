"""Other ways to store the same orders, each a module with `TABLES`. `keys.py` imports none of them."""
