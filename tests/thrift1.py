"""happybase connections with HBase's whole Thrift1 service; happybase's own client knows an older part of it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import happybase
import pytest
import thriftpy2
from thriftpy2.thrift import TClient

from shared.stores.thrift1.idl import Thrift1
from tests.programs.hbase.java import KEPT


class WholeConnection(happybase.Connection):
    """A plain happybase connection whose client knows every call, and `canRetry` of an IOError."""

    def _refresh_thrift_client(self) -> None:
        super()._refresh_thrift_client()
        self.client = TClient(Thrift1, self._protocol_class(self.transport, decode_response=False))


@contextmanager
def whole_connection(host: str, port: int) -> Iterator[Any]:
    with closing(WholeConnection(host, port)) as connection:
        yield connection


def idl_of_hbase(folder: Path) -> Path:
    """HBase's own IDL, from the jar that `make hbase` downloads; skips the test if the jar is not there."""
    jars = sorted((KEPT / "hbase-jars").glob("hbase-thrift-*.jar"))
    if not jars:
        pytest.skip("HBase's jars are not here: make hbase downloads them")
    with ZipFile(jars[-1]) as jar:
        return Path(jar.extract("org/apache/hadoop/hbase/thrift/Hbase.thrift", folder))


def parse_idl(idl: Path, name: str) -> Any:
    """The structs and services of an IDL."""
    loader: Any = thriftpy2
    return loader.load(idl, module_name=f"{name}_thrift")
