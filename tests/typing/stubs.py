"""The stubs of `lazygrad`, made from the functions that its decorators attach and extend.

    python -m tests.typing.stubs            # writes the .pyi files
    python -m tests.typing.stubs --check    # says which are not in step

`tensor_methods.pyi` is the base class that a type checker sees under `Tensor`: all that `lazygrad.ops`, `autograd`,
`sparse` and `array_api` attach. The other stubs stand for modules that only gather names: the package, and the
namespaces whose functions take an ``out`` that a decorator adds.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import lazygrad
from lazygrad.ops import public
from lazygrad.sparse import functions as sparse_functions
from lazygrad.tensor import Tensor
from tests.typing import definitions
from tests.typing.origins import Origin
from tests.typing.scope import Scope

_PACKAGE = Path(lazygrad.__file__).parent
NAMESPACES = (
    "lazygrad.fft",
    "lazygrad.linalg",
    "lazygrad.nn.functional",
    "lazygrad.signal.windows",
    "lazygrad.special",
)
_NOTE = "# Written by `python -m tests.typing.stubs` from the functions themselves.\n"


def stubs() -> dict[Path, str]:
    """The text of every generated stub, not yet formatted."""
    texts = {_PACKAGE / "tensor_methods.pyi": tensor_methods(), _PACKAGE / "__init__.pyi": namespace("lazygrad")}
    for name in NAMESPACES:
        texts[_PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".pyi")] = namespace(name)
    return texts


# The methods of Tensor.


def attached() -> dict[str, Any]:
    """What `Tensor` has at run time beside what its class statement says."""
    tree = ast.parse((_PACKAGE / "tensor.py").read_text())
    body = next(part.body for part in tree.body if isinstance(part, ast.ClassDef) and part.name == "Tensor")
    own = {part.name for part in ast.walk(ast.Module(body, [])) if isinstance(part, ast.FunctionDef)}
    own |= {target.id for part in body if isinstance(part, ast.Assign) for target in part.targets
            if isinstance(target, ast.Name)}  # fmt: skip
    own |= set(Tensor.__slots__) | {"__annotations__", "__doc__", "__module__"}
    return {name: vars(Tensor)[name] for name in sorted(vars(Tensor)) if name not in own}


def tensor_methods() -> str:
    """The base class of methods that are attached."""
    members = attached()
    scope = Scope(members)
    texts = [
        definitions.attribute(scope, name, value)
        if isinstance(value, property)
        else definitions.function(scope, name, value, is_method=True)
        for name, value in members.items()
    ]
    doc = '    """The methods and attributes that `lazygrad.ops` and its neighbours attach to `Tensor`."""\n\n'
    body = textwrap.indent("\n".join(texts), "    ")
    return f"{_NOTE}\n{scope.imports()}\n\nclass AttachedMethods:\n{doc}{body}\n"


# Namespaces.


def public_names(module: ModuleType) -> list[str]:
    """The names of a namespace, those of PyTorch's that its ``__all__`` leaves out included."""
    names = list(module.__all__)
    if module is lazygrad:
        names += [name for name in (*sparse_functions.__all__, "__version__") if name not in names]
    return names


def namespace(name: str) -> str:
    """A module that gathers names: functions of the families written out, everything else imported or typed."""
    module = importlib.import_module(name)
    values = {key: getattr(module, key) for key in sorted(public_names(module))}
    passed_on = {key: made for key, value in values.items() if (made := _source(key, value, name)) is not None}
    scope = Scope(values, passed_on)
    texts = []
    for key, value in values.items():
        if key in passed_on:
            continue
        if isinstance(value, type):
            texts.append(_made_class(scope, key, value))
        elif isinstance(inspect.unwrap(value), FunctionType):
            texts.append(definitions.function(scope, key, value))
        else:
            texts.append(f"{key}: {_type_of(scope, value)}")
    exported = textwrap.fill(" ".join(f'"{key}",' for key in module.__all__), 116)
    exported = textwrap.indent(exported, "    ")
    imports = "\n".join([scope.imports(), *(_import(key, made) for key, made in passed_on.items())])
    body = "\n".join(texts)
    return (
        f'{_NOTE}\n"""{module.__doc__}"""\n\n{imports}\n\n# fmt: off\n__all__ = [\n{exported}\n]\n# fmt: on\n\n{body}\n'
    )


def _source(name: str, value: Any, namespace: str) -> Origin | None:
    """Where something is defined that a stub need not write out."""
    if isinstance(value, ModuleType):
        return Origin(value.__name__, None)
    if isinstance(value, type):
        return None if value.__module__ == namespace else Origin(value.__module__, value.__name__)
    if isinstance(value, FunctionType) and not _is_written(name, value, namespace):
        return Origin(value.__module__, value.__name__)
    return None


def _is_written(name: str, value: FunctionType, namespace: str) -> bool:
    """Whether decorators made the function what it is, so that its source does not say it."""
    return namespace != "lazygrad" or name in vars(public) or name in sparse_functions.__all__


def _import(name: str, made: Origin) -> str:
    if made.name is not None:
        return f"from {made.module} import {made.name} as {name}"
    package, _, module = made.module.rpartition(".")
    return f"from {package} import {module} as {name}"


def _made_class(scope: Scope, name: str, value: type) -> str:
    """A class that no statement defines: of a loop over the dtypes. Those without a base have tensors as instances."""
    (base,) = value.__bases__
    known = Tensor if base is object else base
    return f'class {name}({scope.name(known.__name__, known.__module__)}):\n    """{inspect.getdoc(value)}"""\n'


def _type_of(scope: Scope, value: Any) -> str:
    kind = type(value)
    if value is None:
        return "None"
    return scope.name(kind.__name__, "builtins" if kind.__module__ == "builtins" else kind.__module__)


# Writing and checking.


def formatted(text: str) -> str:
    """``text`` as ruff formats it, with the imports in its order."""
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        where = ["--stdin-filename", str(_PACKAGE / "generated.pyi"), "-"]
        text = subprocess.run(["ruff", *command, *where], input=text, capture_output=True, text=True, check=True).stdout
    return text


def in_step(text: str, path: Path) -> bool:
    """Whether a stub says what ``text`` says, however it is laid out."""
    return path.exists() and _content(path.read_text()) == _content(text)


def _content(text: str) -> list[str]:
    """The statements of a stub: imports in any order, docstrings at any depth."""
    tree = ast.parse(text)
    for part in ast.walk(tree):
        match part:
            case ast.Expr(value=ast.Constant(value=str(doc)) as constant):
                constant.value = "\n".join(line.strip() for line in doc.strip().splitlines())
    imports, rest = [], []
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            imports += [f"{statement.module}.{alias.name} as {alias.asname}" for alias in statement.names]
        elif isinstance(statement, ast.Import):
            imports += [f"{alias.name} as {alias.asname}" for alias in statement.names]
        else:
            rest.append(ast.dump(statement))
    return sorted(imports) + rest


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.typing.stubs", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; say which stubs are not in step")
    if parser.parse_args().check:
        stale = [path for path, text in stubs().items() if not in_step(text, path)]
        print("\n".join(f"not in step: {path}" for path in stale) or "all stubs are in step")
        return bool(stale)
    for path, text in stubs().items():
        path.write_text(formatted(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
