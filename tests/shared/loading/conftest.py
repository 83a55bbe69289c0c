"""Files to load."""

import pytest


@pytest.fixture
def written(tmp_path):
    """Writes a file and returns its path."""

    def write(content, name="sales"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
