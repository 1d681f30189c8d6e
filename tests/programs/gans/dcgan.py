"""DCGAN: a generator of transposed convolutions against a convolutional discriminator."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

nz, ngf, ndf, nc = 16, 8, 8, 1
batch_size = 16
real_label, fake_label = 1.0, 0.0


class ConvTranspose2d(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels, kernel_size, kernel_size))
        self.stride, self.padding = stride, padding

    def forward(self, x):
        return F.conv_transpose2d(x, self.weight, stride=self.stride, padding=self.padding)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            ConvTranspose2d(nz, ngf * 2, 4, 1, 0),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            ConvTranspose2d(ngf * 2, ngf, 4, 2, 1),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            ConvTranspose2d(ngf, nc, 4, 2, 1),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input).view(-1)


def blobs(n, size=16):
    """Images with a bright disc each."""
    centres = torch.rand(n, 2) * 8 + 4
    grid = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij"), -1).float()
    distance = (grid[None] - centres[:, None, None]).pow(2).sum(-1)
    return torch.tanh(4 * torch.exp(-distance / 8) - 1).unsqueeze(1)


def main():
    torch.manual_seed(999)
    images = blobs(128)
    loader = DataLoader(TensorDataset(images), batch_size=batch_size, shuffle=True, drop_last=True)
    netG, netD = Generator(), Discriminator()
    netG.apply(weights_init)
    netD.apply(weights_init)
    criterion = nn.BCELoss()
    fixed_noise = torch.randn(4, nz, 1, 1)
    optimizerD = torch.optim.Adam(netD.parameters(), lr=0.0002, betas=(0.5, 0.999))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=0.0002, betas=(0.5, 0.999))

    for epoch in range(10000):
        for i, (data,) in enumerate(loader):
            netD.zero_grad()
            label = torch.full((data.size(0),), real_label)
            output = netD(data)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()

            noise = torch.randn(data.size(0), nz, 1, 1)
            fake = netG(noise)
            label.fill_(fake_label)
            output = netD(fake.detach())
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()

            netG.zero_grad()
            label.fill_(real_label)
            output = netD(fake)
            errG = criterion(output, label)
            errG.backward()
            optimizerG.step()
            yield errD.item(), errG.item(), D_x, D_G_z1

        with torch.no_grad():
            sample = netG(fixed_noise)
        assert F.pad(sample, (1, 1, 1, 1)).shape == (4, 1, 18, 18)
