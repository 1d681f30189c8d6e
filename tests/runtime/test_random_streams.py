"""The CPU stream against torch: same seed, same numbers, same consumption."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lazygrad.runtime import libm, random_box_muller, random_engine
from lazygrad.runtime.random_arithmetic import fused_multiply_add
from lazygrad.runtime.random_distributions import exponential
from lazygrad.runtime.random_integers import shuffled
from lazygrad.runtime.random_streams import MT19937Stream
from lazygrad.targets.c import host_functions
from tests.targets.c.library import needs_compiler

SIZES = [0, 1, 5, 15, 16, 17, 31, 33, 1000, 100003]
SEEDS = [0, 1, 1234, 2**32 + 7, 2**64 - 1, -5]
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
FLOAT_DTYPES = [np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), BFLOAT16]
INTEGER_DTYPES = [np.dtype(name) for name in ("bool", "uint8", "int8", "int16", "int32", "int64")]


@pytest.fixture(name="torch")
def torch_fixture() -> ModuleType:
    module: ModuleType = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")
    return module


@pytest.fixture(autouse=True, params=["numpy", pytest.param("c", marks=needs_compiler)])
def drawn_by(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test draws with numpy alone, and with the functions of the C library."""
    if request.param == "c":
        host_functions.load()
    else:
        for module in (random_engine, random_box_muller):
            monkeypatch.setattr(module, "host_function", lambda name: None)


@pytest.fixture(name="generator_without_mkl")
def generator_without_mkl_fixture(torch: ModuleType) -> None:
    torch.manual_seed(0)
    torch.empty(100).bernoulli_(0.5)
    # MKL is handed one or two words as its seed, however many elements are drawn.
    after_seeding = MT19937Stream(0).random_u32(3)[1:] % 2**31
    if next_word(torch) in after_seeding:
        pytest.skip("this build of torch draws bernoulli_ and exponential_ from MKL")


def next_word(torch: ModuleType) -> int:
    """Take the next word of torch's engine (its low 31 bits): it is that of ours if both have consumed equally."""
    return int(torch.empty(1, dtype=torch.int32).random_().item())


def empty(torch: ModuleType, n: int, dtype: np.dtype[Any]) -> Any:
    return torch.empty(n, dtype=getattr(torch, dtype.name))


def to_numpy(torch: ModuleType, tensor: Any) -> np.ndarray[Any, Any]:
    if tensor.dtype == torch.bfloat16:
        return np.asarray(tensor.view(torch.int16)).view(BFLOAT16)
    return np.asarray(tensor)


def bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def assert_same_bits(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(bits(ours), bits(theirs))


def assert_in_step(stream: MT19937Stream, torch: ModuleType) -> None:
    assert int(stream.random_u32(1)[0] % 2**31) == next_word(torch)


@pytest.mark.parametrize("seed", SEEDS)
def test_seed_and_words_are_those_of_torch(torch: ModuleType, seed: int) -> None:
    stream = MT19937Stream(seed)
    torch.manual_seed(seed)
    assert stream.seed == torch.initial_seed()
    words = [next_word(torch) for _ in range(1500)]
    np.testing.assert_array_equal(stream.random_u32(1500) % 2**31, words)


def test_u64_has_the_first_word_high(torch: ModuleType) -> None:
    stream = MT19937Stream(3)
    torch.manual_seed(3)
    theirs = torch.empty(1001, dtype=torch.int64).random_(-(2**63), None).numpy()
    np.testing.assert_array_equal(stream.random_u64(1001).view(np.int64), theirs)
    assert_in_step(stream, torch)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_uniform_equals_torch(torch: ModuleType, dtype: np.dtype[Any], n: int) -> None:
    for seed in SEEDS[:3]:
        stream = MT19937Stream(seed)
        torch.manual_seed(seed)
        for low, high in ((0.0, 1.0), (-0.3, 0.3), (-1.0, 7.25), (0.0, 1.7), (3.0, 3.0), (1000.0, 1000.5)):
            theirs = empty(torch, n, dtype).uniform_(low, high)
            assert_same_bits(stream.uniform(n, low, high, dtype), to_numpy(torch, theirs))
        assert_in_step(stream, torch)


def test_uniform_equals_torch_at_extreme_bounds(torch: ModuleType) -> None:
    for low, high in ((-8e307, 9e307), (1e-290, 1e-289), (1.0, 1e300), (1e300, 1.5e300), (-1e-7, 1e9)):
        stream = MT19937Stream(9)
        torch.manual_seed(9)
        theirs = torch.empty(5000, dtype=torch.float64).uniform_(low, high)
        assert_same_bits(stream.uniform(5000, low, high, np.float64), theirs.numpy())


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_normal_equals_torch(torch: ModuleType, dtype: np.dtype[Any], n: int) -> None:
    for seed in SEEDS:
        stream = MT19937Stream(seed)
        torch.manual_seed(seed)
        for mean, std in ((0.0, 1.0), (0.5, 0.02), (-1.0, 0.7), (2.0, 0.0), (-0.0, 1e-30)):
            theirs = empty(torch, n, dtype).normal_(mean, std)
            assert_same_bits(stream.normal(n, mean, std, dtype), to_numpy(torch, theirs))
        assert_in_step(stream, torch)


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_normal_of_a_noncontiguous_tensor_draws_pairs(torch: ModuleType, dtype: np.dtype[Any]) -> None:
    stream = MT19937Stream(2)
    torch.manual_seed(2)
    target = empty(torch, 66, dtype)[::2]
    theirs = target.normal_().clone()
    assert_same_bits(stream.normal(33, dtype=dtype, contiguous=False), to_numpy(torch, theirs))
    assert_in_step(stream, torch)


def test_kept_normal_crosses_dtypes_and_block_draws(torch: ModuleType) -> None:
    stream = MT19937Stream(11)
    torch.manual_seed(11)
    for n, dtype in ((3, "float32"), (20, "float32"), (1, "float64"), (7, "bfloat16"), (0, "float32"), (2, "float16")):
        theirs = to_numpy(torch, torch.randn(n, dtype=getattr(torch, dtype)))
        assert_same_bits(stream.normal(n, dtype=theirs.dtype), theirs)
    assert_in_step(stream, torch)


def test_manual_seed_forgets_the_kept_normal(torch: ModuleType) -> None:
    stream = MT19937Stream(4)
    stream.normal(3)
    assert stream.manual_seed(4) is stream
    torch.manual_seed(4)
    assert_same_bits(stream.normal(1), torch.randn(1).numpy())


@pytest.mark.parametrize("n", SIZES)
def test_integers_equal_torch(torch: ModuleType, n: int) -> None:
    ranges = [(0, 10), (-7, 1), (0, 2**28 - 1), (0, 2**28), (-(2**31), 2**31), (0, 2**40), (-(2**63), 2**63 - 1)]
    stream = MT19937Stream(21)
    torch.manual_seed(21)
    for low, high in ranges:
        theirs = torch.randint(low, high, (n,))
        assert_same_bits(stream.integers(n, low, high), theirs.numpy())
    assert_in_step(stream, torch)


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        ("bool", 0, 2),
        ("uint8", 0, 256),
        ("uint8", 200, None),
        ("int8", -128, 128),
        ("int16", -5, None),
        ("int32", -(2**31), 2**31),
        ("int32", 17, None),
        ("int64", -3, None),
        ("int64", -(2**63), None),
        ("float32", -(2**63), None),
        ("float64", -(2**63), None),
        ("bfloat16", -(2**63), None),
        ("float16", 0, 2000),
        ("float16", -100, None),
        ("float16", 0, 65504),
        ("float16", -65504, 65504),
        ("bfloat16", 0, 100),
        ("bfloat16", 3, 1000),
        ("bfloat16", -1007, 2),
        ("bfloat16", -(2**60) - 1, 2**60),
        ("float32", 0, 2**28),
        ("float32", -(2**40) - 1, 2**62 + 1),
        ("float32", -(2**40) - 100000, 7),
        ("float32", 5, None),
        ("float32", 0, 2**63 - 1),
        ("float64", 0, 2**53 + 3),
        ("float64", 1, None),
    ],
)
@pytest.mark.filterwarnings("ignore:.*out of bounds.*:UserWarning")
def test_integers_of_every_dtype_equal_torch(torch: ModuleType, dtype: str, low: int, high: int | None) -> None:
    stream = MT19937Stream(8)
    torch.manual_seed(8)
    theirs = to_numpy(torch, torch.empty(1000, dtype=getattr(torch, dtype)).random_(low, high))
    assert_same_bits(stream.integers(1000, low, high, theirs.dtype), theirs)
    assert_in_step(stream, torch)


@pytest.mark.parametrize("dtype", INTEGER_DTYPES + FLOAT_DTYPES, ids=str)
def test_random_without_bounds_equals_torch(torch: ModuleType, dtype: np.dtype[Any]) -> None:
    stream = MT19937Stream(13)
    torch.manual_seed(13)
    for n in SIZES:
        assert_same_bits(stream.random_(n, dtype), to_numpy(torch, empty(torch, n, dtype).random_()))
    assert_in_step(stream, torch)


@pytest.mark.parametrize("n", [*SIZES, 2, 3])
def test_permutation_equals_torch(torch: ModuleType, n: int) -> None:
    for seed in SEEDS:
        stream = MT19937Stream(seed)
        torch.manual_seed(seed)
        assert_same_bits(stream.permutation(n), torch.randperm(n).numpy())
        assert_in_step(stream, torch)


def test_shuffled_equals_the_loop_on_adversarial_words() -> None:
    for count in (1, 2, 7, 64):
        # All steps swapping with the last place, with the next, or with themselves.
        for words in (np.arange(count, 1, -1) - 1, np.ones(count - 1), np.zeros(count - 1)):
            expected = list(range(count))
            for step, word in enumerate(words.astype(int)):
                other = step + word % (count - step)
                expected[step], expected[other] = expected[other], expected[step]
            np.testing.assert_array_equal(shuffled(words.astype(np.uint32)), expected)


@pytest.mark.usefixtures("generator_without_mkl")
@pytest.mark.parametrize("n", SIZES)
def test_bernoulli_with_a_number_equals_torch(torch: ModuleType, n: int) -> None:
    stream = MT19937Stream(31)
    torch.manual_seed(31)
    for probability in (0.0, 0.1, 0.5, 1.0):
        np.testing.assert_array_equal(stream.bernoulli(n, probability), torch.empty(n).bernoulli_(probability).numpy())
    assert_in_step(stream, torch)


@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_bernoulli_with_an_array_equals_torch(torch: ModuleType, dtype: np.dtype[Any]) -> None:
    stream = MT19937Stream(32)
    torch.manual_seed(32)
    for n in SIZES:
        probabilities = np.linspace(0.0, 1.0, n).astype(dtype)
        theirs = torch.bernoulli(torch.from_numpy(probabilities.astype(np.float64)).to(getattr(torch, dtype.name)))
        np.testing.assert_array_equal(stream.bernoulli(n, probabilities), theirs.to(torch.bool).numpy())
    assert_in_step(stream, torch)


@pytest.mark.usefixtures("generator_without_mkl")
@pytest.mark.parametrize("dtype", FLOAT_DTYPES, ids=str)
def test_exponential_equals_torch(torch: ModuleType, dtype: np.dtype[Any]) -> None:
    stream = MT19937Stream(41)
    torch.manual_seed(41)
    for n in SIZES:
        for rate in (1.0, 0.3):
            theirs = to_numpy(torch, empty(torch, n, dtype).exponential_(rate))
            assert_same_bits(exponential(stream, n, rate, dtype), theirs)
    assert_in_step(stream, torch)


def test_interleaved_calls_stay_in_step(torch: ModuleType) -> None:
    calls: list[tuple[Callable[[MT19937Stream, int], Any], Callable[[int], Any]]] = [
        (lambda stream, n: stream.uniform(n), torch.rand),
        (lambda stream, n: stream.uniform(n, dtype=np.float64), lambda n: torch.rand(n, dtype=torch.float64)),
        (lambda stream, n: stream.normal(n), torch.randn),
        (lambda stream, n: stream.normal(n, dtype=np.float64), lambda n: torch.randn(n, dtype=torch.float64)),
        (lambda stream, n: stream.normal(n, dtype=np.float16), lambda n: torch.randn(n, dtype=torch.float16)),
        (lambda stream, n: stream.integers(n, 0, 10), lambda n: torch.randint(0, 10, (n,))),
        (lambda stream, n: stream.integers(n, 0, 2**50), lambda n: torch.randint(0, 2**50, (n,))),
        (lambda stream, n: stream.permutation(n), torch.randperm),
    ]
    for seed in SEEDS:
        stream = MT19937Stream(seed)
        torch.manual_seed(seed)
        choices = np.random.default_rng(seed % 2**32)
        for _ in range(150):
            ours, theirs = calls[choices.integers(len(calls))]
            n = int(choices.integers(40))
            np.testing.assert_allclose(ours(stream, n), theirs(n).numpy(), rtol=1e-3, atol=1e-6)
            assert_in_step(stream, torch)


def test_state_restores_seed_position_and_kept_normal() -> None:
    stream = MT19937Stream(77)
    stream.normal(5)
    stream.random_u32(1000)
    state = stream.get_state()
    expected = (stream.normal(1), stream.random_u32(700), stream.seed)
    other = MT19937Stream(1)
    other.set_state(state)
    assert_same_bits(other.normal(1), expected[0])
    assert_same_bits(other.random_u32(700), expected[1])
    assert other.seed == expected[2]


@pytest.mark.parametrize("skipped", [0, 1, 623])
@pytest.mark.parametrize("n", [1, 311, 312, 313, 2000])
def test_a_probability_is_compared_with_all_53_bits(n: int, skipped: int) -> None:
    stream, words = MT19937Stream(3), MT19937Stream(3)
    for each in (stream, words):
        each.random_u32(skipped)
    drawn = words.random_u64(n) % 2**53
    mark = stream.mark()
    for place in {0, n // 2, n - 1}:
        for limit in (int(drawn[place]) - 1, int(drawn[place]), int(drawn[place]) + 1):
            stream.rewind(mark)
            np.testing.assert_array_equal(stream.bernoulli(n, limit * 2.0**-53), drawn < limit)
    assert stream.random_u32(1) == words.random_u32(1)


def test_rewinding_repeats_words_and_the_kept_normal() -> None:
    stream = MT19937Stream(5)
    stream.normal(3)
    stream.random_u32(1000)
    mark, state = stream.mark(), stream.get_state()
    expected = stream.normal(2), stream.random_u32(700)
    stream.rewind(mark)
    assert_same_bits(stream.get_state(), state)
    assert_same_bits(stream.normal(2), expected[0])
    assert_same_bits(stream.random_u32(700), expected[1])


def test_get_state_does_not_move_the_stream() -> None:
    stream, untouched = MT19937Stream(6), MT19937Stream(6)
    stream.get_state()[:] = 0
    assert_same_bits(stream.random_u32(10), untouched.random_u32(10))


def test_set_state_rejects_what_is_not_a_state() -> None:
    stream = MT19937Stream(0)
    state = stream.get_state()
    with pytest.raises(TypeError, match="uint8"):
        stream.set_state(state.astype(np.float32))
    with pytest.raises(TypeError, match="list"):
        stream.set_state([1, 2])  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="shape"):
        stream.set_state(state[:-1])
    with pytest.raises(RuntimeError, match="not the state"):
        stream.set_state(np.full_like(state, 255))


@pytest.mark.parametrize("seed", [1.5, "a", None])
def test_seed_must_be_an_integer(seed: Any) -> None:
    with pytest.raises(RuntimeError, match="manual_seed expected an int"):
        MT19937Stream(seed)


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_seed_must_fit_in_64_bits(seed: int) -> None:
    with pytest.raises(ValueError, match="manual_seed"):
        MT19937Stream(seed)


BAD_CALLS: list[tuple[type[Exception], str, Callable[[MT19937Stream], Any], str]] = [
    (RuntimeError, "from=1 > to=0", lambda s: s.uniform(3, 1.0, 0.0), "torch.empty(3).uniform_(1., 0.)"),
    (
        RuntimeError,
        "out of bounds",
        lambda s: s.uniform(3, 0.0, 1e6, np.float16),
        "torch.empty(3).half().uniform_(0, 1e6)",
    ),
    (RuntimeError, "out of bounds", lambda s: s.uniform(3, float("nan"), 1.0), "torch.empty(3).uniform_(math.nan, 1.)"),
    (RuntimeError, "to - from", lambda s: s.uniform(3, -3e38, 3e38), "torch.empty(3).uniform_(-3e38, 3e38)"),
    (NotImplementedError, "int32", lambda s: s.uniform(3, dtype=np.int32), "torch.empty(3).int().uniform_()"),
    (RuntimeError, "std >= 0.0", lambda s: s.normal(3, 0.0, -1.0), "torch.empty(3).normal_(0., -1.)"),
    (NotImplementedError, "int64", lambda s: s.normal(3, dtype=np.int64), "torch.empty(3).long().normal_()"),
    (RuntimeError, "from=5 >= to=5", lambda s: s.integers(3, 5, 5), "torch.randint(5, 5, (3,))"),
    (RuntimeError, "uint8", lambda s: s.integers(3, -1, 5, np.uint8), "torch.empty(3).byte().random_(-1, 5)"),
    (RuntimeError, "uint8", lambda s: s.integers(3, 0, 257, np.uint8), "torch.empty(3).byte().random_(0, 257)"),
    (RuntimeError, "bool", lambda s: s.integers(3, 0, 3, np.bool_), "torch.empty(3).bool().random_(0, 3)"),
    (RuntimeError, "float16", lambda s: s.integers(3, 0, 70000, np.float16), "torch.empty(3).half().random_(0, 70000)"),
    (RuntimeError, "float32", lambda s: s.integers(3, 2**24, None, np.float32), "torch.empty(3).random_(2**24, None)"),
    (
        RuntimeError,
        "int32",
        lambda s: s.integers(3, -(2**63), None, np.int32),
        "torch.empty(3).int().random_(-2**63, None)",
    ),
    (RuntimeError, "n=-1", lambda s: s.permutation(-1), "torch.randperm(-1)"),
    (RuntimeError, r"\[0, 1\]", lambda s: s.bernoulli(3, 1.5), "torch.empty(3).bernoulli_(1.5)"),
    (
        RuntimeError,
        r"\[0, 1\]",
        lambda s: s.bernoulli(1, np.array([np.nan])),
        "torch.bernoulli(torch.tensor([math.nan]))",
    ),
    (RuntimeError, "lambda > 0.0", lambda s: exponential(s, 3, 0.0), "torch.empty(3).exponential_(0.)"),
]


@pytest.mark.parametrize(("error", "message", "call", "torch_code"), BAD_CALLS, ids=[call[3] for call in BAD_CALLS])
def test_errors_are_those_of_torch(
    torch: ModuleType, error: type[Exception], message: str, call: Callable[[MT19937Stream], Any], torch_code: str
) -> None:
    stream, untouched = MT19937Stream(0), MT19937Stream(0)
    with pytest.raises(error, match=message):
        call(stream)
    assert stream.random_u32(1) == untouched.random_u32(1)
    with pytest.raises(error):
        eval(torch_code, {"torch": torch, "math": math})


def test_bernoulli_probabilities_must_have_the_shape_of_the_result() -> None:
    with pytest.raises(RuntimeError, match=r"shape \(3,\)"):
        MT19937Stream(0).bernoulli(3, np.array([0.5]))


def test_a_long_draw_is_not_interleaved_with_another_thread() -> None:
    stream = MT19937Stream(55)
    n = 200_000
    draws: list[np.ndarray[Any, Any]] = []
    threads = [threading.Thread(target=lambda: draws.append(stream.uniform(n))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    in_order = {draw.tobytes() for draw in MT19937Stream(55).uniform(4 * n).reshape(4, n)}
    assert {draw.tobytes() for draw in draws} == in_order


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fused_multiply_add_rounds_once(dtype: type[np.floating[Any]]) -> None:
    choices = np.random.default_rng(0)
    values = choices.standard_normal(400).astype(dtype)
    for factor, addend in ((1.1, 2.3), (-0.7, 1e-9), (3e-8, 1.0), (1e200, -3e199), (0.0, 5.0), (1.0, -1.0)):
        with np.errstate(over="ignore"):
            factor, addend = float(dtype(factor)), float(dtype(addend))
        if not np.isfinite(factor):
            continue
        exact = [Fraction(float(value)) * Fraction(factor) + Fraction(addend) for value in values]
        result = fused_multiply_add(values, factor, addend)
        assert result.dtype == dtype
        for value, found in zip(exact, result, strict=True):
            error = abs(Fraction(float(found)) - value)
            for neighbour in (np.nextafter(found, dtype(-np.inf)), np.nextafter(found, dtype(np.inf))):
                assert error <= abs(Fraction(float(neighbour)) - value)


@pytest.mark.parametrize(("dtype", "digits"), [(np.float32, 24), (np.float64, 53)])
def test_fused_multiply_add_sees_past_the_middle_of_two_numbers(dtype: type[np.floating[Any]], digits: int) -> None:
    step = 2.0 ** (1 - digits)
    half = step / 2
    # The products are half a step, less or more a hair; rounding anything on the way would lose the hair.
    shorter = np.array([half * (1 + step)], dtype=dtype), 1 - step
    multiple = math.isqrt(2 ** (digits - 2))
    longer = np.array([half * (1 + multiple * step)], dtype=dtype), 1 - (2 * multiple - 1) * half
    for sign in (1.0, -1.0):
        assert fused_multiply_add(shorter[0], sign * shorter[1], sign * (1 + step)) == dtype(sign * (1 + step))
        assert fused_multiply_add(longer[0], sign * longer[1], sign) == dtype(sign * (1 + step))


def test_fused_multiply_add_passes_infinities_through() -> None:
    values = np.array([1.0, -2.0], dtype=np.float32)
    np.testing.assert_array_equal(fused_multiply_add(values, 2.0, float("inf")), [np.inf, np.inf])


def test_functions_in_c_are_wanted_after_a_few_calls_for_normal_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few numbers take numpy as long as thousands of words."""
    wanted: list[bool] = []
    for module in (random_box_muller, random_engine):
        monkeypatch.setattr(module, "host_function", lambda name: None)
    monkeypatch.setattr(random_engine, "get_backend", lambda: "auto")
    monkeypatch.setattr(random_engine, "want_host_functions", lambda: wanted.append(True))
    monkeypatch.setattr(random_engine.demand, "words", 0)
    stream = MT19937Stream(0)
    for _ in range(10):
        stream.normal(16, 0.0, 1.0, np.dtype(np.float32))
    assert not wanted
    for _ in range(40):
        stream.normal(16, 0.0, 1.0, np.dtype(np.float32))
    assert wanted


@pytest.mark.parametrize("draw", [lambda stream: stream.permutation(100), lambda stream: exponential(stream, 100)])
def test_functions_in_c_are_wanted_where_python_computes_each_number(
    draw: Callable[[MT19937Stream], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[bool] = []
    for module in (libm, random_engine):
        monkeypatch.setattr(module, "host_function", lambda name: None)
    monkeypatch.setattr(random_engine, "get_backend", lambda: "auto")
    monkeypatch.setattr(random_engine, "want_host_functions", lambda: wanted.append(True))
    monkeypatch.setattr(random_engine.demand, "words", 0)
    stream = MT19937Stream(0)
    for _ in range(5):
        draw(stream)
    assert not wanted
    for _ in range(40):
        draw(stream)
    assert wanted
