"""A set predictor on a grid: boxes are matched to ever other numbers of objects by what the network answered."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    """Bright rectangles on a dark ground, from one to five in an image."""

    def __init__(self, size, generator):
        self.images, self.boxes, self.labels = [], [], []
        for _ in range(size):
            image = 0.1 * torch.rand(3, 32, 32, generator=generator)
            count = int(torch.randint(1, 6, (1,), generator=generator))
            centers = torch.randint(6, 26, (count, 2), generator=generator)
            halves = torch.randint(2, 6, (count, 2), generator=generator)
            labels = torch.randint(0, 3, (count,), generator=generator)
            for (x, y), (w, h), label in zip(centers.tolist(), halves.tolist(), labels.tolist()):
                image[label, y - h : y + h, x - w : x + w] += 0.8
            self.images.append(image)
            self.boxes.append(torch.cat([centers - halves, centers + halves], dim=1).float() / 32)
            self.labels.append(labels)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.boxes[i], self.labels[i]


def collate(batch):
    images, boxes, labels = zip(*batch)
    return torch.stack(images), list(boxes), list(labels)


def conv_block(inputs, outputs, stride):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.GroupNorm(4, outputs), nn.SiLU(inplace=True)
    )


class Detector(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.backbone = nn.Sequential(conv_block(3, 16, 2), conv_block(16, 32, 2), conv_block(32, 32, 1))
        self.box = nn.Sequential(conv_block(32, 32, 1), nn.Conv2d(32, 4, 1))
        self.cls = nn.Sequential(conv_block(32, 32, 1), nn.Conv2d(32, classes, 1))

    def forward(self, images):
        features = self.backbone(images)
        boxes = self.box(features).flatten(2).transpose(1, 2)
        logits = self.cls(features).flatten(2).transpose(1, 2)
        centers = boxes[..., :2].sigmoid()
        sizes = 0.5 * boxes[..., 2:].sigmoid()
        return torch.cat([centers - sizes, centers + sizes], dim=-1), logits


def box_area(boxes):
    return (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)


def pairwise_iou(a, b):
    top_left = torch.maximum(a[:, None, :2], b[None, :, :2])
    bottom_right = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    intersection = (bottom_right - top_left).clamp(min=0).prod(dim=2)
    return intersection / (box_area(a)[:, None] + box_area(b)[None] - intersection + 1e-6)


@torch.no_grad()
def match(boxes, logits, targets, labels):
    """Each object takes the cell that costs least of those that are free, best object first."""
    cost = torch.cdist(boxes, targets, p=1) - pairwise_iou(boxes, targets) - logits.sigmoid()[:, labels]
    taken = {}
    for target in cost.min(dim=0).values.argsort().tolist():
        for cell in cost[:, target].argsort().tolist():
            if cell not in taken:
                taken[cell] = target
                break
    return torch.tensor(list(taken.keys())), torch.tensor(list(taken.values()))


def detection_loss(boxes, logits, targets, labels):
    box_loss, class_loss, count = 0.0, 0.0, 0
    for i, (wanted, names) in enumerate(zip(targets, labels)):
        cells, objects = match(boxes[i], logits[i], wanted, names)
        box_loss = box_loss + F.l1_loss(boxes[i][cells], wanted[objects], reduction="sum")
        answers = torch.zeros_like(logits[i])
        answers[cells, names[objects]] = 1.0
        class_loss = class_loss + F.binary_cross_entropy_with_logits(logits[i], answers, reduction="sum")
        count += len(cells)
    return (box_loss + class_loss) / count


def main():
    torch.manual_seed(0)
    loader = DataLoader(Shapes(48, torch.Generator().manual_seed(1)), 6, shuffle=True, collate_fn=collate)
    model = Detector()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    while True:
        for images, targets, labels in loader:
            boxes, logits = model(images)
            loss = detection_loss(boxes, logits, targets, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss.item()
