"""The sizes of a convolution."""

from __future__ import annotations

from dataclasses import dataclass

from lazygrad.ir.node import Node
from lazygrad.ir.shape import Shape


@dataclass(frozen=True, slots=True)
class Geometry:
    """A convolution's sizes.

    Attributes:
        kernel, stride, low, dilation: per spatial axis; ``low`` is the padding before.
        groups: independent groups of channels.
        extent: of the output.
    """

    kernel: Shape
    stride: Shape
    low: Shape
    dilation: Shape
    groups: int
    extent: Shape

    @property
    def is_pointwise(self) -> bool:
        """Whether windows are single elements, each read once and in order."""
        rank = len(self.kernel)
        return self.kernel == self.stride == (1,) * rank and not any(self.low)


def geometry_of(node: Node, kernel: Shape, extent: Shape) -> Geometry:
    """That of a convolution or a gradient of one."""
    low = tuple(before for before, _ in node["padding"])
    return Geometry(kernel, node["stride"], low, node["dilation"], node["groups"], extent)
