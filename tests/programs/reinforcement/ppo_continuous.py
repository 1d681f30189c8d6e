"""PPO with continuous actions in the manner of CleanRL: a Normal of the actor's mean and a learned log deviation."""

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions.normal import Normal

num_envs, num_steps, gamma, gae_lambda, clip_coef, ent_coef, vf_coef = 4, 16, 0.99, 0.95, 0.2, 0.01, 0.5
num_minibatches, update_epochs, max_grad_norm = 2, 2, 0.5
batch_size = num_envs * num_steps
minibatch_size = batch_size // num_minibatches


class PointEnvs:
    """Points that should go to the origin; an action is a velocity."""

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.position = self.rng.uniform(-1, 1, (num_envs, 2)).astype(np.float32)
        self.age = 0
        return self.position.copy()

    def step(self, action):
        self.position += 0.2 * np.clip(action, -1, 1)
        reward = -np.linalg.norm(self.position, axis=1)
        self.age += 1
        done = np.full(num_envs, self.age == 12)
        return (self.reset() if done[0] else self.position.copy()), reward, done


def layer_init(layer, std=1.4, bias_const=0.0):
    torch.nn.init.normal_(layer.weight, 0.0, std / 6)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(layer_init(nn.Linear(2, 32)), nn.Tanh(), layer_init(nn.Linear(32, 1), std=1.0))
        self.actor_mean = nn.Sequential(layer_init(nn.Linear(2, 32)), nn.Tanh(), layer_init(nn.Linear(32, 2), std=0.01))
        self.actor_logstd = nn.Parameter(torch.zeros(1, 2))

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        action_mean = self.actor_mean(x)
        action_logstd = self.actor_logstd.expand_as(action_mean)
        action_std = torch.exp(action_logstd)
        probs = Normal(action_mean, action_std)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    envs, agent = PointEnvs(rng), Agent()
    optimizer = optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
    obs = torch.zeros((num_steps, num_envs, 2))
    actions = torch.zeros((num_steps, num_envs, 2))
    logprobs = torch.zeros((num_steps, num_envs))
    rewards = torch.zeros((num_steps, num_envs))
    dones = torch.zeros((num_steps, num_envs))
    values = torch.zeros((num_steps, num_envs))
    next_obs = torch.Tensor(envs.reset())
    next_done = torch.zeros(num_envs)

    for iteration in range(1, 1000):
        for step in range(num_steps):
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            next_obs, reward, done = envs.step(action.cpu().numpy())
            rewards[step] = torch.tensor(reward).view(-1)
            next_obs, next_done = torch.Tensor(next_obs), torch.Tensor(done)

        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(num_steps)):
                nextnonterminal = 1.0 - (next_done if t == num_steps - 1 else dones[t + 1])
                nextvalues = next_value if t == num_steps - 1 else values[t + 1]
                delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
            returns = advantages + values

        b_obs, b_logprobs, b_actions = obs.reshape((-1, 2)), logprobs.reshape(-1), actions.reshape((-1, 2))
        b_advantages, b_returns = advantages.reshape(-1), returns.reshape(-1)
        b_inds = np.arange(batch_size)
        for epoch in range(update_epochs):
            rng.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb_inds = b_inds[start : start + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                ratio = (newlogprob - b_logprobs[mb_inds]).exp()
                mb_advantages = b_advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb_inds]) ** 2).mean()
                entropy_loss = entropy.mean()
                loss = pg_loss - ent_coef * entropy_loss + v_loss * vf_coef
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), max_grad_norm)
                optimizer.step()
        yield pg_loss.item(), v_loss.item(), entropy_loss.item(), rewards.sum().item()
