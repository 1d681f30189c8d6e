"""Prototypical networks: episodes of classes drawn anew, distances to class means."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

n_way, k_shot, n_query = 4, 3, 4


def conv_block(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1), nn.BatchNorm2d(out_channels), nn.ReLU(), nn.MaxPool2d(2)
    )


class ConvNet(nn.Module):
    def __init__(self, x_dim=1, hid_dim=8, z_dim=8):
        super().__init__()
        self.encoder = nn.Sequential(conv_block(x_dim, hid_dim), conv_block(hid_dim, z_dim))

    def forward(self, x):
        x = self.encoder(x)
        return x.view(x.size(0), -1)


def euclidean_dist(x, y):
    n, m, d = x.size(0), y.size(0), x.size(1)
    x = x.unsqueeze(1).expand(n, m, d)
    y = y.unsqueeze(0).expand(n, m, d)
    return torch.pow(x - y, 2).sum(2)


def prototypical_loss(input, target):
    classes = torch.unique(target)
    n_classes = len(classes)

    def supp_idxs(c):
        return target.eq(c).nonzero()[:k_shot].squeeze(1)

    support_idxs = list(map(supp_idxs, classes))
    prototypes = torch.stack([input[idx_list].mean(0) for idx_list in support_idxs])
    query_idxs = torch.stack([target.eq(c).nonzero()[k_shot:] for c in classes]).view(-1)
    query_samples = input[query_idxs]
    dists = euclidean_dist(query_samples, prototypes)
    log_p_y = F.log_softmax(-dists, dim=1).view(n_classes, n_query, -1)
    target_inds = torch.arange(0, n_classes).view(n_classes, 1, 1).expand(n_classes, n_query, 1).long()
    loss_val = -log_p_y.gather(2, target_inds).squeeze().view(-1).mean()
    _, y_hat = log_p_y.max(2)
    acc_val = y_hat.eq(target_inds.squeeze(2)).float().mean()
    return loss_val, acc_val


def main():
    torch.manual_seed(7)
    random.seed(7)
    prototypes = torch.randn(12, 1, 12, 12)
    model = ConvNet()
    optim = torch.optim.Adam(params=model.parameters(), lr=0.001)
    for epoch in range(10000):
        chosen = random.sample(range(12), n_way)
        y = torch.tensor(chosen).repeat_interleave(k_shot + n_query)
        x = prototypes[y] + 2.5 * torch.randn(len(y), 1, 12, 12)
        order = torch.randperm(len(y))
        x, y = x[order], y[order]
        optim.zero_grad()
        loss, acc = prototypical_loss(model(x), y)
        loss.backward()
        optim.step()
        yield loss.item(), acc.item()
