"""File formats of metrics, in addition to CSV and JSON lines: those of `shared/loading/measurements.py`."""

from shared.loading import NGINX_STATUS, SERIES

FORMATS = (SERIES, NGINX_STATUS)
