"""Training steps to compile, made twice: once to run as they are, once to be compiled."""

import numpy as np

import lazygrad as lg
from lazygrad import nn
from lazygrad.runtime.backend_choice import get_backend

OPTIMIZERS = {
    "sgd": lambda p: lg.optim.SGD(p, lr=0.1),
    "sgd, lr 0.5": lambda p: lg.optim.SGD(p, lr=0.5),
    "momentum": lambda p: lg.optim.SGD(p, lr=0.05, momentum=0.9),
    "nesterov": lambda p: lg.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": lambda p: lg.optim.Adam(p, lr=0.01),
    "adam, weight decay": lambda p: lg.optim.Adam(p, lr=0.01, weight_decay=0.1),
    "amsgrad": lambda p: lg.optim.Adam(p, lr=0.01, amsgrad=True, maximize=False),
    "adamw": lambda p: lg.optim.AdamW(p, lr=0.01),
}
MODELS = {
    "mlp": lambda: nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)),
    "dropout": lambda: nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 1)),
    "batch norm": lambda: nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1)),
    "layer norm": lambda: nn.Sequential(nn.Linear(3, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 1)),
}


class Training:
    """A model, its optimizer and its step, always the same for the same seed."""

    def __init__(self, model="mlp", optimizer="sgd", seed=0):
        lg.manual_seed(seed)
        self.model = MODELS[model]()
        self.optimizer = OPTIMIZERS[optimizer](self.model.parameters())
        self.batches = [(lg.randn(16, 3), lg.randn(16, 1)) for _ in range(4)]

    def step_function(self):
        model, optimizer = self.model, self.optimizer

        def step(x, y):
            optimizer.zero_grad()
            loss = ((model(x) - y) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss

        return step

    def batch(self, i):
        return self.batches[i % len(self.batches)]

    def everything(self):
        """All state as Python numbers."""
        tensors = [*self.model.state_dict().values()]
        tensors += [p.grad for p in self.model.parameters() if p.grad is not None]
        for state in self.optimizer.state.values():
            tensors += [v if isinstance(v, lg.Tensor) else lg.tensor(v) for v in state.values()]
        return [tensor.tolist() for tensor in tensors]


def replayed(compiled):
    """Whether the last call of a compiled function or module was a replay."""
    return compiled.explain() == "the last call was replayed"


def agree(found, expected):
    """Whether nested lists of numbers are equal: on numpy to the last bit, since it rounds the same in every plan."""
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(agree, found, expected))
    if get_backend() == "numpy" or not isinstance(expected, float):
        return found == expected
    return bool(np.isclose(found, expected, rtol=1e-4, atol=1e-6))
