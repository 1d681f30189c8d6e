"""DDPM: a linear schedule, sinusoidal time embeddings, noise prediction, ancestral sampling between epochs."""

import math

import torch
import torch.nn.functional as F
from torch import nn

timesteps, image_size, dim = 10, 8, 16


def extract(a, t, x_shape):
    b, *_ = t.shape
    out = a.gather(-1, t)
    return out.reshape(b, *((1,) * (len(x_shape) - 1)))


class SinusoidalPosEmb(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        half_dim = self.dim // 2
        emb = math.log(10000) / (half_dim - 1)
        emb = torch.exp(torch.arange(half_dim) * -emb)
        emb = x[:, None] * emb[None, :]
        return torch.cat((emb.sin(), emb.cos()), dim=-1)


class ResnetBlock(nn.Module):
    def __init__(self, dim, dim_out, time_emb_dim):
        super().__init__()
        self.mlp = nn.Sequential(nn.SiLU(), nn.Linear(time_emb_dim, dim_out * 2))
        self.conv1 = nn.Conv2d(dim, dim_out, 3, padding=1)
        self.conv2 = nn.Conv2d(dim_out, dim_out, 3, padding=1)
        self.norm1, self.norm2 = nn.GroupNorm(4, dim_out), nn.GroupNorm(4, dim_out)
        self.res_conv = nn.Conv2d(dim, dim_out, 1) if dim != dim_out else nn.Identity()

    def forward(self, x, time_emb):
        scale, shift = self.mlp(time_emb)[:, :, None, None].chunk(2, dim=1)
        h = F.silu(self.norm1(self.conv1(x)) * (scale + 1) + shift)
        h = F.silu(self.norm2(self.conv2(h)))
        return h + self.res_conv(x)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.time_mlp = nn.Sequential(SinusoidalPosEmb(dim), nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))
        self.init_conv = nn.Conv2d(1, dim, 3, padding=1)
        self.block1 = ResnetBlock(dim, dim, dim)
        self.block2 = ResnetBlock(2 * dim, dim, dim)
        self.final_conv = nn.Conv2d(dim, 1, 1)

    def forward(self, x, time):
        t = self.time_mlp(time)
        r = self.init_conv(x)
        x = self.block1(r, t)
        x = self.block2(torch.cat((x, r), dim=1), t)
        return self.final_conv(x)


class GaussianDiffusion(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        betas = torch.linspace(1e-3, 0.2, timesteps)
        alphas_cumprod = torch.cumprod(1.0 - betas, dim=0)
        previous = F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)
        self.register_buffer("betas", betas)
        self.register_buffer("sqrt_alphas_cumprod", torch.sqrt(alphas_cumprod))
        self.register_buffer("sqrt_one_minus_alphas_cumprod", torch.sqrt(1.0 - alphas_cumprod))
        self.register_buffer("sqrt_recip_alphas", torch.sqrt(1.0 / (1.0 - betas)))
        self.register_buffer("posterior_variance", betas * (1.0 - previous) / (1.0 - alphas_cumprod))

    def forward(self, x_start):
        t = torch.randint(0, timesteps, (x_start.shape[0],)).long()
        noise = torch.randn_like(x_start)
        x = (
            extract(self.sqrt_alphas_cumprod, t, x_start.shape) * x_start
            + extract(self.sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise
        )
        return F.mse_loss(self.model(x, t), noise)

    @torch.inference_mode()
    def p_sample(self, x, t):
        batched_times = torch.full((x.shape[0],), t, dtype=torch.long)
        predicted = self.model(x, batched_times)
        mean = extract(self.sqrt_recip_alphas, batched_times, x.shape) * (
            x
            - extract(self.betas, batched_times, x.shape)
            * predicted
            / extract(self.sqrt_one_minus_alphas_cumprod, batched_times, x.shape)
        )
        if t == 0:
            return mean
        return mean + torch.sqrt(extract(self.posterior_variance, batched_times, x.shape)) * torch.randn_like(x)


def main():
    torch.manual_seed(0)
    images = torch.sin(torch.linspace(0, 6.28, 8) + 6.28 * torch.rand(64, 1, 1, 1)).expand(64, 1, 8, 8).contiguous()
    diffusion = GaussianDiffusion(Denoiser())
    optimizer = torch.optim.Adam(diffusion.parameters(), lr=1e-3, betas=(0.9, 0.99))
    for epoch in range(10000):
        for batch in images[torch.randperm(64)].split(16):
            loss = diffusion(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(diffusion.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            yield loss.item()
        img = torch.randn(2, 1, image_size, image_size)
        for t in reversed(range(0, timesteps)):
            img = diffusion.p_sample(img, t)
        yield img.abs().mean().item()
