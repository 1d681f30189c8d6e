"""MADE: an autoencoder whose masks make it autoregressive; sampling writes one column after another."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__(in_features, out_features, bias)
        self.register_buffer("mask", torch.ones(out_features, in_features))

    def set_mask(self, mask):
        self.mask.data.copy_(torch.from_numpy(mask.astype(np.uint8).T))

    def forward(self, input):
        return F.linear(input, self.mask * self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, nin, hidden_sizes, num_masks=3):
        super().__init__()
        self.nin, self.hidden_sizes = nin, hidden_sizes
        hs = [nin, *hidden_sizes, nin]
        net = []
        for h0, h1 in zip(hs, hs[1:]):
            net.extend([MaskedLinear(h0, h1), nn.ReLU()])
        net.pop()
        self.net = nn.Sequential(*net)
        self.seed, self.num_masks, self.m = 0, num_masks, {}
        self.update_masks()

    def update_masks(self):
        L = len(self.hidden_sizes)
        rng = np.random.RandomState(self.seed)
        self.seed = (self.seed + 1) % self.num_masks
        self.m[-1] = np.arange(self.nin)
        for layer in range(L):
            self.m[layer] = rng.randint(self.m[layer - 1].min(), self.nin - 1, size=self.hidden_sizes[layer])
        masks = [self.m[layer - 1][:, None] <= self.m[layer][None, :] for layer in range(L)]
        masks.append(self.m[L - 1][:, None] < self.m[-1][None, :])
        layers = [layer for layer in self.net.modules() if isinstance(layer, MaskedLinear)]
        for layer, m in zip(layers, masks):
            layer.set_mask(m)

    def forward(self, x):
        return self.net(x)


@torch.no_grad()
def sample(model, n, nin):
    x = torch.zeros(n, nin)
    for i in range(nin):
        probabilities = torch.sigmoid(model(x)[:, i])
        x[:, i] = (torch.rand(n) < probabilities).float()
    return x


def main():
    torch.manual_seed(42)
    nin = 16
    base = torch.rand(80, 1)
    xtr = (torch.rand(80, nin) < base).float()
    model = MADE(nin, [32, 32])
    opt = torch.optim.Adam(model.parameters(), 1e-2, weight_decay=1e-4)
    for epoch in range(10000):
        for step in range(0, 80, 20):
            xb = xtr[step : step + 20]
            model.update_masks()
            loss = F.binary_cross_entropy_with_logits(model(xb), xb, reduction="sum") / 20
            opt.zero_grad()
            loss.backward()
            opt.step()
            yield loss.item()
        yield sample(model, 4, nin).sum().item()
