"""Builds cases from a call: the same arguments as function, method, nn.functional function and in-place method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tests.oracle.cases import Case
from tests.oracle.recipes import COMPLEX, DTYPES, FLOATING, Array

Form = Callable[[Any, str, list[Any], dict[str, Any]], Any]


def _function(t: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return getattr(t, name)(*arguments, **keywords)


def _method(_t: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return getattr(arguments[0], name)(*arguments[1:], **keywords)


def _functional(t: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return getattr(t.nn.functional, name)(*arguments, **keywords)


def _special(t: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    return getattr(t.special, name)(*arguments, **keywords)


def _in_place(_t: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    target = arguments[0].clone()
    result = getattr(target, name + "_")(*arguments[1:], **keywords)
    return target, result is target


FORMS: dict[str, Form] = {"t": _function, "x": _method, "F": _functional, "special": _special, "inplace": _in_place}

# Functions run in float32 and methods in float64, so that both the default dtype and full precision are seen.
_FLOATING = {"t": "float32", "x": "float64", "F": "float32", "special": "float64", "inplace": "float64"}


def call(
    name: str,
    *arguments: Any,
    forms: str = "t x",
    floating: str | None = None,
    gradient: bool = True,
    slack: float = 1.0,
    **keywords: Any,
) -> list[Case]:
    """Cases that call `name` in each of the `forms` (keys of `FORMS`, separated by spaces).

    Arrays anywhere in the arguments become tensors; names of dtypes become dtypes.
    """
    cases = []
    text = ", ".join([_text(value) for value in arguments] + [f"{key}={_text(v)}" for key, v in keywords.items()])
    for form in forms.split():
        dtype = floating or _FLOATING[form]
        suffix = f" {dtype}" if floating else ""
        function = _replay(FORMS[form], name, arguments, keywords)
        inputs = tuple(_arrays((arguments, keywords)))
        cases.append(Case(f"{form}.{name}({text}){suffix}", function, inputs, gradient, dtype, slack))
    return cases


def in_every_dtype(name: str, argument: Array, dtypes: tuple[str, ...] = FLOATING, form: str = "t") -> list[Case]:
    """Cases of a call with one tensor, in each of the dtypes."""
    return [case for dtype in dtypes for case in call(name, argument, forms=form, floating=dtype)]


def _replay(form: Form, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Callable[..., Any]:
    def function(t: Any, *tensors: Any) -> Any:
        supply = iter(tensors)
        filled = [_fill(t, value, supply) for value in arguments]
        return form(t, name, filled, {key: _fill(t, value, supply) for key, value in keywords.items()})

    return function


def _fill(t: Any, value: Any, supply: Iterator[Any]) -> Any:
    if isinstance(value, Array):
        return next(supply)
    if isinstance(value, (list, tuple)):
        return type(value)(_fill(t, item, supply) for item in value)
    if isinstance(value, str) and value in (*DTYPES, *COMPLEX):
        return getattr(t, value)
    return value


def _arrays(value: Any) -> Iterator[Array]:
    if isinstance(value, Array):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))


def _text(value: Any) -> str:
    if isinstance(value, Array):
        return value.label
    if isinstance(value, (list, tuple)):
        inside = ", ".join(_text(item) for item in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    return repr(value)
