"""The parts of a row key, as a class declares them: `row_key`, `part`."""

import inspect
import keyword
from typing import Any, TypeVar, dataclass_transform

import attrs

from .codecs import Codec
from .errors import InvalidKey

K = TypeVar("K")
V = TypeVar("V")


def part(codec: Codec[V], meaning: str) -> V:
    """One part of a key: its wire format, and what it means, with unit and epoch.

    Typed as the codec's value, so that a type checker refuses `seller_id: int = part(EscapedText, ...)`.
    """
    value: V = attrs.field(metadata={"codec": codec, "meaning": meaning})
    return value


@dataclass_transform(frozen_default=True, field_specifiers=(part,))
def row_key(cls: type[K]) -> type[K]:
    """A class of keys: attrs' `frozen`, every attribute a `part`."""
    for name in [*vars(cls), *inspect.get_annotations(cls)]:
        if name == "self" or keyword.iskeyword(name) or not name.isidentifier():
            raise InvalidKey(f"{cls.__name__}.{name}: a part needs another name, because __init__ takes it by name")
    declared = [name for name, value in vars(cls).items() if "codec" in getattr(value, "metadata", ())]
    for name in [*declared, *inspect.get_annotations(cls)]:
        if name.startswith("_"):  # __init__ takes it without underscores, which may leave no name
            raise InvalidKey(f"{cls.__name__}.{name}: a part is public, so its name must start with a letter")
    frozen: type[K] = attrs.frozen(cls)
    codecs = {field.name: isinstance(field.metadata.get("codec"), Codec) for field in attrs.fields(frozen)}  # type: ignore[arg-type]
    for name in [*codecs, *inspect.get_annotations(cls)]:
        if not codecs.get(name):
            raise InvalidKey(f"{cls.__name__}.{name}: must be a part(codec, meaning)")
    return frozen


@attrs.frozen
class Part:
    """One part as a layout sees it."""

    name: str
    codec: Codec[Any]
    meaning: str


@attrs.frozen
class Segment:
    """A stretch of an encoded key: a prefix or a part, its bytes and its value (None for a prefix)."""

    name: str
    data: bytes
    value: Any
    meaning: str


def init_fields(cls: type[Any]) -> "list[attrs.Attribute[Any]]":
    """The attributes that the `__init__` made by attrs takes, in its order: keyword-only ones come last.

    Raises ValueError if the class has another `__init__`, whose arguments cannot be matched to attributes.
    """
    fields = [field for field in attrs.fields(cls) if field.init]
    fields.sort(key=lambda field: field.kw_only)
    code = getattr(cls.__init__, "__code__", None)
    _self, *arguments = inspect.signature(cls.__init__).parameters
    is_made_by_attrs = getattr(code, "co_filename", "").startswith("<attrs generated")
    if not is_made_by_attrs or arguments != [field.alias for field in fields]:
        raise ValueError(
            f"{cls.__name__}: must keep the __init__ that attrs makes, because rows are read with it; "
            "move its own to a classmethod, or to __attrs_post_init__"
        )
    return fields
