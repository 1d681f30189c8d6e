"""Random tensors: for one seed, PyTorch's numbers, through the public functions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import lazygrad
from tests.frontend.texts import without_device
from tests.oracle.comparing import assert_alike, dtype_name, raised

Program = Callable[[Any], Any]

_EXACT: dict[str, Program] = {
    "rand": lambda t: t.rand(3, 4),
    "rand of no size": lambda t: t.rand(()),
    "rand of a tuple": lambda t: t.rand((2, 5)),
    "rand of size=": lambda t: t.rand(size=(2, 5)),
    "rand of nothing": lambda t: [t.rand(0, 3), t.rand(2)],
    "rand float64": lambda t: t.rand(5, dtype=t.float64),
    "rand float16": lambda t: t.rand(50, dtype=t.float16),
    "rand bfloat16": lambda t: t.rand(50, dtype=t.bfloat16),
    "rand requires grad": lambda t: t.rand(2, requires_grad=True),
    "rand_like": lambda t: t.rand_like(t.zeros(2, 3)),
    "rand_like of another dtype": lambda t: t.rand_like(t.zeros(2, 3, dtype=t.int64), dtype=t.float64),
    "rand_like of a transposed tensor": lambda t: t.rand_like(t.zeros(4, 3).t()),
    "rand_like of a permuted tensor": lambda t: t.rand_like(t.zeros(2, 3, 4).permute(1, 2, 0)),
    "randint": lambda t: t.randint(10, (5,)),
    "randint from": lambda t: t.randint(-3, 4, (4, 4)),
    "randint by keywords": lambda t: t.randint(low=2, high=9, size=(6,)),
    "randint half by keywords": lambda t: t.randint(2, 9, size=(6,)),
    "randint high by keyword": lambda t: t.randint(high=9, size=(6,)),
    "randint wide": lambda t: t.randint(0, 2**40, (6,)),
    "randint int32": lambda t: t.randint(100, (5,), dtype=t.int32),
    "randint bool": lambda t: t.randint(0, 2, (20,), dtype=t.bool),
    "randint float": lambda t: t.randint(5, (5,), dtype=t.float32),
    "randint_like": lambda t: t.randint_like(t.zeros(3, 2), 7),
    "randint_like from": lambda t: t.randint_like(t.zeros(3, 2, dtype=t.int64), -2, 7),
    "randperm": lambda t: [t.randperm(10), t.randperm(1), t.randperm(0), t.randperm(3)],
    "randperm int32": lambda t: t.randperm(10, dtype=t.int32),
    "bernoulli": lambda t: t.bernoulli(t.linspace(0, 1, 20)),
    "bernoulli float64": lambda t: t.bernoulli(t.linspace(0, 1, 20, dtype=t.float64)),
    "bernoulli with p": lambda t: t.bernoulli(t.zeros(20), 0.3),
    "x.bernoulli": lambda t: [t.linspace(0, 1, 20).bernoulli(), t.zeros(20).bernoulli(0.5)],
    "uniform_": lambda t: t.empty(3, 5).uniform_(),
    "uniform_ bounds": lambda t: t.empty(3, 5).uniform_(-2.5, 0.3),
    "uniform_ to=": lambda t: t.empty(4).uniform_(to=3.0),
    "uniform_ of a slice": lambda t: t.zeros(4, 6)[1:3, ::2].uniform_(1, 2),
    "uniform_ of a transposed tensor": lambda t: t.zeros(4, 6).t().uniform_(1, 2),
    "uniform_ of permuted slices": lambda t: t.zeros(4, 6, 5).permute(2, 0, 1)[1:4].uniform_(),
    "random_": lambda t: [t.zeros(5, dtype=dtype).random_() for dtype in (t.int64, t.int8, t.bool, t.float32)],
    "random_ to": lambda t: t.zeros(5).random_(7),
    "random_ from": lambda t: t.zeros(5, dtype=t.int64).random_(-5, 5),
    "random_ from on": lambda t: t.zeros(5, dtype=t.int64).random_(2**62, None),
    "bernoulli_": lambda t: [t.zeros(9).bernoulli_(), t.zeros(9, dtype=t.int64).bernoulli_(0.25)],
    "bernoulli_ of a tensor": lambda t: t.zeros(2, 3).bernoulli_(t.tensor([0.1, 0.5, 0.9])),
    "bernoulli_ of a transposed tensor": lambda t: t.zeros(2, 3).t().bernoulli_(t.tensor([0.2, 0.7])),
    "randn": lambda t: t.randn(3, 4),
    "randn of many": lambda t: t.randn(5, 7),
    "randn float64": lambda t: t.randn(40, dtype=t.float64),
    "randn of odd counts": lambda t: [t.randn(3), t.randn(5), t.randn(2)],
    "randn_like": lambda t: t.randn_like(t.zeros(4, 8)),
    "randn_like of a transposed tensor": lambda t: t.randn_like(t.zeros(4, 8).t()),
    "normal_": lambda t: t.empty(40).normal_(3.0, 0.5),
    "normal_ of few": lambda t: t.empty(7).normal_(3.0, 0.5),
    "normal_ of a column": lambda t: t.zeros(20, 2)[:, 1].normal_(),
    "exponential_": lambda t: [t.empty(20).exponential_(), t.empty(5, dtype=t.float64).exponential_(2.5)],
    "normal of numbers": lambda t: t.normal(1.0, 2.0, (20,)),
    "normal of numbers by keywords": lambda t: t.normal(mean=1.0, std=2.0, size=(3,)),
    "normal of means": lambda t: t.normal(t.arange(20.0), 0.5),
    "normal of deviations": lambda t: t.normal(1.0, t.arange(20.0)),
    "normal of both": lambda t: t.normal(t.arange(5.0), t.arange(1.0, 5.0).reshape(4, 1)),
    "normal of means alone": lambda t: t.normal(t.arange(3.0)),
    "all in a row": lambda t: [t.randn(3), t.rand(2), t.randperm(4), t.randn(20), t.randint(9, (2,)), t.randn(1)],
}


def _run(t: Any, program: Program, seed: int) -> tuple[Any, float]:
    """What the program draws, and the number that follows."""
    t.manual_seed(seed)
    return program(t), t.rand(1).item()


def _assert_same(program: Program, torch: Any, candidate: Any) -> None:
    for seed in (0, 1, -5, 2**63 + 11):
        assert_alike(partial(_run, program=program, seed=seed), torch, candidate, 0)


@pytest.mark.parametrize("program", _EXACT.values(), ids=_EXACT)
def test_equals_torch(program: Program, torch: Any, candidate: Any) -> None:
    _assert_same(program, torch, candidate)


def test_tutorial_numbers_without_torch() -> None:
    """The first numbers after ``manual_seed(0)``, which PyTorch's tutorials show."""
    lazygrad.manual_seed(0)
    assert without_device(repr(lazygrad.rand(2, 2))) == "tensor([[0.4963, 0.7682],\n        [0.0885, 0.1320]])"


def on_meta(t: Any) -> list[Any]:
    like = t.zeros(2, 3, device="meta")
    return [t.rand(3, device="meta"), t.randn(40, device="meta"), t.randint(0, 9, (4,), device="meta"),
            t.randperm(5, device="meta"), t.normal(0.0, 1.0, (2,), device="meta"), t.rand_like(like),
            t.randn_like(like), t.randint_like(like, 0, 9), t.normal(like, like + 1),
            t.rand(2, device="meta", dtype=t.complex64)]  # fmt: skip


def test_tensors_without_memory_take_no_numbers(torch: Any, candidate: Any) -> None:
    seen = []
    for t in (torch, candidate):
        t.manual_seed(3)
        made = on_meta(t)
        seen.append([[(str(each.device), str(each.dtype).split(".")[-1], tuple(each.shape)) for each in made],
                     t.rand(2).tolist()])  # fmt: skip
    assert seen[0] == seen[1]


def test_writes_through_views(candidate: Any) -> None:
    x = candidate.zeros(4, 3)
    column = x[:, 1]
    assert column.uniform_(5, 6) is column
    assert bool(((x[:, 1] >= 5) & (x[:, 1] < 6)).all())
    assert x[:, ::2].sum().item() == 0.0
    assert x._version == 1


def test_leaves_that_require_grad_refuse(torch: Any, candidate: Any) -> None:
    fills: list[Callable[[Any], Any]] = [
        lambda x: x.uniform_(),
        lambda x: x.normal_(),
        lambda x: x.random_(),
        lambda x: x.bernoulli_(),
        lambda x: x.exponential_(),
        lambda x: x[0].uniform_(),
        lambda x: x.detach().uniform_(),
        lambda x: x.data.normal_(),
    ]

    def outcome(t: Any) -> list[str]:
        return [raised(lambda fill=fill: fill(t.ones(3, requires_grad=True))) for fill in fills]

    assert outcome(candidate) == outcome(torch)


def test_initialization_under_no_grad(torch: Any, candidate: Any) -> None:
    def initialized(t: Any) -> Any:
        t.manual_seed(7)
        weight = t.empty(20, 30, requires_grad=True)
        with t.no_grad():
            weight.uniform_(-1 / 30**0.5, 1 / 30**0.5)
        return weight

    assert_alike(lambda t: [initialized(t), initialized(t).is_leaf], torch, candidate, 0)


def test_fill_stops_gradients(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        x = t.ones(3, requires_grad=True)
        y = x * 2
        y[:2].uniform_()
        y.sum().backward()
        z = t.ones(3, requires_grad=True)
        w = z * 2
        w.normal_()
        w.sum().backward()
        return [x.grad.tolist(), w.requires_grad, z.grad.tolist()]

    assert outcome(candidate) == outcome(torch)


_DRAWN_FROM_TENSORS: dict[str, Program] = {
    "multinomial": lambda t: t.multinomial(t.tensor([0.1, 0.2, 0.3, 0.4]), 3),
    "multinomial of rows": lambda t: t.multinomial(t.arange(1.0, 21).reshape(4, 5), 4),
    "multinomial with replacement": lambda t: t.multinomial(t.arange(1.0, 20), 300, replacement=True),
    "multinomial of rows with replacement": lambda t: t.arange(1.0, 21).reshape(4, 5).multinomial(30, True),
    "multinomial of one": lambda t: t.multinomial(t.arange(1.0, 21).reshape(4, 5), 1, True),
    "multinomial of halves": lambda t: [
        t.multinomial(t.arange(1.0, 50, dtype=dtype), 500, True) for dtype in (t.float16, t.bfloat16, t.float64)
    ],
    "multinomial of no rows": lambda t: t.multinomial(t.ones(0, 2), 1),
    "multinomial with zeros": lambda t: t.multinomial(t.tensor([0.0, 1.0, 0.0, 2.0]), 50, True),
    "poisson of small rates": lambda t: t.poisson(t.linspace(0, 9.9, 300)),
    "poisson of large rates": lambda t: t.poisson(t.linspace(0, 3000, 600, dtype=t.float64).reshape(2, 300)),
    "poisson of halves": lambda t: t.poisson(t.linspace(0, 30, 100).half()),
    "binomial of few": lambda t: t.binomial(t.arange(300.0), t.tensor(0.02)),
    "binomial of many": lambda t: t.binomial(t.arange(900.0), t.tensor(0.3)),
    "binomial of frequent": lambda t: t.binomial(t.arange(500.0), t.tensor(0.8)),
    "binomial at the ends": lambda t: t.binomial(t.tensor([5.0, 5, 0, 3]), t.tensor([0.0, 1.0, 0.5, 1.5])),
    "binomial broadcast": lambda t: t.binomial(t.tensor([[5.0], [50.0]]), t.linspace(0, 1, 50)),
    "geometric_": lambda t: [t.empty(200).geometric_(0.3), t.empty(200, dtype=t.int64).geometric_(0.01)],
    "geometric_ of a view": lambda t: t.zeros(5, 4).t().geometric_(0.5),
    "cauchy_": lambda t: t.empty(200).cauchy_(1.0, 2.0),
    "cauchy_ of halves": lambda t: t.empty(200, dtype=t.bfloat16).cauchy_(),
    "log_normal_": lambda t: [t.empty(7).log_normal_(), t.empty(30).log_normal_(0.5, 0.25)],
    "an engine of its own": lambda t: t.poisson(t.full((20,), 3.0), generator=t.Generator().manual_seed(4)),
    "sobol": lambda t: t.quasirandom.SobolEngine(5).draw(20),
    "sobol of one": lambda t: [e.draw() for e in [t.quasirandom.SobolEngine(1)] for _ in range(4)],
    "sobol onwards": lambda t: [
        (e.draw(3), e.draw_base2(0), e.fast_forward(60).draw(4), e.num_generated, e.reset().draw(2, dtype=t.float64))
        for e in [t.quasirandom.SobolEngine(3)]
    ],
    "sobol scrambled": lambda t: t.quasirandom.SobolEngine(4, scramble=True, seed=11).draw(33),
    "sobol scrambled by the default generator": lambda t: t.quasirandom.SobolEngine(4, scramble=True).draw(9),
    "sobol repr": lambda t: repr(t.quasirandom.SobolEngine(4, scramble=True, seed=3)),
}


def _plain(t: Any, value: Any) -> Any:
    if isinstance(value, t.Tensor):
        return dtype_name(value.dtype), tuple(value.shape), value.double().tolist()
    return [_plain(t, item) for item in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("program", _DRAWN_FROM_TENSORS.values(), ids=_DRAWN_FROM_TENSORS)
def test_distributions_and_their_use_of_the_stream_are_those_of_torch(
    program: Program, torch: Any, candidate: Any
) -> None:
    for seed in (0, 3):
        outcomes = []
        for t in (torch, candidate):
            t.manual_seed(seed)
            outcomes.append((_plain(t, program(t)), t.rand(3).tolist()))
        assert outcomes[0] == outcomes[1]


def test_what_is_drawn_with_a_tensor_has_no_gradient_for_it(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        x = t.full((4,), 0.5, requires_grad=True)
        drawn = t.bernoulli(x) + t.poisson(x)
        (drawn * x).sum().backward()
        return [drawn.requires_grad, (x.grad == drawn).all().item(), t.multinomial(x, 2).requires_grad]

    assert outcome(candidate) == outcome(torch)


def test_blocks_that_leave_the_generator_as_it_was(torch: Any, candidate: Any) -> None:
    def numbers(t: Any) -> list[Any]:
        t.manual_seed(5)
        with t.random.fork_rng():
            inside = t.rand(3).tolist()
        after = t.rand(3).tolist()
        with t.random.fork_rng(enabled=False):
            t.rand(3)
        return [inside, after, t.rand(2).tolist(), t.random.initial_seed()]

    assert numbers(candidate) == numbers(torch)


def test_generators_are_cloned_and_pickled(candidate: Any) -> None:
    generator = candidate.Generator().manual_seed(3)
    candidate.randn(3, generator=generator)
    copies = [generator.clone_state(), pickle.loads(pickle.dumps(generator))]
    expected = candidate.rand(4, generator=generator).tolist()
    assert all(candidate.rand(4, generator=copy).tolist() == expected for copy in copies)
    assert pickle.loads(pickle.dumps(candidate.default_generator)) is not None


_ERRORS: dict[str, Program] = {
    "multinomial of integers": lambda t: t.multinomial(t.tensor([1, 2]), 1),
    "multinomial of too many": lambda t: t.multinomial(t.ones(2), 3),
    "multinomial of none": lambda t: t.multinomial(t.ones(2), 0),
    "multinomial of zeros": lambda t: t.multinomial(t.zeros(2), 1),
    "multinomial of negative weights": lambda t: t.multinomial(t.tensor([-1.0, 2.0]), 1),
    "multinomial of nan": lambda t: t.multinomial(t.tensor([float("nan"), 2.0]), 1),
    "multinomial of a number": lambda t: t.multinomial(t.tensor(2.0), 1),
    "multinomial of three dimensions": lambda t: t.multinomial(t.ones(2, 2, 2), 1),
    "poisson of a negative rate": lambda t: t.poisson(t.tensor([-1.0])),
    "poisson of nan": lambda t: t.poisson(t.tensor([float("nan")])),
    "poisson of integers": lambda t: t.poisson(t.tensor([1])),
    "binomial of integers": lambda t: t.binomial(t.tensor([5]), t.tensor([0.5])),
    "binomial of two dtypes": lambda t: t.binomial(t.tensor([5.0]), t.tensor([0.5], dtype=t.float64)),
    "binomial of two shapes": lambda t: t.binomial(t.ones(2), t.ones(3)),
    "cauchy_ of a negative scale": lambda t: t.zeros(3).cauchy_(0, -1),
    "cauchy_ of integers": lambda t: t.zeros(3, dtype=t.int64).cauchy_(),
    "geometric_ of 1": lambda t: t.zeros(3).geometric_(1.0),
    "log_normal_ of a negative deviation": lambda t: t.zeros(3).log_normal_(0, -1),
    "log_normal_ of integers": lambda t: t.zeros(3, dtype=t.int64).log_normal_(),
    "sobol of no dimension": lambda t: t.quasirandom.SobolEngine(0),
    "sobol of too many dimensions": lambda t: t.quasirandom.SobolEngine(30000),
    "sobol of an uneven number": lambda t: [e.draw(3) and e.draw_base2(2) for e in [t.quasirandom.SobolEngine(1)]],
    "rand of integers": lambda t: t.rand(2, dtype=t.int64),
    "randn of integers": lambda t: t.randn(2, dtype=t.int64),
    "rand_like of integers": lambda t: t.rand_like(t.ones(2, dtype=t.int64)),
    "rand of a negative size": lambda t: t.rand(-1),
    "rand with a number as generator": lambda t: t.rand(2, generator=3),
    "randint of an empty range": lambda t: t.randint(5, 5, (2,)),
    "randint without a size": lambda t: t.randint(3),
    "randint with an int as size": lambda t: t.randint(3, 2),
    "randint of a float": lambda t: t.randint(2.5, (2,)),
    "randint out of range": lambda t: t.randint(0, 300, (3,), dtype=t.uint8),
    "randint requires grad": lambda t: t.randint(5, (2,), requires_grad=True),
    "randperm of a negative number": lambda t: t.randperm(-1),
    "randperm of a float": lambda t: t.randperm(2.5),
    "randperm of bools": lambda t: t.randperm(3, dtype=t.bool),
    "randperm too large": lambda t: t.randperm(300, dtype=t.uint8),
    "normal without a size": lambda t: t.normal(0.0, 1.0),
    "normal of a negative deviation": lambda t: t.normal(t.zeros(1), -1.0),
    "normal of negative deviations": lambda t: t.normal(0.0, t.tensor([-1.0])),
    "normal of integers": lambda t: t.normal(t.tensor([0]), 1.0),
    "bernoulli of integers": lambda t: t.bernoulli(t.tensor([1])),
    "bernoulli above 1": lambda t: t.bernoulli(t.tensor([1.5])),
    "bernoulli_ above 1": lambda t: t.zeros(2).bernoulli_(2),
    "bernoulli_ of integers": lambda t: t.zeros(2).bernoulli_(t.tensor([1, 0])),
    "uniform_ of integers": lambda t: t.tensor([1]).uniform_(),
    "uniform_ backwards": lambda t: t.zeros(2).uniform_(2, 1),
    "normal_ of a negative deviation": lambda t: t.zeros(2).normal_(0, -1),
    "exponential_ of integers": lambda t: t.tensor([1]).exponential_(),
    "exponential_ of rate 0": lambda t: t.zeros(2).exponential_(0),
    "random_ of an empty range": lambda t: t.zeros(2).random_(5, 5),
    "random_ of floats": lambda t: t.zeros(2).random_(1.5, 7),
    "uniform_ of an expanded view": lambda t: t.zeros(3, 1).expand(3, 3).uniform_(),
    "set_rng_state of floats": lambda t: t.set_rng_state(t.zeros(3)),
    "set_rng_state of a wrong length": lambda t: t.set_rng_state(t.zeros(3, dtype=t.uint8)),
    "a generator's seed of a float": lambda t: t.Generator().manual_seed(2.7),
    "a generator on a GPU": lambda t: t.Generator("cuda"),
    "Sobol points in float16": lambda t: t.quasirandom.SobolEngine(2).draw(3, dtype=t.float16),
    "Sobol points in int64": lambda t: t.quasirandom.SobolEngine(2).draw(3, dtype=t.int64),
}


@pytest.mark.parametrize("program", _ERRORS.values(), ids=_ERRORS)
def test_raises_as_torch(program: Program, torch: Any, candidate: Any) -> None:
    expected = raised(lambda: program(torch))
    assert expected != "nothing raised"
    assert raised(lambda: program(candidate)) == expected


def test_generators_are_streams_of_their_own(torch: Any, candidate: Any) -> None:
    def outcome(t: Any) -> list[Any]:
        t.manual_seed(3)
        first, second = t.Generator(), t.Generator().manual_seed(9)
        drawn = [t.rand(2, generator=first), t.randint(9, (2,), generator=second), t.randperm(5, generator=second)]
        drawn += [t.empty(3).uniform_(generator=first), t.rand(2)]
        seeds = [first.initial_seed(), second.initial_seed(), t.initial_seed(), str(first.device)]
        return [*(x.tolist() for x in drawn), *seeds]

    assert outcome(candidate) == outcome(torch)


def test_states_repeat(candidate: Any) -> None:
    t = candidate
    t.manual_seed(5)
    t.randn(3)  # leaves half a pair of normal numbers behind
    state = t.get_rng_state()
    first = [t.randn(3).tolist(), t.rand(2).tolist()]
    t.set_rng_state(state)
    assert [t.randn(3).tolist(), t.rand(2).tolist()] == first
    generator = t.Generator()
    generator.set_state(state)
    assert t.randn(3, generator=generator).tolist() == first[0]


def test_seeds(candidate: Any) -> None:
    t = candidate
    assert t.manual_seed(11).initial_seed() == 11 == t.initial_seed()
    assert t.manual_seed(-1).initial_seed() == 2**64 - 1
    assert t.manual_seed(2.7).initial_seed() == 2
    drawn = t.seed()
    assert t.initial_seed() == drawn
    assert t.Generator().seed() != t.Generator().seed()


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9])
def test_few_numbers_are_those_of_many(n: int, torch: Any, candidate: Any) -> None:
    def drawn(t: Any) -> list[Any]:
        t.manual_seed(11)
        made = [t.rand(n), t.randint(-5, 9, (n,)), t.randint(-(2**63), 2**27 - 2**63, (n,))]
        made += [t.randint(2**63 - 9, 2**63 - 1, (n,)), t.rand(n, 1), t.rand(20)]
        return [one.tolist() for one in made]

    assert drawn(candidate) == drawn(torch)
