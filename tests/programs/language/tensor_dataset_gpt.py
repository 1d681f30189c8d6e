"""A small decoder whose Dataset computes with tensors: random spans, shifted targets, a weight for each position."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

block_size, n_embd, n_head, batch_size = 24, 32, 2, 8


class SpanDataset(Dataset):
    def __init__(self, text):
        self.vocab = sorted(set(text))
        self.encoded = torch.tensor([self.vocab.index(c) for c in text])

    def __len__(self):
        return len(self.encoded) - block_size - 1

    def __getitem__(self, i):
        span = self.encoded[i : i + block_size + 1]
        x, y = span[:-1].clone(), span[1:].clone()
        weight = torch.ones(block_size)
        weight[: block_size // 4] *= 0.5
        if torch.rand(1).item() < 0.5:
            where = torch.randint(0, block_size, (2,))
            x[where] = 0
        return x, y, weight


class Head(nn.Module):
    def __init__(self, head_size):
        super().__init__()
        self.key = nn.Linear(n_embd, head_size, bias=False)
        self.query = nn.Linear(n_embd, head_size, bias=False)
        self.value = nn.Linear(n_embd, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        k, q = self.key(x), self.query(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = F.softmax(wei, dim=-1)
        return wei @ self.value(x)


class MultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embd // n_head) for _ in range(n_head)])
        self.proj = nn.Linear(n_embd, n_embd)

    def forward(self, x):
        return self.proj(torch.cat([h(x) for h in self.heads], dim=-1))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.sa = MultiHeadAttention()
        self.ffwd = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd))
        self.ln1 = nn.LayerNorm(n_embd)
        self.ln2 = nn.LayerNorm(n_embd)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))


class BigramLanguageModel(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, n_embd)
        self.position_embedding_table = nn.Embedding(block_size, n_embd)
        self.blocks = nn.Sequential(Block(), Block())
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, idx):
        B, T = idx.shape
        x = self.token_embedding_table(idx) + self.position_embedding_table(torch.arange(T))
        return self.lm_head(self.ln_f(self.blocks(x)))


def main():
    torch.manual_seed(1337)
    dataset = SpanDataset("the quick brown fox jumps over the lazy dog and runs away from the quick brown bear. " * 10)
    loader = DataLoader(dataset, batch_size=batch_size, shuffle=True, drop_last=True)
    model = BigramLanguageModel(len(dataset.vocab))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(10000):
        for xb, yb, weight in loader:
            logits = model(xb)
            B, T, C = logits.shape
            loss = F.cross_entropy(logits.view(B * T, C), yb.view(B * T), reduction="none")
            loss = (loss * weight.view(-1)).sum() / weight.sum()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            yield loss.item()
