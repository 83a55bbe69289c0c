"""The pages of designs, keys and stores: the blocks of their READMEs that code prints.

The text of a README between two marks is such a block:

    <!-- generated: patterns -->
    ...
    <!-- end -->
"""

from .key_blocks import cells_text
from .markdown import below, filled, markdown_table, text_block

__all__ = ["below", "cells_text", "filled", "markdown_table", "text_block"]
