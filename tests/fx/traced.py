"""What is traced in the tests: functions and modules in PyTorch's words."""

import math
import operator
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import nn

Pair = namedtuple("Pair", "first second")

CONSTANT = torch.ones(2, 2)


@torch.fx.wrap
def wrapped(x, count):
    return x * count if x.sum() > 0 else x


torch.fx.wrap("len")


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2))
        self.norm = nn.LayerNorm(2)
        self.scale = nn.Parameter(torch.full((2,), 0.5))
        self.register_buffer("shift", torch.ones(2))
        self.factor = 3

    def forward(self, x):
        y = self.layers(x) * self.scale + self.shift
        return self.norm(y) * self.factor - self.scale


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(2, 3)

    def forward(self, x):
        for block in self.blocks:
            x = block(x) + x
        return {"logits": self.head(x), "pooled": [x.mean(dim=1), x.size()]}


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3)
        self.bn2 = nn.BatchNorm2d(4)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        return torch.flatten(x, 1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(4, 12)
        self.out = nn.Linear(4, 4)

    def forward(self, x, mask=None):
        batch, length, width = x.shape[0], x.size(1), x.size(-1)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(batch, length, 2, width // 2).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(2)
        weights = F.softmax(scores, dim=-1)
        mixed = torch.matmul(weights, v).transpose(1, 2).reshape(batch, length, width)
        return self.out(mixed) + x.masked_fill(x > 1, 0.0)[:, :, :1]


def operators(x, y):
    a = (x + 1) - (2 - y) * x / (1 + y)
    b = x // 2 + 7 // (y + 3) + x % 2 + 7 % (y + 3) + x**2 + 2**x
    c = (x > y) | (x <= 2) & (y != x) ^ ~(x == y)
    return -a, +b, c, abs(x), x @ y, CONSTANT + x, x + CONSTANT, a.add_(b)


def structures(x, y=2, *args, z: int = 3, **kwargs):
    first, second = x.chunk(2)
    items = [first[0, :1], second[..., None], x[x > 0], x[1:]]
    pair = Pair(first + second, y)
    return {"items": items, "slice": x[slice(0, 1)], "pair": pair, "nested": (x, [y, (z,)]), "empty": ()}


def functions(x: torch.Tensor, flag: bool = False) -> torch.Tensor:
    stacked = torch.stack([torch.cat([x, x], dim=0), torch.cat((x, x))])
    total = torch.sum(stacked, dim=(0, 1), keepdim=True)
    softened = F.softmax(F.gelu(F.dropout(x, 0.2, False)), dim=-1)
    worth = torch.where(x > 0, x, torch.zeros_like(x)) + torch.clamp(x, min=-0.5, max=0.5)
    return (
        total.squeeze()
        + softened.sum()
        + worth.to(torch.float64).to(dtype=torch.float32)
        + x.new_ones(2, dtype=torch.float32)
    )


def annotated(x: torch.Tensor, y: int = 2, z: "list[int]" = (), w: list[torch.Tensor] = (), v: float | None = None):
    return x + y


def attributes(x):
    return x.T, x.shape[0] * x.ndim, x.dtype, x.mT.real, x.device, x.is_floating_point()


def spaces(x):
    return (
        torch.linalg.norm(x),
        torch.special.entr(x),
        torch.fft.fft(x).real,
        F.linear(x, x),
        torch.einsum("ij,jk->ik", x, x),
    )


def calls_of_wrapped(x):
    return wrapped(x, 2), wrapped(3 * x, count=len(x)), len([1]), math.sqrt(4.0), math.floor(x.size(0))


def made_inside(x):
    return x + torch.arange(2.0) + torch.zeros(x.shape[0]), torch.tensor([1.0, 2.0]) * x


def names(x, input, sum_1):
    add_3 = x + input
    return (add_3 + sum_1).sum(), x.sum().max(), torch.add(x, input).foo_bar, operator.mul(x, 2)


def specialized(x, scale: bool = True, shift=None):
    y = x * 2 if scale else x
    return y if shift is None else y + shift


def asserted(x):
    assert x.dim() == 2, "two dimensions"
    return x + 1


FUNCTIONS = [annotated, operators, structures, functions, attributes, spaces, calls_of_wrapped, made_inside, names]
RUN = [operators, functions, attributes, spaces, calls_of_wrapped, made_inside]
MODULES = {
    "block": (Block, (3, 2)),
    "network": (Network, (3, 2)),
    "convolutions": (Convolutions, (2, 3, 8, 8)),
    "attention": (Attention, (2, 3, 4)),
}


def if_of_a_value(x):
    return x if x.sum() > 0 else -x


def loop(x):
    return [row * 2 for row in x]


def unpacked(x):
    return torch.max(*x)


def length(x):
    return x.__len__()


def keywords(x):
    return dict(**x)


def conversion(x):
    return int(x)


def contained(x):
    return 1 if x in [1, 2] else 2


def negation(x):
    return not x


def key(x):
    return {x: 1}


def a_set(x):
    return x + {1}


def a_function(x):
    return x.apply_(print)


def item_assigned(x):
    x[0] = 1
    return x


REFUSED = [
    if_of_a_value,
    loop,
    unpacked,
    length,
    keywords,
    conversion,
    contained,
    negation,
    key,
    a_set,
    a_function,
    item_assigned,
]
