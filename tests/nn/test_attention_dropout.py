"""Attention of several heads with dropout: PyTorch's masks, call after call, recorded anew or from a trace."""

from __future__ import annotations

from typing import Any

import pytest

import lazygrad as lg
from tests.oracle.comparing import assert_close

pytestmark = pytest.mark.host_memory("the masks of other devices are drawn inside graphs, by Philox")

LAYERS: dict[str, dict[str, Any]] = {
    "rows": {},
    "batch first": {"batch_first": True},
    "keys added": {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
    "other sizes": {"kdim": 6, "vdim": 5, "batch_first": True},
}
CALLS: dict[str, dict[str, Any]] = {
    "weights": {},
    "no weights": {"need_weights": False},
    "every head's weights": {"average_attn_weights": False},
    "mask": {"attn_mask": "causal", "need_weights": False},
    "hint": {"attn_mask": "causal", "is_causal": True, "need_weights": False},
    "padding": {"key_padding_mask": "last"},
}


def steps(library: Any, layer: dict[str, Any], call: dict[str, Any], unbatched: bool) -> list[Any]:
    """Outputs, weights and a number drawn afterwards, of several calls."""
    library.manual_seed(5)
    attention = library.nn.MultiheadAttention(8, 2, dropout=0.4, **layer)
    rows, batch = 5, 3
    sizes = (rows,) if unbatched else (batch, rows) if layer.get("batch_first") else (rows, batch)
    query = library.randn(*sizes, 8)
    key = query if "kdim" not in layer else library.randn(*sizes, layer["kdim"])
    value = query if "kdim" not in layer else library.randn(*sizes, layer["vdim"])
    given = dict(call)
    if "attn_mask" in call:
        given["attn_mask"] = library.ones(rows, rows, dtype=library.bool).triu(1)
    if "key_padding_mask" in call:
        given["key_padding_mask"] = library.arange(rows).expand(*(() if unbatched else (batch,)), rows) > 3
    found = []
    for _ in range(4):
        output, weights = attention(query, key, value, **given)
        output.square().sum().backward()
        found += [output, weights, library.rand(2), attention.out_proj.weight.grad]
        attention.zero_grad()
    return [part.detach() for part in found if part is not None]


@pytest.mark.parametrize("unbatched", [False, True], ids=["batch", "one"])
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("layer", LAYERS)
def test_masks_are_pytorchs(layer: str, call: str, unbatched: bool, torch: Any) -> None:
    expected = steps(torch, LAYERS[layer], CALLS[call], unbatched)
    for ours, theirs in zip(steps(lg, LAYERS[layer], CALLS[call], unbatched), expected, strict=True):
        assert_close(ours, theirs)
