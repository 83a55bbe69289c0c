"""Products of many shops by region and category, with thin indexes by id and by time, and names as codes."""

from .keys import TABLES
from .records import Product
from .repository import CatalogRepository, UnknownProduct

__all__ = ["TABLES", "CatalogRepository", "Product", "UnknownProduct"]
