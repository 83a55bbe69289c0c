"""The picture of a write: which call decides, and after which calls readers disagree."""

from xml.etree import ElementTree

from shared.designs.pictures import Rung, ladder_picture
from shared.designs.pictures.drawing import BOLD, MARGIN, width_of


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


def test_a_write_that_all_readers_see_at_once_says_so():
    assert ladder(OLD, OLD, NEW).sentence.endswith("call 2 decides. All readers agree after every call.")


def test_of_several_calls_that_decide_the_ladder_shows_the_first_that_a_reader_notices():
    rungs = [Rung("put", number in (1, 3, 4), words) for number, words in enumerate((OLD, OLD, OLD, HALF, NEW))]
    assert (
        "call 3 decides" in ladder_picture("write", ["first", "second", "unchanged"], rungs, is_recovered=True).sentence
    )


def test_calls_beyond_nine_rows_that_readers_do_not_notice_are_one_row():
    texts = texts_of(ladder(OLD, OLD, HALF, HALF, HALF, *[NEW] * 5))
    assert [text for text in texts if "put" in text] == ["1  put", "2  put", "3-4  put, 1 more", "5-9  put, 4 more"]


def test_the_bold_words_of_the_call_that_decides_have_room_beside_what_readers_see():
    call = "checkAndPut in a_table"
    rungs = [Rung(call, number == 1, seen) for number, seen in enumerate((OLD, NEW))]
    picture = ladder_picture("write", ["first", "second", "unchanged"], rungs, is_recovered=True)
    boxes = ElementTree.fromstring(picture.text()).iter("{http://www.w3.org/2000/svg}rect")
    left = min(float(box.get("x")) for box in boxes if box.get("class") == "state")
    assert left > MARGIN + BOLD * width_of(f"1  {call}")
