"""What the tests of single designs offer to tests of all designs, found by file and name, and a contract of each."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from tests.copies import ROOT
from tests.designs import all_designs


def by_design(file: str, name: str) -> dict[str, Any]:
    """`name` of the module `file` of every `tests/domains/<design>/` that has it, by design."""
    folder = ROOT / "tests" / "domains"
    designs = [design.name for design in all_designs() if (folder / design.name / f"{file}.py").exists()]
    modules = {design: import_module(f"tests.domains.{design}.{file}") for design in designs}
    return {design: getattr(module, name) for design, module in modules.items() if hasattr(module, name)}


def contracts(contract: type, name: str, values: Mapping[str, Any], **others: Any) -> dict[str, type]:
    """A class of tests for each design, by its name: the contract with the design's value of the attribute `name`."""
    classes = {f"Test{design.title()}{'All' if others else ''}": value for design, value in values.items()}
    return {of: type(of, (contract,), {name: value, **others}) for of, value in classes.items()}
