"""Small random tables whose rows stand for several records, each beside the table of all its records."""

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.model.tree import Tree


def weighted_pair(seed, most=5):
    """A weighted table, the same with a row for each record, and the row of each of these."""
    rng = np.random.default_rng([77, seed])
    q, rows = int(rng.integers(1, 4)), int(rng.integers(2, 9))
    frame = pd.DataFrame(rng.integers(0, rng.integers(2, 6, q), (rows, q)), columns=list("abc")[:q])
    frame["label"], frame["ill"] = rng.choice(["x", "y"], rows), rng.choice(["flu", "gout", "mumps"], rows)
    frame["pay"] = 100 + rng.integers(0, 4, rows)  # never the values of a quasi-identifier, which could not be kept
    tree = Tree.from_levels([(v, "low" if v < 2 else "high") for v in range(6)])
    trees = {"a": tree} if rng.random() < 0.3 else {}
    names = list("abc")[:q]
    orders = {name: list(range(6)) for name in names if name not in trees}
    weights = rng.integers(1, most + 1, rows)
    weights[0] = most  # never a table of single records
    records = np.repeat(np.arange(rows), weights)
    weighted = kanon.Table(frame, names, "label", orders, trees=trees, weights=weights)
    return weighted, kanon.Table(frame.iloc[records], names, "label", orders, trees=trees), records


def demands(table, seed):
    """What is required besides k in two of three tables."""
    if seed % 3 == 0 and table.frame["ill"].nunique() > 1:
        return (kanon.Diversity("ill", 2),)
    return (kanon.Closeness("pay", 0.4),) if seed % 3 == 1 else ()
