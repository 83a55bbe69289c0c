"""The crash tests of a package whose writes go over several rows: those of the design, in one module."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import libcst as cst
from libcst import matchers as m

from shared.designs import Design, Variant

from .modules import Module, Package, read_module, read_text
from .pruning import drop_unused_imports

Calls: TypeAlias = dict[str, int | Mapping[str, int] | None]
"""How many calls of each write change the store; by variant, if they differ."""
MODULE = "test_crashes"
"""The name that the module has among those of a package."""
CODE = """\
from shared.testing import CrashContract


class TestCrashes(CrashContract):
    stopped = STOPPED
"""
DESCRIPTION = '"""A writer may die, pause or meet another one at any call: readers see all of a write or nothing."""'


def crash_module(design: Design, variant: Variant) -> Module | None:
    """The crash tests of a variant; None if the design has none, or none of this variant."""
    found = _stopped_writes(design.name)
    if found is None or variant.name not in {of.name for of in found.STOPPED.variants} | {design.main.name}:
        return None
    stopped: Any = found.STOPPED
    module = read_module(Path(found.__file__), MODULE)
    module.description = DESCRIPTION
    tests = read_text(CODE, MODULE)
    module.imports.add(tests.imports)
    module.units += tests.units
    for local, (origin, name) in [*module.imports.names.items()]:
        _, is_own, inner = f"{origin}.".partition(f"domains.{design.name}.")
        if is_own:
            module.imports.names[local] = (f".{inner.rstrip('.')}", name)
    calls: Calls = {write.name: write.calls for write in stopped.writes}
    hidden = {view.name for view in stopped.views if variant.name in view.not_in}
    for unit in module.units:
        unit.statements = [_of_variant(statement, variant, calls, hidden) for statement in unit.statements]
    module.units = [unit for unit in module.units if unit.names not in (("steps",), ("words",))]
    drop_unused_imports({}, module)
    return module


def lead_past(package: Package, front: Module) -> None:
    """Makes the crash tests import what they need from the modules that define it, not from the package itself."""
    if MODULE in package:
        names = package[MODULE].imports.names
        names |= {local: front.imports.names[name] for local, (origin, name) in names.items() if origin == "."}


def _stopped_writes(name: str) -> Any:
    """The module with the writes of a design: beside its tests in the repository, beside its code in the wheel."""
    of_wheel = f"{str(__package__).partition('.command_line')[0]}.{name}.stopped_writes"
    for module in (of_wheel, f"tests.domains.{name}.stopped_writes"):
        try:
            if find_spec(module) is not None:
                return import_module(module)
        except ModuleNotFoundError:
            continue
    return None


def _of_variant(node: cst.CSTNode, variant: Variant, calls: Calls, hidden: set[str]) -> cst.BaseStatement:
    """A statement with what it says of one variant only."""

    class Only(m.MatcherDecoratableTransformer):
        @m.leave(m.Call(func=m.Name("Write")))
        def write(self, _old: cst.Call, new: cst.Call) -> cst.Call:
            promised = calls[_text(new)]
            count = promised.get(variant.name) if isinstance(promised, Mapping) else promised
            if count is None:
                return new  # nothing is promised, or other cases than variants are told apart
            return new.with_changes(args=[_with_value(arg, "calls", cst.Integer(str(count))) for arg in new.args])

        @m.leave(m.Call(func=m.Name("View")))
        def view(self, _old: cst.Call, new: cst.Call) -> cst.Call:
            kept = [arg for arg in new.args if not m.matches(arg, m.Arg(keyword=m.Name("not_in")))]
            return new.with_changes(args=[*kept[:-1], kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)])

        @m.leave(m.Tuple())
        def views(self, _old: cst.Tuple, new: cst.Tuple) -> cst.Tuple:
            kept = [
                element
                for element in new.elements
                if not (m.matches(element.value, m.Call(func=m.Name("View"))) and _text(element.value) in hidden)
            ]
            return new.with_changes(elements=kept)

        @m.leave(m.Subscript(value=_VARIANTS))
        def some(self, _old: cst.Subscript, new: cst.Subscript) -> cst.BaseExpression:
            return new.value

        @m.leave(m.ListComp(for_in=m.CompFor(iter=_VARIANTS)))
        def chosen(self, _old: cst.ListComp, new: cst.ListComp) -> cst.BaseExpression:
            if isinstance(new.elt, cst.Name):
                return new.for_in.iter
            return new.with_changes(for_in=new.for_in.with_changes(ifs=[]))

    done = node.visit(Only())
    assert isinstance(done, cst.BaseStatement)
    return done


_VARIANTS = m.Attribute(m.Name("DESIGN"), m.Name("variants"))


def _text(call: Any) -> str:
    """The first argument of a call, which is a text."""
    return str(call.args[0].value.evaluated_value)


def _with_value(arg: cst.Arg, keyword: str, value: cst.BaseExpression) -> cst.Arg:
    return arg.with_changes(value=value) if m.matches(arg, m.Arg(keyword=m.Name(keyword))) else arg
