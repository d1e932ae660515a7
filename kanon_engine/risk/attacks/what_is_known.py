"""Attacks on sums and on algorithms, with what is known about a release: its result, other groupings, totals."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from kanon_engine.disclosure.figures import COUNT, Meaning, carried, figures_of, has_totals, other_figures
from kanon_engine.disclosure.small_counts import small_counts
from kanon_engine.model.attacked import BROKEN, DOWNCODING, MINIMALITY, NOT_RUN, SURVIVES, Attack, Attacked
from kanon_engine.model.known import get_family
from kanon_engine.model.words import listed
from kanon_engine.release import require_result_of
from kanon_engine.release.released import LEAST, Released
from kanon_engine.risk.attacks.differencing import DIFFERENCING, differencing_counts, differencing_of
from kanon_engine.risk.attacks.knowledge import Knowledge


def differencing(released: Released, knowledge: Knowledge) -> Attacked:
    """Differencing with what is known: results of the same data and totals, or a table of counts with its totals.

    Not run if there is neither a result nor a row that is a total.

    >>> import pandas as pd
    >>> counts = pd.DataFrame({"sex": ["f", "m", "Total"], "cases": [4, 30, 34]})
    >>> differencing(Released(counts, ("sex",), k=11, counts="cases"), Knowledge()).verdict
    'does not survive'
    """
    if knowledge.result is not None:
        # only counts of the same items can be subtracted from each other
        others = [g for _, g in knowledge.other_results if g.instance_digest == knowledge.result.instance_digest]
        attacked = differencing_of(knowledge.instance, knowledge.result, *others, totals=knowledge.totals, k=released.k)
        return attacked if not released.groups_leave else with_second_counts(attacked, released, knowledge)
    by = list(released.quasi_identifiers)
    if released.counts is not None and by and has_totals(released.frame[by], released.frame[released.counts]):
        return differencing_counts(released.frame, by, released.counts, released.k, unit=released.unit)
    return DIFFERENCING.not_run(
        "This attack needs the release's certificate and file, or a table of counts with rows named “Total”."
    )


def with_second_counts(people: Attacked, released: Released, knowledge: Knowledge) -> Attacked:
    """Differencing of the first count, and of the second counts that are published with the same groups.

    If the release shows none, every second count of the data whose sums may be released is taken as published.

    >>> import kanon_engine as kanon
    >>> from kanon_engine.release.made import released_of
    >>> cases = {"cases": [40, 3, 40, 50]}
    >>> areas = kanon.Regions("abcd", [22000, 24000, 21000, 30000], [(0, 1), (1, 2), (2, 3)], columns=cases)
    >>> require = [kanon.Minimum("cases", 11)]
    >>> one, two = (kanon.generalize(areas, k, "exact", require=require) for k in (20_001, 22_500))
    >>> one.assignment.tolist(), two.assignment.tolist()
    ([2, 0, 0, 1], [1, 1, 0, 0])
    >>> known = Knowledge(instance=areas, result=two, other_results=((areas, one),))
    >>> differencing(released_of(areas, two), known).sentence[:60]
    'Together with the sums of “cases”, the groups reveal 1 count'
    """
    g, instance = knowledge.result, knowledge.instance
    sums = {} if released.sums else carried(instance, g)
    published = (
        figures_of(replace(released, name="this release"), instance, g, sums),
        *other_figures(released, instance, knowledge.other_results, knowledge.others),
    )
    visible = {name for one in published for name in one.numbers}
    names = list(dict.fromkeys((*released.sums, *(name for name in instance.columns if name in visible))))
    least = min(released.k, LEAST)
    # no count can be from 1 to 0
    if not names or least < 2:
        return people
    small = small_counts(published, {name: Meaning(COUNT) for name in names}, least, people=False)
    figures = {**people.figures, "second counts": listed(names)}
    if small.left:
        figures["second counts not examined in full"] = f"{small.left:,}"
    if not len(small.evidence):
        # what was not examined may be exposed, so the release does not survive
        verdict = NOT_RUN if small.left and people.verdict == SURVIVES else people.verdict
        return replace(people, verdict=verdict, figures=figures)
    many = "1 count" if len(small.evidence) == 1 else f"{len(small.evidence):,} counts"
    words = (
        f"Together with the sums of {listed(names)}, the groups reveal {many} between 1 and {least - 1}: "
        f"{small.sentence}."
    )
    count = len(small.evidence)
    share = (people.found + count) / (people.of + count)
    return replace(
        people,
        verdict=BROKEN,
        found=people.found + count,
        of=people.of + count,
        interval=(share, max(share, people.interval[1])),
        sentence=f"{words} {people.sentence}",
        figures=figures,
        evidence=pd.concat([small.evidence, people.evidence], ignore_index=True),
    )


def minimality(_: Released, knowledge: Knowledge) -> Attacked:
    """Minimality, if there is a result of this release."""
    other = "Groups of this kind show no sensitive values of individual people, so this attack is not run."
    return _on_algorithm(MINIMALITY, knowledge, other)


def downcoding(_: Released, knowledge: Knowledge) -> Attacked:
    """Downcoding, if there is a result of this release.

    >>> import pandas as pd
    >>> people = Released(pd.DataFrame({"sex": ["*", "*"]}), ("sex",), k=2)
    >>> downcoding(people, Knowledge()).verdict, minimality(people, Knowledge()).verdict
    ('not run', 'not run')
    """
    return _on_algorithm(
        DOWNCODING, knowledge, "Groups of this kind show no values of hierarchies, so this attack is not run."
    )


def _on_algorithm(attack: Attack, knowledge: Knowledge, other: str) -> Attacked:
    """What the family's own attack finds; `other` is why families without one are not attacked."""
    instance, g = knowledge.instance, knowledge.result
    if g is None:
        return attack.not_run(
            "This attack needs the release's certificate and file, which say how the groups were made."
        )
    require_result_of(instance, g)
    run = get_family(g.family).attacks.get(attack.key)
    return attack.not_run(other) if run is None else run(instance, g)
