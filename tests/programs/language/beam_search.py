"""Beam search over a small recurrent model: a list of hypotheses, each a tensor of tokens with a score."""

import torch
import torch.nn as nn
import torch.nn.functional as F

vocab, hidden, bos, eos = 25, 24, 0, 1


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(vocab, hidden)
        self.i2h = nn.Linear(hidden, hidden)
        self.h2h = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def step(self, token, state):
        state = torch.tanh(self.i2h(self.embed(token)) + self.h2h(state))
        return F.log_softmax(self.out(state), dim=-1), state


@torch.no_grad()
def beam_search(model, state, beam_size=4, max_len=10, alpha=0.6):
    """Hypotheses as rows of one batch; finished ones are set aside."""
    sequences = torch.full((1, 1), bos, dtype=torch.long)
    scores = torch.zeros(1)
    finished = []
    for t in range(max_len):
        log_probs, state = model.step(sequences[:, -1], state)
        candidates = scores.unsqueeze(1) + log_probs
        top_scores, top_indices = candidates.view(-1).topk(beam_size)
        beam_idx = top_indices // vocab
        token_idx = top_indices % vocab
        sequences = torch.cat([sequences[beam_idx], token_idx.unsqueeze(1)], dim=1)
        state = state[beam_idx]
        scores = top_scores
        alive = token_idx != eos
        for i in range(beam_size):
            if not alive[i]:
                length_penalty = ((5 + sequences.size(1)) / 6) ** alpha
                finished.append((scores[i].item() / length_penalty, sequences[i].tolist()))
        if not alive.any():
            break
        sequences, state, scores = sequences[alive], state[alive], scores[alive]
        beam_size = int(alive.sum())
    for score, sequence in zip(scores.tolist(), sequences.tolist()):
        finished.append((score / ((5 + len(sequence)) / 6) ** alpha, sequence))
    return max(finished)


def main():
    torch.manual_seed(0)
    model = LM()
    model.eval()
    for sentence in range(10000):
        score, sequence = beam_search(model, torch.randn(1, hidden))
        yield score, float(len(sequence)), float(sequence[-1])
