"""Classes with ``__torch_function__``, as PyTorch's page about extending it has them: who is asked for what."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[[Any, Any, Any], Any]


class _Marked:
    """A tensor with a word beside it, which its results have too; notes what it is asked for."""

    def __init__(self, tensor: Any, word: str, asked: list[Any]) -> None:
        self.tensor, self.word, self.asked = tensor, word, asked

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found: list[_Marked] = []

        def plain(value: Any) -> Any:
            if isinstance(value, _Marked):
                found.append(value)
                return value.tensor
            return type(value)(map(plain, value)) if isinstance(value, (list, tuple)) else value

        args = plain(list(args))
        kwargs = {name: plain(value) for name, value in (kwargs or {}).items()}
        found[0].asked.append((func, types))
        return _Marked(func(*args, **kwargs), found[0].word, found[0].asked)


# What is asked for, and a call of it.
CALLS: dict[str, tuple[Callable[[Any], Any], Call]] = {
    "add": (lambda t: t.add, lambda t, m, x: t.add(m, 1, alpha=2)),
    "add, second": (lambda t: t.add, lambda t, m, x: t.add(x, m)),
    "mul": (lambda t: t.mul, lambda t, m, x: t.mul(m, m)),
    "mm": (lambda t: t.mm, lambda t, m, x: t.mm(x, m)),
    "mm by name": (lambda t: t.mm, lambda t, m, x: t.mm(input=x, mat2=m)),
    "exp": (lambda t: t.exp, lambda t, m, x: t.exp(m)),
    "sum": (lambda t: t.sum, lambda t, m, x: t.sum(m, dim=0)),
    "mean": (lambda t: t.mean, lambda t, m, x: t.mean(m)),
    "cat": (lambda t: t.cat, lambda t, m, x: t.cat([x, m], dim=1)),
    "stack": (lambda t: t.stack, lambda t, m, x: t.stack((m, m))),
    "where": (lambda t: t.where, lambda t, m, x: t.where(x > 1, m, x)),
    "clone": (lambda t: t.clone, lambda t, m, x: t.clone(m)),
    "reshape": (lambda t: t.reshape, lambda t, m, x: t.reshape(m, (4,))),
    "permute": (lambda t: t.permute, lambda t, m, x: t.permute(m, (1, 0))),
    "transpose": (lambda t: t.transpose, lambda t, m, x: t.transpose(m, 0, 1)),
    "flatten": (lambda t: t.flatten, lambda t, m, x: t.flatten(m)),
    "unsqueeze": (lambda t: t.unsqueeze, lambda t, m, x: t.unsqueeze(m, 0)),
    "zeros_like": (lambda t: t.zeros_like, lambda t, m, x: t.zeros_like(m)),
    "ones_like": (lambda t: t.ones_like, lambda t, m, x: t.ones_like(m)),
    "trunc": (lambda t: t.trunc, lambda t, m, x: t.trunc(m)),
    "logdet": (lambda t: t.logdet, lambda t, m, x: t.logdet(m)),
    "diagonal": (lambda t: t.diagonal, lambda t, m, x: t.diagonal(m)),
    "einsum": (lambda t: t.einsum, lambda t, m, x: t.einsum("ij->ji", m)),
    "solve": (lambda t: t.linalg.solve, lambda t, m, x: t.linalg.solve(m, x)),
    "linear": (lambda t: t.nn.functional.linear, lambda t, m, x: t.nn.functional.linear(m, x)),
    "relu": (lambda t: t.relu, lambda t, m, x: t.relu(m)),
    "Linear": (lambda t: t.nn.functional.linear, lambda t, m, x: _ones(t.nn.Linear(2, 2))(m)),
    "x.add": (lambda t: t.Tensor.add, lambda t, m, x: x.add(m)),
    "x.matmul": (lambda t: t.Tensor.matmul, lambda t, m, x: x.matmul(m)),
    "x +": (lambda t: t.Tensor.add, lambda t, m, x: x + m),
    "x *": (lambda t: t.Tensor.mul, lambda t, m, x: x * m),
    "x -": (lambda t: t.Tensor.sub, lambda t, m, x: x - m),
    "x /": (lambda t: t.Tensor.div, lambda t, m, x: x / m),
    "x @": (lambda t: t.Tensor.matmul, lambda t, m, x: x @ m),
    "x **": (lambda t: t.Tensor.pow, lambda t, m, x: x**m),
    "x <": (lambda t: t.Tensor.lt, lambda t, m, x: x < m),
    "x ==": (lambda t: t.Tensor.eq, lambda t, m, x: x == m),
    "x.add_": (lambda t: t.Tensor.add_, lambda t, m, x: x.add_(m)),
}  # fmt: skip


def _ones(module: Any) -> Any:
    for parameter in module.parameters():
        parameter.data.fill_(1)
    return module


@pytest.mark.parametrize("name", CALLS)
def test_the_class_of_a_foreign_argument_is_asked(name: str, torch: Any, candidate: Any) -> None:
    results = []
    asked_for, call = CALLS[name]
    for t in (torch, candidate):
        asked: list[Any] = []
        marked = _Marked(t.tensor([[2.0, 1.0], [1.0, 3.0]]), "owned", asked)
        result = call(t, marked, t.tensor([[1.0, 4.0], [1.0, 2.0]]))
        assert (result.word, [types[-1] for _, types in asked]) == ("owned", [_Marked])
        if t is candidate:
            assert asked[0][0] is asked_for(t)
        results.append(result.tensor.detach().numpy().tolist())
    assert _close(*results)


def _close(first: Any, second: Any) -> bool:
    if isinstance(first, list):
        return len(first) == len(second) and all(map(_close, first, second))
    return bool(first == pytest.approx(second, rel=1e-5))


# Functions without a decorator, which could not ask after their calls have failed.
LATER: dict[str, Call] = {
    "dropout": lambda t, m, x: t.nn.functional.dropout(m, 0.5, training=False),
    "gelu": lambda t, m, x: t.nn.functional.gelu(m),
    "softmax": lambda t, m, x: t.nn.functional.softmax(m, 0),
    "cross_entropy": lambda t, m, x: t.nn.functional.cross_entropy(m, x),
    "max_pool1d": lambda t, m, x: t.nn.functional.max_pool1d(m, 2),
    "layer": lambda t, m, x: t.nn.LeakyReLU()(m),
    "flip": lambda t, m, x: t.flip(m, (0,)),
    "clamp": lambda t, m, x: t.clamp(m, min=1.5),
}


@pytest.mark.parametrize("name", LATER)
def test_all_functions_ask_once_a_program_is_known_to_have_such_a_class(name: str, torch: Any, candidate: Any) -> None:
    results = []
    for t in (torch, candidate):
        asked: list[Any] = []
        marked = _Marked(t.tensor([[2.0, 1.0], [1.0, 3.0]]), "owned", asked)
        t.add(marked, 1)
        result = LATER[name](t, marked, t.tensor([[0.5, 0.5], [1.0, 0.0]]))
        results.append((result.word, len(asked), result.tensor.numpy().tolist()))
    assert results[0][:2] == results[1][:2] and _close(results[0][2], results[1][2])


def test_a_diagonal_matrix_as_in_the_documentation(torch: Any, candidate: Any) -> None:
    """Functions are found in a table; what is not in it is refused."""
    outcomes = []
    for t in (torch, candidate):
        handled: dict[Any, Any] = {}

        class Scalar:
            def __init__(self, size: int, value: float, handled: Any = handled) -> None:
                self.size, self.value, self.handled = size, value, handled

            @classmethod
            def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                table = next(argument.handled for argument in args if isinstance(argument, cls))
                return table[func](*args, **(kwargs or {})) if func in table else NotImplemented

        def mean(input: Any) -> float:
            return float(input.value) / input.size

        def add(input: Any, other: Any, t: Any = t) -> Any:
            whole = [x.value * t.eye(x.size) if hasattr(x, "handled") else x for x in (input, other)]
            return t.add(*whole)

        handled |= {t.mean: mean, t.add: add}
        scalar = Scalar(2, 2.0)
        found: list[Any] = [t.mean(scalar), t.add(scalar, t.ones(2, 2)).tolist(), t.add(t.ones(2, 2), scalar).tolist()]
        for refused in (lambda t, s: t.mul(s, 3), lambda t, s: t.ones(2) + s):
            with pytest.raises(TypeError):
                refused(t, scalar)
        outcomes.append(found)
    assert outcomes[0] == outcomes[1]


def test_other_operands_have_their_own_operators(torch: Any, candidate: Any) -> None:
    class Length:
        def __radd__(self, other: Any) -> Any:
            return other * 2

        def __rmatmul__(self, other: Any) -> Any:
            return other * 3

        def __gt__(self, other: Any) -> Any:
            return other * 4

    for t in (torch, candidate):
        x = t.ones(2)
        assert ((x + Length()).tolist(), (x @ Length()).tolist()) == ([2, 2], [3, 3])
        assert (x < Length()).tolist() == [4, 4]
        with pytest.raises(TypeError):
            x * Length()


def test_what_a_class_raises_is_what_the_program_gets(candidate: Any) -> None:
    class Refusing:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        candidate.exp(Refusing())
    assert caught.value.__suppress_context__


def test_a_mode_may_inherit_the_calls_it_does_not_answer(torch: Any, candidate: Any) -> None:
    def program(t: Any) -> list[Any]:
        overrides = importlib.import_module(f"{t.__name__}.overrides")

        class AddsAsProducts(overrides.BaseTorchFunctionMode):  # type: ignore[misc]
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                return super().__torch_function__(t.mul if func is t.add else func, types, args, kwargs)

        with AddsAsProducts():
            return [t.add(t.ones(2) * 3, t.ones(2) * 2).tolist(), t.sub(t.ones(2), 1, alpha=2).tolist()]

    assert program(candidate) == program(torch)
