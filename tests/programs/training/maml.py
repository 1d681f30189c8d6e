"""MAML on sinusoids: fast weights by `autograd.grad` with second derivatives, a meta step over several tasks."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.vars = nn.ParameterList()
        for ch_in, ch_out in ((1, 24), (24, 24), (24, 1)):
            w = nn.Parameter(torch.ones(ch_out, ch_in))
            torch.nn.init.kaiming_normal_(w)
            self.vars.append(w)
            self.vars.append(nn.Parameter(torch.zeros(ch_out)))

    def forward(self, x, vars=None):
        if vars is None:
            vars = self.vars
        x = F.relu(F.linear(x, vars[0], vars[1]))
        x = F.relu(F.linear(x, vars[2], vars[3]))
        return F.linear(x, vars[4], vars[5])

    def parameters(self):
        return self.vars


class Meta(nn.Module):
    def __init__(self, update_lr=0.01, meta_lr=1e-3, task_num=4, update_step=2):
        super().__init__()
        self.update_lr, self.task_num, self.update_step = update_lr, task_num, update_step
        self.net = Learner()
        self.meta_optim = torch.optim.Adam(self.net.parameters(), lr=meta_lr)

    def forward(self, x_spt, y_spt, x_qry, y_qry):
        losses_q = [0 for _ in range(self.update_step + 1)]
        for i in range(self.task_num):
            loss = F.mse_loss(self.net(x_spt[i], vars=None), y_spt[i])
            grad = torch.autograd.grad(loss, self.net.parameters(), create_graph=True)
            fast_weights = list(map(lambda p: p[1] - self.update_lr * p[0], zip(grad, self.net.parameters())))
            with torch.no_grad():
                losses_q[0] += F.mse_loss(self.net(x_qry[i], self.net.parameters()), y_qry[i])
            losses_q[1] += F.mse_loss(self.net(x_qry[i], fast_weights), y_qry[i])
            for k in range(1, self.update_step):
                loss = F.mse_loss(self.net(x_spt[i], fast_weights), y_spt[i])
                grad = torch.autograd.grad(loss, fast_weights, create_graph=True)
                fast_weights = list(map(lambda p: p[1] - self.update_lr * p[0], zip(grad, fast_weights)))
                losses_q[k + 1] += F.mse_loss(self.net(x_qry[i], fast_weights), y_qry[i])
        loss_q = losses_q[-1] / self.task_num
        self.meta_optim.zero_grad()
        loss_q.backward()
        self.meta_optim.step()
        return [loss.item() / self.task_num for loss in losses_q]


def sinusoid_tasks(task_num, k_shot):
    amplitude = torch.empty(task_num, 1, 1).uniform_(0.1, 5.0)
    phase = torch.empty(task_num, 1, 1).uniform_(0, math.pi)
    x = torch.empty(task_num, 2 * k_shot, 1).uniform_(-5, 5)
    y = amplitude * torch.sin(x + phase)
    return x[:, :k_shot], y[:, :k_shot], x[:, k_shot:], y[:, k_shot:]


def main():
    torch.manual_seed(222)
    maml = Meta()
    for step in range(10000):
        losses = maml(*sinusoid_tasks(4, 10))
        yield tuple(losses)
