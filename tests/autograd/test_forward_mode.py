"""Where tangents of forward mode end."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import lazygrad as lg

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "cut",
    [
        lambda x: x.detach(),
        lambda x: x.detach() * 2,
        lambda x: (x * 3).detach(),
        lambda x: x.data,
        lambda x: x.detach().reshape(2, 1),
        lambda x: x.reshape(2, 1).detach() + x.reshape(2, 1),
        lambda x: x.detach() * x,
        lambda x: x[:1].detach(),
        lambda x: x * 2,
    ],
    ids="detach detach-then later data view both product slice kept".split(),
)
@pytest.mark.parametrize(("requires_grad", "grad"), [(False, False), (False, True), (True, True)])
def test_detach_ends_tangents(cut: Callable[[Any], Any], requires_grad: bool, grad: bool) -> None:
    """What is cut off from gradients does not vary either; what is computed without gradients still does."""
    found = []
    for t in (torch, lg):
        forward_ad = importlib.import_module(f"{t.__name__}.autograd.forward_ad")
        with forward_ad.dual_level(), t.set_grad_enabled(grad):
            primal = t.tensor([1.0, 2.0], requires_grad=requires_grad)
            dual = forward_ad.make_dual(primal, t.tensor([3.0, 4.0]))
            value, tangent = forward_ad.unpack_dual(cut(dual))
            found.append((value.tolist(), None if tangent is None else tangent.tolist()))
    assert found[0] == found[1]


def test_a_dual_tensor_has_one_tangent() -> None:
    """The one it was given where that lies in memory as the primal does; what is worked out is worked out once."""

    def program(t: Any) -> list[Any]:
        forward_ad = importlib.import_module(f"{t.__name__}.autograd.forward_ad")
        primal, tangent = t.arange(6.0).reshape(2, 3), t.ones(2, 3)
        crooked = t.ones(3, 2).T
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(primal, tangent)
            copied = forward_ad.unpack_dual(forward_ad.make_dual(primal, crooked)).tangent
            result = dual * dual
            seen = [
                forward_ad.unpack_dual(dual).tangent is tangent,
                copied is crooked,
                copied.stride(),
                forward_ad.unpack_dual(result).tangent is forward_ad.unpack_dual(result).tangent,
            ]
            tangent.mul_(3)
            return [*seen, forward_ad.unpack_dual(result).tangent.tolist()]

    assert program(lg) == program(torch)


def _function(t: Any) -> Any:
    class Lets(t.autograd.Function):  # type: ignore[misc]
        """Its ``jvp`` lets go of what ``forward`` kept for it."""

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.result, ctx.square = t.exp(x), x * x
            return ctx.result, ctx.square

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            pushed = tangent * ctx.result
            del ctx.result
            return pushed, tangent * 2

    return Lets


def test_the_jvp_of_a_function_runs_once_in_a_level() -> None:
    def program(t: Any) -> list[Any]:
        forward_ad = importlib.import_module(f"{t.__name__}.autograd.forward_ad")
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(t.zeros(3, dtype=t.float64), t.ones(3, dtype=t.float64))
            exponential, square = _function(t).apply(dual)
            results = (exponential, square, exponential * 3, exponential)
            return [forward_ad.unpack_dual(result).tangent.tolist() for result in results]

    assert program(lg) == program(torch)


def test_gradcheck_calls_the_function_anew_for_each_direction() -> None:
    def program(t: Any) -> bool:
        x = t.linspace(0.0, 1.0, 4, dtype=t.float64).requires_grad_()
        return bool(
            t.autograd.gradcheck(
                lambda x: _function(t).apply(x)[0], (x,), check_forward_ad=True, check_backward_ad=False,
                check_undefined_grad=False, check_batched_grad=False,
            )
        )  # fmt: skip

    assert program(lg) == program(torch)


def test_an_array_of_a_dual_tensor_leaves_it_its_tangent() -> None:
    def program(t: Any) -> list[Any]:
        forward_ad = importlib.import_module(f"{t.__name__}.autograd.forward_ad")
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(t.ones(2), t.ones(2))
            dual.numpy()
            return [forward_ad.unpack_dual(value).tangent.tolist() for value in (dual, dual * dual)]

    assert program(lg) == program(torch)
