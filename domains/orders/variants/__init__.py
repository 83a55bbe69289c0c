"""Other layouts of the same orders, each a module with `TABLES`; nothing of the design imports them."""
