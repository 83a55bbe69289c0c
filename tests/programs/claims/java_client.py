"""What HBase's own Java client says to published code, and what Java makes of published expressions."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.programs.hbase.java import jars, run_java
from tests.programs.hbase.server import POM, HBase

HEAP_MB = 256
COMPOSITE = Path(__file__).parent / "Composite.java"
TEXTS = ("user_1", "user_2", "user_3", "a", "polygenelubricants")
SCAN = "org.apache.hadoop.hbase.client.Scan"
CALL = "class Published {{ public static void main(String[] arguments) {{ new {scan}().{method}(true); }} }}"
METHODS = ("setReverse", "setReversed")


def java_client(_connection: Any, _hbase: HBase) -> dict[str, object]:
    """For each method of a scan what the compiler says, and the lines of Composite.java by their names."""
    compiled = {method: _compiled(method) for method in METHODS}
    done = run_java(HEAP_MB, [jars(POM) / "*"], str(COMPOSITE), *TEXTS)
    done.check_returncode()
    return {"compiled": compiled, "printed": dict(line.split("\t") for line in done.stdout.splitlines())}


def _compiled(method: str) -> str:
    """The first error of the compiler for a call of this method; empty if it has none and the call returns."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "Published.java"
        file.write_text(CALL.format(scan=SCAN, method=method), encoding="utf-8")
        done = run_java(HEAP_MB, [jars(POM) / "*"], str(file))
    if not done.returncode:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines()]
    error = next(line for line in lines if ": error: " in line).partition(": error: ")[2]
    return f"{error}: {next(line for line in lines if line.startswith('symbol:')).partition(':')[2].strip()}"
