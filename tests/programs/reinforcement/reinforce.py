"""REINFORCE with a baseline, after pytorch/examples: log-probabilities of an episode are kept in a list."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 32)
        self.affine2 = nn.Linear(32, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.affine2(x), dim=1)


class Corridor:
    """A walk on a line: the state is its place as four features; the right end pays."""

    def reset(self):
        self.place, self.time = 2, 0
        return self.features()

    def features(self):
        return [self.place / 5.0, 1.0, (self.place / 5.0) ** 2, self.time / 10.0]

    def step(self, action):
        self.place += 1 if action == 1 else -1
        self.time += 1
        done = self.place in (0, 5) or self.time == 10
        return self.features(), float(self.place == 5), done


def select_action(policy, state):
    state = torch.tensor(state, dtype=torch.float32).unsqueeze(0)
    probs = policy(state)
    action = torch.multinomial(probs, 1)
    policy.saved_log_probs.append(torch.log(probs.gather(1, action)).squeeze(1))
    return action.item()


def finish_episode(policy, optimizer, gamma=0.99, eps=1e-8):
    R = 0
    policy_loss = []
    returns = []
    for r in policy.rewards[::-1]:
        R = r + gamma * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std(unbiased=False) + eps)
    for log_prob, R in zip(policy.saved_log_probs, returns):
        policy_loss.append(-log_prob * R)
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_loss).sum()
    policy_loss.backward()
    optimizer.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]
    return policy_loss.item()


def main():
    torch.manual_seed(543)
    env, policy = Corridor(), Policy()
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)
    running_reward = 0.0
    for i_episode in range(10000):
        state, ep_reward, done = env.reset(), 0, False
        while not done:
            action = select_action(policy, state)
            state, reward, done = env.step(action)
            policy.rewards.append(reward)
            ep_reward += reward
        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
        yield finish_episode(policy, optimizer), running_reward
