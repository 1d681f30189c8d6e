"""`torch.utils.weak` and what `torch.multiprocessing` says of shared memory."""

from __future__ import annotations

import copy
import gc
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import lazygrad as lg
import lazygrad.utils.weak


@pytest.fixture
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")


def _program(t: Any, module: Any) -> Any:
    first, second, gone = t.ones(2), t.ones(2), t.zeros(1)
    kept = module.WeakTensorKeyDictionary({first: 1})
    kept[second], kept[gone] = [2], 3
    seen: list[Any] = [len(kept), first in kept, t.ones(2) in kept, 3 in kept, kept[first], kept.get(t.ones(2), 7)]
    deep, flat = copy.deepcopy(kept), copy.copy(kept)
    seen += [deep[second] == [2], deep[second] is kept[second], flat[second] is kept[second], flat == kept]
    for _ in kept:
        del gone
        break
    gc.collect()
    seen += [len(kept), sorted(map(str, kept.values())), len(kept.keyrefs()), len(flat)]
    seen += [kept.pop(first), kept.setdefault(first, 9), kept.setdefault(first, 10), kept.pop(t.ones(1), None)]
    joined = kept | {second: 5}
    joined |= {first: 6}
    other = {first: 0} | module.WeakIdKeyDictionary({second: 4})
    seen += [joined[second], joined[first], other[second], kept[second], type(other).__name__, kept == 3]
    key, value = joined.popitem()
    seen += [value, len(joined), [each is second for each in joined] == [True] or key is second]
    with pytest.raises(KeyError):
        del kept[t.ones(2)]
    reference = module.TensorWeakRef(first)
    seen.append(reference() is first)
    del first, key, joined, other, kept, flat, deep
    gc.collect()
    return [*seen, reference() is None]


def test_dictionaries_are_torchs(torch: ModuleType) -> None:
    assert _program(lg, lazygrad.utils.weak) == _program(torch, import_module("torch.utils.weak"))


def test_references_to_the_same_are_equal() -> None:
    x, y = lg.ones(1), lg.ones(1)
    reference = lazygrad.utils.weak.WeakIdRef
    assert reference(x) == reference(x) and reference(x) != reference(y) and hash(reference(x)) == id(x)
    assert reference(x) != 3
    gone = reference(lg.ones(1))
    assert gone() is None and gone == gone and gone != reference(x)
    with pytest.raises(AssertionError, match=r"expected torch\.Tensor, got <class 'int'>"):
        lazygrad.utils.weak.TensorWeakRef(3)  # type: ignore[arg-type]


def test_ways_to_share_are_names(torch: ModuleType) -> None:
    for t in (lg, torch):
        module = t.multiprocessing
        before = module.get_sharing_strategy()
        assert module.get_all_sharing_strategies() == {"file_descriptor", "file_system"}
        module.set_sharing_strategy("file_system")
        assert (before, module.get_sharing_strategy()) == ("file_descriptor", "file_system")
        module.set_sharing_strategy(before)
        with pytest.raises(AssertionError, match="invalid sharing strategy 'smoke', expected one of"):
            module.set_sharing_strategy("smoke")
