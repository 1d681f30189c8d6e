"""Recommendations: biased matrix factorization on embeddings, users with negative samples, hit ratio at k."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

n_users, n_items = 40, 60


class Interactions(Dataset):
    def __init__(self, positives, num_negatives, rng):
        self.positives, self.num_negatives, self.rng = positives, num_negatives, rng
        self.seen = set(map(tuple, positives))

    def ng_sample(self):
        self.features, self.labels = [], []
        for u, i in self.positives:
            self.features.append((u, i))
            self.labels.append(1.0)
            for _ in range(self.num_negatives):
                j = int(self.rng.integers(n_items))
                while (u, j) in self.seen:
                    j = int(self.rng.integers(n_items))
                self.features.append((u, j))
                self.labels.append(0.0)

    def __len__(self):
        return len(self.features)

    def __getitem__(self, idx):
        user, item = self.features[idx]
        return user, item, self.labels[idx]


class MatrixFactorization(nn.Module):
    def __init__(self, n_factors=8):
        super().__init__()
        self.user_factors = nn.Embedding(n_users, n_factors)
        self.item_factors = nn.Embedding(n_items, n_factors)
        self.user_biases = nn.Embedding(n_users, 1)
        self.item_biases = nn.Embedding(n_items, 1)
        for embedding in (self.user_factors, self.item_factors, self.user_biases, self.item_biases):
            nn.init.normal_(embedding.weight, std=0.1)

    def forward(self, user, item):
        pred = self.user_biases(user) + self.item_biases(item)
        pred += (self.user_factors(user) * self.item_factors(item)).sum(dim=1, keepdim=True)
        return pred.squeeze()


def hit_ratio(model, held_out, top_k=10):
    hits = []
    with torch.no_grad():
        for user, item in held_out:
            predictions = model(torch.full((n_items,), user), torch.arange(n_items))
            _, indices = torch.topk(predictions, top_k)
            recommends = indices.cpu().numpy().tolist()
            hits.append(1 if item in recommends else 0)
    return np.mean(hits)


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    positives = sorted({(int(rng.integers(n_users)), int(rng.integers(n_items))) for _ in range(300)})
    held_out, positives = positives[:8], positives[8:]
    train_dataset = Interactions(positives, 1, rng)
    model = MatrixFactorization()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10000):
        train_dataset.ng_sample()
        train_loader = DataLoader(train_dataset, batch_size=64, shuffle=True)
        model.train()
        total = 0.0
        for user, item, label in train_loader:
            label = label.float()
            model.zero_grad()
            loss = F.binary_cross_entropy_with_logits(model(user, item), label)
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        yield total, float(hit_ratio(model, held_out))
