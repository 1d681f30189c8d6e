"""A training as it is written for PyTorch. It is run by `python` and by `python -m lazygrad run`."""

from __future__ import print_function

import argparse
import random

import numpy as np
import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset, random_split


class Blobs(Dataset):
    def __init__(self, count, transform=None):
        rng = np.random.RandomState(0)
        self.labels = rng.randint(0, 4, count)
        self.images = (rng.rand(count, 12, 12, 1) * 100 + self.labels[:, None, None, None] * 40).astype(np.uint8)
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image, label = self.images[index], int(self.labels[index])
        if self.transform is not None:
            image = self.transform(image)
        if torch.rand(1).item() < 0.5:
            image = image.flip(-1)
        return image, label


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.bn = nn.BatchNorm2d(8)
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(200, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn(self.conv1(x))), 2)
        x = self.dropout(torch.flatten(x, 1))
        return F.log_softmax(self.fc(x), dim=1)


def to_tensor(image):
    return torch.from_numpy(image).permute(2, 0, 1).float().div(255).sub_(0.5)


def run(args, model, device, loader, optimizer=None):
    model.train(optimizer is not None)
    total, correct = 0.0, 0
    with torch.set_grad_enabled(optimizer is not None):
        for data, target in loader:
            data, target = Variable(data.to(device)), target.to(device)
            output = model(data)
            loss = F.nll_loss(output, target)
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                optimizer.step()
            total += loss.item() * len(target)
            correct += output.argmax(dim=1, keepdim=True).eq(target.view_as(output.argmax(1, True))).sum().item()
    return total / len(loader.dataset), correct


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--no-cuda", action="store_true", default=False)
    args = parser.parse_args()
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(0)
    cudnn.benchmark = True
    device = torch.device("cuda" if use_cuda else "cpu")
    train, test = random_split(Blobs(96, to_tensor), [64, 32])
    options = {"batch_size": 16, "num_workers": args.workers}
    model = Net().to(device)
    optimizer = optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.5)
    for epoch in range(args.epochs):
        loss, _ = run(args, model, device, DataLoader(train, shuffle=True, **options), optimizer)
        test_loss, correct = run(args, model, device, DataLoader(test, **options))
        print(
            "epoch %d lr %.4f loss %.3f test %.3f (%d/%d)"
            % (epoch, optimizer.param_groups[0]["lr"], loss, test_loss, correct, len(test))
        )
        scheduler.step()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "checkpoint.pt")
    saved = torch.load("checkpoint.pt", map_location="cpu")
    model.load_state_dict(saved["model"])
    print(model, sorted(saved["model"]), sum(p.numel() for p in model.parameters()))


if __name__ == "__main__":
    main()
