"""The row-key designs, one package each, and the command line that shows them."""
