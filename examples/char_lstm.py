"""Train an LSTM on the text that ``help()`` shows, character by character, then let it write.

    python examples/char_lstm.py            # ends with: bits per character: 2.43
    python examples/char_lstm.py --short    # ends with: bits per character: 4.25

It runs on PyTorch too: write torch for lazygrad in the imports.
"""

from __future__ import annotations

import argparse
import math
from pydoc_data.topics import topics

import lazygrad as torch
import lazygrad.nn.functional as F
from lazygrad import nn, optim

STREAMS, TIME = 32, 32
State = tuple[torch.Tensor, torch.Tensor]


class CharacterLSTM(nn.Module):
    """Maps characters [batch, time] to the logits of the next ones [batch, time, vocabulary]."""

    def __init__(self, vocabulary: int, width: int = 128) -> None:
        super().__init__()
        self.characters = nn.Embedding(vocabulary, 32)
        self.lstm = nn.LSTM(32, width, batch_first=True)
        self.logits = nn.Linear(width, vocabulary)

    def forward(self, characters: torch.Tensor, state: State | None = None) -> tuple[torch.Tensor, State]:
        hidden, state = self.lstm(self.characters(characters), state)
        return self.logits(hidden), state


def train(model: nn.Module, text: torch.Tensor, steps: int) -> list[float]:
    """STREAMS parts of the text are read beside each other, TIME characters a step; returns the losses."""
    optimizer = optim.Adam(model.parameters(), lr=5e-3)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    length = len(text) // STREAMS
    streams = text[: length * STREAMS].view(STREAMS, length)
    losses: list[float] = []
    state = None
    for step in range(steps):
        start = step * TIME % (length - TIME - 1)
        window = streams[:, start : start + TIME + 1]
        logits, state = model(window[:, :-1], state)
        state = state[0].detach(), state[1].detach()  # what was read is remembered, but gradients end here
        loss = F.cross_entropy(logits.flatten(0, 1), window[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step % (steps // 5) == 0:
            print(f"step {step:4}  loss {losses[-1]:.3f}")
    return losses


@torch.no_grad()
def write(model: nn.Module, start: torch.Tensor, length: int, temperature: float = 0.7) -> list[int]:
    """Continue ``start`` [time]; each character is drawn from what the model expects, and read by it in turn."""
    written: list[int] = []
    logits, state = model(start.view(1, -1))
    for _ in range(length):
        character = torch.multinomial(F.softmax(logits[0, -1] / temperature, dim=0), 1)
        written.append(int(character))
        logits, state = model(character.view(1, 1), state)
    return written


def main(arguments: list[str] | None = None) -> list[float]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--short", action="store_true", help="train for a few seconds only")
    short = parser.parse_args(arguments).short

    torch.manual_seed(0)
    text = "".join(filter(str.isascii, "\n".join(topics[name] for name in sorted(topics))))
    alphabet = sorted(set(text))
    numbers = torch.tensor([alphabet.index(character) for character in text])
    model = CharacterLSTM(len(alphabet))
    losses = train(model, numbers, steps=40 if short else 600)

    written = write(model, numbers[:TIME], 40 if short else 300)
    print("".join(alphabet[number] for number in numbers[:TIME].tolist() + written))
    if torch.__name__ == "lazygrad":
        # All steps are one program, whatever the learning rate; so are all characters that it wrote.
        print(f"{torch.cache_info().misses} programs were met in all")
    last = losses[-len(losses) // 10 :]
    print(f"bits per character: {sum(last) / len(last) / math.log(2):.2f}")
    return losses


if __name__ == "__main__":
    main()
