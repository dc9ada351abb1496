"""The sentence model that the table is distilled from: texts in, vectors of 384 numbers out; nothing is learnt here.

all-MiniLM-L6-v2, read out of a wheel, its forward pass written out in NumPy so that nothing larger is needed. `Cache`
keeps every vector in a folder, because encoding is what costs (about 60 sentences a second on one core): a run that
was ended goes on where it was, and a run with more sentences encodes only the new ones.
"""
import hashlib, json, math, os, re, zipfile

import numpy as np
from safetensors.numpy import load
from scipy.special import erf
from tokenizers import Tokenizer

WIDTH = 384
TOKENS_MAX = 64


class SentenceModel:
    """A BERT encoder of six layers, the mean of its last layer, at unit length."""

    def __init__(self, wheel):
        archive = zipfile.ZipFile(wheel)
        part = lambda end: archive.read(next(it for it in archive.namelist() if it.endswith(end)))
        weights = load(part("model/model.safetensors"))
        self.w = {name.removeprefix("bert."): it.astype(np.float32) for name, it in weights.items()}
        config = json.loads(part("model/config.json"))
        self.heads, self.layers = config["num_attention_heads"], config["num_hidden_layers"]
        self.tokens = Tokenizer.from_str(part("model/tokenizer.json").decode())
        self.tokens.no_padding(), self.tokens.enable_truncation(TOKENS_MAX)

    def own_words(self):
        """The words that the model knows as a whole, the commonest first."""
        known = sorted(self.tokens.get_vocab().items(), key=lambda it: it[1])
        return [word for word, _ in known if re.fullmatch("[a-z]{3,20}", word)]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-12))
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def dense(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def attention(self, x, name, hidden):
        count, length, width = x.shape
        size = width // self.heads
        split = lambda it: it.reshape(count, length, self.heads, size).transpose(0, 2, 1, 3)
        q, k, v = (split(self.dense(x, f"{name}self.{it}")) for it in ("query", "key", "value"))
        share = q @ k.transpose(0, 1, 3, 2) / np.float32(math.sqrt(size)) + hidden
        share = np.exp(share - share.max(-1, keepdims=True))
        share /= share.sum(-1, keepdims=True)
        return (share @ v).transpose(0, 2, 1, 3).reshape(count, length, width)

    def batch(self, ids, mask):
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "token_type_embeddings.weight"][0]
        x = self.norm(x + self.w[e + "position_embeddings.weight"][: ids.shape[1]], e + "LayerNorm")
        hidden = ((1 - mask)[:, None, None, :] * np.float32(-1e9)).astype(np.float32)
        for layer in range(self.layers):
            p = f"encoder.layer.{layer}."
            seen = self.dense(self.attention(x, p + "attention.", hidden), p + "attention.output.dense")
            x = self.norm(x + seen, p + "attention.output.LayerNorm")
            h = self.dense(x, p + "intermediate.dense")
            h *= np.float32(0.5) * (1 + erf(h * np.float32(math.sqrt(0.5))))
            x = self.norm(x + self.dense(h, p + "output.dense"), p + "output.LayerNorm")
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def encode(self, texts, rows=32):
        ids = [it.ids for it in self.tokens.encode_batch(texts)]
        out = np.zeros((len(ids), WIDTH), np.float32)
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        for start in range(0, len(order), rows):
            part = order[start : start + rows]
            length = max(len(ids[at]) for at in part)
            x, mask = np.zeros((len(part), length), int), np.zeros((len(part), length), np.float32)
            for row, at in enumerate(part):
                x[row, : len(ids[at])], mask[row, : len(ids[at])] = ids[at], 1
            out[part] = self.batch(x, mask)
        return out


class Cache:
    """Vectors of texts in a folder: `keys` (16 bytes a text), `vectors` (384 half floats a text), in step."""

    def __init__(self, folder, model):
        os.makedirs(folder, exist_ok=True)
        self.keys, self.vectors = os.path.join(folder, "keys"), os.path.join(folder, "vectors")
        self.model = model
        raw = open(self.keys, "rb").read() if os.path.exists(self.keys) else b""
        stored = os.path.getsize(self.vectors) // (2 * WIDTH) if os.path.exists(self.vectors) else 0
        self.count = min(len(raw) // 16, stored)  # of a run that was ended in between
        self.at = {raw[16 * i : 16 * i + 16]: i for i in range(self.count)}

    @staticmethod
    def key(text):
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def encode(self, texts, step=2048):
        new = [it for it in dict.fromkeys(texts) if self.key(it) not in self.at]
        for start in range(0, len(new), step):
            part = new[start : start + step]
            vectors = self.model.encode(part).astype(np.float16)
            for path, width, block in ((self.vectors, 2 * WIDTH, vectors.tobytes()), (self.keys, 16, b"".join(map(self.key, part)))):
                with open(path, "ab") as file:
                    file.truncate(self.count * width)
                    file.write(block)
            self.at.update((self.key(it), self.count + i) for i, it in enumerate(part))
            self.count += len(part)
            print(f"  encoded {start + len(part)} of {len(new)}", flush=True)
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        all_vectors = np.fromfile(self.vectors, np.float16).reshape(-1, WIDTH)
        return all_vectors[[self.at[self.key(it)] for it in texts]].astype(np.float32)
