"""Reduces `design.py` to what a package of one's own needs: its loads, its questions, and one variant."""

from collections.abc import Collection

import libcst as cst
from libcst import matchers as m

from shared.designs import Design, Variant

from .formatting import laid_out
from .modules import Module, Statement, Unit, uses

DESCRIPTION = '"""The loads and questions of this package, for the command `rowbook` and for the tests."""'
SAMPLES = 'SAMPLES = Path(__file__).parent / "samples"'
OF_SUITE = ("traps", "published", "published_columns", "crossing", "own_blocks", "settings")
"""The arguments of a `Design` that only the suite has."""
OF_CHOICE = ("wrong", "mistake", "take_if", "avoid_if")
"""The arguments of a `Variant` that help to choose one."""
ORDER = m.SimpleString('"order"')
"""The fact that all variants answer in one order: a package has no other variant."""
PATTERN, EXEMPTION = m.Call(func=m.Name("AccessPattern")), m.Call(func=m.Name("Exemption"))


def reduce_design(
    module: Module, design: Design, variant: Variant, name: str, opened: str, left_out: Collection[str], of: type
) -> None:
    """Keeps one variant, which becomes the design itself, called `name`.

    `opened` names the class of its repository, unless it is that of the design with other tables; `of` is that class,
    whose methods alone a load may name. The questions `left_out`, in words, are dropped, and so is what is said about
    them alone.
    """
    module.description = DESCRIPTION
    of_order = m.SimpleStatementLine(body=[m.Assign(value=m.Call(m.Name("Exemption"), [m.Arg(ORDER), m.ZeroOrMore()]))])
    gone = {
        unit.names[0] for unit in module.units if _question(unit.only) in left_out or m.matches(unit.only, of_order)
    }
    module.units = [unit for unit in module.units if not gone.intersection(unit.names)]
    for unit in module.units:
        if unit.names == ("SAMPLES",):
            _replace(unit, SAMPLES)
        elif unit.names == ("DESIGN",):
            call = value_of(unit).visit(_One(design.variants.index(variant), name, opened, of))
            assert isinstance(call, cst.Call)
            _replace(unit, f"DESIGN = {laid_out(_without(call, gone), before=len('DESIGN = '))}")
        elif gone & uses(unit.only)[0]:
            kept = _without(value_of(unit), gone)
            _replace(unit, f"{unit.names[0]} = {laid_out(kept, before=len(unit.names[0]) + 3)}")


def value_of(unit: Unit) -> cst.BaseExpression:
    """The value of an assignment."""
    (assign,) = m.findall(unit.only, m.Assign())[:1]
    assert isinstance(assign, cst.Assign)
    return assign.value


def _replace(unit: Unit, code: str) -> None:
    statement = cst.parse_statement(code)
    assert isinstance(statement, cst.SimpleStatementLine)
    assert isinstance(unit.only, cst.SimpleStatementLine)
    unit.statements[0] = statement.with_changes(leading_lines=unit.only.leading_lines)


def _question(statement: Statement) -> str | None:
    """The question in words of an `AccessPattern` that is assigned; otherwise None."""
    for call in m.findall(statement, PATTERN):
        assert isinstance(call, cst.Call)
        words = call.args[0].value
        assert isinstance(words, (cst.SimpleString, cst.ConcatenatedString))
        return str(words.evaluated_value)
    return None


class _One(m.MatcherDecoratableTransformer):
    """Keeps one variant, and of a design what is not only the suite's."""

    def __init__(self, number: int, name: str, opened: str, of: type) -> None:
        super().__init__()
        self._number, self._name, self._opened, self._of = number, name, opened, of

    @m.leave(m.Call(func=m.Name("Load")))
    def _load(self, _old: cst.Call, new: cst.Call) -> cst.Call:
        return new.with_changes(args=[arg for arg in new.args if not self._is_lacking(arg.value)])

    def _is_lacking(self, value: cst.BaseExpression) -> bool:
        """Whether a value is a method that the repository does not have."""
        return isinstance(value, cst.Attribute) and bool(self._opened) and not hasattr(self._of, value.attr.value)

    @m.leave(m.Call(func=m.Name("Design")))
    def _design(self, _old: cst.Call, new: cst.Call) -> cst.Call:
        return new.with_changes(args=[self._of_design(arg) for arg in new.args if _keyword(arg) not in OF_SUITE])

    def _of_design(self, arg: cst.Arg) -> cst.Arg:
        if _keyword(arg) == "name":
            return arg.with_changes(value=cst.SimpleString(f'"{self._name}"'))
        if _keyword(arg) == "repository" and self._opened:
            return arg.with_changes(value=cst.Name(self._opened))
        if _keyword(arg) == "variants":
            assert isinstance(arg.value, cst.Tuple)
            return arg.with_changes(value=arg.value.with_changes(elements=[arg.value.elements[self._number]]))
        return arg

    @m.leave(m.Call(func=m.Name("Variant")))
    def _variant(self, _old: cst.Call, new: cst.Call) -> cst.Call:
        _module, *args = (arg for arg in new.args if _keyword(arg) not in OF_CHOICE)
        args.insert(0, cst.Arg(cst.Name("keys")))
        if self._opened:
            args.append(cst.Arg(cst.Name(self._opened), keyword=cst.Name("open"), equal=_EQUAL))
        return new.with_changes(args=args)


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _keyword(arg: cst.Arg) -> str:
    return "" if arg.keyword is None else arg.keyword.value


class _Without(cst.CSTTransformer):
    """Takes names out of tuples, and exemptions that then name nothing."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        elements = [element for element in updated_node.elements if not self._is_gone(element.value)]
        return updated_node.with_changes(elements=elements)

    def _is_gone(self, value: cst.BaseExpression) -> bool:
        if m.matches(value, EXEMPTION) and isinstance(value, cst.Call):
            if m.matches(value.args[0].value, ORDER):
                return True
            return any(isinstance(arg.value, cst.Tuple) and not arg.value.elements for arg in value.args)
        return isinstance(value, cst.Name) and value.value in self._names


def _without(node: cst.BaseExpression, names: Collection[str]) -> cst.BaseExpression:
    done = node.visit(_Without(names))
    assert isinstance(done, cst.BaseExpression)
    return done
