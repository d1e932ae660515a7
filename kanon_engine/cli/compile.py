"""Compile all kernels before anyone waits for them; compiled code is cached (`kernel_cache`).

As a program it does so for a server: on one core, until its standard input ends.
"""

from __future__ import annotations

import os
import threading
from itertools import combinations

import numpy as np
import pandas as pd

import kanon_engine as kanon
from kanon_engine.model.known import FAMILIES
from kanon_engine.rectangles.exact import best_below
from kanon_engine.rectangles.grid import grid_of
from kanon_engine.teaching.studies.figure7 import overfull_ratios

OCTAHEDRON = np.array(
    [pair for pair in combinations(range(6), 2) if sum(pair) != 5]
)  # planar, and 4-connected: has every tree


def warm(family: str) -> None:
    """Run every algorithm of a family on a small instance, with a small, a middling and a large k."""
    instance, values_of_k = INSTANCES[family]()
    for name, algorithm in FAMILIES[family].algorithms.items():
        for k in values_of_k:
            kanon.generalize(instance, k, name)
        tree = next((option for option in algorithm.options if option.name == "tree"), None)
        for choice in tree.choices if tree is not None else ():
            kanon.generalize(kanon.Regions(np.arange(6), np.ones(6, dtype=np.int64), OCTAHEDRON), 2, name, tree=choice)
    match family:
        case "regions":
            kanon.generalize(_grid(8, 8, 20, 90), 200, "recombine", effort=0.2)  # unproven, so neighborhoods are recut
            kanon.generalize(kanon.Regions(np.arange(6), np.arange(3, 9), OCTAHEDRON), 9, "exact")
        case "tables":
            for name in FAMILIES[family].algorithms:
                require = (kanon.Diversity("label", 2), kanon.Closeness("label", 0.9))
                kanon.generalize(instance, 3, name, require=require)
            for name in ("hill-climb", "mondrian"):
                kanon.generalize(_with_a_tree(), 3, name, metric="LM")
        case "rectangles":
            points, (_, k, _) = _points()
            best_below(grid_of(points, k, None), k, k, points.total, lambda done, best: True)
        case "labels":
            for count in (3, 7):  # sums of two halves, and all sets
                kanon.generalize(kanon.Labels(np.arange(count), np.arange(5, 5 + count)), 10, "exact")
            many = kanon.Labels(np.arange(40), _spread(40, 500, 1000))
            kanon.generalize(many, 1600)  # not proven by its quick search
            overfull_ratios(kanon.Labels(np.arange(9), np.arange(1, 10)), range(9, 20), seeds=[1])
        case "clusters":
            few = kanon.MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
            kanon.generalize(few, 2, "exact", cost="cellular")  # all sets


def _grid(rows: int, columns: int, low: int, high: int) -> kanon.Regions:
    cells = np.arange(rows * columns).reshape(rows, columns)
    across, down = (cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])
    edges = np.vstack([np.column_stack([a.ravel(), b.ravel()]) for a, b in (across, down)])
    return kanon.Regions(cells.ravel(), _spread(cells.size, low, high), edges)


def _regions() -> tuple[kanon.Regions, tuple[int, ...]]:
    return _grid(6, 7, 0, 30), (1, 50, 200)


def _with_a_tree() -> kanon.Table:
    tree = kanon.Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B"), ("d", "B")])
    return kanon.Table(pd.DataFrame({"x": list("abcd") * 5, "y": np.arange(20) % 5}), ["x", "y"], trees={"x": tree})


def _points() -> tuple[kanon.Points, tuple[int, int, int]]:
    xy = np.random.default_rng(7).integers(0, 12, (600, 2))  # too many to look cuts up, so they are searched for
    return kanon.Points(xy, _spread(600, 1, 9)), (1, 50, 100)


def _labels() -> tuple[kanon.Labels, tuple[int, ...]]:
    return kanon.Labels(np.array([f"name {i}" for i in range(30)]), _spread(30, 1, 60)), (1, 60, 300)


def _tables() -> tuple[kanon.Table, tuple[int, ...]]:
    columns = {name: _spread(40, 0, most) for name, most in (("a", 6), ("b", 3), ("c", 2), ("label", 2))}
    return kanon.Table(pd.DataFrame(columns), ["a", "b", "c"], "label"), (1, 3, 12)


def _records() -> tuple[kanon.MetricSpace, tuple[int, ...]]:
    return kanon.MetricSpace(np.random.default_rng(7).normal(size=(60, 2))), (1, 3, 12)


def _spread(count: int, low: int, high: int) -> np.ndarray:
    """This many whole numbers from `low` to `high` - 1, always the same."""
    return np.random.default_rng(count + high).integers(low, high, count)


INSTANCES = {"regions": _regions, "rectangles": _points, "labels": _labels, "tables": _tables, "clusters": _records}


def main() -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    for family in INSTANCES:
        warm(family)


def _end_with_input() -> None:
    os.read(0, 1)  # returns when the server is gone
    os._exit(0)


if __name__ == "__main__":
    main()
