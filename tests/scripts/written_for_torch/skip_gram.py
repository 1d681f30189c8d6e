"""Word vectors by negative sampling."""

import itertools

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(1)
words = nn.Embedding(50, 8)
contexts = nn.Embedding(50, 8, _weight=torch.zeros(50, 8))
optimizer = torch.optim.SGD(
    itertools.chain(words.parameters(), contexts.parameters()), lr=0.5, momentum=0.9, nesterov=True
)
results = []
for _ in range(8):
    center, near = torch.randint(0, 50, (32,)), torch.randint(0, 50, (32,))
    vectors = words(center)
    likely = F.logsigmoid((vectors * contexts(near)).sum(-1))
    noise = contexts(torch.randint(0, 50, (32, 5))).neg()
    unlikely = F.logsigmoid(torch.bmm(noise, vectors.unsqueeze(2)).squeeze(2)).sum(1)
    loss = -(likely + unlikely).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    results.append(loss.item())
