"""Sequences of different lengths: a collate function pads each batch to its longest; pooling under a mask."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, n, vocab_size):
        self.items = []
        for _ in range(n):
            length = int(torch.randint(4, 20, (1,)))
            tokens = torch.randint(1, vocab_size, (length,))
            self.items.append((tokens, int(tokens.float().mean() > vocab_size / 2)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_batch(batch):
    lengths = torch.tensor([len(tokens) for tokens, _ in batch])
    labels = torch.tensor([label for _, label in batch], dtype=torch.float32)
    padded = torch.zeros(len(batch), int(lengths.max()), dtype=torch.long)
    for i, (tokens, _) in enumerate(batch):
        padded[i, : len(tokens)] = tokens
    return padded, lengths, labels


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, dim=24):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.score = nn.Linear(dim, 1)
        self.fc = nn.Linear(dim, 1)

    def forward(self, tokens, lengths):
        mask = torch.arange(tokens.size(1))[None, :] < lengths[:, None]
        x = self.embedding(tokens)
        x = F.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        weights = self.score(x).squeeze(-1).masked_fill(~mask, -1e9).softmax(dim=-1)
        pooled = (x * weights.unsqueeze(-1)).sum(dim=1)
        return self.fc(pooled).squeeze(-1)


def main():
    torch.manual_seed(0)
    dataset = Reviews(200, 50)
    loader = DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate_batch)
    model = TextClassifier(50)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(10000):
        total_acc, total_count = 0, 0
        for tokens, lengths, labels in loader:
            predicted = model(tokens, lengths)
            loss = F.binary_cross_entropy_with_logits(predicted, labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            total_acc += ((predicted > 0) == labels.bool()).sum().item()
            total_count += labels.size(0)
            yield loss.item(), total_acc / total_count
