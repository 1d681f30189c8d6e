"""Early stopping with copies of the state dict, a learning rate that falls on a plateau, restarts from the best."""

import copy

import numpy as np
import torch
import torch.nn as nn


class EarlyStopping:
    def __init__(self, patience=3, delta=0.0):
        self.patience, self.delta = patience, delta
        self.counter, self.best_score, self.early_stop = 0, None, False
        self.val_loss_min = np.inf
        self.best_state = None

    def __call__(self, val_loss, model):
        score = -val_loss
        if self.best_score is None or score >= self.best_score + self.delta:
            self.best_score = score
            self.save_checkpoint(val_loss, model)
            self.counter = 0
        else:
            self.counter += 1
            self.early_stop = self.counter >= self.patience

    def save_checkpoint(self, val_loss, model):
        self.best_state = copy.deepcopy(model.state_dict())
        self.val_loss_min = val_loss


def make_data(n):
    x = torch.linspace(-3, 3, n).unsqueeze(1)
    return x, torch.sin(2 * x) + 0.3 * torch.randn(n, 1)


def main():
    torch.manual_seed(0)
    x, y = make_data(96)
    order = torch.randperm(96)
    x_train, y_train, x_valid, y_valid = x[order[:64]], y[order[:64]], x[order[64:]], y[order[64:]]
    criterion = nn.MSELoss()
    for trial in range(10000):
        model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
        early_stopping = EarlyStopping()
        for epoch in range(20):
            model.train()
            train_losses, valid_losses = [], []
            for batch in torch.randperm(64).split(16):
                optimizer.zero_grad()
                loss = criterion(model(x_train[batch]), y_train[batch])
                loss.backward()
                optimizer.step()
                train_losses.append(loss.item())
            model.eval()
            with torch.no_grad():
                for i in range(0, 32, 16):
                    valid_losses.append(criterion(model(x_valid[i : i + 16]), y_valid[i : i + 16]).item())
            early_stopping(np.average(valid_losses), model)
            yield float(np.average(train_losses)), float(np.average(valid_losses))
            if early_stopping.counter:
                optimizer.param_groups[0]["lr"] *= 0.5
            if early_stopping.early_stop:
                model.load_state_dict(early_stopping.best_state)
                break
