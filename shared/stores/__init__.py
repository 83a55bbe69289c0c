"""Stores: one URL opens HBase, or a store with HBase's behaviour in a file or in memory, as a happybase connection.

May import `keys` and `events`. `connect` imports the room that its URL needs:

    outcomes            errors and deadlines of a call, in any store
    thrift1, thrift2    the calls and structs of HBase's two Thrift services
    filters             HBase's filters, and the language in which a scan names them
    embedded            `embedded:`, a store with HBase's behaviour on SQLite
    hbase               `hbase://`, a client that survives the network
    server              `rowbook serve`, an embedded store on a port
"""

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import happybase

from .outcomes.connection_errors import DeadlineExceeded, OutcomeUnknown, ScanBroken, StoreError, Unreachable
from .outcomes.deadlines import MAX_MS, deadline
from .thrift1.prefixes import prefix_of_names

__all__ = [
    "DeadlineExceeded",
    "InvalidStoreURL",
    "OutcomeUnknown",
    "ScanBroken",
    "StoreError",
    "Unreachable",
    "connect",
    "deadline",
]

MAX_IN_FLIGHT = 64
"""The most requests that one connection has under way for a query of several ranges or a batch of writes."""
MAX_IDLE_SOCKETS = 1000
"""The most idle sockets that a connection keeps: by default a gateway has as many threads, one for each."""

_HBASE_URL = "hbase://HOST:PORT?OPTION=VALUE&..."
_OPTIONS = (
    *("timeout_ms", "retry_ms", "pool_size", "in_flight"),
    *("transport", "protocol", "table_prefix", "thrift2_port"),
)
_USER = re.compile(r"^(//)?.*(?:@|%40)", re.DOTALL)
_OPTION = re.compile(r"([?&;#])([^=?&;#]*)(=[^?&;#]*)?")


class InvalidStoreURL(StoreError):
    """A URL that does not name a store; the message says what was wanted."""


def connect(url: str, *, table_prefix: str | None = None) -> happybase.Connection:
    """A happybase connection to the store at `url`.

    `embedded:` is a new, empty store in memory at each call; `embedded:PATH` is a store in a file, created at first
    use; `hbase://HOST:PORT?timeout_ms=&retry_ms=&pool_size=&in_flight=&transport=buffered|framed
    &protocol=binary|compact&table_prefix=&thrift2_port=` is the Thrift1 gateway of an HBase. A table prefix `p` puts
    `p_` before the name of every table; a prefix in the URL comes before it: `x_p_`. A prefix that ends with a colon is
    a namespace: `shop:` makes `shop:orders` of `orders`, and `shop:p` makes `shop:p_orders`.
    Any number of threads may use the connection. A forked process has to connect by itself to an embedded store.
    Raises InvalidStoreURL for any other URL, StoreError for a file that cannot be opened, and Unreachable for a gateway
    that does not answer.
    """
    scheme, colon, path = url.partition(":")
    if colon and scheme == "embedded":
        if path.startswith("//") or "?" in path:
            raise InvalidStoreURL(
                f"store URL: wants embedded: or embedded:PATH, without // and without ? (got {masked_url(url)!r})"
            )
        from .embedded.connection import EmbeddedConnection

        return EmbeddedConnection(path or None, table_prefix=table_prefix)
    if colon and scheme == "hbase":
        from .hbase.connection import HBaseConnection

        return HBaseConnection(**_hbase_arguments(url, table_prefix))
    wanted = "embedded:, embedded:PATH or hbase://HOST:PORT"
    raise InvalidStoreURL(f"store URL: wants {wanted} (got {masked_url(url)!r})")


def masked_url(url: str) -> str:
    """A store's URL as errors and logs show it, with `***` in place of user and password.

    Everything up to the last `@` may be a password, and so may anything in the query that is no option of a store. The
    path in `embedded:PATH` stays.
    """
    scheme, colon, rest = ("", "", url) if _USER.match(url.partition(":")[0]) else url.partition(":")
    if scheme == "embedded" and not rest.startswith("//"):
        path, question_mark, query = rest.partition("?")
        return f"{scheme}{colon}{path}{_OPTION.sub(_masked_option, question_mark + query)}"
    return f"{scheme}{colon}{_OPTION.sub(_masked_option, _USER.sub(_masked_user, rest))}"


def _masked_user(user: re.Match[str]) -> str:
    return f"{user[1] or ''}***@"


def _masked_option(option: re.Match[str]) -> str:
    separator, name, value = option.groups()
    if name in _OPTIONS or not (name or value):
        return option[0]
    return f"{separator}{name}=***" if value else f"{separator}***"


def _hbase_arguments(url: str, table_prefix: str | None) -> dict[str, Any]:
    try:
        parts = urlsplit(url)
        port = happybase.DEFAULT_PORT if parts.port is None else parts.port
        pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError as error:
        shown = masked_url(url)
        reason = f": {error}" if shown == url else ""  # it may quote a part of the password
        raise InvalidStoreURL(f"store URL: wants {_HBASE_URL} (got {shown!r}{reason})") from None
    is_plain = "@" not in parts.netloc and parts.path in ("", "/") and not parts.fragment and ";" not in parts.query
    if not parts.hostname or port == 0 or not is_plain:
        raise InvalidStoreURL(f"store URL: wants {_HBASE_URL} (got {masked_url(url)!r})")
    arguments: dict[str, Any] = {"host": parts.hostname, "port": port, "table_prefix": table_prefix}
    given: set[str] = set()
    for option, value in pairs:
        if option in given:
            raise InvalidStoreURL(f"store URL: {option}: wants one value (got a second one, {value!r})")
        given.add(option)
        if option == "timeout_ms":
            arguments[option] = _whole_number(option, value, 1, MAX_MS)
        elif option == "retry_ms":
            arguments[option] = _whole_number(option, value, 0, MAX_MS)
        elif option == "pool_size":
            arguments[option] = _whole_number(option, value, 1, MAX_IDLE_SOCKETS)
        elif option == "in_flight":
            arguments[option] = _whole_number(option, value, 1, MAX_IN_FLIGHT)
        elif option == "thrift2_port":
            arguments[option] = _whole_number(option, value, 1, 65535)
        elif option == "transport":
            arguments[option] = _choice(option, value, ("buffered", "framed"))
        elif option == "protocol":
            arguments[option] = _choice(option, value, ("binary", "compact"))
        elif option == "table_prefix":
            arguments[option] = f"{prefix_of_names(value)}{table_prefix or ''}".removesuffix("_") or None
        else:
            raise InvalidStoreURL(f"store URL: option: wants one of {', '.join(_OPTIONS)} (got {option!r})")
    return arguments


def _whole_number(option: str, value: str, least: int, most: int) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 20 and least <= int(value) <= most):
        raise InvalidStoreURL(f"store URL: {option}: wants a whole number from {least} to {most} (got {value!r:.100})")
    return int(value)


def _choice(option: str, value: str, allowed: Collection[str]) -> str:
    if value not in allowed:
        raise InvalidStoreURL(f"store URL: {option}: wants {' or '.join(allowed)} (got {value!r})")
    return value
