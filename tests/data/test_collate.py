"""How samples become a batch."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import numpy as np
import pytest

Point = namedtuple("Point", ["x", "y"])


@pytest.mark.parametrize(
    "samples",
    [
        [1, 2, 3],
        [1.5, 2.5],
        [True, False],
        ["a", "b"],
        [b"a", b"b"],
        [np.arange(3), np.arange(3)],
        [np.float32(1), np.float32(2)],
        [np.bool_(True), np.bool_(False)],
        [np.ones((2, 2), np.float64), np.zeros((2, 2), np.float64)],
        [np.arange(2, dtype=np.int32), np.arange(2, dtype=np.int64)],
        [(1, 2.0, "x"), (3, 4.0, "y")],
        [[1, 2], [3, 4]],
        [{"a": 1, "b": [1.0, (2, 3)]}, {"a": 2, "b": [2.0, (4, 5)]}],
        [OrderedDict(a=1), OrderedDict(a=2)],
        [defaultdict(int, a=1), defaultdict(int, a=2)],
        [Point(1, 2.0), Point(3, 4.0)],
        [range(3), range(3)],
        [],
        [None, None],
        [..., ...],
        [[1, 2], [1]],
        [{"a": 1}, {"b": 1}],
        [np.arange(2), np.arange(3)],
        [np.array(["a"]), np.array(["b"])],
    ],
    ids=repr,
)
def test_default_collate(agree: Any, samples: list[Any]) -> None:
    agree(lambda framework, utilities: utilities.default_collate(samples))


@pytest.mark.parametrize("shapes", [[(2, 3), (2, 3)], [(), ()], [(2,), (3,)]], ids=repr)
def test_default_collate_of_tensors(agree: Any, shapes: list[tuple[int, ...]]) -> None:
    agree(
        lambda framework, utilities: utilities.default_collate(
            [framework.tensor(np.full(shape, 2.5, np.float32)) for shape in shapes]
        )
    )


@pytest.mark.parametrize(
    "sample",
    [
        0,
        "text",
        np.arange(3),
        np.float64(1.5),
        np.array(["a"]),
        Point(np.arange(2), 1),
        (np.arange(2), "x"),
        [np.arange(2), 1],
        {"a": np.arange(2), "b": None},
    ],
    ids=repr,
)
def test_default_convert_without_batching(agree: Any, sample: Any) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        converted = list(utilities.DataLoader([sample, sample], batch_size=None))
        return [item.tolist() if isinstance(item, np.ndarray) else item for item in converted]

    agree(program)
