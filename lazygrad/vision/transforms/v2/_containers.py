"""Transforms made of others, for samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazygrad.nn.core.containers import ModuleList
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import multinomial, rand, randperm
from lazygrad.ops.public import tensor as new_tensor

__all__ = ["Compose", "RandomApply", "RandomChoice", "RandomOrder"]


def _checked(transforms: Any) -> Any:
    if not isinstance(transforms, (Sequence, ModuleList)):
        raise TypeError("Argument transforms should be a sequence of callables")
    if not transforms:
        raise ValueError("Pass at least one transform")
    return transforms


def _one_after_the_other(transforms: Any, inputs: tuple[Any, ...]) -> Any:
    for transform in transforms:
        given = transform(*inputs)
        inputs = given if len(inputs) > 1 else (given,)
    return inputs if len(inputs) > 1 else inputs[0]


class Compose(Module):
    """One transform after the other.

    Raises:
        TypeError: no sequence.
        ValueError: there are none.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__()
        self.transforms = _checked(transforms)

    def forward(self, *inputs: Any) -> Any:
        return _one_after_the_other(self.transforms, inputs)

    def extra_repr(self) -> str:
        return "\n".join(f"    {transform}" for transform in self.transforms)


class RandomApply(Module):
    """All of the transforms with probability ``p``, otherwise none.

    Raises:
        TypeError: no sequence.
        ValueError: there are none, or ``p`` is no probability.
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = _checked(transforms)
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        self.p = p

    def forward(self, *inputs: Any) -> Any:
        chosen = self.transforms if rand(1).item() < self.p else ()
        return _one_after_the_other(chosen, inputs)

    def extra_repr(self) -> str:
        return "\n".join(f"    {transform}" for transform in self.transforms)


class RandomChoice(Module):
    """One of the transforms, drawn with the probabilities ``p``.

    Raises:
        TypeError: no sequence.
        ValueError: there are none, or not as many as probabilities.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]], p: Sequence[float] | None = None) -> None:
        super().__init__()
        self.transforms = _checked(transforms)
        p = [1.0] * len(transforms) if p is None else p
        if len(p) != len(transforms):
            raise ValueError(f"Length of p doesn't match the number of transforms: {len(p)} != {len(transforms)}")
        self.p = [share / sum(p) for share in p]

    def forward(self, *inputs: Any) -> Any:
        return self.transforms[int(multinomial(new_tensor(self.p), 1).item())](*inputs)


class RandomOrder(Module):
    """All of the transforms, in an order that is drawn.

    Raises:
        TypeError: no sequence.
        ValueError: there are none.
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__()
        self.transforms = _checked(transforms)

    def forward(self, *inputs: Any) -> Any:
        order = randperm(len(self.transforms)).tolist()
        return _one_after_the_other([self.transforms[position] for position in order], inputs)
