"""REINFORCE: actions drawn one by one, returns computed in Python."""

import torch
from torch import nn

torch.manual_seed(5)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), 1e-2)
results = []
for _ in range(3):
    chosen, rewards = [], []
    state = torch.randn(4)
    for _ in range(12):
        log_probabilities = torch.log_softmax(policy(state), -1)
        action = torch.multinomial(log_probabilities.exp(), 1).item()
        chosen.append(log_probabilities[action])
        rewards.append(float((state[0] > 0) == action))
        state = 0.9 * state + 0.1 * torch.randn(4)
    total, returns = 0.0, []
    for reward in reversed(rewards):
        total = reward + 0.99 * total
        returns.insert(0, total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(chosen) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    results.append(loss.item())
