"""What operators take and return, as text: ``(Tensor x, int n=2) -> Tensor``."""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType
from lazygrad.tensor import Tensor

__all__ = ["Argument", "Schema", "infer_schema"]

_WORDS: dict[Any, str] = {
    Tensor: "Tensor",
    int: "SymInt",
    float: "float",
    bool: "bool",
    str: "str",
    DType: "ScalarType",
    Device: "Device",
    int | float | bool: "Scalar",
}


@dataclass(frozen=True)
class Argument:
    """One argument of an operator.

    Attributes:
        name: what it is called.
        type: its type as the schema writes it, without marks of what is written to.
        default: `inspect.Parameter.empty` for none.
        is_keyword: whether it must be named.
        is_written: whether the operator writes to it.
    """

    name: str
    type: str
    default: Any
    is_keyword: bool
    is_written: bool


class Schema:
    """A schema that was read.

    Args:
        text: ``(Tensor x, *, int n=2) -> Tensor``.

    Raises:
        RuntimeError: text that is no schema.
    """

    def __init__(self, text: str) -> None:
        arguments, arrow, returned = text.strip().rpartition("->")
        arguments = arguments.strip()
        if not arrow or not (arguments.startswith("(") and arguments.endswith(")")):
            raise RuntimeError(f"expected a schema such as '(Tensor x, int n) -> Tensor', got {text!r}")
        self.text, self.returns = text.strip(), returned.strip()
        self.arguments: list[Argument] = []
        is_keyword = False
        for part in _split(arguments[1:-1]):
            if part == "*":
                is_keyword = True
            else:
                self.arguments.append(_argument(part, is_keyword, text))
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        self.signature = inspect.Signature(
            [inspect.Parameter(each.name, kinds[each.is_keyword], default=each.default) for each in self.arguments]
        )

    @property
    def writes(self) -> bool:
        """Whether the operator writes to arguments."""
        return any(argument.is_written for argument in self.arguments)


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _argument(text: str, is_keyword: bool, schema: str) -> Argument:
    declaration, equals, default = text.partition("=")
    type, _, name = declaration.strip().rpartition(" ")
    if not type or not name.isidentifier():
        raise RuntimeError(f"expected a type and a name in place of {text!r}, in the schema {schema!r}")
    beginning, mark, rest = type.partition("(")
    plain = beginning + rest.partition(")")[2] if mark else type
    value: Any = inspect.Parameter.empty
    if equals:
        try:
            value = ast.literal_eval(default.strip())
        except (ValueError, SyntaxError):
            value = default.strip()
    return Argument(name, plain, value, is_keyword, "!" in rest)


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: str | Iterable[str], op_name: str | None = None
) -> str:
    """The schema of a function, from the annotations of its parameters and of what it returns.

    Args:
        prototype_function: takes tensors, numbers, texts, dtypes and devices, lists of these, or None.
        mutates_args: the names of parameters that it writes to; "unknown" for all tensors.
        op_name: put before the schema.

    Raises:
        ValueError: an annotation that is missing or says nothing that a schema can say.
    """
    signature = inspect.signature(prototype_function)

    def refuse(what: str) -> ValueError:
        return ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    try:
        hints = typing.get_type_hints(prototype_function)
    except NameError as error:
        raise refuse(f"Unsupported type annotation: {error}.") from None
    written = set() if mutates_args == "unknown" else set(mutates_args)
    parts: list[str] = []
    is_keyword = False
    for number, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            raise refuse("We do not support positional-only args, varargs, or varkwargs.")
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not is_keyword:
            is_keyword = True
            parts.append("*")
        if name not in hints:
            raise refuse(f"Parameter {name} must have a type annotation.")
        word = _word(hints[name])
        if word is None:
            raise refuse(f"Parameter {name} has unsupported type {parameter.annotation}.")
        if name in written or (mutates_args == "unknown" and word.startswith("Tensor")):
            word = word.replace("Tensor", f"Tensor(a{number}!)", 1)
        has_default = parameter.default is not inspect.Parameter.empty
        parts.append(f"{word} {name}={_default(parameter.default)}" if has_default else f"{word} {name}")
    if written - signature.parameters.keys():
        missing = sorted(written - signature.parameters.keys())
        raise refuse(f"mutates_args should be the names of args that the function mutates, and {missing} are none.")
    if "return" not in hints:
        raise refuse("No return type annotation was provided. Please add one.")
    text = f"({', '.join(parts)}) -> {_returned(hints['return'], refuse)}"
    return text if op_name is None else op_name + text


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return str(value)


def _word(hint: Any) -> str | None:
    """How a schema writes a type; None if it cannot."""
    if hint in _WORDS:
        return _WORDS[hint]
    arguments = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType) and type(None) in arguments and len(arguments) == 2:
        inner = _word(next(each for each in arguments if each is not type(None)))
        return None if inner is None else f"{inner}?"
    if origin in (list, Sequence) and len(arguments) == 1:
        inner = _word(arguments[0])
        return None if inner is None else f"{inner}[]"
    return None


def _returned(hint: Any, refuse: Callable[[str], ValueError]) -> str:
    if hint in (None, type(None)):
        return "()"
    parts = typing.get_args(hint) if typing.get_origin(hint) is tuple else (hint,)
    words = [_word(part) for part in parts]
    if not words or None in words:
        raise refuse(f"Return has unsupported type {hint}.")
    return f"({', '.join(map(str, words))})" if typing.get_origin(hint) is tuple else str(words[0])
