"""The embedded store as a Thrift server: Thrift1, and the part of Thrift2 that the suite uses.

May import `outcomes`, `embedded`, `thrift1` and `thrift2`.
"""

from .thrift_server import ThriftServer

__all__ = ["ThriftServer"]
