"""Names and UIDs of series."""

import pytest

from domains.tsdb.storage.uids import Uids
from shared.keys import InvalidKey


def test_a_series_is_the_same_whatever_the_order_of_its_tags(connection):
    uids = Uids(connection)
    first = uids.assign("cpu", {"host": "web-1", "dc": "lga"})
    assert first == (b"\0\0\1", bytes.fromhex("000001000001 000002000002"))
    assert uids.assign("cpu", {"dc": "lga", "host": "web-1"}) == first
    assert Uids(connection).names_of_tags([first[1]]) == {first[1]: {"host": "web-1", "dc": "lga"}}
    later = uids.assign("cpu", {"a": "caf\u00e9-1_./", "host": "web-1"})[1]
    assert later == bytes.fromhex("000001000001 000003000003"), "in the order of UIDs, not of names"


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a:b", "a=b", "{", "\n", "中", "\u0142", "\u0660", "a\u00a0", "\u00b2", 7, None]
)
def test_names_that_opentsdb_refuses_or_stores_as_others_are_refused(connection, name):
    with pytest.raises(InvalidKey, match=r"tagv: a name must be letters of ISO 8859-1, digits and - _ . / \(got"):
        Uids(connection).assign("cpu", {"host": name})
    assert dict(connection.table("tsdb-uid").scan()) == {}
