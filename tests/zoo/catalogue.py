"""Which networks there are, and how each is trained."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent / "networks"

Task = Literal["classes", "masks", "tokens"]


@dataclass(frozen=True)
class Entry:
    """A network of the zoo.

    Attributes:
        file: in `FOLDER`.
        function: of that file; it makes the network.
        task: what it is trained for: a class of an image, a class of each pixel, the next token.
        optimizer, rate: of ``torch.optim``, and its learning rate.
        outputs: classes, or tokens.
        size: of an image's side, or of a sequence, as published.
        tiny_size: of its tiny variant; batch norms of fewer positions make too much of rounding errors.
        takes_size: whether the network's shapes depend on it.
    """

    file: str
    function: str
    task: Task = "classes"
    optimizer: str = "SGD"
    rate: float = 0.01
    outputs: int = 1000
    size: int = 224
    tiny_size: int = 32
    takes_size: bool = False

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.file}.py"


def _transformer(file: str, function: str) -> Entry:
    return Entry(file, function, optimizer="AdamW", rate=1e-3, takes_size=True)


def _language(file: str, function: str, outputs: int, size: int) -> Entry:
    return Entry(file, function, "tokens", "AdamW", 1e-3, outputs, size, tiny_size=6)


ENTRIES: dict[str, Entry] = {
    "resnet18": Entry("resnet", "resnet18", tiny_size=64),
    "resnet50": Entry("resnet", "resnet50", tiny_size=64),
    "mobilenet_v2": Entry("mobilenet_v2", "mobilenet_v2"),
    "mobilenet_v3": Entry("mobilenet_v3", "mobilenet_v3"),
    "densenet121": Entry("densenet", "densenet121"),
    "efficientnet_b0": Entry("efficientnet", "efficientnet_b0"),
    "shufflenet_v2": Entry("shufflenet_v2", "shufflenet_v2"),
    "convnext_t": Entry("convnext", "convnext_t", optimizer="AdamW", rate=1e-3),
    "unet": Entry("unet", "unet", "masks", outputs=21, size=128),
    "vit_s": _transformer("vit", "vit_s"),
    "swin_t": _transformer("swin", "swin_t"),
    "mlp_mixer": _transformer("mlp_mixer", "mlp_mixer"),
    "gpt": _language("gpt", "gpt", outputs=65, size=256),
    "lstm": _language("recurrent", "lstm", outputs=10000, size=35),
    "gru": _language("recurrent", "gru", outputs=10000, size=35),
    "nn_lstm": _language("recurrent_layers", "lstm", outputs=10000, size=35),
    "nn_gru": _language("recurrent_layers", "gru", outputs=10000, size=35),
}
NAMES = sorted(ENTRIES)
TINY_OUTPUTS: dict[Task, int] = {"classes": 10, "masks": 3, "tokens": 20}
