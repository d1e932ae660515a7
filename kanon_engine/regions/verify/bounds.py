"""The independent check of what a bound's witness proves."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from kanon_engine.regions.instance import Regions
from kanon_engine.regions.verify.few_choices import exclude_each_other
from kanon_engine.regions.verify.no_way_round import Question, leave_no_way


def proven(regions: Regions, k: int, name: str, witness: tuple[int, ...]) -> int | None:
    """What the witness proves under this name; None where the name is unknown or the witness is no witness.

    - "light set": areas lighter than k together; the heaviest of them needs a neighbour of theirs.
    - "hubs": areas Y of one part: ceil(w(Y and light components) / |Y|), or, if that is more,
      ceil(W / (|Y| + sum of floor(w(C) / k) over all components C)); components of the part without Y.
    - "room for classes": an area of the part, then Y; as "hubs", with components counted by `_most`, and with any of
      the heavy components in the balance.
    - "few choices": a cap, one below the value, then areas whose possible classes under the cap exclude each other.
    - "no way round": a cap, one below the value, how many states are kept, then areas of one part in an order.
    """
    if any(type(place) is not int for place in witness):
        return None
    areas = witness[{"few choices": 1, "no way round": 2}.get(name, 0) :]
    if not all(0 <= v < len(regions) for v in areas):
        return None
    weights = [int(weight) for weight in regions.weights]
    near = _neighbours(regions)
    if name in ("few choices", "no way round"):
        if not (len(set(areas)) == len(areas) > 0 and k <= witness[0] < sum(weights)):
            return None
        exclude = exclude_each_other if name == "few choices" else _no_way_round
        return witness[0] + 1 if exclude(weights, near, k, witness[0], witness[1:]) else None
    if name == "light set":
        return _light_set(weights, near, k, set(witness)) if len(set(witness)) == len(witness) else None
    separator = witness if name == "hubs" else witness[1:]
    if name not in ("hubs", "room for classes") or not witness or len(set(separator)) < len(separator):
        return None
    part = _reach(near, witness[0], set())
    if not part.issuperset(separator):
        return None
    components = _components(near, part, set(separator))
    held = [sorted((weights[v] for v in component), reverse=True) for component in components]
    light = sum(weights[v] for v in separator) + sum(sum(own) for own in held if sum(own) < k)
    heavy = [own for own in held if sum(own) >= k]
    if name == "hubs":
        every = len(separator) + sum(sum(own) // k for own in heavy)
        return max(-(-light // len(separator)), -(-sum(weights[v] for v in part) // every))
    counted = [(sum(own), _most(own, k)) for own in heavy]
    counted.sort(key=lambda one: one[0] / one[1], reverse=True)
    best = -(-light // len(separator)) if separator else 0
    total, capacity = light, len(separator)
    for weight, most in counted:
        total, capacity = total + weight, capacity + most
        best = max(best, -(-total // capacity))
    return best


def _neighbours(regions: Regions) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in range(len(regions))]
    for a, b in regions.edges.tolist():
        near[a].append(b)
        near[b].append(a)
    return near


def _no_way_round(weights: list[int], near: list[list[int]], k: int, cap: int, witness: tuple[int, ...]) -> bool:
    """Whether some areas leave no way to classes up to the cap; with many classes little weight can lie above k."""
    limit, *areas = witness
    part = _reach(near, areas[0], set())
    total = sum(weights[v] for v in part)
    spare = total - -(-total // cap) * k
    question = Question(k, cap, limit, spare if 0 <= spare < k else -1)
    return part.issuperset(areas) and leave_no_way(weights, near, tuple(areas), question)


def _light_set(weights: list[int], near: list[list[int]], k: int, members: set[int]) -> int | None:
    around = {u for v in members for u in near[v]} - members
    if sum(weights[v] for v in members) >= k or not around:
        return None
    return max(weights[v] for v in members) + min(weights[u] for u in around)


def _reach(near: list[list[int]], first: int, barred: set[int]) -> set[int]:
    reached, waiting = {first}, [first]
    while waiting:
        for u in near[waiting.pop()]:
            if u not in reached and u not in barred:
                reached.add(u)
                waiting.append(u)
    return reached


def _components(near: list[list[int]], part: set[int], barred: set[int]) -> list[set[int]]:
    components, left = [], part - barred
    while left:
        component = _reach(near, next(iter(left)), barred)
        left -= component
        components.append(component)
    return components


def _most(descending: Sequence[int], k: int) -> int:
    """How many classes at most: the i heaviest lie in i of them, the others are short of weight or of areas."""
    before = [0, *accumulate(descending)]
    most, i = before[-1] // k, 0
    while i < most:
        fewest = bisect_left(before, before[i] + k) - i  # more than there are, if the others weigh less than k
        most = min(most, i + min((before[-1] - before[i]) // k, (len(descending) - i) // fewest))
        i += 1
    return most
