"""Writes expressions as ruff would: on one line if they fit, otherwise with an element on each line."""

from collections.abc import Sequence

import libcst as cst

from .modules import LINE_LENGTH

INDENT = "    "


def code_of(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module(body=[]).code_for_node(node)


class _OneLine(cst.CSTTransformer):
    """Takes the line breaks out of an expression."""

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace(" " if original_node.empty_lines is None else "")

    def leave_Comma(self, original_node: cst.Comma, updated_node: cst.Comma) -> cst.Comma:
        return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        return updated_node.with_changes(args=_without_last_comma(updated_node.args))

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.List:
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        if len(updated_node.elements) == 1:
            (element,) = updated_node.elements
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(""))
            return updated_node.with_changes(elements=[element.with_changes(comma=comma)])
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))


def _without_last_comma(elements: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    return [*elements[:-1], *(element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in elements[-1:])]


def one_line(node: cst.CSTNode) -> str:
    """An expression on one line."""
    done = node.visit(_OneLine())
    assert isinstance(done, cst.CSTNode)
    return code_of(done)


def laid_out(node: cst.BaseExpression, indent: str = "", before: int = 0, after: int = 1) -> str:
    """An expression as text.

    `before` and `after` are the characters before and after it on its line, besides the indent.
    """
    line = one_line(node)
    if len(indent) + before + len(line) + after <= LINE_LENGTH:
        return line
    inner = indent + INDENT
    if isinstance(node, cst.Call):
        elements = [_element(arg.keyword, arg.star, arg.value, inner) for arg in node.args]
        return _bracketed(f"{one_line(node.func)}(", elements, ")", indent)
    if isinstance(node, (cst.Tuple, cst.List)):
        left, right = "()" if isinstance(node, cst.Tuple) else "[]"
        elements = [
            _element(None, "*" if isinstance(element, cst.StarredElement) else "", element.value, inner)
            for element in node.elements
        ]
        return _bracketed(left, elements, right, indent)
    if isinstance(node, cst.Dict):
        elements = [_entry(element, inner) for element in node.elements]
        return _bracketed("{", elements, "}", indent)
    if isinstance(node, cst.ConcatenatedString):
        return "(\n" + "".join(f"{inner}{part}\n" for part in _parts(node)) + f"{indent})"
    return line


def _parts(node: cst.BaseExpression) -> list[str]:
    if isinstance(node, cst.ConcatenatedString):
        return [*_parts(node.left), *_parts(node.right)]
    return [code_of(node)]


def _bracketed(left: str, elements: list[str], right: str, indent: str) -> str:
    return f"{left}\n" + "".join(f"{indent}{INDENT}{element},\n" for element in elements) + f"{indent}{right}"


def _element(keyword: cst.Name | None, star: str, value: cst.BaseExpression, indent: str) -> str:
    start = star if keyword is None else f"{keyword.value}="
    return start + laid_out(value, indent, len(start))


def _entry(element: cst.BaseDictElement, indent: str) -> str:
    if isinstance(element, cst.DictElement):
        start = f"{one_line(element.key)}: "
        return start + laid_out(element.value, indent, len(start))
    return f"**{laid_out(element.value, indent, 2)}"
