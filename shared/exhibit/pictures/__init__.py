"""The pictures of a design's pages, as SVG: drawn from its tables, its samples and what its questions read.

Each kind of picture has a module that draws it; `design_pictures.py` draws all pictures of a design. The program
`tests/programs/pictures.py` writes them to files.
"""

from .design_pictures import MAX_BYTES, pictures, pictures_of
from .drawing import Picture
from .ladder_picture import Rung, ladder_picture

__all__ = ["MAX_BYTES", "Picture", "Rung", "ladder_picture", "pictures", "pictures_of"]
