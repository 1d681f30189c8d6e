"""What a training writes for TensorBoard, read back."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazygrad as lg

pytest.importorskip("tensorboardX", reason="tensorboardX, which writes the files, is not installed")
from lazygrad.utils.tensorboard import SummaryWriter


def events(folder: Path) -> Iterator[Any]:
    from tensorboardX.proto.event_pb2 import Event

    (path,) = folder.glob("events.*")
    content = path.read_bytes()
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        yield Event.FromString(content[12 : 12 + length])
        content = content[16 + length :]


def values(folder: Path) -> dict[str, Any]:
    return {value.tag: value for event in events(folder) for value in event.summary.value}


def test_tensors_are_taken_everywhere(tmp_path: Path) -> None:
    w = lg.ones(3, requires_grad=True)
    images = lg.rand(2, 3, 8, 8)
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", (w * 2).sum(), 1)
        writer.add_histogram("weights", w, 1)
        writer.add_image("image", images[0], 1)
        writer.add_images("images", images, 1)
        writer.add_text("text", "words", 1)
        writer.add_pr_curve("curve", lg.tensor([0, 1, 1]), lg.tensor([0.1, 0.6, 0.9]), 1)
        writer.add_mesh("mesh", lg.rand(1, 4, 3))
        writer.add_embedding(lg.rand(4, 2), metadata=["a", "b", "c", "d"], tag="places")
    found = values(tmp_path)
    assert found["loss"].simple_value == 6
    assert found["weights"].histo.num == 3 and found["weights"].histo.sum == 3
    assert (found["image"].image.height, found["image"].image.width) == (8, 8)
    assert {"images", "curve"} <= set(found) and any(tag.startswith("mesh") for tag in found)
    table = np.loadtxt(next(tmp_path.glob("**/tensors.tsv")))
    assert table.shape == (4, 2)


def test_several_curves(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalars("run", {"a": lg.tensor(1.5), "b": lg.tensor(2.5)}, 3)
    found = [value.simple_value for name in "ab" for value in values(tmp_path / "run" / name).values()]
    assert found == [1.5, 2.5]


def test_the_graph_is_the_recorded_one(tmp_path: Path) -> None:
    from tensorboardX.proto.graph_pb2 import GraphDef

    model = lg.nn.Sequential(lg.nn.Linear(4, 3), lg.nn.Sequential(lg.nn.ReLU(), lg.nn.Linear(3, 2)))
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_graph(model, lg.ones(5, 4))
    (drawn,) = [GraphDef.FromString(event.graph_def) for event in events(tmp_path) if event.graph_def]
    nodes = {node.name: node for node in drawn.node}
    assert len(nodes) == len(drawn.node)
    last = nodes["Sequential/1/1/linear"]
    assert last.op == "linear" and list(last.input) == [
        "Sequential/1/0/relu", "Sequential/1/1/weight", "Sequential/1/1/bias"
    ]  # fmt: skip
    (shape,) = last.attr["_output_shapes"].list.shape
    assert [dimension.size for dimension in shape.dim] == [5, 2]
    assert all(source in nodes for node in drawn.node for source in node.input)
