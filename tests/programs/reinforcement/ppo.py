"""PPO in the manner of CleanRL: rollouts written into tensors made once, GAE backwards in time, minibatches."""

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

num_envs, num_steps, gamma, gae_lambda, clip_coef, ent_coef, vf_coef = 4, 16, 0.99, 0.95, 0.2, 0.01, 0.5
num_minibatches, update_epochs, max_grad_norm = 2, 2, 0.5
batch_size = num_envs * num_steps
minibatch_size = batch_size // num_minibatches


class PointEnvs:
    """Points that should go to the origin; four actions; numpy in and out, as vector environments of gym have."""

    def __init__(self, rng):
        self.rng = rng

    def reset(self):
        self.position = self.rng.uniform(-1, 1, (num_envs, 2)).astype(np.float32)
        self.age = np.zeros(num_envs, int)
        return np.concatenate([self.position, self.position**2], axis=1)

    def step(self, action):
        self.position += 0.2 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]], dtype=np.float32)[action]
        self.age += 1
        distance = np.linalg.norm(self.position, axis=1)
        done = (distance < 0.2) | (self.age >= 12)
        reward = -distance
        self.position[done] = self.rng.uniform(-1, 1, (int(done.sum()), 2))
        self.age[done] = 0
        return np.concatenate([self.position, self.position**2], axis=1), reward, done


def layer_init(layer, std=1.0, bias_const=0.0):
    torch.nn.init.xavier_uniform_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 32)), nn.Tanh(),
            layer_init(nn.Linear(32, 1), std=1.0),
        )  # fmt: skip
        self.actor = nn.Sequential(
            layer_init(nn.Linear(4, 32)), nn.Tanh(), layer_init(nn.Linear(32, 32)), nn.Tanh(),
            layer_init(nn.Linear(32, 4), std=0.01),
        )  # fmt: skip

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        log_probs = self.actor(x).log_softmax(dim=-1)
        probs = log_probs.exp()
        if action is None:
            action = torch.multinomial(probs, 1).squeeze(1)
        log_prob = log_probs.gather(1, action.long().unsqueeze(1)).squeeze(1)
        return action, log_prob, -(probs * log_probs).sum(-1), self.critic(x)


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    envs, agent = PointEnvs(rng), Agent()
    optimizer = optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)
    obs = torch.zeros((num_steps, num_envs, 4))
    actions = torch.zeros((num_steps, num_envs))
    logprobs = torch.zeros((num_steps, num_envs))
    rewards = torch.zeros((num_steps, num_envs))
    dones = torch.zeros((num_steps, num_envs))
    values = torch.zeros((num_steps, num_envs))
    next_obs = torch.Tensor(envs.reset())
    next_done = torch.zeros(num_envs)

    for iteration in range(1, 1000):
        optimizer.param_groups[0]["lr"] = (1.0 - (iteration - 1.0) / 1000) * 2.5e-4
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
                if t == num_steps - 1:
                    nextnonterminal = 1.0 - next_done
                    nextvalues = next_value
                else:
                    nextnonterminal = 1.0 - dones[t + 1]
                    nextvalues = values[t + 1]
                delta = rewards[t] + gamma * nextvalues * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + gamma * gae_lambda * nextnonterminal * lastgaelam
            returns = advantages + values

        b_obs, b_logprobs, b_actions = obs.reshape((-1, 4)), logprobs.reshape(-1), actions.reshape(-1)
        b_advantages, b_returns, b_values = advantages.reshape(-1), returns.reshape(-1), values.reshape(-1)
        b_inds = np.arange(batch_size)
        clipfracs = []
        for epoch in range(update_epochs):
            rng.shuffle(b_inds)
            for start in range(0, batch_size, minibatch_size):
                mb_inds = b_inds[start : start + minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions.long()[mb_inds])
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()
                with torch.no_grad():
                    clipfracs += [((ratio - 1.0).abs() > clip_coef).float().mean().item()]
                mb_advantages = b_advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - clip_coef, 1 + clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                newvalue = newvalue.view(-1)
                v_loss_unclipped = (newvalue - b_returns[mb_inds]) ** 2
                v_clipped = b_values[mb_inds] + torch.clamp(newvalue - b_values[mb_inds], -clip_coef, clip_coef)
                v_loss = 0.5 * torch.max(v_loss_unclipped, (v_clipped - b_returns[mb_inds]) ** 2).mean()
                loss = pg_loss - ent_coef * entropy.mean() + v_loss * vf_coef
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), max_grad_norm)
                optimizer.step()
        yield loss.item(), v_loss.item(), float(np.mean(clipfracs))
