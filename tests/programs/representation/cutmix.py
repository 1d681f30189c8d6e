"""CutMix: a box of another image is pasted in; its place and size differ from step to step."""

import numpy as np
import torch
import torch.nn as nn


class PyramidBlock(nn.Module):
    def __init__(self, inplanes, planes, stride=1):
        super().__init__()
        self.bn1 = nn.BatchNorm2d(inplanes)
        self.conv1 = nn.Conv2d(inplanes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, padding=1, bias=False)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.AvgPool2d((2, 2), stride=(2, 2), ceil_mode=True) if stride != 1 else None

    def forward(self, x):
        out = self.conv1(self.bn1(x))
        out = self.conv2(self.relu(self.bn2(out)))
        shortcut = self.downsample(x) if self.downsample is not None else x
        residual_channel, shortcut_channel = out.size(1), shortcut.size(1)
        if residual_channel != shortcut_channel:
            padding = torch.zeros(out.size(0), residual_channel - shortcut_channel, out.size(2), out.size(3))
            out += torch.cat((shortcut, padding), 1)
        else:
            out += shortcut
        return out


class Net(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.layers = nn.Sequential(PyramidBlock(8, 10, 2), PyramidBlock(10, 12), PyramidBlock(12, 16, 2))
        self.fc = nn.Linear(16, num_classes)

    def forward(self, x):
        x = self.layers(self.stem(x)).relu()
        return self.fc(x.mean(dim=(2, 3)))


def rand_bbox(size, lam):
    W, H = size[2], size[3]
    cut_rat = np.sqrt(1.0 - lam)
    cut_w, cut_h = int(W * cut_rat), int(H * cut_rat)
    cx, cy = np.random.randint(W), np.random.randint(H)
    bbx1, bby1 = np.clip(cx - cut_w // 2, 0, W), np.clip(cy - cut_h // 2, 0, H)
    bbx2, bby2 = np.clip(cx + cut_w // 2, 0, W), np.clip(cy + cut_h // 2, 0, H)
    return bbx1, bby1, bbx2, bby2


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    num_classes, beta, cutmix_prob = 4, 1.0, 0.5
    labels = torch.randint(0, num_classes, (64,))
    images = torch.randn(num_classes, 3, 16, 16)[labels] + 0.5 * torch.randn(64, 3, 16, 16)
    model = Net(num_classes)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9, weight_decay=1e-4, nesterov=True)
    for epoch in range(10000):
        for input, target in zip(images.split(16), labels.split(16)):
            input = input.clone()
            r = np.random.rand(1)
            if beta > 0 and r < cutmix_prob:
                lam = np.random.beta(beta, beta)
                rand_index = torch.randperm(input.size()[0])
                target_a, target_b = target, target[rand_index]
                bbx1, bby1, bbx2, bby2 = rand_bbox(input.size(), lam)
                input[:, :, bbx1:bbx2, bby1:bby2] = input[rand_index, :, bbx1:bbx2, bby1:bby2]
                lam = 1 - ((bbx2 - bbx1) * (bby2 - bby1) / (input.size()[-1] * input.size()[-2]))
                output = model(input)
                loss = criterion(output, target_a) * lam + criterion(output, target_b) * (1.0 - lam)
            else:
                output = model(input)
                loss = criterion(output, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()
