"""A variational autoencoder in the words of distributions: posterior, prior and likelihood, their divergence."""

import torch
from torch import nn, optim
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self, latent=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 48), nn.ReLU(), nn.Linear(48, 64))
        self.register_buffer("zeros", torch.zeros(latent))

    def posterior(self, x):
        loc, raw = self.encoder(x).chunk(2, dim=-1)
        return Independent(Normal(loc, F.softplus(raw) + 1e-3), 1)

    def prior(self):
        return Independent(Normal(self.zeros, torch.ones_like(self.zeros)), 1)

    def likelihood(self, z):
        return Independent(Bernoulli(logits=self.decoder(z)), 1)

    def elbo(self, x):
        q = self.posterior(x)
        z = q.rsample()
        kl = kl_divergence(q, self.prior())
        return self.likelihood(z).log_prob(x) - kl, kl


def strokes(count):
    """Pictures of 8 x 8 with one bright row and one bright column."""
    pictures = torch.zeros(count, 8, 8)
    rows, columns = torch.randint(8, (count,)), torch.randint(8, (count,))
    pictures[torch.arange(count), rows] = 1.0
    pictures[torch.arange(count), :, columns] = 1.0
    return pictures.view(count, 64)


def main():
    torch.manual_seed(0)
    data = strokes(256)
    model = VAE()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(10000):
        order = torch.randperm(len(data))
        for start in range(0, len(data), 64):
            batch = data[order[start : start + 64]]
            elbo, kl = model.elbo(batch)
            loss = -elbo.mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item(), kl.mean().item()
        with torch.no_grad():
            samples = model.likelihood(model.prior().sample((16,)))
            yield samples.mean.mean().item(), samples.sample().mean().item()
