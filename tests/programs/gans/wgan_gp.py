"""WGAN-GP on a ring of Gaussians: several critic steps for each step of the generator, with a gradient penalty."""

import math

import torch
import torch.autograd as autograd
import torch.nn as nn

DIM = 64
LAMBDA = 0.1
CRITIC_ITERS = 5
BATCH_SIZE = 64


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, DIM), nn.ReLU(True), nn.Linear(DIM, DIM), nn.ReLU(True), nn.Linear(DIM, DIM), nn.ReLU(True),
            nn.Linear(DIM, 2),
        )  # fmt: skip

    def forward(self, noise):
        return self.main(noise)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Linear(2, DIM), nn.ReLU(True), nn.Linear(DIM, DIM), nn.ReLU(True), nn.Linear(DIM, DIM), nn.ReLU(True),
            nn.Linear(DIM, 1),
        )  # fmt: skip

    def forward(self, inputs):
        return self.main(inputs).view(-1)


def inf_train_gen():
    scale = 2.0
    centers = torch.tensor([[scale * math.cos(math.pi * k / 4), scale * math.sin(math.pi * k / 4)] for k in range(8)])
    while True:
        which = torch.randint(0, 8, (BATCH_SIZE,))
        yield (centers[which] + 0.02 * torch.randn(BATCH_SIZE, 2)) / 1.414


def calc_gradient_penalty(netD, real_data, fake_data):
    alpha = torch.rand(BATCH_SIZE, 1)
    alpha = alpha.expand(real_data.size())
    interpolates = alpha * real_data + ((1 - alpha) * fake_data)
    interpolates = autograd.Variable(interpolates, requires_grad=True)
    disc_interpolates = netD(interpolates)
    gradients = autograd.grad(
        outputs=disc_interpolates,
        inputs=interpolates,
        grad_outputs=torch.ones(disc_interpolates.size()),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean() * LAMBDA


def main():
    torch.manual_seed(1)
    netG, netD = Generator(), Discriminator()
    optimizerD = torch.optim.Adam(netD.parameters(), lr=1e-4, betas=(0.5, 0.9))
    optimizerG = torch.optim.Adam(netG.parameters(), lr=1e-4, betas=(0.5, 0.9))
    one = torch.tensor(1, dtype=torch.float)
    mone = one * -1
    data = inf_train_gen()

    for iteration in range(10000):
        for p in netD.parameters():
            p.requires_grad = True
        for iter_d in range(CRITIC_ITERS):
            real_data = next(data)
            netD.zero_grad()
            D_real = netD(real_data).mean()
            D_real.backward(mone)

            noise = torch.randn(BATCH_SIZE, 2)
            with torch.no_grad():
                fake = netG(noise)
            D_fake = netD(fake).mean()
            D_fake.backward(one)

            gradient_penalty = calc_gradient_penalty(netD, real_data.data, fake.data)
            gradient_penalty.backward()
            D_cost = D_fake - D_real + gradient_penalty
            Wasserstein_D = D_real - D_fake
            optimizerD.step()

        for p in netD.parameters():
            p.requires_grad = False
        netG.zero_grad()
        noise = torch.randn(BATCH_SIZE, 2)
        G = netD(netG(noise)).mean()
        G.backward(mone)
        G_cost = -G
        optimizerG.step()
        yield D_cost.item(), G_cost.item(), Wasserstein_D.item()
