"""The site: `make docs` builds it from the pages beside this file and from docstrings, without a network."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from gallery.reports import write as write_reports  # noqa: E402

from lazygrad.version import __version__  # noqa: E402

project, author = "lazygrad", "the lazygrad authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "_extra"]
html_extra_path = ["_extra"]  # what is copied as it is: the reports of the gallery
html_theme, html_title = "furo", f"lazygrad {__version__}"
html_copy_source = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
autosummary_generate = False
autodoc_typehints = "none"  # signatures of a dozen parameters are read for their names and defaults
napoleon_use_ivar = True  # attributes are listed with their class, and once
default_role = "literal"
suppress_warnings = ["autosummary.import_cycle"]

# Modules whose public names have a page; what a module's `__all__` does not name has none.
MODULES = """lazygrad nn nn.attention nn.attention.bias nn.attention.flex_attention nn.functional
    nn.init nn.utils optim optim.lr_scheduler data autograd func linalg fft special
    distributions random sparse amp vision.transforms vision.ops saving safetensors.torch inspect export
    onnx""".split()
# In docstrings these are signs, and no markup: |x| is no substitution, x_ no reference, *args not emphasized.
_MARKUP = re.compile(r"(``.+?``|`.+?`)|([|*])|(?<=\w)(_)(?!\w)")


def setup(app: Any) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _escape_markup, priority=400)  # before napoleon
    app.connect("autodoc-skip-member", _skips)
    _write_api_pages(HERE / "api")
    write_reports(HERE / "_extra" / "gallery")


def _skips(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Descriptors that are neither functions nor properties would be taken for methods."""
    return True if type(obj).__name__ == "lazy_property" else None


def _escape_markup(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = [_MARKUP.sub(_escaped, line) for line in lines]


def _escaped(found: re.Match[str]) -> str:
    return found[1] or f"\\{found[2] or found[3]}"


def _write_api_pages(folder: Path) -> None:
    """A page for each of `MODULES`, with a table of its names and their docstrings."""
    folder.mkdir(exist_ok=True)
    names = [name if name == "lazygrad" else f"lazygrad.{name}" for name in MODULES]
    documented: set[int] = set()
    _write(folder / "index.rst", "API reference", [".. toctree::", "", *[f"   {name}" for name in names]])
    for name in names:
        _write(folder / f"{name}.rst", name, _module_lines(import_module(name), documented))


def _write(file: Path, title: str, lines: list[str]) -> None:
    text = "\n".join([title, "=" * len(title), "", *lines, ""])
    if not file.exists() or file.read_text(encoding="utf-8") != text:  # what has not changed is not built again
        file.write_text(text, encoding="utf-8")


def _module_lines(module: ModuleType, elsewhere: set[int]) -> list[str]:
    """The page's table and its docstrings; what has them ``elsewhere`` already is in the table only."""
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    objects = {name: getattr(module, name) for name in sorted(set(public))}
    kinds = {name: kind for name, value in objects.items() if (kind := _directive(value)) is not None}
    table = [".. autosummary::", "   :nosignatures:", "", *[f"   {name}" for name in kinds]]
    bodies = []
    for name, kind in kinds.items():
        if id(objects[name]) not in elsewhere:
            elsewhere.add(id(objects[name]))
            bodies.append(f".. {kind}:: {name}" + ("\n   :members:" if kind == "autoclass" else ""))
    return [f".. currentmodule:: {module.__name__}", "", *table, "", *[line for body in bodies for line in (body, "")]]


def _directive(value: Any) -> str | None:
    """How an object is documented; None where it has no docstring of its own."""
    if not getattr(value, "__doc__", None) or isinstance(value, ModuleType):
        return None
    if inspect.isclass(value):
        return "autoclass"
    return "autofunction" if inspect.isroutine(value) else None
