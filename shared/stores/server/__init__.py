"""The embedded store as a Thrift1 server.

May import `embedded` and `thrift1`.
"""

from .thrift_server import ThriftServer

__all__ = ["ThriftServer"]
