"""Where a module's own names are used, and other names in their place."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

import libcst as cst
from libcst import matchers as m

from .modules import Unit

Node = TypeVar("Node", bound=cst.CSTNode)


class _References(cst.CSTVisitor):
    """Collects the nodes that stand for names of the module: not attributes, keywords, methods or local variables."""

    def __init__(self, names: Collection[str], only_read: bool) -> None:
        self._names = names
        self._only_read = only_read
        self._local: list[set[str]] = [set()]
        self._in_class: list[bool] = [False]
        self._annotations = 0
        self.found: list[cst.CSTNode] = []

    def _enter(self, local: Iterable[str], in_class: bool) -> None:
        self._local.append({*self._local[-1], *local})
        self._in_class.append(in_class)

    def _leave(self) -> None:
        self._local.pop()
        self._in_class.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        if not self._in_class[-1]:
            node.name.visit(self)
        for part in (*node.decorators, *filter(None, [node.returns])):
            part.visit(self)
        for param in _params(node.params):
            for part in filter(None, [param.annotation, param.default]):
                part.visit(self)
        self._enter(_local_names(node), in_class=False)
        node.body.visit(self)
        self._leave()
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._enter((param.name.value for param in _params(node.params)), in_class=False)
        node.body.visit(self)
        self._leave()
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for part in (node.name, *node.decorators, *node.bases, *node.keywords):
            part.visit(self)
        self._enter((), in_class=True)
        node.body.visit(self)
        self._leave()
        return False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        return not (isinstance(node.target, cst.Name) and (self._only_read or self._in_class[-1]))

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if self._in_class[-1]:
            for part in filter(None, [node.annotation, node.value]):
                part.visit(self)
            return False
        return True

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotations += 1

    def leave_Annotation(self, original_node: cst.Annotation) -> None:
        self._annotations -= 1

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self._names and node.value not in self._local[-1]:
            self.found.append(node)

    def visit_SimpleString(self, node: cst.SimpleString) -> None:
        if self._annotations:
            self.found.append(node)


def _params(params: cst.Parameters) -> list[cst.Param]:
    star = [params.star_arg] if isinstance(params.star_arg, cst.Param) else []
    return [*params.posonly_params, *params.params, *star, *params.kwonly_params, *filter(None, [params.star_kwarg])]


def _local_names(function: cst.FunctionDef) -> set[str]:
    names = {param.name.value for param in _params(function.params)}
    targets = m.findall(function.body, m.AssignTarget() | m.AnnAssign() | m.CompFor() | m.For() | m.NamedExpr())
    for target in targets:
        assert isinstance(target, (cst.AssignTarget, cst.AnnAssign, cst.CompFor, cst.For, cst.NamedExpr))
        names |= {name.value for name in _stored(target.target)}
    return names


def _stored(target: cst.BaseExpression) -> list[cst.Name]:
    if isinstance(target, cst.Name):
        return [target]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in _stored(element.value)]
    return []


class _Replace(cst.CSTTransformer):
    """Puts other nodes in the place of some, which are known by their identity."""

    def __init__(self, nodes: Iterable[cst.CSTNode], new: Callable[[cst.CSTNode], cst.CSTNode]) -> None:
        self._nodes = {id(node) for node in nodes}
        self._new = new

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> cst.CSTNode:  # type: ignore[override]
        return self._new(updated_node) if id(original_node) in self._nodes else updated_node


def replaced(node: Node, values: Mapping[str, cst.BaseExpression], *, only_read: bool = False) -> Node:
    """Code in which other expressions stand for names of its module, or only where these are read."""
    visitor = _References(values.keys(), only_read)
    node.visit(visitor)

    def new(old: cst.CSTNode) -> cst.CSTNode:
        if isinstance(old, cst.SimpleString):
            inner = cst.parse_expression(str(old.evaluated_value))
            text = cst.Module(body=[]).code_for_node(replaced(inner, values))
            return old.with_changes(value=f'"{text}"')
        assert isinstance(old, cst.Name)
        return values[old.value]

    done = node.visit(_Replace(visitor.found, new))
    assert isinstance(done, type(node))
    return done


def rename_in(units: Iterable[Unit], names: Mapping[str, str]) -> None:
    """Gives names of a module other names, where they are defined and where they are used."""
    values = {old: cst.Name(new) for old, new in names.items()}
    for unit in units:
        unit.statements = [replaced(statement, values) for statement in unit.statements]
        unit.names = tuple(names.get(name, name) for name in unit.names)
