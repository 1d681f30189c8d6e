"""The top level of the package: PyTorch's names, each bound to what PyTorch binds it to."""

from __future__ import annotations

import inspect
import math
import types

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

_OWN = set(
    "as_torch quantized safetensors vision summary export_numpy realize_all unfused "
    "mark_dynamic cache_info stages dump last_step compare compile_for check explain explain_fusion explain_cache_miss "
    "graph_diff override parse profile "
    "get_interpreted_runs set_interpreted_runs set_plan_cache_limits "
    "backend get_backend set_backend wait_for_compiler data optim nn autograd cuda special array_api".split()
)


def test_every_public_name_exists_once() -> None:
    assert len(set(lg.__all__)) == len(lg.__all__)
    assert [name for name in lg.__all__ if not hasattr(lg, name)] == []


@pytest.mark.parametrize("name", sorted(set(lg.__all__) - _OWN))
def test_names_are_those_of_torch(name: str) -> None:
    theirs, ours = getattr(torch, name), getattr(lg, name)
    assert callable(ours) == callable(theirs)
    assert isinstance(ours, types.ModuleType) == isinstance(theirs, types.ModuleType)


def test_dtype_names() -> None:
    assert (lg.half, lg.float, lg.double) == (lg.float16, lg.float32, lg.float64)
    assert (lg.short, lg.int, lg.long) == (lg.int16, lg.int32, lg.int64)
    assert repr(lg.bool) == "lazygrad.bool"


def test_second_names_are_the_same_function() -> None:
    assert lg.clip is lg.clamp and lg.arctan2 is lg.atan2 and lg.less_equal is lg.le and lg.true_divide is lg.div


def test_tensor_is_the_function() -> None:
    assert inspect.isroutine(lg.tensor) and lg.tensor(3).item() == 3


def test_constants() -> None:
    assert (lg.inf, lg.pi, lg.e) == (math.inf, math.pi, math.e)
    assert math.isnan(lg.nan)
    assert tuple(lg.ones(3)[lg.newaxis].shape) == (1, 3)


def test_there_is_no_cuda() -> None:
    assert lg.cuda.is_available() is False
    assert lg.cuda.device_count() == 0
    with pytest.raises(RuntimeError, match="Found no NVIDIA driver on your system"):
        lg.cuda.synchronize()
    assert not hasattr(lg.cuda, "__wrapped__")


def test_limits_print_as_in_torch() -> None:
    for name in ("float16", "bfloat16", "float32", "float64"):
        assert repr(lg.finfo(getattr(lg, name))) == repr(torch.finfo(getattr(torch, name)))
    for name in ("uint8", "int8", "int16", "int32", "int64"):
        assert repr(lg.iinfo(getattr(lg, name))) == repr(torch.iinfo(getattr(torch, name)))
    with pytest.raises(TypeError, match="iinfo"):
        lg.finfo(lg.int64)
    with pytest.raises(TypeError, match="finfo"):
        lg.iinfo(lg.float32)


@pytest.mark.host_memory("the state of the CPU does not hold those of other devices, as in PyTorch")
def test_rng_state_covers_randomness_inside_graphs() -> None:
    def draw() -> list[list[float]]:
        return [lg.nn.functional.dropout(lg.ones(64)).tolist(), lg.rand(3).tolist()]

    lg.nn.functional.dropout(lg.ones(64))
    state = lg.get_rng_state()
    first = draw()
    assert draw() != first
    lg.set_rng_state(state)
    assert draw() == first


def test_inference_mode_leaves_no_gradient() -> None:
    x = lg.ones(2, requires_grad=True)
    with lg.inference_mode():
        inside = lg.is_inference_mode_enabled(), lg.is_grad_enabled()
        y = x * 2
    assert inside == (True, False)
    assert not y.requires_grad and y.is_inference()
    assert not lg.is_inference_mode_enabled() and lg.is_grad_enabled()

    @lg.inference_mode
    def doubled(x: lg.Tensor) -> lg.Tensor:
        return x * 2

    assert not doubled(x).requires_grad
    with lg.no_grad(), lg.inference_mode(False):
        assert (x * 2).requires_grad


def test_class_of_grad_fn() -> None:
    x = lg.ones(2, 3, requires_grad=True)
    assert type((x + 1).grad_fn).__name__ == "AddBackward0"
    assert type((x @ x.T).grad_fn).__name__ == "MmBackward0"
    ((source, _), _) = (x * 2).grad_fn.next_functions
    assert source.name() == "AccumulateGrad" and source.variable is x
    with pytest.raises(AttributeError, match="MulBackward0"):
        _ = (x * 2).grad_fn.variable


def test_division_of_integers_by_zero() -> None:
    one, zero = lg.ones(2, dtype=lg.int64), lg.zeros(2, dtype=lg.int64)
    for function in (lg.floor_divide, lg.remainder, lg.fmod):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            function(one, 0)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            function(one + 0, zero).tolist()
    assert ((one + 4) // (one + 1)).tolist() == [2, 2]
    assert (lg.ones(1) // 0).tolist() == [math.inf]
