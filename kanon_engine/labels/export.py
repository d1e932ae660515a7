"""What leaves the house: the sizes of the classes, and the internal mapping from labels to classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from kanon_engine.generalization import Generalization
    from kanon_engine.labels.instance import Labels


def classes_frame(labels: Labels, g: Generalization) -> pd.DataFrame:
    """One row a class: number from 0, weight, unit, number of labels, weight / k. No label and no count of one.

    Returns
    -------
    DataFrame

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abc", [5, 4, 1])
    >>> classes_frame(labels, kanon.generalize(labels, 5, "fold"))[["class", "weight", "labels"]].values.tolist()
    [[0, 5, 1], [1, 5, 2]]
    """
    return pd.DataFrame(
        {
            "class": np.arange(g.classes),
            "weight": g.class_weights,
            "unit": labels.unit,
            "labels": np.bincount(g.assignment, minlength=g.classes),
            "overfull_ratio": g.class_weights / g.k,
        }
    )


def crosswalk_frame(labels: Labels, g: Generalization) -> pd.DataFrame:
    """The class of every label, sorted by label, so that the original order is gone. For internal use.

    Returns
    -------
    DataFrame with columns label and class; whole numbers stand before text

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("cab", [5, 4, 1])
    >>> crosswalk_frame(labels, kanon.generalize(labels, 5, "fold")).values.tolist()
    [['a', 1], ['b', 1], ['c', 0]]
    """
    names = labels.names.tolist()
    order = sorted(range(len(names)), key=lambda place: (isinstance(names[place], str), names[place]))
    return pd.DataFrame({"label": [names[place] for place in order], "class": g.assignment[order]})
