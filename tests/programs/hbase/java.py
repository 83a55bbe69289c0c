"""Java and Maven as this machine has them: found, checked, and run with the flags that HBase needs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from tests.locks import one_process_at_a_time

ROOT = Path(__file__).parents[3]
KEPT = ROOT / ".hbase"
"""Where downloaded jars stay."""

JAVA = 17
_OPENED = (
    *("java.io", "java.nio", "sun.nio.ch", "java.lang", "jdk.internal.ref", "java.lang.reflect"),
    *("java.util", "java.util.concurrent", "jdk.internal.util.random", "java.net"),
    *("sun.security.x509", "sun.security.util"),
)
_EXPORTED = (
    "java.base/jdk.internal.misc",
    "java.security.jgss/sun.security.krb5",
    "java.base/sun.net.dns",
    "java.base/sun.net.util",
)
FLAGS = (
    "-XX:-UsePerfData",  # a file in /tmp that a killed process leaves there
    "-Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true",
    "--add-modules=jdk.unsupported",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
    *(f"--add-exports={package}=ALL-UNNAMED" for package in _EXPORTED),
)
"""What HBase's own start script says for a Java with modules, and what its mini-cluster needs beyond that."""
FOR_MINUTES = ("-XX:TieredStopAtLevel=1",)
"""Where a server runs for minutes, Java's second compiler takes more than it gives: a third of the time of tests."""

_COPY = ("dependency:copy-dependencies", "-DincludeScope=runtime")


class NotStarted(Exception):
    """A server or a tool that does not run; one line says what to do."""


def java_command(heap_mb: int, class_path: list[Path | str]) -> list[str]:
    """The command that runs a Java class, to be appended; its process ends with this one."""
    jars = os.pathsep.join(map(str, class_path))
    # A Java whose Python was killed would run on and hold its ports.
    dying = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
    return [*dying, _java(), f"-Xmx{heap_mb}m", *FLAGS, "-cp", jars]


def run_java(heap_mb: int, class_path: list[Path | str], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """What a Java class that ends by itself prints within four minutes."""
    return subprocess.run(
        [*java_command(heap_mb, class_path), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def _java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME, {home}/bin" if home else "on the PATH"
        raise NotStarted(f"java: must be {where}: install Java {JAVA} (on Debian openjdk-{JAVA}-jdk-headless)")
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    if match is None or int(match[1]) < JAVA:
        version = match[1] if match else output.strip()[:100] or "no version"
        raise NotStarted(f"java: must be {JAVA} or newer (got {version} from {java}); set JAVA_HOME to another")
    return java


def jars(pom: Path) -> Path:
    """The folder with the jars of a `pom.xml`; the first time Maven downloads them."""
    with one_process_at_a_time():
        return _downloaded(pom)


def _downloaded(pom: Path) -> Path:
    folder = KEPT / f"{pom.parent.name}-jars"
    ready = folder / "pom.xml"  # a copy, written last: an interrupted or an older download starts again from nothing
    if ready.exists() and ready.read_bytes() == pom.read_bytes():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise NotStarted("mvn: must be on the PATH to download HBase: install Maven (on Debian maven)")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "maven.log"
    print(f"downloading jars to {folder.relative_to(ROOT)}", flush=True)
    with log.open("wb") as output:
        process = subprocess.run(
            [maven, "-q", "-B", "-f", pom, *_COPY, f"-DoutputDirectory={folder}"],
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if process.returncode:
        raise NotStarted(f"mvn: could not download the jars of {pom.relative_to(ROOT)}: is there a network? log: {log}")
    ready.write_bytes(pom.read_bytes())
    return folder
