"""Breaks the code on purpose, one wrong behaviour at a time; the tests must notice every one.

Each mutant replaces one piece of code by a wrong one, in a copy of the suite. Exits with 1 if a mutant survives, if its
code does not occur exactly once in its file, or if a test fails without any mutant.

Run it: python tests/mutants.py
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs

ROOT = Path(__file__).parents[1]
COPIED = ("shared", "domains", "fixtures", "tests", "pyproject.toml")
AT_ONCE = 2

CODECS = ("tests/shared/keys/test_codecs.py", "tests/shared/keys/test_text_codecs.py")
LAYOUTS = ("tests/shared/keys/test_layout.py", "tests/shared/keys/test_prefixes.py")
PLANS = ("tests/shared/keys/test_plans.py",)
SCANS = ("tests/shared/queries/test_scanning.py",)
NARROW = ("tests/shared/keys/test_narrow.py",)
ANY_OF = ("tests/shared/keys/test_any_of.py",)
SLICES = ("tests/shared/keys/test_slice_codecs.py",)
SPLITS = ("tests/shared/keys/test_splits.py",)
COPIED_PART = ("tests/shared/keys/test_copied_part.py",)
PAGES = ("tests/shared/queries/test_pages.py",)
SORTED_PAGES = ("tests/shared/queries/test_sorted_pages.py",)
CURSORS = ("tests/shared/queries/test_cursors.py",)
INVALID_ROWS = ("tests/shared/queries/test_invalid_rows.py",)
MANY_RECORDS = ("tests/shared/queries/test_wide_rows.py",)
KEY_ORDER = ("tests/shared/queries/test_key_order.py",)
QUERIES = ("tests/shared/queries/test_query.py",)
OWN_CELLS = ("tests/shared/queries/test_own_cells.py",)
RECORD_CELLS = ("tests/shared/tables/test_record_cells.py",)
ITEM_CELLS = ("tests/shared/tables/test_item_cells.py",)
RELEASES = ("tests/shared/tables/test_releases.py",)
LAWS = ("tests/shared/keys/test_codec_laws.py",)
CELLS = ("tests/shared/tables/test_cells.py",)
BATCHES = ("tests/shared/writes/test_batches.py",)
RECORDED_LAYOUTS = ("tests/shared/tables/test_recorded_layouts.py",)
CLOCK = ("tests/shared/writes/test_clock.py",)
SERVER_CLOCK = ("tests/shared/writes/test_server_clock.py",)
CLOCKS = ("tests/shared/writes/test_clocks_of_writers.py", "tests/shared/writes/test_server_clock.py")
TWO_RELEASES = ("tests/shared/writes/test_two_releases.py",)
SLOTS = ("tests/shared/writes/test_slots.py",)
SOURCES = ("tests/shared/writes/test_sources.py",)
VERIFYING = ("tests/shared/writes/test_verifying.py",)
LOST_REVISIONS = ("tests/shared/writes/test_lost_revisions.py",)
MESSAGES = ("tests/domains/messages/test_repository.py", "tests/domains/messages/test_copies.py")
MESSAGE_UPKEEP = ("tests/domains/messages/test_verifying.py",)
FEEDS = ("tests/domains/feeds/test_feeds.py",)
FEED_UPKEEP = ("tests/domains/feeds/test_verifying.py",)
FEED_ERASING = ("tests/domains/feeds/test_erasing.py",)
ERASING = ("tests/shared/writes/test_erasing.py",)
CLAIMS = ("tests/shared/writes/test_claims.py",)
DICTIONARIES = ("tests/shared/writes/test_dictionaries.py",)
STOPPED_WRITES = ("tests/shared/writes/test_stopped_writes.py",)
TSDB_COMPACTION = ("tests/domains/tsdb/test_compaction.py",)
TSDB_AT_ONCE = ("tests/domains/tsdb/test_at_once.py",)
TSDB_RESTORING = ("tests/domains/tsdb/test_restoring.py",)
TSDB_DELETING = ("tests/domains/tsdb/test_deleting.py",)
TSDB_READING = ("tests/domains/tsdb/test_reading.py",)
TSDB_ANNOTATING = ("tests/domains/tsdb/test_annotating.py",)
TSDB_CELLS = ("tests/domains/tsdb/test_qualifiers.py", "tests/domains/tsdb/test_vectors.py")
TSDB_NUMBERS = ("tests/domains/tsdb/test_aggregation.py",)
TSDB = ("tests/domains/tsdb/test_repository.py",)
TSDB_FORMATS = ("tests/domains/tsdb/test_formats.py",)
TSDB_SETTINGS = ("tests/domains/tsdb/test_settings.py",)
TSDB_VERIFYING = ("tests/domains/tsdb/test_verifying.py",)
FOLDING = ("tests/domains/counters/test_folding.py",)
LOGINS_VERIFIED = ("tests/domains/counters/test_verifying.py",)
STOPPED_FOLDS = ("tests/domains/counters/test_crashes.py",)
TABLES = ("tests/shared/tables/test_tables.py",)
CONFORMANCE = ("tests/conformance/test_conformance.py",)
STORE_WRITES = ("tests/shared/stores/embedded/test_writes.py",)
TURNS = ("tests/shared/stores/embedded/test_turns.py",)
WIDE_ROWS = ("tests/shared/stores/embedded/test_wide_rows.py",)
MEMORY = ("tests/shared/stores/server/test_memory.py",)
MOVED = ("tests/shared/stores/embedded/test_moved.py",)
DATING = ("tests/shared/stores/embedded/test_dating.py",)
FILTERS = ("tests/shared/stores/filters/test_filters.py", "tests/shared/stores/filters/test_filter_language.py")


def contract(test: str) -> tuple[str, ...]:
    """One test of the contract of all designs, which takes half a minute as a whole."""
    return (f"tests/domains/test_contract.py::test_{test}",)


# One failing example is enough here, so Hypothesis does not shrink it.
CONFTEST = """
from hypothesis import Phase, settings
settings.register_profile("mutants", deadline=None, database=None, phases=[Phase.explicit, Phase.generate])
"""


@attrs.frozen
class Mutant:
    """One wrong behaviour: in `file`, `old` becomes `new`, and one of `tests` must fail."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


MUTANTS = (
    # ---- values
    Mutant(
        "FixedText takes a text that contains its pad",
        "shared/keys/text_codecs.py",
        "if self.pad in data:",
        "if False:",
        CODECS,
    ),
    Mutant(
        "an unknown escape is decoded",
        "shared/keys/codecs.py",
        "if _escape(plain) != body:",
        "if False:",
        CODECS,
    ),
    Mutant(
        "NUL is not escaped by the generated function",
        "shared/keys/compiled.py",
        r"{text}.replace(b'\x00', b'\x00\xff')",
        r"{text}.replace(b'\x00', b'\x00')",
        LAYOUTS,
    ),
    Mutant(
        "a bool is an int to the codecs",
        "shared/keys/codecs.py",
        "if type(value) is not wanted:",
        "if not isinstance(value, wanted):",
        LAWS,
    ),
    Mutant(
        "a bool is an int to the generated function",
        "shared/keys/compiled.py",
        'f"type(value_{part.name}) is int"',
        'f"isinstance(value_{part.name}, int)"',
        LAYOUTS,
    ),
    Mutant(
        "-0.0 is a float like any other",
        "shared/keys/codecs.py",
        "if value != value or bits == _SIGN_BIT:",
        "if value != value:",
        CODECS,
    ),
    Mutant(
        "negative floats are not inverted",
        "shared/keys/codecs.py",
        "(bits ^ (_ALL_BITS if bits & _SIGN_BIT else _SIGN_BIT))",
        "(bits ^ _SIGN_BIT)",
        CODECS,
    ),
    Mutant(
        "text without a terminator runs descending",
        "shared/keys/codecs.py",
        "if not codec.ordered or codec.descending or codec.trailing:",
        "if not codec.ordered or codec.descending:",
        CODECS,
    ),
    Mutant(
        "a key of a later release is told apart although bytes after its code are damaged",
        "shared/keys/reference.py",
        "                unknown[part.name] = located",
        "                raise located",
        LAYOUTS,
    ),
    Mutant(
        "text without a terminator stands in the middle of a key",
        "shared/keys/reference.py",
        "for part in self.parts[:-1]:",
        "for part in ():",
        LAYOUTS,
    ),
    # ---- rows
    Mutant(
        "a prefix is not compared on decode",
        "shared/keys/compiled.py",
        'checks.append(f"row[:{layout.prefix_bytes}] == ',
        'checks.append(f"True or row[:{layout.prefix_bytes}] == ',
        LAYOUTS,
    ),
    Mutant(
        "a cell of another type than its attribute is read",
        "shared/keys/compiled.py",
        """        checks.append(check)
""",
        """        checks.append("True")
""",
        ("tests/shared/tables/test_generated_records.py",),
    ),
    Mutant(
        "bytes after the last part are passed over",
        "shared/keys/compiled.py",
        'checks.append("not rest")',
        'checks.append("True")',
        LAYOUTS,
    ),
    Mutant(
        "a row of 32,768 bytes is taken",
        "shared/keys/compiled.py",
        "if {least}len(row) <= {MAX_ROW_BYTES}:",
        "if {least}len(row) <= {MAX_ROW_BYTES + 1}:",
        LAYOUTS,
    ),
    Mutant(
        "a part is copied from a row that does not decode",
        "shared/keys/compiled.py",
        """f"            if {' and '.join(checks)}:",""",
        '"            if True:",',
        COPIED_PART,
    ),
    Mutant(
        "a part is copied into a row that is too long",
        "shared/keys/compiled.py",
        "if 0 < len(made) <= {MAX_ROW_BYTES}:",
        "if 0 < len(made):",
        COPIED_PART,
    ),
    Mutant(
        "the same cells in many rows are dated by the server",
        "shared/writes/batches.py",
        "mutateRowsTs(rows.name, row_mutations, time_ms, {})",
        "mutateRows(rows.name, row_mutations, {})",
        BATCHES,
    ),
    Mutant(
        "a hash is taken of the encoded text",
        "shared/keys/prefixes.py",
        "if len(self.of) == 1 and type(values[0]) is str else",
        "if False else",
        LAYOUTS,
    ),
    Mutant(
        "a time slice does not follow the direction of its part",
        "shared/keys/reference.py",
        "return codec.invert_order(data) if self.part_named[self.time_bucket.of].codec.descending else data",
        "return data",
        LAYOUTS + PLANS,
    ),
    # ---- plans
    Mutant(
        "the successor of 01 ff is 02 00",
        "shared/keys/ranges.py",
        "return stripped[:-1] + bytes([stripped[-1] + 1]) if stripped else None",
        "return (stripped[:-1] + bytes([stripped[-1] + 1])).ljust(len(prefix), bytes(1)) if stripped else None",
        PLANS,
    ),
    Mutant(
        "the successor does not carry",
        "shared/keys/ranges.py",
        r'stripped = prefix.rstrip(b"\xff")',
        "stripped = prefix if prefix[-1:] != bytes([255]) else prefix[:-1]",
        PLANS,
    ),
    Mutant(
        "the stop of a salted range is the salt and the successor of the rest",
        "shared/keys/questions.py",
        "interval.after(start, parts)",
        """(lambda range_: range_ and RowRange(
            bucket + range_.start, None if range_.stop is None else bucket + range_.stop
        ))(interval.after(time_bucket + bytes_of_parts, parts))""",
        PLANS,
    ),
    Mutant(
        "a descending interval does not swap its ends",
        "shared/keys/questions.py",
        "    if codec.descending:  #",
        "    if False:  #",
        PLANS,
    ),
    Mutant(
        "a descending interval is (since, until]",
        "shared/keys/questions.py",
        'return _Interval(until or b"", until is not None, since or b"", True, ',
        'return _Interval(until or b"", False, since or b"", since is None, ',
        PLANS,
    ),
    Mutant(
        "an ascending interval holds its until",
        "shared/keys/questions.py",
        'return _Interval(since or b"", False, until or b"", until is None, ',
        'return _Interval(since or b"", False, until or b"", True, ',
        PLANS,
    ),
    Mutant(
        "the slice that starts at until is read",
        "shared/keys/questions.py",
        "time_bucket.number(condition.until - 1)",
        "time_bucket.number(condition.until)",
        PLANS,
    ),
    Mutant(
        "slices that the interval cuts are read whole",
        "shared/keys/questions.py",
        "condition.since % time_bucket.every_ms == condition.until % time_bucket.every_ms == 0",
        "condition.since % time_bucket.every_ms == 0",
        PLANS,
    ),
    Mutant(
        "parts after an interval can be bound",
        "shared/keys/questions.py",
        '            without_value.append(f"{part.name} (not an interval)")\n',
        "",
        PLANS,
    ),
    Mutant(
        "parts after an open one can be bound",
        "shared/keys/questions.py",
        "            without_value.append(part.name)\n",
        "",
        PLANS,
    ),
    Mutant(
        "what is not ordered takes an interval",
        "shared/keys/questions.py",
        "if not codec.ordered:",
        "if False:",
        PLANS,
    ),
    Mutant(
        "a point is the prefix of longer keys",
        "shared/keys/questions.py",
        "RowRange(point, next_row(point), ",
        "RowRange(point, successor(point), ",
        PLANS,
    ),
    Mutant(
        "whole keys of any_of are the prefixes of longer keys",
        "shared/keys/questions.py",
        "RowRange(start, next_row(start), parts) if is_whole_key else",
        "RowRange(start, next_row(start), parts) if False else",
        ANY_OF,
    ),
    Mutant(
        "merged values of different slices are one stream",
        "shared/keys/questions.py",
        "bucket + time_bucket + leading.merged",
        "bucket + leading.merged",
        ANY_OF,
    ),
    Mutant(
        "the slice in which an interval ends is not read",
        "shared/keys/questions.py",
        "until = until + divided.every if",
        "until = until if",
        SLICES,
    ),
    Mutant(
        "a merged any_of that no range binds is not merged",
        "shared/keys/questions.py",
        "if condition.merged:",
        "if False:",
        ANY_OF,
    ),
    Mutant(
        "the rest of a slice is not compared",
        "shared/keys/questions.py",
        "        residual[part.name] = condition\n",
        "",
        SLICES,
    ),
    Mutant(
        "a bool has a slice to the generated function",
        "shared/keys/compiled.py",
        'checks.append(f"type(key.{part.name}) is int")',
        'checks.append("True")',
        SLICES,
    ),
    # ---- scans
    Mutant(
        "buckets are merged by the whole row",
        "shared/queries/scanning.py",
        "return lambda row_and_cells: row_and_cells[0][prefix_bytes:]",
        "return lambda row_and_cells: row_and_cells[0]",
        SCANS,
    ),
    Mutant(
        "the limit is shared out to the buckets before the merge",
        "shared/queries/scanning.py",
        "islice(merged(streams, plan, reverse, _rest_of_row), limit)",
        """islice(
            merged([islice(stream, limit and batch_rows) for stream in streams], plan, reverse, _rest_of_row), limit
        )""",
        SCANS,
    ),
    Mutant(
        "every bucket fetches the whole limit at once",
        "shared/queries/scanning.py",
        "return min(-(-buffer_rows // max(1, len(plan.streams))), BATCH_ROWS)",
        "return min(buffer_rows, BATCH_ROWS)",
        SCANS,
    ),
    Mutant(
        "a reverse scan keeps the row at its stop",
        "shared/queries/scanning.py",
        "if row != range_.stop:",
        "if True:",
        SCANS,
    ),
    Mutant(
        "a reverse scan loses the row at its start",
        "shared/queries/scanning.py",
        "low = _below(range_.start)",
        "low = range_.start",
        SCANS,
    ),
    Mutant(
        "a reverse scan gives a row below its start",
        "shared/queries/scanning.py",
        "if row < range_.start:",
        "if False:",
        SCANS,
    ),
    Mutant(
        "ranges are read upwards in a reverse scan",
        "shared/queries/scanning.py",
        "for range_ in reversed(ranges) if reverse else ranges:",
        "for range_ in ranges:",
        SCANS,
    ),
    Mutant(
        "scanners stay open when the reader stops early",
        "shared/queries/scanning.py",
        "opened.callback(stream.close)",
        'globals().setdefault("kept", []).append(stream)',
        SCANS,
    ),
    Mutant(
        "the scanner of a single stream stays open when the reader stops early",
        "shared/queries/scanning.py",
        "with closing(_stream(read, plan.streams[0].ranges, reverse, batch_rows)) as rows:",
        """rows = _stream(read, plan.streams[0].ranges, reverse, batch_rows)
        globals().setdefault("kept", []).append(rows)
        if True:""",
        SCANS,
    ),
    # ---- pages
    Mutant(
        "a page starts with the last row of the page before",
        "shared/queries/scanning.py",
        "elif (first := row if inclusive else next_row(row)) is None:",
        "elif (first := row) is None:",
        PAGES,
    ),
    Mutant(
        "a cursor is the last row kept, not the last row read",
        "shared/queries/pages.py",
        """\
            last = stored
            records += reader.matching(stored)
""",
        """\
            records += (matching := reader.matching(stored))
            last = stored if matching else last
""",
        PAGES,
    ),
    Mutant(
        "a cursor is the whole row, with its bucket",
        "shared/queries/record_reader.py",
        "return row[streams[number].prefix_bytes :], qualifier, numbered",
        "return row, qualifier, numbered",
        PAGES,
    ),
    Mutant(
        "a cursor goes with any question",
        "shared/queries/cursors.py",
        "if cursor_digest != digest:",
        "if False:",
        CURSORS,
    ),
    Mutant(
        "a damaged cursor is taken",
        "shared/queries/cursors.py",
        "if _encode(position, cursor_digest) != cursor:",
        "if not data:",
        CURSORS,
    ),
    Mutant(
        "the words of a layout are part of the question",
        "shared/queries/cursors.py",
        'layout = f"({table.name!r}, ',
        'layout = f"({table.name!r}, {table.holds!r}, ',
        CURSORS,
    ),
    Mutant(
        "the direction is no part of the question",
        "shared/queries/cursors.py",
        "question.plan.streams, question.conditions, question.reverse, server",
        "question.plan.streams, question.conditions, server",
        CURSORS,
    ),
    Mutant(
        "what is left out by where counts towards the limit",
        "shared/queries/pages.py",
        "if len(records) >= limit or (",
        "if reader.read >= limit or (",
        PAGES,
    ),
    Mutant(
        "the last page has a cursor",
        "shared/queries/pages.py",
        "    return records, None\n",
        "    return records, last and reader.position(*last)\n",
        PAGES,
    ),
    Mutant(
        "the last page of rows that are all records has a cursor",
        "shared/queries/pages.py",
        "None if next(rows, None) is None else reader.position(stored)",
        "stored and reader.position(stored)",
        PAGES,
    ),
    Mutant(
        "sorted pages forget where the last one ended",
        "shared/queries/sorted_pages.py",
        "if (item[0] < after if reverse else item[0] > after))",
        "if True)",
        SORTED_PAGES,
    ),
    Mutant(
        "a sorted page starts again at its last record",
        "shared/queries/sorted_pages.py",
        "(item[0] < after if reverse else item[0] > after)",
        "(item[0] <= after if reverse else item[0] >= after)",
        SORTED_PAGES,
    ),
    Mutant(
        "newest first is sorted as oldest first",
        "shared/queries/sorted_pages.py",
        "select_first = heapq.nlargest if reverse else heapq.nsmallest",
        "select_first = heapq.nsmallest",
        SORTED_PAGES,
    ),
    Mutant(
        "more rows are sorted than may be",
        "shared/queries/sorted_pages.py",
        "            if reader.read == read_at_most:\n",
        "            if False:\n",
        SORTED_PAGES,
    ),
    Mutant(
        "a page with a report ends after as many rows as it may have records",
        "shared/queries/pages.py",
        "read_limit = None if may_skip else limit + 1",
        "read_limit = limit + 1",
        INVALID_ROWS,
    ),
    Mutant(
        "a page that leaves out invalid rows reads any number of them",
        "shared/queries/pages.py",
        "(may_skip and reader.read >= read_at_most)",
        "(reader.question.conditions and reader.read >= read_at_most)",
        INVALID_ROWS,
    ),
    Mutant(
        "the record beside an invalid row of another bucket is lost",
        "shared/queries/record_reader.py",
        "number < last if reverse else number > last",
        "False",
        INVALID_ROWS,
    ),
    # ---- rows with many records, queries
    Mutant(
        "a row with many records ends with its first cells",
        "shared/queries/wide_rows.py",
        "if not is_whole:",
        "if False:",
        MANY_RECORDS,
    ),
    Mutant(
        "in reverse a row with many records ends with one chunk",
        "shared/queries/wide_rows.py",
        "            if len(kept) < CHUNK_CELLS:\n",
        "            if True:\n",
        MANY_RECORDS,
    ),
    Mutant(
        "the cell of a cursor comes again on the next page",
        "shared/queries/wide_rows.py",
        "inclusive=after.inclusive)",
        "inclusive=True)",
        MANY_RECORDS,
    ),
    Mutant(
        "a chunk of a row starts with the last cell of the chunk before",
        "shared/queries/wide_rows.py",
        '        low += b"\\x00"\n',
        "        pass\n",
        MANY_RECORDS,
    ),
    Mutant(
        "a damaged row key is reported for each of its cells",
        "shared/queries/record_reader.py",
        "if row not in self._keys:",
        "if self._keys.get(row) is None:",
        MANY_RECORDS,
    ),
    Mutant(
        "the qualifier is no part of the question",
        "shared/queries/cursors.py",
        "{cells.cell_attributes!r}, {qualifier}",
        "{cells.cell_attributes!r}",
        MANY_RECORDS,
    ),
    Mutant(
        "a scan in the order of a hash is one in the order of the key",
        "shared/queries/key_order.py",
        "[] if by_hash else _scanned(",
        "_scanned(",
        KEY_ORDER,
    ),
    Mutant(
        "newest first is ignored if rows come in the order of a hash",
        "shared/queries/key_order.py",
        "if by_hash and order is None:",
        "if False:",
        KEY_ORDER,
    ),
    Mutant(
        "the time slices of an order are forgotten",
        "shared/queries/key_order.py",
        "[*_slices(order, constants), *_sorted_by(",
        "[*_sorted_by(",
        KEY_ORDER,
    ),
    Mutant(
        "an order that a scan has in reverse is sorted",
        "shared/queries/key_order.py",
        "if len(reversed_) <= 1:",
        "if reversed_ == {False}:",
        KEY_ORDER,
    ),
    Mutant(
        "a second lookup may return fewer answers",
        "shared/queries/query.py",
        "if len(answers) != len(records):",
        "if False:",
        QUERIES,
    ),
    Mutant(
        "a where keeps one of two conditions of a name",
        "shared/queries/record_reader.py",
        "if not isinstance(where, Mapping):",
        "if not isinstance(where := dict(where) if isinstance(where, list) else where, Mapping):",
        QUERIES,
    ),
    Mutant(
        "an attribute that no record has is refused only if a row is read",
        "shared/queries/record_reader.py",
        "if not (type(name) is str and hasattr(record, name)) and name not in attrs.fields_dict(record):",
        "if False:",
        QUERIES,
    ),
    Mutant(
        "an interval whose ends are out of order reads everything",
        "shared/queries/record_reader.py",
        "    if is_turned:\n",
        "    if False:\n",
        QUERIES,
    ),
    Mutant(
        "first reads a sorted answer again for each record that is dropped",
        "shared/queries/query.py",
        "limit = min(2 * limit, READ_AT_MOST)",
        "limit = 1",
        QUERIES,
    ),
    Mutant(
        "an explanation is exact although invalid rows are left out",
        "shared/queries/explanations.py",
        "looks_up or reports or question.is_wide",
        "looks_up or question.is_wide",
        QUERIES,
    ),
    Mutant(
        "an explanation is exact although a row may hold nothing",
        "shared/queries/explanations.py",
        "question.is_wide or question.has_own_cells or len(",
        "question.is_wide or len(",
        OWN_CELLS,
    ),
    Mutant(
        "a page ends early if rows hold nothing",
        "shared/queries/record_reader.py",
        "on_invalid is not None or question.has_own_cells",
        "on_invalid is not None",
        OWN_CELLS,
    ),
    Mutant(
        "records of one row that are equal in an order are paged",
        "shared/queries/query.py",
        "if sort_into is not None and self._question.has_own_cells:",
        "if False:",
        OWN_CELLS,
    ),
    Mutant(
        "a question that is sorted is read twice",
        "shared/queries/query.py",
        "if self._question.order is None else READ_AT_MOST",
        "if True else READ_AT_MOST",
        QUERIES,
    ),
    Mutant(
        "buckets are iterated in batches of a thousand rows",
        "shared/queries/query.py",
        "buffer_rows = streams * ITERATION_BATCH_ROWS",
        "pass",
        QUERIES,
    ),
    Mutant(
        "an explanation forgets that reverse batches have one row more",
        "shared/queries/explanations.py",
        "BUFFER_ROWS), plan) + question.reverse",
        "BUFFER_ROWS), plan)",
        QUERIES,
    ),
    Mutant(
        "a copied layout writes its counters",
        "shared/tables/record_cells.py",
        "if column.packing != COUNTER)",
        "if column.packing is not COUNTER)",
        RECORD_CELLS,
    ),
    Mutant(
        "a fraction of a millisecond is cut off",
        "shared/records/times.py",
        "    if time_ms.denominator != 1:\n",
        "    if False:\n",
        ("tests/shared/loading/test_time_formats.py",),
    ),
    Mutant(
        "a date without a year is read as one of 1900",
        "shared/loading/time_formats.py",
        '        if not any(year in self.notation for year in ("%Y", "%y", "%G", "%c", "%x")):',
        "        if False:",
        ("tests/shared/loading/test_time_formats.py",),
    ),
    Mutant(
        "a where may compare a value of another type",
        "shared/queries/record_reader.py",
        "        if not fits(value):\n",
        "        if False:\n",
        QUERIES,
    ),
    Mutant(
        "a user without a name is every user",
        "domains/feeds/repository.py",
        "    check_text(what, name)\n",
        "    if name is None:\n        return\n",
        ("tests/domains/test_wrong_input.py",),
    ),
    Mutant(
        "the size of a cell is not compared",
        "shared/tables/record_cells.py",
        "            check_cell_size(packed.name, column, value)\n",
        "",
        RECORD_CELLS,
    ),
    Mutant(
        "the size of a cell is compared without its row",
        "shared/tables/cells.py",
        "19 - len(row) - len(column)",
        "19 - len(column)",
        RECORD_CELLS,
    ),
    Mutant(
        "cells with another label are claimed",
        "shared/tables/item_cells.py",
        "column.startswith(self._start + self.label)",
        "column.startswith(self._start)",
        ITEM_CELLS,
    ),
    Mutant(
        "a value in the cell is not compared if row and column are bound",
        "shared/tables/item_cells.py",
        "if name not in of_cells}\n        return",
        "if False}\n        return",
        ITEM_CELLS,
    ),
    Mutant(
        "a period within a slice reads past its end",
        "shared/tables/item_cells.py",
        "None if condition.until == start + every else condition.until - start",
        "None",
        ITEM_CELLS,
    ),
    Mutant(
        "a period within a slice reads the row from its first cell",
        "shared/queries/wide_rows.py",
        "return max(low, self.qualifiers.start), min(ends, default=None)",
        "return low, min(ends, default=None)",
        ("tests/domains/monitoring/test_costs.py",),
    ),
    Mutant(
        "an array that is too short is taken without a default",
        "shared/tables/item_cells.py",
        "if self._fields[name].default is attrs.NOTHING:",
        "if False:",
        ITEM_CELLS,
    ),
    Mutant(
        "a Rest may be of another length than its Slice",
        "shared/tables/declarations.py",
        "or (divided.every, part.codec.descending) != (remaining.every, rest.codec.descending)",
        "or part.codec.descending != rest.codec.descending",
        ITEM_CELLS,
    ),
    Mutant(
        "layouts of one table may differ in a family",
        "shared/tables/layouts.py",
        "if other != family:",
        "if False:",
        ("tests/shared/tables/test_shared_tables.py",),
    ),
    Mutant(
        "a column of a family that another layout claims whole is claimed twice",
        "shared/tables/declarations.py",
        "(starts and other.startswith(column))",
        "(starts and other == column)",
        ("tests/shared/tables/test_shared_tables.py",),
    ),
    Mutant(
        "a part of the row key is also a column",
        "shared/tables/declarations.py",
        "elif part.name in cells.cell_attributes:",
        "elif False:",
        RECORD_CELLS,
    ),
    Mutant(
        "any name may be packed",
        "shared/tables/record_cells.py",
        "if name not in self.attributes:",
        "if False:",
        RECORD_CELLS,
    ),
    # ---- generated functions that are wrong, where their references are right
    Mutant(
        "eight bytes are packed as a signed int",
        "shared/keys/compiled.py",
        '8: "Q"',
        '8: "q"',
        ("tests/shared/keys/test_layout_laws.py",),
    ),
    Mutant(
        "a function that a generated one calls is None",
        "shared/keys/compiled.py",
        "    scope[name] = function\n",
        "    scope[name] = None\n",
        ("tests/shared/keys/test_layout_laws.py",),
    ),
    Mutant(
        "escaped text is left to the reference",
        "shared/keys/compiled.py",
        '"unescape": unescape',
        '"unescape": None',
        ("tests/shared/keys/test_layout_laws.py",),
    ),
    Mutant(
        "what unpacks a cell is None",
        "shared/keys/compiled.py",
        'f"unpack_{number}": cell.unpack',
        'f"unpack_{number}": None',
        ("tests/shared/tables/test_generated_records.py",),
    ),
    Mutant(
        "a missing cell is left to the reference",
        "shared/keys/compiled.py",
        "{variable} = cells.get({column!r})",
        "{variable} = cells[{column!r}]",
        ("tests/shared/tables/test_generated_records.py",),
    ),
    Mutant(
        "a row of a design's samples is left to the reference",
        "shared/keys/compiled.py",
        '1: "B", 2: "H", 4: "I", 8: "Q"',
        '1: "B", 2: "H", 4: "I", 8: "b"',
        contract("the_generated_functions_read_every_row_without_the_reference"),
    ),
    # ---- narrowed questions, split points, comparisons
    Mutant(
        "what a key cannot bind is forgotten",
        "shared/keys/questions.py",
        "        residual[name] = question[name]\n",
        "",
        NARROW,
    ),
    Mutant(
        "a value that no range binds chooses no bucket",
        "shared/keys/questions.py",
        "known[name] = condition",
        "pass",
        NARROW,
    ),
    Mutant(
        "a period takes its end",
        "shared/keys/conditions.py",
        "(self.until is None or value < self.until)",
        "(self.until is None or value <= self.until)",
        (*NARROW, *PAGES),
    ),
    Mutant(
        "a question that binds nothing reads the whole table",
        "shared/keys/questions.py",
        "    if not bindable and layout.time_bucket is None:\n",
        "    if False:\n",
        NARROW,
    ),
    Mutant(
        "hex prefixes are cut between bytes",
        "shared/keys/splits.py",
        "if prefix.hex else",
        "if not prefix.hex else",
        SPLITS,
    ),
    Mutant(
        "split points have small hex digits",
        "shared/tables/ddl.py",
        '{byte:02X}" for byte in point',
        '{byte:02x}" for byte in point',
        ("tests/shared/tables/test_ddl.py",),
    ),
    Mutant(
        "a long split point is cut",
        "shared/tables/ddl.py",
        "break_long_words=False,",
        "break_long_words=True,",
        ("tests/shared/tables/test_ddl.py",),
    ),
    Mutant(
        "new rows are shared out over the ranges of all rows",
        "shared/designs/comparison.py",
        "if written_ms <= border_ms)",
        "if True)",
        ("tests/shared/designs/test_comparison.py",),
    ),
    Mutant(
        "costs per record are those of all records",
        "shared/designs/design.py",
        "count += 1",
        "count = 1",
        ("tests/shared/designs/test_comparison.py",),
    ),
    Mutant(
        "a question that is sorted is said to be filtered",
        "shared/designs/cost_tables.py",
        'if "order" in measurement.client_work:',
        "if False:",
        ("tests/shared/designs/test_cost_tables.py",),
    ),
    Mutant(
        "one reason for refusal is a line for each key class",
        "shared/designs/cost_tables.py",
        "part, reason = _part_and_reason(measurement.refused)",
        'part, reason = "", measurement.refused',
        ("tests/shared/designs/test_cost_tables.py",),
    ),
    Mutant(
        "a key runs the other way",
        "domains/orders/keys.py",
        """    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Descending(Int64),""",
        """    buyer_id: str = part(EscapedText, "who bought; any text")
    placed_ms: int = part(Int64,""",
        contract("samples_and_keys_are_what_their_generators_write"),
    ),
    Mutant(
        "a seller's list names the buyer",
        "domains/orders/records.py",
        "return cls(order.seller_id, order.placed_ms",
        "return cls(order.buyer_id, order.placed_ms",
        contract("all_variants_that_answer_give_the_same_records_but_those_that_are_wrong"),
    ),
    Mutant(
        "storing a record again writes it again",
        "domains/orders/variants/without_intents.py",
        "rows.put(row, cells, timestamp=written_ms)",
        "rows.put(row, cells)",
        contract("loading_the_same_records_twice_changes_nothing_unless_exempt"),
    ),
    Mutant(
        "a page reads the whole list",
        "shared/queries/pages.py",
        "position, limit, min(limit + 1, buffer_rows))",
        "position, limit, buffer_rows)",
        contract("costs_hold_at_any_size_unless_exempt"),
    ),
    Mutant(
        "an exemption is left out",
        "domains/orders/design.py",
        'so a filter reads the whole table", (WITH_STATUS,)',
        'so a filter reads the whole table", (STATUS_OF_SELLER,)',
        contract("costs_hold_at_any_size_unless_exempt"),
    ),
    Mutant(
        "a copied file imports what the suite shows",
        "domains/logs/repository.py",
        "from .keys import BY_TIME, LOG_CELLS, LOGS\n",
        "from .keys import BY_TIME, LOG_CELLS, LOGS\nfrom . import formats\n",
        contract("five_files_and_the_rooms_they_import_are_a_copy_that_runs"),
    ),
    Mutant(
        "a deviation from a published key goes unsaid",
        "domains/logs/published.py",
        '{"host": TERMINATOR, "event": SAME_TERMINATOR, "tie": TIE_ADDED}',
        '{"host": TERMINATOR, "tie": TIE_ADDED}',
        contract("every_part_that_differs_from_the_published_one_says_why_and_no_other_does"),
    ),
    Mutant(
        "a printed reverse scan starts at the lower key",
        "shared/designs/shell.py",
        "if reverse else (rows.start, rows.stop)",
        "if False else (rows.start, rows.stop)",
        ("tests/shared/designs/test_shell.py",),
    ),
    Mutant(
        "a printed reverse scan stops where Thrift1's does",
        "shared/designs/metering.py",
        "_start_above(high), low or None",
        "high or b'', low or None",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "a printed scan has no filter",
        "shared/designs/metering.py",
        "bool(scan.reversed), scan.filterString",
        "bool(scan.reversed), None",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "a verdict hides the rows that a filter drops from an answer that is not that of a query",
        "shared/designs/metering.py",
        "return self.rows_read, self.cost.rows_fetched",
        "return self.read_for_records, len(self.records)",
        ("tests/shared/designs/test_cost_tables.py", *TSDB_READING),
    ),
    Mutant(
        "a sum of the cells of a few rows is not said to be computed",
        "shared/designs/metering.py",
        'self._cost.is_wide |= any(not column.partition(b":")[2] for column in scan.columns or ())',
        "self._cost.is_wide = False",
        TSDB_READING,
    ),
    Mutant(
        "an answer does not say which names have no number",
        "domains/command_line/asking.py",
        "unknown = () if design.unknown_names is None else design.unknown_names(repository, call_arguments)",
        "unknown = ()",
        ("tests/domains/test_cli_ask.py",),
    ),
    Mutant(
        "a length of time is shown as a point in time",
        "shared/designs/ruler.py",
        "if name == LENGTH and type(value) is int:",
        "if False:",
        ("tests/shared/designs/test_ruler.py",),
    ),
    Mutant(
        "a verdict hides how many ranges are filtered",
        "shared/designs/cost_tables.py",
        "names_ranges = ranges > 1 and",
        "names_ranges = False and",
        ("tests/shared/designs/test_cost_tables.py",),
    ),
    Mutant(
        "what was read before a refusal is not counted",
        "shared/designs/metering.py",
        "return Measurement(pattern, None, cost, refused=str(error))",
        "return Measurement(pattern, None, Cost(), refused=str(error))",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "a sample is measured with the limit of every page",
        "shared/designs/metering.py",
        "pattern.sample, pattern.limit)",
        "pattern.sample, 100)",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "a range of one table is taken for that of another",
        "shared/designs/metering.py",
        "bound.get((read.table, *_ends(read.rows)), read.rows)",
        "bound.get((next(iter(bound), (b'',))[0], *_ends(read.rows)), read.rows)",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "the first bucket of a reverse scan is not known",
        "shared/designs/metering.py",
        'return b"" if rows.start == b"\\0" else rows.start, rows.stop',
        "return rows.start, rows.stop",
        ("tests/shared/designs/test_patterns.py",),
    ),
    Mutant(
        "a bucket is shown as a letter",
        "shared/designs/range_words.py",
        'is_text = hash_is_text and name == "HashPrefix"',
        "is_text = condition.isalnum()",
        ("tests/shared/designs/test_range_words.py",),
    ),
    Mutant(
        "a range shows a value of any length",
        "shared/designs/range_words.py",
        "if len(text) <= VALUE_CHARACTERS else",
        "if True else",
        ("tests/shared/designs/test_range_words.py",),
    ),
    Mutant(
        "the latest events of a key that starts with the time are refused",
        "domains/logs/repository.py",
        "self._table.narrow(host=host, event=event, time_ms=between())",
        "self._table.narrow(host=host, event=event)",
        ("tests/domains/logs/test_adapt.py",),
    ),
    Mutant(
        "a refusal recommends a variant that loses points",
        "domains/command_line/asking.py",
        "if variant.is_to_copy or variant is refusing:",
        "if True:",
        ("tests/domains/test_cli_marks.py",),
    ),
    Mutant(
        "a refusal to sort recommends variants that sort, too",
        "domains/command_line/asking.py",
        ' if "order" not in measurement.client_work]',
        "]",
        ("tests/domains/test_cli_ask.py",),
    ),
    Mutant(
        "a wrong answer is shown with what it costs",
        "shared/designs/comparison.py",
        "is_wrong=_is_wrong(variant, measurement)",
        "is_wrong=False",
        ("tests/domains/test_cli_marks.py",),
    ),
    Mutant(
        "a reverse scan is said to keep the order of ties",
        "domains/orders/design.py",
        "(LATEST, WEEK, OF_BUYER)",
        "(LATEST, WEEK)",
        contract("all_variants_that_answer_give_one_order_unless_exempt"),
    ),
    Mutant(
        "a shorter interval is advised where the ranges do not follow it",
        "shared/queries/sorted_pages.py",
        "if plan.qualifiers is not None or _can_be_shorter(layout, plan):",
        "if True:",
        SORTED_PAGES,
    ),
    Mutant(
        "a question that is explained is asked of the store",
        "domains/command_line/asking.py",
        "with open_store(MEMORY) if explains else store_to_ask(store, design, variant) as connection:",
        "with store_to_ask(store, design, variant) as connection:",
        ("tests/domains/test_cli_ask.py",),
    ),
    Mutant(
        "a key of slices is explained with the whole value",
        "domains/command_line/key_words.py",
        "{part.name: layout.share(part, values[part.name]) for part in layout.parts}",
        "{part.name: values[part.name] for part in layout.parts}",
        ("tests/domains/test_cli.py",),
    ),
    Mutant(
        "a row key in a shell statement has its quotes",
        "shared/designs/shell.py",
        "byte not in b'\"#\\\\'",
        "True",
        ("tests/shared/designs/test_shell.py",),
    ),
    Mutant(
        "equal events of one file are one row",
        "domains/logs/records.py",
        "if ordinal else event",
        "if False else event",
        ("tests/domains/logs/test_records.py",),
    ),
    # ---- cells, clock, tables
    Mutant(
        "a bool is an int to the cells",
        "shared/tables/declared_types.py",
        "type(value) is (origin or declared or type(None))",
        "isinstance(value, origin or declared or type(None))",
        CELLS,
    ),
    Mutant(
        "a literal takes what is equal to one of its values",
        "shared/tables/declared_types.py",
        "(type(value), value) in literals",
        "value in [literal for _, literal in literals]",
        CELLS,
    ),
    Mutant(
        "a row without any cell of a record is one of defaults",
        "shared/tables/record_cells.py",
        "        if not any(column in cells for column in self.columns):\n",
        "        if False:\n",
        RELEASES,
    ),
    Mutant(
        "a row without any cell of a record is one of defaults to the generated function",
        "shared/keys/compiled.py",
        "if len(optional) == len(from_cells):",
        "if False:",
        RELEASES,
    ),
    Mutant(
        "a change of status that lost is answered",
        "domains/orders/variants/without_intents.py",
        "if stored is None or stored[0].status != status:",
        "if stored is None:",
        ("tests/domains/orders/test_without_intents.py",),
    ),
    Mutant(
        "a record that is stored already is decided again",
        "shared/writes/intents.py",
        "            if record == source.record:\n",
        "            if False:\n",
        contract("loading_the_same_records_twice_changes_nothing_unless_exempt"),
    ),
    Mutant(
        "a line of the future is deleted by a tombstone of now",
        "shared/writes/intents.py",
        "newest_ms + 1)",
        "0)",
        VERIFYING,
    ),
    Mutant(
        "an inbox shows what its owner deleted",
        "domains/messages/repository.py",
        'where = {"in_inbox": True}',
        "where: dict[str, Any] = {}",
        MESSAGES,
    ),
    Mutant(
        "a copy is shown without the body of its group message",
        "domains/messages/repository.py",
        'originals.get(row_of.get(message, b""))',
        "None",
        MESSAGES,
    ),
    Mutant(
        "a conversation shows what its owner deleted",
        "domains/messages/repository.py",
        "message.with_body(message.body) if has_it and is_of_pair else None",
        "message.with_body(message.body) if is_of_pair else None",
        MESSAGES,
    ),
    Mutant(
        "the sender of a group message gets a copy",
        "domains/messages/records.py",
        "if member != message.sender:",
        "if True:",
        MESSAGES,
    ),
    Mutant(
        "a message that both sides deleted keeps its body",
        "domains/messages/repository.py",
        "return bool(message.in_inbox or message.in_outbox or message.members)",
        "return True",
        MESSAGES,
    ),
    Mutant(
        "another body replaces one that both sides deleted",
        "domains/messages/repository.py",
        "if stored.removed_body not in (None, digest_of(message.body)):",
        "if False:",
        MESSAGES,
    ),
    Mutant(
        "the lines of copies that are about to be created are findings",
        "domains/messages/verifying.py",
        "Verifier(writer, self._about_to_be_claimed)",
        "Verifier(writer)",
        MESSAGE_UPKEEP,
    ),
    Mutant(
        "a lost copy stays lost",
        "domains/messages/verifying.py",
        "            self._writer.claim(copies)\n",
        "",
        MESSAGE_UPKEEP,
    ),
    Mutant(
        "a copy counts as created without a look",
        "domains/messages/verifying.py",
        "not _was_never_written(stored[finding.row])",
        "True",
        MESSAGE_UPKEEP,
    ),
    Mutant(
        "a fan-out ends after its first step",
        "domains/feeds/repository.py",
        "if count < self._step_rows:",
        "if True:",
        FEEDS,
    ),
    Mutant(
        "a step moves the position of another fan-out",
        "domains/feeds/repository.py",
        "return moved if stored == read else stored",
        "return moved",
        FEEDS,
    ),
    Mutant(
        "a timeline shows authors whom its reader does not follow",
        "domains/feeds/repository.py",
        "self._posts.row(line) if line.author in authors else None for",
        "self._posts.row(line) for",
        FEEDS,
    ),
    Mutant(
        "a post that was pulled is shown in a timeline too",
        "domains/feeds/lines.py",
        'return stored.post if is_of_stream == (stored.way == "pulled") else None',
        "return stored.post",
        FEED_UPKEEP,
    ),
    Mutant(
        "an erasure keeps the lines of the author in other timelines",
        "domains/feeds/erasing.py",
        "kept = self._lines.delete(gone)\n",
        "kept: list[InvalidRow] = []\n",
        FEED_ERASING,
    ),
    Mutant(
        "an erasure is forgotten before its sources are old enough",
        "domains/feeds/erasing.py",
        "if remaining == 0:",
        "if True:",
        FEED_ERASING,
    ),
    Mutant(
        "an erasure is over while rows stay that must go",
        "domains/feeds/erasing.py",
        "        if not kept:\n",
        "        if True:\n",
        FEED_ERASING,
    ),
    Mutant(
        "a tombstone of the future hides lines of timelines",
        "domains/feeds/lines.py",
        "if time_ms > last_ms]",
        "if False]",
        FEED_ERASING,
    ),
    Mutant(
        "an erasure is hidden below one of a host whose clock is ahead",
        "shared/writes/erasing.py",
        "max(now_ms, newest_ms + 1)",
        "now_ms",
        FEED_ERASING,
    ),
    Mutant(
        "an erasure takes the mark of a stream from a user who came back",
        "domains/feeds/erasing.py",
        "if cells and pulled.",
        "if not cells and pulled.",
        FEED_ERASING,
    ),
    Mutant(
        "an erasure deletes lines of records that came back",
        "shared/writes/erasing.py",
        "line.time_ms <= old_ms and _is_missing(source)",
        "line.time_ms <= old_ms",
        ERASING,
    ),
    Mutant(
        "an erasure deletes lines that a write under way has put",
        "shared/writes/erasing.py",
        "line.time_ms <= old_ms and _is_missing(source)",
        "_is_missing(source)",
        ERASING,
    ),
    Mutant(
        "an erasure that is over takes a later one of the same name with it",
        "shared/writes/erasing.py",
        "self._rows.delete(self.table.row(erasure), timestamp=erasure.at_ms)",
        "self._rows.delete(self.table.row(erasure))",
        ERASING,
    ),
    Mutant(
        "a line whose post is lost is deleted",
        "domains/feeds/lines.py",
        'return "orphaned"',
        'return "left-over"',
        FEED_UPKEEP,
    ),
    Mutant(
        "a fan-out that nobody ends is not found",
        "domains/feeds/verifying.py",
        "if reason or now_ms - source.time_ms >= WINDOW_MS:",
        "if reason:",
        FEED_UPKEEP,
    ),
    Mutant(
        "a delivery under way is a finding",
        "domains/messages/verifying.py",
        "if reason or now_ms - source.time_ms >= WINDOW_MS:",
        "if True:",
        MESSAGE_UPKEEP,
    ),
    Mutant(
        "an erasure that nobody ends is not found",
        "shared/writes/erasing.py",
        "return not -FUTURE_MS <= age_ms < WINDOW_MS",
        "return not age_ms < 1000 * WINDOW_MS",
        FEED_ERASING,
    ),
    Mutant(
        "the lines of a follow that has lost a revision are deleted",
        "domains/feeds/verifying.py",
        "            self._lost_follows.add(finding.source_row)\n",
        "            pass\n",
        FEED_UPKEEP,
    ),
    Mutant(
        "the line of a follow that is being stored is a finding",
        "domains/feeds/verifying.py",
        " if self._lines.follow_row(keys[row]) not in undecided",
        "",
        FEED_UPKEEP,
    ),
    Mutant(
        "a stream counts as mended without a look",
        "domains/feeds/verifying.py",
        "(finding, finding not in lacking)",
        "(finding, True)",
        FEED_UPKEEP,
    ),
    Mutant(
        "a mark of a stream is not missed",
        "domains/feeds/verifying.py",
        "if not (table is self._lines.table and self._lines_expire):",
        "if table is self._lines.table and not self._lines_expire:",
        FEED_UPKEEP,
    ),
    Mutant(
        "a source drops the cells that its release does not know",
        "shared/writes/sources.py",
        "cells = {**unknown, **{",
        "cells = {**{",
        TWO_RELEASES,
    ),
    Mutant(
        "an intent of a later release is settled",
        "shared/writes/intents.py",
        "if unknown := slot.intent.touched.keys() - {table.name for table in self.lists}:",
        "if unknown := []:",
        TWO_RELEASES,
    ),
    Mutant(
        "a clock that is set back gives a writer more time",
        "shared/writes/clock.py",
        "return max(self._elapsed_ms(since))",
        "return self._elapsed_ms(since)[0]",
        CLOCKS,
    ),
    Mutant(
        "a clock that was set is not compared again",
        "shared/writes/server_clock.py",
        " and now.drift_ms(last) <= MAX_DRIFT_MS",
        "",
        CLOCKS,
    ),
    Mutant(
        "a writer that was stopped before its decision does not put its moving lines again",
        "shared/writes/intents.py",
        "began, puts_moving = self.check_clock(), True",
        "began = self.check_clock()",
        CLOCKS,
    ),
    Mutant(
        "a recoverer does not put moving lines",
        "shared/writes/intents.py",
        "began, puts_moving=True)",
        "began)",
        CLOCKS,
    ),
    Mutant(
        "a claimer that was stopped before its decision does not put its lines again",
        "shared/writes/intents.py",
        "                        self.repair(row, ())",
        "                        pass",
        CLOCKS,
    ),
    Mutant(
        "a line of a list that is not moving may move",
        "shared/writes/intents.py",
        "        self._check_that_no_line_moves(old, new)\n",
        "",
        CLOCKS,
    ),
    Mutant(
        "a write of a lost revision is completed",
        "shared/writes/intents.py",
        "        self._check_no_revision_is_lost(slot, began)\n",
        "",
        LOST_REVISIONS,
    ),
    Mutant(
        "a young intent explains the lines of a lost revision",
        "shared/writes/comparing.py",
        " or self._proves_a_loss(suspect)",
        "",
        LOST_REVISIONS,
    ),
    Mutant(
        "a damaged row that is dated in the future is discarded",
        "shared/writes/verifying.py",
        "            if reason := self._compared.dated_in_the_future(",
        "            if reason := False and self._compared.dated_in_the_future(",
        LOST_REVISIONS,
    ),
    Mutant(
        "a write that changes nothing puts back lines however late",
        "shared/writes/intents.py",
        "                    self.repair(row, self.derived(source.record))",
        "                    pass",
        CLOCKS,
    ),
    Mutant(
        "a deleted record is claimed again",
        "shared/writes/sources.py",
        "return self.record is None and not self.writes",
        "return self.record is None",
        CLAIMS,
    ),
    Mutant(
        "a source that a recoverer raised is not claimed",
        "shared/writes/sources.py",
        "return self.record is None and not self.writes",
        "return self.cell is None",
        CLAIMS,
    ),
    Mutant(
        "the first lines of a source are dated 1970",
        "shared/writes/intents.py",
        "else began.wall_ms - KEEP_TOMBSTONES_MS",
        "else 1",
        CLAIMS,
    ),
    Mutant(
        "a decision is sent however late",
        "shared/writes/intents.py",
        "                if self._clock.elapsed_ms(began) <= self._window_ms:",
        "                if True:",
        CLAIMS,
    ),
    Mutant(
        "a deleted record is forgotten at once",
        "shared/writes/intents.py",
        "                if max(stored_ms, source.time_ms) <= old_ms:",
        "                if True:",
        CLAIMS,
    ),
    Mutant(
        "what is forgotten hides what is stored meanwhile",
        "shared/writes/intents.py",
        "self._rows.delete(row, [column], timestamp=stored_ms)",
        "self._rows.delete(row, [column])",
        CLAIMS,
    ),
    Mutant(
        "an id that has a name gets another one",
        "shared/writes/dictionaries.py",
        "if not self._put_if_absent(id, self._name_column, row):",
        "if self._rows.put(id, {self._name_column: row}):",
        DICTIONARIES,
    ),
    Mutant(
        "the loser of a name keeps its own id",
        "shared/writes/dictionaries.py",
        "            elif self._put_if_absent(row, self._id_column, id):",
        "            elif self._put_if_absent(row, self._id_column, id) or True:",
        DICTIONARIES,
    ),
    Mutant(
        "ids wrap when they are used up",
        "shared/writes/dictionaries.py",
        "if not 1 <= number <= self.last_id:",
        "if (number := number % (self.last_id + 1)) < 0:",
        DICTIONARIES,
    ),
    Mutant(
        "a rename deletes the forward mapping that a later writer made",
        "shared/writes/dictionaries.py",
        "self._rows.delete(old_row, [self._id_column], timestamp=stored_ms)",
        "self._rows.delete(old_row, [self._id_column])",
        DICTIONARIES,
    ),
    Mutant(
        "a compaction deletes the points that are written meanwhile",
        "domains/tsdb/compaction.py",
        "        with rows.batch(timestamp=written_ms) as batch:\n            for row in rows_of_time:",
        "        with rows.batch() as batch:\n            for row in rows_of_time:",
        TSDB_COMPACTION,
    ),
    Mutant(
        "a compacted cell is newer than what is written meanwhile",
        "domains/tsdb/compaction.py",
        "    written_ms = max(written_ms for _, written_ms in of_points.values())",
        "    written_ms = max(written_ms for _, written_ms in of_points.values()) + 10**6",
        TSDB_COMPACTION,
    ),
    Mutant(
        "a compaction does not look whether its cell is there",
        "domains/tsdb/compaction.py",
        "    seen = rows_that_show(rows, {row: (result.qualifier, result.value) for row, result in replaced.items()})",
        "    seen = list(replaced)",
        TSDB_COMPACTION,
    ),
    Mutant(
        "rows with appended points are compacted",
        "domains/tsdb/compaction.py",
        "if APPENDED in cells or not of_points:",
        "if not of_points:",
        TSDB_COMPACTION,
    ),
    Mutant(
        "an equal cell that is older is not put again",
        "domains/tsdb/compaction.py",
        "is_stored = of_points.get(qualifier) == (value, written_ms)",
        "is_stored = of_points.get(qualifier, (None, 0))[0] == value",
        TSDB_DELETING,
    ),
    Mutant(
        "a deletion deletes the points that are overwritten meanwhile",
        "domains/tsdb/deleting.py",
        "up_to_ms = plan.before_ms - 1 if are_old[qualifier] else written_ms",
        "up_to_ms = plan.before_ms + QUIET_MS + 1000",
        TSDB_DELETING,
    ),
    Mutant(
        "a cell that replaces a compacted one is newer than what is written meanwhile",
        "domains/tsdb/deleting.py",
        "            with self.deleter.rows.batch(timestamp=written_ms) as batch:",
        "            with self.deleter.rows.batch(timestamp=written_ms + QUIET_MS + 1000) as batch:",
        TSDB_DELETING,
    ),
    Mutant(
        "a deletion does not look whether its cell is there",
        "domains/tsdb/deleting.py",
        "                ready += rows_that_show(it.rows, cells)",
        "                ready += cells",
        TSDB_DELETING,
    ),
    Mutant(
        "a young compacted cell is rewritten",
        "domains/tsdb/deleting.py",
        " and not plan.is_postponed",
        "",
        TSDB_DELETING,
    ),
    Mutant(
        "a deletion does not look whether another one was registered after it has put",
        "domains/tsdb/deleting.py",
        "if self.planned(batch, now_registered, before_ms, []) != planned:",
        "if False:",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a compaction does not look whether a deletion was registered after it has put",
        "domains/tsdb/compaction.py",
        "if deleter.covered(read, now_registered, now_ms - QUIET_MS) != covered:",
        "if False:",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a deletion is registered after it has read",
        "domains/tsdb/deleting.py",
        "            if self.own is not None and not self.settles:\n                it.registry.register(self.own)\n",
        "",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a registered deletion covers points that are stored again after it",
        "domains/tsdb/registry.py",
        "before_ms = deletion.started_ms - SPARED_MS",
        "before_ms = deletion.started_ms + 10**9",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a deletion trusts a clock that was set during the call",
        "domains/tsdb/deleting.py",
        "began = it.registry.check_clock()",
        "began = it.clock.moment()",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a compaction trusts a clock that was set during the call",
        "domains/tsdb/compaction.py",
        "began = deleter.registry.check_clock()",
        "began = deleter.clock.moment()",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "a compaction deletes points that were restored long after their deletion",
        "domains/tsdb/registry.py",
        "return now_ms - deletion.started_ms >= KEEP_MS",
        "return now_ms - deletion.started_ms >= 10**9",
        TSDB_RESTORING,
    ),
    Mutant(
        "a deletion replaces a cell with points that are left to recover",
        "domains/tsdb/deleting.py",
        "is_postponed=plan.is_postponed or with_left != plan",
        "is_postponed=plan.is_postponed",
        TSDB_RESTORING,
    ),
    Mutant(
        "a compaction puts points that are left to recover into its cell",
        "domains/tsdb/deleting.py",
        "_Step(self, [*batch], settles=True).planned(",
        "_Step(self, [*batch]).planned(",
        TSDB_RESTORING,
    ),
    Mutant(
        "a deletion puts its cell however long it was stopped",
        "domains/tsdb/deleting.py",
        "            if self.deleter.clock.elapsed_ms(began) > BATCH_MS:\n",
        "            if False:\n",
        TSDB_AT_ONCE,
    ),
    Mutant(
        "the server leaves out rows with UIDs of bytes from 80 on",
        "domains/tsdb/reading.py",
        "if run[0] > 0x7F else",
        "if run[0] > 0xFF else",
        TSDB_READING,
    ),
    Mutant(
        "an annotation is stored in place of one that its editor has not seen",
        "domains/tsdb/annotating.py",
        "self.rows.name, row, column, stored, mutation, {}",
        "self.rows.name, row, column, self.rows.row(row, columns=[column]).get(column), mutation, {}",
        TSDB_ANNOTATING,
    ),
    Mutant(
        "a compacted value that is too short loses its last points",
        "domains/tsdb/qualifiers.py",
        "    if len(short := np.flatnonzero(needed > lengths)):",
        "    if len(short := lengths[:0]):",
        TSDB_CELLS,
    ),
    Mutant(
        "of cells with one time the oldest counts",
        "domains/tsdb/qualifiers.py",
        "np.lexsort((-self.written_ms, places))",
        "np.lexsort((self.written_ms, places))",
        TSDB_CELLS,
    ),
    Mutant(
        "an average of ints is cut towards the smaller int",
        "domains/tsdb/aggregation.py",
        "quotient + ((number < 0) & (quotient * by != number))",
        "quotient",
        TSDB_NUMBERS,
    ),
    Mutant(
        "settings are kept although the rows refute them",
        "domains/tsdb/settings.py",
        "    if first_reason and not is_proven:",
        "    if False:",
        TSDB_SETTINGS,
    ),
    Mutant(
        "rows in wrong buckets are passed over",
        "domains/tsdb/settings.py",
        "                if (wanted := data.row(key)) != row:",
        "                if (wanted := data.row(key)) != row and False:",
        TSDB_SETTINGS,
    ),
    Mutant(
        "rows after the last bucket are not looked at",
        "domains/tsdb/settings.py",
        "    if (after := successor(buckets[-1])) is not None:",
        "    if (after := successor(buckets[-1])) is not None and False:",
        TSDB_SETTINGS,
    ),
    Mutant(
        "the loser of two first repositories goes on",
        "domains/tsdb/settings.py",
        "            _check_equal(kept, settings)",
        "            pass",
        TSDB_SETTINGS,
    ),
    Mutant(
        "settings of the points are kept before those of the names",
        "domains/tsdb/settings.py",
        "    for settings in given:  # the names first",
        "    for settings in reversed(given):  # the names first",
        TSDB_SETTINGS,
    ),
    Mutant(
        "only the rows of the first metric are looked at",
        "domains/tsdb/settings.py",
        "    for _ in range(METRICS_TRIED):",
        "    for _ in range(1):",
        TSDB_SETTINGS,
    ),
    Mutant(
        "what disagrees is not read again",
        "domains/tsdb/verifying.py",
        "        for _ in range(TIMES_READ_AGAIN):",
        "        for _ in range(0):",
        TSDB_VERIFYING,
    ),
    Mutant(
        "rows with a leaked UID are taken for right",
        "domains/tsdb/verifying.py",
        "    leak = _leak(kind, name, uid, uids)",
        "    leak = None",
        TSDB_VERIFYING,
    ),
    Mutant(
        "UIDs above their counter are passed over",
        "domains/tsdb/verifying.py",
        "            elif number < last:",
        "            elif False:",
        TSDB_VERIFYING,
    ),
    Mutant(
        "of two values of a time in one batch the first counts",
        "domains/tsdb/repository.py",
        "            values[point.time_ms] = point.value",
        "            values.setdefault(point.time_ms, point.value)",
        TSDB,
    ),
    Mutant(
        "two names of nginx become one series",
        "domains/tsdb/formats.py",
        "if other != name:",
        "if False:",
        TSDB_FORMATS,
    ),
    Mutant(
        "a label without a value is a tag",
        "domains/tsdb/formats.py",
        "for label, text in labels.items() if text]",
        "for label, text in labels.items()]",
        TSDB_FORMATS,
    ),
    Mutant(
        "seconds in Prometheus text are taken for milliseconds",
        "domains/tsdb/formats.py",
        "if likely := likely_unit(time_ms):",
        "if likely := None:",
        TSDB_FORMATS,
    ),
    Mutant(
        "a time that is given replaces that of the line",
        "shared/loading/reading.py",
        "[field for field in times if field.column not in values]",
        "times",
        ("tests/shared/loading/test_times_given.py",),
    ),
    Mutant(
        "of many records none is stored after a bad one",
        "domains/command_line/loading.py",
        "with suppress(NotAllStored):",
        "with suppress(KeyError):",
        ("tests/domains/test_cli_load_batches.py",),
    ),
    Mutant(
        "a UID that the store has lost is explained without a name",
        "domains/tsdb/explaining.py",
        "if metric is None:",
        "if False:",
        ("tests/domains/tsdb/test_explaining.py",),
    ),
    Mutant(
        "a cell of another layout is explained as a record",
        "shared/designs/cell_contents.py",
        "and qualifier.startswith(label)",
        "and True",
        ("tests/shared/designs/test_cell_contents.py",),
    ),
    Mutant(
        "the times of two revisions meet",
        "shared/writes/sources.py",
        "REVISION_STEP_MS = 3",
        "REVISION_STEP_MS = 1",
        STOPPED_WRITES,
    ),
    Mutant(
        "a source remembers every write",
        "shared/writes/sources.py",
        "writes[-WRITES_KEPT:]",
        "writes",
        SOURCES,
    ),
    Mutant(
        "a write is called lost although its id may be forgotten",
        "shared/writes/sources.py",
        "self.revision - revision > WRITES_KEPT",
        "self.revision - revision > WRITES_KEPT + 1",
        SOURCES,
    ),
    Mutant(
        "a forked process writes into the slots of its parent",
        "shared/writes/slots.py",
        "if self._pid != os.getpid():",
        "if not self._pid:",
        SLOTS,
    ),
    Mutant(
        "a clock that is behind is right",
        "shared/writes/server_clock.py",
        "if least_ms > MAX_SKEW_MS or most_ms < -MAX_SKEW_MS:",
        "if least_ms > MAX_SKEW_MS:",
        SERVER_CLOCK,
    ),
    Mutant(
        "the rows of a pending write are findings",
        "shared/writes/comparing.py",
        "suspect.source_row not in under_way or self._proves_a_loss(suspect)",
        "True",
        VERIFYING,
    ),
    Mutant(
        "a source that cannot be read hides the lines of others",
        "shared/writes/comparing.py",
        "        sources = self._writer.read_each(rows)\n",
        "        sources = self._writer.read_all(rows)\n",
        VERIFYING,
    ),
    Mutant(
        "a line that stays missing is said to be mended",
        "shared/writes/verifying.py",
        "return finding, self._compared.agrees(finding, finding.source_row)",
        "return finding, True",
        VERIFYING,
    ),
    Mutant(
        "a line that differs is found twice",
        "shared/writes/comparing.py",
        'suspect is not None and suspect.kind in ("dangling", "orphaned")',
        "suspect is not None",
        VERIFYING,
    ),
    Mutant(
        "a line that is newer than its source is of an earlier revision",
        "shared/writes/comparing.py",
        "(wanted.last_ms is None or line.newest_ms > wanted.last_ms)",
        "wanted.last_ms is None",
        LOST_REVISIONS,
    ),
    Mutant(
        "repair changes a source that has lost a revision",
        "shared/writes/verifying.py",
        "            if len(settled) < len(lines):\n",
        "            if False:\n",
        LOST_REVISIONS,
    ),
    Mutant(
        "a restored record is made of its oldest lines",
        "shared/writes/restoring.py",
        "lines = sorted(lines, key=lambda line: line.newest_ms)",
        "lines = sorted(lines, key=lambda line: -line.newest_ms)",
        LOST_REVISIONS,
    ),
    Mutant(
        "a line without a source creates one",
        "shared/writes/intents.py",
        "while (source := self.read(row)).cell is not None:",
        "while source := self.read(row):",
        LOST_REVISIONS,
    ),
    Mutant(
        "young lines without a source are discarded",
        "shared/writes/intents.py",
        "self.delete(touched, self.check_clock().wall_ms - FORGET_MS)",
        "self.delete(touched, self.check_clock().wall_ms)",
        LOST_REVISIONS,
    ),
    Mutant(
        "an old write under way hides damage",
        "shared/writes/intents.py",
        "return -CLOCKS_APART_MS <= now_ms - slot.started_ms < age_ms",
        "return -CLOCKS_APART_MS <= now_ms - slot.started_ms",
        VERIFYING,
    ),
    Mutant(
        "an erased buyer is named by a write of a dead writer",
        "domains/orders/repository.py",
        "        self.writer.recover(older_than_ms=0)\n        erased = 0\n",
        "        erased = 0\n",
        ("tests/domains/orders/test_erase_buyer.py",),
    ),
    Mutant(
        "all pending writes are young",
        "domains/command_line/store_commands.py",
        "None if older_than is None else 1000 * number(",
        "None if older_than is None else 1000 + number(",
        ("tests/domains/test_cli_upkeep.py",),
    ),
    Mutant(
        "a write that may still arrive is called lost",
        "shared/writes/intents.py",
        "            if not raises_always and not source.leaves_open(intent.revision, intent.write_id):\n",
        "            if not raises_always:\n",
        STOPPED_WRITES,
    ),
    Mutant(
        "a recoverer dates its deletes by an old revision",
        "shared/writes/intents.py",
        "            if not raises_always and not source.leaves_open",
        "            if not source.leaves_open",
        STOPPED_WRITES,
    ),
    Mutant(
        "a line of a moving list is put below a tombstone",
        "shared/writes/intents.py",
        "return source.time_ms + 1 if",
        "return source.time_ms - 5 if",
        STOPPED_WRITES,
    ),
    Mutant(
        "a delete hides what was decided with it",
        "shared/writes/intents.py",
        "self.delete(touched - derived.keys(), source.time_ms - 1)",
        "self.delete(touched - derived.keys(), source.time_ms + 5)",
        STOPPED_WRITES,
    ),
    Mutant(
        "every write is accepted",
        "shared/writes/intents.py",
        "        if is_accepted or write_id in current.writes:\n",
        "        if True:\n",
        STOPPED_WRITES,
    ),
    Mutant(
        "an intent ends while its slot has another",
        "shared/writes/intents.py",
        "            self._put_idle(intent, started_ms + 1)\n",
        "            self._put_idle(intent, started_ms + 1000)\n",
        STOPPED_WRITES,
    ),
    Mutant(
        "recovery leaves writes of a clock that is ahead",
        "shared/writes/intents.py",
        "            elif age_ms > 0 and _is_young(",
        "            elif _is_young(",
        STOPPED_WRITES,
    ),
    Mutant(
        "a page shows lines that their records contradict",
        "shared/writes/intents.py",
        " if source.record is not None and self._has_line(source.record, table, line) else None",
        "",
        STOPPED_WRITES,
    ),
    Mutant(
        "a login is answered although its day was closed",
        "domains/counters/repository.py",
        'self._check_open(days, "was closed',
        'self._check_open(set(), "was closed',
        FOLDING,
    ),
    Mutant(
        "a login of a closed day is put",
        "domains/counters/repository.py",
        "if self._is_closed.get(day, True)",
        "if self._is_closed.get(day, False)",
        STOPPED_FOLDS,
    ),
    Mutant(
        "a folder takes its own count for the sum",
        "domains/counters/folding.py",
        "        return sums.record(",
        "        return count or sums.record(",
        FOLDING,
    ),
    Mutant(
        "a login that only its user has is not folded",
        "domains/counters/folding.py",
        "heapq.merge(of_day, of_user,",
        "heapq.merge(of_day,",
        FOLDING,
    ),
    Mutant(
        "a fold deletes first what lists the user",
        "domains/counters/folding.py",
        "        self.settle(DayCount(user, day_ms, count))",
        "        self._delete(self.by_day, of_day, day_ms)\n        self.settle(DayCount(user, day_ms, count))",
        STOPPED_FOLDS,
    ),
    Mutant(
        "a buyer's line without an order is kept",
        "domains/orders/repository.py",
        "(order is None or order.buyer_id != line.buyer_id)",
        "order is not None",
        ("tests/domains/orders/test_erase_buyer.py",),
    ),
    Mutant(
        "a stray line of the future hides a buyer's later orders",
        "domains/orders/repository.py",
        "if newest_ms > self.writer.check_clock().wall_ms + FUTURE_MS:",
        "if False:",
        ("tests/domains/orders/test_erase_buyer.py",),
    ),
    Mutant(
        "a repair puts a login into a folded day",
        "domains/counters/verifying.py",
        "if self._is_open(day_ms):\n            put_all(",
        "if day_ms:\n            put_all(",
        LOGINS_VERIFIED,
    ),
    Mutant(
        "a day that is not over is folded",
        "domains/counters/folding.py",
        "if stored is None and (now_ms",
        "if stored is not None and (now_ms",
        LOGINS_VERIFIED,
    ),
    Mutant(
        "a login that only the day's list lacks is not found",
        "domains/counters/verifying.py",
        "((by_day, by_user), (by_user, by_day))",
        "((by_day, by_user),)",
        LOGINS_VERIFIED,
    ),
    Mutant(
        "a login beside a sum is taken for damage",
        "domains/counters/verifying.py",
        "isdisjoint({*table.logins.cells.pack(login), *columns})",
        "isdisjoint(table.logins.cells.pack(login))",
        LOGINS_VERIFIED,
    ),
    Mutant(
        "a repaired sum is dated below the wrong one",
        "domains/counters/folding.py",
        " if replaces else",
        " if not replaces else",
        LOGINS_VERIFIED,
    ),
    Mutant(
        "the clock stands still within a millisecond",
        "shared/writes/clock.py",
        "self._last_ms + 1)",
        "self._last_ms)",
        CLOCK,
    ),
    Mutant(
        "another key layout under the same name is taken",
        "shared/tables/key_formats.py",
        "if self.text != other.text:",
        "if False:",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "a code that another name had is taken",
        "shared/tables/key_formats.py",
        "is_unambiguous = all(",
        "is_unambiguous = True or all(",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "a layout is recorded in place of one that another process has just created",
        "shared/tables/recorded_layouts.py",
        "        if replace_cell(connection, table.name, cell, json_of(declared, is_created=False)):",
        "        cell = read_cell(connection, table.name)\n"
        "        if replace_cell(connection, table.name, cell, json_of(declared, is_created=False)):",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "a program that only uses tables does not confirm their record",
        "shared/tables/recorded_layouts.py",
        'is_created = json.loads(cell).get("is_created")',
        "is_created = True",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "a table is adopted none of whose rows was compared",
        "shared/tables/adopting.py",
        "if samples and not rows and not _is_empty(connection, table):",
        "if False:",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "the record of a dropped table stays",
        "shared/tables/creation.py",
        "if at_ms is not None:",
        "if False:",
        RECORDED_LAYOUTS,
    ),
    Mutant(
        "a table with other families is taken",
        "shared/tables/creation.py",
        "if names != set(table.families):",
        "if not names:",
        TABLES,
    ),
    Mutant(
        "a table is created without its split points",
        "shared/tables/creation.py",
        "beyond.create_split_table(table.name, families, table.splits.points)",
        "beyond.create_split_table(table.name, families)",
        TABLES,
    ),
    Mutant(
        "split points that Thrift1 cannot set are forgotten",
        "shared/tables/creation.py",
        "if table.splits.points and not exists:",
        "if False:",
        TABLES,
    ),
    Mutant(
        "a table with another block size is taken",
        "shared/tables/creation.py",
        "block_sizes = beyond.block_sizes(table.name) if beyond else {}",
        "block_sizes = {}",
        TABLES,
    ),
    Mutant(
        "for ever is one number of seconds among others",
        "shared/tables/creation.py",
        "or ttl_seconds < 1 or ttl_seconds == FOREVER_S else",
        "else",
        TABLES,
    ),
    Mutant(
        "a block size is not sent to the gateway",
        "shared/stores/hbase/thrift2.py",
        'blockSize=beyond[name].get("block_size"),',
        "",
        TABLES,
    ),
    Mutant(
        "a block size is not stored",
        "shared/stores/embedded/engine.py",
        "if family.block_bytes != BLOCK_BYTES]",
        "if False]",
        TABLES,
    ),
    Mutant(
        "a table that keeps tombstones for another time is taken",
        "shared/tables/creation.py",
        "keep_ms = beyond.keep_tombstones_ms(table.name) if beyond else {}",
        "keep_ms = {}",
        TABLES,
    ),
    Mutant(
        "how long tombstones are kept is not sent to the gateway",
        "shared/stores/hbase/thrift2.py",
        'configuration={PURGE_DELETES.encode(): b"%d" % keep_ms} if keep_ms else None,',
        "",
        TABLES,
    ),
    Mutant(
        "how long tombstones are kept is not stored",
        "shared/stores/embedded/engine.py",
        "for family in families if family.keep_tombstones_ms]",
        "for family in families if False]",
        TABLES,
    ),
    # ---- the embedded store
    Mutant(
        "a tombstone masks nothing that comes later",
        "shared/stores/embedded/engine.py",
        "if latest is None or all(timestamp > latest for _, _, timestamp, _ in puts):",
        "if True:",
        CONFORMANCE,
    ),
    Mutant(
        "a tombstone masks what is earlier, but not what is of its own time",
        "shared/stores/embedded/statements.py",
        "column in (?3, ?6) and ts >= ?4)",
        "column in (?3, ?6) and ts > ?4)",
        CONFORMANCE,
    ),
    Mutant(
        "the tombstone of a family masks no column of it",
        "shared/stores/embedded/statements.py",
        "column in (?3, ?6) and ts >= ?4)",
        "column = ?3 and ts >= ?4 and ?6 = ?6)",
        CONFORMANCE,
    ),
    Mutant(
        "an earlier delete takes back what a later one masks",
        "shared/stores/embedded/statements.py",
        "on conflict do update set ts = max(ts, excluded.ts)",
        "on conflict do update set ts = excluded.ts",
        STORE_WRITES,
    ),
    Mutant(
        "a compaction leaves the tombstones",
        "shared/stores/embedded/engine.py",
        "statements.PURGE_TOMBSTONES, (table.id, family.name, *columns, family.oldest_kept_tombstone_ms())",
        "statements.EXPIRE, (table.id, *columns, 0)",
        CONFORMANCE,
    ),
    Mutant(
        "a compaction drops a tombstone that its family keeps",
        "shared/stores/embedded/stored_tables.py",
        "if self.keep_tombstones_ms else LATEST_MS",
        "if False else LATEST_MS",
        CONFORMANCE,
    ),
    Mutant(
        "a family keeps its tombstones whatever their timestamps",
        "shared/stores/embedded/statements.py",
        "column < ?4) and ts < ?5",
        "column < ?4) and ?5 = 9223372036854775807",
        CONFORMANCE,
    ),
    Mutant(
        "a deleted row costs no read",
        "shared/stores/embedded/engine.py",
        "self.rows_read += self._database.execute(statements.COUNT_DELETED_ROWS, (table.id, low, high)).fetchone()[0]",
        "pass",
        STORE_WRITES,
    ),
    Mutant(
        "the timestamp of a read is inclusive",
        "shared/stores/embedded/rules.py",
        "else before - 1",
        "else before",
        CONFORMANCE,
    ),
    Mutant(
        "an expired cell is shown",
        "shared/stores/embedded/reads.py",
        "if cell.timestamp >= oldest_ms.get(family_of(column), 0)",
        "if True",
        CONFORMANCE,
    ),
    Mutant(
        "an expired counter goes on",
        "shared/stores/embedded/engine.py",
        "return cell if cell and cell[1] >= table.family(column).oldest_ms() else None",
        "return cell",
        CONFORMANCE,
    ),
    Mutant(
        "deletes are applied though a put of the batch was refused",
        "shared/stores/embedded/mutations.py",
        "if not refused:",
        "if True:",
        CONFORMANCE,
    ),
    Mutant(
        "a put that was refused takes its whole batch with it",
        "shared/stores/embedded/mutations.py",
        "                accepted += puts",
        "                accepted = []",
        CONFORMANCE,
    ),
    Mutant(
        "an increment does not wait for the millisecond after the last one",
        "shared/stores/embedded/mutations.py",
        "return next_millisecond(clock_ms) if any(cell and cell[1] == clock_ms for cell in stored) else clock_ms",
        "return clock_ms",
        STORE_WRITES,
    ),
    Mutant(
        "a put does not wait for the millisecond after a delete",
        "shared/stores/embedded/engine.py",
        "if timestamp == clock_ms and not deleted",
        "if False and not deleted",
        DATING,
    ),
    Mutant(
        "a put waits for the delete of its column, and not for that of its family",
        "shared/stores/embedded/engine.py",
        "isdisjoint([(row, column), (row, family_of(column))])",
        "isdisjoint([(row, column)])",
        DATING,
    ),
    Mutant(
        "a put of a batch waits for a delete that is ahead of the clock",
        "shared/stores/embedded/statements.py",
        "where table_id = ? and ts = ?",
        "where table_id = ? and ts >= ?",
        DATING,
    ),
    Mutant(
        "a put replaces the version of its millisecond",
        "shared/stores/embedded/engine.py",
        "if any(table.family(column).max_versions > 1 for _, column, _, _ in puts):",
        "if False:",
        DATING,
    ),
    Mutant(
        "a put waits where its family keeps one version",
        "shared/stores/embedded/engine.py",
        "if any(table.family(column).max_versions > 1 for _, column, _, _ in puts):",
        "if True:",
        DATING,
    ),
    Mutant(
        "a call that has waited waits again",
        "shared/stores/embedded/dating.py",
        "engine.has_waited = True",
        "engine.has_waited = False",
        DATING,
    ),
    Mutant(
        "every call after one that waited takes what it gets",
        "shared/stores/embedded/dating.py",
        """    finally:
            engine.has_waited = False""",
        """    finally:
            pass""",
        DATING,
    ),
    Mutant(
        "a refused put may be tried again",
        "shared/stores/thrift1/errors.py",
        'can_retry = java_class.startswith("client.RetriesExhausted")',
        "can_retry = True",
        CONFORMANCE,
    ),
    Mutant(
        "a scan forgets to start each region with a fresh filter",
        "shared/stores/embedded/scanners.py",
        "if self._filtered is None or self._region_end != region_end:",
        "if self._filtered is None:",
        CONFORMANCE,
    ),
    Mutant(
        "a filter that is done ends the whole scan",
        "shared/stores/embedded/scanners.py",
        "if filtered.ends_scan and not self._in_reply:",
        "if filtered.ends_scan:",
        CONFORMANCE,
    ),
    Mutant(
        "a filter sees one version of each column",
        "shared/stores/filters/filtered_rows.py",
        "if verdict is INCLUDE:",
        "if False:",
        FILTERS,
    ),
    Mutant(
        "an older version comes beside the newer one that passed",
        "shared/stores/filters/filtered_rows.py",
        "if column != column_passed:",
        "if True:",
        FILTERS,
    ),
    Mutant(
        "a row without the column does not pass SingleColumnValueFilter",
        "shared/stores/filters/filters.py",
        "return not self._passed if self._column_seen else self.filter_if_missing",
        "return not self._passed",
        FILTERS,
    ),
    Mutant(
        "PageFilter lets one row more through",
        "shared/stores/filters/filters.py",
        "return self._rows >= self.size",
        "return self._rows > self.size",
        FILTERS,
    ),
    Mutant(
        "PrefixFilter reads to the end of the table",
        "shared/stores/filters/filters.py",
        "if start < self.prefix if self._reversed else start > self.prefix:",
        "if False:",
        FILTERS,
    ),
    Mutant(
        "OR binds tighter than AND",
        "shared/stores/filters/language.py",
        """b"AND": 2, b"OR": 3""",
        """b"AND": 3, b"OR": 2""",
        FILTERS,
    ),
    Mutant(
        "a search for a pattern keeps the interpreter",
        "shared/stores/filters/comparators.py",
        "return search(text, concurrent=True, timeout=MATCH_S) is not None",
        "return search(text, concurrent=False, timeout=MATCH_S) is not None",
        TURNS,
    ),
    Mutant(
        "a get of many rows does not pause",
        "shared/stores/embedded/reads.py",
        "        if position:\n            let_others_in()\n",
        "",
        TURNS,
    ),
    Mutant(
        "a scan goes on after it failed",
        "shared/stores/embedded/scanners.py",
        "                self.error = copy(error)",
        "                self.error = None",
        TURNS,
    ),
    Mutant(
        "rows that a filter was not shown count as read",
        "shared/stores/embedded/scanners.py",
        "engine.rows_read += judged",
        "engine.rows_read += len(rows)",
        TURNS,
    ),
    Mutant(
        "the rest of a region is lost once a page is full",
        "shared/stores/embedded/scanners.py",
        "            if len(results) >= wanted:\n                region_ends = False\n                break",
        "            if len(results) >= wanted:\n                break",
        CONFORMANCE,
    ),
    Mutant(
        "a wide row ends where the narrow ones do",
        "shared/stores/embedded/engine.py",
        "if len(cells) > at_most:",
        "if False:",
        WIDE_ROWS,
    ),
    Mutant(
        "a wide row is read from its first cell",
        "shared/stores/filters/filtered_rows.py",
        'next(iter(families)) + b":" + filter.first_qualifier()',
        'next(iter(families)) + b":"',
        WIDE_ROWS,
    ),
    Mutant(
        "an AND skips cells that its first filter counts",
        "shared/stores/filters/combined.py",
        "return self.filters[0].first_qualifier()",
        "return max(filter.first_qualifier() for filter in self.filters)",
        WIDE_ROWS,
    ),
    Mutant(
        "an open scanner counts twice",
        "shared/stores/embedded/scanners.py",
        "counted_bytes = scanner.kept_bytes + scanner.pending_bytes",
        "counted_bytes = 2 * scanner.kept_bytes + scanner.pending_bytes",
        TURNS,
    ),
    Mutant(
        "a reply that its client left holds memory",
        "shared/stores/server/thrift_server.py",
        "            client_buffers.release()\n",
        "",
        MEMORY,
    ),
    Mutant(
        "a reply counts for nothing while it grows",
        "shared/stores/server/memory.py",
        "self.hold_reply(self._reply_bytes + results_bytes(results))",
        "self.hold_reply(self._reply_bytes)",
        MEMORY,
    ),
    Mutant(
        "an error keeps the message that it is about",
        "shared/stores/server/thrift_server.py",
        "                field.__traceback__ = None",
        "                pass",
        MEMORY,
    ),
    Mutant(
        "a moved file is written on",
        "shared/stores/embedded/engine.py",
        "if writes and self.path is not None:",
        "if False:",
        MOVED,
    ),
    Mutant(
        "a deleted log is not noticed",
        "shared/stores/embedded/database.py",
        'for name in (path, f"{path}-wal", f"{path}-shm"):',
        'for name in (path, f"{path}-shm"):',
        MOVED,
    ),
    Mutant(
        "the log of a moved file is left behind",
        "shared/stores/embedded/engine.py",
        '            self._database.execute("pragma wal_checkpoint(truncate)")',
        "            pass",
        MOVED,
    ),
    Mutant(
        "a large batch deletes before all its puts are stored",
        "shared/stores/embedded/mutations.py",
        "for puts, deletes in [*((part, ()) for part in parts), *(((), part) for part in parts)]:",
        "for puts, deletes in [(part, part) for part in reversed(parts)]:",
        STORE_WRITES,
    ),
    Mutant(
        "a cell too large fails its own part only",
        "shared/stores/embedded/mutations.py",
        "failing = _Failing(_oversized(put for batch in batches for put in _puts_of(batch, 0)), _nameless(batches))",
        "failing = None",
        STORE_WRITES,
    ),
)


def copy_suite(to: Path) -> None:
    """Copies the files that the tests need, without the caches of tools."""
    ignore = shutil.ignore_patterns(".*", "__pycache__", "benchmarks")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, to / name, ignore=ignore)
        else:
            shutil.copy2(ROOT / name, to / name)
    (to / "conftest.py").write_text(CONFTEST)


def failures(folder: Path, tests: Iterable[str], *options: str) -> list[str]:
    """The names of the tests that fail in `folder`; a run that ends in another way is one failure, its last line."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]
    environment = os.environ | {"COLUMNS": "1000"}  # so that pytest does not cut names
    process = subprocess.run([*command, *options, *tests], cwd=folder, env=environment, capture_output=True, text=True)
    if process.returncode == 0:
        return []
    names = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", process.stdout, re.MULTILINE)
    return names or (process.stdout + process.stderr).strip().splitlines()[-1:]


def short_name(test: str) -> str:
    """The file and the function of a test, without its parameters."""
    return test.removeprefix("tests/shared/").partition("[")[0]


def caught_by(mutant: Mutant, whole: Path, failing: list[str]) -> str | None:
    """The first test that fails with this mutant and not without it; None if no test does."""
    with TemporaryDirectory() as name:
        folder = shutil.copytree(whole, Path(name) / "broken")
        path = folder / mutant.file
        code = path.read_text(encoding="utf-8")
        if code.count(mutant.old) != 1:
            raise LookupError(f"{mutant.file}: {mutant.old!r} must occur once (occurs {code.count(mutant.old)} times)")
        path.write_text(code.replace(mutant.old, mutant.new), encoding="utf-8")
        return next(iter(failures(folder, mutant.tests, "-x", *(f"--deselect={test}" for test in failing))), None)


def part_of(mutants: Sequence[Mutant], part: str) -> Sequence[Mutant]:
    """The K-th of N equal parts, for `part` K/N: every N-th mutant."""
    number, count = map(int, part.split("/"))
    if not 1 <= number <= count:
        raise ValueError(f"part: must be K/N with K from 1 to N (got {part})")
    return mutants[number - 1 :: count]


def main(part: str = "1/1") -> int:
    """Plants every mutant of a part and prints which test caught it."""
    start_s = time.monotonic()
    missed = 0
    mutants = part_of(MUTANTS, part)
    with TemporaryDirectory() as name, ThreadPoolExecutor(AT_ONCE) as pool:
        whole = Path(name)
        copy_suite(whole)
        tests = {test for mutant in mutants for test in mutant.tests}
        failing = [*chain.from_iterable(pool.map(lambda test: failures(whole, [test]), sorted(tests)))]
        for test in failing:
            print(f"{'no mutant at all':70} {short_name(test)}", flush=True)
        runs = [(mutant, pool.submit(caught_by, mutant, whole, failing)) for mutant in mutants]
        for mutant, run in runs:
            try:
                caught = run.result()
                verdict = "SURVIVED" if caught is None else short_name(caught)
            except LookupError as error:
                caught, verdict = None, f"CANNOT BE PLANTED: {error}"
            missed += caught is None
            print(f"{mutant.name:70} {verdict}", flush=True)
    print(f"{len(mutants)} mutants, {missed} not caught, {len(failing)} tests fail without any, ", end="")
    print(f"{time.monotonic() - start_s:.0f} s")
    return 1 if missed or failing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
