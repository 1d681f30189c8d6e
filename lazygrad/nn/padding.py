"""Layers that put a border around their input.

``padding`` is how many elements the border has before and after the last dimension, then the one before it, and so
on; an int stands for all of them. Negative numbers crop.
"""

from __future__ import annotations

from lazygrad.nn import functional as F
from lazygrad.nn._types import IntOr2d, IntOr4, IntOr6, expand_to_tuple
from lazygrad.nn.core.module import Module
from lazygrad.tensor import Tensor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _BorderOfItself(Module):
    """A border made of the input's own elements."""

    _mode: str
    padding: tuple[int, ...]

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPad(_BorderOfItself):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        rank = len(self.padding) // 2
        if input.dim() not in (rank + 1, rank + 2):
            raise ValueError(f"expected {rank + 1}D or {rank + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """A border that continues a signal with its other end.

    Shapes:
        (N, C, L) or (C, L) → the same with a longer last dimension.

    Raises:
        ValueError: the input has another rank.
    """

    def __init__(self, padding: IntOr2d) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 2)


class CircularPad2d(_CircularPad):
    """A border that continues an image with its other end, see `CircularPad1d`.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr4) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 4)


class CircularPad3d(_CircularPad):
    """A border that continues a volume with its other end, see `CircularPad1d`.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr6) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 6)


class _ReflectionPad(_BorderOfItself):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """A border that mirrors a signal at its first and last element.

    Shapes:
        (N, C, L) or (C, L) → the same with a longer last dimension.
    """

    def __init__(self, padding: IntOr2d) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 2)


class ReflectionPad2d(_ReflectionPad):
    """A border that mirrors an image at its outermost elements.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr4) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 4)


class ReflectionPad3d(_ReflectionPad):
    """A border that mirrors a volume at its outermost elements.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr6) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 6)


class _ReplicationPad(_BorderOfItself):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """A border that repeats a signal's first and last element.

    Shapes:
        (N, C, L) or (C, L) → the same with a longer last dimension.
    """

    def __init__(self, padding: IntOr2d) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 2)


class ReplicationPad2d(_ReplicationPad):
    """A border that repeats an image's outermost elements.

    Shapes:
        (N, C, H, W) or (C, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr4) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 4)


class ReplicationPad3d(_ReplicationPad):
    """A border that repeats a volume's outermost elements.

    Shapes:
        (N, C, D, H, W) or (C, D, H, W) → the same with larger last dimensions.
    """

    def __init__(self, padding: IntOr6) -> None:
        super().__init__()
        self.padding = expand_to_tuple(padding, 6)


class _ConstantPad(Module):
    """A border of one number around the last dimensions of an input of any rank."""

    padding: tuple[int, ...]

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A border of ``value`` along the last dimension of any input."""

    def __init__(self, padding: IntOr2d, value: float) -> None:
        super().__init__(value)
        self.padding = expand_to_tuple(padding, 2)


class ConstantPad2d(_ConstantPad):
    """A border of ``value`` along the last two dimensions of any input."""

    def __init__(self, padding: IntOr4, value: float) -> None:
        super().__init__(value)
        self.padding = expand_to_tuple(padding, 4)


class ConstantPad3d(_ConstantPad):
    """A border of ``value`` along the last three dimensions of any input."""

    def __init__(self, padding: IntOr6, value: float) -> None:
        super().__init__(value)
        self.padding = expand_to_tuple(padding, 6)


class ZeroPad1d(ConstantPad1d):
    """A border of zeros along the last dimension of any input."""

    def __init__(self, padding: IntOr2d) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """A border of zeros along the last two dimensions of any input."""

    def __init__(self, padding: IntOr4) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """A border of zeros along the last three dimensions of any input."""

    def __init__(self, padding: IntOr6) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"
