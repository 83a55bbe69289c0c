"""The configuration of an HBase for tests: everything on 127.0.0.1, in one folder, quick to start."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

HOST = "127.0.0.1"

LOGGING = """\
status = warn
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %-5p [%t] %c{2}: %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
logger.master.name = org.apache.hadoop.hbase.master.HMaster
logger.master.level = info
"""
ON_LOOPBACK = {
    "hbase.regionserver.port": "0",
    "hbase.regionserver.info.port": "-1",
    "hbase.thrift.info.port": "-1",
    "hbase.unsafe.regionserver.hostname": "localhost",
    "hbase.master.ipc.address": HOST,
    "hbase.regionserver.ipc.address": HOST,
    "hbase.regionserver.thrift.ipaddress": HOST,
    "hbase.regionserver.msginterval": "200",
}
METRICS = """\
*.period=1
hbase.source.RegionServer,sub\\=Tables.source.start_mbeans=false
hbase.source.regionserver,sub\\=tables.source.start_mbeans=false
"""
"""Counters of regions are a second old at most; else ten.

Counters of tables are not shown: of each table that was ever made, HBase would compute them anew for every region that
opens. Hadoop looks for the name of the source as it is, and for its value in lower case.
"""


def standalone(folder: Path, *, zookeeper_port: int, info_port: int, region_servers: int) -> dict[str, str]:
    """The properties of a master, its region servers and a ZooKeeper in one process, with all data below `folder`."""
    return {
        "hbase.cluster.distributed": "false",
        "hbase.tmp.dir": f"{folder}/tmp",
        "hbase.rootdir": f"file://{folder}/hbase",
        "hbase.wal.provider": "filesystem",
        "hbase.unsafe.stream.capability.enforce": "false",  # local files cannot promise what a log wants
        "hbase.zookeeper.quorum": HOST,
        "hbase.zookeeper.property.clientPort": str(zookeeper_port),
        "hbase.zookeeper.property.clientPortAddress": HOST,
        "hbase.zookeeper.property.dataDir": f"{folder}/zookeeper",
        "hbase.zookeeper.property.admin.enableServer": "false",
        "hbase.master.port": "0",
        **ON_LOOPBACK,
        "hbase.master.info.port": str(info_port),
        "hbase.master.info.bindAddress": HOST,
        "hbase.regionserver.info.bindAddress": HOST,
        "hbase.master.wait.on.regionservers.mintostart": str(region_servers),
        "hbase.master.wait.on.regionservers.maxtostart": str(region_servers),
        "hbase.server.thread.wakefrequency": "100",
        "hbase.regionserver.handler.count": "5",
        "hbase.client.retries.number": "3",  # some errors come in 0.6 s; with the default 15 in minutes
        "hbase.balancer.period": "86400000",  # a region that moves counts from 0 again
        "hbase.hfile.compaction.discharger.interval": "1000",  # a half of a region splits again after 1 s, not 120
        "hbase.hregion.memstore.mslab.enabled": "false",  # a small table would take 2 MB of the heap for each region
        # Of each table that was ever made, these keep histograms until the server ends.
        "hbase.regionserver.enable.table.latencies": "false",
        "hbase.regionserver.enable.table.query.meter": "false",
    }


def write_configuration(folder: Path, properties: Mapping[str, str]) -> None:
    """The files that HBase finds in a folder on its class path."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (
        f"<property><name>{name}</name><value>{escape(value)}</value></property>" for name, value in properties.items()
    )
    (folder / "hbase-site.xml").write_text("<configuration>\n" + "\n".join(lines) + "\n</configuration>\n")
    (folder / "log4j2.properties").write_text(LOGGING)
    (folder / "hadoop-metrics2-hbase.properties").write_text(METRICS)
