"""A small CycleGAN: two generators of residual blocks, instance normalization, a buffer of earlier fakes."""

import itertools
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class InstanceNorm2d(nn.Module):
    def __init__(self, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        mean = x.mean(dim=(2, 3), keepdim=True)
        var = x.var(dim=(2, 3), keepdim=True, unbiased=False)
        return (x - mean) / torch.sqrt(var + self.eps)


class ResidualBlock(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv1 = nn.Conv2d(features, features, 3)
        self.conv2 = nn.Conv2d(features, features, 3)
        self.norm = InstanceNorm2d()

    def forward(self, x):
        h = F.relu(self.norm(self.conv1(F.pad(x, (1, 1, 1, 1), mode="reflect"))))
        return x + self.norm(self.conv2(F.pad(h, (1, 1, 1, 1), mode="reflect")))


class GeneratorResNet(nn.Module):
    def __init__(self, channels=3, width=8, num_residual_blocks=1):
        super().__init__()
        self.first = nn.Conv2d(channels, width, 3, padding=1)
        self.down = nn.Conv2d(width, width * 2, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*[ResidualBlock(width * 2) for _ in range(num_residual_blocks)])
        self.up = nn.Conv2d(width * 2, width, 3, padding=1)
        self.last = nn.Conv2d(width, channels, 3, padding=1)
        self.norm = InstanceNorm2d()

    def forward(self, x):
        x = F.relu(self.norm(self.first(x)))
        x = F.relu(self.norm(self.down(x)))
        x = self.blocks(x)
        x = F.relu(self.norm(self.up(F.interpolate(x, scale_factor=2, mode="nearest"))))
        return torch.tanh(self.last(x))


class Discriminator(nn.Module):
    def __init__(self, channels=3, width=8):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(channels, width, 4, stride=2, padding=1),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width, width * 2, 4, stride=2, padding=1),
            InstanceNorm2d(),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(width * 2, 1, 3, padding=1),
        )

    def forward(self, img):
        return self.model(img)


class ReplayBuffer:
    def __init__(self, max_size=8):
        self.max_size = max_size
        self.data = []

    def push_and_pop(self, data):
        to_return = []
        for element in data.data:
            element = torch.unsqueeze(element, 0)
            if len(self.data) < self.max_size:
                self.data.append(element)
                to_return.append(element)
            elif random.uniform(0, 1) > 0.5:
                i = random.randint(0, self.max_size - 1)
                to_return.append(self.data[i].clone())
                self.data[i] = element
            else:
                to_return.append(element)
        return torch.cat(to_return)


def main():
    torch.manual_seed(0)
    random.seed(0)
    G_AB, G_BA, D_A, D_B = GeneratorResNet(), GeneratorResNet(), Discriminator(), Discriminator()
    criterion_GAN, criterion_cycle, criterion_identity = nn.MSELoss(), nn.L1Loss(), nn.L1Loss()
    optimizer_G = torch.optim.Adam(itertools.chain(G_AB.parameters(), G_BA.parameters()), lr=0.0002, betas=(0.5, 0.999))
    optimizer_D_A = torch.optim.Adam(D_A.parameters(), lr=0.0002, betas=(0.5, 0.999))
    optimizer_D_B = torch.optim.Adam(D_B.parameters(), lr=0.0002, betas=(0.5, 0.999))
    fake_A_buffer, fake_B_buffer = ReplayBuffer(), ReplayBuffer()
    images_A = torch.rand(32, 3, 16, 16) * 0.5
    images_B = 1 - torch.rand(32, 3, 16, 16) * 0.5

    for step in range(10000):
        pick = torch.randint(0, 32, (2,))
        real_A, real_B = images_A[pick], images_B[pick]
        valid = torch.ones(2, 1, 4, 4)
        fake = torch.zeros(2, 1, 4, 4)

        optimizer_G.zero_grad()
        loss_identity = (criterion_identity(G_BA(real_A), real_A) + criterion_identity(G_AB(real_B), real_B)) / 2
        fake_B, fake_A = G_AB(real_A), G_BA(real_B)
        loss_GAN = (criterion_GAN(D_B(fake_B), valid) + criterion_GAN(D_A(fake_A), valid)) / 2
        loss_cycle = (criterion_cycle(G_BA(fake_B), real_A) + criterion_cycle(G_AB(fake_A), real_B)) / 2
        loss_G = loss_GAN + 10.0 * loss_cycle + 5.0 * loss_identity
        loss_G.backward()
        optimizer_G.step()

        losses_D = []
        for D, optimizer, real, made, buffer in (
            (D_A, optimizer_D_A, real_A, fake_A, fake_A_buffer),
            (D_B, optimizer_D_B, real_B, fake_B, fake_B_buffer),
        ):
            optimizer.zero_grad()
            loss_real = criterion_GAN(D(real), valid)
            loss_fake = criterion_GAN(D(buffer.push_and_pop(made).detach()), fake)
            loss_D = (loss_real + loss_fake) / 2
            loss_D.backward()
            optimizer.step()
            losses_D.append(loss_D.item())
        yield loss_G.item(), sum(losses_D) / 2
