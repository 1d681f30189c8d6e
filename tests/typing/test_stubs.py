"""The stubs say what there is: they are in step with the functions, and name what can be named at run time."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import lazygrad
from lazygrad import tensor_base
from lazygrad.tensor import Tensor
from tests.typing import stubs
from tests.typing.stubs import NAMESPACES, attached, in_step

if not tensor_base.__file__.endswith(".py"):
    pytest.skip("stubs are written from functions of Python, and the modules are compiled", allow_module_level=True)

_PACKAGE = Path(lazygrad.__file__).parent
_TEXTS = stubs.stubs()
_OF_EVERY_CLASS = {"__annotations__", "__dict__", "__doc__", "__module__", "__slots__", "__weakref__"}


def _defined(body: list[ast.stmt]) -> set[str]:
    """The names that the statements of a stub, or of a class in it, give to its readers."""
    names: set[str] = set()
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case ast.ImportFrom(names=aliases):
                names |= {alias.name for alias in aliases if alias.asname == alias.name}
                names |= {alias.asname for alias in aliases if alias.asname and not alias.asname.startswith("_")}
            case ast.If(body=inner):
                names |= _defined(inner)
    return names


def _class(path: Path, name: str) -> list[ast.stmt]:
    tree = ast.parse(path.read_text())
    return next(part.body for part in tree.body if isinstance(part, ast.ClassDef) and part.name == name)


@pytest.mark.parametrize("path", _TEXTS, ids=lambda path: str(path.relative_to(_PACKAGE)))
def test_in_step_with_the_functions(path: Path) -> None:
    assert in_step(_TEXTS[path], path), "run: python -m tests.typing.stubs"


def test_a_changed_signature_or_docstring_is_noticed() -> None:
    path = _PACKAGE / "fft.pyi"
    text = _TEXTS[path]
    assert not in_step(text.replace("dim: int", "dim: str", 1), path)
    assert not in_step(text.replace("Raises:", "Raise:", 1), path)
    assert not in_step(text + "\ndef another() -> None: ...\n", path)


def test_every_attribute_of_tensor_is_typed_and_the_other_way_round() -> None:
    typed = _defined(_class(_PACKAGE / "tensor_methods.pyi", "AttachedMethods"))
    typed |= _defined(_class(_PACKAGE / "tensor.py", "Tensor")) - _OF_EVERY_CLASS
    assert typed == set(vars(Tensor)) - _OF_EVERY_CLASS


def test_what_is_attached_is_written_out_with_its_documentation() -> None:
    body = _class(_PACKAGE / "tensor_methods.pyi", "AttachedMethods")
    documented = {part.name for part in body if isinstance(part, ast.FunctionDef) and ast.get_docstring(part)}
    assert {name for name, value in attached().items() if value.__doc__} == documented


@pytest.mark.parametrize("name", ["lazygrad", *NAMESPACES])
def test_every_public_name_is_in_the_stub_and_the_other_way_round(name: str) -> None:
    module = importlib.import_module(name)
    path = _PACKAGE.joinpath(*name.split(".")[1:])
    path = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    typed = _defined(ast.parse(path.read_text()).body) - {"__all__"}
    assert set(module.__all__) <= typed
    assert all(hasattr(module, key) for key in typed)
    assert typed == set(stubs.public_names(module))


def test_what_the_package_shows_beside_its_public_names_is_its_machinery() -> None:
    """A name that `dir` shows and no stub has is a module of the package, or a help of ``__init__`` itself."""
    typed = _defined(ast.parse((_PACKAGE / "__init__.pyi").read_text()).body)
    others = {name for name in dir(lazygrad) if not name.startswith("_")} - typed
    modules = {path.stem for path in _PACKAGE.iterdir() if path.is_dir() or path.suffix == ".py"}
    shown = others - modules - {"serialization"}  # another name of the module `saving`, bound when it is asked for
    assert shown == {"Any", "LEFT_OUT", "TYPE_CHECKING", "import_module", "public", "stand_in"}
