#!/usr/bin/env python3
"""Distils the word table of `tool_search` out of a sentence model. Run by hand, never by a build. See README.md.

A text's vector is the sum of its words' vectors. Each word starts at the model's own vector of that word alone; the
table is then fitted (ridge regression in closed form, by conjugate gradients) so that the mean over a sentence comes
near the model's vector of the sentence. What all sentences share is taken off first, so that a cosine of 0 means
"nothing in common"; of what is left, the directions in which sentences differ most are kept, as signed bytes.

Usage: distil.py --model WHEEL --cache FOLDER --out words.bin SOURCE[:MOST]...
Cost:  about 80 texts a second on one core, once; with everything in the cache a minute.
"""
import argparse, collections, re, struct

import numpy as np
from scipy import sparse

import phrases, sources
from fitting import fit, tune, widest
from model import Cache, SentenceModel

SPLIT = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"[a-z][a-z0-9]{0,24}")


def words(text):
    """As `text.rs` takes Latin text apart. Of other scripts the table knows nothing."""
    return [it.lower() for it in re.findall(r"[^\W_]+", SPLIT.sub(" ", text))]


def counted(groups):
    """Of each word: in how many sentences it is, and its share; each group has a say of its own, whatever its size."""
    share, often = collections.Counter(), collections.Counter()
    for texts in groups:
        count = collections.Counter(w for t in texts for w in set(words(t)) if WORD.fullmatch(w))
        often.update(count)
        for word, times in count.items():
            share[word] += times / len(texts) / len(groups)
    return often, share


def means(texts, index, weight):
    rows, columns, values = [], [], []
    for row, text in enumerate(texts):
        known = [index[it] for it in words(text) if it in index]
        total = sum(weight[it] for it in known)
        rows += [row] * len(known)
        columns += known
        values += [weight[it] / total for it in known]
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(texts), len(index)))


def table(groups, model, encode, options):
    """Words, in no order, with their vectors; the length of a vector is what the word weighs."""
    often, share = counted(groups)
    # The model's own words come in the order of how common they are; about a tenth of all text is the first.
    own = {word: 0.1 / rank for rank, word in enumerate(model.own_words()[: options.own], 1)}
    groups = groups + [list(phrases.around([word for word in own if often[word] < options.seldom], list(own)))]
    known = sorted({word for word in often if often[word] >= options.least} | set(own))
    index = {word: at for at, word in enumerate(known)}
    share = np.array([max(share[word], own.get(word, 0)) for word in known])
    weight = options.rare / (options.rare + share / share.sum())
    texts = [text for group in groups for text in group]
    target, start = encode(texts), encode(known)
    middle = target.mean(0)
    mean = means(texts, index, weight)
    vectors = fit(mean, target - middle, start - middle, options.ridge) @ widest(target, options.dimensions)
    vectors = tune(mean, target - middle, vectors, options.epochs, options.rate, options.heat)
    return known, vectors * weight[:, None]


def packed(known, vectors):
    """The format of `words.rs`."""
    scale = np.maximum(np.abs(vectors).max(1), 1e-9) / 127
    order = sorted(range(len(known)), key=lambda it: known[it].encode())
    out = [b"TGWORDS1", struct.pack("<IHH", len(known), vectors.shape[1], 0)]
    out += [struct.pack("<f", scale[it]) for it in order]
    out += [bytes(len(known[it]) for it in order), "".join(known[it] for it in order).encode()]
    out += [np.round(vectors[it] / scale[it]).astype(np.int8).tobytes() for it in order]
    return b"".join(out)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("sources", nargs="+", help="a file that sources.py reads, with how many sentences of it at most")
    ask.add_argument("--model", required=True, help="the wheel of all-MiniLM-L6-v2")
    ask.add_argument("--cache", required=True, help="a folder for what was encoded")
    ask.add_argument("--out", required=True)
    ask.add_argument("--phrases", type=int, default=20_000, help="made-up sentences")
    ask.add_argument("--requests", type=int, default=6_000, help="descriptions turned into requests")
    ask.add_argument("--least", type=int, default=3, help="sentences that a word must be in")
    ask.add_argument("--own", type=int, default=14_000, help="words that the model knows as a whole, the commonest of them")
    ask.add_argument("--seldom", type=int, default=4, help="sentences below which a word is hardly in any")
    ask.add_argument("--dimensions", type=int, default=96)
    ask.add_argument("--ridge", type=float, default=0.1)
    ask.add_argument("--epochs", type=int, default=4)
    ask.add_argument("--rate", type=float, default=0.1, help="of a step, in mean sizes of a number of the table")
    ask.add_argument("--heat", type=float, default=0.1, help="how far the neighbours reach that are to be the same")
    ask.add_argument("--rare", type=float, default=1e-2, help="share of a word at which it counts half")
    options = ask.parse_args()
    groups = []
    for source in options.sources:
        path, _, most = source.partition(":")
        groups.append(sources.distinct(sources.of(path))[: int(most or 1_000_000)])
    described = [text for path, group in zip(options.sources, groups) if ".txt" not in path for text in group]
    groups.append(list(phrases.requests(sources.distinct(described), options.requests)))
    groups.append(sources.distinct(phrases.made(options.phrases)))
    groups = [it for it in groups if it]
    model = SentenceModel(options.model)
    known, vectors = table(groups, model, Cache(options.cache, model).encode, options)
    open(options.out, "wb").write(made := packed(known, vectors))
    print(sum(map(len, groups)), "sentences,", len(known), "words,", vectors.shape[1], "dimensions,", len(made), "bytes")


if __name__ == "__main__":
    main()
