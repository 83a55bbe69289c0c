"""Short links: one URL for each code, an owner's links, and clicks by day and country."""

from .links import TABLES, Click, Clicks, CodeTaken, Link, Links, OwnedLink, new_code

__all__ = ["TABLES", "Click", "Clicks", "CodeTaken", "Link", "Links", "OwnedLink", "new_code"]
