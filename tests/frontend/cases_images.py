"""Resizing, sampling and unfolding of images, bags of rows, power pooling and unpooling, beside torch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.oracle.cases import Case, ErrorCase
from tests.oracle.recipes import exactly, floats, integers

from .calls import call

_SPATIAL = {1: (7,), 2: (7, 5), 3: (4, 5, 3)}
_MODES = {
    1: ("nearest", "nearest-exact", "linear", "area"),
    2: ("nearest", "nearest-exact", "bilinear", "bicubic", "area"),
    3: ("nearest", "nearest-exact", "trilinear", "area"),
}
_CORNERS = ("linear", "bilinear", "bicubic", "trilinear")

_LOOSE = {"forms": "F", "slack": 20.0}  # positions are computed in float32

_RESIZING = [
    case
    for rank, modes in _MODES.items()
    for mode in modes
    for corners in ((None, False, True) if mode in _CORNERS else (None,))
    for case in [
        *call(
            "interpolate", floats(2, 2, *_SPATIAL[rank]), (9, 3, 4)[:rank], None, mode, corners, forms="F", slack=20.0
        ),
        *call("interpolate", floats(1, 2, *_SPATIAL[rank]), None, 1.7, mode, corners, **_LOOSE),
        *call("interpolate", floats(1, 2, *_SPATIAL[rank]), None, 0.6, mode, corners, True, **_LOOSE),
    ]
] + [
    case
    for mode in ("bilinear", "bicubic")
    for corners in (False, True)
    for case in call(
        "interpolate", floats(1, 2, 9, 6), (4, 8), None, mode, corners, antialias=True, forms="F", slack=20.0
    )
]

_SAMPLING = [
    case
    for rank in (2, 3)
    for mode in (("bilinear", "nearest", "bicubic") if rank == 2 else ("bilinear", "nearest"))
    for padding in ("zeros", "border", "reflection")
    for corners in (False, True)
    for case in call(
        "grid_sample",
        floats(2, 2, *_SPATIAL[rank]),
        floats(2, *(3, 4, 2)[:rank], rank, requires_grad=mode != "nearest"),
        mode,
        padding,
        corners,
        forms="F",
        floating="float64",
    )
] + [
    *(case for corners in (False, True) for case in [
        *call("affine_grid", floats(2, 2, 3), (2, 1, 4, 5), corners, forms="F"),
        *call("affine_grid", floats(2, 3, 4), (2, 1, 3, 4, 5), corners, forms="F"),
    ]),
    *call("affine_grid_generator", floats(2, 2, 3), (2, 1, 4, 5), False, forms="t"),
    *(case for mode in (0, 1, 2) for case in call(  # of so many channels that those of an element are read together
        "grid_sampler", floats(2, 17, 5, 4), floats(2, 3, 2, 2, requires_grad=mode != 1), mode, 0, False, forms="t",
        floating="float64")),
    *call("grid_sampler", floats(1, 2, 5, 4), floats(1, 3, 2, 2), 0, 1, False, forms="t", floating="float64"),
]  # fmt: skip

_BLOCKS = [
    *call("unfold", floats(2, 3, 6, 7), 2, forms="F"),
    *call("unfold", floats(3, 6, 7), (2, 3), 1, 1, 2, forms="F"),
    *call("unfold", floats(2, 3, 6, 7), 2, 2, (1, 0), forms="F"),
    *call("fold", floats(2, 12, 30), (6, 7), 2, forms="F"),
    *call("fold", floats(12, 30), (6, 7), 2, forms="F"),
    *call("fold", floats(1, 8, 12), (6, 8), 2, padding=0, stride=2, forms="F"),
    *call("conv_tbc", floats(6, 2, 3), floats(3, 3, 4), floats(4), 1, forms="t"),
    *call("constant_pad_nd", floats(2, 3), (1, 2), 0.5, forms="t"),
]

_TABLE = floats(6, 3)
_FLAT, _OFFSETS = integers(9, high=6), exactly([0, 2, 2, 6], "int64")
_BAGS = [
    case
    for mode in ("sum", "mean", "max")
    for padding in (None, 2)
    for case in [
        *call("embedding_bag", integers(4, 5, high=6), _TABLE, mode=mode, padding_idx=padding, forms="F"),
        *call("embedding_bag", _FLAT, _TABLE, _OFFSETS, mode=mode, padding_idx=padding, forms="F"),
    ]
] + [
    *call("embedding_bag", _FLAT, _TABLE, exactly([0, 4, 9], "int64"), mode="sum", include_last_offset=True, forms="F"),
    *call("embedding_bag", _FLAT, _TABLE, _OFFSETS, mode="sum", per_sample_weights=floats(9), forms="F"),
]

_POOLING = [
    case
    for rank in (1, 2, 3)
    for case in [
        *call(f"lp_pool{rank}d", floats(2, 3, *(7, 6, 5)[:rank], low=0.1), 2.0, 2, forms="F"),
        *call(f"lp_pool{rank}d", floats(2, 3, *(7, 6, 5)[:rank], low=0.1), 3, 3, 2, True, forms="F"),
        *call(f"max_pool{rank}d_with_indices", floats(2, 3, *(7, 6, 5)[:rank]), 2, forms="F"),
    ]
] + [
    *call("lp_pool2d", floats(1, 2, 6, 6), float("inf"), 2, forms="F"),
    *call("max_pool1d_with_indices", floats(2, 3, 7), 2, forms="t"),
]

_LABELS = exactly([[1, 3, -1, 0, 0], [0, 1, 2, 3, 4], [-1, 2, 3, 1, 0]], "int64")
_LOSSES = [
    case
    for reduction in ("none", "mean", "sum")
    for case in [
        *call("multi_margin_loss", floats(3, 5), integers(3, high=5), 1, 0.5, reduction=reduction, forms="F"),
        *call("multi_margin_loss", floats(3, 5), integers(3, high=5), 2, 1.0, floats(5, low=0.1, requires_grad=False),
              reduction=reduction, forms="F"),
        *call("multi_margin_loss", floats(5), integers(high=5), reduction=reduction, forms="F"),
        *call("multilabel_margin_loss", floats(3, 5), _LABELS, reduction=reduction, forms="F"),
        *call("multilabel_margin_loss", floats(5), exactly([1, 3, -1, 0, 0], "int64"), reduction=reduction, forms="F"),
        *call("multilabel_soft_margin_loss", floats(3, 5), floats(3, 5, low=0.0, high=1.0, requires_grad=False),
              floats(5, low=0.1, requires_grad=False), reduction=reduction, forms="F"),
        *call("triplet_margin_with_distance_loss", floats(3, 5), floats(3, 5), floats(3, 5), swap=True,
              reduction=reduction, forms="F"),
    ]
]  # fmt: skip


def _unpooled(rank: int) -> Case:
    def function(t: Any, x: Any) -> Any:
        values, indices = getattr(t.nn.functional, f"max_pool{rank}d")(x, 2, return_indices=True)
        unpool = getattr(t.nn.functional, f"max_unpool{rank}d")
        return unpool(values, indices, 2), unpool(values, indices, 2, output_size=x.shape[2:])

    return Case(f"max_unpool{rank}d", function, (floats(2, 3, *(8, 6, 4)[:rank]),))


def _ctc(name: str, form: str, reduction: str, lengths: tuple[int, ...], zero_infinity: bool = False) -> Case:
    """Three targets with repeated labels, one of them empty."""
    targets = np.array([[1, 1, 2, 2], [3, 4, 0, 0], [1, 2, 1, 3]])
    sizes = (4, 2, 0)

    def function(t: Any, x: Any) -> Any:
        rows, classes = t.log_softmax(x, 2), t.tensor(targets)
        if form == "single":
            return t.nn.functional.ctc_loss(rows[:, 0], classes[0], t.tensor(10), t.tensor(4), reduction=reduction)
        if form == "joined":
            classes = t.cat([classes[i, :size] for i, size in enumerate(sizes)])
        return t.nn.functional.ctc_loss(rows, classes, lengths, sizes, 0, reduction, zero_infinity)

    return Case(f"ctc_loss {name}", function, (floats(10, 3, 5),))


_CTC = [
    *(_ctc(f"{form} {reduction}", form, reduction, (10, 8, 10))
      for form in ("padded", "joined", "single") for reduction in ("none", "mean", "sum")),
    *(_ctc(f"too short {reduction}", "padded", reduction, (3, 8, 10), True) for reduction in ("none", "mean", "sum")),
]  # fmt: skip

CASES: list[Case] = [
    *(_RESIZING + _SAMPLING + _BLOCKS + _BAGS + _POOLING + _LOSSES),
    *(_unpooled(rank) for rank in (1, 2, 3)),
    *_CTC,
]

_X = floats(1, 2, 4, 4, requires_grad=False)


def _functional(name: str, *arguments: Any, **keywords: Any) -> Any:
    def function(t: Any, x: Any) -> Any:
        return getattr(t.nn.functional, name)(x, *arguments, **keywords)

    return function


ERRORS = [
    ErrorCase("interpolate without a size", _functional("interpolate"), (_X,)),
    ErrorCase("interpolate by both", _functional("interpolate", 3, 2.0), (_X,)),
    ErrorCase("interpolate linearly in 2d", _functional("interpolate", 3, mode="linear"), (_X,)),
    ErrorCase("interpolate nearest with corners", _functional("interpolate", 3, align_corners=True), (_X,)),
    ErrorCase("interpolate to nothing", _functional("interpolate", 0), (_X,)),
    ErrorCase("interpolate to three sizes", _functional("interpolate", (1, 2, 3)), (_X,)),
    ErrorCase("grid_sample in an unknown mode", lambda t, x: t.nn.functional.grid_sample(x, x, "no"), (_X,)),
    ErrorCase("grid_sample of another batch",
              lambda t, x: t.nn.functional.grid_sample(x, t.zeros(2, 3, 3, 2), align_corners=False), (_X,)),
    ErrorCase("affine_grid of another shape",
              lambda t: t.nn.functional.affine_grid(t.zeros(1, 3, 3), (1, 1, 2, 2), align_corners=False)),
    ErrorCase("unfold without blocks", _functional("unfold", 5), (_X,)),
    ErrorCase("unfold of five dimensions", lambda t, x: t.nn.functional.unfold(x[None], 2), (_X,)),
    ErrorCase("fold of columns that do not fit", lambda t: t.nn.functional.fold(t.zeros(1, 3, 4), 4, 2)),
    ErrorCase("embedding_bag without offsets",
              lambda t: t.nn.functional.embedding_bag(t.tensor([1]), t.zeros(3, 2))),
    ErrorCase("embedding_bag with weighted means",
              lambda t: t.nn.functional.embedding_bag(t.tensor([[1]]), t.zeros(3, 2), per_sample_weights=t.ones(1, 1))),
    ErrorCase("ctc_loss with a blank out of range",
              lambda t: t.nn.functional.ctc_loss(t.zeros(3, 1, 2), t.tensor([[1]]), [3], [1], blank=2)),
    ErrorCase("ctc_loss of lengths that differ",
              lambda t: t.nn.functional.ctc_loss(t.zeros(3, 1, 2), t.tensor([[1]]), [4], [1])),
    ErrorCase("multi_margin_loss with p = 3",
              lambda t: t.nn.functional.multi_margin_loss(t.zeros(1, 2), t.tensor([0]), p=3)),
    ErrorCase("multilabel_margin_loss of another size",
              lambda t: t.nn.functional.multilabel_margin_loss(t.zeros(1, 2), t.tensor([[0]]))),
]  # fmt: skip
