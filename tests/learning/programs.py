"""Models written by hand, each for either framework."""

from __future__ import annotations

from typing import Any

from .framework import Framework


def lstm_classifier(framework: Framework, hidden: int) -> Any:
    """Reads the 8 rows of a digit one after the other, [batch, 64] → logits [batch, 10]."""
    lib, nn = framework.lib, framework.nn

    class LSTMCell(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.from_input = nn.Linear(8, 4 * hidden)
            self.from_hidden = nn.Linear(hidden, 4 * hidden, bias=False)

        def forward(self, x: Any, state: Any, cell: Any) -> tuple[Any, Any]:
            gates = self.from_input(x) + self.from_hidden(state)
            enter, forget, candidate, leave = gates.chunk(4, dim=1)
            cell = forget.sigmoid() * cell + enter.sigmoid() * candidate.tanh()
            return leave.sigmoid() * cell.tanh(), cell

    class Classifier(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = LSTMCell()
            self.output = nn.Linear(hidden, 10)

        def forward(self, images: Any) -> Any:
            rows = images.view(-1, 8, 8)
            state = cell = lib.zeros(rows.shape[0], hidden)
            for row in rows.unbind(1):
                state, cell = self.cell(row, state, cell)
            return self.output(state)

    return Classifier()


def gpt_model(framework: Framework, vocabulary: int, context: int, width: int, heads: int, blocks: int) -> Any:
    """Transformer blocks between embeddings and a linear layer, [batch, context] → [batch, context, vocabulary]."""
    lib, nn = framework.lib, framework.nn

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention_norm = nn.LayerNorm(width)
            self.query_key_value = nn.Linear(width, 3 * width)
            self.attention_output = nn.Linear(width, width)
            self.mlp_norm = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def attention(self, x: Any) -> Any:
            split = [part.unflatten(2, (heads, -1)).transpose(1, 2) for part in self.query_key_value(x).split(width, 2)]
            mixed = nn.functional.scaled_dot_product_attention(*split, is_causal=True)
            return self.attention_output(mixed.transpose(1, 2).flatten(2))

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.attention_norm(x))
            return x + self.mlp(self.mlp_norm(x))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.characters = nn.Embedding(vocabulary, width)
            self.positions = nn.Embedding(context, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
            self.output = nn.Linear(width, vocabulary)

        def forward(self, characters: Any) -> Any:
            return self.output(self.blocks(self.characters(characters) + self.positions(lib.arange(context))))

    return Model()
