"""How well the class label can be predicted, from the records and from the release."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.shown import Shown
from kanon_engine.tables.utility.spread import Spread

PARTS = 3
LEAST = 60  # records, of which a tree is learned from two thirds
LEAST_LEAF = 20
NO_LABEL = "no column is the class label"
NO_LIBRARY = "scikit-learn is not installed; get it by python -m pip install scikit-learn"
ONE_LABEL = "all records have one class label"
TOO_FEW = f"fewer than {LEAST} records are released"


@dataclass(frozen=True, repr=False)
class Accuracy(Shown):
    """The share of records whose class label a decision tree predicts, learned from other records.

    Attributes
    ----------
    before, after : float or None
        From the values of the quasi-identifiers, and from what the release shows of them. The tree is learned on two
        thirds and asked about the third, three times.
    baseline : float or None
        Without any column: always the most common label.
    reason : str
        Why there is none; "" where there is.
    """

    before: float | None
    after: float | None
    baseline: float | None
    reason: str = ""

    @property
    def words(self) -> str:
        """In one line."""
        if self.before is None or self.after is None or self.baseline is None:
            return self.reason
        return f"{self.before:.1%} before, {self.after:.1%} after, {self.baseline:.1%} without any column"


def accuracy(spread: Spread, seed: int) -> Accuracy:
    """Of a decision tree, before and after."""
    table = spread.table
    if table.class_label is None:
        return Accuracy(None, None, None, NO_LABEL)
    inside = spread.g.assignment >= 0
    if len(np.unique(table.labels[inside])) < 2:
        return Accuracy(None, None, None, ONE_LABEL)
    if inside.sum() < LEAST:
        return Accuracy(None, None, None, TOO_FEW)
    try:
        from sklearn.model_selection import KFold, cross_val_score
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        return Accuracy(None, None, None, NO_LIBRARY)
    tree = DecisionTreeClassifier(min_samples_leaf=LEAST_LEAF, random_state=seed)
    parts = KFold(PARTS, shuffle=True, random_state=seed)
    shown = spread.ranges[spread.g.assignment[inside]].reshape(int(inside.sum()), -1)

    def score(features: np.ndarray, labels: np.ndarray) -> float:
        return float(cross_val_score(tree, features, labels, cv=parts, n_jobs=1).mean())

    return Accuracy(
        before=score(table.codes, table.labels),
        after=score(shown, table.labels[inside]),
        baseline=float(np.bincount(table.labels).max() / len(table)),
    )
