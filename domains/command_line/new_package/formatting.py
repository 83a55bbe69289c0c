"""Writes expressions as ruff would: on one line if they fit, otherwise with an element on each line."""

from collections.abc import Sequence
from typing import TypeVar

import libcst as cst

from .modules import LINE_LENGTH

INDENT = "    "
Node = TypeVar("Node", bound=cst.CSTNode)


def code_of(node: cst.CSTNode) -> str:
    """The text of a node."""
    return cst.Module(body=[]).code_for_node(node)


class _OneLine(cst.CSTTransformer):
    """Takes the line breaks out of an expression."""

    def leave_ParenthesizedWhitespace(
        self, original_node: cst.ParenthesizedWhitespace, updated_node: cst.ParenthesizedWhitespace
    ) -> cst.SimpleWhitespace:
        return cst.SimpleWhitespace(" ")

    def leave_Comma(self, original_node: cst.Comma, updated_node: cst.Comma) -> cst.Comma:
        return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        args = _without_last_comma(updated_node.args)
        return updated_node.with_changes(args=args, whitespace_before_args=cst.SimpleWhitespace(""))

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        return updated_node.with_changes(whitespace_after_param=cst.SimpleWhitespace(""))

    def leave_LeftParen(self, original_node: cst.LeftParen, updated_node: cst.LeftParen) -> cst.LeftParen:
        return cst.LeftParen()

    def leave_RightParen(self, original_node: cst.RightParen, updated_node: cst.RightParen) -> cst.RightParen:
        return cst.RightParen()

    def leave_LeftSquareBracket(
        self, original_node: cst.LeftSquareBracket, updated_node: cst.LeftSquareBracket
    ) -> cst.LeftSquareBracket:
        return cst.LeftSquareBracket()

    def leave_RightSquareBracket(
        self, original_node: cst.RightSquareBracket, updated_node: cst.RightSquareBracket
    ) -> cst.RightSquareBracket:
        return cst.RightSquareBracket()

    def leave_LeftCurlyBrace(
        self, original_node: cst.LeftCurlyBrace, updated_node: cst.LeftCurlyBrace
    ) -> cst.LeftCurlyBrace:
        return cst.LeftCurlyBrace()

    def leave_RightCurlyBrace(
        self, original_node: cst.RightCurlyBrace, updated_node: cst.RightCurlyBrace
    ) -> cst.RightCurlyBrace:
        return cst.RightCurlyBrace()

    def leave_List(self, original_node: cst.List, updated_node: cst.List) -> cst.List:
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))

    def leave_Dict(self, original_node: cst.Dict, updated_node: cst.Dict) -> cst.Dict:
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))

    def leave_Parameters(self, original_node: cst.Parameters, updated_node: cst.Parameters) -> cst.Parameters:
        for kind in ("kwonly_params", "params"):
            if params := getattr(updated_node, kind):
                return updated_node.with_changes(**{kind: _without_last_comma(params)})
        return updated_node

    def leave_Tuple(self, original_node: cst.Tuple, updated_node: cst.Tuple) -> cst.Tuple:
        if len(updated_node.elements) == 1:
            (element,) = updated_node.elements
            comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(""))
            return updated_node.with_changes(elements=[element.with_changes(comma=comma)])
        return updated_node.with_changes(elements=_without_last_comma(updated_node.elements))


def _without_last_comma(elements: Sequence[cst.CSTNode]) -> list[cst.CSTNode]:
    return [*elements[:-1], *(element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in elements[-1:])]


def on_one_line(node: Node) -> Node:
    """Code without line breaks within its statements."""
    done = node.visit(_OneLine())
    assert isinstance(done, type(node))
    return done


def one_line(node: cst.CSTNode) -> str:
    """An expression on one line."""
    return code_of(on_one_line(node)).rstrip(", ")


def laid_out(node: cst.BaseExpression, margin: int = 0, before: int = 0, after: int = 1, indent: str = "") -> str:
    """An expression as text.

    `margin` is the indent that its lines will get besides their own; `before` and `after` are the characters before
    and after it on its line.
    """
    line = one_line(node)
    if margin + len(indent) + before + len(line) + after <= LINE_LENGTH:
        return line
    inner = indent + INDENT

    def element(start: str, value: cst.BaseExpression) -> str:
        return f"{inner}{start}{laid_out(value, margin, len(start), indent=inner)},\n"

    if any(isinstance(arg.value, cst.GeneratorExp) for arg in getattr(node, "args", ())):
        return line  # a comma after it would be an error
    if isinstance(node, cst.Call):
        starts = ((arg.star if arg.keyword is None else f"{arg.keyword.value}=", arg.value) for arg in node.args)
        return f"{one_line(node.func)}(\n{''.join(element(*start) for start in starts)}{indent})"
    if isinstance(node, (cst.Tuple, cst.List)):
        left, right = "()" if isinstance(node, cst.Tuple) else "[]"
        values = (("*" if isinstance(part, cst.StarredElement) else "", part.value) for part in node.elements)
        return f"{left}\n{''.join(element(*value) for value in values)}{indent}{right}"
    if isinstance(node, cst.Dict):
        entries = (
            (f"{one_line(part.key)}: " if isinstance(part, cst.DictElement) else "**", part.value)
            for part in node.elements
        )
        return f"{{\n{''.join(element(*entry) for entry in entries)}{indent}}}"
    if isinstance(node, cst.ConcatenatedString):
        return "(\n" + "".join(f"{inner}{part}\n" for part in _parts(node)) + f"{indent})"
    return line


def _parts(node: cst.BaseExpression) -> list[str]:
    if isinstance(node, cst.ConcatenatedString):
        return [*_parts(node.left), *_parts(node.right)]
    return [code_of(node)]


class Indented(cst.CSTTransformer):
    """A transformer that knows how many spaces stand before the statement that it visits."""

    margin = 0

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        self.margin += len(INDENT)

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.BaseSuite:
        self.margin -= len(INDENT)
        return updated_node


class _Short(Indented):
    """Breaks what became too long by edits: assignments, calls and the parameters of functions."""

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        margin = self.margin
        code = code_of(updated_node.with_changes(leading_lines=(), trailing_whitespace=cst.TrailingWhitespace()))
        if _fits(code, margin) or len(updated_node.body) != 1:
            return updated_node
        (small,) = updated_node.body
        if isinstance(small, (cst.Assign, cst.Return, cst.Expr)) and small.value is not None:
            start = code_of(small.with_changes(value=cst.Name("_"))).removesuffix("_")
            try:
                value = cst.parse_expression(laid_out(small.value, margin, len(start), 0))
            except cst.ParserSyntaxError:  # an operator at the start of a line needs the parentheses that it has
                return updated_node
            return updated_node.with_changes(body=[small.with_changes(value=value)])
        return updated_node

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        margin = self.margin
        head = updated_node.with_changes(leading_lines=(), decorators=(), body=cst.SimpleStatementSuite([cst.Pass()]))
        if _fits(code_of(head).removesuffix("pass\n"), margin):
            return updated_node
        params = head.params
        line = code_of(on_one_line(head.with_changes(params=cst.Parameters()))).removesuffix("pass\n").rstrip()
        before, _, after = line.partition("()")
        inside = one_line(params)
        if margin + len(INDENT) + len(inside) > LINE_LENGTH:
            inside = f",\n{INDENT}".join(_parameters(params)) + ","
        try:
            made = cst.parse_statement(f"{before}(\n{INDENT}{inside}\n){after} pass\n")
        except cst.ParserSyntaxError:
            return updated_node
        assert isinstance(made, cst.FunctionDef)
        return updated_node.with_changes(params=made.params, whitespace_before_params=made.whitespace_before_params)


def _fits(code: str, margin: int) -> bool:
    return all(margin + len(line) <= LINE_LENGTH for line in code.splitlines())


def _parameters(params: cst.Parameters) -> list[str]:
    """The parameters of a function, each as text."""
    parts: list[str] = [one_line(param) for param in params.params]
    if params.kwonly_params:
        parts.append("*")
    elif isinstance(params.star_arg, cst.Param):
        parts.append(one_line(params.star_arg))
    parts += [one_line(param) for param in params.kwonly_params]
    parts += [one_line(param) for param in filter(None, [params.star_kwarg])]
    return [part.rstrip(", ") for part in parts]


def shortened(statement: cst.BaseStatement) -> cst.BaseStatement:
    """A statement whose lines are no longer than they should be, if edits made them so."""
    done = statement.visit(_Short())
    assert isinstance(done, cst.BaseStatement)
    return done
