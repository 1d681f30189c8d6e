"""A neural ODE: Euler and Runge-Kutta steps of a learned field fitted to a spiral."""

import torch
import torch.nn as nn


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


def euler_step(func, t, dt, y):
    return dt * func(t, y)


def rk4_step(func, t, dt, y):
    k1 = func(t, y)
    k2 = func(t + dt / 2, y + dt * k1 / 2)
    k3 = func(t + dt / 2, y + dt * k2 / 2)
    k4 = func(t + dt, y + dt * k3)
    return (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6


def odeint(func, y0, t, method="euler"):
    step = {"euler": euler_step, "rk4": rk4_step}[method]
    solution = torch.empty(len(t), *y0.shape, dtype=y0.dtype)
    solution[0] = y0
    y = y0
    for j, (t0, t1) in enumerate(zip(t[:-1], t[1:]), start=1):
        y = y + step(func, t0, t1 - t0, y)
        solution[j] = y
    return solution


class Lambda(nn.Module):
    def __init__(self, true_A):
        super().__init__()
        self.true_A = true_A

    def forward(self, t, y):
        return torch.mm(y**3, self.true_A)


def get_batch(true_y, t, batch_time=8, batch_size=10):
    s = torch.randint(0, len(t) - batch_time, (batch_size,))
    batch_y0 = true_y[s]
    batch_t = t[:batch_time]
    batch_y = torch.stack([true_y[s + i] for i in range(batch_time)], dim=0)
    return batch_y0, batch_t, batch_y


def main():
    torch.manual_seed(0)
    t = torch.linspace(0.0, 5.0, 60)
    true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    with torch.no_grad():
        true_y = odeint(Lambda(true_A), torch.tensor([[2.0, 0.0]]), t, method="rk4")
    func = ODEFunc()
    optimizer = torch.optim.Adam(func.parameters(), lr=1e-3)
    for itr in range(1, 2001):
        optimizer.zero_grad()
        batch_y0, batch_t, batch_y = get_batch(true_y, t)
        pred_y = odeint(func, batch_y0, batch_t)
        loss = torch.mean(torch.abs(pred_y - batch_y))
        loss.backward()
        optimizer.step()
        yield loss.item()
