"""A conditional GAN: labels enter both networks through embeddings; samples of each class are drawn now and then."""

import numpy as np
import torch
import torch.nn as nn

n_classes, latent_dim, img_shape, batch_size = 4, 12, (1, 8, 8), 32


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.label_emb = nn.Embedding(n_classes, n_classes)

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(
            *block(latent_dim + n_classes, 32, normalize=False),
            *block(32, 64),
            *block(64, 128),
            nn.Linear(128, int(np.prod(img_shape))),
            nn.Tanh(),
        )

    def forward(self, noise, labels):
        gen_input = torch.cat((self.label_emb(labels), noise), -1)
        img = self.model(gen_input)
        return img.view(img.size(0), *img_shape)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.label_embedding = nn.Embedding(n_classes, n_classes)
        self.model = nn.Sequential(
            nn.Linear(n_classes + int(np.prod(img_shape)), 64),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(64, 64),
            nn.Dropout(0.0),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(64, 1),
        )

    def forward(self, img, labels):
        d_in = torch.cat((img.view(img.size(0), -1), self.label_embedding(labels)), -1)
        return self.model(d_in)


def sample_image(generator, n_row):
    """One image of each class per row, as numpy for plotting."""
    z = torch.from_numpy(np.random.normal(0, 1, (n_row * n_classes, latent_dim)).astype(np.float32))
    labels = torch.tensor([num for _ in range(n_row) for num in range(n_classes)], dtype=torch.long)
    generator.eval()
    with torch.no_grad():
        gen_imgs = generator(z, labels)
    generator.train()
    return gen_imgs.cpu().numpy().transpose(0, 2, 3, 1)


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    adversarial_loss = torch.nn.BCEWithLogitsLoss()
    generator, discriminator = Generator(), Discriminator()
    optimizer_G = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    optimizer_D = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    targets = torch.randint(0, n_classes, (256,))
    prototypes = torch.randn(n_classes, *img_shape)
    images = torch.tanh(prototypes[targets] + 0.1 * torch.randn(256, *img_shape))

    for epoch in range(10000):
        for start in range(0, 256, batch_size):
            real_imgs, labels = images[start : start + batch_size], targets[start : start + batch_size]
            valid = torch.ones(batch_size, 1)
            fake = torch.zeros(batch_size, 1)

            optimizer_G.zero_grad()
            z = torch.tensor(np.random.normal(0, 1, (batch_size, latent_dim)), dtype=torch.float32)
            gen_labels = torch.from_numpy(np.random.randint(0, n_classes, batch_size))
            gen_imgs = generator(z, gen_labels)
            g_loss = adversarial_loss(discriminator(gen_imgs, gen_labels), valid)
            g_loss.backward()
            optimizer_G.step()

            optimizer_D.zero_grad()
            d_real_loss = adversarial_loss(discriminator(real_imgs, labels), valid)
            d_fake_loss = adversarial_loss(discriminator(gen_imgs.detach(), gen_labels), fake)
            d_loss = (d_real_loss + d_fake_loss) / 2
            d_loss.backward()
            optimizer_D.step()
            yield d_loss.item(), g_loss.item()
        assert sample_image(generator, n_row=2).shape == (8, 8, 8, 1)
