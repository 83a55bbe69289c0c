"""The usual layouts: each is found for a line that is written by it, and none for other lines."""

from pathlib import Path

import pytest

from shared.loading import layout_format, usual_layout
from shared.loading.log_layouts import USUAL_LAYOUTS

ACCESS = '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 2326'
LINES = [
    f'{ACCESS} "-" "curl"',
    ACCESS,
    f'example.com:443 {ACCESS} "-" "curl"',
    f'{ACCESS} "-" "curl" "5.6.7.8, 9.9.9.9"',
    "2015-07-29 17:41:44,747 [myid:1] - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:Election@774] - out: 3200",
    "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:Election@774] - out: 3200",
    "2015-10-18 18:01:47,978 INFO [main] org.apache.hadoop.MRAppMaster: Created",
    "2015-10-18 18:01:47,978 INFO org.apache.hadoop.MRAppMaster: Created",
    "17/06/09 20:10:40 INFO spark.SecurityManager: Changing view acls to: yarn,curi",
    "[2016-12-19 16:31:46,123] INFO up (kafka.log.Log)",
    "[2016-12-19 16:31:46,123] INFO values:",
    "2016-12-19 16:31:46,123 [main] INFO  [a.B] - up",
    "2016-12-19 16:31:46,123 [main] INFO  a.B - up",
    "2016-12-19 16:31:46.123 [main] INFO  a.B - up",
    "2016-12-19 16:31:46 [main] INFO  a.B - up",
    "2016-12-19 16:31:46 INFO  B:42 - up",
    "INFO  [main] 2016-12-19 16:31:46,123 CassandraDaemon.java:42 - up",
    "2016-12-19 16:31:46.123  INFO 4711 --- [           main] o.s.b.Tomcat                             : up",
    "2016-12-19T16:31:46.123+01:00  INFO 4711 --- [           main] o.s.b.Tomcat                             : up",
]
"""One for each layout, in the same order."""


@pytest.mark.parametrize(("layout", "line"), [*zip(USUAL_LAYOUTS, LINES, strict=True)])
def test_the_layout_of_a_line_is_found(layout, line):
    assert usual_layout(f"{line}\n") == layout
    ((_, _, values),) = layout_format(*layout).read(iter([f"{line}\n"]), Path("any.log"))
    assert isinstance(values, dict)


@pytest.mark.parametrize("line", ["", "number,sold_ms,amount", '{"ts":1}', "Jan  5 08:07:31 web-1 sshd[1]: x", "# a"])
def test_other_lines_have_none(line):
    assert usual_layout(f"{line}\n") is None
