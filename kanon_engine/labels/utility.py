"""What a grouping of labels loses: how many names stand for one, and how much less a name says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import number_text

if TYPE_CHECKING:
    from kanon_engine.labels.instance import Labels
    from kanon_engine.model.generalization import Generalization


def utility(labels: Labels, g: Generalization) -> tuple[Measure, ...]:
    """Names of a group, and entropy.

    A group is all that is left of a label. So what is lost is the entropy of the labels less that of the groups.
    """
    inside = g.assignment >= 0
    names = np.bincount(g.assignment[inside], minlength=g.classes)
    mean = float(names @ g.class_weights / g.class_weights.sum())
    before, after = entropy(labels.weights[inside]), entropy(g.class_weights)
    lost = max(before - after, 0.0)
    share = f" ({number_text(100 * lost / before, 3)} %)" if before else ""
    return (
        Measure(
            "names-median",
            "Names that stand for one",
            float(np.median(names)),
            f"{short(float(np.median(names)))} in the middle group, {int(names.max()):,} at most",
            "Who reads the release cannot tell labels of one group apart.",
            "Counted; the median, and the largest.",
        ),
        Measure(
            "names-of-record",
            "Names that share the group of a record",
            mean,
            f"{short(mean)} on average",
            "How many labels a record can have by what the release tells, on average.",
            f"Names of groups weighted by {labels.unit}.",
        ),
        Measure(
            "entropy-lost",
            "Entropy lost",
            lost,
            f"{short(lost)} of {short(before)} bits{share}",
            "How much less the group tells of a record than its label does.",
            "Entropy of labels less that of groups (Shannon 1948), over the records that are released.",
        ),
    )


def entropy(counts: np.ndarray) -> float:
    """Of the shares that counts are of their sum, in bits.

    Example
    -------
    >>> entropy(np.array([2, 1, 1])), entropy(np.array([7]))
    (1.5, 0.0)
    """
    shares = counts[counts > 0] / counts.sum()
    return float(abs(shares @ np.log2(shares)))
