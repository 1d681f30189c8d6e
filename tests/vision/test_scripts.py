"""A script in torchvision's words, run unchanged by ``python -m lazygrad run``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import torch
import torch.nn as nn
import torchvision
import torchvision.models as models
import torchvision.transforms as transforms
from torchvision.io import read_image, write_png
from torchvision.models import ResNet18_Weights, resnet18
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.models.resnet import BasicBlock, ResNet
from torchvision.ops import box_iou, nms
from torchvision.transforms import v2
from torchvision.utils import draw_bounding_boxes

names = sorted(
    name for name in models.__dict__ if name.islower() and not name.startswith("__") and callable(models.__dict__[name])
)
print(len(names), "resnet50" in names, "alexnet" in names)

torch.manual_seed(0)
model = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=10)
for parameter in model.parameters():
    parameter.requires_grad = False
model.fc = nn.Linear(model.fc.in_features, 2)
optimizer = torch.optim.SGD(model.fc.parameters(), lr=0.01)
augment = v2.Compose([v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True)])
image = augment(torch.randint(0, 256, (2, 3, 32, 32), dtype=torch.uint8))
loss = nn.functional.cross_entropy(model(image), torch.tensor([0, 1]))
loss.backward()
optimizer.step()
print(loss.isfinite().item(), model.conv1.weight.grad)
try:
    resnet18(weights=ResNet18_Weights.DEFAULT)
except FileNotFoundError as error:
    print("no file", "resnet18-f37072fd.pth" in str(error))
write_png(draw_bounding_boxes((image[0] * 255).to(torch.uint8), torch.tensor([[1, 2, 9, 9]])), "boxes.png")
print(read_image("boxes.png").shape, nms(torch.eye(4).cumsum(1), torch.ones(4), 0.5).dtype)
"""


def test_it_runs(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {"PYTHONPATH": str(Path(__file__).parents[2]), "TORCH_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [sys.executable, "-m", "lazygrad", "run", "script.py"],
        cwd=tmp_path, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith("True True") and lines[1:] == [
        "True None",
        "no file True",
        "torch.Size([3, 32, 32]) torch.int64",
    ]
