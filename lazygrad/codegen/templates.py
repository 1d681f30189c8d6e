"""Loads the jinja2 skeletons. Expressions come from the renderers; templates hold no logic to speak of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazygrad.codegen.escaping import Code, Words, c_text, python_text

if TYPE_CHECKING:
    import jinja2

_PACKAGE = Path(__file__).resolve().parents[1]
_ESCAPES: dict[str, Callable[[str], str]] = {"numpy": python_text, "c": c_text}


def template_folder() -> Path:
    """``codegen_templates``: inside the package when installed from a wheel, beside it in a checkout.

    Raises:
        FileNotFoundError: neither exists; the installation is broken.
    """
    for folder in (_PACKAGE / "codegen_templates", _PACKAGE.parent / "codegen_templates"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"codegen_templates is missing beside {_PACKAGE}; reinstall lazygrad")


def render(name: str, /, **values: Any) -> Code:
    """The skeleton called ``name``, for example ``numpy/module.py.j2``, filled with ``values``.

    `Code` and whole numbers are inserted as they are. Everything else is escaped for the language of the skeleton,
    which its folder names, and so stays inside the comment or docstring where it stands.

    Raises:
        TypeError: a value that is neither text nor a whole number.
    """
    return Code(_template(name).render(values))


@cache
def _template(name: str) -> jinja2.Template:
    return _environment(name.partition("/")[0]).get_template(name)


@cache
def _environment(language: str) -> jinja2.Environment:
    import jinja2

    escape = _ESCAPES[language]

    def inserted(value: object) -> str:
        if type(value) is Code:
            return value
        if isinstance(value, Words):
            return escape(value.text)
        if isinstance(value, str):
            return escape(value)
        if isinstance(value, int | jinja2.Undefined):
            return str(value)  # of what is undefined, the error
        raise TypeError(f"a template inserts text and whole numbers, not {type(value).__name__}")

    def join(parts: Iterable[object], separator: str) -> Code:
        return Code(separator.join(map(inserted, parts)))

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_folder()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=inserted,
    )
    environment.filters["join"] = join
    return environment
