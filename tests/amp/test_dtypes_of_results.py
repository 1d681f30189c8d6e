"""The dtype that each function computes in under autocast on the CPU is PyTorch's, for operands of each dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch", reason="torch is the oracle of these tests, and is not installed")

DTYPES = ("float32", "bfloat16", "float16", "float64")
Case = Callable[[Any], Any]


class Operands:
    """Ones of a dtype; ``lib`` is the library that they are of."""

    def __init__(self, lib: Any, dtype: str) -> None:
        self.lib, self.F, self.dtype = lib, lib.nn.functional, getattr(lib, dtype)

    def __call__(self, *shape: int) -> Any:
        return self.lib.ones(*shape).to(self.dtype)

    def single(self, *shape: int) -> Any:
        return self.lib.ones(*shape)

    def whole(self, *shape: int) -> Any:
        return self.lib.ones(*shape, dtype=self.lib.int64)

    def layer(self, layer: Any) -> Any:
        return layer.to(self.dtype)


CASES: dict[str, Case] = {
    "cross_entropy": lambda x: x.F.cross_entropy(x(2, 3), x.whole(2)),
    "nll_loss": lambda x: x.F.nll_loss(x(2, 3), x.whole(2)),
    "mse_loss": lambda x: x.F.mse_loss(x(2, 3), x(2, 3)),
    "l1_loss": lambda x: x.F.l1_loss(x(2, 3), x(2, 3)),
    "binary_cross_entropy_with_logits": lambda x: x.F.binary_cross_entropy_with_logits(x(2, 3), x(2, 3)),
    "binary_cross_entropy": lambda x: x.F.binary_cross_entropy(x(2, 3), x(2, 3)),
    "kl_div": lambda x: x.F.kl_div(x(2, 3), x(2, 3)),
    "huber_loss": lambda x: x.F.huber_loss(x(2, 3), x(2, 3)),
    "smooth_l1_loss": lambda x: x.F.smooth_l1_loss(x(2, 3), x(2, 3)),
    "ctc_loss": lambda x: x.F.ctc_loss(
        x(5, 2, 4).log_softmax(2), x.whole(2, 2), x.lib.tensor([5, 5]), x.lib.tensor([2, 2])
    ),
    "poisson_nll_loss": lambda x: x.F.poisson_nll_loss(x(2, 3), x(2, 3)),
    "triplet_margin_loss": lambda x: x.F.triplet_margin_loss(x(2, 3), x(2, 3), x(2, 3)),
    "cosine_embedding_loss": lambda x: x.F.cosine_embedding_loss(x(2, 3), x(2, 3), x.lib.tensor([1, -1])),
    "hinge_embedding_loss": lambda x: x.F.hinge_embedding_loss(x(2, 3), x(2, 3)),
    "margin_ranking_loss": lambda x: x.F.margin_ranking_loss(x(3), x(3), x(3)),
    "soft_margin": lambda x: x.F.soft_margin_loss(x(3), x(3)),
    "multi_margin": lambda x: x.F.multi_margin_loss(x(2, 3), x.whole(2)),
    "multilabel_margin_loss": lambda x: x.F.multilabel_margin_loss(x(2, 3), x.whole(2, 3)),
    "grid_sample": lambda x: x.F.grid_sample(x(1, 1, 3, 3), x(1, 2, 2, 2)),
    "prod": lambda x: x(3).prod(),
    "prod of columns": lambda x: x(3, 2).prod(0),
    "einsum": lambda x: x.lib.einsum("ij,jk->ik", x(2, 3), x(3, 2)),
    "tensordot": lambda x: x.lib.tensordot(x(2, 3), x(3, 2), 1),
    "inner": lambda x: x.lib.inner(x(2, 3), x(2, 3)),
    "outer": lambda x: x.lib.outer(x(2), x(2)),
    "cdist": lambda x: x.lib.cdist(x(2, 3), x(2, 3)),
    "mm": lambda x: x(2, 3) @ x(3, 2),
    "mv": lambda x: x.lib.mv(x(2, 3), x(3)),
    "dot": lambda x: x.lib.dot(x(3), x(3)),
    "bmm": lambda x: x.lib.bmm(x(1, 2, 3), x(1, 3, 2)),
    "baddbmm": lambda x: x.lib.baddbmm(x(1, 2, 2), x(1, 2, 3), x(1, 3, 2)),
    "addmm": lambda x: x.lib.addmm(x(2, 2), x(2, 3), x(3, 2)),
    "addbmm": lambda x: x.lib.addbmm(x(2, 2), x(1, 2, 3), x(1, 3, 2)),
    "addmv": lambda x: x.lib.addmv(x(2), x(2, 3), x(3)),
    "linear": lambda x: x.F.linear(x(2, 3), x(4, 3)),
    "conv1d": lambda x: x.F.conv1d(x(1, 2, 5), x(3, 2, 3)),
    "conv2d": lambda x: x.F.conv2d(x(1, 2, 5, 5), x(3, 2, 3, 3)),
    "conv_transpose2d": lambda x: x.F.conv_transpose2d(x(1, 2, 5, 5), x(2, 3, 3, 3)),
    "scaled_dot_product_attention": lambda x: x.F.scaled_dot_product_attention(
        x(1, 2, 5, 4), x(1, 2, 5, 4), x(1, 2, 5, 4)
    ),
    "softmax": lambda x: x(2, 3).softmax(1),
    "log_softmax": lambda x: x(2, 3).log_softmax(1),
    "layer_norm": lambda x: x.F.layer_norm(x(2, 3), (3,)),
    "batch_norm": lambda x: x.F.batch_norm(x(2, 3), None, None, training=True),
    "gelu": lambda x: x.F.gelu(x(2, 3)),
    "pow": lambda x: x(3) ** 2.5,
    "linalg_norm": lambda x: x.lib.linalg.norm(x(3, 3)),
    "vector_norm": lambda x: x.lib.linalg.vector_norm(x(3, 3)),
    "inv": lambda x: x.lib.linalg.inv(x.lib.eye(3).to(x.dtype)),
    "interpolate": lambda x: x.F.interpolate(x(1, 1, 3, 3), scale_factor=2, mode="bilinear"),
    "avg_pool2d": lambda x: x.F.avg_pool2d(x(1, 1, 4, 4), 2),
    "avg_pool3d": lambda x: x.F.avg_pool3d(x(1, 1, 4, 4, 4), 2),
    "adaptive_avg_pool3d": lambda x: x.F.adaptive_avg_pool3d(x(1, 1, 4, 4, 4), 2),
    "max_pool2d": lambda x: x.F.max_pool2d(x(1, 1, 4, 4), 2),
    "gru cell": lambda x: x.layer(x.lib.nn.GRUCell(3, 4))(x(1, 3)),
    "multi-head attention": lambda x: x.layer(x.lib.nn.MultiheadAttention(4, 2))(x(2, 1, 4), x(2, 1, 4), x(2, 1, 4))[0],
    "bilinear": lambda x: x.layer(x.lib.nn.Bilinear(3, 3, 2))(x(1, 3), x(1, 3)),
    "multi_dot": lambda x: x.lib.linalg.multi_dot([x(2, 3), x(3, 2), x(2, 2)]),
    "fft": lambda x: x.lib.fft.fft(x(4)),
    "stft": lambda x: x.lib.stft(x(32), 8, return_complex=True),
    "quantile": lambda x: x.lib.quantile(x(4), 0.5),
    "trapezoid": lambda x: x.lib.trapezoid(x(4)),
    "cross": lambda x: x.lib.linalg.cross(x(3), x(3)),
    "cosine_similarity": lambda x: x.F.cosine_similarity(x(2, 3), x(2, 3)),
    "pdist": lambda x: x.F.pdist(x(2, 3)),
    "pairwise_distance": lambda x: x.F.pairwise_distance(x(2, 3), x(2, 3)),
}
for _name in ("exp log sqrt rsqrt sin tanh sigmoid sum prod mean var std norm erfinv").split():
    CASES[_name] = lambda x, name=_name: getattr(x(3), name)()
for _name in ("cumsum", "cumprod", "logsumexp", "prod"):
    CASES[f"{_name} along"] = lambda x, name=_name: getattr(x(3), name)(0)


def _found(lib: Any, case: Case, dtype: str, lower: str) -> str:
    """The dtype of a result, or the class of an error."""
    try:
        with lib.autocast("cpu", getattr(lib, lower)):
            return _named(case(Operands(lib, dtype)))
    except (RuntimeError, NotImplementedError, ValueError) as error:
        return type(error).__name__


def _named(result: Any) -> str:
    return str(result.dtype).rpartition(".")[2]


@pytest.mark.parametrize("lower", ["bfloat16", "float16"])
@pytest.mark.parametrize("name", CASES)
def test_the_dtype_of_results(name: str, lower: str) -> None:
    for dtype in DTYPES:
        assert _found(lg, CASES[name], dtype, lower) == _found(torch, CASES[name], dtype, lower), dtype


FEW = ("cross_entropy", "mse_loss", "prod", "einsum", "cdist", "grid_sample", "linear", "softmax")


@pytest.mark.parametrize("name", FEW)
def test_nested_without_gradients_and_compiled(name: str) -> None:
    found = []
    for lib in (lg, torch):
        x, case = Operands(lib, "bfloat16"), CASES[name]
        with lib.no_grad(), lib.autocast("cpu", lib.bfloat16):
            inside = [_named(case(x))]
            with lib.autocast("cpu", enabled=False):
                inside.append(_named(case(x)) if name != "cdist" else "")
                with lib.autocast("cpu", lib.float16):
                    inside.append(_named(case(x)))
            inside.append(_named(case(x)))
        found.append(inside)
    assert found[0] == found[1]
    compiled = lg.compile(lambda: CASES[name](Operands(lg, "bfloat16")))
    for _ in range(3):
        with lg.autocast("cpu", lg.bfloat16):
            assert _named(compiled()) == found[1][0]


def test_gradients_come_in_the_operands_dtype() -> None:
    found = []
    for lib in (lg, torch):
        x = lib.ones(2, 3).to(lib.bfloat16).requires_grad_()
        with lib.autocast("cpu", lib.bfloat16):
            loss = lib.nn.functional.cross_entropy(x, lib.tensor([0, 2]))
        loss.backward()
        found.append((_named(loss), _named(x.grad), x.grad.tolist()))
    assert found[0] == found[1]
