"""Modules that can be compiled ahead of time: what says so is in step with the sources."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

import lazygrad

ROOT = Path(__file__).resolve().parents[1]
DECLARED = sorted((ROOT / "lazygrad").rglob("*.pxd"))
CLASSES = re.compile(r"^cdef class (\w+):\n((?:    .*\n|\n)+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"^    cdef (?:public )?\w+ (\w+)$", re.MULTILINE)
FUNCTION = re.compile(r"^(?:cdef class (\w+):|( *)cpdef (?:\w+ )?(\w+)\((.*)\))$", re.MULTILINE)
PARAMETER = re.compile(r"(\w+)(=\*)?(?:, |$)")


def modules() -> list[str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns: list[str] = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]["modules"]
    return patterns


@pytest.mark.parametrize("pattern", modules())
def test_what_is_compiled_exists(pattern: str) -> None:
    assert list(ROOT.glob(pattern))


@pytest.mark.parametrize("declared", DECLARED, ids=lambda path: path.stem)
def test_declared_attributes_are_those_of_the_class(declared: Path) -> None:
    name = ".".join(declared.relative_to(ROOT).with_suffix("").parts)
    module = importlib.import_module(name)
    for class_name, body in CLASSES.findall(declared.read_text(encoding="utf-8")):
        source = declared.with_suffix(".py").read_text(encoding="utf-8")
        of_class = source[source.index(f"class {class_name}") :]
        slots = re.search(r"__slots__ = \((.*?)\)", of_class, re.DOTALL)
        assert slots is not None and hasattr(module, class_name)
        assert set(ATTRIBUTE.findall(body)) == set(re.findall(r'"(\w+)"', slots[1])), class_name


def declared_functions(declared: Path) -> dict[str, list[tuple[str, bool]]]:
    """By qualified name, the parameters of the functions that a file declares, and whether they have a default."""
    functions, of_class = {}, ""
    for class_name, indent, name, parameters in FUNCTION.findall(declared.read_text(encoding="utf-8")):
        if class_name:
            of_class = class_name
        else:
            names = [(found, bool(optional)) for found, optional in PARAMETER.findall(parameters)]
            functions[f"{of_class}.{name}" if indent else name] = names
    return functions


def written_functions(source: Path) -> dict[str, list[tuple[str, bool]]]:
    """`declared_functions` of the source, with all that it has."""
    functions = {}
    module = ast.parse(source.read_text(encoding="utf-8"))
    for owner in (module, *[part for part in module.body if isinstance(part, ast.ClassDef)]):
        for part in owner.body:
            if isinstance(part, ast.FunctionDef):
                names = [argument.arg for argument in part.args.args]
                required = len(names) - len(part.args.defaults)
                qualified = f"{owner.name}.{part.name}" if isinstance(owner, ast.ClassDef) else part.name
                functions[qualified] = [(name, position >= required) for position, name in enumerate(names)]
    return functions


@pytest.mark.parametrize("declared", DECLARED, ids=lambda path: path.stem)
def test_declared_functions_take_what_those_of_the_source_take(declared: Path) -> None:
    """Otherwise only a build with compiled modules would say so."""
    written = written_functions(declared.with_suffix(".py"))
    for name, parameters in declared_functions(declared).items():
        assert written.get(name) == parameters, name


def test_each_declaration_is_of_a_module_that_is_compiled() -> None:
    compiled = {path for pattern in modules() for path in ROOT.glob(pattern)}
    assert {path.with_suffix(".py") for path in DECLARED} <= compiled


def test_no_local_function_refers_to_another() -> None:
    """A compiled function keeps what its local functions share in one object, and that would refer to itself.

    Nodes that such a circle holds live until garbage is collected: until then they count as wanted, and are stored.
    """
    for path in {path for pattern in modules() for path in ROOT.glob(pattern)}:
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                inner = [part for part in ast.walk(function) if isinstance(part, ast.FunctionDef | ast.Lambda)]
                inner.remove(function)
                names = {part.name for part in inner if isinstance(part, ast.FunctionDef)}
                used = {part.id for local in inner for part in ast.walk(local) if isinstance(part, ast.Name)}
                assert not names & used, f"{path.name}: {function.name}"


def test_libraries_are_not_older_than_their_sources() -> None:
    """What an editable install compiled hides a source that was changed since; `make pure` removes it."""
    for library in (ROOT / "lazygrad").rglob("*.so"):
        source = library.with_name(library.name.partition(".")[0] + ".py")
        assert library.stat().st_mtime >= source.stat().st_mtime, f"make pure, or install again: {source.name}"


def test_provenance_is_the_users_line() -> None:
    line = (lazygrad.ones(2) + 1).node().origin
    assert line is not None and line.file == __file__ and "test_compiled_modules" in str((lazygrad.ones(2) + 1).graph())
