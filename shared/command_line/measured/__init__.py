"""What designs cost: samples and records of one's own, measured in every variant.

May import `screen`, `named`, `rows` and `files` of the command line.
"""
