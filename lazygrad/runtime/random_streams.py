"""PyTorch's CPU random stream: for the same seed, the numbers that ``torch`` draws on the CPU.

PyTorch draws from a 32-bit Mersenne Twister (MT19937), and every function consumes its words in a fixed way. numpy
has the same engine; this module reproduces what is done with the words:

===============================  ==============================  ====================================================
function                         words per element               value
===============================  ==============================  ====================================================
``uniform`` f32, f16, bf16       one                             low 24 bits / 2**24
``uniform`` f64                  two, the first is the high one  low 53 bits / 2**53
``normal``, 16 or more elements  as ``uniform``                  Box-Muller in blocks of 8 radii and 8 angles
``normal``, fewer                four per pair                   Box-Muller in f64; the second of a pair is kept
``integers``                     one; two from span 2**28 on      low + remainder by the span, high - low
``random_``                      one; two for i64 and f64        remainder by max + 1, of floats by 2**digits + 1
``bernoulli``, number p          two                             f64 uniform < p
``exponential``                  two                             f64, -log1p(-uniform) / lambd
``permutation``                  one                             Fisher-Yates from the front
===============================  ==============================  ====================================================

Distributions made of these are in ``random_distributions`` and ``random_rejection``. Results equal PyTorch's bit for
bit where its normal kernel is the one for AVX2, and its C library's logarithm, sine and cosine are numpy's. Older
PyTorch releases draw ``bernoulli_(p)`` and ``exponential_()`` from MKL on Intel processors; those numbers are not
reproduced.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lazygrad.host.forks import held_at_fork
from lazygrad.runtime.random_arithmetic import few_unit_float32, fused_multiply_add, unit_float32, unit_float64
from lazygrad.runtime.random_box_muller import box_muller, box_muller_pairs, few_box_muller_pairs
from lazygrad.runtime.random_dtypes import FLOAT_FORMATS, check_uniform_bounds, floating_dtype, stored
from lazygrad.runtime.random_engine import MersenneTwister, demand
from lazygrad.runtime.random_integers import WordRange, full_range, known_range, shuffled
from lazygrad.runtime.random_state import StreamState, pack_state, unpack_state

# Elements worked on at a time: temporaries stay in the cache. A multiple of the 16 of a Box-Muller block.
_PART_LENGTH = 1 << 15
_BOX_MULLER_BLOCK = 16
_WORDS_OF_A_PLACE = 1 << 5  # numpy draws as many in the time that a permutation takes for one of its places
_FAR_FROM_INFINITY = 1e30  # of float32, too
_FEW = 8  # elements that are made one by one
_FLOAT32, _INT64 = np.dtype(np.float32), np.dtype(np.int64)
# From here on PyTorch shuffles by another algorithm; such a permutation would take gigabytes.
_PERMUTATION_LIMIT = (2**32 - 1) // 20


class MT19937Stream:
    """A stream of random numbers equal to that of ``torch.Generator()`` on the CPU. Safe to share between threads.

    All drawing methods return one-dimensional arrays of ``n`` elements. An ``n`` of 0 consumes nothing.
    """

    def __init__(self, seed: int, engine: Any = None) -> None:
        """Start the stream; see ``manual_seed``. Another engine than the Mersenne Twister has its own states."""
        self.lock = held_at_fork(
            threading.RLock()
        )  # numpy's engine has a lock of its own, which is free when this one is
        self._engine: Any = MersenneTwister() if engine is None else engine
        self._seed = 0
        self.cached_normal: float | None = None
        self.manual_seed(seed)

    @property
    def seed(self) -> int:
        """The seed in [0, 2**64); a negative one appears with 2**64 added."""
        return self._seed

    def manual_seed(self, seed: int) -> MT19937Stream:
        """Restart the stream.

        Args:
            seed: in [-2**63, 2**64). The engine uses the low 32 bits.

        Returns:
            The stream itself.

        Raises:
            RuntimeError: ``seed`` is not an integer.
            ValueError: ``seed`` does not fit in 64 bits.
        """
        try:
            number = operator.index(seed)
        except TypeError:
            raise RuntimeError(f"manual_seed expected an int, but got {type(seed).__name__}") from None
        if not -(2**63) <= number < 2**64:
            raise ValueError(f"manual_seed expected a seed in [-2**63, 2**64), but got {number}")
        with self.lock:
            self._seed = number % 2**64
            self._engine.seed(self._seed)
            self.cached_normal = None
        return self

    def get_state(self) -> NDArray[np.uint8]:
        """Return everything the stream depends on, as a one-dimensional uint8 array."""
        with self.lock:
            key, position = self._engine.get_state()
            return pack_state(StreamState(self._seed, key, position, self.cached_normal))

    def set_state(self, state: NDArray[np.uint8]) -> None:
        """Continue from what ``get_state`` returned.

        Raises:
            TypeError: ``state`` is not a uint8 array.
            RuntimeError: ``state`` does not come from ``get_state``.
        """
        found = unpack_state(state)
        with self.lock:
            self._seed = found.seed
            self.cached_normal = found.cached_normal
            self._engine.set_state(found.key, found.position)

    def mark(self) -> tuple[bytes, float | None]:
        """Where the stream stands, for `rewind`."""
        with self.lock:
            return self._engine.mark(), self.cached_normal

    def rewind(self, mark: tuple[bytes, float | None]) -> None:
        """Continue from where the stream stood."""
        with self.lock:
            self._engine.rewind(mark[0])
            self.cached_normal = mark[1]

    def random_u32(self, n: int) -> NDArray[np.uint32]:
        """Return the next ``n`` words of the engine, as uint32."""
        with self.lock:
            return self._engine.words(n)

    def random_u64(self, n: int) -> NDArray[np.uint64]:
        """Return ``n`` 64-bit words as uint64, each of two words of the engine, the high one first."""
        words = self.random_u32(2 * n)
        wide = words[0::2].astype(np.uint64)
        wide <<= np.uint64(32)
        wide |= words[1::2]
        return wide

    def uniform(self, n: int, low: float = 0.0, high: float = 1.0, dtype: DTypeLike = np.float32) -> NDArray[Any]:
        """Draw from [low, high) as ``Tensor.uniform_``; equal to it bit for bit.

        Args:
            n: number of elements.
            low: lower bound, included.
            high: upper bound; a value that rounds to it becomes ``low``.
            dtype: float16, bfloat16, float32 or float64.

        Raises:
            NotImplementedError: ``dtype`` is another.
            RuntimeError: ``low > high``, or the bounds or their distance are out of the range of ``dtype``.
        """
        is_unit = low == 0.0 and high == 1.0
        if is_unit and dtype is _FLOAT32 and 0 < n <= _FEW and type(self._engine) is MersenneTwister:
            with self.lock:
                return few_unit_float32(self._engine.few_words(n))
        target = floating_dtype(dtype, "uniform_")
        compute = FLOAT_FORMATS[target].compute
        if not is_unit:
            check_uniform_bounds(low, high, target)
        base = compute(low)
        span = compute(high) - base
        is_computed = target.type is compute  # what is computed is not rounded once more
        if is_computed and type(self._engine) is MersenneTwister:
            with self.lock:
                drawn = self._engine.uniform(n, target, float(base), float(span), float(compute(high)))
            if drawn is not None:
                return drawn
        is_unit = is_unit and is_computed
        if is_unit and n <= _PART_LENGTH:
            with self.lock:
                return self._unit_uniform(n, compute)
        result = np.empty(n, target)
        if is_unit:
            with self.lock:
                for part in _parts(n):
                    result[part.start : part.stop] = self._unit_uniform(len(part), compute)
            return result
        lowest, excluded = result.dtype.type(low), result.dtype.type(high)
        with self.lock:
            for part in _parts(n):
                values = fused_multiply_add(self._unit_uniform(len(part), compute), float(span), float(base))
                rounded = values.astype(result.dtype, copy=False)
                np.copyto(rounded, lowest, where=rounded == excluded)
                result[part.start : part.stop] = rounded
        return result

    def normal(
        self,
        n: int,
        mean: float = 0.0,
        std: float = 1.0,
        dtype: DTypeLike = np.float32,
        contiguous: bool = True,
    ) -> NDArray[Any]:
        """Draw from a normal distribution as ``Tensor.normal_``; equal to it bit for bit.

        Args:
            n: number of elements.
            mean: mean.
            std: standard deviation, not negative.
            dtype: float16, bfloat16, float32 or float64.
            contiguous: False where the tensor to fill is not contiguous: PyTorch then draws pair by pair always.

        Raises:
            NotImplementedError: ``dtype`` is another.
            RuntimeError: ``std`` is negative.
        """
        target = floating_dtype(dtype, "normal_")
        if not std >= 0.0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        if n >= _BOX_MULLER_BLOCK and contiguous and target is _FLOAT32 and type(self._engine) is MersenneTwister:
            with self.lock:
                drawn = self._engine.normal(n, mean, std)
            if drawn is not None:
                return drawn
        if target.itemsize > 2 and std + abs(mean) < _FAR_FROM_INFINITY:  # to have numpy ignore overflows takes long
            return self._normal(n, mean, std, target, contiguous)
        with np.errstate(over="ignore"):
            return self._normal(n, mean, std, target, contiguous)

    def integers(self, n: int, low: int, high: int | None, dtype: DTypeLike = np.int64) -> NDArray[Any]:
        """Draw integers from [low, high) as ``Tensor.random_(low, high)`` and ``torch.randint``.

        Args:
            n: number of elements.
            low: lower bound, included.
            high: upper bound, excluded; None for up to the largest value of ``dtype``, included.
            dtype: bool, an integer or a floating dtype.

        Raises:
            RuntimeError: the range is empty or leaves the range of ``dtype``.
        """
        target = np.dtype(dtype)
        return self._place(n, known_range(low, high, target), target)

    def random_(self, n: int, dtype: DTypeLike = np.int64) -> NDArray[Any]:
        """Draw integers as ``Tensor.random_()``: [0, max] of an integer dtype, [0, 2**digits] of a floating one."""
        target = np.dtype(dtype)
        return self._place(n, full_range(target), target)

    def permutation(self, n: int) -> NDArray[np.int64]:
        """Return 0..n-1 in random order as ``torch.randperm``, as int64.

        Raises:
            RuntimeError: ``n`` is negative, or 214748364 or more.
        """
        if not 0 <= n < _PERMUTATION_LIMIT:
            raise RuntimeError(f"permutation expects 0 <= n < {_PERMUTATION_LIMIT}, but got n={n}")
        if type(self._engine) is MersenneTwister:
            with self.lock:
                drawn = self._engine.permutation(n)
            if drawn is not None:
                return drawn
            demand.add(_WORDS_OF_A_PLACE * n)
        return shuffled(self.random_u32(n - 1)) if n else np.empty(0, dtype=np.int64)

    def bernoulli(self, n: int, p: float | NDArray[Any]) -> NDArray[np.bool_]:
        """Draw True with probability ``p``.

        Args:
            n: number of elements.
            p: a number, as in ``Tensor.bernoulli_(p)``; or a floating array of shape (n,), as in ``torch.bernoulli``.

        Returns:
            bool, shape (n,).

        Raises:
            RuntimeError: a probability lies outside [0, 1], or the array has another shape.
        """
        if not (not p.size or bool(p.min() >= 0 and p.max() <= 1) if isinstance(p, np.ndarray) else 0 <= p <= 1):
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
        if not isinstance(p, np.ndarray):
            with self.lock:
                return self._engine.less(n, p)
        if p.shape != (n,):
            raise RuntimeError(f"bernoulli expects probabilities of shape ({n},), but got {p.shape}")
        compute = FLOAT_FORMATS[floating_dtype(p.dtype, "bernoulli_")].compute
        if n <= _PART_LENGTH:
            with self.lock:
                return np.less(self._unit_uniform(n, compute), p.astype(compute, copy=False))
        result = np.empty(n, dtype=np.bool_)
        with self.lock:
            for part in _parts(n):
                limits = p[part.start : part.stop].astype(compute)
                np.less(self._unit_uniform(len(part), compute), limits, out=result[part.start : part.stop])
        return result

    def unit(self, n: int) -> NDArray[np.float64]:
        """Draw float64 numbers from [0, 1)."""
        with self.lock:
            return self._unit_uniform(n, np.float64)

    def _unit_uniform(self, n: int, compute: type[np.floating[Any]]) -> NDArray[Any]:
        if type(self._engine) is MersenneTwister:
            drawn = self._engine.uniform(n, np.dtype(compute), 0.0, 1.0, 1.0)
            if drawn is not None:
                return drawn
        if compute is np.float64:
            return unit_float64(self.random_u64(n))
        return unit_float32(self.random_u32(n))

    def _normal(self, n: int, mean: float, std: float, dtype: np.dtype[Any], contiguous: bool) -> NDArray[Any]:
        with self.lock:
            if n >= _BOX_MULLER_BLOCK and contiguous:
                return self._normal_in_blocks(n, mean, std, dtype)
            return stored(fused_multiply_add(self._standard_normal_pairs(n), std, mean), dtype)

    def _normal_in_blocks(self, n: int, mean: float, std: float, dtype: np.dtype[Any]) -> NDArray[Any]:
        result = np.empty(n, dtype=dtype)
        compute = FLOAT_FORMATS[dtype].compute
        whole = n - n % _BOX_MULLER_BLOCK
        for part in _parts(whole):
            result[part.start : part.stop] = box_muller(self._unit_uniform(len(part), compute), mean, std)
        if whole < n:
            if dtype == compute:
                # PyTorch first fills the whole tensor with uniforms, then draws its last 16 elements anew. The 16-bit
                # types go through a buffer of 16 and never draw uniforms for the incomplete block.
                self._unit_uniform(n - whole, compute)
            result[-_BOX_MULLER_BLOCK:] = box_muller(self._unit_uniform(_BOX_MULLER_BLOCK, compute), mean, std)
        return result

    def _standard_normal_pairs(self, n: int) -> NDArray[np.float64]:
        if n == 0:
            return np.empty(0, dtype=np.float64)
        kept = [] if self.cached_normal is None else [self.cached_normal]
        pair_count = (n - len(kept) + 1) // 2
        if pair_count <= _BOX_MULLER_BLOCK and type(self._engine) is MersenneTwister:
            kept += few_box_muller_pairs(self._engine.few_words(4 * pair_count)) if pair_count else ()
            available = np.array(kept)
        else:
            fresh = box_muller_pairs(unit_float64(self.random_u64(2 * pair_count)))
            available = np.concatenate([np.asarray(kept, dtype=np.float64), fresh])
        self.cached_normal = float(available[n]) if len(available) > n else None
        return available[:n]

    def _place(self, n: int, word_range: WordRange, dtype: np.dtype[Any]) -> NDArray[Any]:
        if 0 < n <= _FEW and dtype is _INT64 and not word_range.wide and type(self._engine) is MersenneTwister:
            with self.lock:
                return word_range.place_few(self._engine.few_words(n))
        words = self.random_u64(n) if word_range.wide else self.random_u32(n)
        return word_range.place(words, dtype)


def _parts(n: int) -> Iterator[range]:
    for start in range(0, n, _PART_LENGTH):
        yield range(start, min(start + _PART_LENGTH, n))
