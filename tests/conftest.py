"""Settings that every test runs under."""

from hypothesis import settings

settings.register_profile("rowbook", settings(deadline=None))  # a slow machine is not a wrong key
settings.load_profile("rowbook")
