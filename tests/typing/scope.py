"""One stub file: the names it defines, and the imports that its annotations need."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from tests.typing.origins import Origin, origin

_GIVEN = {name: Origin("typing", name) for name in ("Any", "Self", "Unpack", "overload")}


class Scope:
    """What names mean in a stub.

    Args:
        defined: the names that the stub gives to its readers; what an annotation means by one of them is another
            thing, unless ``origins`` says that it is the same.
        origins: where those of the names that the stub only passes on were defined.
    """

    def __init__(self, defined: Iterable[str], origins: dict[str, Origin] | None = None) -> None:
        self._defined = set(defined)
        self._passed_on = {made: name for name, made in (origins or {}).items()}
        self._imports: dict[str, str] = {}  # name → statement

    def annotation(self, text: str, module: str) -> str:
        """An annotation as ``module`` writes it, in names of this stub."""
        tree = ast.parse(text, mode="eval")
        return ast.unparse(_Renamed(self, module).visit(tree))

    def given(self, name: str) -> str:
        """A name of `typing` that the stub itself needs."""
        return self._reference(_GIVEN[name])

    def name(self, name: str, module: str) -> str:
        """What this stub calls ``name`` of ``module``."""
        made = origin(module, name)
        if made is not None:
            return self._reference(made)
        assert hasattr(builtins, name), f"{module} binds no {name!r}"
        if name not in self._defined:
            return name
        self._imports["builtins"] = "import builtins"
        return f"builtins.{name}"

    def imports(self) -> str:
        return "\n".join(self._imports[name] for name in sorted(self._imports))

    def _reference(self, made: Origin) -> str:
        if made in self._passed_on:
            return self._passed_on[made]
        plain = made.name or _ALIASES.get(made.module) or made.module.rpartition(".")[2]
        local = f"_{plain}" if plain in self._defined else plain
        renamed = "" if local == plain and not (made.name is None and local in _ALIASES.values()) else f" as {local}"
        if made.name is not None:
            statement = f"from {made.module} import {made.name}{renamed}"
        elif "." in made.module:
            package, _, module = made.module.rpartition(".")
            statement = f"from {package} import {module}{renamed}"
        else:
            statement = f"import {made.module}{renamed}"
        assert self._imports.setdefault(local, statement) == statement, f"two things are called {local}"
        return local


_ALIASES = {"numpy": "np"}


class _Renamed(ast.NodeTransformer):
    def __init__(self, scope: Scope, module: str) -> None:
        self._scope, self._module = scope, module

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(self._scope.name(node.id, self._module), mode="eval").body

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node.value = self.visit(node.value)
        if not (isinstance(node.value, ast.Name) and node.value.id in ("Literal", "_Literal")):
            node.slice = self.visit(node.slice)
        return node
