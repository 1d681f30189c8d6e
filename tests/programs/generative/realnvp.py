"""RealNVP on two moons: affine coupling layers under alternating masks, exact likelihood, sampling backwards."""

import math

import torch
from torch import nn


class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask):
        super().__init__()
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(mask))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(mask))])

    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x

    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J

    def log_prob(self, x):
        z, logp = self.f(x)
        return (-0.5 * z.pow(2) - 0.5 * math.log(2 * math.pi)).sum(dim=1) + logp

    def sample(self, batchSize):
        return self.g(torch.randn(batchSize, 2))


def nets():
    return nn.Sequential(
        nn.Linear(2, 32), nn.LeakyReLU(), nn.Linear(32, 32), nn.LeakyReLU(), nn.Linear(32, 2), nn.Tanh()
    )


def nett():
    return nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(), nn.Linear(32, 32), nn.LeakyReLU(), nn.Linear(32, 2))


def make_moons(n):
    angle = math.pi * torch.rand(n)
    upper = torch.rand(n) < 0.5
    x = torch.where(upper, torch.cos(angle), 1 - torch.cos(angle))
    y = torch.where(upper, torch.sin(angle), 0.5 - torch.sin(angle))
    return torch.stack([x, y], dim=1) + 0.05 * torch.randn(n, 2)


def main():
    torch.manual_seed(0)
    masks = torch.tensor([[0.0, 1.0], [1.0, 0.0]] * 3)
    flow = RealNVP(nets, nett, masks)
    optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad], lr=1e-4)
    for t in range(5001):
        loss = -flow.log_prob(make_moons(100)).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        yield loss.item()
        if t % 5 == 4:
            with torch.no_grad():
                x = flow.sample(50).numpy()
            assert x.shape == (50, 2)
