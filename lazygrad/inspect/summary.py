"""What a model consists of: a table of its layers, with shapes and counts, in the layout of torchinfo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lazygrad.inspect.summary_layers import called, uncalled
from lazygrad.inspect.summary_table import ROWS, TITLES, Layout, Summary
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import DType, float32
from lazygrad.nn.core.module import Module
from lazygrad.ops.public import zeros
from lazygrad.tensor import Tensor

_OF_A_CALL = {"input_size", "output_size", "mult_adds"}


def summary(
    model: Module,
    input_size: Any = None,
    input_data: Any = None,
    batch_dim: int | None = None,
    cache_forward_pass: bool | None = None,
    col_names: Iterable[str] | None = None,
    col_width: int = 25,
    depth: int = 3,
    device: Device | str | None = None,
    dtypes: Sequence[DType] | None = None,
    mode: str = "eval",
    row_settings: Iterable[str] | None = None,
    verbose: int | None = None,
    **kwargs: Any,
) -> Summary:
    """The layers of a model, with the shapes of their results. The call is recorded, and nothing is computed.

    Args:
        model: is called once, without gradients; not at all without shapes and inputs.
        input_size: the shape of its input, or a list of several; batches included. Either this
        input_data: or the inputs themselves: a tensor, or a list or a dict of arguments.
        batch_dim: where shapes get one more dimension, of 1, for batches.
        cache_forward_pass: taken for torchinfo's sake; a call that is only recorded needs no cache.
        col_names: of "kernel_size", "input_size", "output_size", "num_params", "params_percent", "mult_adds" and
            "trainable", by default output_size and num_params, or the latter where the model is not called.
        col_width: of each of these.
        depth: layers further inside are not shown, but counted.
        device: that the model goes to, and the inputs; by default they stay where they are, and inputs that are made
            here are made where the first parameter is.
        dtypes: of the inputs whose shapes are given; float32 if None.
        mode: "eval", or "train" to call it as it is in training.
        row_settings: of "depth" (on by default), "var_names", "ascii_only" and "hide_recursive_layers".
        verbose: 1 prints the table, 2 has lines for each layer's parameters besides; by default nothing is printed,
            and a prompt shows the table that is returned.
        kwargs: more arguments of the model.

    Raises:
        ValueError: both shapes and inputs; a mode, a column, a row setting or a number that there is not; columns
            about a call where there is none.
    """
    if input_size is not None and input_data is not None:
        raise ValueError("summary: give input_size or input_data, and not both")
    is_called = input_size is not None or input_data is not None
    default = ("output_size", "num_params") if is_called else ("num_params",)
    columns = default if col_names is None else tuple(col_names)
    rows = frozenset(["depth"] if row_settings is None else row_settings)
    _check(mode, columns, col_width, rows, verbose)
    if not is_called and _OF_A_CALL.intersection(columns):
        raise ValueError(f"summary: pass input_data or input_size to use the columns {sorted(_OF_A_CALL & {*columns})}")
    layout = Layout(depth, columns, col_width, rows, verbose == 2)
    if device is not None:
        model.to(device)
    if is_called:
        place = device if device is not None else _device_of(model)
        given = _made(input_size, batch_dim, dtypes, place) if input_data is None else _on(device, input_data)
        positional = [] if isinstance(given, dict) else [given] if isinstance(given, Tensor) else list(given)
        named = {**(given if isinstance(given, dict) else {}), **_on(device, kwargs)}
        layers = called(model, positional, named, mode == "train", batch_dim)
        tensors = [each for each in (*positional, *named.values()) if isinstance(each, Tensor)]
        found = Summary(layers, tensors, layout)
    else:
        found = Summary(uncalled(model), None, layout)
    if verbose:
        print(found)
    return found


def _check(mode: str, columns: tuple[str, ...], width: int, rows: frozenset[str], verbose: int | None) -> None:
    if mode not in ("eval", "train"):
        raise ValueError(f"summary: mode must be 'eval' or 'train', not {mode!r}")
    if width <= 0:
        raise ValueError(f"summary: Column width must be greater than 0: col_width={width}")
    if verbose not in (None, 0, 1, 2):
        raise ValueError("summary: Verbose must be either 0 (quiet), 1 (default), or 2 (verbose).")
    for kind, names, known in (("column", columns, TITLES), ("row setting", rows, ROWS)):
        for name in names:
            if name not in known:
                raise ValueError(f"summary: there is no {kind} {name!r}, only {', '.join(known)}")


def _device_of(model: Module) -> Device | None:
    return next((parameter.device for parameter in model.parameters()), None)


def _made(
    input_size: Any, batch_dim: int | None, dtypes: Sequence[DType] | None, device: Device | str | None
) -> list[Tensor]:
    sizes = [list(size) for size in ([input_size] if isinstance(input_size[0], int) else input_size)]
    if batch_dim is not None:
        for size in sizes:
            size.insert(batch_dim, 1)
    kinds = [float32] * len(sizes) if dtypes is None else list(dtypes)
    return [zeros(*size, dtype=kind, device=device) for size, kind in zip(sizes, kinds, strict=True)]


def _on(device: Device | str | None, value: Any) -> Any:
    """A tensor, or a list or dict with tensors, on another device."""
    if device is None:
        return value
    if isinstance(value, Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {name: _on(device, item) for name, item in value.items()}
    return [_on(device, item) for item in value] if isinstance(value, (list, tuple)) else value
