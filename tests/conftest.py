"""Settings that every test runs under."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "rowbook",
    settings(
        deadline=None,  # a slow machine is not a wrong key
        suppress_health_check=[HealthCheck.too_slow],  # neither is a busy one
        derandomize="CI" in os.environ,  # there the same examples every time; at home new ones
    ),
)
settings.load_profile("rowbook")
