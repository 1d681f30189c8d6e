"""The text of a tensor, laid out as PyTorch prints it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite, prod
from typing import Any

import numpy as np

from lazygrad.ir.device import CPU
from lazygrad.ir.dtype import bfloat16, bool_, float16, int64
from lazygrad.ir.memory_format import strided
from lazygrad.levels import levels, running_only
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.ops.arguments.registering import method
from lazygrad.tensor import Tensor
from lazygrad.torch_function import has_override

__all__ = ["set_printoptions"]

_PREFIX = "tensor("
_SPREAD_FOR_SCIENTIFIC = 1e3  # largest / smallest magnitude
_LARGEST_PLAIN = 1e8
_SMALLEST_PLAIN = 1e-4


@dataclass(frozen=True)
class PrintOptions:
    """How tensors print; see `set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": PrintOptions(),
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=inf),
}


class _Current:
    options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print; what is left out stays, but ``sci_mode`` returns to its automatic choice.

    Args:
        precision: digits after the point.
        threshold: a tensor with more elements than this is summarized.
        edgeitems: how many items are shown at each end of a summarized dimension.
        linewidth: characters per line.
        profile: start from ``"default"``, ``"short"`` or ``"full"``.
        sci_mode: whether numbers are written as 1.0000e+00; None decides by their sizes.

    Raises:
        ValueError: an unknown profile.
    """
    options = _Current.options
    if profile is not None:
        if profile.lower() not in _PROFILES:
            raise ValueError(f"unknown profile {profile!r}: expected one of {', '.join(_PROFILES)}")
        options = _PROFILES[profile.lower()]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _Current.options = replace(options, sci_mode=sci_mode, **chosen)


Write = Callable[[Any], str]


class _Column:
    """One way of writing all numbers of a tensor, in columns of one width."""

    def __init__(self, write: Write, numbers: list[Any]) -> None:
        self._write = write
        self.width = max((len(write(number)) for number in numbers), default=1)

    def text(self, number: np.ndarray) -> str:
        return self._write(number.tolist()).rjust(self.width)


class _ComplexColumn:
    """The same for complex numbers: a column of real parts and one of imaginary parts, without blanks between."""

    def __init__(self, values: np.ndarray, options: PrintOptions) -> None:
        self._real, self._imag = _column(values.real, options), _column(values.imag, options)
        self.width = self._real.width + self._imag.width + 1

    def text(self, number: np.ndarray) -> str:
        imaginary = self._imag.text(number.imag).lstrip()
        return self._real.text(number.real) + ("" if imaginary[0] in "+-" else "+") + imaginary + "j"


def _columns(values: np.ndarray, options: PrintOptions) -> _Column | _ComplexColumn:
    return _ComplexColumn(values, options) if values.dtype.kind == "c" else _column(values, options)


def _column(values: np.ndarray, options: PrintOptions) -> _Column:
    """Only finite numbers other than zero decide: the others fit anywhere."""
    if values.dtype.kind != "f":
        return _Column(str, values.reshape(-1).tolist())
    finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
    if finite.size and _is_scientific(np.abs(finite), options):
        write: Write = f"{{:.{options.precision}e}}".format
    elif (finite == np.ceil(finite)).all():
        write = _whole
    else:
        write = f"{{:.{options.precision}f}}".format
    return _Column(write, finite.tolist())


def _is_scientific(magnitudes: np.ndarray, options: PrintOptions) -> bool:
    if options.sci_mode is not None:
        return options.sci_mode
    smallest, largest = float(magnitudes.min()), float(magnitudes.max())
    return largest / smallest > _SPREAD_FOR_SCIENTIFIC or largest > _LARGEST_PLAIN or smallest < _SMALLEST_PLAIN


def _whole(value: float) -> str:
    """A whole number with the point that tells it from an integer."""
    return f"{value:.0f}." if isfinite(value) else str(value)


def _edges(values: np.ndarray, edgeitems: int) -> np.ndarray:
    """``values`` without the middle of every dimension that is summarized."""
    for axis, size in enumerate(values.shape):
        if size > 2 * edgeitems:
            shown = [*range(edgeitems), *range(size - edgeitems, size)]
            values = values.take(shown, axis)
    return values


class _Layout:
    """Nested brackets around formatted numbers."""

    def __init__(self, values: np.ndarray, options: PrintOptions) -> None:
        self._options = options
        self._summarized = values.size > options.threshold
        shown = _edges(values, options.edgeitems) if self._summarized else values
        self._column = _columns(shown, options)

    def text(self, values: np.ndarray, indent: int) -> str:
        """``values`` in brackets, whose lines after the first start ``indent`` characters from the left."""
        if values.ndim == 0:
            return self._column.text(values)
        if values.ndim == 1:
            return self._row(values, indent + 1)
        parts = self._abridged(values, lambda part: self.text(part, indent + 1), "...")
        return "[" + ("," + "\n" * (values.ndim - 1) + " " * (indent + 1)).join(parts) + "]"

    def _row(self, values: np.ndarray, indent: int) -> str:
        numbers = self._abridged(values, self._column.text, " ...")
        per_line = max(1, (self._options.linewidth - indent + 1) // (self._column.width + 2))
        lines = [", ".join(numbers[start : start + per_line]) for start in range(0, len(numbers), per_line)]
        return "[" + (",\n" + " " * indent).join(lines) + "]"

    def _abridged(self, items: np.ndarray, write: Callable[[Any], str], ellipsis: str) -> list[str]:
        edge = self._options.edgeitems
        if not self._summarized or len(items) <= 2 * edge:
            return [write(item) for item in items]
        if edge == 0:
            return ["..."]
        return [*[write(item) for item in items[:edge]], ellipsis, *[write(item) for item in items[-edge:]]]


def _suffixes(tensor: Tensor, options: PrintOptions) -> list[str]:
    """What is said about a tensor beside its numbers."""
    found = place_remarks(tensor)
    empty = prod(tensor.shape) == 0
    if not tensor.device.computes or (tensor.ndim != 1 if empty else options.edgeitems == 0):
        found.append(f"size={tuple(tensor.shape)}")
    return found + kind_remarks(tensor, shows_numbers=not empty and tensor.device.computes)


def place_remarks(tensor: Tensor) -> list[str]:
    """The device, where it is not the CPU."""
    return [] if tensor.device is CPU else [f"device='{tensor.device}'"]


def kind_remarks(tensor: Tensor, shows_numbers: bool) -> list[str]:
    """The dtype, where the numbers that are shown do not tell it; an unusual layout; how gradients are recorded."""
    found = []
    floating = get_default_dtype()
    guessed = (floating, floating.to_complex(), int64, bool_) if shows_numbers else (floating,)
    if tensor.dtype not in guessed:
        found.append(f"dtype={tensor.dtype!r}")
    if tensor.layout is not strided:
        found.append(f"layout={tensor.layout!r}")
    function = getattr(tensor, "grad_fn", None)
    if function is not None:
        found.append(f"grad_fn=<{function.name()}>")
    elif tensor.requires_grad:
        found.append("requires_grad=True")
    return found


def with_suffixes(text: str, suffixes: list[str], indent: int, linewidth: int, new_line: bool = False) -> str:
    """``text`` followed by the suffixes, each on a new line where it does not fit any more, and a bracket.

    Args:
        text: what was written so far.
        suffixes: what follows.
        indent: where new lines start.
        linewidth: characters per line.
        new_line: start with a new line anyway.
    """
    column = linewidth if new_line else len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            column = indent + len(suffix)
        else:
            text += ", " + suffix
            column += len(suffix) + 2
    return text + ")"


def nested_text(tensor: Tensor, indent: int) -> str:
    """The text of a tensor inside that of another, ``indent`` characters from the left: numbers, or an empty shape."""
    size = "" if prod(tensor.shape) else f", size={tuple(tensor.shape)}"
    return _PREFIX + contents_text(tensor, indent + len(_PREFIX), current_options()) + size + ")"


def current_options() -> PrintOptions:
    """How tensors print now."""
    return _Current.options


def contents_text(tensor: Tensor, indent: int, options: PrintOptions) -> str:
    if not tensor.device.computes:
        return "..."
    if prod(tensor.shape) == 0:
        return "[]"
    values = tensor.detach().array()
    if tensor.dtype in (float16, bfloat16) or tensor.dtype.is_float8:
        values = values.astype(np.float32)
    return _Layout(values, options).text(values, indent)


@method("__str__")
def __repr__(input: Tensor) -> str:
    """The tensor as PyTorch prints it; this computes its value. Inside `vmap`, the values of all examples."""
    for level in reversed(levels.active):
        stack = level.stack(input.node())
        if stack is not None:
            with running_only(levels.active[: levels.active.index(level)]):
                return f"BatchedTensor(bdim=0, value={Tensor.from_node(stack)!r})"
    options = _Current.options
    prefix = f"{type(input).__name__}(" if has_override(type(input)) else _PREFIX
    text = prefix + contents_text(input, len(prefix), options)
    return with_suffixes(text, _suffixes(input, options), len(prefix), options.linewidth)
