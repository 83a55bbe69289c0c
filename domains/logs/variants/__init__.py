"""Other layouts of the same events, each a module with `TABLES`; nothing of the design imports them."""
