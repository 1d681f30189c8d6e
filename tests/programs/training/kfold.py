"""Cross-validation: a new model and optimizer for each fold, weights reset, results in a dictionary."""

import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset


class SimpleConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 6, kernel_size=3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 6 * 6, 24), nn.ReLU(),
            nn.Linear(24, 4),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


def reset_weights(m):
    for layer in m.children():
        if hasattr(layer, "reset_parameters"):
            layer.reset_parameters()


def k_fold(n, k):
    indices = torch.randperm(n)
    for part in indices.chunk(k):
        held_out = set(part.tolist())
        yield [int(i) for i in indices if int(i) not in held_out], part.tolist()


def main():
    torch.manual_seed(42)
    labels = torch.randint(0, 4, (60,))
    images = torch.randn(4, 1, 8, 8)[labels] + 0.5 * torch.randn(60, 1, 8, 8)
    dataset = TensorDataset(images, labels)
    loss_function = nn.CrossEntropyLoss()
    results = {}
    for run in range(10000):
        for fold, (train_ids, test_ids) in enumerate(k_fold(len(dataset), 3)):
            trainloader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(train_ids))
            testloader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(test_ids))
            network = SimpleConvNet()
            network.apply(reset_weights)
            optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
            for epoch in range(2):
                current_loss = 0.0
                for i, (inputs, targets) in enumerate(trainloader, 0):
                    optimizer.zero_grad()
                    loss = loss_function(network(inputs), targets)
                    loss.backward()
                    optimizer.step()
                    current_loss += loss.item()
            correct, total = 0, 0
            with torch.no_grad():
                for inputs, targets in testloader:
                    _, predicted = torch.max(network(inputs).data, 1)
                    total += targets.size(0)
                    correct += (predicted == targets).sum().item()
            results[fold] = 100.0 * (correct / total)
            yield current_loss, sum(results.values()) / len(results)
