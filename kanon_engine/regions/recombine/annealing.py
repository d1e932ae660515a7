"""Annealing in rounds: how hot each begins, what it is for, and when no other is worth its steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.regions.recombine.search import Search

HOT, COLD, COOLER = 1.0, 1e-3, 0.7  # temperatures of a round, in squares of a typical class; each round begins cooler
HOT_ONCE = 0.3  # where the map is so large that there is one round only
ROUNDS = 8  # at most
IDLE, IDLE_AT_BOUND = 3, 2  # rounds in a row without a better partition, after which no other is begun
BATCH, COOLINGS = 2_000, 10  # steps between reports, and reports in a round, at least
EVENING, EVENINGS = 0.23, 3  # share of the steps that are made after a proof, and their rounds, at most
BORDERS = 0.13  # their share for borders
POLISH = 0.3, 0.1, 0.03, 0.01  # temperatures at which the rounds for the best's largest class begin
SEARCH, POLISHED = 0.65, 0.9  # shares of the steps after which those begin and end; the last round is for borders
FINE_CHANGES = 30  # how often in a round the fines rise by their factor, at most
DOING = "recombining neighbouring classes"
MENDINGS = 10  # how often in a round the partition is mended and weighed


def anneal_in_rounds(search: Search, run: Run, steps: int) -> None:
    """Rounds of annealing; once no largest class can be smaller, what is left of them gives way to evening out."""
    search_in_rounds(search, run, steps)
    left = min(EVENING, 1 - search.done) * steps
    if search.proven and not run.stopped and left >= 1:
        even_out(search, run, left)


def search_in_rounds(search: Search, run: Run, steps: int) -> None:
    """Rounds for more and smaller classes, then some from the best on: for its largest, at last for its borders."""
    heats = first_heats(len(search.state.label), steps)
    rounds, idle = len(heats), 0
    for number, hot in enumerate(heats):
        if search.proven:
            return
        search.aim(more_classes=True)
        share = SEARCH / rounds
        found = _cool(search, run, share * steps, (share * number, share * (number + 1)), (hot, COLD))
        idle = 0 if found else idle + 1
        if run.stopped or idle == (IDLE_AT_BOUND if search.largest == search.bound else IDLE):
            break
    shares = [*np.linspace(SEARCH, POLISHED, len(POLISH) + 1).tolist(), 1.0]
    for span, heat in zip(pairwise(shares), (*POLISH, None), strict=True):
        if run.stopped or search.proven:
            return
        search.return_to_best()
        search.aim(more_classes=False)
        hottest = heat or 3 * search.price_borders()
        _cool(search, run, (span[1] - span[0]) * steps, span, (hottest, hottest / 100))


def first_heats(areas: int, steps: int) -> list[float]:
    """The temperatures at which the rounds for more and smaller classes begin."""
    rounds = min(max(steps // (600 * areas), 1), ROUNDS)
    return [HOT * COOLER**number for number in range(rounds)] if rounds > 1 else [HOT_ONCE]


def even_out(search: Search, run: Run, steps: float) -> None:
    """A few short rounds for more and smaller classes below the proven largest, the last one for their borders."""
    search.ends_proven = False
    rounds = int(min(max(steps // (250 * len(search.state.label)), 1), EVENINGS))
    shares = [0.0, *np.linspace(0, 1 - BORDERS, rounds + 1)[1:].tolist(), 1.0]
    begun = search.done
    for number, (low, high) in enumerate(pairwise(shares)):
        if run.stopped:
            return
        last = number == rounds
        if number == 0 or last:
            search.return_to_best()
        search.aim(more_classes=not last)
        hot, cold = HOT_ONCE * COOLER**number, COLD
        if last:
            hot = 3 * search.price_borders()
            cold = hot / 100
        span = (begun + (1 - begun) * low, begun + (1 - begun) * high)
        _cool(search, run, (high - low) * steps, span, (hot, cold))


def _cool(search: Search, run: Run, steps: float, span: tuple[float, float], heats: tuple[float, float]) -> int:
    """Anneal from hot to cold over a span of the whole work; returns how often the best was improved."""
    hot, cold = heats
    size = max(min(max(BATCH, len(search.state.label)), int(steps / COOLINGS)), 1)
    batches = max(round(steps / size), 1)
    found = 0
    for number in range(batches):
        found += search.batch(size, hot * (cold / hot) ** (number / batches), min(FINE_CHANGES / batches, 1.0))
        if (number + 1) * MENDINGS // batches > number * MENDINGS // batches:
            found += search.mend_and_record()
        search.done = span[0] + (span[1] - span[0]) * (number + 1) / batches
        shown = search.outcome if search.found else None
        if not run.goes_on(search.done, search.largest, search.bound, DOING, shown):
            found += search.mend_and_record()
            break
        if search.ends_proven and search.proven:
            break
    return found
