"""One gradient step per task inside a vmap, differentiated through: MAML with torch.func."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, grad_and_value, vmap

torch.manual_seed(10)
model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
start = dict(model.named_parameters())


def loss_of(parameters, x, y):
    return F.mse_loss(functional_call(model, parameters, (x,)), y)


def loss_after_one_step(parameters, x, y):
    gradients = grad(loss_of)(parameters, x, y)
    adapted = {name: parameters[name] - 0.1 * gradients[name] for name in parameters}
    return loss_of(adapted, x, y)


def loss_over_tasks(parameters, xs, ys):
    return vmap(loss_after_one_step, in_dims=(None, 0, 0))(parameters, xs, ys).mean()


xs = torch.rand(5, 6, 1) * 4 - 2
gradients, loss = grad_and_value(loss_over_tasks)(start, xs, torch.sin(xs) * torch.rand(5, 1, 1))
results = [loss, *gradients.values()]
