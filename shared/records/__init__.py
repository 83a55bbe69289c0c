"""The building blocks of records: validators for fields, checks of arguments, times and lengths, ties of equal records.

May import `keys`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arguments import check_int as check_int
    from .arguments import check_one_of as check_one_of
    from .arguments import check_text as check_text
    from .fields import LAST_MS as LAST_MS
    from .fields import finite as finite
    from .fields import fixed_bytes as fixed_bytes
    from .fields import integer as integer
    from .fields import one_of as one_of
    from .fields import text as text
    from .fields import texts_by_name as texts_by_name
    from .lengths import LENGTH as LENGTH
    from .lengths import UNIT_LENGTHS_MS as UNIT_LENGTHS_MS
    from .lengths import parse_length as parse_length
    from .lengths import show_length as show_length
    from .plain_values import json_of as json_of
    from .plain_values import plain_scalar as plain_scalar
    from .plain_values import plain_value as plain_value
    from .ties import TIE_BYTES as TIE_BYTES
    from .ties import Repeats as Repeats
    from .ties import tie_of as tie_of
    from .times import UNITS as UNITS
    from .times import Unit as Unit
    from .times import likely_unit as likely_unit
    from .times import parse_date as parse_date
    from .times import parse_datetime as parse_datetime
    from .times import parse_moment as parse_moment
    from .times import parse_time as parse_time
    from .times import show_datetime as show_datetime
    from .times import show_time as show_time
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        arguments="check_int check_one_of check_text",
        fields="LAST_MS finite fixed_bytes integer one_of text texts_by_name",
        lengths="LENGTH UNIT_LENGTHS_MS parse_length show_length",
        plain_values="json_of plain_scalar plain_value",
        ties="TIE_BYTES Repeats tie_of",
        times="UNITS Unit likely_unit parse_date parse_datetime parse_moment parse_time show_datetime show_time",
    )
