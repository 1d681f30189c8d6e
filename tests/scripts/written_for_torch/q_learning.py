"""A replay memory of tuples, a target network that follows slowly, gradients clamped in place."""

import collections
import copy
import random

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(7)
random.seed(0)
network = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
target = copy.deepcopy(network)
target.load_state_dict(network.state_dict())
optimizer = torch.optim.Adam(network.parameters(), amsgrad=True)
memory = collections.deque(maxlen=100)
for _ in range(60):
    action, reward = torch.tensor([[random.randrange(2)]]), torch.tensor([random.random()])
    memory.append((torch.randn(3), action, torch.randn(3), reward))
results = []
for _ in range(5):
    states, actions, following, rewards = zip(*random.sample(memory, 16), strict=True)
    values = network(torch.stack(states)).gather(1, torch.cat(actions))
    with torch.no_grad():
        expected = torch.cat(rewards) + 0.9 * target(torch.stack(following)).max(1).values
    loss = F.smooth_l1_loss(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    for parameter in network.parameters():
        parameter.grad.data.clamp_(-1, 1)
    optimizer.step()
    for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
        slow.data.copy_(0.1 * fast.data + 0.9 * slow.data)
    results.append(loss.item())
results += list(target.state_dict().values())
