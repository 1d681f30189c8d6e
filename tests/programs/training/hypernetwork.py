"""A hypernetwork: one network makes the weights of another from an embedding of the layer."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter


class HyperNetwork(nn.Module):
    def __init__(self, f_size=3, z_dim=12, out_size=4, in_size=4):
        super().__init__()
        self.f_size, self.out_size, self.in_size, self.z_dim = f_size, out_size, in_size, z_dim
        self.w1 = Parameter(torch.fmod(torch.randn((z_dim, out_size * f_size * f_size)), 2) * 0.1)
        self.b1 = Parameter(torch.fmod(torch.randn((out_size * f_size * f_size)), 2) * 0.1)
        self.w2 = Parameter(torch.fmod(torch.randn((z_dim, in_size * z_dim)), 2) * 0.1)
        self.b2 = Parameter(torch.fmod(torch.randn((in_size * z_dim)), 2) * 0.1)

    def forward(self, z):
        h_in = torch.matmul(z, self.w2) + self.b2
        h_in = h_in.view(self.in_size, self.z_dim)
        h_final = torch.matmul(h_in, self.w1) + self.b1
        return h_final.view(self.out_size, self.in_size, self.f_size, self.f_size)


class Embedding(nn.Module):
    def __init__(self, z_num, z_dim):
        super().__init__()
        self.z_list = nn.ParameterList()
        self.h, self.k = z_num
        for i in range(self.h * self.k):
            self.z_list.append(Parameter(torch.fmod(torch.randn(z_dim), 2)))

    def forward(self, hyper_net):
        ww = []
        for i in range(self.h):
            w = []
            for j in range(self.k):
                w.append(hyper_net(self.z_list[i * self.k + j]))
            ww.append(torch.cat(w, dim=1))
        return torch.cat(ww, dim=0)


class PrimaryNetwork(nn.Module):
    def __init__(self, z_dim=12):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.hope = HyperNetwork(z_dim=z_dim)
        self.zs_size = [[1, 1], [2, 1], [2, 2]]
        self.zs = nn.ModuleList([Embedding(size, z_dim) for size in self.zs_size])
        self.norms = nn.ModuleList([nn.BatchNorm2d(4 * size[0]) for size in self.zs_size])
        self.final = nn.Linear(8, 3)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        for i in range(len(self.zs)):
            w = self.zs[i](self.hope)
            x = F.relu(self.norms[i](F.conv2d(x, w, padding=1)))
        x = F.adaptive_avg_pool2d(x, 1)
        return self.final(x.view(-1, 8))


def main():
    torch.manual_seed(0)
    labels = torch.randint(0, 3, (48,))
    images = torch.randn(3, 3, 12, 12)[labels] + torch.randn(48, 3, 12, 12)
    net = PrimaryNetwork()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=5e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(10000):
        for i in range(0, 48, 12):
            optimizer.zero_grad()
            loss = criterion(net(images[i : i + 12]), labels[i : i + 12])
            loss.backward()
            optimizer.step()
            yield loss.item()
