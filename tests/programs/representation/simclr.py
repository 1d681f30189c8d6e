"""SimCLR: two views of each image, NT-Xent over all of them, then a linear probe on frozen features."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ResNetSimCLR(nn.Module):
    def __init__(self, out_dim=16):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(),
        )  # fmt: skip
        self.fc = nn.Sequential(nn.Linear(16 * 9, 32), nn.ReLU(), nn.Linear(32, out_dim))

    def forward(self, x):
        return self.fc(self.backbone(x))


def random_crop(images, size):
    crops = []
    for image in images:
        top = int(torch.randint(0, image.shape[-2] - size + 1, (1,)))
        left = int(torch.randint(0, image.shape[-1] - size + 1, (1,)))
        crop = image[:, top : top + size, left : left + size]
        if torch.rand(1) < 0.5:
            crop = torch.flip(crop, dims=[-1])
        crops.append(crop)
    return torch.stack(crops)


def info_nce_loss(features, batch_size, n_views=2, temperature=0.1):
    labels = torch.cat([torch.arange(batch_size) for i in range(n_views)], dim=0)
    labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
    features = F.normalize(features, dim=1)
    similarity_matrix = torch.matmul(features, features.T)
    mask = torch.eye(labels.shape[0], dtype=torch.bool)
    labels = labels[~mask].view(labels.shape[0], -1)
    similarity_matrix = similarity_matrix[~mask].view(similarity_matrix.shape[0], -1)
    positives = similarity_matrix[labels.bool()].view(labels.shape[0], -1)
    negatives = similarity_matrix[~labels.bool()].view(similarity_matrix.shape[0], -1)
    logits = torch.cat([positives, negatives], dim=1)
    labels = torch.zeros(logits.shape[0], dtype=torch.long)
    return logits / temperature, labels


def main():
    torch.manual_seed(0)
    images = torch.rand(48, 1, 14, 14)
    model = ResNetSimCLR()
    optimizer = torch.optim.Adam(model.parameters(), 3e-3, weight_decay=1e-4)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(10000):
        for batch in images.split(8):
            views = torch.cat([random_crop(batch, 12), random_crop(batch, 12)], dim=0)
            features = model(views)
            logits, labels = info_nce_loss(features, batch.shape[0])
            loss = criterion(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            top1 = (logits.argmax(dim=1) == labels).float().mean()
            yield loss.item(), top1.item()
