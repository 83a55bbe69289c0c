"""`rowbook new`: a package of one's own, which is a copy of a design or of one of its variants.

`copying` reads the modules, `parts` leaves out what a smaller package does not need, `renaming` changes names,
`project` adds what installs and tests them, and `folders` writes all files at once.

May import `screen` and `named` of the command line.
"""
