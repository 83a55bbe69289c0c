"""The tests of a package that a design has in modules of its own: writes that are stopped, and erasures."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import libcst as cst
from libcst import matchers as m

from shared.designs import Design, Variant

from .modules import Module, Package, read_module, read_text
from .pruning import drop_unused_imports

Calls: TypeAlias = dict[str, int | Mapping[str, int] | None]
"""How many calls of each write change the store; by variant, if they differ."""


@attrs.frozen
class OwnTests:
    """A module of tests of a package, made of a module among the tests of a design."""

    module: str
    """The name that the module has among those of a package."""
    source: str
    """The module of the design's tests."""
    value: str
    """What is tested, by its name there."""
    code: str
    says: str

    @property
    def test_class(self) -> str:
        """The name of the class of tests."""
        return self.code.partition("class ")[2].partition("(")[0]


CRASHES = OwnTests(
    "test_crashes",
    "stopped_writes",
    "STOPPED",
    """\
from shared.testing import CrashContract


class TestCrashes(CrashContract):
    stopped = STOPPED
""",
    "A writer may die, pause or meet another one at any call: readers see all of a write or nothing.",
)
ERASURES = OwnTests(
    "test_erasures",
    "erased",
    "ERASED",
    """\
from shared.testing import ErasureContract


class TestErasures(ErasureContract):
    person = ERASED
""",
    "Nothing names what was erased, whatever dies or is stored meanwhile.",
)
OWN_TESTS = (CRASHES, ERASURES)


def test_module(of: OwnTests, design: Design, variant: Variant) -> Module | None:
    """The tests of a variant; None if the design has none, or none of this variant."""
    source = _source(of, design.name)
    if source is None:
        return None
    tested: Any = getattr(source, of.value)
    names = {tested_variant.name for tested_variant in tested.variants}
    if of is CRASHES:
        names.add(design.main.name)  # its writes may be stopped under other names, one for each way to call them
    if variant.name not in names:
        return None
    module = read_module(Path(source.__file__), of.module)
    module.description = f'"""{of.says}"""'
    tests = read_text(of.code, of.module)
    module.imports.add(tests.imports)
    module.units += tests.units
    for local, (origin, name) in [*module.imports.names.items()]:
        _, is_own, inner = f"{origin}.".partition(f"domains.{design.name}.")
        if is_own:
            module.imports.names[local] = (f".{inner.rstrip('.')}", name)
    calls: Calls = {write.name: write.calls for write in getattr(tested, "writes", ())}
    hidden = {view.name for view in getattr(tested, "views", ()) if variant.name in view.not_in}
    for unit in module.units:
        unit.statements = [_of_variant(statement, variant, calls, hidden) for statement in unit.statements]
    drop_unused_imports({}, module)
    return module


def lead_past(package: Package, front: Module) -> None:
    """Makes the tests import what they need from the modules that define it, not from the package itself."""
    for tests in OWN_TESTS:
        if tests.module in package:
            names = package[tests.module].imports.names
            names |= {local: front.imports.names[name] for local, (origin, name) in names.items() if origin == "."}


def _source(of: OwnTests, name: str) -> Any:
    """The module among the tests of a design: beside them in the repository, beside the design's code in the wheel."""
    of_wheel = f"{str(__package__).partition('.command_line')[0]}.{name}.{of.source}"
    for module in (of_wheel, f"tests.domains.{name}.{of.source}"):
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
