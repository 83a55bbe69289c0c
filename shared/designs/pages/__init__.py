"""The pages of designs, keys and stores: the blocks of their READMEs that code prints.

The text of a README between two marks is such a block:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

from .markdown import below, filled, markdown_table

__all__ = ["below", "filled", "markdown_table"]
