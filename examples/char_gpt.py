"""Train a small character-level GPT on Python's own reference manual, then let it write.

    python examples/char_gpt.py

The text is the one that ``help()`` shows; it comes with Python, so nothing is downloaded.
"""

from __future__ import annotations

import argparse
import math
import random
from pydoc_data.topics import topics

from tqdm import tqdm

import lazygrad as lg
import lazygrad.nn.functional as F
from lazygrad import nn, optim

CONTEXT = 32
BATCH = 32
PEAK_RATE = 6e-3


class Attention(nn.Module):
    """Causal self-attention over [batch, time, width]."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(width, 3 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: lg.Tensor) -> lg.Tensor:
        batch, time, width = x.shape
        parts = self.query_key_value(x).view(batch, time, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.output(mixed.transpose(1, 2).reshape(batch, time, width))


class Block(nn.Module):
    """Attention, then two linear layers, each added to what came in."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: lg.Tensor) -> lg.Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class GPT(nn.Module):
    """Maps characters [batch, CONTEXT] to the logits of the next ones [batch, CONTEXT, vocabulary]."""

    def __init__(self, vocabulary: int, width: int = 128, heads: int = 4, layers: int = 2) -> None:
        super().__init__()
        self.characters = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.logits = nn.Linear(width, vocabulary)

    def forward(self, characters: lg.Tensor) -> lg.Tensor:
        x = self.characters(characters) + self.positions(lg.arange(CONTEXT))
        return self.logits(self.norm(self.blocks(x)))


def manual() -> str:
    text = "\n".join(topics[name] for name in sorted(topics))
    return "".join(character for character in text if character.isascii())


def random_batch(text: lg.Tensor) -> tuple[lg.Tensor, lg.Tensor]:
    """BATCH random windows of the text, [BATCH, CONTEXT], and the same windows one character later."""
    starts = lg.randint(len(text) - CONTEXT, (BATCH, 1))
    where = starts + lg.arange(CONTEXT)
    return text[where], text[where + 1]


def train(model: GPT, text: lg.Tensor, steps: int) -> None:
    """AdamW with a short warm-up and a cosine decay; prints the loss as it falls."""
    optimizer = optim.AdamW(model.parameters(), lr=PEAK_RATE, betas=(0.9, 0.99), weight_decay=0.1)
    model.train()
    # The bar counts characters, so its rate is in characters per second.
    with tqdm(total=steps * BATCH * CONTEXT, unit="char", unit_scale=True) as progress:
        for step in range(steps):
            # The rate changes every step and nothing is compiled again: numbers are arguments of the compiled plan.
            warm_up, decay = min(1.0, (step + 1) / 20), 0.5 * (1 + math.cos(math.pi * step / steps))
            optimizer.param_groups[0]["lr"] = PEAK_RATE * warm_up * decay
            inputs, targets = random_batch(text)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
            loss.backward()
            optimizer.step()
            progress.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
            progress.update(BATCH * CONTEXT)
            if step % (steps // 5 or 1) == 0 or step == steps - 1:
                progress.write(f"step {step:4}  loss {loss.item():.3f}")


def write(model: GPT, start: list[int], length: int, temperature: float = 0.8) -> list[int]:
    """Continue ``start``, at least CONTEXT characters, by ``length`` more.

    The window always holds CONTEXT characters: one shape, hence one plan for all of them.
    """
    written = list(start)
    model.eval()
    with lg.no_grad():
        for _ in range(length):
            logits = model(lg.tensor([written[-CONTEXT:]]))[0, -1]
            chances = F.softmax(logits / temperature, dim=-1).tolist()
            written += random.choices(range(len(chances)), weights=chances)
    return written[len(start) :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    lg.manual_seed(arguments.seed)
    random.seed(arguments.seed)
    text = manual()
    alphabet = sorted(set(text))
    number_of = {character: number for number, character in enumerate(alphabet)}
    numbers = [number_of[character] for character in text]
    model = GPT(len(alphabet))
    weights = sum(parameter.numel() for parameter in model.parameters())
    print(f"{len(text):,} characters, {len(alphabet)} different ones; a model of {weights:,} weights")

    train(model, lg.tensor(numbers), arguments.steps)
    written = write(model, numbers[:CONTEXT], 300)
    print("".join(alphabet[number] for number in numbers[:CONTEXT] + written))


if __name__ == "__main__":
    main()
