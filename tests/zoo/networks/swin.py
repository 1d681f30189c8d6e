"""A Swin-like transformer: attention in windows that shift, with relative positions. Liu et al., arXiv:2103.14030.

Windows never exceed the feature map, so that small images are possible.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


def window_partition(x, window):
    B, H, W, C = x.shape
    x = x.view(B, H // window, window, W // window, window, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, window * window, C)


def window_reverse(windows, window, H, W):
    B = windows.shape[0] // (H // window * (W // window))
    x = windows.view(B, H // window, W // window, window, window, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(B, H, W, -1)


def shifted_mask(resolution, window, shift):
    """Which places of a window were neighbours before the shift."""
    regions = torch.zeros(1, resolution, resolution, 1)
    slices = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
    count = 0
    for h in slices:
        for w in slices:
            regions[:, h, w, :] = count
            count += 1
    windows = window_partition(regions, window).squeeze(-1)
    differences = windows.unsqueeze(1) - windows.unsqueeze(2)
    return torch.zeros_like(differences).masked_fill(differences != 0, -100.0)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.window, self.heads, self.scale = window, heads, (dim // heads) ** -0.5
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        coords = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0) + window - 1
        self.register_buffer("index", (relative[..., 0] * (2 * window - 1) + relative[..., 1]).reshape(-1))
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        nn.init.trunc_normal_(self.table, std=0.02)

    def forward(self, x, mask):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        attn = attn + self.table[self.index].view(N, N, self.heads).permute(2, 0, 1).unsqueeze(0)
        if mask is not None:
            attn = attn.view(B // mask.shape[0], mask.shape[0], self.heads, N, N) + mask.unsqueeze(1).unsqueeze(0)
            attn = attn.view(-1, self.heads, N, N)
        x = F.softmax(attn, dim=-1) @ v
        return self.proj(x.transpose(1, 2).reshape(B, N, C))


class Block(nn.Module):
    def __init__(self, dim, heads, resolution, window, shift):
        super().__init__()
        self.window = min(window, resolution)
        self.shift = shift if resolution > window else 0
        self.norm1 = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, self.window, heads)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.register_buffer("mask", shifted_mask(resolution, self.window, self.shift) if self.shift else None)

    def forward(self, x):
        _, H, W, _ = x.shape
        shortcut, x = x, self.norm1(x)
        if self.shift:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        x = window_reverse(self.attn(window_partition(x, self.window), self.mask), self.window, H, W)
        if self.shift:
            x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        x = shortcut + x
        return x + self.mlp(self.norm2(x))


class PatchMerging(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(4 * dim)
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)

    def forward(self, x):
        x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
        return self.reduction(self.norm(x))


class Swin(nn.Module):
    def __init__(self, image, patch, dim, depths, heads, window, num_classes):
        super().__init__()
        resolution = image // patch
        self.patch_embed = nn.Conv2d(3, dim, patch, stride=patch)
        self.patch_norm = nn.LayerNorm(dim)
        layers = []
        for i, depth in enumerate(depths):
            if i > 0:
                layers.append(PatchMerging(dim))
                dim, resolution = 2 * dim, resolution // 2
            shifts = [0 if j % 2 == 0 else window // 2 for j in range(depth)]
            layers += [Block(dim, heads[i], resolution, window, shift) for shift in shifts]
        self.layers = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.trunc_normal_(m.weight, std=0.02)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.patch_norm(self.patch_embed(x).permute(0, 2, 3, 1))
        return self.head(self.norm(self.layers(x)).mean([1, 2]))


def swin_t(image, tiny=False):
    if tiny:
        return Swin(image, 4, 8, [2], [2], 4, 10)
    window = 7 if image % 224 == 0 else 4
    return Swin(image, 4, 96, [2, 2, 6, 2], [3, 6, 12, 24], window, 1000)
