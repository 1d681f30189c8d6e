"""A training loop as users write it."""

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import Tensor, nn, optim
from lazygrad.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, kernel_size=3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(8 * 4 * 4, width), nn.ReLU(), nn.Linear(width, 10))

    def forward(self, images: Tensor) -> Tensor:
        features = F.max_pool2d(F.relu(self.norm(self.conv(images))), 2)
        logits: Tensor = self.head(F.dropout(features, 0.1, training=self.training))
        return logits


def accuracy(model: nn.Module, loader: DataLoader[tuple[Tensor, ...]]) -> float:
    model.eval()
    right = 0
    with lg.no_grad():
        for images, labels in loader:
            right += int((model(images).argmax(dim=1) == labels).sum().item())
    return right / len(loader)


def main() -> None:
    lg.manual_seed(0)
    device = lg.device("cuda" if lg.cuda.is_available() else "cpu")
    loader = DataLoader(
        TensorDataset(lg.randn(64, 1, 8, 8), lg.randint(0, 10, (64,))), batch_size=16, shuffle=True, drop_last=True
    )
    model = Classifier().to(device)
    optimizer = optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    losses: list[float] = []
    for epoch in range(2):
        model.train()
        running = 0.0
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad(set_to_none=True)
            with lg.autocast("cpu", dtype=lg.bfloat16):
                loss = criterion(model(images), labels)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            running += loss.item() * images.size(0)
        losses.append(running)
        for group in optimizer.param_groups:
            group["lr"] *= 0.5
        print(f"epoch {epoch}: loss {running:.4f}, accuracy {accuracy(model, loader):.2%}")
    lg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "/tmp/checkpoint.pt")
    model.load_state_dict(lg.load("/tmp/checkpoint.pt")["model"])


if __name__ == "__main__":
    main()
