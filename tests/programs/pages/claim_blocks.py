"""What a real HBase answered to published claims, in blocks of the pages; `tests.programs claims` recorded it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from shared.exhibit.markdown import filled, markdown_table, text_block
from shared.keys import Descending, EscapedText, Int64

RECORDED = Path(__file__).parents[3] / "fixtures" / "claims.json"
TIME_MS = 1_580_976_517_000
"""The time of the composite keys, as `Composite.java` has it."""


@cache
def recorded() -> Mapping[str, Any]:
    """By the name of a claim: the version of HBase, the date, and the figures."""
    claims: Mapping[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return claims


def measured(claim: str) -> str:
    """Where and when a claim was measured, and how to measure it again."""
    of = recorded()[claim]
    return (
        f"Measured on HBase {of['hbase']}, {of['date']}, on {of['cores']} busy cores: "
        f"`python -m tests.programs claims '{claim}'`."
    )


def _block(claim: str, caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n\n".join([filled(f"{caption} {measured(claim)}"), markdown_table(columns, rows)])


def logs_blocks() -> dict[str, str]:
    """The blocks of the page of `logs`: the published scan in the shell, lost events, reverse scans."""
    return {"shell": _shell(), "ties": _ties(), "reversed": _reversed(), "set-reversed": _set_reversed()}


def stores_blocks() -> dict[str, str]:
    """The blocks of the page of the stores: timestamps, filters, sizes of blocks and indexes, memory, a hot region."""
    return {
        "default-version": _default_version(),
        "early-ends": _early_ends(),
        "block-sizes": _block_sizes(),
        "index-sizes": _index_sizes(),
        "reads-in-memory": _reads_in_memory(),
        "keys-in-memory": _keys_in_memory(),
        "hot-region": _hot_region(),
    }


def keys_blocks() -> dict[str, str]:
    """The block of the page of the keys: composite keys of HBase's own client, beside those of a layout."""
    printed = recorded()["java client"]["figures"]["printed"]
    texts = {"": "s-17", ", with a terminator inside": "a\0\1"}
    rows = [
        (types, f"`{text!r}`", _in_pairs(printed[f"{name}{case}"]))
        for types, name in (("`RawStringTerminated`, `RawLong`", "raw"), ("`OrderedString`, `OrderedInt64`", "ordered"))
        for case, text in texts.items()
    ]
    of_layout = {text: EscapedText.encode(text) + Descending(Int64).encode(TIME_MS) for text in texts.values()}
    rows += [
        ("`EscapedText`, `Descending(Int64)`", f"`{text!r}`", f"`{key.hex(' ')}`") for text, key in of_layout.items()
    ]
    caption = f"The keys of a text and the time {TIME_MS:,}, newest first."
    return {"composite": _block("java client", caption, ("types", "text", "bytes of the key"), rows)}


def _in_pairs(printed: str) -> str:
    """Bytes in pairs of digits; a message as it is, if it was refused."""
    return f"`{bytes.fromhex(printed).hex(' ')}`" if set(printed) <= set("0123456789abcdef") else f"refused: {printed}"


def messages_blocks() -> dict[str, str]:
    """The block of the page of `messages`: two families and one."""
    figures = recorded()["families"]["figures"]
    rows = [
        (
            table["families"],
            f"{table['files']}",
            f"{table['bytes']:,}",
            f"{table['received_ms']:.1f}",
            f"{table['both_ms']:.1f}",
        )
        for table in figures["tables"]
    ]
    caption = (
        f"{figures['rows']:,} messages of one owner, half of them received, after a flush; medians in milliseconds of "
        f"{figures['rounds']} scans of {figures['scanned']:,} rows, in turns."
    )
    columns = ("families", "files", "bytes", "messages received, ms", "all messages, ms")
    return {"families": _block("families", caption, columns, rows)}


def _shell() -> str:
    figures = recorded()["published scan"]["figures"]
    lines = [figures["published"], f"# {figures['message']}", figures["right"], f"# {', '.join(figures['rows'])}"]
    return "\n\n".join([text_block("\n".join(lines), "ruby"), filled(measured("published scan"))])


def _ties() -> str:
    figures = recorded()["lost without a tie"]["figures"]
    lost = figures["events"] - figures["rows"]
    return filled(
        f"Under the published key without a tie, HBase keeps {figures['rows']:,} of {figures['events']:,} events: "
        f"{lost} are overwritten. {measured('lost without a tie')}"
    )


def _reversed() -> str:
    figures = recorded()["reversed reads"]["figures"]
    rows = [
        (
            page["in"],
            f"{page['limit']:,}",
            f"{page['forwards']:,.1f}",
            f"{page['backwards']:,.1f}",
            f"{page['backwards'] / page['forwards']:.2f}",
        )
        for page in figures["pages"]
    ]
    caption = (
        f"Milliseconds of a page of the latest events of a host with {figures['events']:,}: forwards in `logs`, "
        f"backwards in `oldest-first`; medians of {figures['rounds']} pages, in turns."
    )
    return _block("reversed reads", caption, ("rows in", "page", "forwards", "backwards", "ratio"), rows)


def _set_reversed() -> str:
    compiled = recorded()["java client"]["figures"]["compiled"]
    wrong, right = (f"scan.{method}(true)" for method in compiled)
    messages = [f"// {message}" if message else "// returns the scan" for message in compiled.values()]
    lines = [wrong, messages[0], right, messages[1]]
    return "\n\n".join([text_block("\n".join(lines), "java"), filled(measured("java client"))])


def _early_ends() -> str:
    figures = recorded()["early ends"]["figures"]
    rows = [
        (f"`{scan['filter']}`", scan["from"] or "the first row", f"{scan['read']}", f"{scan['returned']}")
        for scan in figures["scans"]
    ]
    caption = (
        f"Rows that a region server reads and returns, of {figures['rows']} rows `a00` to `a19`, `b00` to `b19` and so "
        "on to `e19`, of which every second one has the value 1."
    )
    return _block("early ends", caption, ("filter", "start", "rows read", "rows returned"), rows)


def _index_sizes() -> str:
    figures = recorded()["index sizes"]["figures"]
    rows = [
        (
            f"{file['key_bytes']} bytes",
            file["compression"],
            f"{file['blocks']:,}",
            f"{file['index_bytes']:,}",
            f"{file['file_bytes']:,}",
            f"{file['index_bytes'] / file['file_bytes']:.2%}",
        )
        for file in figures["files"]
    ]
    caption = (
        f"{figures['rows']:,} rows with values of {figures['value_bytes']} digits in one file, in blocks of 64 KB."
    )
    columns = ("keys", "compression", "blocks", "bytes of index", "bytes of file", "index / file")
    return _block("index sizes", caption, columns, rows)


def _reads_in_memory() -> str:
    figures = recorded()["memory"]["figures"]
    rows = [
        (read["moment"], *(f"{read[figure]}" for figure in ("returned", "files", "from_file", "from_cache")))
        for read in figures["reads"]
    ]
    caption = f"Gets of {figures['gets']} rows, one after another, and the blocks of data that they read."
    columns = ("rows are", "rows returned", "files of the table", "blocks from a file", "blocks from the cache")
    return _block("memory", caption, columns, rows)


def _keys_in_memory() -> str:
    figures = recorded()["memory"]["figures"]
    rows = [
        (
            f"{key['key_bytes']} bytes",
            f"{key['stored_bytes'] // figures['rows']}",
            f"{key['memstore_bytes'] / figures['rows']:.0f}",
            f"{key['cache_bytes'] / figures['rows']:.0f}",
        )
        for key in figures["keys"]
    ]
    caption = f"Bytes for each of {figures['rows']:,} rows of one cell with a value of 8 bytes."
    columns = ("keys", "bytes of a cell", "in the MemStore", "in the block cache, after a flush")
    return _block("memory", caption, columns, rows)


def _default_version() -> str:
    rows = [
        (
            "none" if put["given"] is None else "Long.MAX_VALUE",
            f"{put['read'] - put['sent']} ms",
            f"{put['answered'] - put['sent']} ms",
        )
        for put in recorded()["default version"]["figures"]
    ]
    columns = ("timestamp of the put", "dated after it was sent", "answered after it was sent")
    return _block("default version", "The timestamp that a cell has when it is read.", columns, rows)


def _block_sizes() -> str:
    figures = recorded()["block sizes"]["figures"]
    rows = [
        (
            f"{size['kb']} KB",
            f"{size['levels']}",
            f"{size['index_bytes']:,}",
            f"{size['file_bytes']:,}",
            f"{size['get_ms']:.2f}",
            f"{size['scan_ms']:.1f}",
        )
        for size in figures["sizes"]
    ]
    caption = (
        f"{figures['rows']:,} rows with keys of {figures['key_bytes']} bytes in one file, read without a block cache; "
        f"medians in milliseconds of {figures['gets']} gets and of {figures['scans']} scans of {figures['scanned']:,} "
        "rows, in turns."
    )
    columns = ("block size", "levels of index", "bytes of index", "bytes of file", "get, ms", "scan, ms")
    return _block("block sizes", caption, columns, rows)


def _hot_region() -> str:
    figures = recorded()["hot region"]["figures"]
    of = {(row["server"], row["load"]): row for row in figures["times"]}
    rows = [
        (
            words,
            *(f"{of[server, load][figure]:.1f}" for figure in ("median_ms", "p95_ms") for load in ("idle", "hot")),
        )
        for server, words in (("same", "the server of the hot region"), ("other", "another server"))
    ]
    caption = (
        f"Milliseconds of {figures['gets']} gets from a region that nobody else reads, while {figures['clients']} "
        f"clients scan {figures['rows']:,} rows of a hot region. Both servers share one machine."
    )
    columns = ("the region is on", "median, idle", "median, hot", "95 %, idle", "95 %, hot")
    return _block("hot region", caption, columns, rows)
