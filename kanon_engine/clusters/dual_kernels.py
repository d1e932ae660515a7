"""Prices that rise together until balls are paid for, in whole numbers; see docs/proofs/clusters/cellular.md."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from kanon_engine.kernel_cache import njit

NEVER = 2**62

# distances (n, n) float64; order (n, n) int32, nearest first; weights (n,) int64; per_unit: whole steps in one unit of
# distance, a power of two, so that a product with it is exact
Space = namedtuple("Space", "distances order weights per_unit")
# what a ball costs besides its records: fixed + slope * radius; top: the fewest records that it is charged for;
# least: the fewest records in a ball; reach: the largest radius; spare: records that may stay without a ball;
# member: whether the center of a ball is a record in it with the highest price
Rule = namedtuple("Rule", "fixed slope top least reach spare member")


@njit(cache=True, nogil=True)
def _charge(levels, weights, count, radius, need):
    """What the dearest records above a radius pay, of those that stopped: at least `need` of them, and all above it."""
    paid = 0
    for place in range(count):
        above = levels[place] - radius
        if need == 0 and above <= 0:
            break
        used = min(need, weights[place])
        need -= used
        paid += used * above
        if above > 0:
            paid += (weights[place] - used) * above
    return paid


@njit(cache=True, nogil=True)
def tight(space, rule, v, prices, risen, levels, stopped):
    """The earliest level at which a ball around v is paid for, and how many points are in it; see `ascend`.

    `levels` and `stopped` are scratch: the prices of stopped points in the ball, dearest first, and their weights.
    """
    n = len(space.weights)
    best = NEVER
    size = 0
    count = 0
    rising = 0
    inside = 0
    for place in range(n):
        i = space.order[v, place]
        radius = np.int64(space.distances[v, i] * space.per_unit)
        if radius >= best or radius > rule.reach:
            break
        weight = space.weights[i]
        inside += weight
        if risen[i]:
            at = count
            while at > 0 and levels[at - 1] < prices[i]:
                levels[at] = levels[at - 1]
                stopped[at] = stopped[at - 1]
                at -= 1
            levels[at] = prices[i]
            stopped[at] = weight
            count += 1
        else:
            rising += weight
        if place + 1 < n and np.int64(space.distances[v, space.order[v, place + 1]] * space.per_unit) == radius:
            continue  # a ball holds all points at its radius
        if rising == 0 or inside < rule.least:
            continue
        paid = _charge(levels, stopped, count, radius, max(0, rule.top - rising))
        level = radius + (rule.fixed + rule.slope * radius - paid) // rising
        if level < best:
            best = level
            size = place + 1
    return best, size


@njit(cache=True, nogil=True)
def ascend(space, rule):
    """Raise all prices together; the points in a ball that is paid for stop.

    Stopping only delays other balls, so a level that was computed before is never too high, and the ball with
    the least recomputed level is the next.

    Returns the prices (n,), the event that stopped each point (n,), -1 for none, and of the events the centers and the
    radii. Prices of points without a ball are the last level.
    """
    n = len(space.weights)
    prices = np.zeros(n, np.int64)
    risen = np.zeros(n, np.bool_)
    event = np.full(n, -1, np.int64)
    centers = np.empty(n, np.int64)
    radii = np.empty(n, np.int64)
    events = 0
    levels = np.empty(n, np.int64)
    stopped = np.empty(n, np.int64)
    next_level = np.empty(n, np.int64)
    for v in range(n):
        next_level[v] = tight(space, rule, v, prices, risen, levels, stopped)[0]
    left = space.weights.sum()
    now = 0
    while left > rule.spare:
        v = np.argmin(next_level)
        if next_level[v] == NEVER:
            break
        if rule.member and risen[v]:
            next_level[v] = NEVER
            continue
        level, size = tight(space, rule, v, prices, risen, levels, stopped)
        if level > next_level[v]:
            next_level[v] = level
            continue
        now = level
        centers[events] = v
        radii[events] = np.int64(space.distances[v, space.order[v, size - 1]] * space.per_unit)
        for place in range(size):
            i = space.order[v, place]
            if not risen[i]:
                risen[i] = True
                prices[i] = now
                event[i] = events
                left -= space.weights[i]
        events += 1
        next_level[v] = tight(space, rule, v, prices, risen, levels, stopped)[0]
    for i in range(n):
        if not risen[i]:
            prices[i] = now
    return prices, event, centers[:events].copy(), radii[:events].copy()
