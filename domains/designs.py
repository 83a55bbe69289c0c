"""All designs of the suite, in the order in which commands show them. A new design is one import and one name here."""

from .counters.design import DESIGN as COUNTERS
from .feeds.design import DESIGN as FEEDS
from .logs.design import DESIGN as LOGS
from .messages.design import DESIGN as MESSAGES
from .monitoring.design import DESIGN as MONITORING
from .orders.design import DESIGN as ORDERS
from .tsdb.design import DESIGN as TSDB

DESIGNS = (ORDERS, LOGS, MONITORING, COUNTERS, MESSAGES, FEEDS, TSDB)
