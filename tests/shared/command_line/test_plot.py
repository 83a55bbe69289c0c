"""`rowbook ask --plot`: an answer as a picture, and what cannot be one."""

from xml.etree import ElementTree

import pytest

PLOT = "ask tsdb query m=max:10m-max:load{host=*} since=2013-01-01 until=2013-01-01T02:00 --plot"


@pytest.mark.usefixtures("few_samples")
def test_the_numbers_of_an_answer_are_drawn_by_time_each_series_by_its_other_values(ok, folder):
    assert ok(f"{PLOT} a.svg").startswith("a.svg: ")
    text = (folder / "a.svg").read_text()
    assert "load" in text
    assert "<title>tsdb query m=max:10m-max:load{host=*}<" in text
    ok(f"{PLOT.replace('m=', 'm=sum:requests&m=')} a.svg")
    titles = [element.text for element in ElementTree.parse(folder / "a.svg").iter() if element.tag.endswith("title")]
    assert titles == ["tsdb query m=sum:requests&m=max:10m-max:load{host=*}"]


@pytest.mark.usefixtures("few_samples")
@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        (f"{PLOT} a.svg --json", 2, "--plot and --json: choose one of them"),
        (f"{PLOT} a.png", 2, "--plot: must be the name of a file that ends in .svg (got 'a.png')"),
        (f"{PLOT} no/a.svg", 1, "no/a.svg: No such file or directory"),
        ("ask orders order order_number=n-1 --plot a.svg", 1, "nothing found, so nothing is drawn"),
        (PLOT.replace("load", "disk") + " a.svg", 1, "nothing found: metric 'disk' has no UID, so nothing is drawn"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(rowbook, line, code, reason):
    ended = rowbook(line)
    assert (ended[0], reason in ended[2]) == (code, True), ended
