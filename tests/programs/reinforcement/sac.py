"""Soft actor-critic: twin critics with targets, a squashed Gaussian actor, a learned temperature, a ring of tensors."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

obs_dim, act_dim, buffer_size, batch_size = 3, 1, 200, 32
LOG_STD_MAX, LOG_STD_MIN = 2, -5


class Pendulum:
    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.theta, self.speed, self.time = self.rng.uniform(-np.pi, np.pi), self.rng.uniform(-1, 1), 0
        return self.observation()

    def observation(self):
        return np.array([np.cos(self.theta), np.sin(self.theta), self.speed], dtype=np.float32)

    def step(self, action):
        u = float(np.clip(2 * action[0], -2, 2))
        angle = (self.theta + np.pi) % (2 * np.pi) - np.pi
        cost = angle**2 + 0.1 * self.speed**2 + 0.001 * u**2
        self.speed = float(np.clip(self.speed + (15 * np.sin(self.theta) + 3 * u) * 0.05, -8, 8))
        self.theta += self.speed * 0.05
        self.time += 1
        return self.observation(), -cost, self.time >= 40


class ReplayBuffer:
    def __init__(self):
        self.observations = torch.zeros((buffer_size, obs_dim))
        self.next_observations = torch.zeros((buffer_size, obs_dim))
        self.actions = torch.zeros((buffer_size, act_dim))
        self.rewards = torch.zeros(buffer_size)
        self.dones = torch.zeros(buffer_size)
        self.pos, self.full = 0, False

    def add(self, obs, next_obs, action, reward, done):
        self.observations[self.pos] = torch.as_tensor(obs)
        self.next_observations[self.pos] = torch.as_tensor(next_obs)
        self.actions[self.pos] = torch.as_tensor(action)
        self.rewards[self.pos] = float(reward)
        self.dones[self.pos] = float(done)
        self.pos = (self.pos + 1) % buffer_size
        self.full = self.full or self.pos == 0

    def sample(self):
        upper = buffer_size if self.full else self.pos
        idx = torch.randint(0, upper, (batch_size,))
        return (self.observations[idx], self.next_observations[idx], self.actions[idx], self.rewards[idx],
                self.dones[idx])  # fmt: skip


class SoftQNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim + act_dim, 64)
        self.fc2 = nn.Linear(64, 64)
        self.fc3 = nn.Linear(64, 1)

    def forward(self, x, a):
        x = F.relu(self.fc1(torch.cat([x, a], 1)))
        return self.fc3(F.relu(self.fc2(x)))


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(obs_dim, 64)
        self.fc_mean = nn.Linear(64, act_dim)
        self.fc_logstd = nn.Linear(64, act_dim)

    def get_action(self, x):
        x = F.relu(self.fc1(x))
        mean, log_std = self.fc_mean(x), torch.tanh(self.fc_logstd(x))
        log_std = LOG_STD_MIN + 0.5 * (LOG_STD_MAX - LOG_STD_MIN) * (log_std + 1)
        noise = torch.randn_like(mean)
        action = torch.tanh(mean + log_std.exp() * noise)
        log_prob = -0.5 * noise.pow(2) - log_std - 0.5 * np.log(2 * np.pi) - torch.log(1 - action.pow(2) + 1e-6)
        return action, log_prob.sum(1, keepdim=True)


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    env, rb, actor = Pendulum(rng), ReplayBuffer(), Actor()
    qf1, qf2, qf1_target, qf2_target = (SoftQNetwork() for _ in range(4))
    qf1_target.load_state_dict(qf1.state_dict())
    qf2_target.load_state_dict(qf2.state_dict())
    q_optimizer = optim.Adam(list(qf1.parameters()) + list(qf2.parameters()), lr=1e-3)
    actor_optimizer = optim.Adam(list(actor.parameters()), lr=3e-4)
    target_entropy = -float(act_dim)
    log_alpha = torch.zeros(1, requires_grad=True)
    alpha = log_alpha.exp().item()
    a_optimizer = optim.Adam([log_alpha], lr=1e-3)

    obs = env.reset()
    for global_step in range(10000):
        if global_step < 40:
            action = rng.uniform(-1, 1, act_dim).astype(np.float32)
        else:
            action, _ = actor.get_action(torch.Tensor(obs).unsqueeze(0))
            action = action[0].detach().cpu().numpy()
        next_obs, reward, done = env.step(action)
        rb.add(obs, next_obs, action, reward, done)
        obs = env.reset() if done else next_obs
        if global_step < 40:
            continue

        s_obs, s_next, s_act, s_rew, s_done = rb.sample()
        with torch.no_grad():
            next_actions, next_log_pi = actor.get_action(s_next)
            min_qf_next = torch.min(qf1_target(s_next, next_actions), qf2_target(s_next, next_actions))
            next_q = s_rew.flatten() + (1 - s_done.flatten()) * 0.99 * (min_qf_next - alpha * next_log_pi).view(-1)
        qf_loss = F.mse_loss(qf1(s_obs, s_act).view(-1), next_q) + F.mse_loss(qf2(s_obs, s_act).view(-1), next_q)
        q_optimizer.zero_grad()
        qf_loss.backward()
        q_optimizer.step()

        pi, log_pi = actor.get_action(s_obs)
        actor_loss = ((alpha * log_pi) - torch.min(qf1(s_obs, pi), qf2(s_obs, pi))).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()

        alpha_loss = (-log_alpha.exp() * (log_pi.detach() + target_entropy)).mean()
        a_optimizer.zero_grad()
        alpha_loss.backward()
        a_optimizer.step()
        alpha = log_alpha.exp().item()
        for online, target in ((qf1, qf1_target), (qf2, qf2_target)):
            for param, target_param in zip(online.parameters(), target.parameters()):
                target_param.data.copy_(0.005 * param.data + 0.995 * target_param.data)
        yield qf_loss.item(), actor_loss.item(), alpha
