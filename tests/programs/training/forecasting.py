"""Time series: sliding windows by unfold, a temporal convolution network with causal padding, rolled-out forecasts."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class TemporalBlock(nn.Module):
    def __init__(self, n_inputs, n_outputs, kernel_size, dilation):
        super().__init__()
        self.padding = (kernel_size - 1) * dilation
        self.conv1 = nn.Conv1d(n_inputs, n_outputs, kernel_size, dilation=dilation)
        self.conv2 = nn.Conv1d(n_outputs, n_outputs, kernel_size, dilation=dilation)
        self.downsample = nn.Conv1d(n_inputs, n_outputs, 1) if n_inputs != n_outputs else None

    def forward(self, x):
        out = F.relu(self.conv1(F.pad(x, (self.padding, 0))))
        out = F.relu(self.conv2(F.pad(out, (self.padding, 0))))
        res = x if self.downsample is None else self.downsample(x)
        return F.relu(out + res)


class TCN(nn.Module):
    def __init__(self, channels=(12, 12, 12), kernel_size=3):
        super().__init__()
        layers = []
        for i, out in enumerate(channels):
            layers.append(TemporalBlock(1 if i == 0 else channels[i - 1], out, kernel_size, dilation=2**i))
        self.network = nn.Sequential(*layers)
        self.linear = nn.Linear(channels[-1], 1)

    def forward(self, x):
        return self.linear(self.network(x)[:, :, -1])


@torch.no_grad()
def forecast(model, history, horizon):
    window = history.clone()
    predictions = []
    for _ in range(horizon):
        y = model(window.view(1, 1, -1))
        predictions.append(y.item())
        window = torch.roll(window, -1)
        window[-1] = y
    return torch.tensor(predictions)


def main():
    torch.manual_seed(0)
    t = torch.arange(240, dtype=torch.float32)
    series = torch.sin(t / 5) + 0.5 * torch.sin(t / 13) + 0.05 * torch.randn(240)
    train, test = series[:200], series[200:]
    mean, std = train.mean(), train.std()
    train = (train - mean) / std
    windows = train.unfold(0, 25, 1)
    x, y = windows[:, :-1].unsqueeze(1), windows[:, -1:]
    model = TCN()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(10000):
        model.train()
        permutation = torch.randperm(x.size(0))
        total = 0.0
        for i in range(0, 160, 32):
            indices = permutation[i : i + 32]
            optimizer.zero_grad()
            loss = F.mse_loss(model(x[indices]), y[indices])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            total += loss.item()
        model.eval()
        predicted = forecast(model, train[-24:], 6) * std + mean
        mae = (predicted - test[:6]).abs().mean()
        yield total / 5, mae.item()
