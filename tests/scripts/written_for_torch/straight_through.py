"""A custom Function that rounds, and conjugate gradients in double precision."""

import torch


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.save_for_backward(x)
        return (x * levels).round() / levels

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * (x.abs() < 1), None


torch.manual_seed(12)
weight = torch.randn(5, 5, requires_grad=True)
results = []
for _ in range(4):
    loss = (Rounded.apply(weight, 8) @ torch.ones(5, 1)).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        weight.sub_(0.01 * weight.grad)
        weight.grad.zero_()
    results.append(loss.item())

root = torch.randn(6, 6, dtype=torch.float64)
matrix, right = root.T @ root + torch.eye(6, dtype=torch.float64), torch.randn(6).double()
solution = torch.zeros_like(right)
residual = right - matrix @ solution
direction = residual.clone()
while residual.norm() > 1e-9:
    image = matrix.mv(direction)
    length = residual.dot(residual) / direction.dot(image)
    solution = solution.add(direction, alpha=length.item())
    smaller = residual - length * image
    direction = smaller + smaller.dot(smaller) / residual.dot(residual) * direction
    residual = smaller
results += [solution, torch.allclose(solution, torch.linalg.solve(matrix, right))]
