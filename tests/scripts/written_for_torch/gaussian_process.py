"""Hyperparameters of a Gaussian process by the gradient of its evidence."""

import torch

torch.manual_seed(4)
X = torch.linspace(-3, 3, 30).unsqueeze(1)
Y = torch.sin(X) + 0.1 * torch.randn(30, 1)
scale = torch.zeros((), requires_grad=True)
noise = torch.tensor(-2.0, requires_grad=True)
results = []
for _ in range(5):
    distances = torch.cdist(X, X)
    kernel = torch.exp(-0.5 * distances.pow(2) / scale.exp() ** 2) + (noise.exp() ** 2 + 1e-4) * torch.eye(30)
    factor = torch.linalg.cholesky(kernel)
    evidence = -0.5 * (Y * torch.cholesky_solve(Y, factor)).sum() - factor.diagonal().log().sum()
    gradients = torch.autograd.grad(evidence, (scale, noise))
    with torch.no_grad():
        for parameter, gradient in zip((scale, noise), gradients, strict=True):
            parameter += 0.01 * gradient
    results += [evidence.item(), scale.item(), noise.item()]
