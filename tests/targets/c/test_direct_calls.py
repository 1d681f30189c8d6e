"""Calls that the compiled library takes over from numpy while a program is not compiled."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn
from lazygrad.runtime.dynamic.families import families
from lazygrad.runtime.realize import cache
from lazygrad.targets import compiled_calls
from lazygrad.targets.c import direct_calls, library
from lazygrad.targets.c.library_functions import names_of
from lazygrad.targets.compiled_calls import compiled_calls_may_be_used, taken_over
from tests.runtime.interpreted import interpreting

from .library import needs_compiler

pytestmark = needs_compiler

Program = Callable[[], list[np.ndarray]]


def _gradients(loss: lg.Tensor, *leaves: lg.Tensor) -> list[np.ndarray]:
    return [loss.detach().numpy(), *[gradient.numpy() for gradient in lg.autograd.grad(loss, leaves)]]


def _convolution(dtype: lg.dtype = lg.float32, **options: Any) -> list[np.ndarray]:
    generator = lg.Generator().manual_seed(0)
    channels = 16 // options.get("groups", 1)
    x = lg.randn(4, 16, 12, 12, generator=generator, dtype=dtype).requires_grad_()
    weight = lg.randn(16, channels, 3, 3, generator=generator, dtype=dtype).requires_grad_()
    return _gradients(F.conv2d(x.transpose(2, 3), weight, **options).square().sum(), x, weight)


def _lstm(proj_size: int = 0) -> list[np.ndarray]:
    lg.manual_seed(0)
    layer = nn.LSTM(24, 32, proj_size=proj_size)
    x = lg.randn(20, 8, 24).requires_grad_()
    out, _ = layer(x)
    return _gradients(out.square().sum(), x, *layer.parameters())


def _attention(masked: str = "") -> list[np.ndarray]:
    generator = lg.Generator().manual_seed(0)
    q, k, v = (lg.randn(1, 2, 384, 16, generator=generator).requires_grad_() for _ in range(3))
    mask = lg.randn(384, 384, generator=generator) if masked else None
    if mask is not None and masked == "shown":
        mask = mask > -0.5
    attended = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
    return _gradients(attended.square().sum(), q, k, v)


def _rows(reduce: str = "") -> list[np.ndarray]:
    """Sums of rows, as graph networks and embeddings need them, of which some have many parts."""
    generator = lg.Generator().manual_seed(0)
    table = lg.randn(60, 24, generator=generator).requires_grad_()
    edges = lg.randint(0, 60, (2, 500), generator=generator)
    messages = table[edges[0]]
    if reduce:
        index = edges[1].unsqueeze(1).expand_as(messages)
        summed = lg.zeros(60, 24).scatter_reduce(0, index, messages, reduce)
    else:
        summed = lg.zeros(60, 24).index_add_(0, edges[1], messages)
    return _gradients(summed.square().sum(), table)


CONVOLUTIONS = {"conv", "conv_input_grad", "conv_weight_grad"}
PROGRAMS: dict[str, tuple[Program, set[str]]] = {
    "convolution": (lambda: _convolution(padding=1), CONVOLUTIONS),
    "strided": (lambda: _convolution(stride=2, dilation=2), CONVOLUTIONS),
    "depthwise": (lambda: _convolution(padding=1, groups=16), CONVOLUTIONS),
    "float64": (lambda: _convolution(lg.float64, padding=1), CONVOLUTIONS),
    "lstm": (_lstm, {"recur", "recur_gradients"}),
    "projected lstm": (lambda: _lstm(8), set()),
    "sums of rows": (_rows, {"put"}),
    "scattered sums": (lambda: _rows("sum"), {"put", "scatter"}),
    "scattered maxima": (lambda: _rows("amax"), {"put", "scatter"}),
    "attention": (_attention, {"attend", "attend_gradients"}),
    "masked attention": (lambda: _attention("shown"), {"attend", "attend_gradients"}),
    "attention with a bias": (lambda: _attention("added"), {"attend", "attend_gradients"}),
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The ops whose calls have been taken over, once the library is there and wanted."""
    for name in compiled_calls.TAKEN_OVER:
        for dtype in (lg.float32, lg.float64):
            library.load(names_of(name, dtype))
    direct_calls._state.looked_for.clear()
    seen: set[str] = set()
    monkeypatch.setattr(compiled_calls._Library, "seconds_without", 1.0)

    def find(name: str) -> compiled_calls.CompiledCall | None:
        found = direct_calls.compiled_call(name)
        assert found is not None

        def noted(*arguments: Any) -> bool:
            has_computed = found(*arguments)
            if has_computed:
                seen.add(name)
            return has_computed

        return noted

    monkeypatch.setattr(compiled_calls._Library, "find", staticmethod(find))
    return seen


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("is_planned", [False, True], ids=["interpreted", "planned"])
def test_results_are_those_of_numpy(name: str, is_planned: bool, calls: set[str]) -> None:
    program, taken = PROGRAMS[name]
    with lg.backend("numpy"):
        expected = program()
    assert not calls
    with lg.backend("auto"), interpreting():
        cache.clear()  # a plan that has run before may be compiled
        if is_planned:
            lg.set_interpreted_runs(0)
        found = program()
    assert calls == taken
    for ours, numpys in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, numpys, rtol=1e-4, atol=1e-4 * np.abs(numpys).max())


def test_a_plan_for_many_sizes_uses_the_library(calls: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAZYGRAD_WAIT_FOR_COMPILER", "0")
    weight = lg.randn(16, 16, 3, 3)
    cache.clear()
    families.clear()
    runs = lg.get_interpreted_runs()
    lg.set_interpreted_runs(0)
    try:
        for backend in ("auto", "numpy"):
            with lg.backend(backend):
                for size in (5, 6, 7):
                    calls.clear()
                    x = lg.randn(size, 16, 12, 12).realize()
                    lg.mark_dynamic(x, 0)
                    F.conv2d(x, weight).realize()
                assert calls == ({"conv"} if backend == "auto" else set())
    finally:
        lg.set_interpreted_runs(runs)
    assert lg.cache_info().dynamic_runs > 1


def test_what_shows_numpys_values_does_not_use_the_library(calls: set[str]) -> None:
    with lg.backend("auto"):
        x, weight = lg.randn(4, 16, 12, 12), lg.randn(16, 16, 3, 3)
        assert lg.check(F.conv2d(x, weight)).ok
    assert not calls


def test_few_elements_other_dtypes_and_large_weights_stay_with_numpy(calls: set[str]) -> None:
    def conv(dtype: Any, size: int, kernel: int = 1) -> None:
        x, weight = np.ones((1, 1, size, size), dtype), np.ones((1, 1, kernel, kernel), dtype)
        out = np.empty_like(x)
        attributes = {"stride": (1, 1), "padding": ((0, 0), (0, 0)), "dilation": (1, 1), "groups": 1}
        with compiled_calls_may_be_used():
            taken_over("conv", lambda out, x, weight, **attributes: np.copyto(out, x))(out, x, weight, **attributes)
        np.testing.assert_array_equal(out, x)

    conv(np.float32, 8)
    conv(np.int64, 80)
    conv(np.float32, 30, kernel=90)
    assert not calls
    conv(np.float32, 80)
    assert calls == {"conv"}


def test_nobody_looks_for_the_library_before_numpy_has_taken_long(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    monkeypatch.setattr(compiled_calls._Library, "seconds_without", 0.0)
    monkeypatch.setattr(compiled_calls._Library, "find", staticmethod(looked.append))
    x = np.ones((1, 1, 80, 80), np.float32)
    call = taken_over("conv", lambda out, x: np.copyto(out, x))
    with compiled_calls_may_be_used():
        call(np.empty_like(x), x)
        assert not looked and compiled_calls._Library.seconds_without > 0
        compiled_calls._Library.seconds_without = 1.0
        call(np.empty_like(x), x)
    assert looked == ["conv"]
    call(np.empty_like(x), x)
    assert looked == ["conv"]


def test_a_library_that_is_not_there_is_looked_for_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """To find out which files a function needs took as long as a call; when they have come, it is found."""
    looks, now, is_there = [], [100.0], [False]

    def is_loaded(names: set[str]) -> bool:
        looks.append(names)
        return is_there[0]

    monkeypatch.setattr(direct_calls, "_state", direct_calls._State())
    monkeypatch.setattr(direct_calls.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(library, "load_if_built", lambda names: False)
    monkeypatch.setattr(library, "is_loaded", is_loaded)
    monkeypatch.setattr(library, "function", lambda name: SimpleNamespace(name=name))
    dtype = np.dtype(np.float32)
    assert [direct_calls._function("conv", dtype) for _ in range(100)] == [None] * 100
    assert len(looks) == 1
    is_there[0], now[0] = True, now[0] + 1.0
    assert direct_calls._function("conv", dtype).name == "lg_conv"
