"""`rowbook new`: a package of one's own, made of a design or of one of its variants.

The modules of the design are read as syntax trees (`modules`). A variant becomes the design itself (`merging`,
`flattening`), `design.py` keeps its loads and questions (`reducing`), and what nothing needs any more is dropped
(`pruning`). Then names are changed (`renaming`), and the files are written at once (`folders`).
"""
