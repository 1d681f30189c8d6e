"""Functions and properties as a stub writes them: signature, overloads and docstring."""

from __future__ import annotations

import inspect
import math
import re
import textwrap
import typing
from collections.abc import Callable
from typing import Any

from tests.typing.origins import origin
from tests.typing.scope import Scope

Function = Callable[..., Any]

# object says that these return a bool.
_OVERRIDES = {"__eq__": "  # type: ignore[override]", "__ne__": "  # type: ignore[override]"}


def function(scope: Scope, name: str, value: Function, is_method: bool = False) -> str:
    """The definition of ``value`` under ``name``; one for each overload that its source declares."""
    overloads = typing.get_overloads(value)
    marked = f"@{scope.given('overload')}\n" if overloads else ""
    texts = []
    for number, declared in enumerate(overloads or [value]):
        head = _head(scope, name, _parameters(name, value, declared), declared, is_method)
        doc = "" if number else inspect.getdoc(value) or ""
        texts.append(f"{marked}{head}{_body(doc, _OVERRIDES.get(name, ''))}")
    return "\n".join(texts)


def attribute(scope: Scope, name: str, value: property) -> str:
    """The definition of a property, with its setter if it has one."""
    assert value.fget is not None
    text = f"@property\n{_head(scope, name, _parameters(name, value.fget, value.fget), value.fget, True)}"
    text += _body(inspect.cleandoc(value.__doc__ or ""))
    if value.fset is not None:
        setter = _head(scope, name, _parameters(name, value.fset, value.fset), value.fset, True)
        text += f"\n@{name}.setter\n{setter}{_body('')}"
    return text


def _body(doc: str, comment: str = "") -> str:
    if not doc:
        return f" ...{comment}"
    assert '"""' not in doc and not doc.endswith('"')
    return comment + textwrap.indent(
        f'\n{"r" if chr(92) in doc else ""}"""{doc}{chr(10) if chr(10) in doc else ""}"""', "    "
    )


def _parameters(name: str, value: Function, declared: Function) -> list[inspect.Parameter]:
    """Those of ``declared``, an overload of ``value`` or ``value`` itself, with the ``out`` that a decorator added."""
    parameters = list(inspect.signature(declared).parameters.values())
    if _OPERATOR.fullmatch(name):  # which takes no options
        return [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    out = inspect.signature(value).parameters.get("out")
    if out is not None and all(parameter.name != "out" for parameter in parameters):
        parameters.append(out)
    return parameters


def _head(scope: Scope, name: str, parameters: list[inspect.Parameter], declared: Function, is_method: bool) -> str:
    source = inspect.unwrap(declared)
    returned = inspect.signature(declared).return_annotation
    options = _options(source)
    written, keyword_only, positional_only = [], False, False
    for position, parameter in enumerate(parameters):
        if positional_only and parameter.kind is not parameter.POSITIONAL_ONLY:
            written.append("/")
        positional_only = parameter.kind is parameter.POSITIONAL_ONLY
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            written.append("*")
        keyword_only = keyword_only or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        if is_method and position == 0:
            written.append("self")
            continue
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text, module = options.get(parameter.name, (parameter.annotation, source.__module__))
        if parameter.name == "out" and text is parameter.empty:
            text = "Tensor | None" if returned == "Tensor" else "tuple[Tensor, ...] | None"
        assert isinstance(text, str), f"{source.__module__}.{name}: {parameter} has no annotation that can be read"
        default = "" if parameter.default is parameter.empty else f" = {_default(parameter.default)}"
        written.append(f"{stars}{parameter.name}: {scope.annotation(text, module)}{default}")
    if positional_only:
        written.append("/")
    is_in_place = is_method and returned == "Tensor" and _is_in_place(name)
    result = scope.given("Self") if is_in_place else scope.annotation(returned, source.__module__)
    return f"def {name}({', '.join(written)}) -> {result}:"


def _is_in_place(name: str) -> bool:
    if name.startswith("__"):
        operator = _OPERATOR.fullmatch(name)
        return operator is not None and operator[1] == "i"
    return name.endswith("_")


_OPERATOR = re.compile("__([ir]?)(add|sub|mul|truediv|floordiv|mod|pow|and|or|xor|lshift|rshift|matmul)__")


def _options(source: Function) -> dict[str, tuple[str, str]]:
    """Keywords that a function takes as ``**options: Unpack[…]``: what annotates each, and the module that says so."""
    for name, text in source.__annotations__.items():
        if text.startswith("Unpack["):
            made = origin(source.__module__, text[len("Unpack[") : -1])
            assert made is not None and made.name is not None, f"{source}: {name}"
            options = getattr(__import__(made.module, fromlist=[made.name]), made.name)
            return {key: (_written(of), made.module) for key, of in options.__annotations__.items()}
    return {}


def _written(annotation: Any) -> str:
    return annotation.__forward_arg__ if isinstance(annotation, typing.ForwardRef) else annotation


def _default(value: Any) -> str:
    """A default that can be read at a glance; anything else is said by the docstring."""
    plain = (bool, int, str, type(None))
    if isinstance(value, plain) or (isinstance(value, float) and math.isfinite(value)):
        return repr(value)
    if isinstance(value, tuple) and all(isinstance(part, plain) for part in value):
        return repr(value)
    return "..."
