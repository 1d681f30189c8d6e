"""A training loop with a scaler, pinned batches and a checkpoint that is read on several devices."""

import io
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make(device):
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.linspace(-0.5, 0.5, p.numel()).reshape(p.shape))
    model = model.to(device)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-2)


def main(device):
    device = torch.device(device)
    on_gpu = device.type == "cuda"
    x = torch.linspace(-1, 1, 96).reshape(24, 4)
    y = (x.sum(1) > 0).long()
    loader = DataLoader(TensorDataset(x, y), batch_size=8, pin_memory=on_gpu)
    model, optimizer = make(device)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        scaler = torch.cuda.amp.GradScaler(enabled=on_gpu)

    for _ in range(3):
        running = 0.0
        for xb, yb in loader:
            xb, yb = xb.to(device, non_blocking=True), yb.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(xb), yb)
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            running += loss.item() * xb.size(0)
        scheduler.step()
        if on_gpu:
            torch.cuda.synchronize()
        yield running / len(x)

    model.eval()
    with torch.no_grad():
        yield (model(x.to(device)).argmax(1) == y.to(device)).float().mean().item()

    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    for place in ("cpu", device, {"cuda:0": "cpu"}, lambda storage, location: storage):
        file.seek(0)
        checkpoint = torch.load(file, map_location=place)
        yield checkpoint["model"]["0.weight"].sum().item()
    resumed, optimizer = make(device)
    resumed.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(resumed(xb.to(device)), yb.to(device))
        loss.backward()
        optimizer.step()
        yield loss.item()
