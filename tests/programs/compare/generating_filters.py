"""Random filters: all 19 of the language, joined by AND, OR, SKIP and WHILE, and texts that are slightly broken."""

from collections.abc import Callable, Sequence
from random import Random

from attrs import frozen

from tests.programs.compare.filters import Argument, Combined, Comparator, Filter, Single, text_of
from tests.programs.compare.generating_patterns import pattern

OPERATORS = ("<", "<=", "=", "!=", ">=", ">")
_COMPARATORS = (*["binary"] * 5, *["binaryprefix"] * 2, "substring", "regexstring", "regexstringnocase")
TEXTS = (b"", b"a", b"b", b"1", b"2", b"ab", b"A", b"\xff", "É".encode(), "Σ".lower().encode(), b"i", b"it's")
_NOISE = *map(str.encode, "'(), \t-0\n"), b" AND ", b" OR ", b"SKIP ", b"WHILE ", b"true", b"''"

_BROKEN = 0.04
_COMBINED = (0.35, 0.25, 0.1, 0.0)
"""How often a filter joins others, by its depth."""


@frozen
class FilterGenerator:
    """Filters about the rows, families, qualifiers and values that a sequence uses."""

    random: Random
    rows: Sequence[bytes]
    families: Sequence[bytes]
    qualifiers: Sequence[bytes]
    values: Sequence[bytes]

    def filter(self) -> Filter | bytes:
        """A filter, or now and then a text of which HBase decides whether it is one."""
        tree = self._filter(0)
        return self._broken(text_of(tree)) if self.random.random() < _BROKEN else tree

    def _filter(self, depth: int) -> Filter:
        if self.random.random() >= _COMBINED[depth]:
            name, arguments = self.random.choice(_SINGLE)
            return Single(name, arguments(self))
        operator = self.random.choice(("AND", "AND", "OR", "OR", "SKIP", "WHILE"))
        width = 1 if operator in ("SKIP", "WHILE") else self.random.choice((2, 2, 2, 3))
        return Combined(operator, [self._filter(depth + 1) for _ in range(width)])

    def _broken(self, text: bytes) -> bytes:
        """The text with one or two pieces lost, repeated or put in."""
        for _ in range(self.random.choice((1, 1, 2))):
            at = self.random.randrange(len(text) + 1)
            more = text[at : at + self.random.randrange(1, 6)], self.random.choice(_NOISE)
            changes = (
                text[at + 1 :],
                text[at : at + 1].swapcase() + text[at + 1 :],
                *(piece + text[at:] for piece in more),
            )
            text = text[:at] + self.random.choice(changes)
        return text

    # Arguments

    def row(self) -> bytes:
        """A row, or the beginning of one."""
        row = self.random.choice(self.rows)
        return row[: self.random.randrange(len(row) + 1)] if self.random.random() < 0.3 else row

    def qualifier(self) -> bytes:
        return self.random.choice((*self.qualifiers, *self.qualifiers, b"", b"a", b"c"))

    def column(self) -> list[Argument]:
        family = b"x" if self.random.random() < 0.03 else self.random.choice(self.families)
        return [family, self.random.choice(self.qualifiers)]

    def small(self) -> int:
        return self.random.choice((0, 1, 1, 2, 2, 3, 4, 10))

    def boolean(self) -> bool:
        return self.random.random() < 0.5

    def timestamps(self) -> list[Argument]:
        return [self.random.randrange(10) for _ in range(self.random.choice((0, 1, 2, 3)))]

    def prefixes(self) -> list[Argument]:
        return list(dict.fromkeys(self.qualifier() for _ in range(self.random.choice((0, 1, 2, 3)))))

    def comparison(self, operands: Sequence[bytes], any_operator: bool = False) -> list[Argument]:
        """An operator and a comparator; those that search take = and != only, unless a filter forgets to check."""
        kind = self.random.choice(_COMPARATORS)
        has_order = kind.startswith("binary") or any_operator or self.random.random() < 0.02
        if kind.startswith("regex"):
            operand = pattern(self.random)
        elif kind == "substring":
            operand = self.random.choice(TEXTS)
        else:
            operand = self.random.choice(operands)
        return [self.random.choice(OPERATORS if has_order else ("=", "!=")), Comparator(kind, operand)]

    def on_value(self, any_operator: bool = False) -> list[Argument]:
        return self.comparison((*self.values, *TEXTS), any_operator)

    def single_column_value(self) -> list[Argument]:
        flags: list[Argument] = [self.boolean(), self.boolean()] if self.random.random() < 0.7 else []
        return [*self.column(), *self.on_value(), *flags]

    def dependent_column(self) -> list[Argument]:
        arguments = self.column()
        if self.random.random() < 0.7:
            arguments.append(self.boolean())
            if self.random.random() < 0.5:
                arguments += self.on_value(any_operator=True)
        return arguments


_SINGLE: list[tuple[str, Callable[[FilterGenerator], list[Argument]]]] = [
    ("KeyOnlyFilter", lambda make: [make.boolean()] if make.boolean() else []),
    ("FirstKeyOnlyFilter", lambda make: []),
    ("PrefixFilter", lambda make: [make.row()]),
    ("ColumnPrefixFilter", lambda make: [make.qualifier()]),
    ("MultipleColumnPrefixFilter", FilterGenerator.prefixes),
    ("ColumnCountGetFilter", lambda make: [make.small()]),
    ("PageFilter", lambda make: [make.small()]),
    ("ColumnPaginationFilter", lambda make: [make.small(), make.small()]),
    ("InclusiveStopFilter", lambda make: [make.row()]),
    ("TimestampsFilter", FilterGenerator.timestamps),
    ("RowFilter", lambda make: make.comparison(make.rows)),
    ("FamilyFilter", lambda make: make.comparison(make.families)),
    ("QualifierFilter", lambda make: make.comparison((*make.qualifiers, b"", b"a"))),
    ("ValueFilter", FilterGenerator.on_value),
    ("ColumnRangeFilter", lambda make: [make.qualifier(), make.boolean(), make.qualifier(), make.boolean()]),
    ("SingleColumnValueFilter", FilterGenerator.single_column_value),
    ("SingleColumnValueExcludeFilter", FilterGenerator.single_column_value),
    ("DependentColumnFilter", FilterGenerator.dependent_column),
    ("ColumnValueFilter", lambda make: [*make.column(), *make.on_value()]),
]
