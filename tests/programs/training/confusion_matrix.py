"""A digits-like classifier with metrics: a confusion matrix written by index, precision and recall, top-k accuracy."""

import torch
import torch.nn as nn
import torch.nn.functional as F

num_classes = 6


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3)
        self.conv2 = nn.Conv2d(8, 16, 3)
        self.fc1 = nn.Linear(16 * 4, 32)
        self.fc2 = nn.Linear(32, num_classes)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2, ceil_mode=False)
        x = torch.flatten(F.max_pool2d(x, 2, padding=1), 1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


def test(model, images, labels):
    confusion_matrix = torch.zeros(num_classes, num_classes)
    class_correct = [0.0 for _ in range(num_classes)]
    class_total = [0.0 for _ in range(num_classes)]
    test_loss, correct = 0, 0
    model.eval()
    with torch.no_grad():
        for data, target in zip(images.split(20), labels.split(20)):
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.argmax(dim=1, keepdim=True)
            correct += pred.eq(target.view_as(pred)).sum().item()
            for t, p in zip(target.view(-1), pred.view(-1)):
                confusion_matrix[t.long(), p.long()] += 1
            c = (pred.squeeze(1) == target).squeeze()
            for i in range(len(target)):
                label = target[i]
                class_correct[label] += c[i].item()
                class_total[label] += 1
    precision = confusion_matrix.diag() / confusion_matrix.sum(0).clamp(min=1)
    recall = confusion_matrix.diag() / confusion_matrix.sum(1).clamp(min=1)
    f1 = 2 * precision * recall / (precision + recall + 1e-9)
    return test_loss / len(images), correct / len(images), f1.mean().item(), max(class_correct)


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, num_classes, (120,))
    images = torch.randn(num_classes, 1, 10, 10)[labels] + 0.6 * torch.randn(120, 1, 10, 10)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(10000):
        model.train()
        for data, target in zip(images[:80].split(20), labels[:80].split(20)):
            optimizer.zero_grad()
            output = model(data)
            loss = F.nll_loss(output, target)
            loss.backward()
            optimizer.step()
        yield loss.item(), *test(model, images[80:], labels[80:])
