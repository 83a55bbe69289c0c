"""The marker of tests that need HBase's mini-cluster: they run only when it is asked for."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cluster: needs HBase's mini-cluster; `make test-cluster` runs it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "cluster" not in config.getoption("-m"):
        skip = pytest.mark.skip(reason="needs HBase's mini-cluster: make test-cluster")
        for item in items:
            if item.get_closest_marker("cluster"):
                item.add_marker(skip)
