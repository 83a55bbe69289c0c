"""Other ways to store the same documents, each a module with `TABLES`. `keys.py` and `repository.py` import none."""
