"""What a real HBase and its Java client answered to published claims, as recorded, and as the pages show it."""

from shared.keys import Descending, Int64
from tests.programs.pages.claim_blocks import TIME_MS, keys_blocks, logs_blocks, recorded, stores_blocks
from tests.programs.pages.numbered_keys import BUCKETS, java_hash, java_remainder


def figures(claim):
    return recorded()[claim]["figures"]


def rows_of(block):
    """The cells of each row of the table of a block, below its head."""
    lines = [line for line in block.splitlines() if line.startswith("| ")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def number(cell):
    return int(cell.replace(",", ""))


def test_rows_are_read_before_any_file_has_them_and_a_block_is_read_from_its_file_once():
    gets = figures("memory")["gets"]
    rows = [[moment, *map(number, cells)] for moment, *cells in rows_of(stores_blocks()["reads-in-memory"])]
    assert rows == [["in memory", gets, 0, 0, 0], ["after a flush", gets, 1, 1, gets - 1], ["again", gets, 1, 0, gets]]


def test_longer_keys_leave_room_for_fewer_rows_in_the_memstore_and_in_the_block_cache():
    rows = [[*map(number, cells)] for _keys, *cells in rows_of(stores_blocks()["keys-in-memory"])]
    for cell, memstore, cache in rows:
        assert cell < cache < 1.05 * cell
        assert 80 < memstore - cell < 100
    assert rows == sorted(rows)


def test_an_index_grows_with_the_keys_and_compression_leaves_it_as_it_is():
    sizes = {(keys, compression): of for keys, compression, *of in rows_of(stores_blocks()["index-sizes"])}
    for keys in ("16 bytes", "100 bytes"):
        plain, compressed = (sizes[keys, compression] for compression in ("NONE", "GZ"))
        assert plain[:2] == compressed[:2]
        assert number(compressed[2]) < number(plain[2]) / 2
    short, long = (number(sizes[keys, "NONE"][1]) for keys in ("16 bytes", "100 bytes"))
    assert 5 < long / short < 100 / 16
    assert all(float(share.rstrip("%")) < 1 for *_sizes, share in sizes.values())
    for (keys, _), (blocks, index, *_rest) in sizes.items():
        assert number(index) > number(blocks) * int(keys.split()[0])


def test_a_scan_of_the_java_client_has_set_reversed_and_not_set_reverse():
    assert figures("java client")["compiled"] == {
        "setReverse": "cannot find symbol: method setReverse(boolean)",
        "setReversed": "",
    }
    assert logs_blocks()["set-reversed"].startswith(
        "```java\nscan.setReverse(true)\n// cannot find symbol: method setReverse(boolean)\n"
        "scan.setReversed(true)\n// returns the scan\n```"
    )


def test_a_struct_of_the_java_client_makes_the_key_of_a_layout_and_refuses_its_terminator():
    raw, raw_nul, ordered, ordered_nul, here, here_nul = (key for *_types, key in rows_of(keys_blocks()["composite"]))
    assert raw == here == "`73 2d 31 37 00 01 7f ff fe 8f e6 74 d0 77`"
    assert ordered == "`34 73 2d 31 37 00 d3 7f ff fe 8f e6 74 d0 77`"
    assert raw_nul == "refused: Encoded value contains terminator sequence."
    assert ordered_nul == "refused: Cannot encode String values containing '\\u0000'"
    assert here_nul == "`61 00 ff 01 00 01 7f ff fe 8f e6 74 d0 77`"


def test_the_published_bytes_of_a_time_are_those_of_a_descending_number():
    printed = figures("java client")["printed"]
    of_time = {int(name.split()[1]): made for name, made in printed.items() if name.startswith("timestampBytes ")}
    assert {TIME_MS, 0, -1} == of_time.keys()
    assert {time: Descending(Int64).encode(time).hex() for time in of_time} == of_time


def test_the_hashes_and_remainders_of_java_are_those_of_the_page():
    printed = figures("java client")["printed"]
    hashes = {name.removeprefix("hash of "): made for name, made in printed.items() if name.startswith("hash of ")}
    assert "user_1" in hashes
    for text, made in hashes.items():
        hash_ = java_hash(text)
        assert made == f"{hash_} {java_remainder(hash_, BUCKETS)} {hash_ % BUCKETS}"
