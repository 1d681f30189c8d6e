"""What is computed node by node: in which order, and in whose memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.host.buffer import Meter, pool
from lazygrad.tensor import Tensor

from .interpreted import interpreting

SIZE = 128  # of matrices that are large enough for memory to be written over


@pytest.fixture(autouse=True)
def only_interpreted() -> Iterator[None]:
    with interpreting():
        before = lg.cache_info().misses
        yield
        assert lg.cache_info().misses == before


def _matrix(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((SIZE, SIZE)).astype(np.float32)


READ_TWICE: dict[str, Callable[[Tensor], Tensor]] = {
    "a value and its transpose": lambda y: y + y.T,
    "the transpose and the value": lambda y: y.T - y,
    "a value and a view of a view": lambda y: y * y.T.flip(0),
    "a value and itself": lambda y: y * y,
    "a value and one row of it": lambda y: y + y[3],
    "sums into a value, of a view": lambda y: y.scatter_add(0, lg.arange(SIZE)[:, None].expand(SIZE, SIZE) // 2, y.T),
    "rows added to a value, of a view": lambda y: y.index_add(0, lg.arange(SIZE) // 3, y.flip(0)),
    "a part that others read later": lambda y: (y + 1) * y[:, :1],
}


@pytest.mark.parametrize("name", READ_TWICE)
def test_nothing_is_written_over_while_the_same_operation_reads_it(name: str) -> None:
    x = _matrix(0)
    found = READ_TWICE[name](lg.from_numpy(x) * 2)
    wanted = READ_TWICE[name](lg.tensor((x * 2).tolist()))
    assert np.array_equal(found.numpy(), wanted.numpy())


def test_a_value_lies_over_one_that_is_read_for_the_last_time() -> None:
    x = lg.from_numpy(_matrix(1))
    y = x
    for _ in range(6):
        y = (y + 1) * 2
    assert _blocks_taken(y) == 1


def test_memory_is_given_back_after_the_last_read() -> None:
    x = lg.from_numpy(_matrix(2)) / SIZE
    x.numpy()
    y = x
    for _ in range(6):
        y = (y @ x).T
    assert _most_blocks(y) <= 3


def test_what_a_view_looks_at_stays_as_long_as_the_view() -> None:
    x = _matrix(3)
    y = (lg.from_numpy(x) + 1).T
    z = ((lg.from_numpy(x) @ lg.from_numpy(x)) * 0 + 5) + y
    assert np.array_equal(z.numpy(), 5 + (x + 1).T)


def _blocks_taken(result: Tensor) -> int:
    return _metered(result).taken // (4 * SIZE * SIZE)


def _most_blocks(result: Tensor) -> int:
    return _metered(result).most // (4 * SIZE * SIZE)


def _metered(result: Tensor) -> Meter:
    pool.meter = meter = Meter()
    try:
        result.numpy()
    finally:
        pool.meter = None
    return meter


def _trained(t: object, steps: int) -> list[float]:
    """Gradients of gradients, and updates that read gradients, some of them views of one sweep's results."""
    torch: lg = t  # type: ignore[valid-type]  # either library
    w = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    b = torch.tensor([0.1, 0.2], requires_grad=True)
    x = torch.arange(6.0).reshape(3, 2)
    losses = []
    for _ in range(steps):
        loss = ((x @ w).tanh() * b).square().sum()
        first, _ = torch.autograd.grad(loss, (w, b), create_graph=True)
        penalty = loss + first.square().sum().sqrt() + (first * w.detach()).sum()
        penalty.backward()
        with torch.no_grad():
            w.sub_(0.01 * w.grad.T.flip(0)[[0, 1]])
            b.mul_(0.9).add_(b.grad * first[0].detach(), alpha=-0.01)
        losses += [penalty.item(), *w.detach().reshape(-1).tolist(), *b.detach().tolist()]
        w.grad = b.grad = None
    return losses


def test_what_reads_gradients_is_computed_after_them(torch: object) -> None:
    assert np.allclose(_trained(lg, 3), _trained(torch, 3), rtol=1e-5)


def test_a_composite_inside_a_gradient_of_a_gradient(torch: object) -> None:
    def result(t: object) -> list[float]:
        library: lg = t  # type: ignore[valid-type]  # either library
        x = library.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
        y = library.nn.functional.layer_norm(library.softmax(x, 1), (3,)).cumsum(1).square().sum()
        (g,) = library.autograd.grad(y, x, create_graph=True)
        (h,) = library.autograd.grad(g.sum() + (g * x).sum(), x)
        return [*g.detach().reshape(-1).tolist(), *h.reshape(-1).tolist()]

    assert np.allclose(result(lg), result(torch), rtol=1e-3, atol=1e-4)
