"""Loads the jinja2 skeletons. Expressions come from the renderers; templates hold no logic to speak of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazygrad.codegen.escaping import Code, Words

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


class Templates:
    """The skeletons of one language.

    Args:
        folder: theirs within `template_folder`.
        escape: makes any text harmless inside the comments and literals of the language.
    """

    def __init__(self, folder: str, escape: Callable[[str], str]) -> None:
        self._folder, self._escape = folder, escape
        self._environment: jinja2.Environment | None = None
        self._templates: dict[str, jinja2.Template] = {}

    def render(self, name: str, /, **values: Any) -> Code:
        """The skeleton called ``name``, for example ``module.py.j2``, filled with ``values``.

        `Code` and whole numbers are inserted as they are. Everything else is escaped, and so stays inside the comment
        or docstring where it stands.

        Raises:
            TypeError: a value that is neither text nor a whole number.
        """
        template = self._templates.get(name)
        if template is None:
            if self._environment is None:
                self._environment = _environment(self._folder, self._escape)
            template = self._templates[name] = self._environment.get_template(name)
        return Code(template.render(values))


def _environment(folder: str, escape: Callable[[str], str]) -> jinja2.Environment:
    import jinja2

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
        loader=jinja2.FileSystemLoader(template_folder() / folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=inserted,
    )
    environment.filters["join"] = join
    return environment
