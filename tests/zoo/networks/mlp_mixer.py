"""MLP-Mixer S/16: one perceptron over places, one over channels. Tolstikhin et al., arXiv:2105.01601."""

import torch.nn as nn


def mlp(dim, hidden):
    return nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))


class MixerBlock(nn.Module):
    def __init__(self, dim, patches, token_hidden, channel_hidden):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.token_mix = mlp(patches, token_hidden)
        self.norm2 = nn.LayerNorm(dim)
        self.channel_mix = mlp(dim, channel_hidden)

    def forward(self, x):
        x = x + self.token_mix(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel_mix(self.norm2(x))


class MLPMixer(nn.Module):
    def __init__(self, image, patch, dim, depth, token_hidden, channel_hidden, num_classes):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, patch, stride=patch)
        patches = (image // patch) ** 2
        self.blocks = nn.Sequential(*[MixerBlock(dim, patches, token_hidden, channel_hidden) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.blocks(x)).mean(1))


def mlp_mixer(image, tiny=False):
    if tiny:
        return MLPMixer(image, 8, 16, 2, 8, 32, 10)
    return MLPMixer(image, 16, 512, 8, 256, 2048, 1000)
