"""The pictures of a design's pages, as SVG: drawn from its tables, its samples and what its questions read.

A file draws each kind of picture, and `design_pictures.py` all those of a design. Nothing here writes a file:
`tests/programs/pictures.py` does.
"""

from .design_pictures import MAX_BYTES, pictures, pictures_of
from .drawing import Picture
from .ladder_picture import Rung, ladder_picture

__all__ = ["MAX_BYTES", "Picture", "Rung", "ladder_picture", "pictures", "pictures_of"]
