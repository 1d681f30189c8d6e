"""Leaving out the branch of a residual block by chance: Huang et al., arXiv:1603.09382."""

from __future__ import annotations

from lazygrad.fx import wrap
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import empty
from lazygrad.tensor import Tensor


@wrap
def stochastic_depth(input: Tensor, p: float, mode: str, training: bool = True) -> Tensor:
    """Zeroes a whole tensor, or whole samples of it, by chance, and divides what stays by how likely it stays.

    Args:
        input: of shape [batch, ...].
        p: how likely zeros are.
        mode: "batch" draws once, "row" once for each sample.
        training: False returns the input.

    Raises:
        ValueError: ``p`` is no probability, or there is no such mode.
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"drop probability has to be between 0 and 1, but got {p}")
    if mode not in ("batch", "row"):
        raise ValueError(f"mode has to be either 'batch' or 'row', but got {mode}")
    if not training or p == 0.0:
        return input
    stays = 1.0 - p
    rows = input.shape[0] if mode == "row" else 1
    kept = empty(rows, *[1] * (input.ndim - 1), dtype=input.dtype, device=input.device).bernoulli_(stays)
    return input * (kept / stays if stays > 0.0 else kept)


class StochasticDepth(Module):
    """`stochastic_depth` as a module."""

    def __init__(self, p: float, mode: str) -> None:
        super().__init__()
        self.p = p
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        return stochastic_depth(input, self.p, self.mode, self.training)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p={self.p}, mode={self.mode})"
