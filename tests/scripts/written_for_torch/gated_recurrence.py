"""A GRU by hand with parameter groups and label smoothing, and a checkpoint of it all."""

import io

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.from_input = nn.Parameter(torch.empty(inputs, 3 * hidden))
        self.from_hidden = nn.Parameter(torch.empty(hidden, 3 * hidden))
        self.bias = nn.Parameter(torch.zeros(3 * hidden))
        for weight in (self.from_input, self.from_hidden):
            nn.init.xavier_uniform_(weight)

    def forward(self, x, state):
        reset_x, update_x, new_x = (x @ self.from_input + self.bias).chunk(3, -1)
        reset_h, update_h, new_h = (state @ self.from_hidden).chunk(3, -1)
        new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
        return torch.lerp(new, state, torch.sigmoid(update_x + update_h))


torch.manual_seed(18)
cell, output = Cell(5, 7), nn.Linear(7, 3)
groups = [{"params": cell.parameters()}, {"params": output.parameters(), "lr": 1e-2}]
optimizer = torch.optim.Adam(groups, lr=1e-3)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
results = []
for _ in range(3):
    sequence, label = torch.randn(9, 4, 5), torch.randint(3, (4,))
    state = sequence.new_zeros(4, 7)
    for x in sequence:
        state = cell(x, state)
    loss = criterion(output(state), label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    results.append(loss.item())

file = io.BytesIO()
torch.save({"cell": cell.state_dict(), "optimizer": optimizer.state_dict()}, file)
file.seek(0)
saved = torch.load(file, weights_only=True)
again = Cell(5, 7)
results += [str(again.load_state_dict(saved["cell"])), *again.parameters(), sorted(saved["optimizer"])]
