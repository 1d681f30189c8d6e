"""Kullback-Leibler divergences by the kinds of the two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lazygrad.distributions.distribution import Distribution
from lazygrad.ir.user_warning import warn_user
from lazygrad.tensor import Tensor

Divergence = Callable[[Any, Any], Tensor]
F = TypeVar("F", bound=Divergence)

_registered: dict[tuple[type, type], Divergence] = {}
_found: dict[tuple[type, type], Divergence | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[F], F]:
    """Register a function of (p, q) as the divergence of two kinds of distributions: a decorator.

    Where several registered pairs fit, the most derived kinds win; `kl_divergence` warns if that is ambiguous.

    Args:
        type_p: a subclass of `Distribution`, or another class from which such are derived.
        type_q: the same.

    Raises:
        TypeError: something else.
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # a base class of a library's own will do
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: F) -> F:
        _registered[type_p, type_q] = function
        _found.clear()
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """∫ p(x) log(p(x) / q(x)) dx, of shape ``batch_shape``.

    Raises:
        NotImplementedError: nobody has registered the divergence of these kinds; see `register_kl`.
    """
    kinds = type(p), type(q)
    if kinds not in _found:
        _found[kinds] = _most_derived(*kinds)
    function = _found[kinds]
    if function is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
                                  f"{type(q).__name__}")  # fmt: skip
    return function(p, q)


def _most_derived(type_p: type, type_q: type) -> Divergence | None:
    pairs = [pair for pair in _registered if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not pairs:
        return None
    by_p = min(pairs, key=lambda pair: (type_p.__mro__.index(pair[0]), type_q.__mro__.index(pair[1])))
    by_q = min(pairs, key=lambda pair: (type_q.__mro__.index(pair[1]), type_p.__mro__.index(pair[0])))
    if _registered[by_p] is not _registered[by_q]:
        warn_user(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({by_p[0].__name__}, "
            f"{by_q[1].__name__})",
            RuntimeWarning,
        )
    return _registered[by_p]
