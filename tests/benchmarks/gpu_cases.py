"""What `tests.benchmarks.gpu` measures: programs written once, in words that torch, lazygrad and partly cupy share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Make = Callable[[Any, str, bool], tuple[Callable[..., Any], tuple[Any, ...]]]
"""Given a framework, a device and whether sizes are small: a function and its arguments."""


@dataclass(frozen=True)
class GpuCase:
    """One row.

    Attributes:
        title: what is computed.
        make: makes it for torch or lazygrad.
        target: the ratio to the fastest of torch that is aimed at.
        moved: bytes that it reads and writes at least; 0 where products bound it.
        operations: of its products; 0 where memory bounds it.
        precision: of the products, "bf16" or "f32".
        tolerance: by which results may differ, relative to the largest.
        in_cupy: the same as a function of cupy and arrays, where cupy has it.
    """

    title: str
    make: Make
    target: float
    moved: int = 0
    operations: int = 0
    precision: str = "f32"
    tolerance: float = 1e-4
    in_cupy: Callable[[Any, Any], Any] | None = None


def _of(function: Callable[[Any, Any], Any], full: tuple[int, ...], small: tuple[int, ...]) -> Make:
    """A function of one tensor of random numbers."""

    def make(t: Any, device: str, is_small: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        t.manual_seed(0)
        x = t.randn(*(small if is_small else full)).to(device)
        return (lambda x: function(t, x)), (x,)

    return make


def _product(dtype: str, size: int, small: int) -> Make:
    def make(t: Any, device: str, is_small: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        t.manual_seed(0)
        n = small if is_small else size
        a, b = (t.randn(n, n).to(device).to(getattr(t, dtype)) for _ in range(2))
        return (lambda a, b: a @ b), (a, b)

    return make


def _convolution(t: Any, device: str, is_small: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    t.manual_seed(0)
    batch, channels, size = (2, 8, 8) if is_small else (64, 128, 56)
    x, w = t.randn(batch, channels, size, size).to(device), t.randn(channels, channels, 3, 3).to(device) / channels
    return (lambda x, w: t.nn.functional.conv2d(x, w, padding=1)), (x, w)


def _training(model: Callable[[Any, bool], Any], batch: Callable[[Any, bool], Any], halves: bool = False) -> Make:
    """A step of AdamW on the cross entropy; the function returns the loss."""

    def make(t: Any, device: str, is_small: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        t.manual_seed(0)
        network = model(t, is_small).to(device)
        optimizer = t.optim.AdamW(network.parameters(), lr=1e-4)
        x, y = (each.to(device) for each in batch(t, is_small))

        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            with t.autocast(device, dtype=t.bfloat16, enabled=halves):
                scores = network(x)
                loss = t.nn.functional.cross_entropy(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
            loss.backward()
            optimizer.step()
            return loss.detach()

        return step, (x, y)

    return make


def _mlp(t: Any, is_small: bool) -> Any:
    width, nn = 32 if is_small else 1024, t.nn
    layers = [nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(3)]
    return nn.Sequential(*layers, nn.Linear(width, 10))


def _cnn(t: Any, is_small: bool) -> Any:
    c, nn = 4 if is_small else 64, t.nn
    return nn.Sequential(
        nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(c, 2 * c, 3, padding=1), nn.BatchNorm2d(2 * c), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(2 * c * 64, 10),
    )  # fmt: skip


def _lstm(t: Any, is_small: bool) -> Any:
    width = 8 if is_small else 512

    class Network(t.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner, self.last = t.nn.LSTM(width, width, 2, batch_first=True), t.nn.Linear(width, 10)

        def forward(self, x: Any) -> Any:
            return self.last(self.inner(x)[0][:, -1])

    return Network()


def _gpt(t: Any, is_small: bool) -> Any:
    """The shape of GPT-2 small: 12 layers of width 768, 12 heads, 124 million parameters."""
    layers, width, heads, words, length = (1, 16, 2, 32, 8) if is_small else (12, 768, 12, 50304, 1024)
    nn = t.nn

    class Layer(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.behind = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.inner = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            batch, length, _ = x.shape
            parts = self.qkv(self.before(x)).reshape(batch, length, 3, heads, width // heads)
            q, k, v = (parts[:, :, i].transpose(1, 2) for i in range(3))
            found = t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(found.transpose(1, 2).reshape(batch, length, width))
            return x + self.inner(self.behind(x))

    class Network(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(words, width), nn.Parameter(t.zeros(length, width))
            self.layers, self.norm = nn.Sequential(*[Layer() for _ in range(layers)]), nn.LayerNorm(width)
            self.head = nn.Linear(width, words, bias=False)
            self.head.weight = self.words.weight

        def forward(self, x: Any) -> Any:
            return self.head(self.norm(self.layers(self.words(x) + self.places[: x.shape[1]])))

    return Network()


def _images(t: Any, is_small: bool) -> Any:
    count = 4 if is_small else 256
    return t.randn(count, 3, 32, 32), t.randint(0, 10, (count,))


def _vectors(t: Any, is_small: bool) -> Any:
    count, width = (8, 32) if is_small else (256, 1024)
    return t.randn(count, width), t.randint(0, 10, (count,))


def _sequences(t: Any, is_small: bool) -> Any:
    count, steps, width = (4, 5, 8) if is_small else (64, 128, 512)
    return t.randn(count, steps, width), t.randint(0, 10, (count,))


def _words(t: Any, is_small: bool) -> Any:
    count, length, words = (2, 8, 32) if is_small else (8, 1024, 50304)
    return t.randint(0, words, (count, length)), t.randint(0, words, (count, length))


def _adam(t: Any, device: str, is_small: bool) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """100 million parameters in 50 tensors, with gradients that stay."""
    t.manual_seed(0)
    parameters = [t.nn.Parameter(t.randn(100 if is_small else 2_000_000).to(device)) for _ in range(50)]
    for parameter in parameters:
        parameter.grad = t.ones_like(parameter) * 0.5
    optimizer = t.optim.AdamW(parameters, lr=1e-3)

    def step() -> Any:
        optimizer.step()
        return parameters[0].detach()

    return step, ()


def _chain(t: Any, x: Any) -> Any:
    return t.tanh(x * 0.5 + 1) * t.exp(-x * x) + t.where(x > 0, x, x * 0.1)


_PIXELS = 64 * 56 * 56
_ROWS, _MIB = 16384 * 4096, 1 << 20
CASES = (
    GpuCase("elementwise chain of 10, 256M", _of(_chain, (256 * _MIB,), (1000,)), 1.0, moved=2 * 4 * 256 * _MIB),
    GpuCase("softmax, 16384×4096", _of(lambda t, x: t.softmax(x, 1), (16384, 4096), (8, 32)), 1.0, moved=8 * _ROWS),
    GpuCase(
        "layer_norm, 16384×4096",
        _of(lambda t, x: t.nn.functional.layer_norm(x, x.shape[1:]), (16384, 4096), (8, 32)),
        1.0,
        moved=8 * _ROWS,
    ),
    GpuCase("sum, all, 16384×4096", _of(lambda t, x: x.sum(), (16384, 4096), (8, 32)), 1.0, moved=4 * _ROWS,
            in_cupy=lambda cupy, x: x.sum()),
    GpuCase("sum, axis 0, 16384×4096", _of(lambda t, x: x.sum(0), (16384, 4096), (8, 32)), 1.0, moved=4 * _ROWS,
            in_cupy=lambda cupy, x: x.sum(0)),
    GpuCase("AdamW step, 100M parameters in 50 tensors", _adam, 1.0, moved=7 * 4 * 100_000_000),
    GpuCase("product, bf16, 8192", _product("bfloat16", 8192, 16), 0.98, operations=2 * 8192**3, precision="bf16",
            tolerance=3e-2),
    GpuCase("product, f32, 4096", _product("float32", 4096, 16), 0.98, operations=2 * 4096**3,
            in_cupy=lambda cupy, a, b: a @ b),
    GpuCase("conv2d 3×3, 64×128×56×56, f32", _convolution, 0.5, operations=2 * _PIXELS * 128 * 128 * 9, tolerance=1e-3),
    GpuCase("MLP training step", _training(_mlp, _vectors), 1.0, tolerance=1e-3),
    GpuCase("CNN training step", _training(_cnn, _images), 0.9, tolerance=1e-3),
    GpuCase("LSTM training step", _training(_lstm, _sequences), 1.0, tolerance=1e-3),
    GpuCase("GPT of 124M parameters, bf16, training step", _training(_gpt, _words, halves=True), 0.9, tolerance=3e-2),
)  # fmt: skip
