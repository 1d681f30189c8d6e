"""Attention on a GPU beside float64 on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import cuda

F = lg.nn.functional


def gradients(q: Any, k: Any, v: Any, **options: Any) -> list[Any]:
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    out = F.scaled_dot_product_attention(*leaves, **options)
    return [out.detach(), *lg.autograd.grad((out * out).sum(), leaves)]


@pytest.mark.parametrize("width", [16, 64, 96, 128, 256])
@pytest.mark.parametrize("masking", ["none", "causal", "mask", "bias"])
def test_values_and_gradients(width: int, masking: str) -> None:
    operands = [lg.randn(2, 130, width), lg.randn(2, 150, width), lg.randn(2, 150, width)]
    options: dict[str, Any] = {"is_causal": masking == "causal"}
    if masking in ("mask", "bias"):
        bias = lg.randn(130, 150)
        options["attn_mask"] = bias > 0 if masking == "mask" else bias
    wide = {
        name: x.double() if isinstance(x, lg.Tensor) and x.is_floating_point() else x for name, x in options.items()
    }
    there = {name: x.cuda() if isinstance(x, lg.Tensor) else x for name, x in options.items()}
    wanted = gradients(*[x.double() for x in operands], **wide)
    found = gradients(*[x.cuda() for x in operands], **there)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours.cpu().numpy(), theirs.numpy(), rtol=1e-4, atol=1e-4)


def test_gradients_have_the_same_bits_in_every_run() -> None:
    operands = [lg.randn(4, 300, 64).cuda().realize() for _ in range(3)]
    runs = [[x.cpu().numpy() for x in gradients(*operands, is_causal=True)] for _ in range(3)]
    for run in runs[1:]:
        for one, other in zip(run, runs[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_long_sequences_store_no_scores(hardware: None) -> None:
    q, k, v = (lg.randn(4, 8192, 64).cuda().realize() for _ in range(3))
    cuda.reset_peak_memory_stats()
    before = cuda.memory_allocated()
    lg.realize_all(gradients(q, k, v, is_causal=True))
    assert cuda.max_memory_allocated() - before < 200 << 20, "scores of one item take 256 MiB"
