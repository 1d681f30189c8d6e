"""Loads the jinja2 skeletons. Expressions come from the renderers; templates hold no logic to speak of."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parents[1]


def template_folder() -> Path:
    """``codegen_templates``: inside the package when installed from a wheel, beside it in a checkout.

    Raises:
        FileNotFoundError: neither exists; the installation is broken.
    """
    for folder in (_PACKAGE / "codegen_templates", _PACKAGE.parent / "codegen_templates"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"codegen_templates is missing beside {_PACKAGE}; reinstall lazygrad")


@cache
def template(name: str) -> jinja2.Template:
    """The skeleton called ``name``, for example ``numpy/module.py.j2``."""
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
