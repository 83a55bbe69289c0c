"""What a command writes, and how it ends: lines, tables, errors in one line, signals.

May import no other room of the command line.
"""
