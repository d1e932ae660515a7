"""The sentence with which every result begins."""

from __future__ import annotations

from kanon_engine import Generalization

NOT_ANONYMOUS = "Not k-anonymous: groups may be lighter than k, and no release can be made from this."


BADGES = {"checked": "Checked ✓", "solver": "By search"}
BADGE_HELP = {
    "checked": "Every claim was checked by code that shares nothing with the algorithm.",
    "solver": "Every claim but one was checked by code that shares nothing with the algorithm. The bound is the word "
    "of a search: there are too many solutions to look at all of them again. `kanon verify --rerun` repeats it.",
}


def sentence(g: Generalization, unit: str, proof: str) -> str:
    """What was found and how good it is, in plain words; only for verified results, with their certificate's `proof`.

    Example
    -------
    31 groups. The smallest holds 5,021 people, the largest 6,240 (1.25 × k). No grouping can do better than 6,093:
    this is within 2.4 % of the best possible.
    """
    smallest = int(g.class_weights.min())
    if g.classes == 1:
        found = f"1 group of {g.cost:,} {unit} ({g.overfull_ratio:.2f} × k)."
    else:
        found = (
            f"{g.classes:,} groups. The smallest holds {smallest:,} {unit}, "
            f"the largest {g.cost:,} ({g.overfull_ratio:.2f} × k)."
        )
    if g.status == "relaxed":
        return f":red[**{NOT_ANONYMOUS}**] {found} {nearness(g, proof)}"
    return f"{found} {nearness(g, proof)}"


def nearness(g: Generalization, proof: str) -> str:
    """How close the largest group is to the best possible, and on whose word."""
    what = "grouping into rectangles" if g.family == "rectangles" else "grouping"
    if g.status == "relaxed":
        least = f"{g.details.threshold:,}"
        return f"Groups had to reach {least} only; no grouping into such groups can do better than {g.lower_bound:,}."
    if g.status == "optimal":
        return f"No {what} has a smaller largest group: {best_possible(proof)}."
    near = f"this is within {percent(g.gap)} of the best possible{by_word(proof)}"
    return f"No {what} can do better than {g.lower_bound:,}: {near}."


def best_possible(proof: str) -> str:
    """What may be said of an optimum.

    Example
    -------
    >>> best_possible("checked"), best_possible("solver")
    ('proven best possible', 'best possible by the search’s word')
    """
    return "proven best possible" if proof == "checked" else f"best possible{by_word(proof)}"


def by_word(proof: str) -> str:
    """Nothing where the claim was checked."""
    return "" if proof == "checked" else " by the search’s word"


def percent(share: float) -> str:
    """A share in words, never rounded down to nothing and never made better than it is.

    Example
    -------
    >>> percent(0.0241), percent(0.00001), percent(1.5)
    ('2.5 %', '0.1 %', '150 %')
    """
    tenths = -(-share * 1000 // 1)
    return f"{tenths / 10:.1f} %" if tenths < 200 else f"{-(-share * 100 // 1):.0f} %"


BOUNDS = {
    "k": "every group holds at least k",
    "heaviest area": "the heaviest area alone weighs this much, and it lies in some group",
    "heaviest location": "the heaviest location alone weighs this much, and it lies in some group",
    "heaviest label": "the most frequent label alone weighs this much, and it lies in some group",
    "light set": "some areas are too light to be a group, so one of them needs a neighbour, and both weigh this much",
    "room for classes": "there is room for only so many groups around the areas named, and the largest is at least "
    "their average",
    "points that no cut can split": "no line between some of the points leaves k on both sides, so they share a group",
    "least sum": "this is the least from k on that the counts of some places add up to",
    "locations per class": "a group needs several places, so there is room for only so many groups, and the largest is "
    "at least their average",
    "least rectangle": "one of the points lies in no lighter rectangle that holds k",
    "shares of rectangles": "points whose lightest rectangles are heavy leave room for only so many groups, and the "
    "largest is at least their average",
    "exact search": "a search has ruled out everything below",
    "search tree": "a search has ruled out everything below",
    "few choices": "around the areas named there are too few possible groups lighter than this for all of them",
    "average class": "there is room for only so many groups, and the largest is at least their average",
    "crowded class": "there is room for only so many groups, so that some group holds several of the most frequent "
    "labels",
    "class of a label": "one label lies in some group, and with others it makes at least this much once it reaches k",
    "sum of labels": "a group is a sum of labels, and no sum is between k or the average group and this",
}
