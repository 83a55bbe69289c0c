"""Where a message ends, and what is no message: the walks against what thriftpy2 writes, and against bytes by hand."""

import re

import happybase  # noqa: F401 - makes Hbase_thrift
import pytest
from Hbase_thrift import BatchMutation, ColumnDescriptor, Hbase, Mutation, TScan
from hypothesis import given
from hypothesis import strategies as some
from thriftpy2.protocol import TBinaryProtocol, TCompactProtocol
from thriftpy2.thrift import TMessageType
from thriftpy2.transport import TMemoryBuffer

from shared.stores.server import messages
from shared.stores.server.messages import BinaryWalk, BrokenMessage, ClientGone, CompactWalk, Stream

PROTOCOLS = {"binary": (TBinaryProtocol, BinaryWalk), "compact": (TCompactProtocol, CompactWalk)}
BINARY = bytes.fromhex("80 01 00 01  00000001 78  00000007")  # a call of x, its arguments still to come
COMPACT = bytes.fromhex("82 21 07  01 78")
CALLS = {"binary": BINARY, "compact": COMPACT}


def written(protocol, name, sequence_id=7, **arguments):
    buffer = TMemoryBuffer()
    writing = PROTOCOLS[protocol][0](buffer)
    writing.write_message_begin(name, TMessageType.CALL, sequence_id)
    struct = getattr(Hbase, f"{name}_args")()
    for field, value in arguments.items():
        setattr(struct, field, value)
    struct.write(writing)
    return buffer.getvalue()


def stream_of(sent, framed=False, at_once=2**20):
    """A stream that receives these bytes, so many at once, and then its end."""
    unread = bytearray(sent)

    def receive(size):
        piece = bytes(unread[: min(size, at_once)])
        del unread[: len(piece)]
        return piece

    return Stream(receive, framed)


def end_of(protocol, sent, **options):
    return PROTOCOLS[protocol][1](stream_of(sent, **options)).message()


texts = some.binary(max_size=300)
ints = some.integers(-(2**63), 2**63 - 1)
mutations = some.builds(Mutation, isDelete=some.booleans(), column=texts, value=some.none() | texts)
calls = some.one_of(
    some.tuples(some.just("getTableNames"), some.just({})),
    some.tuples(
        some.just("createTable"),
        some.fixed_dictionaries(
            {"tableName": texts, "columnFamilies": some.lists(some.builds(ColumnDescriptor, name=texts), max_size=20)}
        ),
    ),
    some.tuples(
        some.just("mutateRowsTs"),
        some.fixed_dictionaries(
            {
                "rowBatches": some.lists(
                    some.builds(BatchMutation, row=texts, mutations=some.lists(mutations, max_size=20)), max_size=4
                ),
                "timestamp": ints,
                "attributes": some.dictionaries(texts, texts, max_size=3),
            }
        ),
    ),
    some.tuples(
        some.just("scannerOpenWithScan"),
        some.fixed_dictionaries(
            {
                "scan": some.builds(
                    TScan,
                    startRow=some.none() | texts,
                    timestamp=some.none() | ints,
                    columns=some.none() | some.lists(texts, max_size=20),
                    reversed=some.none() | some.booleans(),
                )
            }
        ),
    ),
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@given(call=calls, sequence_id=some.integers(0, 2**31 - 1), at_once=some.integers(1, 500), rest=some.binary())
def test_a_message_ends_where_thriftpy2_ended_it(protocol, call, sequence_id, at_once, rest):
    name, arguments = call
    sent = written(protocol, name, sequence_id, **arguments)
    assert end_of(protocol, sent + rest, at_once=at_once) == len(sent)
    frames = [sent[:5], sent[5:] + rest]
    framed = b"".join(len(frame).to_bytes(4, "big") + frame for frame in frames)
    assert end_of(protocol, framed, framed=True, at_once=at_once) == len(sent)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_beginning_of_a_message_waits_for_more(protocol):
    batch = BatchMutation(b"r", [Mutation(False, b"d:a", b"x" * 200), Mutation(True, b"d:b")])
    sent = written(protocol, "mutateRows", tableName=b"t", rowBatches=[batch] * 5, attributes={b"a": b""})
    for cut in range(len(sent)):
        with pytest.raises(ClientGone):
            end_of(protocol, sent[:cut])


def test_a_stream_continues_after_the_message_that_was_taken():
    sent = [written("binary", "getTableNames", number) for number in range(50)]
    stream = stream_of(b"".join(sent), at_once=37)
    assert [stream.take(BinaryWalk(stream).message()) for _ in sent] == sent
    assert stream.data == b""


DEEP = f"message: must nest at most {messages.MAX_NESTED_VALUES} values in each other"
MANY = f"message: must hold at most {messages.MAX_MESSAGE_VALUES} values; send it in smaller batches"
LONG = f"message: must be at most {messages.MAX_MESSAGE_BYTES} bytes (got "
OTHER = "message: must be a call in the "
NAME = f"name of a call: must be 1..{messages.MAX_NAME_BYTES} bytes (got "


@pytest.mark.parametrize(
    ("start", "rest", "why"),
    [
        # lengths and counts that are only announced
        (BINARY, "0b 0001 7fffffff", LONG),
        (BINARY, "0b 0001 ffffffff", LONG),
        (BINARY, "0f 0001 0b 7fffffff", MANY),
        (BINARY, "0f 0001 0a 7fffffff", MANY),
        (BINARY, "0f 0001 02 ffffffff", MANY),
        (BINARY, "0d 0001 0b 0b 7fffffff", MANY),
        (BINARY, "0d 0001 02 02 7fffffff", MANY),
        (BINARY, "0f 0001 0f 00000001" + "0b 7fffffff", MANY),
        # lists whose values have no bytes
        (BINARY, "0f 0001 00 7fffffff", MANY),
        (BINARY, "0f 0001 00 00000001", "type: wants one of "),
        (BINARY, "0f 0001 01 00000001", "type: wants one of "),
        (BINARY, "0e 0001 10 00000001", "type: wants one of "),
        (BINARY, "0d 0001 02 01 00000001" + "00", "type: wants one of "),
        # types that are none
        (BINARY, "01 0001", "type: wants one of "),
        (BINARY, "05 0001 00000000", "type: wants one of "),
        (BINARY, "12 0001 00000000", "type: wants one of "),
        (BINARY, "ff 0001 00000000", "type: wants one of "),
        # depth
        (BINARY, "0c 0001" * 100, DEEP),
        (BINARY, "0f 0001" + "0f 00000001" * 100, DEEP),
        (BINARY, "0d 0001" + "02 0d 00000001 00" * 100, DEEP),
        # names
        (b"", "80010001 00000000 00000007 00", f"{NAME}0)"),
        (b"", "80010001 00000401", f"{NAME}1025)"),
        (b"", "80010001 ffffffff", f"{NAME}4294967295)"),
        # other protocols, other transports, replies
        (b"", "80010002 00000001 78", f"{OTHER}binary protocol, of a client with the same transport (starts 80 01"),
        (b"", "80010003 00000001 78", f"{OTHER}binary"),
        (b"", "80020001 00000001 78", f"{OTHER}binary"),
        (b"", "00000000 01", f"{OTHER}binary"),
        (b"", "0000001e 80", f"{OTHER}binary"),
        (b"", "00000002 61 62 02", f"{OTHER}binary"),
        (b"GET / HTTP/1.1", "", f"{OTHER}binary"),
        (COMPACT, "", f"{OTHER}binary"),
    ],
)
def test_a_broken_message_is_refused_before_anything_is_allocated(start, rest, why):
    with pytest.raises(BrokenMessage, match=re.escape(why)):
        end_of("binary", start + bytes.fromhex(rest))


@pytest.mark.parametrize(
    ("start", "rest", "why"),
    [
        (COMPACT, "18 ffffffff07", LONG),
        (COMPACT, "18 ffffffffffffffffff7f", LONG),
        (COMPACT, "18 ffffffffffffffffffff", "number: must end after 10 bytes"),
        (COMPACT, "16 ffffffffffffffffffff01", "number: must end after 10 bytes"),
        (COMPACT, "19 f8 ffffffff07", MANY),
        (COMPACT, "19 f1 ffffffff07", MANY),
        (COMPACT, "1b ffffffff07 88", MANY),
        (COMPACT, "19 10", "type: wants 1..12 (got 0)"),
        (COMPACT, "19 1d 00", "type: wants 1..12 (got 13)"),
        (COMPACT, "1b 01 80 00", "type: wants 1..12 (got 0)"),
        (COMPACT, "1f", "type: wants 1..12 (got 15)"),
        (COMPACT, "10", "type: wants 1..12 (got 0)"),
        (COMPACT, "1c" * 100, DEEP),
        (COMPACT, "19" + "19" * 100, DEEP),
        (COMPACT, "1b" + "01 3b 00" * 100, DEEP),
        (b"", "82 21 07 00", f"{NAME}0)"),
        (b"", "82 21 07 8108", f"{NAME}1025)"),
        (b"", "82 41 07 01 78", f"{OTHER}compact protocol, of a client with the same transport (starts 82 41"),
        (b"", "82 61 07 01 78", f"{OTHER}compact"),
        (b"", "82 22 07 01 78", f"{OTHER}compact"),
        (b"", "00000005 8221", f"{OTHER}compact"),
        (BINARY, "00", f"{OTHER}compact"),
    ],
)
def test_a_broken_message_of_the_compact_protocol_is_refused_too(start, rest, why):
    with pytest.raises(BrokenMessage, match=re.escape(why)):
        end_of("compact", start + bytes.fromhex(rest))


@pytest.mark.parametrize("size", ["00000000", "00200001", "7fffffff", "80010001", "ffffffff"])
def test_a_frame_has_between_one_byte_and_two_mib(size):
    with pytest.raises(
        BrokenMessage, match=r"^frame: must be 1\.\.2097152 bytes \(got \d+\); is the client not framed\?$"
    ):
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


@pytest.mark.parametrize(
    ("protocol", "arguments"),
    [("binary", "0f 0001 00 00000000  0d 0002 00 00 00000000  00"), ("compact", "19 00  1b 00  00")],
)
def test_empty_lists_and_maps_may_have_any_types(protocol, arguments):
    sent = CALLS[protocol] + bytes.fromhex(arguments)
    assert end_of(protocol, sent) == len(sent)
