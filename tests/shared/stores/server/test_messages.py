"""Where a message ends, and what is no message: the walks against what thriftpy2 writes, and against bytes by hand."""

import re

import happybase  # noqa: F401 - makes Hbase_thrift
import pytest
from Hbase_thrift import BatchMutation, ColumnDescriptor, Mutation, TScan
from hypothesis import given, settings
from hypothesis import strategies as some

from shared.stores.server import messages
from shared.stores.server.messages import BinaryWalk, BrokenMessage, ClientGone, CompactWalk, Stream
from tests.shared.stores.wire import arguments_of, message

WALKS = {"binary": BinaryWalk, "compact": CompactWalk}
BINARY = bytes.fromhex("80 01 00 01  00000001 78  00000007")  # a call of x, its arguments still to come
COMPACT = bytes.fromhex("82 21 07  01 78")
CALLS = {"binary": BINARY, "compact": COMPACT}


def stream_of(sent, framed=False, at_once=2**20):
    """A stream that receives these bytes, so many at once, and then its end."""
    unread = bytearray(sent)

    def receive(size):
        piece = bytes(unread[: min(size, at_once)])
        del unread[: len(piece)]
        return piece

    return Stream(receive, framed)


def end_of(protocol, sent, **options):
    return WALKS[protocol](stream_of(sent, **options)).message()


texts = some.binary(max_size=300)
ints = some.integers(-(2**63), 2**63 - 1)
mutations = some.builds(Mutation, isDelete=some.booleans(), column=texts, value=some.none() | texts)
families = some.lists(some.builds(ColumnDescriptor, name=texts), max_size=20)
batches = some.lists(some.builds(BatchMutation, row=texts, mutations=some.lists(mutations, max_size=20)), max_size=4)
scans = some.builds(
    TScan,
    startRow=some.none() | texts,
    timestamp=some.none() | ints,
    columns=some.none() | some.lists(texts, max_size=20),
    reversed=some.none() | some.booleans(),
)
calls = some.one_of(
    some.tuples(some.just("getTableNames")),
    some.tuples(some.just("createTable"), texts, families),
    some.tuples(some.just("mutateRowsTs"), texts, batches, ints, some.dictionaries(texts, texts, max_size=3)),
    some.tuples(some.just("scannerOpenWithScan"), texts, scans),
)


@pytest.mark.parametrize("protocol", WALKS)
@settings(max_examples=60)
@given(
    call=calls,
    sequence_id=some.integers(0, 2**31 - 1),
    at_once=some.integers(1, 500),
    rest=some.binary(),
    cut=some.integers(0),
)
def test_a_message_ends_where_thriftpy2_ended_it_and_a_beginning_waits_for_more(
    protocol, call, sequence_id, at_once, rest, cut
):
    sent = message(call[0], arguments_of(*call), protocol=protocol, sequence_id=sequence_id)
    with pytest.raises(ClientGone):
        end_of(protocol, sent[: cut % len(sent)])
    assert end_of(protocol, sent + rest, at_once=at_once) == len(sent)
    frames = [sent[:5], sent[5:] + rest]
    framed = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
    assert end_of(protocol, framed, framed=True, at_once=at_once) == len(sent)


DEEP = f"message: must nest at most {messages.MAX_NESTED_VALUES} values in each other"
MANY = f"message: must hold at most {messages.MAX_MESSAGE_VALUES} values; send it in smaller batches"
LONG = f"message: must be at most {messages.MAX_MESSAGE_BYTES} bytes (got "
OTHER = "message: must be a call in the "
NAME = f"name of a call: must be 1..{messages.MAX_NAME_BYTES} bytes (got "


TYPE, SMALL_TYPE = "type: wants one of ", "type: wants 1..12 (got "
# By protocol and reason: messages in hex, of which those without a head of their own follow the head of a call of x.
BROKEN = {
    # lengths and counts that are only announced, and lists whose values have no bytes
    ("binary", LONG): ["0b 0001 7fffffff", "0b 0001 ffffffff"],
    ("binary", MANY): [
        *("0f 0001 0b 7fffffff", "0f 0001 0a 7fffffff", "0f 0001 02 ffffffff", "0d 0001 0b 0b 7fffffff"),
        *("0d 0001 02 02 7fffffff", "0f 0001 0f 00000001 0b 7fffffff", "0f 0001 00 7fffffff"),
    ],
    ("binary", TYPE): [
        *("0f 0001 00 00000001", "0f 0001 01 00000001", "0e 0001 10 00000001", "0d 0001 02 01 00000001 00"),
        *("01 0001", "05 0001 00000000", "12 0001 00000000", "ff 0001 00000000"),
    ],
    ("binary", DEEP): ["0c 0001" * 100, "0f 0001" + "0f 00000001" * 100, "0d 0001" + "02 0d 00000001 00" * 100],
    ("compact", LONG): ["18 ffffffff07", "18 ffffffffffffffffff7f"],
    ("compact", "number: must end after 10 bytes"): ["18 ffffffffffffffffffff", "16 ffffffffffffffffffff01"],
    ("compact", MANY): ["19 f8 ffffffff07", "19 f1 ffffffff07", "1b ffffffff07 88"],
    ("compact", f"{SMALL_TYPE}0)"): ["19 10", "1b 01 80 00", "10"],
    ("compact", f"{SMALL_TYPE}13)"): ["19 1d 00"],
    ("compact", f"{SMALL_TYPE}15)"): ["1f"],
    ("compact", DEEP): ["1c" * 100, "19" + "19" * 100, "1b" + "01 3b 00" * 100],
}
# With heads of their own: names, other protocols, other transports, replies.
BROKEN_HEADS = {
    ("binary", f"{NAME}0)"): ["80010001 00000000 00000007 00"],
    ("binary", f"{NAME}1025)"): ["80010001 00000401"],
    ("binary", f"{NAME}4294967295)"): ["80010001 ffffffff"],
    ("binary", f"{OTHER}binary protocol, of a client with the same transport (starts 80 01"): ["80010002 00000001 78"],
    ("binary", f"{OTHER}binary"): [
        *("80010003 00000001 78", "80020001 00000001 78", "00000000 01", "0000001e 80", "00000002 61 62 02"),
        *(b"GET / HTTP/1.1".hex(), COMPACT.hex()),
    ],
    ("compact", f"{NAME}0)"): ["82 21 07 00"],
    ("compact", f"{NAME}1025)"): ["82 21 07 8108"],
    ("compact", f"{OTHER}compact protocol, of a client with the same transport (starts 82 41"): ["82 41 07 01 78"],
    ("compact", f"{OTHER}compact"): ["82 61 07 01 78", "82 22 07 01 78", "00000005 8221", BINARY.hex() + "00"],
}


@pytest.mark.parametrize(
    ("protocol", "why", "sent"),
    [
        *((protocol, why, CALLS[protocol].hex() + rest) for (protocol, why), rests in BROKEN.items() for rest in rests),
        *((protocol, why, sent) for (protocol, why), messages in BROKEN_HEADS.items() for sent in messages),
    ],
)
def test_a_broken_message_is_refused_before_anything_is_allocated(protocol, why, sent):
    with pytest.raises(BrokenMessage, match=re.escape(why)):
        end_of(protocol, bytes.fromhex(sent))


@pytest.mark.parametrize("size", ["00000000", "00200001", "7fffffff", "80010001", "ffffffff"])
def test_a_frame_has_between_one_byte_and_two_mib(size):
    why = r"^frame: must be 1\.\.2097152 bytes \(got \d+\); is the client not framed\?$"
    with pytest.raises(BrokenMessage, match=why):
        end_of("binary", bytes.fromhex(size), framed=True)


def test_a_message_of_the_largest_size_passes_and_one_byte_more_does_not(monkeypatch):
    sent = BINARY + bytes.fromhex("0b 0001 00000064") + bytes(100) + b"\0"
    monkeypatch.setattr(messages, "MAX_MESSAGE_BYTES", len(sent))
    assert end_of("binary", sent, at_once=1) == len(sent)
    monkeypatch.setattr(messages, "MAX_MESSAGE_BYTES", len(sent) - 1)
    with pytest.raises(BrokenMessage, match=f"must be at most {len(sent) - 1} bytes"):
        end_of("binary", sent, at_once=1)


@pytest.mark.parametrize(
    ("protocol", "arguments"),
    [
        ("binary", "0f 0001 0b 00000005" + "00000000" * 5 + "00"),
        ("binary", "02 0001 00" * 6 + "00"),
        ("binary", "0d 0001 02 0b 00000002" + "01 00000000" * 2 + "03 0001 00" + "00"),
        ("compact", "19 58" + "00" * 5 + "00"),
        ("compact", "11" * 6 + "00"),
    ],
)
def test_every_field_and_every_item_is_a_value(monkeypatch, protocol, arguments):
    sent = CALLS[protocol] + bytes.fromhex(arguments)
    monkeypatch.setattr(messages, "MAX_MESSAGE_VALUES", 6)
    assert end_of(protocol, sent) == len(sent)
    monkeypatch.setattr(messages, "MAX_MESSAGE_VALUES", 5)
    with pytest.raises(BrokenMessage, match="must hold at most 5 values"):
        end_of(protocol, sent)
