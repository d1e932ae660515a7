"""Where a slightly smaller k allows one group more: looked for, and told only where such a grouping was found."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from kanon_engine.errors import KanonError
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.reuse import Question

SLIGHT = Fraction(1, 50)  # of k: what it is lowered by at most
WORTH = 4  # and at most this part of the share of groups that one more is
TRIES, FEW = 6, 3  # searches; where these take as long as the result's own did
ROUND = 500  # k is rounded to powers of ten of which so many make k, or more
MOST_ITEMS = 3_000
EFFORT, EFFORT_OF = 0.1, 30  # of a search that has one to choose: so much, and on many items so much divided by them


def slightly_smaller(instance: Any, g: Generalization) -> list[int]:
    """Round k just below that of a result, at which weight alone would allow one group more; the largest first.

    None where the result is not of the largest class alone, is relaxed, was stopped or changed by hand, or has too many
    items.

    Example
    -------
    30 of weight 100 in 2 groups; 3 groups are possible up to 1,000, which is 1 % below.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels([str(i) for i in range(30)], [100] * 30)
    >>> slightly_smaller(labels, kanon.generalize(labels, 1_010))
    [1000, 995, 990]
    """
    family = family_named(g.family)
    whole = g.algorithm in family.algorithms and g.status in ("optimal", "feasible")
    if not whole or len(instance) > MOST_ITEMS or not family.objective(g.algorithm, g.options).alone:
        return []
    share = min(SLIGHT, Fraction(1, WORTH * g.classes))
    low, high = g.k - int(g.k * share), min(g.k - 1, instance.total // (g.classes + 1))
    step = 1
    while step * 10 * ROUND <= g.k:
        step *= 10
    first, last = high // step, -(-low // step)
    if first < last:
        return []
    brief = any(option.name == "effort" for option in family.algorithm(None).options)
    tries = min(TRIES if brief else FEW, first - last + 1)
    apart = max(tries - 1, 1)
    return [step * (first - (first - last) * number // apart) for number in range(tries)]


def cheap_question(instance: Any, g: Generalization) -> Question:
    """The search by the family's default algorithm with little effort, under the conditions of a result."""
    family = family_named(g.family)
    own, algorithm = family.algorithm(g.algorithm), family.algorithm(None)
    if own.kind != algorithm.kind:
        algorithm = own
    shared = {option.name for option in algorithm.options if option in own.options}
    options = algorithm.checked_options({name: g.options[name] for name in shared})
    if "effort" in options:
        options["effort"] = min(options["effort"], EFFORT, round(max(EFFORT_OF / len(instance), EFFORT / 10), 3))
    return Question(instance, algorithm, options, g.seed, g.require)


def one_more(
    instance: Any, g: Generalization, answer: Callable[[Question, int], Generalization] = Question.answer
) -> Generalization | None:
    """A result for a slightly smaller k that has more groups and no larger largest one; None where none was found.

    A few cheap searches look for it, so finding none proves nothing. What is found is a result like any other:
    verified, and made again by `generalize` with its k, algorithm, options and seed.

    Parameters
    ----------
    instance : Regions, Points or Labels
    g : Generalization
    answer : callable
        ``answer(question, k)``: the verified result, or a `KanonError`.

    Example
    -------
    Three groups of 1,000 do not exist, for two labels have 499; three of 999 do.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels("abcdef", [500, 500, 500, 500, 499, 499])
    >>> g = kanon.generalize(labels, 1_000)
    >>> told(g, one_more(labels, g))
    'k = 999 instead of 1,000 allows one group more: 3 groups, the largest 1,000 instead of 1,499.'
    """
    ks = slightly_smaller(instance, g)
    if not ks:
        return None
    question = cheap_question(instance, g)
    for k in ks:
        try:
            found = answer(question, k)
        except KanonError:  # nothing was found for this k under all wishes, or the search was ended
            continue
        if found.status != "stopped" and found.classes > g.classes and found.cost <= g.cost:
            return found
    return None


def told(g: Generalization, found: Generalization) -> str:
    """What a slightly smaller k allows, or what was found for it and holds at k too, as a sentence."""
    number = found.classes - g.classes
    more = "one group more" if number == 1 else f"{number:,} groups more"
    begun = f"k = {found.k:,} instead of {g.k:,} allows {more}"
    if int(found.class_weights.min()) >= g.k:
        begun = f"What was found for k = {found.k:,} has {more}, and serves k = {g.k:,} too"
    largest = f"the largest {found.cost:,}" + (f" instead of {g.cost:,}" if found.cost < g.cost else "")
    return f"{begun}: {found.classes:,} groups, {largest}."
