"""The utility of a release of any family: a few common figures, and those of the family."""

from __future__ import annotations

from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.measure import Measure, short
from kanon_engine.model.words import counted
from kanon_engine.release import require_result_of


def utility_measures(instance: Any, g: Generalization) -> tuple[Measure, ...]:
    """How many records remain, how large groups are, and the family's own figures.

    Records that are released, groups, their average size in k; then for maps the area and borders of groups, for
    rectangles area and sides, for labels how many share a name, for clusters radii and squares, for tables
    distributions, queries and a classifier. `value` is None if something cannot be computed.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Made from this instance.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(["flu", "cold", "gout", "mumps"], [4, 4, 1, 1])
    >>> for one in utility_measures(labels, kanon.generalize(labels, 5)):
    ...     print(f"{one.title}: {one.words}")
    Records in the release: 10 of 10 (100 %)
    Groups: 2
    Average group: 5 records, 1 × k
    Labels per group: 2 in the median group, 2 at most
    Labels in the group of a record: 2 on average
    Entropy lost: 0.7219 of 1.722 bits (41.9 %)
    """
    require_result_of(instance, g)
    family = get_family(g.family)
    of_family: tuple[Measure, ...] = () if family.utility is None else family.utility(instance, g)
    return (*_of_all(instance, g), *of_family)


def _of_all(instance: Any, g: Generalization) -> tuple[Measure, ...]:
    total, released, unit = int(instance.total), int(g.class_weights.sum()), instance.unit
    average = released / g.classes if g.classes else 0.0
    return (
        Measure(
            "released",
            f"{unit.capitalize()} in the release",
            released / total,
            f"{released:,} of {total:,} ({100 * released / total:.4g} %)",
            f"How many of the {unit} the release includes; the others are left out.",
            "Counted.",
        ),
        Measure(
            "groups",
            "Groups",
            g.classes,
            f"{g.classes:,}",
            "The more groups, the more detail the release shows.",
            "Counted.",
        ),
        Measure(
            "average-group",
            "Average group",
            average / g.k,
            f"{short(average)} {unit}, {short(average / g.k)} × k",
            "1 × k is the best possible: every group then has "
            f"{counted(g.k, unit.removesuffix('s')) if unit.endswith('s') else f'{g.k:,} {unit}'}. The average is "
            f"over groups; the average over {unit} is larger unless all groups have the same size.",
            "C_AVG: records / (groups × k); LeFevre, DeWitt, Ramakrishnan 2006.",
        ),
    )
