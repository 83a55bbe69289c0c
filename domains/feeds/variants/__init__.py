"""Other ways to make feeds, each a module with `TABLES`. `keys.py` and `repository.py` import none of them."""
