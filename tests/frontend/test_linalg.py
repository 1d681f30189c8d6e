"""Linear algebra beyond values: results up to sign and phase, lazy errors, infos, higher derivatives, one call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazygrad as lg
from lazygrad.runtime.realize import unfused
from tests.frontend.texts import without_device
from tests.oracle.comparing import assert_alike, assert_close, dtype_name

DTYPES = ("float32", "float64", "complex64", "complex128")
SHAPES = ((3, 3), (4, 2), (2, 4), (2, 3, 3), (3, 1, 2, 4), (0, 3, 3))


def random(shape: tuple[int, ...], dtype: str = "float64", seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng([seed, *shape])
    real = generator.standard_normal(shape)
    return (real + 1j * generator.standard_normal(shape) if "complex" in dtype else real).astype(dtype)


def assert_near(actual: Any, expected: np.ndarray) -> None:
    """The double precision dtypes to eleven digits, the others to four."""
    slack = 1.0 if dtype_name(actual.dtype) in ("float64", "complex128") else 10.0
    assert_close(actual, lg.tensor(expected, dtype=actual.dtype), slack)


def identity(x: Any) -> np.ndarray:
    size = x.shape[-1]
    return np.broadcast_to(np.eye(size), (*x.shape[:-2], size, size))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd_is_a_decomposition(shape: tuple[int, ...], dtype: str) -> None:
    a = random(shape, dtype)
    for full in (True, False):
        left, values, right = lg.linalg.svd(lg.tensor(a), full_matrices=full)
        count = min(shape[-2:])
        assert values.dtype is lg.tensor(a).dtype.to_real()
        assert_near((left[..., :count] * values.unsqueeze(-2)) @ right[..., :count, :], a)
        assert_near(left.mH @ left, identity(left))
        assert_near(right @ right.mH, identity(right.mH))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_is_a_decomposition(shape: tuple[int, ...], dtype: str) -> None:
    a = random(shape, dtype)
    for mode in ("reduced", "complete"):
        q, r = lg.linalg.qr(lg.tensor(a), mode)
        assert_near(q @ r, a)
        assert_near(q.mH @ q, identity(q))
        assert_near(r.tril(-1), np.zeros(r.shape))
    reflectors, tau = lg.geqrf(lg.tensor(a))
    whole = lg.ormqr(reflectors, tau, lg.tensor(a), left=True, transpose=True)
    assert_near(whole.tril(-1), np.zeros(a.shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("batch", [(), (2,), (0,), (2, 3)])
def test_eigenvectors_belong_to_their_eigenvalues(dtype: str, batch: tuple[int, ...]) -> None:
    a = random((*batch, 4, 4), dtype)
    hermitian = a + a.conj().swapaxes(-2, -1)
    for uplo in "LU":
        read = np.tril(hermitian) if uplo == "L" else np.triu(hermitian)
        values, vectors = lg.linalg.eigh(lg.tensor(read), uplo)
        assert_near((vectors * values.unsqueeze(-2)) @ vectors.mH, hermitian)
        assert_near(lg.linalg.eigvalsh(lg.tensor(read), uplo), values.numpy())
    values, vectors = lg.linalg.eig(lg.tensor(a))
    assert_near(lg.tensor(a).to(vectors.dtype) @ vectors, (vectors * values.unsqueeze(-2)).numpy())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", [False, True])
def test_ldl_solves(dtype: str, hermitian: bool) -> None:
    a = random((2, 3, 3), dtype)
    a = a + (a.conj() if hermitian else a).swapaxes(-2, -1)
    b = random((2, 3, 2), dtype)
    factors = lg.linalg.ldl_factor(lg.tensor(a), hermitian=hermitian)
    assert_near(lg.tensor(a) @ lg.linalg.ldl_solve(*factors, lg.tensor(b), hermitian=hermitian), b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_lu_solve_from_both_sides(dtype: str, left: bool, adjoint: bool) -> None:
    a, b = lg.tensor(random((2, 3, 3), dtype)), lg.tensor(random((2, 3, 3), dtype, 1))
    x = lg.linalg.lu_solve(*lg.linalg.lu_factor(a), b, left=left, adjoint=adjoint)
    matrix = a.mH if adjoint else a
    assert_near(matrix @ x if left else x @ matrix, b.numpy())
    p, lower, upper = lg.lu_unpack(*lg.linalg.lu_factor(a))
    assert_near(p @ lower @ upper, a.numpy())


def test_views_of_memory_are_read_where_they_lie() -> None:
    x = lg.tensor(random((4, 6)))
    part = x.t()[1:4, ::1][:, 1:4]
    assert not part.is_contiguous()
    expected = part.numpy()
    assert_near(lg.linalg.inv(part), np.linalg.inv(expected))
    assert_near(lg.linalg.svdvals(x[::2]), np.linalg.svd(x[::2].numpy(), compute_uv=False))
    assert_near(lg.linalg.solve_triangular(part, part.flip(0), upper=True),
                np.linalg.solve(np.triu(expected), expected[::-1]))  # fmt: skip


# What shows only when values are computed.


def test_an_error_comes_with_the_value() -> None:
    singular = lg.linalg.inv(lg.zeros(2, 2))
    assert singular.shape == (2, 2)
    with pytest.raises(lg.linalg.LinAlgError, match=r"linalg\.inv"):
        singular.tolist()


def test_an_error_names_the_matrix_of_the_batch() -> None:
    batch = lg.stack([lg.eye(2), lg.ones(2, 2), lg.eye(2)])
    with pytest.raises(lg.linalg.LinAlgError, match="element 1"):
        lg.linalg.cholesky(batch).tolist()
    with pytest.raises(RuntimeError, match=r"linalg\.solve"):
        lg.linalg.solve(batch, lg.ones(2)).tolist()


def test_info_says_what_an_error_would() -> None:
    batch = lg.stack([lg.eye(2), lg.ones(2, 2)])
    infos = [
        lg.linalg.cholesky_ex(batch).info,
        lg.linalg.inv_ex(batch).info,
        lg.linalg.lu_factor_ex(batch).info,
        lg.linalg.solve_ex(batch, lg.ones(2, 2, 1)).info,
        lg.linalg.ldl_factor_ex(batch).info,
    ]
    assert [info.tolist() for info in infos] == [[0, 2]] * 5
    assert all(info.dtype is lg.int32 for info in infos)


def test_numbers_that_are_not_finite() -> None:
    spoiled = lg.tensor([[1.0, float("nan")], [0.0, 1.0]])
    for function in (lambda x: lg.linalg.svd(x).S, lg.linalg.svdvals, lg.linalg.eigvals):
        with pytest.raises(RuntimeError, match=r"finite|infs or NaNs"):
            function(spoiled).tolist()
    assert lg.linalg.eigvalsh(spoiled.t()).isnan().all()


def test_results_print_with_their_names() -> None:
    text = without_device(repr(lg.linalg.slogdet(lg.eye(2))))
    assert text.startswith("lazygrad.return_types.linalg_slogdet(\nsign=tensor(1.)")
    assert lg.linalg.svd(lg.eye(2)).Vh.shape == (2, 2)
    assert lg.svd(lg.eye(2)).V.shape == (2, 2)


# Derivatives.


def _second(t: Any, function: Callable[[Any], Any], values: np.ndarray) -> Any:
    """The gradient of a weighted sum of the gradient."""
    x = t.tensor(values, requires_grad=True)
    (first,) = t.autograd.grad(function(x), x, create_graph=True)
    weights = t.tensor(random(values.shape, seed=7))
    (second,) = t.autograd.grad((first * weights).sum(), x)
    return second


@pytest.mark.parametrize(
    "function",
    [
        lambda t, x: t.linalg.det(x),
        lambda t, x: t.linalg.slogdet(x)[1],
        lambda t, x: t.linalg.inv(x).sum(),
        lambda t, x: t.linalg.cholesky(x @ x.mT + 2 * t.eye(3, dtype=x.dtype)).sum(),
        lambda t, x: t.linalg.svdvals(x).prod(),
        lambda t, x: (t.linalg.svd(x).U[..., 0] ** 2).cumsum(-1).sum(),
        lambda t, x: (t.linalg.eigh(x + x.mT).eigenvectors[..., 0] ** 4).sum(),
        lambda t, x: t.linalg.qr(x).R.abs().sum(),
        lambda t, x: t.linalg.matrix_exp(x / 3).sum(),
        lambda t, x: t.linalg.lu_factor(x).LU.sum(),
        lambda t, x: t.linalg.pinv(x[..., :2]).sum(),
        lambda t, x: t.linalg.solve_triangular(x, x.flip(-1), upper=True).sum(),
        lambda t, x: t.linalg.eigvals(x).abs().sum(),
        lambda t, x: t.linalg.matrix_norm(x, "nuc"),
    ],
)
def test_second_derivatives_are_torchs(torch: Any, function: Callable[[Any, Any], Any]) -> None:
    values = random((3, 3)) + np.diag([3.0, 5.0, 8.0])
    assert_alike(lambda t: _second(t, lambda x: function(t, x), values), torch, lg, slack=100.0)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_the_determinant_of_a_singular_matrix_has_a_gradient(rank: int) -> None:
    values = random((3, rank)) @ random((rank, 3), seed=1)
    x = lg.tensor(values, requires_grad=True)
    lg.linalg.det(x).backward()
    minors = np.array([[(-1) ** (i + j) * np.linalg.det(np.delete(np.delete(values, i, 0), j, 1)) for j in range(3)]
                       for i in range(3)])  # fmt: skip
    assert_near(x.grad, minors)


def test_singular_values_that_repeat_have_a_gradient() -> None:
    for values in (lg.linalg.svdvals, lambda x: lg.linalg.svd(x).S, lambda x: lg.linalg.matrix_norm(x, "nuc")):
        x = lg.eye(3, dtype=lg.float64, requires_grad=True)
        values(x).sum().backward()
        assert_near(x.grad, np.eye(3))


def test_what_is_not_determined_has_no_derivative() -> None:
    x = lg.tensor(random((3, 2)), requires_grad=True)
    for result in (lg.linalg.qr(x, "complete").Q, lg.linalg.qr(x, "r").R, lg.geqrf(x).a):
        with pytest.raises(NotImplementedError):
            lg.autograd.grad(result.sum(), x)[0].tolist()


# How much is computed.


def test_all_parts_come_from_one_factorization() -> None:
    x = lg.randn(4, 4)
    for name in ("svd", "eigh", "lu", "qr"):
        parts = getattr(lg.linalg, name)(x)
        assert _count(name, sum((part.sum() for part in parts[1:]), parts[0].sum())) == 1


def _count(name: str, result: Any) -> int:
    """How many library calls of this name a result takes."""
    return sum(node.op.name == name for node in lg.stages(result).primitive.value.nodes)


def test_a_gradient_uses_the_factorization_of_the_value() -> None:
    a, b = lg.randn(4, 4, requires_grad=True), lg.randn(4, requires_grad=True)
    value = lg.linalg.solve(a, b).sum() + lg.linalg.det(a)
    into_a, into_b = lg.autograd.grad(value, (a, b))
    assert _count("lu", value + into_a.sum() + into_b.sum()) == 2  # with and without the check


# Iterative and randomized methods.


def test_low_rank_approximations_find_a_low_rank() -> None:
    exact = random((2, 12, 3)) @ random((2, 3, 9), seed=1)
    for a in (exact, exact.swapaxes(-2, -1).copy()):
        left, values, right = lg.svd_lowrank(lg.tensor(a), q=5)
        assert_near((left * values.unsqueeze(-2)) @ right.mH, a)
        left, values, right = lg.pca_lowrank(lg.tensor(a), q=3)
        centered = a - a.mean(-2, keepdims=True)
        assert_near((left * values.unsqueeze(-2)) @ right.mH, centered)


def test_fused_and_unfused_agree() -> None:
    a = lg.tensor(random((3, 3)), requires_grad=True)

    def gradient() -> lg.Tensor:
        (found,) = lg.autograd.grad((lg.linalg.svd(a).U ** 2).cumsum(0).sum() + lg.linalg.det(a), a)
        return found.realize()

    with unfused():
        expected = gradient()
    assert_close(gradient(), expected, slack=0.1)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("batch", [(), (2,)])
@pytest.mark.parametrize("generalized", [True, False])
def test_lobpcg_finds_extreme_eigenvalues(batch: tuple[int, ...], largest: bool, generalized: bool) -> None:
    x, y = random((*batch, 12, 12)), random((*batch, 12, 12), seed=1)
    a, b = x @ x.swapaxes(-2, -1), y @ y.swapaxes(-2, -1) + 6 * np.eye(12)
    lg.manual_seed(0)
    values, vectors = lg.lobpcg(lg.tensor(a), 3, lg.tensor(b) if generalized else None, largest=largest, tol=1e-10)
    metric = b if generalized else np.broadcast_to(np.eye(12), b.shape)
    expected = np.sort(np.linalg.eigvals(np.linalg.solve(metric, a)).real, axis=-1)
    np.testing.assert_allclose(values.numpy(), (expected[..., ::-1] if largest else expected)[..., :3], rtol=1e-6)
    np.testing.assert_allclose(a @ vectors.numpy(), metric @ vectors.numpy() * values.numpy()[..., None, :], atol=1e-5)


def test_lobpcg_has_the_gradient_of_eigh(torch: Any) -> None:
    x = random((12, 12))
    a = lg.tensor(x + x.T, requires_grad=True)
    lg.manual_seed(0)
    values, vectors = lg.lobpcg(a, 2, tol=1e-12)
    (found,) = lg.autograd.grad((values * lg.tensor([1.0, 2.0])).sum() + (vectors**4).sum(), a)
    b = torch.tensor(x + x.T, requires_grad=True)
    every, of_every = torch.linalg.eigh(b)
    value = (every.flip(-1)[:2] * torch.tensor([1.0, 2.0])).sum() + (of_every[:, -2:] ** 4).sum()
    (expected,) = torch.autograd.grad(value, b)
    symmetric = (found + found.mT) / 2
    assert_close(symmetric, expected, slack=1000.0)


def test_lobpcg_needs_room() -> None:
    with pytest.raises(ValueError, match="3 x"):
        lg.lobpcg(lg.eye(5), 2)
