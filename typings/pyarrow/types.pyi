"""What `shared/loading/parquet_tables.py` uses of pyarrow's types."""

from pyarrow import DataType

def is_timestamp(t: DataType) -> bool: ...
