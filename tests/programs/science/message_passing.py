"""Message passing over batches of graphs of different sizes: index_add to nodes, scatter to graphs, a GIN readout."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class GINConv(nn.Module):
    def __init__(self, dim_in, dim_out):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(dim_in, dim_out), nn.ReLU(), nn.Linear(dim_out, dim_out))
        self.edge = nn.Linear(3, dim_in)

    def forward(self, x, edge_index, edge_attr):
        row, col = edge_index
        messages = F.relu(x[row] + self.edge(edge_attr))
        out = torch.zeros_like(x)
        out.index_add_(0, col, messages)
        return self.mlp((1 + self.eps) * x + out)


def global_mean_pool(x, batch, num_graphs):
    totals = torch.zeros(num_graphs, x.size(1)).index_add(0, batch, x)
    counts = torch.bincount(batch, minlength=num_graphs).clamp(min=1)
    return totals / counts.unsqueeze(1)


def global_max_pool(x, batch, num_graphs):
    index = batch.unsqueeze(1).expand_as(x)
    return torch.full((num_graphs, x.size(1)), -1e9).scatter_reduce(0, index, x, reduce="amax")


class GIN(nn.Module):
    def __init__(self, num_features=5, dim=16):
        super().__init__()
        self.input = nn.Linear(num_features, dim)
        self.convs = nn.ModuleList([GINConv(dim, dim) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(dim) for _ in range(2)])
        self.out = nn.Linear(2 * dim, 2)

    def forward(self, x, edge_index, edge_attr, batch, num_graphs):
        x = self.input(x)
        for conv, norm in zip(self.convs, self.norms):
            x = x + F.relu(norm(conv(x, edge_index, edge_attr)))
        pooled = torch.cat([global_mean_pool(x, batch, num_graphs), global_max_pool(x, batch, num_graphs)], dim=1)
        return self.out(pooled)


def random_graph():
    n = int(torch.randint(4, 9, (1,)))
    ring = torch.stack([torch.arange(n), (torch.arange(n) + 1) % n])
    label = int(torch.rand(1) < 0.5)
    if label:
        chords = torch.randint(0, n, (2, n // 2))
        ring = torch.cat([ring, chords], dim=1)
    edge_index = torch.cat([ring, ring.flip(0)], dim=1)
    return torch.randn(n, 5), edge_index, torch.randn(edge_index.size(1), 3), label


def collate(graphs):
    xs, edges, attrs, labels, batch, offset = [], [], [], [], [], 0
    for g, (x, edge_index, edge_attr, label) in enumerate(graphs):
        xs.append(x)
        edges.append(edge_index + offset)
        attrs.append(edge_attr)
        labels.append(label)
        batch.append(torch.full((x.size(0),), g, dtype=torch.long))
        offset += x.size(0)
    return torch.cat(xs), torch.cat(edges, dim=1), torch.cat(attrs), torch.cat(batch), torch.tensor(labels)


def main():
    torch.manual_seed(0)
    graphs = [random_graph() for _ in range(48)]
    model = GIN()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(10000):
        order = torch.randperm(len(graphs)).tolist()
        for i in range(0, len(graphs), 8):
            x, edge_index, edge_attr, batch, labels = collate([graphs[j] for j in order[i : i + 8]])
            logits = model(x, edge_index, edge_attr, batch, len(labels))
            loss = F.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct = int((logits.argmax(dim=-1) == labels).sum())
            yield loss.item(), correct / len(labels)
