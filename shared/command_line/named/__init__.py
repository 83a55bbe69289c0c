"""What a command line names: designs, stores, settings, options, and the values of fields.

An option stays the text that was typed (`without_pydantic.py`); `typed_values.py` makes numbers, times, bytes and
fields of text.

May import `screen` of the command line.
"""
