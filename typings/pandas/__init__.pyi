"""What `domains/tsdb/frames.py` uses of pandas, whose types are in a package of their own."""

from collections.abc import Mapping
from typing import Any

class DataFrame:
    def __init__(self, data: Mapping[str, Any]) -> None: ...

def to_datetime(arg: Any, *, unit: str, utc: bool) -> Any: ...
