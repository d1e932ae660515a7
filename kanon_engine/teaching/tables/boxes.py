"""Steps of the algorithms that divide records into boxes: Mondrian, local cuts, exact boxes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.tables.boxes import box_bound, problem_of
from kanon_engine.tables.exact import FIRST, all_boxes
from kanon_engine.tables.instance import Table
from kanon_engine.tables.local_cuts import local_cuts
from kanon_engine.tables.mondrian import Cut, cuts
from kanon_engine.tables.words import interval_words
from kanon_engine.teaching.step import NO_YES, Inequality, Step, StepQuestion
from kanon_engine.teaching.tables import BoxPart, BoxState, after, move, numbered, result, shown


def mondrian_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The whole table, then each part with its cut, or the reason why it stays a class.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> for step in mondrian_steps(table, kanon.generalize(table, 2, "mondrian")):
    ...     print(step.state.assignment, step.text)
    [0 0 0 0 0] All 5 records are one group.
    [0 0 0 1 1] The group of 5 is widest in age, so age is cut at its median: 3 and 2 records. smaller part ≥ k: 2 ≥ 2.
    [0 0 0 1 1] The group of 2 stays whole: a cut would leave fewer than 2 records on a side. records < 2 k: 2 < 4.
    [0 0 0 1 1] The group of 3 stays whole: a cut would leave fewer than 2 records on a side. records < 2 k: 3 < 4.
    """
    run = list(_mondrian_cuts(table, g))
    group = np.zeros(len(table), dtype=np.int64)
    parts = [_part(table, np.arange(len(table)), -1)]
    start = BoxState(numbered(group, g.assignment), tuple(parts), -1, 0)
    yield Step(start, f"All {table.total:,} {table.unit} are one group.")
    open_parts, place = [0], 0
    for count in shown(len(run), len(table)):
        for _ in range(count):
            cut = run[place][1]
            at = open_parts.pop()
            last = _mondrian_move(table, g, parts[at], cut, [int(table.weights[side].sum()) for side in cut.sides])
            if cut.sides:
                parts[at] = replace(parts[at], column=cut.column)
                for side in cut.sides:
                    open_parts.append(len(parts))
                    group[side] = len(parts)
                    parts.append(_part(table, side, at))
            else:
                parts[at] = replace(parts[at], closed=True)
            place += 1
        following = open_parts[-1] if open_parts else -1
        yield after(BoxState(numbered(group, g.assignment), tuple(parts), at, following), last, count)
    if not np.array_equal(numbered(group, g.assignment), g.assignment):
        leaves = sum(part.closed for part in parts)
        together = f"Groups that show the same values are merged: {leaves:,} groups become {g.classes:,}."
        yield Step(BoxState(g.assignment, tuple(parts)), together)


def _mondrian_cuts(table: Table, g: Generalization) -> Iterator[tuple[np.ndarray, Cut]]:
    """The records of each part, and its cut with the records of each side."""
    options: Any = g.options
    problem = problem_of(table, g.k, options["metric"], options["weights"], g.require)  # type: ignore[arg-type]
    tuples = table.tuples[2]
    if options["relaxed"]:
        yield from cuts(problem, problem.codes[tuples], table.weights)
        return
    order = np.argsort(tuples, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(tuples)))

    def records(items: np.ndarray) -> np.ndarray:
        return np.concatenate([order[starts[item] : starts[item + 1]] for item in items.tolist()])

    for part, cut in cuts(problem, problem.codes, None):
        yield records(part), cut._replace(sides=[records(side) for side in cut.sides])


def _part(table: Table, records: np.ndarray, parent: int) -> BoxPart:
    codes = table.codes[records]
    return BoxPart(parent, codes.min(axis=0), codes.max(axis=0), records, int(table.weights[records].sum()))


def _mondrian_move(table: Table, g: Generalization, part: BoxPart, cut: Cut, sizes: list[int]) -> Step:
    names = table.quasi_identifiers
    what, k = f"The group of {part.size:,}", g.k
    if cut.sides:
        column = names[cut.column]
        passed = " and ".join(names[other] for other, _ in cut.refused)
        wide = (
            f"is widest in {passed}, where no cut is possible, and next widest in {column}"
            if passed
            else f"is widest in {column}"
        )
        where = "by its hierarchy" if table.tree(column) is not None else "at its median"
        side_weights = " and ".join(f"{size:,}" for size in sizes)
        why = f"{what} {wide}, so {column} is cut {where}: {side_weights} {table.unit}."
        prompt = (
            f"{what} ({_extent(table, part)}) is next. Of the columns that allow a cut, in which one is "
            "this group widest?"
        )
        question = StepQuestion(prompt, tuple(names), (cut.column,))
        return move(why, Inequality(min(sizes), "≥", k, "smaller part ≥ k"), question if len(names) > 1 else None)
    if part.size < 2 * k:
        why = f"{what} stays whole: a cut would leave fewer than {k:,} {table.unit} on a side."
        return move(why, Inequality(part.size, "<", 2 * k, "records < 2 k"))
    trees = any(table.tree(name) is not None for name in names)
    where = "at its median or by its hierarchy" if trees else "at its median"
    prompt = f"{what} ({_extent(table, part)}) is next. Can any column be cut {where}?"
    question = StepQuestion(prompt, NO_YES, (0,))
    if not cut.refused:
        return move(f"{what} stays whole: all its {table.unit} are identical.", None, question)
    nearest, most = max(cut.refused, key=lambda one: one[1])
    if most >= k:
        return move(
            f"{what} stays whole: every cut into parts of {k:,} or more has a part that fails a requirement.",
            None,
            question,
        )
    why = (
        f"{what} stays whole: no column can be cut {where} with at least {k:,} {table.unit} on every side; "
        f"{names[nearest]} comes closest."
    )
    return move(why, Inequality(most, "<", k, f"smaller side of {names[nearest]} < k"), question)


def _extent(table: Table, part: BoxPart) -> str:
    """The interval that the part spans in each column."""
    parts = []
    for name, domain, low, high in zip(
        table.quasi_identifiers, table.domains, part.low.tolist(), part.high.tolist(), strict=True
    ):
        parts.append(f"{name} {interval_words(domain[low : high + 1], (low, high) == (0, len(domain) - 1))}")
    return ", ".join(parts)


# ---------------------------------------------------------------------------------------------------------------------
# Local cuts: successively better sets of boxes.
# ---------------------------------------------------------------------------------------------------------------------


LARGE_TABLE = 6_000  # records above which the run is shown only up to its first reports
EARLY = 2
FEW_GROUPS = 5  # groups up to which a question asks for the cost
AT_BOUND = "at the bound"  # a run that has reached its bound ends without a report
DONE_WORDS = {
    AT_BOUND: "Cuts make {}, and no boxes cost less than these.",
    "first cuts": "Nested cuts, each with the best score, make {}.",
    "median cuts": "Mondrian's cuts, with further cuts in its groups, are better: {}.",
    "following promising cuts to the end": "Promising cuts, followed to the end before one is chosen, are better: {}.",
    "cuts of whole columns": "Cuts of whole columns, with further cuts in their groups, are better: {}.",
}


def local_cuts_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The run again: what each method of cutting improves, and each batch of neighborhoods that are recut.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60, 61]}), ["age"])
    >>> steps = list(local_cuts_steps(table, kanon.generalize(table, 2, "local-cuts", metric="DM")))
    >>> len(steps), steps[1].inequality.text
    (5, 'smallest part ≥ k: 2 ≥ 2')
    >>> for step in steps[-2:]:
    ...     print(step.text)
    Cuts make 3 groups, and no boxes cost less than these. cost ≥ proven bound: 12 ≥ 12.
    This is the result: 3 groups. No boxes can be better. cost ≥ proven bound: 12 ≥ 12.
    """
    outcomes, whole = better_boxes(table, g, dict(g.options))
    before = np.zeros(len(table), dtype=np.int32)
    cuts = list(cut_by_cut(table, g, outcomes[0][0].assignment))
    start = f"All {table.total:,} {table.unit} are one group."
    if cuts:
        start += " The cuts that make the first groups are shown one by one, the most even cut first."
    yield Step(box_state(table, before), start)
    for step in cuts:
        yield step
        before = step.state.assignment
    place = -1
    for count in shown(len(outcomes), len(table)):
        place += count
        outcome, message = outcomes[place]
        labels = numbered(outcome.assignment, g.assignment)
        last = _better_move(table, g, outcome, message, before, labels)
        yield after(replace(box_state(table, outcome.assignment), assignment=labels), last, count)
        before = labels
    on = "" if whole else "The following steps are not shown. "
    yield last_step(table, g, f"{on}This is the result: {g.classes:,} groups.")


def better_boxes(table: Table, g: Generalization, options: dict[str, Any]) -> tuple[list[tuple[Outcome, str]], bool]:
    """Each better set of boxes that local cuts find, with the method; and whether this is the whole run."""
    outcomes: list[tuple[Outcome, str]] = []
    reports = 0

    def heard(report: Progress) -> bool:
        nonlocal reports
        reports += 1
        if report.solution is not None and (not outcomes or report.best < outcomes[-1][0].cost):  # type: ignore[operator]
            outcomes.append((report.solution(), report.message))
        return len(table) <= LARGE_TABLE or reports < EARLY

    end = local_cuts(table, g.k, Run(g.seed, None, heard), **options, require=g.require)  # type: ignore[arg-type]
    if not outcomes or end.cost < outcomes[-1][0].cost:  # type: ignore[operator]
        outcomes.append((end, AT_BOUND))
    return outcomes, len(table) <= LARGE_TABLE or reports < EARLY


def last_step(table: Table, g: Generalization, why: str) -> Step:
    """The result, and whether it is proven to be the best."""
    proven = g.cost == g.lower_bound
    prompt = f"No boxes can cost less than {g.lower_bound:,}. Does this prove that the result is the best?"
    end = " No boxes can be better." if proven else ""
    question = StepQuestion(prompt, NO_YES, (int(proven),))
    return result(box_state(table, g.assignment), g, f"{why}{end}", question=question)


def _better_move(
    table: Table, g: Generalization, outcome: Outcome, message: str, before: np.ndarray, after: np.ndarray
) -> Step:
    groups = f"{int(after.max()) + 1:,} groups"
    hit = np.flatnonzero(before != after)
    touched = np.unique(np.concatenate([before[hit], after[hit]])).tolist()
    was, sizes = (
        [int(table.weights[labels == group].sum()) for group in touched if (labels == group).any()]
        for labels in (before, after)
    )
    words = DONE_WORDS.get(message, "Neighborhoods of expensive groups are cut again, and some improve: {}.")
    bound: Any = outcome.bound
    question = None
    if g.options["metric"] == "DM" and 0 < len(sizes) <= FEW_GROUPS:
        least, most = sum(size**2 for size in sizes), sum(was) ** 2
        listed = ", ".join(f"{size:,}" for size in sizes)
        prompt = (
            f"Groups of {', '.join(map(str, was))} become groups of {listed} {table.unit}. What do the new groups "
            "cost in all?"
        )
        question = StepQuestion(prompt, (), (least,), 0, max(most, least + 1))
    inequality = Inequality(int(outcome.cost), "≥", int(bound.value), "cost ≥ proven bound")  # type: ignore[arg-type]
    return move(words.format(groups), inequality, question)


def exact_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The result of local cuts, the boxes that can be classes, and the solver's choice.

    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> for step in exact_steps(table, kanon.generalize(table, 2, "exact", metric="DM")):
    ...     print(step.text)
    The search begins with the result of local cuts: 2 groups. cost ≥ lower bound from sizes and distances: 13 ≥ 13.
    The result of local cuts stays: 2 groups. No boxes can be better. cost ≥ proven bound: 13 ≥ 13.
    """
    options: Any = g.options
    first = better_boxes(table, g, {**options, "rounds": FIRST})[0][-1][0]
    problem = problem_of(table, g.k, options["metric"], options["weights"], g.require)  # type: ignore[arg-type]
    bound, cost = int(box_bound(problem).value), int(first.cost)  # type: ignore[arg-type]
    start = numbered(first.assignment, g.assignment)
    state = replace(box_state(table, first.assignment), assignment=start)
    why = f"The search begins with the result of local cuts: {int(start.max()) + 1:,} groups."
    yield Step(state, why, Inequality(cost, "≥", bound, "cost ≥ lower bound from sizes and distances"))
    boxes = all_boxes(problem) if cost > bound else None
    if boxes is not None:
        count = len(boxes.costs)
        why = (
            f"The solver can choose from {count:,} boxes, each the smallest around {g.k:,} or more records. It chooses "
            "boxes so that each record is in exactly one box."
        )
        prompt = (
            f"The result of local cuts costs {cost:,}; no boxes can cost less than {bound:,}. Can other boxes still "
            f"cost less than {cost:,}?"
        )
        yield Step(state, why, Inequality(cost, ">", bound, "cost > lower bound"), StepQuestion(prompt, NO_YES, (1,)))
    elif cost > bound:
        yield Step(state, "There are too many boxes to list, so the result of local cuts stays.")
    words = "The solver found cheaper boxes" if g.cost < cost else "The result of local cuts stays"
    yield last_step(table, g, f"{words}: {g.classes:,} groups.")


# ---------------------------------------------------------------------------------------------------------------------
# Groups as boxes: the cuts that make them, if cuts from side to side do.
# ---------------------------------------------------------------------------------------------------------------------


MOST_DRAWN = 150  # groups up to which their cuts are computed
MOST_TOLD = 30  # groups up to which their cuts are shown one by one


def box_state(table: Table, assignment: np.ndarray) -> BoxState:
    """Groups with the cuts that make them, the most even first; a part that no cut divides holds its groups directly.

    More than `MOST_DRAWN` groups have no parts.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> state = box_state(table, np.array([0, 0, 1, 1, 0]))
    >>> [(part.size, part.column) for part in state.parts]
    [(5, 0), (3, -1), (2, -1)]
    """
    order = np.argsort(assignment, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(assignment[order])) + 1)
    if len(members) > MOST_DRAWN:
        return BoxState(assignment, ())
    return BoxState(assignment, tuple(_parts(table, members)))


def cut_by_cut(table: Table, g: Generalization, assignment: np.ndarray) -> Iterator[Step]:
    """The cuts that make these groups, one by one from the whole table down; none if there are many groups."""
    parts = box_state(table, assignment).parts
    if not 0 < sum(part.closed for part in parts) <= MOST_TOLD:
        return
    group, names = np.zeros(len(table), dtype=np.int64), numbered(assignment, g.assignment)
    there = [parts[0]]
    number = {0: 0}  # number of each part among those so far
    for place, part in enumerate(parts):
        if part.closed:
            continue
        sides = [other for other, side in enumerate(parts) if side.parent == place]
        for other in sides:
            group[parts[other].records] = number[other] = len(there)
            there.append(replace(parts[other], parent=number[place], column=-1, closed=parts[other].closed))
        there[number[place]] = replace(there[number[place]], column=part.column)
        state = BoxState(numbered(group, names), tuple(there), number[place])
        yield after(state, _cut_move(table, g, part, [parts[other].size for other in sides]))


def _cut_move(table: Table, g: Generalization, part: BoxPart, sizes: list[int]) -> Step:
    listed = " and ".join(f"{size:,}" for size in sizes)
    question = None
    if g.options["metric"] == "DM":
        cost = sum(size**2 for size in sizes)
        prompt = (
            f"A part of {part.size:,} {table.unit} is cut into {listed}. As groups, the new parts cost "
            "the sum of their "
            "squared sizes. What is this sum?"
        )
        question = StepQuestion(prompt, (), (cost,), 0, part.size**2)
    decided = Inequality(min(sizes), "≥", g.k, "smallest part ≥ k")
    if part.column < 0:
        why = (
            f"The part of {part.size:,} {table.unit} becomes groups of {listed}. Cuts from side to side "
            "cannot make them."
        )
    else:
        name = table.quasi_identifiers[part.column]
        why = f"The part of {part.size:,} {table.unit} is cut by {name} into parts of {listed}."
    return move(why, decided, question)


def _parts(table: Table, members: list[np.ndarray]) -> Iterator[BoxPart]:
    low = np.array([table.codes[rows].min(axis=0) for rows in members])
    high = np.array([table.codes[rows].max(axis=0) for rows in members])
    sizes = np.array([int(table.weights[rows].sum()) for rows in members])
    waiting, count = [(-1, np.arange(len(members)))], 0
    while waiting:
        parent, inside = waiting.pop()
        column, left = _cut(low[inside], high[inside], sizes[inside])
        records = np.sort(np.concatenate([members[place] for place in inside.tolist()]))
        closed = len(inside) == 1
        size = int(sizes[inside].sum())
        yield BoxPart(parent, low[inside].min(axis=0), high[inside].max(axis=0), records, size, column, closed)
        if column >= 0:
            waiting += [(count, inside[~left]), (count, inside[left])]
        elif not closed:
            waiting += [(count, inside[[place]]) for place in range(len(inside))]
        count += 1


def _cut(low: np.ndarray, high: np.ndarray, sizes: np.ndarray) -> tuple[int, np.ndarray]:
    """The column of the most even cut that crosses no box, and the boxes below it; -1 for none."""
    best, column, below = sizes.sum() + 1, -1, np.zeros(len(low), dtype=bool)
    for place in range(low.shape[1]):
        for position in np.unique(low[:, place])[1:].tolist():
            left = high[:, place] < position
            if (left | (low[:, place] >= position)).all():
                uneven = abs(int(sizes[left].sum()) - int(sizes[~left].sum()))
                if uneven < best:
                    best, column, below = uneven, place, left
    return column, below
