"""Contracts as classes to inherit: pytest runs their tests for the design, the plain list or the writes of a subclass.

They need pytest, and get their stores from the fixtures of `pytest_plugin`.
"""

from .crash_contract import CrashContract
from .design_contract import DesignContract
from .erasure_contract import ErasureContract
from .of_design import OpenSamples, open_samples, samples_of
from .plain_lists import PlainList, PlainListContract, answer

__all__ = [
    "CrashContract",
    "DesignContract",
    "ErasureContract",
    "OpenSamples",
    "PlainList",
    "PlainListContract",
    "answer",
    "open_samples",
    "samples_of",
]
