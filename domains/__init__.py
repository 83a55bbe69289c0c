"""The row-key designs, one package each; `suite` has their names, and hands them to the command line."""
