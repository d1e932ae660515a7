"""Small random tables for comparison with brute force."""

import numpy as np
import pandas as pd

import kanon_engine as kanon


def random_table(rng, most_cuts=10):
    """Up to 4 columns of up to 5 values and 40 rows, with three class labels; skewed, so that some values are rare."""
    while True:
        sizes = rng.integers(1, 6, rng.integers(1, 5)).tolist()
        if sum(sizes) - len(sizes) <= most_cuts:
            break
    n = int(rng.integers(6, 41))
    shares = [rng.dirichlet(np.full(size, rng.choice([0.7, 4.0]))) for size in sizes]
    frame = pd.DataFrame({f"c{j}": rng.choice(size, n, p=shares[j]) for j, size in enumerate(sizes)})
    frame["label"] = rng.choice(["x", "y", "z"], n, p=[0.5, 0.3, 0.2])
    orders = {f"c{j}": list(range(size)) for j, size in enumerate(sizes)}
    return kanon.Table(frame, list(orders), "label", orders)


def sparse_table(rng, most_cuts=9):
    """Up to 3 columns over domains of up to 6 values, many of which do not occur; up to 12 records."""
    while True:
        sizes = rng.integers(1, 7, rng.integers(1, 4)).tolist()
        if sum(sizes) - len(sizes) <= most_cuts:
            break
    n = int(rng.integers(2, 13))
    frame = pd.DataFrame({f"c{j}": rng.choice(rng.integers(0, size, 3), n) for j, size in enumerate(sizes)})
    frame["label"] = rng.choice(["x", "y"], n)
    orders = {f"c{j}": list(range(size)) for j, size in enumerate(sizes)}
    return kanon.Table(frame, list(orders), "label", orders)


def everywhere(table):
    """A cut before each value of each domain but the first, be it one that occurs or not."""
    return [(column, at) for column, domain in enumerate(table.domains) for at in range(1, len(domain))]


def plain(table):
    """Rows, labels, cuts and domain sizes as the oracle takes them."""
    cuts = [tuple(cut) for cut in table.cut_values.tolist()]
    sizes = [len(domain) for domain in table.domains]
    return [tuple(row) for row in table.codes.tolist()], table.labels.tolist(), cuts, sizes
