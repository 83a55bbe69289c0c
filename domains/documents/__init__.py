"""Nested documents of many owners: changed without a lost update, with versions, chosen paths and large bodies."""

from .deciding import DocumentConflict
from .keys import TABLES
from .records import CHOSEN, Document, Summary
from .repository import DocumentRepository

__all__ = ["CHOSEN", "TABLES", "Document", "DocumentConflict", "DocumentRepository", "Summary"]
