"""Vectors of words out of vectors of sentences: first in one step (`fit`), then towards the same neighbours (`tune`)."""
import numpy as np


def fit(mean, target, start, ridge, steps=80):
    """argmin |mean V - target|² + ridge |V - start|², column by column, by conjugate gradients."""
    square, rest = (mean.T @ mean).tocsr(), mean.T @ (target - mean @ start)
    diagonal = (square.diagonal() + ridge)[:, None]
    change, z = np.zeros_like(rest), rest / diagonal
    way, size = z.copy(), (rest * z).sum(0)
    for _ in range(steps):
        moved = square @ way + ridge * way
        step = size / ((way * moved).sum(0) + 1e-12)
        change, rest = change + step * way, rest - step * moved
        z = rest / diagonal
        size, before = (rest * z).sum(0), size
        way = z + size / (before + 1e-12) * way
    return start + change


def widest(target, dimensions):
    """The directions in which the targets differ most."""
    _, axes = np.linalg.eigh(np.cov(target.T))
    return axes[:, ::-1][:, :dimensions]


def shares(cosines, heat):
    """Of each row: how near the others are, as parts of 1."""
    cosines = cosines / heat
    np.fill_diagonal(cosines, -1e9)
    cosines = np.exp(cosines - cosines.max(1, keepdims=True))
    return cosines / cosines.sum(1, keepdims=True)


def tune(mean, target, vectors, epochs, rate, heat, rows=2048):
    """Moves the vectors so that, among any `rows` sentences, each has the neighbours that the model gives it (Adam).

    `fit` makes every number right on the whole; what ranks is who is near whom.
    """
    order = np.random.default_rng(1)
    known = np.asarray(mean.sum(1)).ravel() > 0
    mean, target = mean[known].astype(np.float32), target[known]
    target = target / np.linalg.norm(target, axis=1, keepdims=True)
    rows = min(rows, mean.shape[0])
    vectors = vectors.astype(np.float32).copy()
    way, size = np.zeros_like(vectors), np.zeros_like(vectors)
    step, last = 0, epochs * (mean.shape[0] // rows)
    rate *= np.abs(vectors).mean()
    for epoch in range(epochs):
        shuffled, loss = order.permutation(mean.shape[0]), 0.0
        for at in range(0, mean.shape[0] - rows + 1, rows):
            part = np.sort(shuffled[at : at + rows])
            sums = mean[part] @ vectors
            length = np.linalg.norm(sums, axis=1, keepdims=True) + 1e-9
            unit = sums / length
            wanted, have = shares(target[part] @ target[part].T, heat), shares(unit @ unit.T, heat)
            loss -= (wanted * np.log(have + 1e-9)).sum() / rows
            pull = (have - wanted) / heat / rows
            pull = (pull + pull.T) @ unit
            slope = mean[part].T @ ((pull - (pull * unit).sum(1, keepdims=True) * unit) / length)
            step += 1
            now = rate * min(1, step / 20) * (1 - step / (last + 1))
            met = np.unique(mean[part].indices)
            way[met] = 0.9 * way[met] + 0.1 * slope[met]
            size[met] = 0.99 * size[met] + 0.01 * slope[met] ** 2
            vectors[met] -= now * way[met] / (np.sqrt(size[met]) + 1e-8)
        print(f"  epoch {epoch + 1}: {loss / (mean.shape[0] // rows):.4f}", flush=True)
    return vectors
