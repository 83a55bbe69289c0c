"""Rows by their keys: what their bytes mean, where they are, and which tables may hold them.

May import `screen` and `named` of the command line.
"""
