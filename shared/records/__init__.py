"""What the fields of records are made of: validators, times and lengths, and ties, which tell equal records apart.

May import `keys`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .arguments import check_int as check_int
    from .arguments import check_one_of as check_one_of
    from .arguments import check_text as check_text
    from .fields import LAST_MS as LAST_MS
    from .fields import InvalidRecord as InvalidRecord
    from .fields import finite as finite
    from .fields import fixed_bytes as fixed_bytes
    from .fields import integer as integer
    from .fields import one_of as one_of
    from .fields import text as text
    from .fields import texts_by_name as texts_by_name
    from .plain_values import json_of as json_of
    from .ties import TIE_BYTES as TIE_BYTES
    from .ties import Repeats as Repeats
    from .ties import tie_of as tie_of
    from .times import parse_time as parse_time
    from .times import show_time as show_time
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__,
        arguments="check_int check_one_of check_text",
        fields="LAST_MS InvalidRecord finite fixed_bytes integer one_of text texts_by_name",
        plain_values="json_of",
        ties="TIE_BYTES Repeats tie_of",
        times="parse_time show_time",
    )
