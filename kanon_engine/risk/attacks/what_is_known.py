"""Attacks on sums, with what is known of a release: which groupings, totals and tables of counts there are."""

from __future__ import annotations

from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.attacked import Attacked, not_run
from kanon_engine.risk.attacks.differencing import KNOWLEDGE, SOURCE, TITLE, differencing_counts, differencing_of
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.published import TOTAL


def differencing(released: Released, knowledge: Knowledge) -> Attacked:
    """Differencing with what is known: results of the same data and totals, or a table of counts with its totals.

    Not run where there is neither a result nor a row that is a total.

    Example
    -------
    >>> import pandas as pd
    >>> counts = pd.DataFrame({"sex": ["f", "m", "Total"], "cases": [4, 30, 34]})
    >>> differencing(Released(counts, ("sex",), k=11, counts="cases"), Knowledge()).verdict
    'does not survive'
    """
    if knowledge.result is not None:
        others = [g for _, g in knowledge.other_results if g.instance_digest == knowledge.result.instance_digest]
        return differencing_of(knowledge.instance, knowledge.result, *others, totals=knowledge.totals, k=released.k)
    by = list(released.quasi_identifiers)
    if released.counts is not None and by and bool((released.frame[by].astype(str) == TOTAL).to_numpy().any()):
        return differencing_counts(released.frame, by, released.counts, released.k, unit=released.unit)
    why = "It needs the certificate of the release with its file, or a table of counts with rows called “Total”."
    return not_run("differencing", TITLE, KNOWLEDGE, why, SOURCE)
