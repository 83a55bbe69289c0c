"""Makes the tables and the code of a variant those of the design itself, in the modules `keys` and `repository`."""

from collections.abc import Iterable, Mapping

import libcst as cst
from libcst import matchers as m

from .flattening import flattened, specialised
from .modules import Module, Package, Unit, is_text, uses
from .names import rename_in
from .pruning import Place, needs

SUFFIX = "__"
"""Separates a name of a variant from its module, until it is known which names are still there."""
BASE = f"{SUFFIX}design"
DESCRIPTION = '"""One method for each question and each write."""'
TABLE_ARGUMENTS: tuple[str, ...] = ("name", "holds", "key", "cells", "families")


def variant_modules(package: Package) -> list[str]:
    """The modules of variants in a package, each after those that it imports."""
    names = [name for name in package if name.startswith("variants.")]
    ordered: list[str] = []

    def add(name: str) -> None:
        if name not in ordered:
            for origin, inner in package[name].imports.names.values():
                for other in (origin[1:], f"{origin[1:]}.{inner}"):
                    if other in names:
                        add(other)
            ordered.append(name)

    for name in names:
        add(name)
    return ordered


def merge_variant(package: Package, variant: str, repository: str) -> None:
    """Moves the modules of a variant into `keys` and `repository`.

    `variant` is its module, `repository` the class of the design's repository, whose name that of the variant gets.
    Names of both are still told apart: `settle_names` gives them their own.
    """
    names = variant_modules(package)
    for name in names:
        _tell_apart(package, name)
    chosen = variant.rpartition(".")[2]
    tables, own = f"TABLES{SUFFIX}{chosen}", f"Repository{SUFFIX}{chosen}"
    to_keys = _of_keys(package, names, tables)
    keys, code = package["keys"], package["repository"]
    has_own = own in package[variant].defined()
    has_tables = tables in package[variant].defined()
    old = {"TABLES": f"TABLES{BASE}"} if has_tables else {}
    moved = {name: [*package[name].units] for name in names}
    if has_tables:
        rename_in([keys.unit("TABLES")], old)
        for units in moved.values():
            rename_in(units, old)
    base_class = code.unit(repository)
    if has_own:
        rename_in([base_class], {repository: f"{repository}{BASE}", **old})
        for units in moved.values():
            rename_in(units, {repository: f"{repository}{BASE}"})
    for name in names:
        keys.units += [unit for unit in moved[name] if (name, unit.names) in to_keys]
        code.units += [unit for unit in moved[name] if (name, unit.names) not in to_keys and unit.names != ("__all__",)]
        _take_imports(package, name, keys, "keys")
        _take_imports(package, name, code, "repository")
        if package[name].description and name == variant:
            keys.description = package[name].description
            if has_own:
                code.description = DESCRIPTION
    for local in [*(name for unit in keys.units for name in unit.names)]:
        code.imports.names.setdefault(local, (".keys", local))
    for module in (keys, code):
        for unit in module.units:
            unit.statements = [_simplified(statement, keys) for statement in unit.statements]
    _make_classes(code)
    for unit in code.units:
        unit.statements = [_simplified(statement, keys) for statement in unit.statements]
    rename_in([*keys.units, *code.units], {tables: "TABLES", own: repository})
    for module in (keys, code):
        for local in [local for local in module.imports.names if local in module.defined()]:
            del module.imports.names[local]
    code.imports.names["TABLES"] = (".keys", "TABLES")
    _lead_to(package, names, tables, repository)
    for name in names:
        del package[name]


def _token(name: str, module: str) -> str:
    return f"{name}{SUFFIX}{module.rpartition('.')[2]}"


def _tell_apart(package: Package, name: str) -> None:
    """Gives the names of a variant's module a suffix, and names that it imports those under which they are defined."""
    module = package[name]
    renamed = {own: _token(own, name) for own in module.defined()}
    for imports in (module.imports, module.typing):
        for local, (origin, inner) in [*imports.names.items()]:
            if origin.startswith("."):
                is_variant = origin[1:] in package and origin[1:].startswith("variants.")
                renamed[local] = _token(inner, origin) if is_variant else inner
                if f"{origin[1:]}.{inner}" not in package:
                    del imports.names[local]
                    imports.names[renamed[local]] = (origin, renamed[local])
    attributes = _of_modules(package, module)
    for unit in module.units:
        unit.statements = [_without_modules(statement, attributes) for statement in unit.statements]
    rename_in(module.units, renamed)


def _of_modules(package: Package, module: Module) -> dict[str, str]:
    """The variants that a module imports as modules, by local name."""
    return {
        local: f"{origin[1:]}.{name}"
        for local, (origin, name) in module.imports.names.items()
        if f"{origin[1:]}.{name}" in package and f"{origin[1:]}.{name}".startswith("variants.")
    }


def _without_modules(node: cst.CSTNode, modules: Mapping[str, str]) -> cst.BaseStatement:
    """Code that names what it uses of variants, not their modules."""

    class Direct(cst.CSTTransformer):
        def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
            value = updated_node.value
            if isinstance(value, cst.Name) and value.value in modules:
                return cst.Name(_token(updated_node.attr.value, modules[value.value]))
            return updated_node

    done = node.visit(Direct())
    assert isinstance(done, cst.BaseStatement)
    return done


def _lead_to(package: Package, variants: Iterable[str], tables: str, repository: str) -> None:
    """Makes what other modules use of variants come from `keys`, and the repository of a variant from `repository`."""
    for module in package.values():
        attributes = _of_modules(package, module)
        if not attributes:
            continue
        for unit in module.units:
            unit.statements = [_without_modules(statement, attributes) for statement in unit.statements]
        used, _ = uses(*(statement for unit in module.units for statement in unit.statements))
        for name in used:
            own = name.rpartition(SUFFIX)[0]
            if own and any(name == _token(own, variant) for variant in variants):
                if own == "Repository":
                    rename_in(module.units, {name: repository})
                    module.imports.names[repository] = (".repository", repository)
                elif name == tables:
                    rename_in(module.units, {name: "TABLES"})
                    module.imports.names["TABLES"] = (".keys", "TABLES")
                else:
                    module.imports.names[name] = (".keys", name)


def _of_keys(package: Package, names: Iterable[str], tables: str) -> set[tuple[str, tuple[str, ...]]]:
    """The statements that belong into `keys`: those that the tables need, and other values that need no repository."""
    units = {(name, own): unit for name in names for unit in package[name].units for own in unit.names}
    homes = {own: name for name, own in units}
    needed: dict[Place, set[Place]] = {}
    for (name, own), unit in units.items():
        used, _ = uses(*unit.statements)
        needed[name, own] = {(homes[other], other) for other in used if other in homes and other != own}
    after_keys = {name for name in package if "keys" in _imported_by(package, name)}

    def fits(place: Place, seen: frozenset[Place] = frozenset()) -> bool:
        name, _own = place
        outside = {inner for inner, _ in needs(package, name, units[place])} - {*names}
        if outside & after_keys:
            return False
        return all(fits(other, seen | {place}) for other in needed[place] if other not in seen)

    wanted, waiting = set[Place](), [place for place in units if place[1] == tables]
    waiting += [place for place, unit in units.items() if not _is_code(unit)]
    while waiting:
        place = waiting.pop()
        if place not in wanted and fits(place):
            wanted.add(place)
            waiting += needed[place]
    return {(name, units[name, own].names) for name, own in wanted}


def _is_code(unit: Unit) -> bool:
    return isinstance(unit.only, (cst.FunctionDef, cst.ClassDef))


def _imported_by(package: Package, name: str) -> set[str]:
    found = set[str]()
    waiting = [name]
    while waiting:
        for origin, _ in package[waiting.pop()].imports.names.values():
            if origin[1:] in package and origin.startswith(".") and origin[1:] not in found:
                found.add(origin[1:])
                waiting.append(origin[1:])
    return found


def _take_imports(package: Package, name: str, into: Module, called: str) -> None:
    module = package[name]
    for source, target in ((module.imports, into.imports), (module.typing, into.typing)):
        target.modules |= source.modules
        for local, (origin, inner) in source.names.items():
            if origin.startswith(".") and (origin[1:].startswith("variants") or origin[1:] == called):
                continue
            target.names.setdefault(local, (origin, inner))


# ---- tables


def _simplified(node: cst.CSTNode, keys: Module) -> cst.BaseStatement:
    """Writes out `TABLES._replace(...)`, and what a table of the design is made of, where only that is used."""

    class Simplify(cst.CSTTransformer):
        def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
            if m.matches(updated_node.func, m.Attribute(value=m.Name(f"TABLES{BASE}"), attr=m.Name("_replace"))):
                return _tables_with(keys, updated_node)
            return updated_node

        def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
            value, name = updated_node.value, updated_node.attr.value
            if isinstance(value, cst.Call) and isinstance(value.func, cst.Name):
                fields = _fields(keys, value.func.value)
                if len(fields) != len(value.args) or any(arg.star for arg in value.args):
                    return updated_node
                return value.args[fields.index(name)].value if name in fields else updated_node
            if isinstance(value, cst.Name) and name in TABLE_ARGUMENTS and SUFFIX not in value.value:
                return _argument(keys, value.value, name) or updated_node
            return updated_node

    done = node.visit(Simplify())
    assert isinstance(done, cst.BaseStatement)
    return done


def _call_of(keys: Module, name: str) -> cst.Call | None:
    """The call whose result a name of `keys` is, if it is one."""
    if name not in keys.defined():
        return None
    statement = keys.unit(name).only
    for assign in m.findall(statement, m.Assign() | m.AnnAssign()):
        assert isinstance(assign, (cst.Assign, cst.AnnAssign))
        return assign.value if isinstance(assign.value, cst.Call) else None
    return None


def _argument(keys: Module, table: str, name: str) -> cst.BaseExpression | None:
    call = _call_of(keys, table)
    if call is None or not m.matches(call.func, m.Name("TableLayout")):
        return None
    given = dict(zip(TABLE_ARGUMENTS, (arg for arg in call.args if arg.keyword is None), strict=False))
    arg = given.get(name) or next((arg for arg in call.args if arg.keyword and arg.keyword.value == name), None)
    return None if arg is None else arg.value


def _tables_with(keys: Module, replace: cst.Call) -> cst.Call:
    """The tables of the design with some in the place of others."""
    call = _call_of(keys, f"TABLES{BASE}")
    assert call is not None
    assert isinstance(call.func, cst.Name)
    fields = _fields(keys, call.func.value)
    new = {arg.keyword.value: arg.value for arg in replace.args if arg.keyword is not None}
    args = [arg.with_changes(value=new.get(field, arg.value)) for field, arg in zip(fields, call.args, strict=True)]
    return call.with_changes(args=args)


def _fields(keys: Module, name: str) -> list[str]:
    """The fields of a class of `keys` that is a named tuple."""
    node = keys.unit(name).only if name in keys.defined() else None
    if not isinstance(node, cst.ClassDef) or not m.matches(node, m.ClassDef(bases=[m.Arg(m.Name("NamedTuple"))])):
        return []
    fields = m.findall(node.body, m.AnnAssign(target=m.Name()))
    return [
        field.target.value
        for field in fields
        if isinstance(field, cst.AnnAssign) and isinstance(field.target, cst.Name)
    ]


# ---- classes


def drop_lacks(code: Module, repository: str) -> None:
    """Drops why the repository lacks some questions, because a package has no other questions."""
    unit = code.unit(repository)
    assert isinstance(unit.only, cst.ClassDef)
    body: list[cst.CSTNode] = []
    is_text_of_it = False
    for statement in unit.only.body.body:
        if is_text_of_it and is_text(statement):
            continue
        is_text_of_it = m.matches(statement, m.SimpleStatementLine(body=[m.AnnAssign(target=m.Name("lacks"))]))
        if not is_text_of_it:
            body.append(statement)
    unit.statements[0] = unit.only.with_changes(body=unit.only.body.with_changes(body=body))


def _make_classes(code: Module) -> None:
    """Makes one class of each that inherits from another of the module, and of each call of `partial`."""
    for unit in code.units:
        if isinstance(unit.only, cst.ClassDef):
            (base, *_others) = [*(arg.value for arg in unit.only.bases), None]
            if isinstance(base, cst.Name) and base.value in code.defined():
                parent = code.unit(base.value).only
                if isinstance(parent, cst.ClassDef) and any(_is_init(statement) for statement in parent.body.body):
                    unit.statements = [flattened(parent, unit.only)]
        elif unit.names and unit.names[0].startswith(f"Repository{SUFFIX}"):
            for call in m.findall(unit.only, m.Call(func=m.Name("partial"))):
                assert isinstance(call, cst.Call)
                of, *bound = call.args
                assert isinstance(of.value, cst.Name)
                parent = code.unit(of.value.value).only
                assert isinstance(parent, cst.ClassDef)
                made = specialised(parent, {arg.keyword.value: arg.value for arg in bound if arg.keyword is not None})
                unit.statements = [made.with_changes(name=cst.Name(unit.names[0]))]


def _is_init(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.FunctionDef) and statement.name.value == "__init__"


def drop_methods(code: Module, repository: str, names: Iterable[str]) -> None:
    """Drops methods of the repository."""
    unit = code.unit(repository)
    assert isinstance(unit.only, cst.ClassDef)
    body: list[cst.CSTNode] = []
    comments: list[cst.EmptyLine] = []
    for statement in unit.only.body.body:
        if isinstance(statement, cst.FunctionDef) and statement.name.value in names:
            if any(line.comment for line in statement.leading_lines):
                comments = [*statement.leading_lines]
        elif isinstance(statement, cst.FunctionDef) and comments:
            body.append(statement.with_changes(leading_lines=comments))
            comments = []
        else:
            body.append(statement)
    unit.statements[0] = unit.only.with_changes(body=unit.only.body.with_changes(body=body))


# ---- names


def settle_names(package: Package) -> None:
    """Gives names of variants their own, unless the package has another such name."""
    defined = {name for module in package.values() for name in (*module.defined(), *module.imports.names)}
    renamed: dict[str, str] = {}
    imported = {name for module in package.values() for name in module.imports.names}
    for token in sorted(name for name in defined if SUFFIX in name.strip("_")):
        name, _, of = token.rpartition(SUFFIX)
        if token in imported:
            name = name.lstrip("_")
        if token.endswith(BASE) or name == "TABLES":
            name = f"MAIN_{name}" if name.isupper() else f"Plain{name}"
        taken = defined | {*renamed.values()}
        renamed[token] = name if name not in taken else f"{name}_{of.upper() if name.isupper() else of}"
    for module in package.values():
        rename_in(module.units, renamed)
        for imports in (module.imports, module.typing):
            for token in renamed.keys() & imports.names.keys():
                origin, _ = imports.names.pop(token)
                imports.names[renamed[token]] = (origin, renamed[token])
