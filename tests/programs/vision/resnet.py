"""A small ResNet in the manner of pytorch-cifar: augmentation with tensors, a loop for training and one for testing."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.shortcut = nn.Sequential()
        if stride != 1 or in_planes != self.expansion * planes:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_planes, self.expansion * planes, kernel_size=1, stride=stride, bias=False),
                nn.BatchNorm2d(self.expansion * planes),
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return F.relu(out)


class ResNet(nn.Module):
    def __init__(self, block, num_blocks, num_classes=4):
        super().__init__()
        self.in_planes = 8
        self.conv1 = nn.Conv2d(3, 8, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.layer1 = self._make_layer(block, 8, num_blocks[0], stride=1)
        self.layer2 = self._make_layer(block, 16, num_blocks[1], stride=2)
        self.linear = nn.Linear(16 * block.expansion, num_classes)

    def _make_layer(self, block, planes, num_blocks, stride):
        strides = [stride] + [1] * (num_blocks - 1)
        layers = []
        for stride in strides:
            layers.append(block(self.in_planes, planes, stride))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*layers)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.layer2(self.layer1(out))
        out = F.avg_pool2d(out, 8)
        out = out.view(out.size(0), -1)
        return self.linear(out)


class Augmented(Dataset):
    """Random crops of padded images, flips, normalization: what torchvision's transforms would do."""

    def __init__(self, images, labels, train):
        self.images, self.labels, self.train = images, labels, train
        self.mean, self.std = (
            torch.tensor([0.49, 0.48, 0.45]).view(3, 1, 1),
            torch.tensor([0.2, 0.2, 0.2]).view(3, 1, 1),
        )

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        img = self.images[index]
        if self.train:
            img = F.pad(img, (2, 2, 2, 2))
            i, j = torch.randint(0, 5, size=(2,)).tolist()
            img = img[:, i : i + 16, j : j + 16]
            if torch.rand(1) < 0.5:
                img = img.flip(-1)
        return (img - self.mean) / self.std, self.labels[index].item()


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, 4, (96,))
    images = torch.rand(4, 3, 16, 16)[labels] * 0.6 + torch.rand(96, 3, 16, 16) * 0.4
    trainloader = DataLoader(Augmented(images[:64], labels[:64], True), batch_size=16, shuffle=True)
    testloader = DataLoader(Augmented(images[64:], labels[64:], False), batch_size=16, shuffle=False)
    net = ResNet(BasicBlock, [1, 1])
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4)
    best_acc = 0
    for epoch in range(10000):
        net.train()
        train_loss, correct, total = 0, 0, 0
        for batch_idx, (inputs, targets) in enumerate(trainloader):
            optimizer.zero_grad()
            outputs = net(inputs)
            loss = criterion(outputs, targets)
            loss.backward()
            optimizer.step()
            train_loss += loss.item()
            _, predicted = outputs.max(1)
            total += targets.size(0)
            correct += predicted.eq(targets).sum().item()
            yield train_loss / (batch_idx + 1), 100.0 * correct / total
        net.eval()
        correct = 0
        with torch.no_grad():
            for inputs, targets in testloader:
                correct += net(inputs).max(1)[1].eq(targets).sum().item()
        best_acc = max(best_acc, correct / 32)
        yield best_acc
