"""Word-level language models of two LSTM or GRU layers, their cells written out. Zaremba et al., arXiv:1409.2329."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class LSTMLayer(nn.Module):
    gates = 4

    def __init__(self, inputs, hidden):
        super().__init__()
        bound = hidden**-0.5
        self.hidden = hidden
        self.weight_ih = nn.Parameter(torch.empty(self.gates * hidden, inputs).uniform_(-bound, bound))
        self.weight_hh = nn.Parameter(torch.empty(self.gates * hidden, hidden).uniform_(-bound, bound))
        self.bias_ih = nn.Parameter(torch.empty(self.gates * hidden).uniform_(-bound, bound))
        self.bias_hh = nn.Parameter(torch.empty(self.gates * hidden).uniform_(-bound, bound))

    def forward(self, x):
        h = c = torch.zeros(x.shape[0], self.hidden)
        outputs = []
        for step in F.linear(x, self.weight_ih, self.bias_ih).unbind(1):
            i, f, g, o = (step + F.linear(h, self.weight_hh, self.bias_hh)).chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs, dim=1)


class GRULayer(LSTMLayer):
    gates = 3

    def forward(self, x):
        h = torch.zeros(x.shape[0], self.hidden)
        outputs = []
        for step in F.linear(x, self.weight_ih, self.bias_ih).unbind(1):
            r, z, n = step.chunk(3, dim=1)
            hr, hz, hn = F.linear(h, self.weight_hh, self.bias_hh).chunk(3, dim=1)
            r, z = torch.sigmoid(r + hr), torch.sigmoid(z + hz)
            n = torch.tanh(n + r * hn)
            h = (1 - z) * n + z * h
            outputs.append(h)
        return torch.stack(outputs, dim=1)


class RecurrentModel(nn.Module):
    def __init__(self, layer, vocabulary, hidden, layers=2, dropout=0.2):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.layers = nn.ModuleList([layer(hidden, hidden) for _ in range(layers)])
        self.drop = nn.Dropout(dropout)
        self.decoder = nn.Linear(hidden, vocabulary)

    def forward(self, tokens):
        x = self.drop(self.embedding(tokens))
        for layer in self.layers:
            x = self.drop(layer(x))
        return self.decoder(x)


def lstm(tiny=False):
    return RecurrentModel(LSTMLayer, 20, 12) if tiny else RecurrentModel(LSTMLayer, 10000, 256)


def gru(tiny=False):
    return RecurrentModel(GRULayer, 20, 12) if tiny else RecurrentModel(GRULayer, 10000, 256)
