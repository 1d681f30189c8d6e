"""Beam search over a table of transitions; integer arithmetic on what topk returns."""

import torch

torch.manual_seed(8)
steps = torch.log_softmax(torch.randn(6, 10), -1)
transitions = torch.log_softmax(torch.randn(10, 10), -1)
scores, last = steps[0].topk(3)
sequences = last.unsqueeze(1)
for step in steps[1:]:
    candidates = scores.unsqueeze(1) + transitions[sequences[:, -1]] + step
    scores, flat = candidates.view(-1).topk(3)
    beam, token = torch.div(flat, 10, rounding_mode="floor"), flat % 10
    sequences = torch.cat([sequences[beam], token.unsqueeze(1)], 1)
results = [sequences, scores]
