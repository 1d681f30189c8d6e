"""How samples become a batch."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from contextlib import nullcontext
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


VIEWS = {
    "rows": lambda x: [x[i] for i in (3, 0, 3, -1)],
    "elements": lambda x: [x[i, 1, 2] for i in (2, 0)],
    "rows of rows": lambda x: [x[i][1] for i in (2, 0)],
    "rows of ranges": lambda x: [x[i, 1:] for i in (2, 0)],
    "unevenly placed": lambda x: [x[0, 0, i : i + 2] for i in range(3)],
    "ranges": lambda x: [x[i : i + 2] for i in (2, 0)],
    "ranges from behind": lambda x: [x[-3:-1], x[:2], x[-2:]],
    "ranges without elements": lambda x: [x[3:1], x[4:], x[:0]],
    "ranges of ranges": lambda x: [x[1:][i : i + 2] for i in (1, 0)],
    "windows of a line": lambda x: [x.view(-1)[i : i + 5] for i in (7, 0, 43)],
    "of transposed": lambda x: [x.transpose(0, 2)[i] for i in (2, 0)],
    "of two shapes": lambda x: [x[0], x[0, :1]],
    "of a size of one": lambda x: [x[:, None][i] for i in (2, 0)],
    "with an operation between": lambda x: [x[0], x[1] * 2, x[2]],
    "empty": lambda x: [x[0, :, :0], x[1, :, :0]],
}


@pytest.mark.parametrize("is_stacked", [False, True], ids=["collated", "stacked"])
@pytest.mark.parametrize("views", VIEWS.values(), ids=VIEWS.keys())
def test_joining_views_of_one_tensor(agree: Any, views: Any, is_stacked: bool) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        x = framework.arange(48).reshape(4, 3, 4).float().contiguous()
        x.sum().item()
        samples = views(x)
        x[0] += 1
        return framework.stack(samples) if is_stacked else utilities.default_collate(samples)

    agree(program)


@pytest.mark.parametrize("reading", ["", "detach", "no_grad"])
def test_collated_views_have_gradients(agree: Any, reading: str) -> None:
    def program(framework: Any, utilities: Any) -> Any:
        x = framework.arange(6.0).reshape(3, 2).requires_grad_()
        with framework.no_grad() if reading == "no_grad" else nullcontext():
            rows = x.detach() if reading == "detach" else x
            batch = utilities.default_collate([rows[i] for i in (2, 0, 2)])
        if batch.requires_grad:
            batch.square().sum().backward()
        return [batch.detach(), x.grad, batch.requires_grad]

    agree(program)


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
