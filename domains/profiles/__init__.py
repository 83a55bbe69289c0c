"""Profiles of users and their newest orders in one wide row, which one get reads."""

from .keys import SHOWN, TABLES
from .records import OrderSummary, Profile, UserPage
from .repository import ProfileRepository

__all__ = ["SHOWN", "TABLES", "OrderSummary", "Profile", "ProfileRepository", "UserPage"]
