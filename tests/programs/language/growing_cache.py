"""Greedy decoding with keys and values that are joined to those of earlier tokens, as in Hugging Face's models."""

import torch
import torch.nn as nn

vocab, width, heads, layers = 30, 32, 2, 2


class DynamicCache:
    def __init__(self):
        self.key_cache, self.value_cache = [], []

    def update(self, key_states, value_states, layer_idx):
        if len(self.key_cache) <= layer_idx:
            self.key_cache.append(key_states)
            self.value_cache.append(value_states)
        else:
            self.key_cache[layer_idx] = torch.cat([self.key_cache[layer_idx], key_states], dim=-2)
            self.value_cache[layer_idx] = torch.cat([self.value_cache[layer_idx], value_states], dim=-2)
        return self.key_cache[layer_idx], self.value_cache[layer_idx]

    def get_seq_length(self):
        return self.key_cache[0].shape[-2] if self.key_cache else 0


class DecoderLayer(nn.Module):
    def __init__(self, layer_idx):
        super().__init__()
        self.layer_idx = layer_idx
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, hidden_states, past_key_values, attention_mask):
        b, t, _ = hidden_states.shape
        q, k, v = self.qkv(self.norm1(hidden_states)).chunk(3, dim=-1)
        q, k, v = (x.view(b, t, heads, -1).transpose(1, 2) for x in (q, k, v))
        k, v = past_key_values.update(k, v, self.layer_idx)
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=attention_mask)
        hidden_states = hidden_states + self.out(y.transpose(1, 2).reshape(b, t, width))
        return hidden_states + self.mlp(self.norm2(hidden_states))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.position = nn.Embedding(64, width)
        self.layers = nn.ModuleList(DecoderLayer(i) for i in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, input_ids, past_key_values):
        past = past_key_values.get_seq_length()
        t = input_ids.shape[1]
        position_ids = torch.arange(past, past + t).unsqueeze(0)
        hidden_states = self.embed(input_ids) + self.position(position_ids)
        mask = torch.ones(t, past + t, dtype=torch.bool).tril(diagonal=past)
        for layer in self.layers:
            hidden_states = layer(hidden_states, past_key_values, mask)
        return self.head(self.norm(hidden_states))


def main():
    torch.manual_seed(0)
    model = Model()
    model.eval()
    eos_token_id = 0
    for prompt in range(10000):
        input_ids = torch.randint(1, vocab, (1, 5 + prompt % 3))
        cache = DynamicCache()
        generated = []
        with torch.no_grad():
            logits = model(input_ids, cache)
            for _ in range(16):
                logits[:, -1, eos_token_id] -= 1.0
                next_token = logits[:, -1].argmax(dim=-1, keepdim=True)
                generated.append(next_token)
                if next_token.item() == eos_token_id:
                    break
                logits = model(next_token, cache)
        yield float(torch.cat(generated, dim=1).sum())
