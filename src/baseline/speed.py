"""Measures a training step of the same model in PyTorch, beside `focalist-baseline train`, on the same shapes.

    python src/baseline/speed.py data even.jsonl                      # 120 samples, in markers alone
    python src/baseline/speed.py run --vocabulary vocabulary.json     # seconds of processor time a step
    RAYON_NUM_THREADS=1 focalist-baseline train --train even.jsonl --validation even.jsonl \
        --vocabulary vocabulary.json --output even --steps 11

One thread each; the first step is not counted.
"""

import argparse
import json
import math
import time

SOURCE, TARGET = 500, 120


def lengths(i):
    """Of a sample's source and target: some padding, as in any batch."""
    return SOURCE - i % 6 * 8, TARGET - i % 6 * 2


def data(path):
    blocks = ["<[block]>", "<[/block]>"] * SOURCE
    with open(path, "w") as file:
        for i in range(120):
            source, target = lengths(i)
            source = ["<[source]>", "<[setup]>", *blocks[: source - 4], "<[/setup]>", "<[/source]>"]
            target = ["<[target]>", *blocks[: target - 2], "<[/target]>"]
            file.write(json.dumps({"sample": f"{i:032x}", "source": source, "target": target}) + "\n")


def pieces(vocabulary):
    vocabulary = json.load(open(vocabulary))
    return vocabulary["model"]["vocab"], vocabulary["added_tokens"]


def run(vocabulary, rows, steps, layers, width, heads, inner, dropout):
    import torch
    from torch import nn
    from torch.nn import functional

    torch.set_num_threads(1)
    torch.manual_seed(1)
    n_pieces = sum(len(it) for it in pieces(vocabulary))

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.query = nn.Linear(width, width)
            self.key_value = nn.Linear(width, 2 * width)
            self.out = nn.Linear(width, width)

        def forward(self, x, memory, mask=None, is_causal=False):
            cut = lambda it: it.view(it.shape[0], it.shape[1], heads, width // heads).transpose(1, 2)
            keys, values = self.key_value(memory).chunk(2, 2)
            seen = functional.scaled_dot_product_attention(
                cut(self.query(x)), cut(keys), cut(values), mask, is_causal=is_causal
            )
            return self.out(seen.transpose(1, 2).reshape(x.shape))

    class Layer(nn.Module):
        def __init__(self, has_memory):
            super().__init__()
            self.attention = Attention()
            self.crossing = Attention() if has_memory else None
            self.one = nn.Linear(width, inner)
            self.two = nn.Linear(inner, width)
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if has_memory else 2))

        def forward(self, x, mask, memory=None):
            drop = lambda it: functional.dropout(it, dropout)
            seen = self.norms[0](x)
            is_decoder = memory is not None
            x = x + drop(self.attention(seen, seen, None if is_decoder else mask, is_decoder))
            if is_decoder:
                x = x + drop(self.crossing(self.norms[2](x), memory, mask))
            return x + drop(self.two(drop(functional.relu(self.one(self.norms[1](x))))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(n_pieces, width)
            self.encoder = nn.ModuleList(Layer(False) for _ in range(layers))
            self.decoder = nn.ModuleList(Layer(True) for _ in range(layers))
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))

        def embed(self, ids):
            at = torch.arange(ids.shape[1])[:, None] / 10_000 ** (torch.arange(0, width, 2) / width)
            sines = torch.stack([at.sin(), at.cos()], 2).view(ids.shape[1], width)
            return functional.dropout(self.embedding(ids) * math.sqrt(width) + sines, dropout)

        def loss(self, source, mask, given, expected):
            x = self.embed(source)
            for layer in self.encoder:
                x = layer(x, mask)
            memory = self.norms[0](x)
            x = self.embed(given)
            for layer in self.decoder:
                x = layer(x, mask, memory)
            logits = functional.linear(self.norms[1](x), self.embedding.weight)
            return functional.cross_entropy(logits.view(-1, n_pieces), expected.reshape(-1))

    model = Model()
    adam = torch.optim.Adam(model.parameters(), lr=1e-4, betas=(0.9, 0.98))
    source = torch.randint(n_pieces, (rows, SOURCE + 1))
    target = torch.randint(n_pieces, (rows, TARGET + 2))
    lens = torch.tensor([lengths(i)[0] + 1 for i in range(rows)])
    mask = (torch.arange(SOURCE + 1)[None, :] < lens[:, None])[:, None, None, :]
    for step in range(steps + 1):
        if step == 1:
            start = time.process_time()
        adam.zero_grad()
        loss = model.loss(source, mask, target[:, :-1], target[:, 1:])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    seconds = (time.process_time() - start) / steps
    n_parameters = sum(it.numel() for it in model.parameters())
    print(json.dumps({"parameters": n_parameters, "rows": rows, "seconds_per_step": round(seconds, 4), "torch": torch.__version__}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("data").add_argument("path")
    it = commands.add_parser("run")
    it.add_argument("--vocabulary", required=True)
    for name, value in [("rows", 6), ("steps", 10), ("layers", 3), ("width", 256), ("heads", 4), ("inner", 1024)]:
        it.add_argument("--" + name, type=int, default=value)
    it.add_argument("--dropout", type=float, default=0.1)
    arguments = vars(parser.parse_args())
    data(arguments["path"]) if arguments.pop("command") == "data" else run(**arguments)


if __name__ == "__main__":
    main()
