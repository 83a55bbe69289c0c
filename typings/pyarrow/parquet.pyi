"""What `parquet_files.py` and `parquet_tables.py` use of pyarrow, which has no types."""

from collections.abc import Iterator
from pathlib import Path

from pyarrow import RecordBatch, Schema, Table

class FileMetaData:
    num_rows: int

class ParquetFile:
    schema_arrow: Schema
    metadata: FileMetaData
    def __init__(self, source: str | Path) -> None: ...
    def iter_batches(self, batch_size: int = ...) -> Iterator[RecordBatch]: ...
    def close(self) -> None: ...

class ParquetWriter:
    def __init__(self, where: str, schema: Schema) -> None: ...
    def write_table(self, table: Table) -> None: ...
    def close(self) -> None: ...
