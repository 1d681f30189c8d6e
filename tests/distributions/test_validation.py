"""What is refused: with PyTorch's words where the data is there, when it is computed where it is pending."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import lazygrad as lg
from lazygrad.distributions import Bernoulli, Categorical, Distribution, LogNormal, MultivariateNormal, Normal, Uniform

torch = pytest.importorskip("torch", reason="torch, the oracle of these tests, is not installed")

Refused = Callable[[Any, Any], Any]  # (framework, its distributions)

_REFUSED: dict[str, Refused] = {
    "Normal": lambda t, d: d.Normal(t.tensor([0.0, 1.0]), t.tensor([1.0, -1.0])),
    "Normal of numbers": lambda t, d: d.Normal(0.0, -1.0),
    "Normal of NaN": lambda t, d: d.Normal(float("nan"), 1.0),
    "Normal of text": lambda t, d: d.Normal("0", 1.0),
    "Normal of ones": lambda t, d: d.Normal(t.zeros(3), -t.ones(3)),
    "Uniform": lambda t, d: d.Uniform(t.tensor([0.0, 2.0]), t.tensor([1.0, 1.0])),
    "Bernoulli": lambda t, d: d.Bernoulli(t.tensor([0.5, 1.5])),
    "Bernoulli of both": lambda t, d: d.Bernoulli(0.5, 0.5),
    "Bernoulli of nothing": lambda t, d: d.Bernoulli(),
    "Beta": lambda t, d: d.Beta(t.tensor([1.0, -1.0]), 1.0),
    "Binomial": lambda t, d: d.Binomial(t.tensor([1.5]), t.tensor([0.5])),
    "Categorical": lambda t, d: d.Categorical(t.tensor([[0.5, 0.5], [-1.0, 3.0]])),
    "Categorical of a number": lambda t, d: d.Categorical(t.tensor(0.5)),
    "Chi2": lambda t, d: d.Chi2(-2.0),
    "ContinuousBernoulli": lambda t, d: d.ContinuousBernoulli(1.5, validate_args=True),
    "Dirichlet": lambda t, d: d.Dirichlet(t.tensor([1.0, 0.0])),
    "Geometric": lambda t, d: d.Geometric(t.tensor([0.0, 0.5])),
    "Gumbel": lambda t, d: d.Gumbel(0.0, t.tensor([1.0, -1.0])),
    "HalfNormal": lambda t, d: d.HalfNormal(t.tensor([1.0, -1.0])),
    "Independent": lambda t, d: d.Independent(d.Normal(0.0, 1.0), 1),
    "LKJCholesky": lambda t, d: d.LKJCholesky(1),
    "LogNormal": lambda t, d: d.LogNormal(0.0, -1.0),
    "LowRank": lambda t, d: d.LowRankMultivariateNormal(t.zeros(2), t.ones(2, 1), t.tensor([1.0, -1.0])),
    "LowRank of other sizes": lambda t, d: d.LowRankMultivariateNormal(t.zeros(2), t.ones(3, 1), t.ones(2)),
    "Mixture": lambda t, d: d.MixtureSameFamily(d.Categorical(t.ones(3)), d.Normal(t.zeros(2), 1.0)),
    "Multinomial": lambda t, d: d.Multinomial(t.tensor(3), t.ones(3)),
    "MultivariateNormal": lambda t, d: d.MultivariateNormal(t.zeros(2), t.tensor([[1.0, 2.0], [2.0, 1.0]])),
    "MultivariateNormal of a factor": lambda t, d: d.MultivariateNormal(t.zeros(2), scale_tril=t.ones(2, 2)),
    "MultivariateNormal of nothing": lambda t, d: d.MultivariateNormal(t.zeros(2)),
    "NegativeBinomial": lambda t, d: d.NegativeBinomial(2.0, t.tensor([1.0])),
    "Pareto": lambda t, d: d.Pareto(1.0, t.tensor([-1.0])),
    "Poisson": lambda t, d: d.Poisson(-1.0),
    "StudentT": lambda t, d: d.StudentT(t.tensor([-1.0])),
    "Weibull": lambda t, d: d.Weibull(1.0, t.tensor([-1.0])),
    "Wishart": lambda t, d: d.Wishart(1.0, t.eye(3)),
    "a sample outside the support": lambda t, d: d.Exponential(1.0).log_prob(t.tensor([1.0, -1.0])),
    "a sample outside an interval": lambda t, d: d.Uniform(t.zeros(2), t.ones(2)).log_prob(t.tensor([1.5, 0.5])),
    "a sample of another shape": lambda t, d: d.Normal(t.zeros(2), 1.0).log_prob(t.ones(3)),
    "a sample of another event": lambda t, d: d.Dirichlet(t.ones(2)).log_prob(t.ones(3) / 3),
    "a number as a sample": lambda t, d: d.Normal(0.0, 1.0).log_prob(1.0),
    "a class outside": lambda t, d: d.Categorical(t.ones(3)).log_prob(t.tensor(3)),
    "a cdf outside": lambda t, d: d.Uniform(0.0, 1.0).cdf(t.tensor(2.0)),
    "default of another type": lambda t, d: d.Distribution.set_default_validate_args(3),
}


@pytest.fixture
def validating_torch() -> Iterator[None]:
    """PyTorch's compiler, which checkpoints import, switches its validation off for the rest of the process."""
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(True)
    yield
    torch.distributions.Distribution.set_default_validate_args(before)


@pytest.mark.usefixtures("validating_torch")
@pytest.mark.parametrize("name", _REFUSED)
def test_refused_in_torchs_words(name: str) -> None:
    errors = []
    for t in (torch, lg):
        with pytest.raises(Exception) as caught:
            _REFUSED[name](t, t.distributions)
        errors.append((type(caught.value), str(caught.value).replace("torch.", "lazygrad.")))
    (torch_class, torch_text), (own_class, own_text) = errors
    assert own_class is torch_class
    if "Expected" in torch_text:
        assert own_text.partition("invalid values:")[:2] == torch_text.partition("invalid values:")[:2]


def test_validation_can_be_turned_off() -> None:
    assert Normal(0.0, -1.0, validate_args=False).log_prob(lg.tensor(1.0)).isnan()
    Distribution.set_default_validate_args(False)
    try:
        assert Bernoulli(1.5).log_prob(lg.tensor(0.5)).shape == ()
    finally:
        Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="Expected parameter scale"):
        Normal(0.0, -1.0)


@pytest.fixture(name="pending")
def pending_fixture() -> Iterator[Callable[..., lg.Tensor]]:
    """A tensor that is not computed, and whose gradient may be asked for."""

    def pending(*values: Any) -> lg.Tensor:
        return lg.tensor(values, requires_grad=True) * 1.0

    yield pending


_PENDING: dict[str, Callable[[Callable[..., lg.Tensor]], lg.Tensor]] = {
    "a parameter": lambda of: Normal(of(0.0), of(-1.0)).log_prob(lg.tensor([1.0])),
    "a parameter of samples": lambda of: Normal(of(0.0), of(-1.0)).rsample(),
    "bounds": lambda of: Uniform(of(2.0), of(1.0)).rsample(),
    "logits": lambda of: Categorical(logits=of(float("nan"), 1.0)).log_prob(lg.tensor(0)),
    "a matrix": lambda of: MultivariateNormal(lg.zeros(2), of([1.0, 2.0], [2.0, 1.0])).log_prob(lg.zeros(2)),
    "a factor": lambda of: MultivariateNormal(lg.zeros(2), scale_tril=of([1.0, 2.0], [0.0, 1.0])).log_prob(lg.zeros(2)),
    "a transformed one's": lambda of: LogNormal(of(0.0), of(-1.0)).log_prob(lg.tensor([1.0])),
    "half of one": lambda of: lg.distributions.HalfNormal(of(-1.0)).log_prob(lg.tensor([1.0])),
    "degrees of freedom": lambda of: lg.distributions.Chi2(of(-1.0)).log_prob(lg.tensor([1.0])),
    "a scale inside transforms": lambda of: lg.distributions.Weibull(of(-1.0), 1.0).log_prob(lg.tensor([1.0])),
    "a sample": lambda of: LogNormal(0.0, 1.0).log_prob(of(-1.0)),
    "a sample of bounds": lambda of: Uniform(of(0.0), of(1.0)).log_prob(of(2.0)),
}


@pytest.mark.parametrize("name", _PENDING)
def test_what_is_pending_is_refused_when_it_is_computed(name: str, pending: Callable[..., lg.Tensor]) -> None:
    result = _PENDING[name](pending)
    with pytest.raises((ValueError, RuntimeError), match=r"but found invalid values|positive-definite|singular"):
        result.sum().item()


def test_to_check_what_is_pending_computes_nothing(pending: Callable[..., lg.Tensor]) -> None:
    loc, scale = pending(0.0, 1.0), pending(1.0, 2.0)
    Normal(loc, scale).log_prob(loc * 2).sum()
    Uniform(loc, scale + 5).entropy()
    assert loc.node().value is None
    assert scale.node().value is None


def test_user_defined_constraints_are_checked() -> None:
    class Even(lg.distributions.constraints.Constraint):
        def check(self, value: lg.Tensor) -> lg.Tensor:
            return value % 2 == 0

    class Doubled(Distribution):
        arg_constraints = {"n": Even()}  # noqa: RUF012
        support = Even()

        def __init__(self, n: lg.Tensor) -> None:
            self.n = n
            super().__init__(n.shape)

        def log_prob(self, value: lg.Tensor) -> lg.Tensor:
            self._validate_sample(value)
            return value * 0

    assert Doubled(lg.tensor([2.0])).log_prob(lg.tensor([4.0])).item() == 0
    with pytest.raises(ValueError, match=r"Expected parameter n .*Doubled\(n: tensor\(\[3\.\]\)\).* ven\(\)"):
        Doubled(lg.tensor([3.0]))
    with pytest.raises(ValueError, match="to be within the support"):
        Doubled(lg.tensor([2.0])).log_prob(lg.tensor([1.0]))


def test_a_class_without_constraints_is_warned_of() -> None:
    class Bare(Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        bare = Bare()
    with pytest.warns(UserWarning, match="does not define `support`"):
        bare._validate_sample(lg.ones(()))
    with pytest.raises(NotImplementedError):
        bare.expand((2,))


def test_a_subclass_with_its_own_init_must_define_expand() -> None:
    class Standard(Normal):
        def __init__(self, size: int) -> None:
            super().__init__(lg.zeros(size), lg.ones(size))

    class Renamed(Normal):
        pass

    with pytest.raises(NotImplementedError, match=r"Subclass Standard of Normal .*must also define a custom \.expand"):
        Standard(2).expand((3, 2))
    assert isinstance(Renamed(lg.zeros(2), 1.0).expand((3, 2)), Renamed)
