"""Single steps of recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable

from lazygrad.ir.dtype import DType
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.ops.creation.filled import empty, zeros
from lazygrad.ops.layers.recurrence import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from lazygrad.ops.shapes.reshaping import squeeze, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]


class RNNCellBase(Module):
    """What the cells share: two weights, two biases and their first values, uniform in ±1/√hidden_size.

    Args:
        input_size: features of a step.
        hidden_size: units.
        bias: whether there are biases.
        num_chunks: gates of a unit.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(empty((gates,), device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all parameters."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def _checked(self, x: Tensor, what: str) -> Tensor:
        if x.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {x.dim()}D instead")
        return x

    def _states(self, input: Tensor, states: tuple[Tensor, ...] | None, count: int) -> tuple[Tensor, ...]:
        """The states of a batch, zeros if none are given."""
        if states is not None:
            return tuple([unsqueeze(state, 0) for state in states]) if input.dim() == 1 else states
        batch = 1 if input.dim() == 1 else input.shape[0]
        return tuple([zeros((batch, self.hidden_size), dtype=input.dtype, device=input.device)] * count)

    def _parameters_of_step(self) -> tuple[Tensor | None, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class _OneStateCell(RNNCellBase):
    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._checked(input, "input")
        given = None if hx is None else (self._checked(hx, "hidden"),)
        (state,) = self._states(input, given, 1)
        batch = unsqueeze(input, 0) if input.dim() == 1 else input
        found = self._function()(batch, state, *self._parameters_of_step())
        return squeeze(found, 0) if input.dim() == 1 else found

    def _function(self) -> Callable[..., Tensor]:
        raise NotImplementedError


class RNNCell(_OneStateCell):
    """h = tanh(W x + b + U h + c). Source: Elman, "Finding Structure in Time", 1990.

    Args:
        input_size: features of a step.
        hidden_size: units.
        bias: whether there are biases.
        nonlinearity: ``"tanh"`` or ``"relu"``.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Shapes:
        ``input`` (B, input_size) or (input_size), ``hx`` (B, hidden_size) or (hidden_size) → the shape of ``hx``.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def _function(self) -> Callable[..., Tensor]:
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return rnn_tanh_cell if self.nonlinearity == "tanh" else rnn_relu_cell


class GRUCell(_OneStateCell):
    """A gated recurrent unit. Source: Cho et al., arXiv:1406.1078, 2014.

    Args:
        input_size, hidden_size, bias, device, dtype: see `RNNCell`.

    Shapes:
        Those of `RNNCell`.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def _function(self) -> Callable[..., Tensor]:
        return gru_cell


class LSTMCell(RNNCellBase):
    """Long short-term memory. Source: Hochreiter and Schmidhuber, 1997.

    Args:
        input_size, hidden_size, bias, device, dtype: see `RNNCell`.

    Shapes:
        Those of `RNNCell`, but ``hx`` is a pair: hidden and cell state. So is the result.
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._checked(input, "input")
        given = None if hx is None else tuple([self._checked(state, f"hx[{i}]") for i, state in enumerate(hx)])
        states = self._states(input, given, 2)
        batch = unsqueeze(input, 0) if input.dim() == 1 else input
        hidden, memory = lstm_cell(batch, states, *self._parameters_of_step())  # type: ignore[arg-type]
        return (squeeze(hidden, 0), squeeze(memory, 0)) if input.dim() == 1 else (hidden, memory)
