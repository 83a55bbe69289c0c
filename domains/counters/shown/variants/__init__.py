"""Other ways to count logins, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
