"""One Python file out of several: the definitions that a module reaches, copied from the modules it imports."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path

PACKAGE = "lazygrad"
_FUTURE = "__future__"
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


def bundled(name: str, sources: Mapping[str, str]) -> str:
    """A file that works without this package: a module, preceded by what it reaches of the package's modules.

    A definition is copied with its comments and under its name, unless two modules define the same one. What a module
    does when it is imported, beside definitions, is kept if any of its definitions is.

    Args:
        name: of the module, which keeps all of its statements and names.
        sources: texts of modules that are not the package's own, or that stand in for those.

    Raises:
        ValueError: something that is needed is no definition, or needs another name where it cannot have one.
    """
    return _Bundle(name, sources).text()


@dataclass
class _Module:
    """The top-level statements of a module.

    Attributes:
        defines: by name, the numbers of the statements that define it.
        imports: names from modules of the package, with where they are defined.
        outside: names from other modules, with the module and the name there; without a name it is the module.
        needed: the numbers of the statements to copy.
    """

    name: str
    lines: list[str]
    statements: list[ast.stmt]
    defines: dict[str, list[int]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    outside: dict[str, tuple[str, str]] = field(default_factory=dict)
    needed: set[int] = field(default_factory=set)

    @staticmethod
    def parsed(name: str, text: str) -> _Module:
        module = _Module(name, text.splitlines(), ast.parse(text).body)
        for number, statement in enumerate(module.statements):
            for defined in _defined_by(statement):
                module.defines.setdefault(defined, []).append(number)
            for imported in _imports_of(statement):
                module._note_import(imported)
        return module

    def _note_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            own = alias.asname or alias.name
            if isinstance(statement, ast.Import):
                self.outside[own.partition(".")[0]] = _aliased(alias), ""
            elif statement.module and statement.module.partition(".")[0] == PACKAGE:
                self.imports[own] = statement.module, alias.name
            elif statement.module != _FUTURE:
                self.outside[own] = statement.module or "", _aliased(alias)

    def runs(self) -> list[int]:
        """The statements that neither define nor import anything; strings say something about what is above them."""
        return [
            number
            for number, statement in enumerate(self.statements)
            if not list(_defined_by(statement))
            and not list(_imports_of(statement))
            and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        ]

    def text_of(self, number: int) -> str:
        """A statement with its decorators and the comments right above and behind it."""
        statement = self.statements[number]
        first = min([statement.lineno, *[each.lineno for each in getattr(statement, "decorator_list", [])]])
        while first > 1 and self.lines[first - 2].startswith("#"):
            first -= 1
        return "\n".join(self.lines[first - 1 : statement.end_lineno])


class _Bundle:
    def __init__(self, name: str, sources: Mapping[str, str]) -> None:
        self._sources = sources
        self._modules: dict[str, _Module] = {}
        self._order: list[_Module] = []  # each after those that it reads
        main = self._module(name)
        self._main = main
        for number, statement in enumerate(main.statements):
            if not list(_imports_of(statement)) and not _is_docstring(number, statement):
                self._need(main, number)
        self._sort(main, set())
        self._names = self._exported_names()

    # What is needed.

    def _module(self, name: str) -> _Module:
        if name not in self._modules:
            text = self._sources.get(name)
            self._modules[name] = _Module.parsed(name, _source_of(name) if text is None else text)
        return self._modules[name]

    def _need(self, module: _Module, number: int) -> None:
        """Mark a statement and all that it reads; without recursion, since chains of definitions are long."""
        pending = [(module, number)]
        while pending:
            at, number = pending.pop()
            if number in at.needed:
                continue
            if not at.needed:
                pending += [(at, other) for other in at.runs()]
            at.needed.add(number)
            for name in _names_in(at.statements[number]):
                found = self._definition(at, name)
                if found is not None:
                    owner, own = found
                    pending += [(owner, other) for other in owner.defines[own]]

    def _definition(self, module: _Module, name: str) -> tuple[_Module, str] | None:
        """Where the package defines what a name of a module stands for; None for what it does not define."""
        while name not in module.defines:
            if name not in module.imports:
                return None
            source, name = module.imports[name]
            module = self._module(source)
            if name not in module.defines and name not in module.imports:
                raise ValueError(f"{module.name}.{name} cannot be copied: it is no definition")
        return module, name

    def _sort(self, module: _Module, seen: set[str]) -> None:
        if module.name in seen:
            return
        seen.add(module.name)
        for source, _ in module.imports.values():
            if source in self._modules:
                self._sort(self._modules[source], seen)
        if module.needed:
            self._order.append(module)

    # What it is called.

    def _exported_names(self) -> dict[tuple[str, str], str]:
        """By module and name, what a definition is called in the file."""
        taken = {name for module in self._order for name in module.outside}
        mentioned = set().union(*map(_mentioned_in, self._order))  # a new name must not be a local variable's
        names: dict[tuple[str, str], str] = {}
        for module in [self._main, *[module for module in self._order if module is not self._main]]:
            own = [name for name, numbers in module.defines.items() if module.needed.intersection(numbers)]
            for name in own:
                others = (other for i in count(2) if (other := f"{name}_{i}") not in mentioned)
                names[module.name, name] = next(each for each in chain([name], others) if each not in taken)
                taken.add(names[module.name, name])
        return names

    def _renamed(self, module: _Module) -> dict[str, str]:
        """The names that a module's text must change."""
        statements = [module.statements[number] for number in module.needed]
        changed = {}
        for name in {name for statement in statements for name in _names_in(statement)}:
            found = self._definition(module, name)
            exported = self._names[found[0].name, found[1]] if found else name
            if exported != name:
                changed[name] = exported
        meant = _mentioned_in(module) - changed.keys()
        hidden = {name for statement in statements for name in _names_in_strings(statement)}
        for name, exported in changed.items():
            if exported in meant:
                raise ValueError(f"{module.name}: {name} would be called {exported}, which means something else there")
            if name in hidden:
                raise ValueError(f"{module.name}: {name} needs another name, but stands in an f-string")
        return changed

    # The file.

    def text(self) -> str:
        docstring = ast.get_docstring(ast.Module(self._main.statements, []), clean=False)
        parts = [] if docstring is None else [self._main.text_of(0)]
        parts.append("\n".join([f"from {_FUTURE} import annotations\n", *self._import_lines()]))
        for module in self._order:
            parts += self._definitions(module)
        return "\n\n".join(parts) + "\n"

    def _import_lines(self) -> list[str]:
        found: dict[str, set[str]] = {}
        for module in self._order:
            used = {name for number in module.needed for name in _names_in(module.statements[number])}
            for name in used & module.outside.keys():
                source, own = module.outside[name]
                found.setdefault(source, set()).add(own)
        modules = [f"import {source}" for source in sorted(found) if "" in found[source]]
        names = {source: ", ".join(sorted(own - {""})) for source, own in sorted(found.items())}
        return modules + [f"from {source} import {listed}" for source, listed in names.items() if listed]

    def _definitions(self, module: _Module) -> Iterator[str]:
        changed = self._renamed(module)
        if module is not self._main:
            yield f"\n# From {module.name}."
        for number in sorted(module.needed):
            text = module.text_of(number)
            is_block = isinstance(module.statements[number], ast.FunctionDef | ast.ClassDef)
            yield ("\n" if is_block else "") + (_with_names(text, changed) if changed else text)


def _aliased(alias: ast.alias) -> str:
    return alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"


def _source_of(name: str) -> str:
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None, name
    return Path(spec.origin).with_suffix(".py").read_text(encoding="utf-8")  # of a compiled module, the file beside it


def _is_docstring(number: int, statement: ast.stmt) -> bool:
    return number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _imports_of(statement: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports of a statement, those for type checkers included."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield statement
    elif isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING":
        for inner in statement.body:
            yield from _imports_of(inner)


def _defined_by(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from _changed_by(target)


def _changed_by(target: ast.expr) -> Iterator[str]:
    """The names that an assignment to a target gives a value, or another content."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _changed_by(item)
    elif isinstance(target, ast.Subscript | ast.Attribute | ast.Starred):
        yield from _changed_by(target.value)


def _names_in(statement: ast.stmt) -> set[str]:
    """All names that a statement mentions; a local variable may be among them, which costs a superfluous copy."""
    own = set(_defined_by(statement)) if isinstance(statement, ast.FunctionDef | ast.ClassDef) else set()
    return own | {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _mentioned_in(module: _Module) -> set[str]:
    """The names that the copied part of a module has for anything, parameters included."""
    statements = [module.statements[number] for number in module.needed]
    return {name for statement in statements for name in _names_in(statement) | _parameters_in(statement)}


def _parameters_in(statement: ast.stmt) -> set[str]:
    return {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}


def _names_in_strings(statement: ast.stmt) -> set[str]:
    """Those inside f-strings, which are one token before Python 3.12."""
    strings = [node for node in ast.walk(statement) if isinstance(node, ast.JoinedStr)]
    return {node.id for string in strings for node in ast.walk(string) if isinstance(node, ast.Name)}


def _with_names(text: str, changed: Mapping[str, str]) -> str:
    """A text with other names for some of its variables, but not of attributes and keywords."""
    lines = text.splitlines(keepends=True)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    places = []
    depth = 0
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        depth += (token.string in _OPENING) - (token.string in _CLOSING)
        is_attribute = before is not None and before.string == "."
        is_keyword = depth > 0 and after is not None and after.string == "="
        if token.type == tokenize.NAME and token.string in changed and not is_attribute and not is_keyword:
            places.append(token)
    for token in reversed(places):
        (row, begin), (_, end) = token.start, token.end
        line = lines[row - 1]
        lines[row - 1] = line[:begin] + changed[token.string] + line[end:]
    return "".join(lines)
