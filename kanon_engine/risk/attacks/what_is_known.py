"""Attacks on sums and on algorithms, with what is known of a release: its result, other groupings, totals."""

from __future__ import annotations

from kanon_engine.release.released import Released
from kanon_engine.risk.attacks import downcoding as of_downcoding
from kanon_engine.risk.attacks import minimality as of_minimality
from kanon_engine.risk.attacks.attacked import Attacked, not_run
from kanon_engine.risk.attacks.differencing import KNOWLEDGE, SOURCE, TITLE, differencing_counts, differencing_of
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.published import TOTAL

WITHOUT_RESULT = "It needs the certificate of the release with its file, which say how the groups were made."


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


def minimality(released: Released, knowledge: Knowledge) -> Attacked:
    """Minimality with what is known; not run where there is no result of this release.

    Example
    -------
    >>> import pandas as pd
    >>> people = Released(pd.DataFrame({"sex": ["f", "f"], "ill": ["flu", "gout"]}), ("sex",), ("ill",), k=2)
    >>> minimality(people, Knowledge()).verdict
    'not run'
    """
    if knowledge.result is None:
        title, needs, source = of_minimality.TITLE, of_minimality.KNOWLEDGE, of_minimality.SOURCE
        return not_run("minimality", title, needs, WITHOUT_RESULT, source)
    return of_minimality.minimality(knowledge.instance, knowledge.result)


def downcoding(released: Released, knowledge: Knowledge) -> Attacked:
    """Downcoding with what is known; not run where there is no result of this release.

    Example
    -------
    >>> import pandas as pd
    >>> people = Released(pd.DataFrame({"sex": ["*", "*"]}), ("sex",), k=2)
    >>> downcoding(people, Knowledge()).verdict
    'not run'
    """
    if knowledge.result is None:
        title, needs, source = of_downcoding.TITLE, of_downcoding.KNOWLEDGE, of_downcoding.SOURCE
        return not_run("downcoding", title, needs, WITHOUT_RESULT, source)
    return of_downcoding.downcoding(knowledge.instance, knowledge.result)
