"""Further names for joining, cutting, copying views, and writing into tensors."""

from __future__ import annotations

from typing import Any

from tests.oracle.cases import Case, scenarios
from tests.oracle.recipes import booleans, exactly, floats, integers

from .calls import call

_STACKS = [
    *(case for name in ("atleast_1d", "atleast_2d", "atleast_3d") for shape in ((), (3,), (2, 3), (2, 3, 4))
      for case in call(name, floats(*shape), forms="t")),
    *call("atleast_2d", [floats(), floats(3)], forms="t"),
    *call("atleast_3d", floats(), floats(3), forms="t"),
    *call("dstack", [floats(3), floats(3)], forms="t"),
    *call("column_stack", [floats(3), floats(3, 2)], forms="t"),
    *call("row_stack", [floats(3), floats(2, 3)], forms="t"),
    *call("block_diag", floats(2, 3), floats(2), floats(), integers(1, 2), forms="t"),
    *call("cartesian_prod", floats(2), floats(3), floats(2), forms="t"),
    *call("cartesian_prod", floats(2), forms="t"),
    *call("combinations", floats(4), forms="t"),
    *call("combinations", floats(4), 3, True, forms="t"),
    *call("combinations", floats(4), 0, forms="t"),
    *call("vander", floats(4, requires_grad=False), forms="t"),
    *call("vander", integers(4), 3, True, forms="t"),
    *call("vander", floats(3, requires_grad=False), 0, forms="t"),
]  # fmt: skip

_CUTS = [
    *call("hsplit", floats(4, 6), 3),
    *call("hsplit", floats(6), (1, 4)),
    *call("vsplit", floats(4, 6), 2),
    *call("dsplit", floats(2, 3, 4), (1, 3)),
    *call("split_with_sizes", floats(5, 2), [1, 4]),
    *call("unsafe_split", floats(5, 2), 2),
    *call("unsafe_chunk", floats(5, 2), 2),
    *call("unsafe_split_with_sizes", floats(5, 2), [2, 3]),
]

_COPIES = [
    *call("alias_copy", floats(3), forms="t"),
    *call("as_strided_copy", floats(6), (2, 2), (1, 2), forms="t"),
    *call("detach_copy", floats(3, requires_grad=False), forms="t"),
    *call("diagonal_copy", floats(3, 4), 1, forms="t"),
    *call("expand_copy", floats(3, 1), (3, 4), forms="t"),
    *call("narrow_copy", floats(5), 0, 1, 3),
    *call("permute_copy", floats(2, 3), (1, 0), forms="t"),
    *call("select_copy", floats(2, 3), 1, 2, forms="t"),
    *call("slice_copy", floats(5), 0, 1, 4, 2, forms="t"),
    *call("split_copy", floats(5), 2, forms="t"),
    *call("split_with_sizes_copy", floats(5), [2, 3], forms="t"),
    *call("squeeze_copy", floats(2, 1), forms="t"),
    *call("t_copy", floats(2, 3), forms="t"),
    *call("transpose_copy", floats(2, 3), 0, 1, forms="t"),
    *call("unbind_copy", floats(2, 3), forms="t"),
    *call("unfold_copy", floats(5), 0, 3, 1, forms="t"),
    *call("unsqueeze_copy", floats(2), 0, forms="t"),
    *call("view_copy", floats(2, 3), (3, 2), forms="t"),
]

_REPLACING = [
    *call("diagonal_scatter", floats(3, 4), floats(3)),
    *call("diagonal_scatter", floats(3, 4), floats(2), -1),
    *call("select_scatter", floats(3, 4), floats(3), 1, -1),
    *call("slice_scatter", floats(6, 2), floats(2, 2), 0, 1, 5, 2),
    *call("slice_scatter", floats(6, 2), floats(6, 2)),
    *call("as_strided_scatter", floats(6, requires_grad=False), floats(2, 2), (2, 2), (1, 2)),
    *call("diagflat", floats(2, 2), -1),
    *call("put", floats(2, 3), integers(2, high=6), floats(2)),
    *call("put", floats(2, 3), exactly([0, -1, 0], "int64"), floats(3), True),
    *call("put", floats(2, 3), exactly([[1, 2]], "int64"), floats(1, 2), forms="inplace"),
    *(case for how in ("prod", "mean", "amax", "amin") for own in (True, False)
      for case in call("index_reduce", floats(3, 2), 0, exactly([0, 2, 0], "int64"), floats(3, 2), how,
                       include_self=own)),
    *(case for own in (True, False)
      for case in call("scatter_reduce", exactly([[0.0, 2.0, 0.0]]), 1, exactly([[0, 0, 1, 2]], "int64"),
                       exactly([[3.0, 0.0, 0.0, 5.0]]), "prod", include_self=own)),
    *call("nonzero_static", booleans(3, 4), size=4),
    *call("nonzero_static", integers(3, 4, high=2), size=20, fill_value=7),
    *call("nonzero_static", floats(requires_grad=False), size=2),
    *call("unravel_index", integers(2, 3, high=24), (2, 3, 4), forms="t"),
    *call("unravel_index", integers(3, high=5), 5, forms="t"),
    *call("fill", floats(2, 3), 2.5, forms="t"),
    *call("sum_to_size", floats(2, 3, 4), (3, 1), forms="x"),
    *call("sum_to_size", floats(2, 3), (2, 3), forms="x"),
    *call("pixel_unshuffle", floats(1, 2, 4, 6), 2, forms="t F"),
    *call("channel_shuffle", floats(1, 6, 2), 3, forms="t F"),
]  # fmt: skip

_LAYERS = [
    *call("embedding", floats(4, 3), integers(2, 2, high=4), 1, forms="t"),
    *call("batch_norm", floats(4, 3), floats(3), floats(3), None, None, True, 0.1, 1e-5, False, forms="t"),
    *call("instance_norm", floats(2, 3, 4), None, None, None, None, True, 0.1, 1e-5, False, forms="t"),
    *(case for reduction in (0, 1, 2) for case in [
        *call("binary_cross_entropy_with_logits", floats(4), floats(4, low=0.0, high=1.0), None, None, reduction,
              forms="t"),
        *call("kl_div", floats(3, 4), floats(3, 4, low=0.1), reduction, log_target=True, forms="t"),
        *call("hinge_embedding_loss", floats(4), exactly([1.0, -1.0, 1.0, -1.0], requires_grad=False), 1.0, reduction,
              forms="t"),
        *call("margin_ranking_loss", floats(4), floats(4), exactly([1.0, -1.0, 1.0, -1.0], requires_grad=False), 0.5,
              reduction, forms="t"),
        *call("cosine_embedding_loss", floats(3, 4), floats(3, 4), exactly([1.0, -1.0, 1.0], requires_grad=False), 0.1,
              reduction, forms="t"),
        *call("poisson_nll_loss", floats(4), floats(4, low=0.0, requires_grad=False), True, False, 1e-8, reduction,
              forms="t"),
        *call("triplet_margin_loss", floats(3, 4), floats(3, 4), floats(3, 4), reduction=reduction, forms="t"),
    ]),
    *call("dropout", floats(4), 0.0, True, forms="t"),
    *call("feature_alpha_dropout", floats(2, 3), 0.5, False, forms="t"),
]  # fmt: skip

CASES: list[Case] = [*_STACKS, *_CUTS, *_COPIES, *_REPLACING, *_LAYERS]


@scenarios(CASES)
def functions_in_place_return_their_argument(t: Any) -> Any:
    names = "abs_ ceil_ cos_ exp_ floor_ neg_ round_ sigmoid_ sin_ square_ tan_ tanh_ trunc_ zero_".split()
    results = []
    for name in names:
        x = t.tensor([0.5, -1.5])
        results.append((getattr(t, name)(x) is x, x))
    return results


@scenarios(CASES)
def python_functions_over_elements(t: Any) -> Any:
    x = t.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.t().apply_(lambda value: value * 2)
    y = t.zeros(2, 2)
    y.map_(x, lambda own, other: own + other)
    y.map2_(x, t.ones(2, 2), lambda own, first, second: own + first + second)
    return x, y


@scenarios(CASES)
def copies_do_not_share_memory(t: Any) -> Any:
    x = t.arange(6.0)
    copy = t.narrow_copy(x, 0, 1, 3)
    copy.zero_()
    return x, copy.is_contiguous(), t.diagonal_copy(x.view(2, 3)).is_contiguous()


@scenarios(CASES)
def names_of_results(t: Any) -> Any:
    x = t.tensor([3.0, 1.0, 2.0])
    results = [t.cummax(x, 0), t.cummin(x, 0), t.mode(x), t.nanmedian(x, 0), t.frexp(x), t.histogram(x, 2)]
    return [(type(result).__name__, result[0]) for result in results]


@scenarios(CASES)
def questions(t: Any) -> Any:
    x = t.tensor([1.0])
    return x.is_nonzero(), t.is_signed(t.tensor(1, dtype=t.uint8)), t.is_same_size(x, x), t.is_inference(x)


@scenarios(CASES)
def swapped_in_place(t: Any) -> Any:
    x = t.arange(6).reshape(2, 3)
    same = x.swapaxes_(0, 1) is x
    return same, x, x.swapdims_(-1, 0)
