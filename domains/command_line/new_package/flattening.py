"""Makes one class of a class and the one from which it inherits, and of a call of `partial` for a class."""

from collections.abc import Iterable, Mapping
from typing import Any

import attrs
import libcst as cst
from libcst import matchers as m

from .formatting import code_of, on_one_line
from .names import replaced

SECTION = "# ----"
QUOTES = '"""'


@attrs.define
class _Method:
    """A statement of a class, and its section: the comment above it or above one before it."""

    node: cst.BaseStatement
    section: str

    @property
    def name(self) -> str:
        return self.node.name.value if isinstance(self.node, cst.FunctionDef) else ""


def flattened(base: cst.ClassDef, derived: cst.ClassDef) -> cst.ClassDef:
    """A class with the statements of both, in the sections of the first; what it calls of `super` stays with it."""
    methods, own = _methods(base), _methods(derived)
    overridden = {method.name for method in methods if method.name} & {method.name for method in own}
    called = _called_of_super(own)
    for method in own:
        if method.name == "__init__":
            init = next(inner.node for inner in methods if inner.name == "__init__")
            assert isinstance(init, cst.FunctionDef)
            assert isinstance(method.node, cst.FunctionDef)
            method.node = _joined(init, method.node)
        else:
            method.node = _without_super(method.node, overridden)
    for name in called & overridden - {"__init__"}:
        place = next(number for number, method in enumerate(methods) if method.name == name)
        kept = methods[place].node
        assert isinstance(kept, cst.FunctionDef)
        methods.insert(place + 1, _Method(kept.with_changes(name=cst.Name(_plain(name))), methods[place].section))
        _move_comment(methods, place, place + 1)
    text, own_text = methods.pop(0), own.pop(0)  # the descriptions
    text.node = _both_texts(text.node, own_text.node)
    for method in own:
        places = [number for number, other in enumerate(methods) if method.name and other.name == method.name]
        if places:
            replaced_node: Any = methods[places[0]].node
            method.node = method.node.with_changes(leading_lines=replaced_node.leading_lines)
            methods[places[0]] = attrs.evolve(method, section=methods[places[0]].section)
        else:
            _insert(methods, method)
    return derived.with_changes(
        bases=base.bases,
        lpar=base.lpar,
        rpar=base.rpar,
        leading_lines=base.leading_lines,
        body=derived.body.with_changes(body=[method.node for method in (text, *methods)]),
    )


def specialised(base: cst.ClassDef, bound: Mapping[str, cst.BaseExpression]) -> cst.ClassDef:
    """A class whose `__init__` is given some arguments: it no longer has them, but for the tables."""
    body: list[cst.BaseStatement] = []
    never_none: set[str] = set()
    for statement in _statements(base):
        if isinstance(statement, cst.FunctionDef) and statement.name.value == "__init__":
            kept = {name: value for name, value in bound.items() if name == "tables"}
            inner = {name: value for name, value in bound.items() if name != "tables"}
            params = _params_without(statement.params, inner, kept)
            never_none = _never_none(statement.body, inner)
            statement = _compact(statement.with_changes(params=params, body=_given(statement.body, inner)))
        done = statement.visit(_NeverNone(never_none))
        assert isinstance(done, cst.BaseStatement)
        body.append(done)
    return base.with_changes(body=base.body.with_changes(body=body))


def _statements(node: cst.ClassDef) -> list[cst.BaseStatement]:
    assert isinstance(node.body, cst.IndentedBlock)
    return [*node.body.body]


def _methods(node: cst.ClassDef) -> list[_Method]:
    section = ""
    methods: list[_Method] = []
    for statement in _statements(node):
        for line in getattr(statement, "leading_lines", ()):
            if line.comment is not None and line.comment.value.startswith(SECTION):
                section = line.comment.value
        methods.append(_Method(statement, section))
    return methods


def _called_of_super(methods: Iterable[_Method]) -> set[str]:
    calls = (call for method in methods for call in m.findall(method.node, _OF_SUPER))
    return {call.attr.value for call in calls if isinstance(call, cst.Attribute)}


_OF_SUPER = m.Attribute(value=m.Call(func=m.Name("super")))


def _plain(name: str) -> str:
    return f"_plain_{name.lstrip('_')}"


def _without_super(node: cst.BaseStatement, overridden: set[str]) -> cst.BaseStatement:
    class Own(m.MatcherDecoratableTransformer):
        @m.leave(_OF_SUPER)
        def call(self, _old: cst.Attribute, new: cst.Attribute) -> cst.Attribute:
            name = new.attr.value
            return cst.Attribute(cst.Name("self"), cst.Name(_plain(name) if name in overridden else name))

    done = node.visit(Own())
    assert isinstance(done, cst.BaseStatement)
    return done


def _move_comment(methods: list[_Method], first: int, second: int) -> None:
    empty = [cst.EmptyLine(indent=False)]
    methods[second].node = methods[second].node.with_changes(leading_lines=empty)


def _both_texts(text: cst.BaseStatement, own: cst.BaseStatement) -> cst.BaseStatement:
    """The description of the first class, then that of the second."""
    first, second = (code_of(part).strip().removeprefix(QUOTES).removesuffix(QUOTES).rstrip() for part in (text, own))
    return cst.parse_statement(f"{QUOTES}{first}\n\n    {second}\n    {QUOTES}")


def _insert(methods: list[_Method], method: _Method) -> None:
    """Puts a new method last in its section; an attribute of the class before all methods."""
    if not method.name:
        methods.insert(0, method)
        return
    places = [number for number, other in enumerate(methods) if method.section and other.section == method.section]
    lines = [line for line in getattr(method.node, "leading_lines", ()) if line.comment is None]
    method.node = method.node.with_changes(leading_lines=lines[:1])
    methods.insert(places[-1] + 1 if places else len(methods), method)


# ---- __init__


def _joined(base: cst.FunctionDef, derived: cst.FunctionDef) -> cst.FunctionDef:
    """The `__init__` of a class in which that of its base stands in the place of the call."""
    body: list[cst.BaseStatement] = []
    params = derived.params
    for statement in derived.body.body:
        calls = m.findall(statement, m.Call(func=_OF_SUPER))
        if not calls:
            assert isinstance(statement, cst.BaseStatement)
            body.append(statement)
            continue
        (call,) = calls
        assert isinstance(call, cst.Call)
        bound, passes_on = _bound(base, call)
        if passes_on:
            kept = {name: value for name, value in bound.items() if name == "tables"}
            params = _params_without(base.params, {}, kept)
            bound = {name: value for name, value in bound.items() if name not in kept}
        else:
            bound = {**_defaults(base), **bound}
        given: Any = _given(base.body, bound)
        body += given.body
    return _compact(derived.with_changes(params=params, body=derived.body.with_changes(body=body)))


def _compact(function: cst.FunctionDef) -> cst.FunctionDef:
    """A function with its parameters on one line."""
    space = cst.SimpleWhitespace("")
    return function.with_changes(params=on_one_line(function.params), whitespace_before_params=space)


def _bound(function: cst.FunctionDef, call: cst.Call) -> tuple[dict[str, cst.BaseExpression], bool]:
    """The arguments of a call by parameter, and whether it passes on further ones."""
    names = [param.name.value for param in function.params.params[1:]]
    bound: dict[str, cst.BaseExpression] = {}
    passes_on = False
    for arg in call.args:
        if arg.star:
            passes_on = True
        else:
            bound[names.pop(0) if arg.keyword is None else arg.keyword.value] = arg.value
    return bound, passes_on


def _defaults(function: cst.FunctionDef) -> dict[str, cst.BaseExpression]:
    params = (*function.params.params, *function.params.kwonly_params)
    return {param.name.value: param.default for param in params if param.default is not None}


def _params_without(
    params: cst.Parameters, bound: Mapping[str, object], defaults: Mapping[str, cst.BaseExpression]
) -> cst.Parameters:
    """Parameters without those that are bound, and with other defaults for some."""

    def of(kept: Iterable[cst.Param]) -> list[cst.Param]:
        return [
            param.with_changes(default=defaults.get(param.name.value, param.default), comma=cst.MaybeSentinel.DEFAULT)
            for param in kept
            if param.name.value not in bound
        ]

    kwonly = of(params.kwonly_params)
    star = cst.ParamStar() if kwonly else cst.MaybeSentinel.DEFAULT
    return params.with_changes(params=of(params.params), kwonly_params=kwonly, star_arg=star)


def _is_none(value: cst.BaseExpression) -> bool:
    return m.matches(value, m.Name("None"))


def _never_none(body: cst.BaseSuite, given: Mapping[str, cst.BaseExpression]) -> set[str]:
    """The attributes that are None only if a parameter is None that is given."""
    found: set[str] = set()
    of_self = m.AssignTarget(target=m.Attribute(value=m.Name("self")))
    for assign in m.findall(body, m.Assign(targets=[of_self], value=m.IfExp(body=m.Name("None"), test=_IS_NONE))):
        assert isinstance(assign, cst.Assign)
        target, value = assign.targets[0].target, assign.value
        assert isinstance(target, cst.Attribute)
        assert isinstance(value, cst.IfExp)
        assert isinstance(value.test, cst.Comparison)
        left = value.test.left
        if isinstance(left, cst.Name) and left.value in given and not _is_none(given[left.value]):
            found.add(target.attr.value)
    return found


_IS_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.Is(), m.Name("None"))])
_IS_NOT_NONE = m.Comparison(comparisons=[m.ComparisonTarget(m.IsNot(), m.Name("None"))])


class _NeverNone(cst.CSTTransformer):
    """Takes what is done if an attribute is not None, which it never is; drops what then cannot be reached."""

    def __init__(self, attributes: set[str]) -> None:
        self._attributes = attributes

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        body: list[cst.BaseStatement] = []
        for statement in updated_node.body:
            if isinstance(statement, cst.If) and self._is_true(statement.test):
                inner: Any = statement.body.body
                body += [inner[0].with_changes(leading_lines=statement.leading_lines), *inner[1:]]
                if m.matches(inner[-1], m.SimpleStatementLine(body=[m.Return()])):
                    break
            else:
                body.append(statement)
        return updated_node.with_changes(body=body)

    def _is_true(self, test: cst.BaseExpression) -> bool:
        if not m.matches(test, _IS_NOT_NONE) or not isinstance(test, cst.Comparison):
            return False
        left = test.left
        is_of_self = m.matches(left, m.Attribute(value=m.Name("self")))
        return is_of_self and isinstance(left, cst.Attribute) and left.attr.value in self._attributes


class _Or(cst.CSTTransformer):
    """Takes the first of `given or other`, and one of the values of `None if given is None else value`."""

    def __init__(self, given: Mapping[str, cst.BaseExpression]) -> None:
        self._given = given

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        left = updated_node.left
        if isinstance(updated_node.operator, cst.Or) and isinstance(left, cst.Name) and left.value in self._given:
            value = self._given[left.value]
            return updated_node.right if _is_none(value) else left
        return updated_node

    def leave_IfExp(self, original_node: cst.IfExp, updated_node: cst.IfExp) -> cst.BaseExpression:
        test = updated_node.test
        if m.matches(test, _IS_NONE) and isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name):
            value = self._given.get(test.left.value)
            if value is not None:
                return updated_node.body if _is_none(value) else updated_node.orelse
        return updated_node


def _given(body: cst.BaseSuite, bound: Mapping[str, cst.BaseExpression]) -> cst.BaseSuite:
    """The body of a function whose parameters have these values; one that it assigns keeps its name from there on."""
    values = dict(bound)
    statements: list[cst.CSTNode] = []
    for statement in body.body:
        assigned = {target.target.value for target in _plain_targets(statement)}
        done = statement.visit(_Or(values))
        assert isinstance(done, cst.CSTNode)
        statements.append(replaced(done, values, only_read=True))
        for name in assigned & values.keys():
            del values[name]
    return body.with_changes(body=statements)


def _plain_targets(statement: cst.CSTNode) -> list[Any]:
    """The targets of assignments to names."""
    return [*m.findall(statement, m.AssignTarget(target=m.Name()))]
