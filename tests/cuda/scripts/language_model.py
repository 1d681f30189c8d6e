"""A recurrent language model that is moved by ``.cuda()``, trained, and asked for tokens one by one."""

import torch
from torch import nn

VOCABULARY = 11


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 6)
        self.rnn = nn.LSTM(6, 5, batch_first=True)
        self.head = nn.Linear(5, VOCABULARY)

    def forward(self, tokens, state=None):
        out, state = self.rnn(self.embedding(tokens), state)
        return self.head(out), state


def main(device):
    use_cuda = torch.device(device).type == "cuda" and torch.cuda.is_available()
    if use_cuda:
        torch.cuda.manual_seed_all(1)
        torch.backends.cudnn.benchmark = False
    model = Model()
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.sin(torch.arange(p.numel(), dtype=torch.float32)).reshape(p.shape) * 0.4)
    tokens = torch.arange(28).reshape(4, 7) % VOCABULARY
    if use_cuda:
        model = model.cuda()
        tokens = tokens.cuda(non_blocking=True)
    assert all(p.is_cuda == use_cuda for p in model.parameters())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, fused=use_cuda)

    best = float("inf")
    for _ in range(4):
        logits, _ = model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.reshape(-1, VOCABULARY), tokens[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < best:
            best = loss.item()
        yield best

    state = (torch.zeros(1, 4, 5, device=tokens.device), torch.zeros(1, 4, 5, device=tokens.device))
    token = tokens[:, :1]
    with torch.no_grad():
        for _ in range(3):
            logits, state = model(token, state)
            token = logits[:, -1].argmax(-1, keepdim=True)
            yield token.sum().item()
    values, places = torch.topk(logits[0, 0], 3)
    yield places.cpu().numpy().sum()
    yield values.sum().item()
