"""Batches from a DataLoader, one per call, made by workers or in the process that asks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.case import LAZYGRAD, Case, Contender, Prepare, Program, Scale, at
from tests.benchmarks.frameworks import Framework

_IMAGE = (3, 224, 224)
_IMAGES = 21  # 12.6 MB


class Rows:
    """Arrays that take turns, with a label each; it does not end while it is measured."""

    def __init__(self, arrays: np.ndarray) -> None:
        self.arrays = arrays

    def __len__(self) -> int:
        return 10**7

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return self.arrays[index % len(self.arrays)], index % 10


class TensorRows:
    """Rows of a tensor, indexed one by one, with a label each."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __len__(self) -> int:
        return 10**7

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        index %= self.x.shape[0]
        return self.x[index], self.y[index]


def _loading(shape: tuple[int, ...], small_shape: tuple[int, ...], batch_size: int, workers: int) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        arrays = np.random.default_rng(0).random((8, *at(scale, shape, small_shape)), dtype=np.float32)
        loader: Any = framework.lib.utils.data.DataLoader(
            Rows(arrays), batch_size=batch_size, num_workers=workers, persistent_workers=workers > 0
        )
        batches = iter(loader)
        return Program(lambda: next(batches))

    return prepare


def _indexing(shape: tuple[int, ...], small_shape: tuple[int, ...], batch_size: int) -> Prepare:
    def prepare(framework: Framework, scale: Scale) -> Program:
        x = np.random.default_rng(0).random((1000, *at(scale, shape, small_shape)), dtype=np.float32)
        rows = TensorRows(framework.tensor(x), framework.tensor(np.arange(1000) % 10))
        batches = iter(framework.lib.utils.data.DataLoader(rows, batch_size=batch_size))
        return Program(lambda: next(batches))

    return prepare


def _case(name: str, title: str, prepare: Prepare, target: float) -> Case:
    contenders = (Contender(LAZYGRAD, prepare), Contender("eager", prepare))
    return Case(name, title, contenders, target=target, checked_calls=3)


CASES = [
    _case("load_large_2", "DataLoader, 2 workers, batches of 12.6 MB", _loading(_IMAGE, (3, 8, 8), _IMAGES, 2), 1.5),
    _case("load_small_0", "DataLoader, no workers, 64 rows of 784", _loading((784,), (8,), 64, 0), 1.0),
    _case("load_small_2", "DataLoader, 2 workers, 64 rows of 784", _loading((784,), (8,), 64, 2), 1.0),
    _case("load_tensor_rows", "DataLoader, no workers, 64 rows of a tensor of 784 columns, indexed one by one",
          _indexing((784,), (8,), 64), 1.0),
]  # fmt: skip
