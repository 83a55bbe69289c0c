"""A real OpenTSDB with 20 buckets, and its points moved by the command line alone.

An OpenTSDB of its own stores three million points, compacts the rows that it is asked for, and ends. Then only
`rowbook` and `sort` run, with OpenTSDB's own file of settings:

1. verify: nothing is wrong, before any table of ours exists
2. ask: the answers are those that OpenTSDB gave
3. export: each line is one that OpenTSDB was sent
4. adopt, then load of these lines into a table without a salt, which shares the names
5. verify and export of that table: the sorted lines are equal

Run it: `python -m tests.programs.opentsdb.move [--points 3000000]`. Prints how long each step takes.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import attrs
import typer

from domains.tsdb import Point, data_table, uid_tables
from domains.tsdb.formats import import_line
from domains.tsdb.storage.codecs import SeriesSalt
from shared.records import parse_time
from shared.stores import connect
from shared.tables import create_tables
from tests.programs.hbase.server import running as running_hbase
from tests.programs.opentsdb.server import OpenTSDB, running, sent_by_telnet

SALT = SeriesSalt(1, 20)
OPTIONS = {"tsd.storage.salt.width": 1, "tsd.storage.salt.buckets": 20, "tsd.storage.enable_compaction": "true"}
START = parse_time("2013-01-01T00:00")
METRICS, HOSTS, EVERY_MS = 10, 100, 7000
"""Points are 7 s apart, so some are at seconds 80 to 95 of an hour, at which OpenTSDB's own export fails."""
LINES_AT_ONCE = 100_000
ATTEMPTS, WITHIN_S = 5, 300
ASKED = ("sum:1h-avg:m1", "max:10m-max:m2{dc=*}", "none:m3{host=h007}", "sum:30m-sum:m0{host=*}")
ROWBOOK = (sys.executable, "-m", "domains")
OF_OURS = b"tsdb-rowbook"


def points(count: int) -> Iterator[Point]:
    """So many points in the order of their times: ints and floats, a few at milliseconds."""
    dice = random.Random(29)
    made = 0
    time_ms = START
    while True:
        for metric in range(METRICS):
            for host in range(HOSTS):
                if made == count:
                    return
                made += 1
                value = dice.randrange(-(2**40), 2**40) if metric % 2 else dice.randrange(-(2**20), 2**20) / 64
                at_ms = time_ms + (dice.randrange(1, 1000) if metric == METRICS - 1 else 0)
                yield Point(f"m{metric}", at_ms, value, {"host": f"h{host:03}", "dc": ("lga", "sjc")[host % 2]})
        time_ms += EVERY_MS


def fill(opentsdb: OpenTSDB, count: int) -> None:
    """Stores the points through telnet; what it refuses while a region splits is sent again."""
    lines = map(import_line, points(count))
    while some := [*islice(lines, LINES_AT_ONCE)]:
        for _ in range(ATTEMPTS):
            answer = opentsdb.answer_by_telnet(sent_by_telnet(some))
            if b"put:" not in answer:
                break
            time.sleep(5)
        else:
            sys.exit(f"OpenTSDB refused points: {answer[:200]!r}")


def wait(opentsdb: OpenTSDB, count: int, end_ms: int) -> None:
    """Returns when OpenTSDB finds all points."""
    latest_s = time.monotonic() + WITHIN_S
    while True:
        found = sum(
            number
            for metric in range(METRICS)
            for answer in opentsdb.query(f"sum:0all-count:m{metric}", START, end_ms)
            for _time, number in answer["dps"]
        )
        if found == count:
            return
        if time.monotonic() > latest_s:
            sys.exit(f"OpenTSDB finds {found:,.0f} of {count:,} points after {WITHIN_S} s")
        time.sleep(1)


@attrs.frozen
class CommandLine:
    """`rowbook` with the same store and settings."""

    folder: Path
    url: str

    def run(self, step: str, words: str, *more: str, settings: tuple[str, ...] = ()) -> str:
        """What a command prints; the program ends if it fails."""
        given = ["--settings", "opentsdb.conf", *(word for setting in settings for word in ("--settings", setting))]
        began_s = time.monotonic()
        done = subprocess.run(
            [*ROWBOOK, *words.split(), *more, "--store", self.url, *given],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3]), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
        )
        last = (done.stdout.strip() or "-").splitlines()[-1]
        print(f"  {step:34} {time.monotonic() - began_s:7.1f} s  {last[:110]}", flush=True)
        if done.returncode:
            sys.exit(f"{words}: exit code {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    def sort(self, name: str) -> bytes:
        """Sorts a file of lines; returns the digest of the result."""
        script = f"LC_ALL=C sort {name} > {name}.sorted && sha256sum < {name}.sorted"
        return subprocess.run(script, shell=True, cwd=self.folder, check=True, capture_output=True).stdout


def main(count: Annotated[int, typer.Option("--points")] = 3_000_000) -> None:
    """Makes the points, moves them, and says how long each step took."""
    end_ms = START + (count // (METRICS * HOSTS) + 1) * EVERY_MS + 1000
    with running_hbase(region_servers=1) as hbase, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with closing(connect(hbase.url)) as connection:
            create_tables(connection, [data_table(salt=SALT), *uid_tables()])
        with running(hbase.ports.zookeeper, OPTIONS) as opentsdb:
            began_s = time.monotonic()
            fill(opentsdb, count)
            wait(opentsdb, count, end_ms)
            print(f"  {'OpenTSDB stores':34} {time.monotonic() - began_s:7.1f} s  {count:,} points", flush=True)
            answers = {m: opentsdb.query(m, START, end_ms) for m in ASKED}
            (folder / "opentsdb.conf").write_bytes((opentsdb.folder / "opentsdb.conf").read_bytes())
            time.sleep(5)  # it writes back compacted rows after it has answered
        with closing(connect(hbase.url)) as connection:
            compacted = sum(
                1 for _row, cells in connection.table("tsdb").scan(limit=1000) for column in cells if len(column) > 6
            )
            assert OF_OURS not in connection.tables()
        print(f"  {compacted} compacted cells in the first 1,000 rows", flush=True)
        move(CommandLine(folder, hbase.url), count, end_ms, answers)


def move(rowbook: CommandLine, count: int, end_ms: int, answers: dict[str, list[dict[str, Any]]]) -> None:
    """All steps after OpenTSDB has ended."""
    if "nothing is wrong" not in rowbook.run("verify", "verify tsdb"):
        sys.exit("verify: something is wrong")
    for m, theirs in answers.items():
        given = json.loads(
            rowbook.run(f"ask {m}", "ask tsdb query --json", f"m={m}", f"since={START}", f"until={end_ms}")
        )
        ours = {(one["tags"], one["time_ms"]): float(one["value"]) for one in given["records"]}
        wanted = {
            (",".join(f"{tag}={value}" for tag, value in sorted(one["tags"].items())), time_ms): float(number)
            for one in theirs
            for time_ms, number in one["dps"]
        }
        if ours.keys() != wanted.keys() or any(
            abs(number - wanted[at]) > 1e-12 * abs(wanted[at]) for at, number in ours.items()
        ):
            sys.exit(f"{m}: {len(ours)} numbers, which are not the {len(wanted)} of OpenTSDB")
    rowbook.run("export", "scan tsdb --lines --to stored.txt")
    with (rowbook.folder / "sent.txt").open("w", encoding="utf-8") as sent:
        sent.writelines(f"{import_line(point)}\n" for point in points(count))
    if rowbook.sort("stored.txt") != rowbook.sort("sent.txt"):
        sys.exit("export: the lines are not those that were sent")
    rowbook.run("adopt", "adopt tsdb")
    moved = ("tsd.storage.hbase.data_table=moved", "tsd.storage.salt.width=0")
    loaded = rowbook.run("load into a table without salt", "load tsdb stored.txt", settings=moved)
    if not re.search(rf"\b{count} records stored", loaded):
        sys.exit(f"load: {loaded}")
    if "nothing is wrong" not in rowbook.run("verify what was moved", "verify tsdb", settings=moved):
        sys.exit("verify: something is wrong in the table without a salt")
    rowbook.run("export what was moved", "scan tsdb --lines --to moved.txt", settings=moved)
    if rowbook.sort("moved.txt") != rowbook.sort("stored.txt"):
        sys.exit("the moved points are not the stored ones")
    print(f"  equal, point for point: {count:,}", flush=True)


if __name__ == "__main__":
    typer.run(main)
