r"""Access logs by the layout of the server: columns, times, what is escaped, and where a line is not of the layout."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.loading import layout_format
from shared.records import parse_time
from shared.records.times import parse_datetime
from tests.copies import ROOT
from tests.engines import examples

REAL = ROOT.parent / "shared" / "data" / "logs" / "apache_access.log"
LINE = '1.2.3.4 - ada [10/Oct/2000:13:55:36 -0700] "GET /a.gif HTTP/1.0" 200 2326'
TIME_MS = parse_time("2000-10-10T20:55:36Z")
INGRESS = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"'
    " $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name] $upstream_addr"
    " $upstream_response_length $upstream_response_time $upstream_status $req_id"
)


def rows(kind, layout, *lines):
    return [values for _, _, values in layout_format(kind, layout).read(iter(lines), Path("any.log"))]


def row(kind, layout, line):
    (values,) = rows(kind, layout, line + "\n")
    return values


def test_the_layouts_that_have_names():
    common = {"host": "1.2.3.4", "identity": None, "user": "ada", "time": TIME_MS, "request": "GET /a.gif HTTP/1.0"}
    common |= {"status": "200", "bytes": "2326", "method": "GET", "path": "/a.gif", "protocol": "HTTP/1.0"}
    assert row("apache", "common", LINE) == common
    assert row("apache", "combined", f'{LINE} "-" "curl"') == common | {"referer": None, "agent": "curl"}
    vhost = row("apache", "vhost_combined", f'example.com:443 {LINE} "-" "curl"')
    assert (vhost["server"], vhost["port"], vhost["bytes_out"]) == ("example.com", "443", "2326")
    nginx = row("nginx", "combined", f'{LINE} "-" "curl"')
    assert (nginx["remote_addr"], nginx["time_local"], nginx["body_bytes_sent"]) == ("1.2.3.4", TIME_MS, "2326")


def test_the_time_column_is_known_and_so_are_all_columns():
    for kind, layout, time in (("apache", "common", "time"), ("nginx", "combined", "time_local"), ("apache", "%h", "")):
        format = layout_format(kind, layout)
        assert format.time_column == time
        assert time in format.header("") or not time
    assert layout_format("nginx", "$msec $time_iso8601").time_column == "msec"
    assert layout_format("apache", "%{%H:%M}t %h").time_column == ""


@pytest.mark.parametrize(
    ("layout", "written", "time"),
    [
        (
            "[%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] %h",
            "[10/Oct/2000:13:55:36.042 -0700] h",
            "2000-10-10T13:55:36.042-0700",
        ),
        ("%{%Y-%m-%dT%H:%M:%S%z}t %h", "2000-10-10T13:55:36-0700 h", "2000-10-10T13:55:36-0700"),
        ("%{%F %T}t %h", "2000-10-10 13:55:36 h", "2000-10-10 13:55:36"),
        ("%{%e/%m/%y %I:%M %p}t %h", " 9/10/00 12:55 PM h", "2000-10-09T12:55:00"),
        ("%{sec}t %h", "971211336 h", 971_211_336_000),
        ("%{msec}t %h", "971211336042 h", 971_211_336_042),
        ("%{usec}t %h", "971211336042000 h", 971_211_336_042),
        ("%{usec}t %h", "971211336042001 h", "2000-10-10T20:55:36.042001Z"),
        ("%{sec}t.%{usec_frac}t %h", "971211336.042001 h", "2000-10-10T20:55:36.042001Z"),
    ],
)
def test_a_time_may_be_written_in_many_ways(layout, written, time):
    assert row("apache", layout, written) == {"host": "h", "time": time}
    assert type(time) is int or parse_datetime(time)


def test_a_time_of_a_day_stays_text():
    assert row("apache", "%{%H:%M}t %h", "13:55 h") == {"host": "h", "time": "13:55"}


def test_a_month_that_is_none_is_the_reason_of_a_line():
    assert row("apache", "%{%d %b %Y}t %h", "10 Okt 2000 h") == "time: must have a month such as Dec (got 'Okt')"
    assert row("apache", "common", LINE.replace("Oct", "Okt")).startswith("time: must be a time such as 17/May/2015:")


def test_headers_have_their_own_names_and_may_be_lists():
    layout = '%{X-Forwarded-For}i %h "%{Cookie}i" %{Content-Type}o %{SSL_PROTOCOL}x %D'
    assert row("apache", layout, '1.2.3.4, 5.6.7.8 h "a=b; c=\\"d\\"" text/html TLSv1.2 17') == {
        "X-Forwarded-For": "1.2.3.4, 5.6.7.8",
        "host": "h",
        "Cookie": 'a=b; c="d"',
        "Content-Type": "text/html",
        "SSL_PROTOCOL": "TLSv1.2",
        "duration_us": "17",
    }


def test_a_minus_is_nothing_and_no_bytes_are_0():
    values = row("apache", "common", 'h - - [10/Oct/2000:13:55:36 -0700] "-" 408 -')
    assert (values["user"], values["request"], values["method"], values["bytes"]) == (None, None, None, "0")


def test_a_value_outside_quotes_has_no_blanks_so_that_no_column_is_taken_for_another():
    reason = "must be common, and has no '[' at character 15 (got "
    assert row("apache", "common", LINE.replace("ada", "ada lovelace")).startswith(reason)
    reason = "must be combined, and has no '[' at character 27 (got "
    assert row("apache", "combined", f'example.com:443 {LINE} "-" "-"').startswith(reason)


def test_what_is_escaped_is_read_as_what_it_stands_for_unless_it_is_no_text():
    written = LINE.replace("/a.gif", r"/\"\\\xc3\xa9\t\xff")
    assert row("apache", "common", written)["path"] == '/"\\é\t\\xff'
    assert row("nginx", '"$request"', r'"GET /\x22\xD0\xAF HTTP/1.1"')["path"] == '/"Я'


def test_upstreams_of_nginx_are_lists():
    start = '192.168.64.14 - - [07/Feb/2020:12:02:42 +0000] "GET /v2 HTTP/1.1" 200 61 "-" "Mozilla/5.0 (M)" 348 0.001'
    of_two = row("nginx", INGRESS, f"{start} [web-80] [] 1.1.1.1:80, [2a02::7]:80 61, 100 0.100, - 200, 203 835136ae")
    assert (of_two["upstream_addr"], of_two["upstream_status"]) == ("1.1.1.1:80, [2a02::7]:80", "200, 203")
    redirected = row("nginx", INGRESS, f"{start} [web-80] [] 1.1.1.1:80 : 2.2.2.2:80 5 : 6 1 : 2 302 : 200 835136ae")
    assert (redirected["upstream_addr"], redirected["upstream_response_length"]) == ("1.1.1.1:80 : 2.2.2.2:80", "5 : 6")
    none = row("nginx", INGRESS, f"{start} [] [] - - - - 835136ae")
    assert (none["proxy_upstream_name"], none["upstream_addr"], none["req_id"]) == ("", None, "835136ae")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (LINE + " x", "must be common, and goes on after that at character 74 (got "),
        (LINE.replace(" 200 ", " 2000 "), "must be common, and has no ' ' at character 69 (got "),
        (LINE.replace('"GET', "GET"), "must be common, and has no '\"' at character 44 (got "),
        (LINE.replace(" 200 ", " ok "), "must be common, and has no %>s at character 66 (got "),
        ("", "must be common, and has no ' ' at character 2 (got 'x')"),
    ],
)
def test_a_line_of_another_layout_is_refused_with_where_it_differs(line, reason):
    assert row("apache", "common", line or "x").startswith(reason)


@pytest.mark.parametrize(
    ("kind", "layout", "reason"),
    [
        ("apache", "%h%l", "must have a text between %h and %l"),
        ("apache", "%h %Q", "%Q is not known; must be one of %a %A %B %b "),
        ("apache", "%h %{x}Z", "%{x}Z is not known; must be one of %a %A %B %b "),
        ("apache", "%h %", "% is not known; must be one of "),
        ("apache", "%h %{%Q}t", "%{%Q}t: %Q is not known in the time '%Q'"),
        ("apache", "%{%Y}t %{%Y}t", "its time must have one year (got 2)"),
        ("apache", "%t %{sec}t", "must have one time (got %t and %{sec}t)"),
        ("apache", "%h %h", "must have one host (got %h and %h)"),
        ("apache", "x", "must have a directive such as %h (got 'x')"),
        ("nginx", "$a$b", "must have a text between $a and $b"),
        ("nginx", "$a $", "a $ must begin the name of a variable (got '$a $')"),
        ("nginx", "x", "must have a directive such as $status (got 'x')"),
    ],
)
def test_a_wrong_layout_is_an_error_of_one_line(kind, layout, reason):
    with pytest.raises(ValueError, match=r"^layout: ") as caught:
        layout_format(kind, layout)
    assert str(caught.value).startswith(f"layout: {reason}")


TEXT = st.text(st.characters(min_codepoint=32, exclude_characters='"\\\x7f', exclude_categories=["Cs"]))


@settings(max_examples=examples(50))
@given(TEXT, TEXT, st.sampled_from(["", "x", '"', " 17 "]))
def test_no_line_needs_long_and_quoted_text_is_read_as_it_is(referer, agent, more):
    values = row("apache", "combined", f'{LINE} "{referer}" "{agent}"{more}')
    if more:
        assert "must be combined" in values
    else:
        wanted = [None if text == "-" else text for text in (referer, agent)]
        assert [values["referer"], values["agent"]] == wanted


@pytest.mark.long
def test_the_longest_line_that_is_almost_of_a_layout_is_refused_at_once():
    assert "must be combined" in row("apache", "combined", LINE + ' "' + 'a, " ' * 2_000_000)
    assert "must be" in row("nginx", "$http_a $http_b $http_c [$http_d]", "a, " * 3_000_000)


@pytest.mark.skipif(not REAL.exists(), reason="the real file is not on this machine")
@pytest.mark.parametrize(("kind", "layout"), [("apache", "combined"), ("nginx", "combined")])
def test_each_line_of_a_real_log_is_read(kind, layout):
    written = REAL.read_text().splitlines(keepends=True)
    assert len(written) == len([values for values in rows(kind, layout, *written) if isinstance(values, dict)])
