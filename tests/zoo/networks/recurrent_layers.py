"""Word-level language models of two LSTM or GRU layers. Zaremba et al., arXiv:1409.2329."""

import torch.nn as nn


class RecurrentModel(nn.Module):
    def __init__(self, layer, vocabulary, hidden, layers=2, dropout=0.2):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.recurrent = layer(hidden, hidden, layers, batch_first=True, dropout=dropout)
        self.decoder = nn.Linear(hidden, vocabulary)

    def forward(self, tokens):
        states, _ = self.recurrent(self.drop(self.embedding(tokens)))
        return self.decoder(self.drop(states))


def lstm(tiny=False):
    return RecurrentModel(nn.LSTM, 20, 12) if tiny else RecurrentModel(nn.LSTM, 10000, 256)


def gru(tiny=False):
    return RecurrentModel(nn.GRU, 20, 12) if tiny else RecurrentModel(nn.GRU, 10000, 256)
