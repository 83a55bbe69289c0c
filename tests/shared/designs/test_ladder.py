"""The picture of a write: which call decides, and after which calls readers disagree."""

from xml.etree import ElementTree

from shared.designs.pictures import Rung, ladder_picture


def ladder(*seen, is_recovered=True):
    """A write whose second call decides."""
    rungs = [Rung("put", number == 2, words) for number, words in enumerate(seen)]
    return ladder_picture("write", ["first", "second", "unchanged"], rungs, is_recovered=is_recovered)


def texts_of(picture):
    root = ElementTree.fromstring(picture.text())
    return ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]


OLD, HALF, NEW = ("old", "old", "same"), ("new", "old", "same"), ("new", "new", "same")


def test_a_ladder_says_which_call_decides_and_until_when_readers_disagree():
    picture = ladder(OLD, OLD, HALF, ("new", "-", "same"), NEW, is_recovered=False)
    assert picture.sentence == (
        "`write` makes 4 calls that change the store; call 2 decides. If the writer dies after call 2 or 3, readers "
        "disagree until the same call again completes the write."
    )
    assert picture.description == (
        "Call 2 of the 4 calls of write decides. After 2: second old. After 3: second none. From 4 on all readers see "
        "what is decided."
    )
    texts = texts_of(picture)
    assert "Call 2 of 4 decides; from call 4 on, all readers agree" in texts
    assert "Filled: as decided. Dashed: not yet. Hatched: the list lacks it." in texts
    assert "unchanged" not in texts


def test_calls_beyond_nine_rows_that_readers_do_not_notice_are_one_row():
    texts = texts_of(ladder(OLD, OLD, HALF, HALF, HALF, *[NEW] * 5))
    assert [text for text in texts if "put" in text] == ["1  put", "2  put", "3-4  put, 1 more", "5-9  put, 4 more"]
