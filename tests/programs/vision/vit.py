"""A vision transformer: patches, a class token, attention by einsum, a cosine schedule written by hand."""

import math

import torch
import torch.nn.functional as F
from torch import einsum, nn


class FeedForward(nn.Module):
    def __init__(self, dim, hidden_dim, dropout=0.0):
        super().__init__()
        self.net = nn.Sequential(
            nn.LayerNorm(dim), nn.Linear(dim, hidden_dim), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden_dim, dim),
            nn.Dropout(dropout),
        )  # fmt: skip

    def forward(self, x):
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=8):
        super().__init__()
        self.heads, self.scale = heads, dim_head**-0.5
        self.norm = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3, bias=False)
        self.to_out = nn.Linear(heads * dim_head, dim)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.to_qkv(self.norm(x)).chunk(3, dim=-1)
        q, k, v = (t.reshape(b, n, self.heads, -1).permute(0, 2, 1, 3) for t in (q, k, v))
        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        attn = dots.softmax(dim=-1)
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.permute(0, 2, 1, 3).reshape(b, n, -1))


class Transformer(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.layers = nn.ModuleList([])
        for _ in range(depth):
            self.layers.append(nn.ModuleList([Attention(dim), FeedForward(dim, 2 * dim)]))

    def forward(self, x):
        for attn, ff in self.layers:
            x = attn(x) + x
            x = ff(x) + x
        return self.norm(x)


class ViT(nn.Module):
    def __init__(self, image_size=16, patch_size=4, num_classes=4, dim=32, depth=2, channels=3):
        super().__init__()
        self.p = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.to_patch_embedding = nn.Linear(channels * patch_size**2, dim)
        self.pos_embedding = nn.Parameter(torch.randn(1, num_patches + 1, dim) * 0.02)
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.transformer = Transformer(dim, depth)
        self.mlp_head = nn.Linear(dim, num_classes)

    def forward(self, img):
        b, c, h, w = img.shape
        x = img.reshape(b, c, h // self.p, self.p, w // self.p, self.p).permute(0, 2, 4, 3, 5, 1)
        x = self.to_patch_embedding(x.reshape(b, (h // self.p) * (w // self.p), -1))
        x = torch.cat((self.cls_token.expand(b, -1, -1), x), dim=1)
        x = x + self.pos_embedding[:, : x.shape[1]]
        return self.mlp_head(self.transformer(x)[:, 0])


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, 4, (64,))
    images = torch.randn(4, 3, 16, 16)[labels] + torch.randn(64, 3, 16, 16)
    model = ViT()
    base_lr, warmup, total = 1e-3, 5, 200
    optimizer = torch.optim.AdamW(model.parameters(), lr=base_lr, weight_decay=0.05)
    step = 0
    for epoch in range(10000):
        for i in range(0, 64, 16):
            lr = (
                base_lr * (step + 1) / warmup
                if step < warmup
                else 0.5 * base_lr * (1 + math.cos(math.pi * step / total))
            )
            for group in optimizer.param_groups:
                group["lr"] = lr
            logits = model(images[i : i + 16])
            loss = F.cross_entropy(logits, labels[i : i + 16], label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            yield loss.item()
