"""Other dtypes, devices and representations of a tensor: to, numpy, Python values, copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad
from tests.frontend.texts import without_device
from tests.oracle.comparing import assert_alike, raised

Program = Callable[[Any], Any]


def _x(t: Any) -> Any:
    return t.tensor([[1.5, -2.25], [0.0, 3.0]])


_EQUAL: dict[str, Program] = {
    "to nothing": lambda t: [x.to() is x for x in [_x(t)]],
    "to None": lambda t: [x.to(None) is x for x in [_x(t)]],
    "to a dtype": lambda t: _x(t).to(t.int32),
    "to a Python type": lambda t: [_x(t).to(float), _x(t).to(int), _x(t).to(bool), t.zeros(1, dtype=float)],
    "to a device and dtype": lambda t: _x(t).to("cpu", t.float16, True, True),
    "to a dtype at once": lambda t: _x(t).to(t.float64, True),
    "to by keywords": lambda t: _x(t).to(device="cpu", dtype=t.float64, non_blocking=True, copy=True),
    "to another": lambda t: [_x(t).to(t.tensor([1])), _x(t).to(t.tensor([1]), True, copy=True)],
    "to copy": lambda t: [(x.to(x.dtype, copy=True) is x, x.to(x, copy=True) is x) for x in [_x(t)]],
    "casts that change nothing": lambda t: [
        x.float() is x and x.type_as(x) is x and x.to(x.device) is x for x in [_x(t)]
    ],
    "casts keep gradients": lambda t: t.ones(2, requires_grad=True).double() * 2,
    "casts to integers lose gradients": lambda t: t.ones(2, requires_grad=True).long(),
    "type with a dtype": lambda t: [_x(t).type(t.int8), _x(t).type(f"{t.__name__}.DoubleTensor")],
    "what is a tensor": lambda t: [t.is_tensor(_x(t)), t.is_tensor(1)],
    "tolist": lambda t: [_x(t).tolist(), t.tensor(3).tolist(), t.zeros(2, 0).tolist(), t.tensor([True]).tolist()],
    "tolist of half": lambda t: [t.tensor([0.1], dtype=t.bfloat16).tolist(), t.tensor([0.1], dtype=t.float16).tolist()],
    "item": lambda t: [t.tensor([[2.5]]).item(), t.tensor(3, dtype=t.uint8).item(), t.tensor(True).item()],
    "item of half": lambda t: [t.tensor(0.1, dtype=t.bfloat16).item(), t.tensor(0.1, dtype=t.float16).item()],
    "item of a tensor with gradient": lambda t: t.ones(1, requires_grad=True).item(),
    "numbers": lambda t: [int(t.tensor(-2.7)), float(t.tensor([3])), complex(t.tensor(2)), bool(t.tensor([[0.0]]))],
    "index": lambda t: ["abc"[t.tensor(1)], "abc"[t.tensor([[2]])], "abc"[t.tensor(True)], list(range(t.tensor(2)))],
    "contains": lambda t: [2.0 in t.tensor([1, 2]), t.tensor(5) in t.tensor([1, 2]), True in t.tensor([False])],
    "format": lambda t: [
        f"{t.tensor(1.5):.2f}",
        f"{t.tensor(7):>4}",
        f"{t.tensor(1.5)}",
        without_device(f"{t.tensor([1.5])}"),
    ],
    "numpy": lambda t: [_x(t).numpy(), _x(t).t().numpy(), t.tensor(3).numpy(), t.zeros(0, 2).numpy()],
    "numpy by force": lambda t: (t.ones(2, requires_grad=True) * 2).numpy(force=True),
    "np.asarray": lambda t: [
        np.asarray(_x(t)),
        np.asarray(_x(t), dtype=np.float64),
        np.array(_x(t)),
        np.stack([_x(t)]),
    ],
    "numpy functions": lambda t: [
        np.exp(t.tensor([0.0])),
        np.add(t.tensor([1.0]), np.ones(1)),
        np.sum(t.ones(3).numpy()),
    ],
    "as_tensor": lambda t: [t.as_tensor([1, 2]), t.as_tensor(np.float32(2)), t.as_tensor(_x(t), dtype=t.int64)],
    "asarray": lambda t: [t.asarray(3), t.asarray([1.0], requires_grad=True), t.asarray(np.ones(2), dtype=t.float32)],
    "tensor of numpy numbers": lambda t: [t.tensor([1.0, np.float64(2)]), t.tensor([np.float32(1), 2.0])],
    "tensor of tensors": lambda t: [t.tensor([t.tensor(1), 2.5]), t.tensor([[t.tensor(2.0, requires_grad=True)]])],
    "tensor of too large floats": lambda t: [t.tensor(1e39), t.tensor([70000], dtype=t.float16)],
    "tensor wraps negative bytes": lambda t: t.tensor([-1, -255], dtype=t.uint8),
    "fill_": lambda t: [t.ones(2).fill_(3), t.ones(2, dtype=t.int64).fill_(2.9), t.ones(2).fill_(t.tensor(4))],
    "copy_": lambda t: [
        t.zeros(2, 2).copy_(t.arange(2)),
        t.zeros(2, dtype=t.uint8).copy_(t.tensor([300, -1])),
        t.zeros(2).copy_(3),
    ],
    "fill_diagonal_": lambda t: [t.zeros(7, 3).fill_diagonal_(2, wrap=True), t.zeros(7, 3).fill_diagonal_(2)],
    "fill_diagonal_ of wide and cubic": lambda t: [t.zeros(2, 5).fill_diagonal_(1), t.zeros(3, 3, 3).fill_diagonal_(1)],
    "fill_diagonal_ of a view": lambda t: [x for x in [t.zeros(3, 4)] for _ in [x.t().fill_diagonal_(True)]],
    "ranges of integers": lambda t: [t.arange(0.5, 3.7, dtype=t.int32), t.arange(0.5, 3.7, dtype=t.int64)],
    "ranges of tensors": lambda t: [
        t.arange(t.tensor(3)),
        t.arange(t.tensor(3.0)),
        t.linspace(t.tensor(0.0), t.tensor(1.0), 3),
    ],
    "range at the lowest integer": lambda t: t.arange(-(2**63), -(2**63) + 3).sub(-(2**63)),
    "logspace": lambda t: [t.logspace(0, 2, 3), t.logspace(0, 2, 3, base=2, dtype=t.int64), t.logspace(0, 1, 1)],
    "triangle indices": lambda t: [
        t.tril_indices(3, 4, -1),
        t.triu_indices(3, 4, 1, dtype=t.int32),
        t.tril_indices(0, 2),
    ],
    "scalar_tensor": lambda t: [t.scalar_tensor(3), t.scalar_tensor(True, dtype=t.bool)],
    "sizes by keyword": lambda t: [t.zeros(size=(2,)), t.ones(size=[1, 2]), t.zeros(3).new_zeros(size=(2,))],
    "new_* keep dtype": lambda t: [
        x.new_tensor([1.9]) for x in (t.zeros(1, dtype=t.int64), t.zeros(1, dtype=t.float64))
    ],
}


@pytest.mark.parametrize("program", _EQUAL.values(), ids=_EQUAL)
def test_equals_torch(program: Program, torch: Any, candidate: Any) -> None:
    assert_alike(program, torch, candidate, slack=0)


@pytest.mark.host_memory("tensors that are on the CPU already")
def test_where_a_tensor_is(torch: Any, candidate: Any) -> None:
    def facts(t: Any) -> list[Any]:
        x = _x(t)
        return [x.cpu() is x, x[:, 1:].cpu().shape, x.is_cpu, x.is_cuda, x.get_device()]

    assert facts(candidate) == facts(torch)


_ERRORS: dict[str, Program] = {
    "item of several": lambda t: t.ones(2).item(),
    "item of none": lambda t: t.ones(0).item(),
    "int of several": lambda t: int(t.ones(2)),
    "float of none": lambda t: float(t.ones(0)),
    "bool of several": lambda t: bool(t.ones(2)),
    "bool of none": lambda t: bool(t.ones(0)),
    "int of nan": lambda t: int(t.tensor(float("nan"))),
    "index by a float": lambda t: "abc"[t.tensor(1.0)],
    "index by several": lambda t: "abc"[t.tensor([1, 2])],
    "contains text": lambda t: "a" in t.ones(1),
    "format of several": lambda t: f"{t.ones(2):.2f}",
    "numpy with gradient": lambda t: t.ones(2, requires_grad=True).numpy(),
    "np.asarray with gradient": lambda t: np.asarray(t.ones(2, requires_grad=True) * 2),
    "dlpack with gradient": lambda t: t.ones(2, requires_grad=True).__dlpack__(),
    "deepcopy of a result": lambda t: copy.deepcopy(t.ones(2, requires_grad=True) * 2),
    "to an unknown device": lambda t: t.ones(2).to("nowhere"),
    "to a dtype's name": lambda t: t.ones(2).to("float32"),
    "to two dtypes": lambda t: t.ones(2).to(t.float32, t.float64),
    "to another by keyword": lambda t: t.ones(2).to(other=t.ones(1)),
    "unknown type": lambda t: t.ones(2).type("Nonsense"),
    "dtype as text": lambda t: t.zeros(2, dtype="float32"),
    "tensor of too large an integer": lambda t: t.tensor([2**63]),
    "tensor of far too large an integer": lambda t: t.tensor([2**70]),
    "tensor that overflows a byte": lambda t: t.tensor([300], dtype=t.uint8),
    "tensor that overflows int32": lambda t: t.tensor([1e10], dtype=t.int32),
    "tensor of nan as integer": lambda t: t.tensor([float("nan")], dtype=t.int64),
    "tensor of text": lambda t: t.tensor("abc"),
    "tensor of texts": lambda t: t.tensor(["abc"]),
    "tensor of None": lambda t: t.tensor([None]),
    "tensor of ragged rows": lambda t: t.tensor([[1, 2], [3]]),
    "tensor of a dict": lambda t: t.tensor({}),
    "full that overflows": lambda t: t.full((2,), 300, dtype=t.uint8),
    "full of nan as integer": lambda t: t.full((2,), float("nan"), dtype=t.int64),
    "zeros without a size": lambda t: t.zeros(),
    "zeros of a negative size": lambda t: t.zeros(-1),
    "arange of bools": lambda t: t.arange(2, dtype=t.bool),
    "arange without end": lambda t: t.arange(float("inf")),
    "arange of text": lambda t: t.arange("a"),
    "linspace of a float count": lambda t: t.linspace(0, 1, 3.5),
    "eye of a float": lambda t: t.eye(2.5),
    "triangle indices of floats": lambda t: t.tril_indices(2, 3, 0, dtype=t.float32),
    "triangle indices of a negative size": lambda t: t.tril_indices(-1, 2),
    "from_numpy of a number": lambda t: t.from_numpy(np.float32(2)),
    "from_numpy backwards": lambda t: t.from_numpy(np.arange(3)[::-1]),
    "from_numpy of another byte order": lambda t: t.from_numpy(np.arange(3).astype(">i4")),
    "from_numpy of text": lambda t: t.from_numpy(np.array(["a"])),
    "asarray that must copy": lambda t: t.asarray(t.ones(1), copy=False, dtype=t.float64),
    "fill_ with a vector": lambda t: t.ones(2).fill_(t.ones(1)),
    "fill_ with text": lambda t: t.ones(2).fill_("a"),
    "fill_ that overflows": lambda t: t.ones(2, dtype=t.uint8).fill_(300),
    "copy_ of a list": lambda t: t.ones(2).copy_([1, 2]),
    "copy_ of a wrong size": lambda t: t.ones(2).copy_(t.ones(3)),
    "fill_diagonal_ of a vector": lambda t: t.ones(2).fill_diagonal_(1),
    "fill_diagonal_ of unequal sizes": lambda t: t.ones(2, 3, 3).fill_diagonal_(1),
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_raises_as_torch(program: Program, torch: Any, candidate: Any) -> None:
    expected = raised(lambda: program(torch))
    assert expected != "nothing raised"
    assert raised(lambda: program(candidate)) == expected


# Memory shared with numpy.


@pytest.mark.parametrize(
    "strided",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a.transpose(1, 0, 2),
        lambda a: a[::2, 1:, ::3],
        lambda a: a[1, :, 2],
        lambda a: a[1, 1, 1, ...],
        lambda a: a[:, :0],
        lambda a: np.broadcast_to(a[:1], a.shape),
    ],
)
def test_from_numpy_shares_memory_of_any_strides(strided: Callable[[np.ndarray], np.ndarray], candidate: Any) -> None:
    base = np.arange(60.0).reshape(3, 4, 5)
    array = np.asarray(strided(base))
    tensor = candidate.from_numpy(array)
    assert np.array_equal((tensor * 2).numpy(), array * 2)
    base += 100
    assert np.array_equal(tensor.numpy(), array)
    assert array.size == 0 or np.shares_memory(tensor.numpy(), base)


@pytest.mark.host_memory("arrays that share memory with tensors")
def test_numpy_shares_memory(candidate: Any) -> None:
    x = candidate.zeros(2, 3)
    array = x.t().numpy()
    array[2, 0] = 5
    assert x.tolist() == [[0, 0, 5], [0, 0, 0]]
    assert np.shares_memory(x.numpy(), array)


@pytest.mark.host_memory("arrays that share memory with tensors")
def test_writing_to_an_array_changes_one_tensor(candidate: Any) -> None:
    """Equal results may be computed once, but they stay two tensors."""
    x = candidate.arange(3.0)
    first, second = x.exp(), x.exp()
    both = first + second
    both.numpy()
    first.numpy()[0] = 7
    assert second.tolist() == candidate.arange(3.0).exp().tolist()


@pytest.mark.host_memory("arrays that share memory with tensors")
def test_copies_do_not_share(candidate: Any) -> None:
    x = candidate.zeros(3)
    array = x.numpy()
    others = [candidate.tensor(x), candidate.asarray(x, copy=True), x.to(x.dtype, copy=True), copy.deepcopy(x)]
    others.append(candidate.tensor(array))
    array[0] = 1
    assert [other.tolist() for other in others] == [[0.0, 0.0, 0.0]] * 5
    assert candidate.as_tensor(array).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.host_memory("a copy to the CPU is neither conjugated nor negative, and numpy takes it")
@pytest.mark.parametrize("view", [lambda z: z.conj(), lambda z: z.conj().imag], ids=["conjugate", "negative"])
def test_numpy_refuses_what_memory_does_not_hold(view: Program, torch: Any, candidate: Any) -> None:
    outcomes = [raised(lambda t=t: view(t.tensor([[1 + 2j]])).numpy()) for t in (torch, candidate)]
    assert outcomes[0] == outcomes[1] == "RuntimeError"


def test_bfloat16_and_numpy() -> None:
    x = lazygrad.tensor([0.1, 2.0], dtype=lazygrad.bfloat16)
    assert x.numpy().dtype.name == "bfloat16"
    assert lazygrad.from_numpy(x.numpy()).dtype is lazygrad.bfloat16


@pytest.mark.host_memory("DLPack, which shares the memory of tensors")
def test_dlpack_to_and_from_numpy(candidate: Any) -> None:
    x = candidate.arange(6.0).reshape(2, 3)
    array = np.from_dlpack(x)
    assert np.shares_memory(array, x.numpy())
    assert candidate.from_dlpack(np.ones(2)).tolist() == [1.0, 1.0]
    assert tuple(x.__dlpack_device__()) == (1, 0)


@pytest.mark.host_memory("DLPack, which shares the memory of tensors")
def test_dlpack_to_torch(torch: Any) -> None:
    x = lazygrad.arange(4.0)
    assert torch.from_dlpack(x).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert lazygrad.from_dlpack(torch.ones(2, 3)).tolist() == [[1.0] * 3] * 2


# Gradients of writes.


def test_gradients_of_writes(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        results = []
        for write in (
            lambda y, s: y.fill_(s.sum()),
            lambda y, s: y.zero_(),
            lambda y, s: y.copy_(s),
            lambda y, s: y.copy_(t.ones(3)),
            lambda y, s: y[1:].copy_(s[0]),
            lambda y, s: y[0].fill_(4),
            lambda y, s: y.detach().zero_(),
        ):
            x, source = t.ones(3, requires_grad=True), t.full((3,), 2.0, requires_grad=True)
            y = x * 3
            write(y, source)
            (y * t.arange(1.0, 4.0)).sum().backward()
            grads = [None if leaf.grad is None else leaf.grad.tolist() for leaf in (x, source)]
            results.append([y.tolist(), y.requires_grad, *grads])
        return results

    assert outcome(candidate) == outcome(torch)


# Devices that are not there.


def test_cuda_says_that_it_is_missing() -> None:
    x = lazygrad.ones(2)
    for attempt in (x.cuda, lambda: x.to("cuda:0"), lambda: x.to(1), lambda: lazygrad.zeros(2, device="cuda")):
        with pytest.raises(RuntimeError, match=r"no CUDA device or back end is available.*device='cpu'"):
            attempt()


def test_null_device_plans_without_values() -> None:
    x = lazygrad.ones(2, 3).to("null")
    y = (x * 2).sum(1)
    assert (str(y.device), tuple(y.shape), y.is_cpu) == ("null", (2,), False)
    y.realize()
    assert lazygrad.rand(2, device="null").shape == (2,)
    assert lazygrad.tensor([1.0, 2.0], device="null").dtype is lazygrad.float32
    assert pickle.loads(pickle.dumps(x)).device is x.device
    for attempt in (y.numpy, y.tolist, y.sum().item, y.cpu, lambda: bool(y.sum())):
        with pytest.raises(RuntimeError, match=r"null device|no data"):
            attempt()
    assert lazygrad.ones(2, requires_grad=True).to("null").requires_grad


def test_a_module_plans_on_the_null_device() -> None:
    layer = lazygrad.nn.Linear(3, 2).to("null")
    loss = layer(lazygrad.ones(4, 3, device="null")).sum()
    loss.backward()
    layer.weight.grad.realize()
    assert str(layer.weight.device) == "null" and tuple(layer.weight.grad.shape) == (2, 3)


def test_type_names() -> None:
    assert lazygrad.ones(1).type() == "lazygrad.FloatTensor"
    assert lazygrad.ones(1, dtype=lazygrad.int64).type() == "lazygrad.LongTensor"
