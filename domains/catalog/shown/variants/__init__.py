"""Other layouts of the same products, each a module with `TABLES`; the files of the design import none of them."""
