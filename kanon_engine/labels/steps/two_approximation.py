"""The two-approximation step by step: one packing for each number j of large labels alone, then the cheapest."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import Candidate
from kanon_engine.labels.steps import begun, steps_of_labels
from kanon_engine.labels.steps.candidates import chosen, competing
from kanon_engine.labels.two_approximation import candidates
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Step
from kanon_engine.model.words import counted, number_text

MOST_SHOWN = 40  # candidates; of more, the first ones and those that are better


@steps_of_labels
def two_approximation(labels: Labels, items: Labels, g: Generalization) -> Iterator[Step]:
    """Candidate after candidate, and the cheapest one label after label.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> for step in list(two_approximation(labels, kanon.generalize(labels, 10, "two-approximation")))[:3]:
    ...     print(step.why)
    6 labels: 4 are large (above k / 2 = 5), 2 are small.
    Fold, the most common labels first: the largest group holds 23 records.
    All labels in one group: the largest group holds 41 records. It is no better.
    """
    large = int((2 * items.counts > g.k).sum())
    small = len(items) - large
    sizes = f"{large:,} {_are(large)} large (above k / 2 = {number_text(g.k / 2)}), {small:,} {_are(small)} small"
    told = f"{counted(len(items), 'label')}: {sizes}."
    yield begun(items, items.descending, g.k, max(1, items.total // g.k), told)
    best: Candidate | None = None
    others = 0
    for tried, made in enumerate(candidates(items, g.k)):
        if tried < MOST_SHOWN or best is None or made.cost < best.cost:
            yield competing(items, made, best, g.k)
        else:
            others += 1
        if best is None or made.cost < best.cost:
            best = made
    if best is not None:
        yield from chosen(items, best, g.k, others=others)


def _are(many: int) -> str:
    return "is" if many == 1 else "are"
