"""A Kalman filter whose noise is learned by gradient through the filter, on a track of constant velocity."""

import torch
import torch.nn as nn


class KalmanFilter(nn.Module):
    def __init__(self, dt=0.1):
        super().__init__()
        self.register_buffer("F", torch.tensor([[1, dt, 0, 0], [0, 1, 0, 0], [0, 0, 1, dt], [0, 0, 0, 1]]))
        self.register_buffer("H", torch.tensor([[1.0, 0, 0, 0], [0, 0, 1.0, 0]]))
        self.log_q = nn.Parameter(torch.tensor(-3.0))
        self.log_r = nn.Parameter(torch.tensor(0.0))

    def predict(self, x, P):
        Q = torch.eye(4) * self.log_q.exp()
        return self.F @ x, self.F @ P @ self.F.T + Q

    def update(self, x, P, z):
        R = torch.eye(2) * self.log_r.exp()
        y = z - self.H @ x
        S = self.H @ P @ self.H.T + R
        K = P @ self.H.T @ torch.linalg.inv(S)
        x = x + K @ y
        P = (torch.eye(4) - K @ self.H) @ P
        log_likelihood = -0.5 * (y @ torch.linalg.inv(S) @ y + torch.logdet(S))
        return x, P, log_likelihood

    def forward(self, measurements):
        x, P = torch.zeros(4), torch.eye(4)
        total = 0.0
        estimates = []
        for z in measurements:
            x, P = self.predict(x, P)
            x, P, log_likelihood = self.update(x, P, z)
            estimates.append(x)
            total = total + log_likelihood
        return torch.stack(estimates), total / len(measurements)


def trajectory(n, dt=0.1):
    state = torch.tensor([0.0, 1.0, 0.0, 0.5])
    states = torch.zeros(n, 4)
    for i in range(n):
        state[0] += state[1] * dt
        state[2] += state[3] * dt
        state[1::2] += 0.1 * torch.randn(2)
        states[i] = state
    return states


def main():
    torch.manual_seed(0)
    states = trajectory(12)
    measurements = states[:, ::2] + 0.2 * torch.randn(12, 2)
    kf = KalmanFilter()
    optimizer = torch.optim.Adam(kf.parameters(), lr=0.05)
    for iteration in range(10000):
        optimizer.zero_grad()
        estimates, log_likelihood = kf(measurements)
        loss = -log_likelihood
        loss.backward()
        optimizer.step()
        rmse = (estimates[:, ::2] - states[:, ::2]).pow(2).mean().sqrt()
        yield loss.item(), rmse.item(), kf.log_r.item()
