"""Transforms against PyTorch's: both ways, Jacobians, shapes, caches, as text; and those that constraints are given."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad
from tests.oracle.comparing import assert_alike, error_class

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

Make = Callable[[Any, Any], Any]  # (framework, its distributions) -> transform

_VECTORS = [[-1.0, 0.3, 2.0], [0.1, 0.0, -0.7]]
_MATRICES = [[[-1.0, 0.3], [0.2, 0.5]], [[0.1, 0.0], [-0.7, 0.4]]]
_CASES: dict[str, tuple[Make, Any]] = {
    "Abs": (lambda t, d: d.AbsTransform(), _VECTORS),
    "Affine": (lambda t, d: d.AffineTransform(t.tensor([1.0, 2.0, 3.0]), t.tensor([-0.5, 2.0, 1.0])), _VECTORS),
    "Affine of numbers": (lambda t, d: d.AffineTransform(1.0, -2), _VECTORS),
    "Affine of vectors": (
        lambda t, d: d.AffineTransform(t.zeros(3), t.tensor([-0.5, 2.0, 1.0]), event_dim=1),
        _VECTORS,
    ),
    "Cat": (lambda t, d: d.CatTransform([d.ExpTransform(), d.TanhTransform()], dim=-1, lengths=[1, 2]), _VECTORS),
    "Cat of vectors": (
        lambda t, d: d.CatTransform([d.AffineTransform(0.0, 2.0, event_dim=1), d.ExpTransform()], dim=0),
        _VECTORS,
    ),
    "Compose": (lambda t, d: d.ComposeTransform([d.AffineTransform(0.1, 2.0), d.SigmoidTransform()]), _VECTORS),
    "Compose of vectors": (lambda t, d: d.ComposeTransform([d.ExpTransform(), d.AffineTransform(0, 1, 1)]), _VECTORS),
    "Compose of nothing": (lambda t, d: d.transforms.identity_transform, _VECTORS),
    "CorrCholesky": (lambda t, d: d.CorrCholeskyTransform(), _VECTORS),
    "CumulativeDistribution": (lambda t, d: d.CumulativeDistributionTransform(d.Normal(0.5, 2.0)), _VECTORS),
    "Exp": (lambda t, d: d.ExpTransform(), _VECTORS),
    "inverse of Exp": (lambda t, d: d.ExpTransform().inv, [[0.5, 2.0]]),
    "inverse of Compose": (
        lambda t, d: d.ComposeTransform([d.ExpTransform(), d.AffineTransform(0, 3)]).inv,
        [[0.5, 2.0]],
    ),
    "Independent": (lambda t, d: d.IndependentTransform(d.ExpTransform(), 1), _VECTORS),
    "LowerCholesky": (lambda t, d: d.LowerCholeskyTransform(), _MATRICES),
    "PositiveDefinite": (lambda t, d: d.PositiveDefiniteTransform(), _MATRICES),
    "Power": (lambda t, d: d.PowerTransform(t.tensor([2.0, -0.5, 1.5])), [[0.3, 1.0, 2.0]]),
    "Reshape": (lambda t, d: d.ReshapeTransform((3,), (3, 1)), _VECTORS),
    "Sigmoid": (lambda t, d: d.SigmoidTransform(), _VECTORS),
    "Softplus": (lambda t, d: d.SoftplusTransform(), _VECTORS),
    "Softmax": (lambda t, d: d.SoftmaxTransform(), _VECTORS),
    "Stack": (lambda t, d: d.StackTransform([d.ExpTransform(), d.SigmoidTransform()], dim=0), _VECTORS),
    "StickBreaking": (lambda t, d: d.StickBreakingTransform(), _VECTORS),
    "Tanh": (lambda t, d: d.TanhTransform(), _VECTORS),
}


def _attempt(function: Callable[[], Any]) -> Any:
    try:
        result = function()
    except (NotImplementedError, ValueError, RuntimeError, TypeError, AttributeError) as error:
        return error_class(error).__name__
    return list(result) if isinstance(result, tuple) else result


@pytest.mark.parametrize("name", _CASES)
def test_both_ways(name: str) -> None:
    make, values = _CASES[name]

    def program(t: Any) -> Any:
        transform = make(t, t.distributions)
        x = t.tensor(values, requires_grad=True)
        y = transform(x)
        results = {
            "y": y,
            "x": _attempt(lambda: transform.inv(y)),
            "jacobian": _attempt(lambda: transform.log_abs_det_jacobian(x, y)),
            "inverse jacobian": _attempt(lambda: transform.inv.log_abs_det_jacobian(y, x)),
            "gradient": t.autograd.grad((y * t.arange(y.numel()).reshape(y.shape)).sum(), [x], retain_graph=True),
            "sign": _attempt(lambda: transform.sign),
            "inverse shape": _attempt(lambda: transform.inverse_shape(t.Size((5, *y.shape)))),
            "forward shape": _attempt(lambda: transform.forward_shape(t.Size((5, *x.shape)))),
            "of no dimensions": _attempt(lambda: transform.forward_shape(t.Size(()))),
            "event_dim": _attempt(lambda: transform.event_dim),
            "bijective": transform.bijective,
            "domain": repr(transform.domain),
            "codomain": repr(transform.codomain),
            "in the codomain": _attempt(lambda: transform.codomain.check(y)),
            "repr": repr(transform),
            "equal": transform == make(t, t.distributions),
            "the inverse's inverse": transform.inv.inv is transform,
        }
        if not isinstance(results["jacobian"], str) and results["jacobian"].requires_grad:
            results["jacobian's gradient"] = t.autograd.grad(results["jacobian"].sum(), [x])
        return results

    assert_alike(program, torch, lazygrad, 20)


@pytest.mark.parametrize("name", _CASES)
def test_with_a_cache_the_inverse_of_a_value_is_its_argument(name: str) -> None:
    make, values = _CASES[name]
    transform = make(lazygrad, lazygrad.distributions).with_cache(1)
    x = lazygrad.tensor(values)
    assert transform.inv(transform(x)) is x
    assert transform.with_cache(1) is transform


@pytest.mark.parametrize("name", ["Exp", "Affine of numbers", "StickBreaking", "Independent"])
def test_a_transform_is_pickled(name: str) -> None:
    transform = _CASES[name][0](lazygrad, lazygrad.distributions)
    assert transform.inv.inv is transform
    x = lazygrad.tensor(_CASES[name][1])
    assert pickle.loads(pickle.dumps(transform))(x).equal(transform(x))


_CONSTRAINTS: dict[str, Make] = {
    "real": lambda t, c: c.real,
    "real_vector": lambda t, c: c.real_vector,
    "positive": lambda t, c: c.positive,
    "nonnegative": lambda t, c: c.nonnegative,
    "greater_than": lambda t, c: c.greater_than(t.tensor([1.0, -1.0])),
    "less_than": lambda t, c: c.less_than(2.0),
    "interval": lambda t, c: c.interval(-1.0, 2.5),
    "half_open_interval": lambda t, c: c.half_open_interval(-1.0, 2.5),
    "unit_interval": lambda t, c: c.unit_interval,
    "simplex": lambda t, c: c.simplex,
    "corr_cholesky": lambda t, c: c.corr_cholesky,
    "lower_cholesky": lambda t, c: c.lower_cholesky,
    "positive_definite": lambda t, c: c.positive_definite,
    "positive_semidefinite": lambda t, c: c.positive_semidefinite,
    "cat": lambda t, c: c.cat([c.positive, c.unit_interval], dim=-1, lengths=[1, 1]),
    "stack": lambda t, c: c.stack([c.positive, c.real], dim=0),
    "boolean": lambda t, c: c.boolean,
}


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("name", _CONSTRAINTS)
def test_transforms_onto_constraints(registry: str, name: str) -> None:
    def program(t: Any) -> Any:
        constraint = _CONSTRAINTS[name](t, t.distributions.constraints)
        transform = _attempt(lambda: getattr(t.distributions, registry)(constraint))
        if isinstance(transform, str):
            return transform
        x = t.ones(2, 3) * 0.3 if name == "corr_cholesky" else t.linspace(-1.0, 2.0, 8).reshape(2, 2, 2)
        y = transform(x)
        return y, constraint.check(y), transform.inv(y), _text(transform)

    assert_alike(program, torch, lazygrad, 20)


def _text(transform: Any) -> str:
    return repr(transform).replace("torch.", "lazygrad.")


_CHECKED: dict[str, tuple[Make, Any]] = {
    "boolean": (lambda t, c: c.boolean, [0.0, 1.0, 0.5]),
    "cat": (lambda t, c: c.cat([c.positive, c.boolean], dim=-1, lengths=[2, 1]), [[1.0, -1.0, 1.0]]),
    "stack": (lambda t, c: c.stack([c.positive, c.boolean], dim=-1), [[1.0, 0.5], [-1.0, 1.0]]),
    "corr_cholesky": (lambda t, c: c.corr_cholesky, [[[1.0, 0.0], [0.6, 0.8]], [[1.0, 0.0], [0.6, 0.7]]]),
    "greater_than": (lambda t, c: c.greater_than(1), [0.0, 1.0, 2.0]),
    "greater_than_eq": (lambda t, c: c.greater_than_eq(1), [0.0, 1.0, 2.0]),
    "half_open_interval": (lambda t, c: c.half_open_interval(0, 2.0), [-1.0, 0.0, 2.0]),
    "independent": (lambda t, c: c.independent(c.positive, 1), [[0.5, 1.0], [-0.5, 1.0]]),
    "integer_interval": (lambda t, c: c.integer_interval(0, 2), [0.0, 0.5, 2.0, 3.0]),
    "interval": (lambda t, c: c.interval(0, t.tensor([2.0, 3.0])), [[-1.0, 0.0], [2.5, 2.5]]),
    "less_than": (lambda t, c: c.less_than(1), [0.0, 1.0, 2.0]),
    "lower_cholesky": (lambda t, c: c.lower_cholesky, [[[1.0, 0.0], [2.0, 3.0]], [[1.0, 0.1], [2.0, -3.0]]]),
    "lower_triangular": (lambda t, c: c.lower_triangular, [[[1.0, 0.0], [2.0, -3.0]], [[1.0, 0.1], [2.0, 3.0]]]),
    "multinomial": (lambda t, c: c.multinomial(3), [[1.0, 2.0], [2.0, 2.0], [-1.0, 1.0]]),
    "nonnegative": (lambda t, c: c.nonnegative, [-1.0, 0.0, float("nan")]),
    "nonnegative_integer": (lambda t, c: c.nonnegative_integer, [-1.0, 0.0, 0.5]),
    "one_hot": (lambda t, c: c.one_hot, [[0.0, 1.0], [1.0, 1.0], [0.5, 0.5]]),
    "positive": (lambda t, c: c.positive, [-1.0, 0.0, 3.0]),
    "positive_definite": (lambda t, c: c.positive_definite, [[[1.0, 0.5], [0.5, 1.0]], [[1.0, 2.0], [2.0, 1.0]]]),
    "positive_integer": (lambda t, c: c.positive_integer, [0.0, 1.0, 1.5]),
    "positive_semidefinite": (
        lambda t, c: c.positive_semidefinite,
        [[[1.0, 0.5], [0.5, 1.0]], [[1.0, 2.0], [2.0, 1.0]]],
    ),
    "positive_semidefinite of one not symmetric": (lambda t, c: c.positive_semidefinite, [[[1.0, 0.5], [0.4, 1.0]]]),
    "real": (lambda t, c: c.real, [float("nan"), float("inf"), 0.0]),
    "simplex": (lambda t, c: c.simplex, [[0.5, 0.5], [0.5, 0.6], [-0.5, 1.5]]),
    "square": (lambda t, c: c.square, [[[1.0, 2.0]]]),
    "symmetric": (lambda t, c: c.symmetric, [[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [2.1, 1.0]]]),
    "symmetric of no square": (lambda t, c: c.symmetric, [[[1.0, 2.0]]]),
}


@pytest.mark.parametrize("name", _CHECKED)
def test_constraints(name: str) -> None:
    make, values = _CHECKED[name]

    def program(t: Any) -> Any:
        constraint = make(t, t.distributions.constraints)
        return constraint.check(t.tensor(values)), repr(constraint), constraint.is_discrete, constraint.event_dim

    assert_alike(program, torch, lazygrad)


def test_dependent_constraints_say_what_is_known_of_their_class() -> None:
    def program(t: Any) -> Any:
        d, constraints = t.distributions, t.distributions.constraints
        support, other = d.Uniform.support, constraints.dependent(is_discrete=True)
        return [
            constraints.is_dependent(support), support.is_discrete, support.event_dim, other.is_discrete,
            _attempt(lambda: other.event_dim), _attempt(lambda: other.check(t.ones(2))),
            constraints.is_dependent(constraints.real), constraints.is_dependent(constraints.dependent),
            constraints.is_dependent(d.MixtureSameFamily.support),
        ]  # fmt: skip

    assert_alike(program, torch, lazygrad)
