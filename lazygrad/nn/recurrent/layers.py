"""Recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any

from lazygrad.autocast_mode import mode as autocast_mode
from lazygrad.ir.dtype import DType
from lazygrad.ir.user_warning import warn_user
from lazygrad.nn import init
from lazygrad.nn._types import DeviceLike
from lazygrad.nn.core.module import Module
from lazygrad.nn.parameter import Parameter
from lazygrad.nn.utils.rnn import PackedSequence, packed_steps, padded_steps
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.indexing.gathering import index_select
from lazygrad.ops.layers.recurrence import run_layers
from lazygrad.ops.shapes.permuting import transpose
from lazygrad.ops.shapes.reshaping import squeeze, unsqueeze
from lazygrad.tensor import Tensor

__all__ = ["RNNBase", "RNN", "LSTM", "GRU"]

_CELLS = {"LSTM": "lstm", "GRU": "gru", "RNN_TANH": "tanh", "RNN_RELU": "relu"}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """What the recurrent layers share: their arguments, parameters and checks.

    Args:
        mode: ``"LSTM"``, ``"GRU"``, ``"RNN_TANH"`` or ``"RNN_RELU"``.
        input_size: features of a step.
        hidden_size: units of a layer.
        num_layers: layers, each of which reads the states of the one before.
        bias: whether gates have biases.
        batch_first: whether input and output are (B, T, …) instead of (T, B, …).
        dropout: the probability of an output to be dropped on its way to the next layer.
        bidirectional: whether each layer also runs from the last step to the first.
        proj_size: the size that hidden states are projected to, 0 for none; LSTM only.
        device: where the parameters live.
        dtype: their dtype, the default one when left out.

    Raises:
        ValueError: sizes, a dropout or a mode that is not possible.
        TypeError: arguments of other types.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: DeviceLike = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        _check_arguments(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                names = []
                for name, shape in self._shapes(layer):
                    names.append(f"{name}_l{layer}{suffix}")
                    self.register_parameter(names[-1], Parameter(empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)
        self.reset_parameters()

    def _shapes(self, layer: int) -> list[tuple[str, tuple[int, ...]]]:
        """The parameters of a layer in one direction."""
        gates = _GATES[self.mode] * self.hidden_size
        inputs = self.input_size if layer == 0 else self._width * self._directions
        shapes: list[tuple[str, tuple[int, ...]]] = [
            ("weight_ih", (gates, inputs)),
            ("weight_hh", (gates, self._width)),
        ]
        if self.bias:
            shapes += [("bias_ih", (gates,)), ("bias_hh", (gates,))]
        if self.proj_size:
            shapes.append(("weight_hr", (self.proj_size, self.hidden_size)))
        return shapes

    @property
    def _width(self) -> int:
        """The size of a hidden state."""
        return self.proj_size or self.hidden_size

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [weight for weights in self.all_weights for weight in weights]

    @_flat_weights.setter
    def _flat_weights(self, weights: Sequence[Tensor]) -> None:
        """What libraries set after they have put other tensors in the parameters' places, which this layer reads."""
        for name, weight in zip(self._flat_weights_names, weights, strict=True):
            if getattr(self, name) is not weight:
                if not isinstance(weight, Parameter):
                    self._parameters.pop(name, None)
                setattr(self, name, weight)

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    def flatten_parameters(self) -> None:
        """Does nothing: parameters need not lie side by side here."""

    def reset_parameters(self) -> None:
        """Draws all parameters, uniform in ±1/√hidden_size."""
        bound = 1 / math.sqrt(self.hidden_size)
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Raises what PyTorch raises for an input of another dtype or shape."""
        dtype = self._flat_weights[0].dtype
        if input.dtype is not dtype and autocast_mode.dtype_on(input.device) is None:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                             f"input.to({dtype}), or convert model: model.to({input.dtype})")  # fmt: skip
        rank = 3 if batch_sizes is None else 2
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                               f"{input.shape[-1]}")  # fmt: skip

    def _batch(self, input: Tensor, batch_sizes: Tensor | None) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.shape[0] if self.batch_first else input.shape[1]

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the hidden states that belong to an input."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self._width

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """RuntimeError for states of another shape."""
        if tuple(hx.shape) != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.shape)))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Raises what PyTorch raises for input and states that do not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The states of the sequences in another order."""
        return hx if permutation is None else index_select(hx, 1, permutation)

    def _forward(self, input: Any, hx: Any) -> tuple[Any, tuple[Tensor, ...]]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        rank = input.dim()
        if rank not in (2, 3):
            kind = f"{rank}D tensor" if self.mode.startswith("RNN") else f"{rank}D"
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {kind} instead")
        batch_dim = 0 if self.batch_first else 1
        if hx is not None:
            self._check_rank(rank, hx)
        if rank == 2:
            input = unsqueeze(input, batch_dim)
            hx = None if hx is None else self._each(hx, lambda state: unsqueeze(state, 1))
        if hx is None:
            self.check_input(input, None)
        else:
            self.check_forward_args(input, hx, None)
        output, *after = self._layers(transpose(input, 0, 1) if self.batch_first else input, hx)
        output = transpose(output, 0, 1) if self.batch_first else output
        if rank == 2:
            return squeeze(output, batch_dim), tuple([squeeze(state, 1) for state in after])
        return output, tuple(after)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, tuple[Tensor, ...]]:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        if hx is None:
            self.check_input(data, batch_sizes)
        else:
            hx = self.permute_hidden(hx, sorted_indices)
            self.check_forward_args(data, hx, batch_sizes)
        output, *after = self._layers(padded_steps(input), hx, batch_sizes)
        packed = packed_steps(output, batch_sizes, sorted_indices, unsorted_indices)
        if unsorted_indices is not None:
            after = [index_select(state, 1, unsorted_indices) for state in after]
        return packed, tuple(after)

    def _layers(self, input: Tensor, hx: Any, batch_sizes: Tensor | None = None) -> tuple[Tensor, ...]:
        sizes = None if batch_sizes is None else batch_sizes.numpy()
        states = (hx,) if isinstance(hx, Tensor) else hx
        return run_layers(
            _CELLS[self.mode],
            input,
            states,
            self._flat_weights,
            self.bias,
            self.num_layers,
            self.dropout,
            self.training,
            self.bidirectional,
            sizes,
        )

    def _check_rank(self, rank: int, hx: Any) -> None:
        if hx.dim() != rank:
            kind = "unbatched" if rank == 2 else "batched"
            raise RuntimeError(f"For {kind} {rank}-D input, hx should also be {rank}-D but got {hx.dim()}-D tensor")

    def _each(self, hx: Any, change: Callable[[Tensor], Tensor]) -> Any:
        return change(hx)

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        parts += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(parts)


def _check_arguments(
    mode: str,
    input_size: Any,
    hidden_size: Any,
    num_layers: int,
    bias: Any,
    batch_first: Any,
    dropout: Any,
    proj_size: int,
) -> None:
    if not isinstance(dropout, Number) or isinstance(dropout, bool) or not 0 <= dropout <= 1:  # type: ignore[operator]
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being "
                         "zeroed")  # fmt: skip
    if dropout > 0 and num_layers == 1:  # type: ignore[operator]
        warn_user(
            f"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
            f"greater than 1, but got dropout={dropout} and num_layers={num_layers}",
        )
    for name, value, kind in (
        ("bias", bias, bool),
        ("batch_first", batch_first, bool),
        ("input_size", input_size, int),
        ("hidden_size", hidden_size, int),
    ):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in _CELLS:
        raise ValueError(f"Unrecognized RNN mode: {mode}")


class RNN(RNNBase):
    """Layers of h = tanh(W x + b + U h + c). Source: Elman, "Finding Structure in Time", 1990.

    Args:
        input_size, hidden_size, num_layers: see `RNNBase`.
        nonlinearity: ``"tanh"`` or ``"relu"``; the fourth argument.
        bias, batch_first, dropout, bidirectional, device, dtype: see `RNNBase`.

    Shapes:
        ``input`` (T, B, input_size), (T, input_size) without a batch, or a `PackedSequence`; ``hx``
        (layers · directions, B, hidden_size) → (T, B, directions · hidden_size), and the last states.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        nonlinearity = args[3] if len(args) > 3 else kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args[:3], *args[4:], **kwargs)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, states = self._forward(input, hx)
        return output, states[0]


class GRU(RNNBase):
    """Layers of gated recurrent units. Source: Cho et al., arXiv:1406.1078, 2014.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype: see `RNNBase`.

    Shapes:
        Those of `RNN`; the rows of a weight are those of the reset and update gates and of the new value.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Tensor | None = None) -> tuple[Any, Tensor]:
        output, states = self._forward(input, hx)
        return output, states[0]


class LSTM(RNNBase):
    """Layers of long short-term memory. Source: Hochreiter and Schmidhuber, 1997.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype: see
            `RNNBase`.

    Shapes:
        Those of `RNN`, but ``hx`` is a pair: hidden states (layers · directions, B, proj_size or hidden_size), and
        cell states (layers · directions, B, hidden_size); so are the last states. The rows of a weight are those of
        the input, forget, cell and output gates.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """The shape of the cell states that belong to an input."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        wanted = (self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes))
        for i, size in enumerate(wanted):
            self.check_hidden_size(hidden[i], size, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        return hx if permutation is None else self._each(hx, lambda state: index_select(state, 1, permutation))

    def _check_rank(self, rank: int, hx: Any) -> None:
        ranks = (hx[0].dim(), hx[1].dim())
        if ranks != (rank, rank):
            kind = "unbatched" if rank == 2 else "batched"
            raise RuntimeError(f"For {kind} {rank}-D input, hx and cx should also be {rank}-D but got ({ranks[0]}-D, "
                               f"{ranks[1]}-D) tensors")  # fmt: skip

    def _each(self, hx: Any, change: Callable[[Tensor], Tensor]) -> Any:
        return change(hx[0]), change(hx[1])

    def forward(self, input: Any, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Any, tuple[Tensor, Tensor]]:
        output, states = self._forward(input, hx)
        return output, (states[0], states[1])
