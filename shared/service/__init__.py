"""What a service over HTTP needs around a repository, whatever its web framework: arguments, answers, refusals.

`arguments.py` reads what a request gives, `answers.py` makes its answer, and says which status an error has.

May import `keys`, `records`, `loading`, `tables`, `queries`, `writes` and `stores`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .answers import STATUSES as STATUSES
    from .answers import NotFound as NotFound
    from .answers import json_answer as json_answer
    from .answers import json_refusal as json_refusal
    from .arguments import read_arguments as read_arguments
else:
    from .. import lazy_names

    __all__, __getattr__, __dir__ = lazy_names(
        __name__, answers="STATUSES NotFound json_answer json_refusal", arguments="read_arguments"
    )
