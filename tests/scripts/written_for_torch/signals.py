"""Spectrograms, a low-pass filter and an ordinary differential equation."""

import torch

torch.manual_seed(11)
signal = torch.sin(torch.arange(256) * 0.3) + 0.1 * torch.randn(256)
spectrogram = torch.stft(signal, 64, hop_length=16, window=torch.hann_window(64), return_complex=True)
low = torch.fft.irfft(torch.fft.rfft(signal) * (torch.fft.rfftfreq(256) < 0.1), n=256)
similarity = torch.nn.functional.cosine_similarity(signal, low, dim=0)
results = [spectrogram.abs().mean(1), spectrogram.shape, low, similarity]

spiral = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


def velocity(place):
    return torch.mm(place**3, spiral)


place, times = torch.tensor([[2.0, 0.0]]), torch.linspace(0, 2, 20)
path = []
for step in times[1:] - times[:-1]:
    k1 = velocity(place)
    k2 = velocity(place + step / 2 * k1)
    k3 = velocity(place + step / 2 * k2)
    k4 = velocity(place + step * k3)
    place = place + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    path.append(place)
results.append(torch.cat(path))
