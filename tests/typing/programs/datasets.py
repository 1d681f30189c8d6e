"""A dataset of one's own, loaded in batches."""

from typing import assert_type

import numpy as np

import lazygrad as lg
from lazygrad import Tensor
from lazygrad.utils.data import DataLoader, Dataset, random_split


class Waves(Dataset[tuple[Tensor, int]]):
    def __init__(self, count: int) -> None:
        self.phases = np.linspace(0, 2 * np.pi, count, dtype=np.float32)

    def __len__(self) -> int:
        return len(self.phases)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        return lg.sin(lg.arange(16) / 4 + float(self.phases[index])), index % 2


def collate(batch: list[tuple[Tensor, int]]) -> tuple[Tensor, Tensor]:
    waves, labels = zip(*batch, strict=True)
    return lg.stack(list(waves)), lg.tensor(labels)


waves = Waves(100)
assert_type(waves[0][0], Tensor)
train, held_out = random_split(waves, [0.8, 0.2], generator=lg.Generator().manual_seed(0))
for batch, labels in DataLoader(train, batch_size=8, collate_fn=collate, num_workers=0):
    print(batch.shape, labels.float().mean().item())
