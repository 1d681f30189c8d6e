"""Knowledge distillation: a small student learns from a teacher's soft targets and from labels."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.bn1, self.bn2 = nn.BatchNorm2d(width), nn.BatchNorm2d(2 * width)
        self.fc = nn.Linear(2 * width * 4, 5)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return self.fc(x.flatten(1))


def loss_fn_kd(outputs, labels, teacher_outputs, alpha=0.9, T=4.0):
    kd = nn.KLDivLoss(reduction="batchmean")(F.log_softmax(outputs / T, dim=1), F.softmax(teacher_outputs / T, dim=1))
    return kd * (alpha * T * T) + F.cross_entropy(outputs, labels) * (1.0 - alpha)


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for data, target in loader:
            pred = model(data).argmax(dim=1, keepdim=True)
            correct += pred.eq(target.view_as(pred)).sum().item()
            total += target.size(0)
    return correct / total


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, 5, (160,))
    data = torch.randn(5, 1, 8, 8)[labels] + 0.7 * torch.randn(160, 1, 8, 8)
    train_loader = DataLoader(TensorDataset(data[:128], labels[:128]), batch_size=16, shuffle=True)
    test_loader = DataLoader(TensorDataset(data[128:], labels[128:]), batch_size=16)
    teacher, student = Net(16), Net(4)
    teacher_optimizer = torch.optim.SGD(teacher.parameters(), lr=0.05, momentum=0.9)
    for x, y in train_loader:
        teacher_optimizer.zero_grad()
        F.cross_entropy(teacher(x), y).backward()
        teacher_optimizer.step()
    teacher.eval()

    optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
    for epoch in range(10000):
        student.train()
        running = 0.0
        for x, y in train_loader:
            with torch.no_grad():
                teacher_output = teacher(x)
            output = student(x)
            loss = loss_fn_kd(output, y, teacher_output)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running = 0.9 * running + 0.1 * loss.item()
            yield loss.item(), running
        yield running, evaluate(student, test_loader)
