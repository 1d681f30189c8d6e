"""Fourier transforms, factorizations, systems and long sorts on a GPU beside the CPU.

Factors are unique up to signs, phases and order, so that they are compared by what they are factors of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad import cuda

L = lg.linalg
TOLERANCES = {lg.float32: 1e-3, lg.float64: 1e-9, lg.complex64: 1e-3, lg.complex128: 1e-9}
# One matrix, a batch, one of more rows than are taken at once, and a batch of them.
BATCHES = [(5,), (4, 5), (40,), (3, 40)]


def diagonal(values: Any, like: Any) -> Any:
    return lg.diag_embed(values).to(like.dtype)


def positive(x: Any) -> Any:
    return x @ x.mH + x.shape[-1] * lg.eye(x.shape[-1], dtype=x.dtype, device=x.device)


def from_lu(x: Any) -> Any:
    permutation, lower, upper = L.lu(x)
    return permutation @ lower @ upper


def from_svd(x: Any) -> Any:
    u, s, vh = L.svd(x[..., :3], full_matrices=False)
    return u @ diagonal(s, x) @ vh


def from_eigh(x: Any) -> Any:
    values, vectors = L.eigh(x + x.mH)
    return vectors @ diagonal(values, x) @ vectors.mH


def from_eig(x: Any) -> Any:
    values, vectors = L.eig(x)
    return vectors @ lg.diag_embed(values) - x.to(vectors.dtype) @ vectors


def from_qr(x: Any) -> list[Any]:
    modes = [L.qr(x[..., :3], mode=mode) for mode in ("reduced", "complete")]
    return [q @ r for q, r in modes] + [q.mH @ q for q, _ in modes]


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "fft": lambda x: (lg.fft.fftn(x), lg.fft.ifft(x, dim=-2, norm="ortho")),
    "real fft": lambda x: lg.fft.rfftn(x.real if x.dtype.is_complex else x, dim=(-1, -2)),
    "inverse of a real fft": lambda x: (lg.fft.irfftn(x), lg.fft.irfft(x, n=7, dim=-2)),
    "cholesky": lambda x: (L.cholesky(positive(x)), L.cholesky(positive(x), upper=True)),
    "lu": lambda x: (from_lu(x), from_lu(x[..., :3]), from_lu(x[..., :3, :])),
    "pivots": lambda x: L.lu_factor(x)[1],
    "solve": lambda x: (L.solve(positive(x), x), L.inv(positive(x)), L.solve(positive(x), x, left=False)),
    "determinant": lambda x: L.slogdet(x)[1],
    "triangles": lambda x: [
        L.solve_triangular(positive(x), x, upper=upper, unitriangular=False) for upper in (False, True)
    ],
    "qr": from_qr,
    "svd": lambda x: (from_svd(x), from_svd(x.mT), L.svdvals(x)),
    "eigh": lambda x: (from_eigh(x), L.eigvalsh(x + x.mH, UPLO="U")),
    "eig": from_eig,
    "least squares": lambda x: (
        L.lstsq(x[..., :3], x, driver="gels")[0],
        L.lstsq(x[..., :3, :], x[..., :3, :2], driver="gels")[0],
    ),
    "exponential": lambda x: L.matrix_exp(x / 4),
    "ldl": lambda x: L.ldl_solve(*L.ldl_factor(x + x.mT), x) if not x.dtype.is_complex else x,
}


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_the_cpu(name: str, dtype: Any) -> None:
    for batch in BATCHES:
        x = lg.randn(*batch, batch[-1], dtype=dtype, device="cpu")
        for ours, theirs in zip(_listed(PROGRAMS[name](x.cuda())), _listed(PROGRAMS[name](x)), strict=True):
            assert ours.is_cuda and ours.dtype is theirs.dtype
            found, wanted = ours.cpu().numpy(), theirs.numpy()
            assert np.abs(found - wanted).max() <= TOLERANCES[dtype] * max(np.abs(wanted).max(), 1), batch


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (list, tuple)) else [result]


@pytest.mark.parametrize(
    "program", [L.cholesky, L.inv, L.det, L.svdvals, L.eigvalsh, L.matrix_exp, lambda x: lg.fft.rfft(x).abs()]
)
def test_gradients_are_those_of_the_cpu(program: Callable[[Any], Any]) -> None:
    values = positive(lg.randn(3, 6, 6, dtype=lg.float64, device="cpu")) / 6

    def gradient(x: Any) -> np.ndarray:
        x = x.detach().requires_grad_()
        result = program(x)
        (found,) = lg.autograd.grad((result * result.detach().cos()).sum(), [x])
        array: np.ndarray = found.cpu().numpy()
        return array

    np.testing.assert_allclose(gradient(values.cuda()), gradient(values), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("count", [1, 3])
def test_matrices_that_are_refused(count: int) -> None:
    bad, singular = lg.tensor([[[1.0, 2.0], [2.0, 1.0]]] * count).cuda(), lg.ones(count, 2, 2).cuda()
    with pytest.raises(L.LinAlgError, match=r"linalg.cholesky: .*is not positive-definite"):
        L.cholesky(bad).realize()
    with pytest.raises(L.LinAlgError, match=r"linalg.inv: .*singular"):
        L.inv(singular).realize()
    with pytest.raises(L.LinAlgError, match=r"linalg.svd: The algorithm failed to converge"):
        L.svd(bad * float("nan"))[0].realize()
    assert L.cholesky_ex(bad).info.tolist() == [2] * count and L.inv_ex(singular).info.tolist() == [2] * count
    assert L.eigvalsh(bad * float("inf")).isnan().all().item() and L.eigvalsh(bad).shape == (count, 2)


def test_long_rows_are_sorted_as_on_the_cpu() -> None:
    x = (100 * lg.randn(3, 70_000, device="cpu")).round()
    x[0, ::97], x[1, 5], x[2, :9] = float("nan"), -float("inf"), -0.0
    for descending in (False, True):
        values, places = x.cuda().sort(1, descending=descending, stable=True)
        wanted, wanted_places = x.sort(1, descending=descending, stable=True)
        assert places.cpu().equal(wanted_places)
        np.testing.assert_array_equal(values.cpu().numpy(), wanted.numpy())


def test_a_repeated_plan_with_a_library_in_its_middle() -> None:
    """Its kernels are captured, the library is not; each run has its own operands."""

    @lg.compile
    def step(x: Any) -> Any:
        return lg.fft.rfft((x * 2).tanh()).abs().exp() + 1

    for _ in range(8):
        x = lg.randn(64, 64, device="cpu")
        np.testing.assert_allclose(step(x.cuda()).cpu().numpy(), step(x).numpy(), rtol=1e-3)


def test_a_library_works_on_the_chosen_stream() -> None:
    side, x = cuda.Stream(), positive(lg.randn(64, 64, dtype=lg.float64, device="cpu"))
    on_device = x.cuda()
    for _ in range(10):
        with cuda.stream(side):
            on_device = L.inv(on_device + 0)
    np.testing.assert_allclose(on_device.cpu().numpy(), x.numpy(), rtol=1e-6, atol=1e-6)
