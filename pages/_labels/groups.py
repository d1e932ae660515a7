"""What the page says of a group of labels."""

from __future__ import annotations

import numpy as np

import kanon_engine as kanon


def label_names(labels: kanon.Labels, members: np.ndarray) -> str:
    """The most common labels of a group."""
    largest = members[np.argsort(-labels.counts[members], kind="stable")][:6]
    words = ", ".join(str(labels.names[member]) for member in largest)
    return words + (" …" if len(members) > 6 else "")
