"""Questions and their arguments as a person types them."""

from inspect import Parameter

from .design import Design
from .patterns import AccessPattern, Action


def patterns_by_name(design: Design) -> dict[str, list[AccessPattern]]:
    """The access patterns of a design by their names in `rowbook ask`; patterns of one name differ in their samples."""
    by_name: dict[str, list[AccessPattern]] = {}
    for pattern in design.patterns:
        by_name.setdefault(pattern.name, []).append(pattern)
    return by_name


def shown_arguments(pattern: AccessPattern | Action) -> str:
    """`seller_id= [since_ms= until_ms=]`: the required arguments, then the optional ones in brackets."""
    required: list[str] = []
    optional: list[str] = []
    for parameter in pattern.parameters:
        arguments_ = required if parameter.default is Parameter.empty else optional
        arguments_.append(f"{parameter.name}=")
    return " ".join([*required, f"[{' '.join(optional)}]"] if optional else required)


def without_unit(name: str) -> str:
    """The name of a field on the command line: a time without `_ms`, because its text says its unit."""
    return name.removesuffix("_ms")
