"""VQ-VAE with a codebook that moves as an exponential average; straight-through gradients; perplexity."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, commitment_cost, decay, epsilon=1e-5):
        super().__init__()
        self._embedding_dim, self._num_embeddings = embedding_dim, num_embeddings
        self._embedding = nn.Embedding(num_embeddings, embedding_dim)
        self._embedding.weight.data.normal_()
        self._commitment_cost = commitment_cost
        self.register_buffer("_ema_cluster_size", torch.zeros(num_embeddings))
        self._ema_w = nn.Parameter(torch.Tensor(num_embeddings, embedding_dim))
        self._ema_w.data.normal_()
        self._decay, self._epsilon = decay, epsilon

    def forward(self, inputs):
        inputs = inputs.permute(0, 2, 3, 1).contiguous()
        input_shape = inputs.shape
        flat_input = inputs.view(-1, self._embedding_dim)
        distances = (
            torch.sum(flat_input**2, dim=1, keepdim=True)
            + torch.sum(self._embedding.weight**2, dim=1)
            - 2 * torch.matmul(flat_input, self._embedding.weight.t())
        )
        encoding_indices = torch.argmin(distances, dim=1).unsqueeze(1)
        encodings = torch.zeros(encoding_indices.shape[0], self._num_embeddings, device=inputs.device)
        encodings.scatter_(1, encoding_indices, 1)
        quantized = torch.matmul(encodings, self._embedding.weight).view(input_shape)
        if self.training:
            self._ema_cluster_size = self._ema_cluster_size * self._decay + (1 - self._decay) * torch.sum(encodings, 0)
            n = torch.sum(self._ema_cluster_size.data)
            self._ema_cluster_size = (
                (self._ema_cluster_size + self._epsilon) / (n + self._num_embeddings * self._epsilon) * n
            )
            dw = torch.matmul(encodings.t(), flat_input)
            self._ema_w = nn.Parameter(self._ema_w * self._decay + (1 - self._decay) * dw)
            self._embedding.weight = nn.Parameter(self._ema_w / self._ema_cluster_size.unsqueeze(1))
        e_latent_loss = F.mse_loss(quantized.detach(), inputs)
        loss = self._commitment_cost * e_latent_loss
        quantized = inputs + (quantized - inputs).detach()
        avg_probs = torch.mean(encodings, dim=0)
        perplexity = torch.exp(-torch.sum(avg_probs * torch.log(avg_probs + 1e-10)))
        return loss, quantized.permute(0, 3, 1, 2).contiguous(), perplexity


class Residual(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self._block = nn.Sequential(
            nn.ReLU(True), nn.Conv2d(channels, hidden, 3, padding=1, bias=False), nn.ReLU(True),
            nn.Conv2d(hidden, channels, 1, bias=False),
        )  # fmt: skip

    def forward(self, x):
        return x + self._block(x)


class Model(nn.Module):
    def __init__(self, hidden=12, embedding_dim=6, num_embeddings=16):
        super().__init__()
        self._down1 = nn.Conv2d(3, hidden // 2, 4, stride=2, padding=1)
        self._down2 = nn.Conv2d(hidden // 2, hidden, 4, stride=2, padding=1)
        self._encoder_residual = Residual(hidden, 8)
        self._pre_vq_conv = nn.Conv2d(hidden, embedding_dim, 1)
        self._vq_vae = VectorQuantizerEMA(num_embeddings, embedding_dim, 0.25, 0.99)
        self._conv_1 = nn.Conv2d(embedding_dim, hidden, 3, padding=1)
        self._decoder_residual = Residual(hidden, 8)
        self._to_pixels = nn.Conv2d(hidden, 3 * 16, 3, padding=1)

    def forward(self, x):
        z = self._down2(F.relu(self._down1(x)))
        z = self._pre_vq_conv(F.relu(self._encoder_residual(z)))
        loss, quantized, perplexity = self._vq_vae(z)
        h = F.relu(self._decoder_residual(self._conv_1(quantized)))
        return loss, F.pixel_shuffle(self._to_pixels(h), 4), perplexity


def main():
    torch.manual_seed(0)
    data = torch.rand(64, 3, 1, 16) * torch.ones(64, 3, 16, 16) - 0.5
    data_variance = data.var().item()
    model = Model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, amsgrad=False)
    model.train()
    train_res_recon_error, train_res_perplexity = [], []
    for i in range(10000):
        batch = data[torch.randint(0, 64, (8,))]
        optimizer.zero_grad()
        vq_loss, data_recon, perplexity = model(batch)
        recon_error = F.mse_loss(data_recon, batch) / data_variance
        loss = recon_error + vq_loss
        loss.backward()
        optimizer.step()
        train_res_recon_error.append(recon_error.item())
        train_res_perplexity.append(perplexity.item())
        yield train_res_recon_error[-1], train_res_perplexity[-1]
