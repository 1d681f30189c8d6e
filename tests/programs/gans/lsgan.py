"""LSGAN in the manner of PyTorch-GAN: an upsampling generator, spatial dropout of rate 0, least squares."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch_size", type=int, default=16)
parser.add_argument("--lr", type=float, default=0.0002)
parser.add_argument("--latent_dim", type=int, default=20)
parser.add_argument("--img_size", type=int, default=16)
parser.add_argument("--channels", type=int, default=1)
opt = parser.parse_args([])


class Stripes(Dataset):
    def __init__(self, n):
        self.phase = torch.rand(n) * 6.28
        self.line = torch.linspace(0, 6.28, opt.img_size)

    def __len__(self):
        return len(self.phase)

    def __getitem__(self, index):
        img = torch.sin(self.line + self.phase[index]).expand(opt.img_size, -1)
        return img.unsqueeze(0), index


class Upsample(nn.Module):
    def __init__(self, scale_factor):
        super().__init__()
        self.scale_factor = scale_factor

    def forward(self, x):
        return F.interpolate(x, scale_factor=self.scale_factor)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.init_size = opt.img_size // 4
        self.l1 = nn.Sequential(nn.Linear(opt.latent_dim, 16 * self.init_size**2))
        self.conv_blocks = nn.Sequential(
            Upsample(scale_factor=2),
            nn.Conv2d(16, 16, 3, stride=1, padding=1),
            nn.BatchNorm2d(16, 0.8),
            nn.LeakyReLU(0.2, inplace=True),
            Upsample(scale_factor=2),
            nn.Conv2d(16, 8, 3, stride=1, padding=1),
            nn.BatchNorm2d(8, 0.8),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(8, opt.channels, 3, stride=1, padding=1),
            nn.Tanh(),
        )

    def forward(self, z):
        out = self.l1(z)
        out = out.view(out.shape[0], 16, self.init_size, self.init_size)
        return self.conv_blocks(out)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()

        def discriminator_block(in_filters, out_filters, bn=True):
            block = [nn.Conv2d(in_filters, out_filters, 3, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Dropout2d(0.0)]
            if bn:
                block.append(nn.BatchNorm2d(out_filters, 0.8))
            return block

        self.model = nn.Sequential(
            *discriminator_block(opt.channels, 8, bn=False),
            *discriminator_block(8, 16),
            *discriminator_block(16, 32),
        )
        ds_size = opt.img_size // 2**3
        self.adv_layer = nn.Linear(32 * ds_size**2, 1)

    def forward(self, img):
        out = self.model(img)
        out = out.view(out.shape[0], -1)
        return self.adv_layer(out)


def main():
    torch.manual_seed(0)
    adversarial_loss = torch.nn.MSELoss()
    generator, discriminator = Generator(), Discriminator()
    dataloader = DataLoader(Stripes(96), batch_size=opt.batch_size, shuffle=True)
    optimizer_G = torch.optim.Adam(generator.parameters(), lr=opt.lr, betas=(0.5, 0.999))
    optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=opt.lr, betas=(0.5, 0.999))

    for epoch in range(10000):
        for i, (imgs, _) in enumerate(dataloader):
            valid = torch.ones(imgs.shape[0], 1, requires_grad=False)
            fake = torch.zeros(imgs.shape[0], 1, requires_grad=False)
            real_imgs = imgs.type(torch.FloatTensor)

            optimizer_G.zero_grad()
            z = torch.randn(imgs.shape[0], opt.latent_dim)
            gen_imgs = generator(z)
            g_loss = adversarial_loss(discriminator(gen_imgs), valid)
            g_loss.backward()
            optimizer_G.step()

            optimizer_D.zero_grad()
            real_loss = adversarial_loss(discriminator(real_imgs), valid)
            fake_loss = adversarial_loss(discriminator(gen_imgs.detach()), fake)
            d_loss = 0.5 * (real_loss + fake_loss)
            d_loss.backward()
            optimizer_D.step()
            yield d_loss.item(), g_loss.item()
