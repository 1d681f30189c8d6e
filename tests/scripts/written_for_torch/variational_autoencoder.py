"""A variational autoencoder with gradient clipping."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class VariationalAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(20, 16), nn.LeakyReLU(0.2))
        self.mean, self.log_variance = nn.Linear(16, 4), nn.Linear(16, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 20))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, log_variance = self.mean(hidden), self.log_variance(hidden)
        deviation = torch.exp(0.5 * log_variance)
        code = mean + torch.randn_like(deviation) * deviation
        return torch.sigmoid(self.decoder(code)), mean, log_variance


torch.manual_seed(0)
model = VariationalAutoencoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.rand(64, 20)
results = []
for _ in range(8):
    optimizer.zero_grad(set_to_none=True)
    reconstruction, mean, log_variance = model(x)
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    loss = F.binary_cross_entropy(reconstruction, x, reduction="sum") + divergence
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    results += [loss.item(), norm.item()]
