"""A critic whose gradient's norm is part of its loss: gradients of gradients."""

import torch
from torch import nn

torch.manual_seed(9)
critic = nn.Sequential(nn.Linear(4, 8), nn.Softplus(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(critic.parameters(), 1e-2)
results = []
for _ in range(4):
    real, fake = torch.randn(8, 4) + 1, torch.randn(8, 4)
    share = torch.rand(8, 1).expand_as(real)
    between = (share * real + (1 - share) * fake).requires_grad_(True)
    judged = critic(between)
    (gradient,) = torch.autograd.grad(
        outputs=judged, inputs=between, grad_outputs=torch.ones_like(judged), create_graph=True, retain_graph=True
    )
    penalty = ((gradient.norm(2, dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    results += [loss.item(), penalty.item()]
