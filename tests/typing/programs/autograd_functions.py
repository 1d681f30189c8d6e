"""A function with a gradient of one's own."""

from typing import Any, assert_type

import lazygrad as lg
from lazygrad import Tensor
from lazygrad.autograd import Function


class Clipped(Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, limit: float) -> Tensor:
        ctx.save_for_backward(input)
        ctx.limit = limit
        return input.clamp(-limit, limit)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (input,) = ctx.saved_tensors
        return grad * (input.abs() <= ctx.limit), None


x = lg.randn(5, requires_grad=True)
y: Tensor = Clipped.apply(x, 0.5)
y.sum().backward(retain_graph=True)
x.register_hook(lambda grad: grad * 2)
print(x.grad, y.grad_fn, x.is_leaf)
assert_type(lg.autograd.grad(y.sum(), [x]), tuple[Tensor, ...])
