"""Counter-based words against a plain-Python Philox4x64-10."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lazygrad.host.philox import blocks_used, philox_u32

MASK = 2**64 - 1


def reference_block(seed: int, counter: int) -> list[int]:
    """Return the 8 elements of one block, by the definition in the module's docstring."""
    words = [counter >> (64 * place) & MASK for place in range(4)]
    key = [seed, 0]
    for round_number in range(10):
        if round_number:
            key = [(key[0] + 0x9E3779B97F4A7C15) & MASK, (key[1] + 0xBB67AE8584CAA73B) & MASK]
        first, second = 0xD2E7470EE14C6C93 * words[0], 0xCA5A826395121157 * words[2]
        words = [(second >> 64) ^ words[1] ^ key[0], second & MASK, (first >> 64) ^ words[3] ^ key[1], first & MASK]
    return [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]


def reference_words(seed: int, offset: int, n: int) -> list[int]:
    blocks = [reference_block(seed, offset + 1 + block) for block in range(-(-n // 8))]
    return [element for block in blocks for element in block][:n]


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 100])
@pytest.mark.parametrize("seed", [0, 1234, 2**32, 2**64 - 1])
@pytest.mark.parametrize("offset", [0, 5, 2**63, 2**64 - 3, 2**64 - 1])
def test_words_are_those_of_the_definition(seed: int, offset: int, n: int) -> None:
    words = philox_u32(seed, offset, n)
    assert words.dtype == np.uint32
    assert words.tolist() == reference_words(seed, offset, n)


def test_the_definition_is_philox() -> None:
    # The known answer for a zero counter and a zero key that the authors publish with their Random123 library.
    known = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert reference_block(0, 0) == [half for word in known for half in (word & 0xFFFFFFFF, word >> 32)]


@pytest.mark.parametrize("offset", [1000, 2**64 - 3])
def test_a_part_equals_the_slice_of_the_whole(offset: int) -> None:
    whole = philox_u32(42, offset, 200)
    for start in range(0, 40):
        for stop in (start, start + 1, start + 8, 111, 200):
            np.testing.assert_array_equal(philox_u32(42, offset, start, stop), whole[start:stop])


def test_offsets_count_blocks() -> None:
    np.testing.assert_array_equal(philox_u32(7, 13, 16, 40), philox_u32(7, 15, 24))
    assert [blocks_used(n) for n in (0, 1, 8, 9)] == [0, 1, 1, 2]


def test_seeds_and_offsets_give_different_words() -> None:
    assert len({philox_u32(seed, offset, 8).tobytes() for seed in range(20) for offset in range(20)}) == 400


def test_words_are_spread_evenly() -> None:
    counts = np.bincount(philox_u32(3, 0, 1 << 18) >> 24, minlength=256)
    chi_squared = float(((counts - 1024.0) ** 2 / 1024.0).sum())
    assert 150 < chi_squared < 380  # 255 degrees of freedom: 5.5 standard deviations


def test_threads_do_not_disturb_each_other() -> None:
    expected = {seed: philox_u32(seed, 0, 50_000) for seed in range(4)}
    failures: list[int] = []

    def draw(seed: int) -> None:
        for _ in range(50):
            if not np.array_equal(philox_u32(seed, 0, 50_000), expected[seed]):
                failures.append(seed)

    threads = [threading.Thread(target=draw, args=(seed,)) for seed in expected]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0, 5), "seed"),
        ((2**64, 0, 5), "seed"),
        ((0, -1, 5), "offset"),
        ((0, 2**64, 5), "offset"),
        ((0, 0, -1), "start"),
        ((0, 0, 5, 4), "start=5, stop=4"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        philox_u32(*arguments)
