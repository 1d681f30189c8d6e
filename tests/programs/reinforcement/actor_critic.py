"""An actor and a critic with one trunk, after pytorch/examples: a Categorical chooses, its log_prob is kept."""

from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 32)
        self.action_head = nn.Linear(32, 2)
        self.value_head = nn.Linear(32, 1)
        self.saved_actions = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        action_prob = F.softmax(self.action_head(x), dim=-1)
        state_values = self.value_head(x)
        return action_prob, state_values


class Corridor:
    """A walk on a line: the state is its place as four features; the right end pays; it ends after ten steps."""

    def reset(self):
        self.place, self.time = 2, 0
        return self.features()

    def features(self):
        return [self.place / 5.0, 1.0, (self.place / 5.0) ** 2, self.time / 10.0]

    def step(self, action):
        self.place = min(5, max(0, self.place + (1 if action == 1 else -1)))
        self.time += 1
        return self.features(), float(self.place == 5), self.time == 10


def select_action(model, state):
    state = torch.tensor(state)
    probs, state_value = model(state)
    m = Categorical(probs)
    action = m.sample()
    model.saved_actions.append(SavedAction(m.log_prob(action), state_value))
    return action.item()


def finish_episode(model, optimizer, gamma=0.99, eps=1e-7):
    R = 0
    policy_losses = []
    value_losses = []
    returns = []
    for r in model.rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for (log_prob, value), R in zip(model.saved_actions, returns):
        advantage = R - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, torch.tensor([R])))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:]
    del model.saved_actions[:]
    return loss.item()


def main():
    torch.manual_seed(543)
    env, model = Corridor(), Policy()
    optimizer = optim.Adam(model.parameters(), lr=3e-2)
    running_reward = 0.0
    for i_episode in range(10000):
        state, ep_reward, done = env.reset(), 0, False
        while not done:
            action = select_action(model, state)
            state, reward, done = env.step(action)
            model.rewards.append(reward)
            ep_reward += reward
        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
        yield finish_episode(model, optimizer), running_reward
