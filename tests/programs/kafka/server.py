"""A real Kafka of its own: one process, which is broker and controller, on loopback."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from tests.programs.hbase.configuration import HOST
from tests.programs.hbase.java import NotStarted, jars, run_java
from tests.programs.hbase.processes import Servers, new_folder
from tests.programs.service.running import free_port

POM = Path(__file__).parent / "pom.xml"
CONSUMER = Path(__file__).with_name("consumer.py")
CLUSTER_ID = "rowbookrowbookrowbook1"
START_S = 120
HEAP_MB = 512


@contextmanager
def running() -> Generator[str]:
    """The address of a Kafka while the block runs."""
    port, controller_port = free_port(), free_port()
    class_path: list[Path | str] = [jars(POM) / "*"]
    with new_folder("rowbook-kafka-") as folder:
        settings = folder / "server.properties"
        settings.write_text("\n".join(f"{name}={value}" for name, value in _settings(folder, port, controller_port)))
        formatted = run_java(HEAP_MB, class_path, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", settings)
        if formatted.returncode:
            raise NotStarted(f"Kafka: cannot format its folder: {formatted.stderr[-500:]}")
        servers = Servers("Kafka", folder)
        try:
            servers.start("broker", HEAP_MB, class_path, "kafka.Kafka", str(settings))
            servers.wait("broker", lambda _log: _answers(port), START_S)
            yield f"{HOST}:{port}"
        finally:
            servers.kill()


def create_topic(address: str, topic: str) -> None:
    """Creates a topic with one partition."""
    admin = AdminClient({"bootstrap.servers": address})
    (created,) = admin.create_topics([NewTopic(topic, 1, 1)]).values()
    created.result(30)


def _settings(folder: Path, port: int, controller_port: int) -> list[tuple[str, object]]:
    return [
        ("process.roles", "broker,controller"),
        ("node.id", 1),
        ("controller.quorum.voters", f"1@{HOST}:{controller_port}"),
        ("listeners", f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller_port}"),
        ("advertised.listeners", f"PLAINTEXT://{HOST}:{port}"),
        ("controller.listener.names", "CONTROLLER"),
        ("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT"),
        ("log.dirs", folder / "log"),
        ("offsets.topic.replication.factor", 1),
        ("offsets.topic.num.partitions", 1),
        ("group.initial.rebalance.delay.ms", 0),
    ]


def _answers(port: int) -> bool:
    try:
        return bool(AdminClient({"bootstrap.servers": f"{HOST}:{port}", "log_level": 0}).list_topics(timeout=2).brokers)
    except Exception:
        return False
