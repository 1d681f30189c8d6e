"""The base of all distributions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from lazygrad.distributions import constraints
from lazygrad.distributions.utils import as_size, lazy_property, parameter_of
from lazygrad.distributions.validation import checked
from lazygrad.grad_mode import no_grad
from lazygrad.ir.user_warning import warn_user
from lazygrad.size import Size
from lazygrad.tensor import Tensor

__all__ = ["Distribution"]

Self = TypeVar("Self", bound="Distribution")


class Distribution:
    """A batch of distributions of one kind.

    A subclass names its parameters in ``arg_constraints`` and sets them as attributes, all of shape ``batch_shape``
    plus the event dimensions of their constraint; `expand` and ``repr`` follow from that, and `__init__` checks them.
    Distributions that it is made of are attributes, too.

    Attributes:
        arg_constraints: what each parameter must satisfy.
        support: what samples satisfy.
        has_rsample: whether gradients flow from samples to parameters, so that `rsample` is there.
        has_enumerate_support: whether `enumerate_support` is there.
    """

    has_rsample: bool = False
    has_enumerate_support: bool = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and samples are checked where ``validate_args`` is not given. They are, but for ``-O``.

        Raises:
            ValueError: not a bool.
        """
        if value not in [True, False]:
            raise ValueError(f"validate_args must be a bool, not {value!r}")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ) -> None:
        """Keep the shapes, and check the parameters, which are attributes by now.

        Args:
            batch_shape: how many distributions there are.
            event_shape: of one sample of one of them.
            validate_args: whether parameters and samples are checked; None for the default.

        Raises:
            ValueError: a parameter does not satisfy its constraint. Of a parameter that is pending, the error comes
                when it is computed.
        """
        self._batch_shape = as_size(batch_shape)
        self._event_shape = as_size(event_shape)
        self._check_parameters(validate_args)
        super().__init__()

    def _check_parameters(self, validate_args: bool | None) -> None:
        """Check them once; before `__init__` where something is made of them that must be made of checked ones."""
        if "_is_checked" in self.__dict__:
            return
        self._is_checked = True
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        try:
            arg_constraints = self.arg_constraints
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                f"the distribution with `validate_args=False` to turn off validation.",
            )
            return
        for name, constraint in arg_constraints.items():
            own = getattr(type(self), name, None)
            is_set = name in self.__dict__
            if constraints.is_dependent(constraint) or (not is_set and isinstance(own, lazy_property)):
                continue
            if is_set or not self._is_checked_inside(own):
                value = getattr(self, name)
                found = checked(value, constraint, partial(self._parameter_complaint, name, value, constraint))
                if found is not value:
                    setattr(self, name, found)

    def _is_checked_inside(self, own: object) -> bool:
        """Whether a property reads a parameter of a distribution inside, which has checked it."""
        if isinstance(own, parameter_of):
            return bool(own.owner(self)._validate_args)
        return isinstance(own, property) and own.fset is None

    def expand(self: Self, batch_shape: Sequence[int], _instance: Any = None) -> Self:
        """The same distribution for a larger batch: parameters are views, and are not checked again.

        Args:
            batch_shape: to which the present one broadcasts.
            _instance: what a subclass has made to be filled.

        Raises:
            NotImplementedError: a subclass with an ``__init__`` of its own must define ``expand``, too.
        """
        base = next(kind for kind in type(self).__mro__ if kind.__module__.startswith(f"{__package__}."))
        if base is Distribution:
            raise NotImplementedError(f"{type(self).__name__} does not define expand")
        new: Self = self._get_checked_instance(base, _instance)
        batch_shape = as_size(batch_shape)
        for name, value in self.__dict__.items():
            if name not in new.__dict__ and not self._is_derived(name):
                new.__dict__[name] = self._expanded(name, value, batch_shape)
        new._batch_shape = batch_shape
        return new

    def _is_derived(self, name: str) -> bool:
        """Whether an attribute is no parameter, and is computed from them when somebody asks."""
        return isinstance(getattr(type(self), name, None), lazy_property) and name not in self._attributes()

    def _expanded(self, name: str, value: Any, batch_shape: Size) -> Any:
        own = len(self._batch_shape)
        if isinstance(value, Distribution):
            return value.expand(batch_shape + value.batch_shape[own:])
        constraint = self._attributes().get(name)
        if constraint is None or not isinstance(value, Tensor):
            return value
        return value.expand(batch_shape + value.shape[value.ndim - constraint.event_dim :])

    def _attributes(self) -> dict[str, constraints.Constraint]:
        """The constraints of parameters that are attributes."""
        return self.arg_constraints

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """What `expand` fills: ``_instance``, or a new object of this class if nothing but ``cls`` initializes it."""
        if _instance is not None:
            return _instance
        if type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                f"define a custom .expand() method."
            )
        return self.__new__(type(self))

    @property
    def batch_shape(self) -> Size:
        """How many distributions there are."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one of the distributions."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """What each parameter must satisfy, by its name."""
        raise NotImplementedError

    @property
    def support(self) -> constraints.Constraint:
        """What samples satisfy."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The value of the largest density."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The expected squared distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples of shape ``sample_shape + batch_shape + event_shape``, through which no gradient flows."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Samples of shape ``sample_shape + batch_shape + event_shape``, whose gradients flow to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """``sample((n,))``, by its former name."""
        warn_user("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of samples up to ``value``."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """Up to where samples have the probability ``value``."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution, along a new first dimension.

        Args:
            expand: whether to repeat them for the whole batch; otherwise its dimensions have size 1.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The expected negative logarithm of the density, of shape ``batch_shape``."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        """The shape of samples."""
        return as_size(sample_shape) + self._batch_shape + self._event_shape

    def _checked_sample(self, value: Tensor) -> Tensor:
        """``value``, checked by `_validate_sample` if this distribution checks samples."""
        return self._validate_sample(value) if self._validate_args else value

    def _validate_sample(self, value: Tensor) -> Tensor:
        """A value that is asked about, checked.

        Returns:
            The value; if it is pending, with the check that it lies in the support, which is lost if it is not used.

        Raises:
            ValueError: no tensor, a shape that does not fit, or a value outside the support.
        """
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual, expected = value.shape, self._batch_shape + self._event_shape
        if actual[len(actual) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {actual} vs {self._event_shape}.")
        for i, j in zip(reversed(actual), reversed(expected), strict=False):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warn_user(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                f"distribution with `validate_args=False` to turn off validation.",
            )
            return value
        return checked(value, support, partial(self._sample_complaint, value, support))

    def _parameter_complaint(
        self, name: str, value: Tensor, constraint: constraints.Constraint, shapes_only: bool
    ) -> str:
        return (
            f"Expected parameter {name} ({_kind(value)}) of distribution {self.text(shapes_only)} to satisfy the "
            f"constraint {constraint.text(shapes_only)}, but found invalid values:\n"
        )

    def _sample_complaint(self, value: Tensor, support: constraints.Constraint, shapes_only: bool) -> str:
        return (
            f"Expected value argument ({_kind(value)}) to be within the support ({support.text(shapes_only)}) of the "
            f"distribution {self.text(shapes_only)}, but found invalid values:\n"
        )

    def text(self, shapes_only: bool = False) -> str:
        """The representation; with ``shapes_only`` one that computes nothing."""
        parameters = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        texts = [
            f"{name}: {value if value.numel() == 1 and not shapes_only else value.shape}"
            for name, value in parameters.items()
        ]
        return f"{type(self).__name__}({', '.join(texts)})"

    def __repr__(self) -> str:
        return self.text()


def _kind(value: Tensor) -> str:
    return f"{type(value).__name__} of shape {tuple(value.shape)}"
