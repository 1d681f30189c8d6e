"""A physics-informed network for Burgers' equation: derivatives of the output by its inputs, twice, inside the loss."""

import math

import torch


class DNN(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.depth = len(layers) - 1
        modules = []
        for i in range(self.depth - 1):
            modules += [torch.nn.Linear(layers[i], layers[i + 1]), torch.nn.Tanh()]
        modules.append(torch.nn.Linear(layers[-2], layers[-1]))
        self.layers = torch.nn.Sequential(*modules)

    def forward(self, x):
        return self.layers(x)


class PhysicsInformedNN:
    def __init__(self, X_u, u, X_f, layers, nu):
        self.x_u = X_u[:, 0:1].clone().requires_grad_(True)
        self.t_u = X_u[:, 1:2].clone().requires_grad_(True)
        self.x_f = X_f[:, 0:1].clone().requires_grad_(True)
        self.t_f = X_f[:, 1:2].clone().requires_grad_(True)
        self.u, self.nu = u, nu
        self.dnn = DNN(layers)
        self.optimizer = torch.optim.Adam(self.dnn.parameters(), lr=1e-3)

    def net_u(self, x, t):
        return self.dnn(torch.cat([x, t], dim=1))

    def net_f(self, x, t):
        u = self.net_u(x, t)
        u_t = torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True)[0]
        u_x = torch.autograd.grad(u, x, grad_outputs=torch.ones_like(u), retain_graph=True, create_graph=True)[0]
        u_xx = torch.autograd.grad(u_x, x, grad_outputs=torch.ones_like(u_x), retain_graph=True, create_graph=True)[0]
        return u_t + u * u_x - self.nu * u_xx

    def loss_func(self):
        self.optimizer.zero_grad()
        u_pred = self.net_u(self.x_u, self.t_u)
        f_pred = self.net_f(self.x_f, self.t_f)
        loss_u = torch.mean((self.u - u_pred) ** 2)
        loss_f = torch.mean(f_pred**2)
        loss = loss_u + loss_f
        loss.backward()
        return loss, loss_u, loss_f


def main():
    torch.manual_seed(1234)
    x = torch.linspace(-1, 1, 32).unsqueeze(1)
    initial = torch.cat([x, torch.zeros_like(x)], dim=1)
    t = torch.rand(16, 1)
    left, right = torch.cat([-torch.ones_like(t), t], 1), torch.cat([torch.ones_like(t), t], 1)
    X_u = torch.cat([initial, left, right])
    u = torch.cat([-torch.sin(math.pi * x), torch.zeros(32, 1)])
    X_f = torch.rand(200, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])
    model = PhysicsInformedNN(X_u, u, X_f, [2, 20, 20, 20, 1], nu=0.01 / math.pi)
    for iteration in range(10000):
        loss, loss_u, loss_f = model.loss_func()
        model.optimizer.step()
        yield loss.item(), loss_u.item(), loss_f.item()
