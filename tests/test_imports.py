"""No two files of the package import each other in a circle, imports inside functions and for types included."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path

import pytest

import lazygrad

ROOT = Path(lazygrad.__file__).parent

# Files that may import what imports them, each with what in the language forces it.
FORCED = {
    "lazygrad.tensor_methods": "a stub, never loaded: methods are attached to Tensor, and their signatures name Tensor",
}


def imports_of(root: Path) -> dict[str, set[str]]:
    """Per module of a package, the others that its file and its stub name in import statements, wherever they stand."""
    files: dict[str, list[Path]] = {}
    for path in sorted([*root.rglob("*.py"), *root.rglob("*.pyi")]):
        parts = path.relative_to(root.parent).with_suffix("").parts
        files.setdefault(".".join(parts[:-1] if parts[-1] == "__init__" else parts), []).append(path)
    return {
        name: {module for path in paths for module in imported(path, files.keys()) if module in files} - {name}
        for name, paths in files.items()
    }


def imported(path: Path, modules: Collection[str]) -> set[str]:
    """The names of what one file imports; a package is told from its ``modules``."""
    found = set()
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.Import):
            found |= {alias.name for alias in statement.names}
        elif isinstance(statement, ast.ImportFrom):
            assert statement.level == 0, f"{path}:{statement.lineno}: imports are absolute here"
            for alias in statement.names:
                member = f"{statement.module}.{alias.name}"
                found.add(member if member in modules else str(statement.module))
    return found


def circular(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """What is left once files that import nothing, and files that nobody imports, have been taken away in turn."""
    left = dict(imports)
    while True:
        targets = {target for found in left.values() for target in found}
        inside = {name: found & left.keys() for name, found in left.items() if found & left.keys() and name in targets}
        if inside == left:
            return left
        left = inside


@pytest.mark.parametrize(
    ("imports", "left"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, set()),
        ({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}, {"b", "c"}),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, {"a", "b", "c"}),
    ],
)
def test_what_is_left_is_a_circle(imports: dict[str, set[str]], left: set[str]) -> None:
    assert circular(imports).keys() == left


def test_an_import_counts_wherever_it_stands(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from package import a\n")
    (package / "a.py").write_text("def f():\n    from package import b\n")
    (package / "b.py").write_text("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from package.a import f\n")
    assert circular(imports_of(package)).keys() == {"package.a", "package.b"}


def test_no_files_import_each_other_in_a_circle() -> None:
    imports = {name: found for name, found in imports_of(ROOT).items() if name not in FORCED}
    assert circular(imports) == {}


@pytest.mark.parametrize("name", FORCED)
def test_an_exception_is_still_needed(name: str) -> None:
    assert name in circular(imports_of(ROOT))
