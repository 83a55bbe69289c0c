"""The embedded store as a Thrift1 server.

May import `embedded`, `thrift1` and `thrift2`.
"""

from .thrift_server import ThriftServer

__all__ = ["ThriftServer"]
