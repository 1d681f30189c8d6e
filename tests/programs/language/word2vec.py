"""Skip-gram with negative sampling: negatives from the unigram distribution to the power of three quarters."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

text = (
    "we are about to study the idea of a computational process computational processes are abstract beings that "
    "inhabit computers as they evolve processes manipulate other abstract things called data the evolution of a "
    "process is directed by a pattern of rules called a program people create programs to direct processes in effect "
    "we conjure the spirits of the computer with our spells"
).split()


class SkipGramModel(nn.Module):
    def __init__(self, emb_size, emb_dimension):
        super().__init__()
        self.u_embeddings = nn.Embedding(emb_size, emb_dimension)
        self.v_embeddings = nn.Embedding(emb_size, emb_dimension)
        initrange = 1.0 / emb_dimension
        nn.init.uniform_(self.u_embeddings.weight.data, -initrange, initrange)
        nn.init.constant_(self.v_embeddings.weight.data, 0)

    def forward(self, pos_u, pos_v, neg_v):
        emb_u = self.u_embeddings(pos_u)
        emb_v = self.v_embeddings(pos_v)
        emb_neg_v = self.v_embeddings(neg_v)
        score = torch.sum(torch.mul(emb_u, emb_v), dim=1)
        score = torch.clamp(score, max=10, min=-10)
        score = -F.logsigmoid(score)
        neg_score = torch.bmm(emb_neg_v, emb_u.unsqueeze(2)).squeeze()
        neg_score = torch.clamp(neg_score, max=10, min=-10)
        neg_score = -torch.sum(F.logsigmoid(-neg_score), dim=1)
        return torch.mean(score + neg_score)


def main():
    torch.manual_seed(0)
    random.seed(0)
    vocab = sorted(set(text))
    word2id = {w: i for i, w in enumerate(vocab)}
    counts = torch.zeros(len(vocab))
    for w in text:
        counts[word2id[w]] += 1
    unigram = (counts / counts.sum()) ** 0.75
    unigram /= unigram.sum()
    pairs = [
        (word2id[text[i]], word2id[text[j]])
        for i in range(len(text))
        for j in range(max(0, i - 2), min(len(text), i + 3))
        if i != j
    ]
    model = SkipGramModel(len(vocab), 20)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for iteration in range(10000):
        random.shuffle(pairs)
        for start in range(0, len(pairs) - 32, 32):
            batch = pairs[start : start + 32]
            pos_u = torch.tensor([u for u, _ in batch])
            pos_v = torch.tensor([v for _, v in batch])
            neg_v = torch.multinomial(unigram, 32 * 5, replacement=True).view(32, 5)
            optimizer.zero_grad()
            loss = model(pos_u, pos_v, neg_v)
            loss.backward()
            optimizer.step()
            yield loss.item()
        with torch.no_grad():
            query = model.u_embeddings.weight[word2id["process"]]
            similar = F.cosine_similarity(model.u_embeddings.weight, query.unsqueeze(0)).topk(3).indices.tolist()
            assert similar[0] == word2id["process"]
