"""Low-rank adapters in a frozen transformer: only the factors train; they are merged for evaluation."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=4, lora_alpha=8, **kwargs):
        super().__init__(in_features, out_features, **kwargs)
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
        self.scaling = lora_alpha / r
        self.merged = False
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def train(self, mode=True):
        super().train(mode)
        if mode and self.merged:
            self.weight.data -= (self.lora_B @ self.lora_A) * self.scaling
            self.merged = False
        elif not mode and not self.merged:
            self.weight.data += (self.lora_B @ self.lora_A) * self.scaling
            self.merged = True
        return self

    def forward(self, x):
        result = F.linear(x, self.weight, bias=self.bias)
        if self.merged:
            return result
        return result + (x @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)) * self.scaling


class Encoder(nn.Module):
    def __init__(self, vocab=40, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(vocab, dim)
        self.q = LoRALinear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = LoRALinear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.ffn = nn.Sequential(nn.Linear(dim, 64), nn.GELU(), nn.Linear(64, dim))
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.classifier = nn.Linear(dim, 2)

    def forward(self, ids):
        x = self.embed(ids)
        b, t, d = x.shape
        n = self.norm1(x)
        q, k, v = (layer(n).view(b, t, self.heads, -1).transpose(1, 2) for layer in (self.q, self.k, self.v))
        att = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d // self.heads), dim=-1)
        x = x + self.o((att @ v).transpose(1, 2).reshape(b, t, d))
        x = x + self.ffn(self.norm2(x))
        return self.classifier(x[:, 0])


def mark_only_lora_as_trainable(model):
    for n, p in model.named_parameters():
        p.requires_grad = "lora_" in n or "classifier" in n


def main():
    torch.manual_seed(0)
    model = Encoder()
    mark_only_lora_as_trainable(model)
    trainable = [p for p in model.parameters() if p.requires_grad]
    assert sum(p.numel() for p in trainable) < sum(p.numel() for p in model.parameters()) / 4
    optimizer = torch.optim.AdamW(trainable, lr=5e-3)
    ids = torch.randint(0, 40, (64, 12))
    labels = (ids[:, 0] > ids[:, 1]).long()
    for epoch in range(10000):
        model.train()
        for xb, yb in zip(ids.split(16), labels.split(16)):
            loss = F.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()
        model.eval()
        with torch.no_grad():
            accuracy = (model(ids).argmax(dim=1) == labels).float().mean().item()
        assert 0 <= accuracy <= 1
