"""numpy's functions on tensors, which is what libraries for plots and statistics do with what they are given.

They give what they give for an array. What torch.Tensor refuses is refused too: numpy hands its own keywords to a
method of the same name, and these methods have PyTorch's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

CALLS: dict[str, Callable[[Any], Any]] = {
    "ravel": lambda t: np.ravel(t),
    "ravel order": lambda t: np.ravel(t, order="F"),
    "reshape": lambda t: np.reshape(t, (3, 2)),
    "transpose": lambda t: np.transpose(t),
    "swapaxes": lambda t: np.swapaxes(t, 0, 1),
    "squeeze": lambda t: np.squeeze(t),
    "expand_dims": lambda t: np.expand_dims(t, 0),
    "atleast_2d": lambda t: np.atleast_2d(t),
    "broadcast_to": lambda t: np.broadcast_to(t, (2, 2, 3)),
    "take": lambda t: np.take(t, [0, 2]),
    "take axis": lambda t: np.take(t, [0, 2], axis=1),
    "repeat": lambda t: np.repeat(t, 2),
    "repeat axis": lambda t: np.repeat(t, 2, axis=1),
    "tile": lambda t: np.tile(t, 2),
    "pad": lambda t: np.pad(t, 1),
    "roll": lambda t: np.roll(t, 1),
    "resize": lambda t: np.resize(t, (3, 3)),
    "compress": lambda t: np.compress([True, False], t, axis=0),
    "choose": lambda t: np.choose(t.argmax(1) > 5, [[1, 2], [3, 4]]),
    "diagonal": lambda t: np.diagonal(t),
    "trace": lambda t: np.trace(t),
    "column_stack": lambda t: np.column_stack([t, t]),
    "meshgrid": lambda t: np.stack(np.meshgrid(t[0], t[1])),
    "sort": lambda t: np.sort(t),
    "argsort": lambda t: np.argsort(t),
    "partition": lambda t: np.partition(t, 1),
    "searchsorted": lambda t: np.searchsorted(t[0], 1.5),
    "unique": lambda t: np.unique(t),
    "digitize": lambda t: np.digitize(t, [1, 2]),
    "histogram": lambda t: np.histogram(t)[0],
    "interp": lambda t: np.interp(t[0], t[0], t[1]),
    "linspace": lambda t: np.linspace(t[0, 0], t[1, 2], 3),
    "clip": lambda t: np.clip(t, 1, 3),
    "round": lambda t: np.round(t),
    "cumsum": lambda t: np.cumsum(t, axis=1),
    "cumprod": lambda t: np.cumprod(t, axis=1),
    "argmax": lambda t: np.argmax(t),
    "argmin axis": lambda t: np.argmin(t, axis=0),
    "ptp": lambda t: np.ptp(t),
    "sum": lambda t: np.sum(t, axis=0),
    "mean": lambda t: np.mean(t, axis=0),
    "min": lambda t: np.min(t),
    "amax": lambda t: np.amax(t),
    "prod": lambda t: np.prod(t),
    "any": lambda t: np.any(t),
    "all": lambda t: np.all(t),
    "median": lambda t: np.median(t),
    "percentile": lambda t: np.percentile(t, 50),
    "nanmin": lambda t: np.nanmin(t),
    "isfinite": lambda t: np.isfinite(t),
    "nan_to_num": lambda t: np.nan_to_num(t),
    "cov": lambda t: np.cov(t),
    "norm": lambda t: np.linalg.norm(t),
    "einsum": lambda t: np.einsum("ij->j", t),
    "dot": lambda t: np.dot(t, t.T),
    "array of integers": lambda t: np.array(t, dtype=int),
    "masked": lambda t: np.ma.asarray(t),
    "allclose": lambda t: np.allclose(t, t),
}
REFUSED: dict[str, Callable[[Any], Any]] = {
    "__array_interface__": lambda t: t.__array_interface__,
    "ravel(order=)": lambda t: t.ravel(order="C"),
    "take(number, axis)": lambda t: t.take(0, 1),
    "repeat(axis=)": lambda t: t.repeat(3, axis=0),
    "std": lambda t: np.std(t),
    "var": lambda t: np.var(t, axis=1),
    "put": lambda t: np.put(t, [0], [9]),
    "moveaxis": lambda t: np.moveaxis(t, 0, 1),
    "flip": lambda t: np.flip(t),
}


@pytest.mark.host_memory("other libraries read the memory of tensors")
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numpy_takes_tensors(call: Callable[[Any], Any]) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_allclose(np.asarray(call(lg.tensor(array))), np.asarray(call(array)), rtol=1e-6)


@pytest.mark.host_memory("other libraries read the memory of tensors")
@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_torch_refuses_is_refused(call: Callable[[Any], Any], torch: Any) -> None:
    for framework in (torch, lg):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            call(framework.arange(6.0).reshape(2, 3))
