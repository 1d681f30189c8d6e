"""Causal self-attention by einsum, with a mask in a buffer."""

import math

import torch
import torch.nn as nn


class CausalAttention(nn.Module):
    def __init__(self, width, heads, context):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width, bias=False)
        self.output = nn.Linear(width, width)
        self.register_buffer("mask", torch.tril(torch.ones(context, context)).view(1, 1, context, context))

    def forward(self, x):
        batch, time, width = x.shape
        split = self.query_key_value(self.norm(x)).split(width, dim=2)
        query, key, value = (part.view(batch, time, self.heads, width // self.heads).transpose(1, 2) for part in split)
        scores = torch.einsum("bhid,bhjd->bhij", query, key) / math.sqrt(key.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :time, :time] == 0, float("-inf"))
        mixed = scores.softmax(-1) @ value
        return x + self.output(mixed.transpose(1, 2).contiguous().view(batch, time, width))


torch.manual_seed(2)
model = nn.Sequential(CausalAttention(32, 4, 16), CausalAttention(32, 4, 16))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1, betas=(0.9, 0.95))
x, target = torch.randn(4, 12, 32), torch.randn(4, 12, 32)
results = [sum(parameter.numel() for parameter in model.parameters())]
for _ in range(6):
    loss = ((model(x) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    results.append(loss.item())
