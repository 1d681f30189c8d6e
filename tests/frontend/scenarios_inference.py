"""What inference tensors allow, inside inference mode and outside, in short programs that both frameworks run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _made(t: Any) -> Any:
    """An inference tensor (1, 2, 3)."""
    with t.inference_mode():
        return t.tensor([1.0, 2.0, 3.0])


def _leaf(t: Any) -> Any:
    return t.tensor([2.0, 3.0, 4.0], requires_grad=True)


def which_are(t: Any) -> Any:
    normal, leaf = t.ones(3), _leaf(t)
    with t.inference_mode():
        made = t.ones(3)
        inside = [made, made + 1, made[:2], made.clone(), normal + 1, normal[:2], normal.detach(), leaf * 2, leaf.data]
        inside += [t.nn.Parameter(t.ones(2)), t.nn.Linear(2, 2).weight, t.ones(2, requires_grad=True), normal.add_(1)]
        with t.inference_mode(False):
            inside += [t.ones(2), made * 2, made[:1]]
    outside = [made, made[:1], made.t(), made.detach(), made.data, made.clone(), made * 2, made.to(t.float64)]
    return [(each.is_inference(), t.is_inference(each), each.requires_grad) for each in [*inside, *outside]]


def write_inside(t: Any) -> Any:
    made, normal = _made(t), t.zeros(3)
    with t.inference_mode():
        made.add_(1)
        made[0] = 7.0
        made[1:].mul_(2)
        normal.copy_(made)
        normal[:1].add_(1)
    return made, normal, normal.is_inference(), normal._version


def normal_tensors_of_their_contents(t: Any) -> Any:
    """A normal tensor that holds the same contents may be kept for a gradient."""
    made, leaf, buffer = _made(t), _leaf(t), t.zeros(3)
    buffer.copy_(made)
    with t.inference_mode():
        other = t.zeros(3)
    pointed = t.zeros(3)
    pointed.data = made.clone()
    (leaf * buffer + leaf * made.clone() + leaf * (made + 0) + leaf * pointed).sum().backward()
    return leaf.grad, other.is_inference()


def sums_need_not_keep_it(t: Any) -> Any:
    made, leaf = _made(t), _leaf(t)
    (leaf + made - made).sum().backward()
    joined = t.cat([leaf, made]).requires_grad
    with t.no_grad():
        product = leaf * made
    return leaf.grad, joined, product, product.is_inference()


def layer_made_inside(t: Any) -> Any:
    with t.inference_mode():
        layer = t.nn.Linear(2, 2)
        t.nn.init.ones_(layer.weight)
        t.nn.init.zeros_(layer.bias)
        inside = layer(t.ones(1, 2))
    state = t.nn.Linear(2, 2)
    state.load_state_dict(layer.state_dict())
    state(t.ones(1, 2)).sum().backward()
    return inside, state.weight.grad, state.weight.is_inference()


def only_inference_tensors(t: Any) -> Any:
    with t.inference_mode():
        leaf = t.ones(2, requires_grad=True)
    return leaf.requires_grad, (leaf * leaf).requires_grad, leaf.sum().requires_grad


def decorated(t: Any) -> Any:
    @t.inference_mode()
    def predict(x: Any) -> Any:
        return x * 2

    @t.inference_mode
    def also(x: Any) -> Any:
        yield x * 3

    results = [predict(_leaf(t)), *also(_leaf(t))]
    return results, [each.is_inference() for each in results], t.is_inference_mode_enabled()


SCENARIOS: list[Callable[[Any], Any]] = [
    which_are,
    write_inside,
    normal_tensors_of_their_contents,
    sums_need_not_keep_it,
    layer_made_inside,
    only_inference_tensors,
    decorated,
]


def _keep_in_function(t: Any) -> Any:
    class Keeping(t.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(y)
            return x * 1

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient, None

    return Keeping.apply(_leaf(t), _made(t))


def _accumulate(t: Any) -> None:
    leaf = _leaf(t)
    leaf.grad = _made(t)
    leaf.sum().backward()


def _backward_of_leaf(t: Any) -> None:
    with t.inference_mode():
        leaf = t.ones(2, requires_grad=True)
    leaf.sum().backward()


_KEPT = "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
_WRITTEN = "Inplace update to inference tensor outside InferenceMode is not allowed."
_FLAGGED = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
_NO_VERSION = "Inference tensors do not track version counter."

REFUSED: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("product", _KEPT, lambda t: _leaf(t) * _made(t)),
    ("product with a part", _KEPT, lambda t: _leaf(t)[:2] * _made(t)[:2]),
    ("product with a view", _KEPT, lambda t: _leaf(t).view(3, 1) * _made(t).view(1, 3)),
    ("in place", _KEPT, lambda t: (_leaf(t) * 1).mul_(_made(t))),
    ("power", _KEPT, lambda t: _leaf(t) ** _made(t)),
    ("matrix product", _KEPT, lambda t: _leaf(t).view(1, 3) @ _made(t).view(3, 1)),
    ("linear", _KEPT, lambda t: t.nn.functional.linear(_leaf(t), _made(t).view(1, 3))),
    ("index", _KEPT, lambda t: _leaf(t)[t.inference_mode()(t.tensor)([0, 1])]),
    ("custom function", _KEPT, _keep_in_function),
    ("write", _WRITTEN, lambda t: _made(t).add_(1)),
    ("write without gradients", _WRITTEN, lambda t: t.no_grad()(lambda: _made(t).add_(1))()),
    ("write to a part", _WRITTEN, lambda t: _made(t)[:1].zero_()),
    ("write by index", _WRITTEN, lambda t: _made(t).__setitem__(0, 1.0)),
    ("write with out", _WRITTEN, lambda t: t.add(t.ones(3), 1, out=_made(t))),
    ("accumulate", _WRITTEN, _accumulate),
    ("requires_grad_", _FLAGGED, lambda t: _made(t).requires_grad_()),
    ("requires_grad", _FLAGGED, lambda t: setattr(_made(t), "requires_grad", True)),
    ("parameter", _FLAGGED, lambda t: t.nn.Parameter(_made(t))),
    ("version", _NO_VERSION, lambda t: _made(t)._version),
    ("backward", "does not require grad and does not have a grad_fn", lambda t: _made(t).sum().backward()),
    ("backward of a leaf", "does not require grad and does not have a grad_fn", _backward_of_leaf),
]
