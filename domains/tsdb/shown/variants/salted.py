"""The rows of `tsdb` with OpenTSDB's salt, so that the series of one busy metric are written in several regions.

A metric is read in a range for each bucket; a series stays in one.
"""

from functools import partial

from ...keys import TABLES as UNSALTED
from ...keys import data_table
from ...repository import TsdbRepository
from ...storage.codecs import SeriesSalt

BUCKETS = 8
"""OpenTSDB's own default is 20. It is fixed with the first row."""

TABLES = UNSALTED._replace(points=data_table("tsdb-salted", salt=SeriesSalt(buckets=BUCKETS)))
Repository = partial(TsdbRepository, tables=TABLES)
