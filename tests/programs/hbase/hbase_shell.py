"""HBase's own shell, run on a file of statements. Its jars and its class path are its own."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from tests.programs.hbase.configuration import write_configuration
from tests.programs.hbase.java import jars, run_java

POM = Path(__file__).parent / "shell" / "pom.xml"
HEAP_MB = 512


def run_in_shell(statements: str, info_url: str, folder: Path) -> str:
    """What `hbase shell -n` prints of the statements, on the HBase of that master's page; `folder` is for its files.

    Raises CalledProcessError where a statement fails.
    """
    script = folder / "statements.rb"
    script.write_text(statements + "\nexit\n", encoding="utf-8")
    write_configuration(folder / "conf", _of_clients(info_url))
    done = run_java(HEAP_MB, [folder / "conf", jars(POM) / "*"], "org.jruby.JarBootstrapMain", "-n", script)
    done.check_returncode()
    return done.stdout


def in_shell(info_url: str, *statements: str) -> str:
    """Does what `run_in_shell` does, in a folder that it removes afterwards."""
    with TemporaryDirectory() as folder:
        return run_in_shell("\n".join(statements), info_url, Path(folder))


def _of_clients(info_url: str) -> dict[str, str]:
    """What a client of HBase must know: where its ZooKeeper is."""
    with urlopen(f"{info_url}/conf?format=json", timeout=10) as answer:
        properties = {property_["key"]: property_["value"] for property_ in json.load(answer)["properties"]}
    names = ("hbase.zookeeper.quorum", "hbase.zookeeper.property.clientPort", "zookeeper.znode.parent")
    return {name: properties[name] for name in names}
