"""All designs of the suite, in the order in which commands show them. A new design is one import and one name here."""

from .logs.design import DESIGN as LOGS
from .orders.design import DESIGN as ORDERS

DESIGNS = (ORDERS, LOGS)
