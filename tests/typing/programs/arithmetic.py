"""Tensor arithmetic, and the types that a checker finds in it."""

from collections.abc import Iterator
from typing import assert_type

import numpy as np

import lazygrad as lg
from lazygrad import Tensor

x = lg.randn(3, 4)
y = lg.tensor([[1, 2], [3, 4]], dtype=lg.float32, requires_grad=True)

# Operators.
assert_type(x + 1, Tensor)
assert_type(2.5 * x - x / 3, Tensor)
assert_type(x @ x.T, Tensor)
assert_type(-(x**2), Tensor)
assert_type((x > 0) & ~(x == 1), Tensor)
assert_type(x != x.mean(), Tensor)
assert_type(1 - x // 2 % 3, Tensor)
assert_type(x + np.ones((3, 4)), Tensor)
assert_type(x * np.float32(2), Tensor)
x += 1
x[0] = 3.0
x[:, 1:3] = lg.zeros(3, 2)
x[x > 1] = 0
assert_type(x[0, None, ..., ::2], Tensor)
assert_type([row for row in x], list[Tensor])
assert_type(iter(x), Iterator[Tensor])

# What is not a tensor.
assert_type(x.shape[0], int)
assert_type(x.shape[1:], lg.Size)
assert_type(x.size(), lg.Size)
assert_type(x.size(-1), int)
assert_type(x.stride(), tuple[int, ...])
assert_type(x.dtype, lg.dtype)
assert_type(x.device, lg.device)
assert_type(x.requires_grad, bool)
assert_type(x.numel() * x.dim(), int)
assert_type(float(x.sum()), float)
assert_type(bool(x.any()), bool)
assert_type(len(x), int)
assert_type(x.type(), str)
assert_type(x.is_cuda, bool)
assert_type(x.grad, Tensor | None)
picked = ["a", "b"][x.argmax().item()]
total = 0.0
total += x.sum().item()

# Results of several forms.
assert_type(x.max(), Tensor)
assert_type(x.max(1), lg.return_types.max)
assert_type(x.max(dim=1, keepdim=True).indices, Tensor)
assert_type(x.max(x), Tensor)
assert_type(lg.min(x, 0).values, Tensor)
values, indices = lg.topk(x, 2)
assert_type(values, Tensor)
assert_type(x.sort().indices, Tensor)
assert_type(lg.where(x > 0, x, 0.0), Tensor)
assert_type(lg.where(x > 0), tuple[Tensor, ...])
assert_type(x.nonzero(), Tensor)
assert_type(x.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(x.median(), Tensor)
assert_type(lg.unique(x), Tensor)
assert_type(lg.linalg.svd(x).S, Tensor)
assert_type(lg.linalg.slogdet(x @ x.T).logabsdet, Tensor)
assert_type(x.split(2), tuple[Tensor, ...])
assert_type(lg.nn.functional.max_pool2d(lg.zeros(1, 1, 4, 4), 2), Tensor)

# Shapes, dtypes, memory.
assert_type(x.reshape(-1, x.shape[0]), Tensor)
assert_type(x.reshape((2, 6)).view(12).permute(0).expand(3, -1), Tensor)
assert_type(x.transpose(0, 1).flatten().unsqueeze(0).squeeze(), Tensor)
assert_type(lg.cat([x, x], dim=1), Tensor)
assert_type(lg.stack((x, x)), Tensor)
assert_type(x.to(lg.float64).to("cpu").to(device="cpu", dtype=lg.float32).to(x), Tensor)
assert_type(x.float().long().bool(), Tensor)
assert_type(x.numpy(), np.ndarray)
assert_type(x.clone().detach().cpu().contiguous(), Tensor)
assert_type(x.add_(1).mul_(x).clamp_(min=0).zero_().requires_grad_(), Tensor)
assert_type(lg.add(x, x, out=lg.empty(3, 4)), Tensor)
assert_type(lg.linalg.inv(x @ x.T, out=None), Tensor)
assert_type(lg.zeros(2, 3, dtype=lg.int64, device="cpu", requires_grad=False), Tensor)
assert_type(lg.full((2, 3), 1.5), Tensor)
assert_type(lg.einsum("ij,kj->ik", x, x), Tensor)
assert_type(lg.fft.rfft(x).abs(), Tensor)
assert_type(lg.special.expit(x), Tensor)

# Gradients.
(y**2).sum().backward()
assert y.grad is not None
assert_type(y.grad * 2, Tensor)
assert_type(lg.autograd.grad((y**3).sum(), y), tuple[Tensor, ...])
with lg.no_grad():
    y.grad.zero_()
    y -= 0.1 * y.grad
