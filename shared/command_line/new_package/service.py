"""The service of a package: its endpoints, made of the methods of the repository. All else is in the templates."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from inspect import Parameter
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import attrs

from ...designs import Design, Variant
from ..screen.wrong_usage import WrongUsage
from .copying import repository_class
from .renaming import NewNames
from .templates import filled

FRAMEWORKS: Mapping[str, tuple[str, ...]] = {
    "fastapi": ("fastapi>=0.115", "uvicorn>=0.30"),
    "flask": ("flask>=3", "gunicorn>=23"),
}
"""What a service needs in each web framework: the framework, and what serves it."""
NEEDED = ("prometheus_client>=0.20", "python-json-logger>=3.1")
FOR_TESTS: Mapping[str, tuple[str, ...]] = {"fastapi": ("httpx2",), "flask": ()}
_WRITES = re.compile(r"    # ---- writes\n(.*?)(?=\n *# ---- |\n\S|\Z)", re.DOTALL)
_SCALARS = (str, int, float, bool, bytes)
_COLUMNS = 120


def _classes_of(service: "Service") -> Mapping[str, str]:
    found: dict[str, str] = {}
    for text in service.modules.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, ast.get_source_segment(text, node) or "")
    return found


@attrs.frozen
class Service:
    """The endpoints of a repository, in one web framework."""

    framework: str
    design: Design
    variant: Variant
    modules: Mapping[str, str]
    """The modules of the package, without the modules of its service."""
    names: NewNames
    _classes: Mapping[str, str] = attrs.field(init=False, default=attrs.Factory(_classes_of, takes_self=True))
    """The text of each class of the package, by its name."""

    def files(self, package: str, library: str) -> dict[str, str]:
        """The modules of the service, by their names in the package; what is of the design has its new names."""
        questions, writes, errors = self._questions(), self._writes(), self._errors()
        self._check_names()
        endpoints = {
            "questions": "\n\n\n".join(map(self._question, questions)),
            "writes": "\n\n\n".join(map(self._write, writes)),
            "statuses": ", ".join(f"{self.names.of(error)}: {status}" for error, status in errors.items()),
        }
        named = {*map(self.names.of, errors), *_names_in(endpoints["questions"])}
        made = "Repository" if hasattr(self.variant.module, "Repository") else self._of.__name__
        with_upkeep = not self.design.why_no_upkeep(self.variant)
        values = {
            "name": package,
            "library": library,
            "repository": self.names.of(made),
            "type": self.names.of(made) if isinstance(self._repository, type) else "Any",
            "literal": ", Literal" if "Literal" in named else "",
            **endpoints,
        }
        facts = {self.framework, *(["paged"] if "_page(" in endpoints["questions"] else [])}
        web, process = self._imported(named), self._imported(["TABLES", self.names.of(made)])
        return {
            "service/__init__": '"""The service: `web` answers requests, `process` is what it runs in."""\n',
            "service/process": filled("service_process.py", values | {"imports": process}, facts),
            "service/web": filled(f"service_{self.framework}.py", values | {"imports": web}, facts),
            **({"service/upkeep": filled("service_upkeep.py", values)} if with_upkeep else {}),
        }

    def _check_names(self) -> None:
        """Raises WrongUsage for a new name that the service itself has."""
        names, texts = (
            ("name", "library", "repository", "type", "literal", "imports"),
            ("questions", "writes", "statuses"),
        )
        empty: dict[str, str] = {**dict.fromkeys(names, "x"), **dict.fromkeys(texts, "")}
        of_service = {"live", "ready", "metrics"}
        for template in ("service_process.py", f"service_{self.framework}.py"):
            for node in ast.walk(ast.parse(filled(template, empty, {self.framework}))):
                of_service |= {
                    getattr(node, of) for of in ("id", "arg", "name") if isinstance(getattr(node, of, None), str)
                }
        if taken := sorted({*self.names.names.values()} & of_service):
            raise WrongUsage(f"--record, --rename: the service has the name {taken[0]} already; choose another")

    @property
    def _repository(self) -> Any:
        """What makes the repository of a connection: a class, or a `partial` of one."""
        return getattr(self.variant.module, "Repository", None) or repository_class(self.design)

    @property
    def _of(self) -> type[Any]:
        """The class of the repository."""
        of: type[Any] = getattr(self._repository, "func", self._repository)
        return of

    def _questions(self) -> list[str]:
        """The names of the methods that answer questions."""
        names = dict.fromkeys(pattern.method.__name__ for pattern in self.design.patterns)
        return [name for name in names if hasattr(self._of, name)]

    def _writes(self) -> list[str]:
        """The names of the methods below the heading `writes`, and of the loads, that JSON can call."""
        headed = [text for of in self._of.__mro__ for text in _WRITES.findall(self._classes.get(of.__name__, ""))]
        names = [name for text in headed for name in re.findall(r"(?m)^    def ([a-z]\w*)\(", text)]
        names += [load.store.__name__ for load in self.design.loads]
        return [
            name
            for name in dict.fromkeys(names)
            if name != "erase" and hasattr(self._of, name) and all(_is_from_json(kind) for kind in self._types(name))
        ]

    def _types(self, method: str) -> Iterator[Any]:
        _self, *parameters = inspect.signature(getattr(self._of, method), eval_str=True).parameters.values()
        return (parameter.annotation for parameter in parameters)

    def _method(self, name: str) -> ast.FunctionDef:
        """A method of the repository in its module."""
        of_class = getattr(self._of, name).__qualname__.partition(".")[0]
        (found,) = (
            node
            for node in ast.walk(ast.parse(self._classes[of_class]))
            if isinstance(node, ast.FunctionDef) and node.name == name
        )
        return found

    def _errors(self) -> dict[str, int]:
        """The HTTP status of each error that the package defines: an unknown record, a conflict, or try again."""
        return {
            node.name: next((status for start, status in _STATUSES.items() if node.name.startswith(start)), 409)
            for module, text in self.modules.items()
            if module not in _NOT_CALLED
            for node in ast.parse(text).body
            if isinstance(node, ast.ClassDef) and {"ValueError", "Exception"} & {*map(ast.unparse, node.bases)}
        }

    def _imported(self, names: Collection[str]) -> str:
        """The imports of some names from the package's own modules; names that it does not define are left out."""
        homes: dict[str, str] = {}
        for module, text in self.modules.items():
            if module not in _NOT_CALLED:
                here = [name for name in _defined(text) if self.names.of(name) in names]
                homes = {**dict.fromkeys(here, module), **homes}
        ordered = sorted(homes, key=lambda name: (not name.isupper(), name))
        return "\n".join(
            f"from ..{self.names.module(module).replace('/', '.')} import "
            f"{', '.join(self.names.of(name) for name in ordered if homes[name] == module)}"
            for module in sorted({*homes.values()})
        )

    def _question(self, name: str) -> str:
        if self.framework == "flask":
            return self._endpoint("get", name, [], f"return _asked(repository().{name})")
        method = self._method(name)
        asked = [*_arguments(getattr(self._of, name), method)]
        given = [f"bytes.fromhex({argument})" if kind == "bytes" else argument for argument, kind, _ in asked]
        call = f"repository().{name}({', '.join(given)})"
        parameters = [f"{argument}: {kind.replace('bytes', 'str')}{default}" for argument, kind, default in asked]
        if not _returned(method).startswith(("Query[", "DependentQuery[")):
            return self._endpoint("get", name, parameters, f"return _answer({call})")
        parameters = ["request: Request", *parameters, "limit: Limit = 20", "cursor: str | None = None"]
        return self._endpoint("get", name, parameters, f"return _page(request, {call}, limit, cursor)")

    def _write(self, name: str) -> str:
        if self.framework == "flask":
            return self._endpoint("post", name, [], f"return _written(repository().{name})")
        call = f"repository().{name}(**read_arguments(repository().{name}, given))"
        if _returned(self._method(name)) == "None":
            return self._endpoint("post", name, ["given: Given"], call, options=", status_code=204", returned="None")
        return self._endpoint("post", name, ["given: Given"], f"return _answer({call})")

    def _endpoint(
        self, verb: str, name: str, parameters: list[str], body: str, *, options: str = "", returned: str = "Response"
    ) -> str:
        """An endpoint, which says what the first paragraph of the repository's method says."""
        line = f"def {name}({', '.join(parameters)}) -> {returned}:"
        if len(line) > _COLUMNS:
            listed = "".join(f"    {parameter},\n" for parameter in parameters)
            inside = f"    {', '.join(parameters)}\n"
            line = f"def {name}(\n{inside if len(inside) <= _COLUMNS else listed}) -> {returned}:"
        said = (ast.get_docstring(self._method(name)) or name).partition("\n\n")[0]
        said = said.partition(" Costs:")[0].partition("\nCosts:")[0]
        lines = textwrap.wrap(" ".join(said.split()), _COLUMNS - 10)
        docstring = f'"""{lines[0]}"""' if len(lines) == 1 else '"""' + "\n    ".join([*lines, '"""'])
        text = f"{line}\n    {docstring}\n    {body}"
        return f'@app.{verb}("/{self.names.of(name)}"{options})\n{self.names.code(text)}'


_STATUSES = {"Unknown": 404, "TooMany": 503}
"""The HTTP status of errors by the beginnings of their names; that of all others is 409."""
_NOT_CALLED = ("design", "formats", "example", "__init__")
"""The modules of a package that a service does not call, or that only repeat names."""


def _names_in(code: str) -> set[str]:
    """The names that code uses; its docstrings may name others."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def _defined(text: str) -> Iterator[str]:
    """The classes and the variables of a module."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _is_from_json(kind: Any) -> bool:
    """Whether `read_arguments` reads arguments of a type."""
    if get_origin(kind) in (Union, UnionType):
        return all(_is_from_json(one) for one in get_args(kind) if one is not NoneType)
    if get_origin(kind) is Iterable:
        return _is_from_json(get_args(kind)[0])
    return get_origin(kind) is Literal or kind in _SCALARS or attrs.has(kind)


def _returned(method: ast.FunctionDef) -> str:
    return "None" if method.returns is None else ast.unparse(method.returns)


def _arguments(called: Callable[..., Any], method: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    """The name, the type and the default of each argument, as text."""
    _self, *parameters = inspect.signature(called).parameters.values()
    for parameter, argument in zip(parameters, method.args.args[1:], strict=True):
        assert argument.annotation is not None
        default = "" if parameter.default is Parameter.empty else f" = {parameter.default!r}"
        yield argument.arg, ast.unparse(argument.annotation), default
