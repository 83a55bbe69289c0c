"""Numbers as a file writes them: `1.234,50`, or in a unit of which the field counts parts."""

import re
from decimal import Decimal, InvalidOperation
from types import UnionType
from typing import Any, Union, get_args, get_origin

import attrs

from ..keys.errors import shown
from .errors import InvalidDescription

_NUMBERS = {int, float, Decimal}
_SIGNS = re.compile(r"[0-9+\-eE\s]")


def is_number(wanted: Any) -> bool:
    """Whether the values of a type are numbers, or None."""
    return bool(_kinds(wanted)) and _kinds(wanted) <= _NUMBERS


def is_int(wanted: Any) -> bool:
    """Whether the values of a type are ints, or None."""
    return _kinds(wanted) == {int}


def _kinds(wanted: Any) -> set[Any]:
    is_union = get_origin(wanted) in (Union, UnionType)
    return {kind for kind in get_args(wanted) if kind is not type(None)} if is_union else {wanted}


@attrs.frozen
class WrittenNumbers:
    """Reads the numbers of a field as text that `read_value` takes."""

    decimal: str = "."
    thousands: str = ""
    scale: int | None = None
    is_whole: bool = False
    """Whether the field holds ints."""

    def __attrs_post_init__(self) -> None:
        for name, sign, may_be_empty in (("decimal", self.decimal, False), ("thousands", self.thousands, True)):
            if (sign or not may_be_empty) and (len(sign) != 1 or (_SIGNS.match(sign) and sign != " ")):
                raise InvalidDescription(f"{name}: must be one character that no number has (got {shown(sign)})")
        if self.decimal == self.thousands:
            raise InvalidDescription(f"thousands: must differ from decimal (got {shown(self.thousands)} for both)")
        if self.scale is not None and self.scale < 1:
            raise InvalidDescription(f"scale: must be 1 or more (got {self.scale})")

    @property
    def are_plain(self) -> bool:
        """Whether numbers are written as in Python, and in the field's own unit."""
        return (self.decimal, self.thousands, self.scale) == (".", "", None)

    def read(self, value: Any) -> Any:
        """The number of a text without signs of its own, multiplied; what is neither text nor number, as it is."""
        if type(value) is str:
            value = self._plain(value)
        elif type(value) not in (int, float):
            return value
        if self.scale is None:
            return value
        try:
            scaled = Decimal(str(value)) * self.scale
        except InvalidOperation:
            raise ValueError(f"must be a number (got {shown(value)})") from None
        if scaled == scaled.to_integral_value():
            return str(int(scaled))
        if self.is_whole:
            raise ValueError(f"must be an int when multiplied by {self.scale} (got {shown(value)})")
        return str(scaled)

    def reads(self, text: str) -> bool:
        """Whether a text is such a number."""
        try:
            return bool(self._plain(text))
        except ValueError:
            return False

    def _plain(self, text: str) -> str:
        decimal, thousands = re.escape(self.decimal), re.escape(self.thousands)
        whole = rf"[0-9]{{1,3}}(?:{thousands}[0-9]{{3}})+|[0-9]+" if thousands else "[0-9]+"
        if not re.fullmatch(rf"[+-]?(?:{whole})?(?:{decimal}[0-9]*)?(?:[eE][+-]?[0-9]+)?", text):
            example = f"1{self.thousands}234{self.decimal}5"
            raise ValueError(f"must be a number such as {example} (got {shown(text)})")
        return (text.replace(self.thousands, "") if self.thousands else text).replace(self.decimal, ".")
