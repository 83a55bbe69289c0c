"""Blocks of a README that are measured on a real HBase, between marks, and written only if a prediction agrees."""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import attrs

from shared.stores import StoreError
from tests.programs.hbase.counters import NotCounted, version
from tests.programs.hbase.java import NotStarted
from tests.programs.hbase.named import NamedHBase, named_or_started

S = TypeVar("S")


@attrs.frozen
class MeasuredBlock:
    """The block `<!-- measured: NAME -->` of a README."""

    readme: Path
    name: str

    @property
    def _marks(self) -> re.Pattern[str]:
        return re.compile(rf"(<!-- measured: {self.name} -->\n)(.*?)(<!-- measured end -->)", re.DOTALL)

    @property
    def text(self) -> str:
        """What stands in the README."""
        match = self._marks.search(self.readme.read_text(encoding="utf-8"))
        assert match, f"{self.readme}: must have the marks of a measured block"
        return match[2]

    def write(
        self,
        measured: Callable[[NamedHBase], Sequence[S]],
        predicted: Callable[[], Sequence[S]],
        block: Callable[[Sequence[S], str], str],
    ) -> int:
        """Measures, compares the result with the prediction from the keys, and writes the README; the exit code.

        `block` makes the text of what was measured, and of HBase's version.
        """
        try:
            with named_or_started() as named:
                spreads = measured(named)
                text = block(spreads, version(named.info_url or ""))
        except (NotStarted, NotCounted, StoreError) as error:
            print(error, file=sys.stderr)
            return 1
        print(text)
        if spreads != predicted():
            print("the region servers' counts differ from the prediction; the README is not changed", file=sys.stderr)
            return 1
        page = self.readme.read_text(encoding="utf-8")
        self.readme.write_text(self._marks.sub(lambda marks: f"{marks[1]}{text}{marks[3]}", page), encoding="utf-8")
        return 0
