"""What code by hand shares: texts and times in keys, filters on values, and the first rows of a scan."""

import struct
from contextlib import closing
from itertools import islice

import msgpack

LAST = 2**63 - 1
PAGE_ROWS = 101
"""A page of 100 and one row more, which tells whether there is a next page."""


def text(value):
    return value.encode().replace(b"\0", b"\0\xff") + b"\0\x01"


def unescaped(data):
    return data.replace(b"\0\xff", b"\0").decode()


def time_reversed(time_ms):
    return struct.pack(">Q", LAST - time_ms)


def one_after_the_last(row):
    return row[:-1] + bytes([row[-1] + 1])


def value_filter(family, qualifier, value):
    packed = msgpack.packb(value).replace(b"'", b"''")
    return b"SingleColumnValueFilter('%b','%b',=,'binary:%b',true,true)" % (family, qualifier, packed)


def first(rows, read, limit):
    """The first records, read with one row more, which tells whether there is a next page."""
    with closing(rows):
        return list(map(read, islice(rows, limit + 1)))[:limit]


def first_of(rows, read, limit, is_one):
    """The first records that the client keeps."""
    with closing(rows):
        page = list(islice(filter(is_one, map(read, rows)), limit))
        next(rows, None)
    return page
