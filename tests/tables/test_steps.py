"""The steps of algorithms for tables, each checked with plain code of its own."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.tables.cuts_kernels import HEAD, OUT, TAIL
from kanon_engine.teaching.tables import cut_names
from kanon_engine.teaching.tables.picture import step_figure
from tests.oracles.tables import cost
from tests.tables.random_nodes import METRICS, NEVER
from tests.tables.random_tables import plain, random_table


def tables(count, most_cuts, salt):
    """Random tables with a k that is feasible."""
    for seed in range(count):
        rng = np.random.default_rng([seed, salt])
        table = random_table(rng, most_cuts)
        if len(table.cut_values):
            yield table, min(int(rng.integers(2, 6)), len(table)), seed


def steps_of(table, g):
    steps = list(teaching.steps(table, g))
    assert np.array_equal(steps[-1].state.assignment, g.assignment)
    for step in steps:
        assert step.inequality is None or step.inequality.holds
    return steps


class Prices:
    """What every set of cuts costs, by the oracle; a set is a bit mask."""

    def __init__(self, table, k, metric):
        rows, labels, cuts, sizes = plain(table)
        self.count = len(cuts)
        chosen = [[cut for place, cut in enumerate(cuts) if mask >> place & 1] for mask in range(1 << len(cuts))]
        both = [cost(rows, labels, some, k, metric, sizes, [1] * len(sizes)) for some in chosen]
        self.cost, self.lost = (np.array(column) for column in zip(*both, strict=True))

    def within(self, limit):
        return np.where(self.lost <= limit, self.cost, NEVER)

    def below(self, kinds, limit):
        """Of each set of cuts that has the head, and else cuts of the tail; NEVER of all others."""
        masks, heads, outs = np.arange(1 << self.count), mask_of(kinds == HEAD), mask_of(kinds == OUT)
        return np.where((masks & heads == heads) & (masks & outs == 0), self.within(limit), NEVER)


def mask_of(chosen):
    return int((1 << np.flatnonzero(chosen)).sum())


@pytest.mark.parametrize("metric", METRICS)
def test_each_node_of_k_optimize_costs_what_is_said_and_bounds_what_is_below_it(metric):
    weighed = pruned = dead = forced = asked = 0
    for table, k, seed in tables(10, 7, 18):
        limit = [0, 3, None][seed % 3]
        g = kanon.generalize(table, k, "k-optimize", metric=metric, suppression_limit=limit)
        prices, masks = Prices(table, k, metric), np.arange(1 << len(table.cut_values))
        most = len(table) if limit is None else limit
        steps, trees = steps_of(table, g), 0
        for before, step in pairwise(steps):
            old, new = before.state, step.state
            began = bool(new.nodes) and (
                not old.nodes or old.nodes[0].verdict != "open"
            )  # the tree before it is closed
            trees += began
            allowed = 0 if trees == 1 and most > 0 else most  # first the best cuts that leave nobody out
            head = mask_of(new.kinds == HEAD)
            assert (new.cost, new.suppressed) == (prices.cost[head], prices.lost[head])
            weighed += 1
            if new.at < 0 or step is steps[-1]:
                continue
            node = new.nodes[new.at]
            assert (node.cost, node.suppressed) == (new.cost, new.suppressed)
            below = prices.below(node.kinds, allowed)
            others = np.delete(below, head) if node.verdict == "open" else below
            assert others.min() >= min(node.bound, new.best)
            if node.verdict == "dead":
                assert below.min() >= new.best
                dead += 1
            if new.at < len(old.nodes) and not began:
                was = old.nodes[new.at].kinds
                there = prices.below(was, allowed)
                for value in np.flatnonzero((was == TAIL) & (node.kinds == OUT)):
                    with_it = masks >> value & 1 == 1
                    assert there[with_it].min() >= min(new.best, there[~with_it].min())
                    pruned += 1
                for value in np.flatnonzero((was == TAIL) & (node.kinds == HEAD)):
                    assert there[masks >> value & 1 == 0].min() >= min(
                        new.best, prices.within(allowed)[mask_of(was == HEAD)]
                    )
                    forced += 1
            elif not began:
                assert node.kinds[node.value] == HEAD
                assert old.nodes[node.parent].kinds[node.value] == TAIL
            asked += checked_question(table, step, old, new, prices, allowed, k)
        assert steps[-1].state.best == prices.within(most).min() == g.cost
    assert min(weighed, pruned, dead, asked) > 5
    assert forced > 0


def checked_question(table, step, old, new, prices, allowed, k):
    """The right answers again, from the state before; how many were looked at."""
    question = step.question
    if question is None:
        return 0
    names = cut_names(table)
    right = {question.choices[answer] for answer in question.answers}
    if question.prompt.startswith("A cut is added"):
        parent = old.nodes[new.nodes[new.at].parent].kinds
        split = {value: splits(table, parent, value, k) for value in np.flatnonzero(parent == TAIL).tolist()}
        most = max(split.values())
        assert right == {names[value] for value, count in split.items() if count == most}
    elif "removed from the tail" in question.prompt:
        was, now = old.nodes[new.at].kinds, new.nodes[new.at].kinds
        assert right == {names[value] for value in np.flatnonzero((was != OUT) & (now == OUT))}
        assert set(question.choices) == {names[value] for value in np.flatnonzero(was == TAIL)}
    else:
        may = new.nodes[new.at].bound < old.best
        assert right == ({"yes"} if may else {"no"})
    return 1


def splits(table, kinds, value, k):
    """How many groups of k or more a cut splits, record by record."""
    groups = {}
    cuts = table.cut_values.tolist()
    heads = [cuts[other] for other in np.flatnonzero(kinds == HEAD)]
    for row in table.codes.tolist():
        groups.setdefault(tuple(row[column] >= at for column, at in heads), []).append(row)
    column, at = cuts[value]
    sides = [{row[column] >= at for row in group} for group in groups.values() if len(group) >= k]
    return sum(len(side) == 2 for side in sides)


def test_mondrian_cuts_the_widest_column_that_allows_it_and_ends_where_none_does():
    cut = ended = 0
    for table, k, _ in tables(25, 10, 4):
        g = kanon.generalize(table, k, "mondrian")
        for before, step in pairwise(steps_of(table, g)):
            part = before.state.parts[before.state.after]
            rows = [table.codes[record] for record in part.records]
            column, sizes = plain_median_cut(table, rows, k)
            sides = [other for other in step.state.parts if other.parent == before.state.after]
            assert [len(side.records) for side in sides] == sizes
            assert step.state.parts[before.state.after].column == column
            classes = [set(step.state.assignment[side.records].tolist()) for side in sides or [part]]
            assert all(len(own) == 1 for own in classes)
            assert len(set.union(*classes)) == len(classes)
            if sides:
                assert sorted(np.concatenate([side.records for side in sides])) == sorted(part.records)
                assert step.inequality.left == min(sizes)
                cut += 1
            else:
                assert len(step.changed) == 0
                ended += 1
            if step.question is not None:
                assert step.question.answers == ((column,) if sides else (0,))
        assert before is not None
    assert min(cut, ended) > 20


def plain_median_cut(table, rows, k):
    """The column of a strict median cut and the sizes of its sides; -1 and none where no column allows one."""
    widths = []
    for column in range(len(rows[0])):
        known = sorted({int(code) for code in table.codes[:, column]})
        own = [known.index(row[column]) for row in rows]
        widths.append((max(own) - min(own)) / max(len(known) - 1, 1))
    for column in sorted(range(len(widths)), key=lambda column: (-widths[column], column)):
        if widths[column] == 0:
            continue
        values = sorted(row[column] for row in rows)
        median = values[(len(values) - 1) // 2]
        for left in ([v <= median for v in values], [v < median for v in values]):
            sizes = [sum(left), len(left) - sum(left)]
            if min(sizes) >= k:
                return column, sizes
    return -1, []


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize("metric", METRICS)
def test_the_hill_climber_makes_the_best_change_each_time(metric):
    changes = asked = 0
    for table, k, _ in tables(40, 9, 31):
        g = kanon.generalize(table, k, "hill-climb", metric=metric, restarts=20)
        price, names = priced(table, k, metric), cut_names(table)
        for before, step in pairwise(steps_of(table, g)):
            old, new = before.state, step.state
            assert (new.cost, new.suppressed) == price(new.kinds == HEAD)
            if len(new.costs) < 2 or step.inequality.words != "cost after < cost before":
                continue
            (value,) = new.touched
            assert np.flatnonzero(old.kinds != new.kinds).tolist() == [value]
            same = [other for other in range(len(names)) if old.kinds[other] == old.kinds[value]]
            after = {other: price((old.kinds == HEAD) ^ (np.arange(len(names)) == other))[0] for other in same}
            assert new.cost == min(after.values()) < old.cost
            changes += 1
            if step.question is not None:
                right = {step.question.choices[answer] for answer in step.question.answers}
                assert right == {names[other] for other, price in after.items() if price == new.cost}
                asked += 1
    assert min(changes, asked) > 4


def priced(table, k, metric):
    """What a set of cuts costs, and how many it leaves out, by the oracle."""
    rows, labels, cuts, sizes = plain(table)

    def price(heads):
        chosen = [cuts[value] for value in np.flatnonzero(heads)]
        return cost(rows, labels, chosen, k, metric, sizes, [1] * len(sizes))

    return price


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("metric", METRICS)
def test_local_cuts_never_get_worse_and_their_cuts_part_what_they_cut(metric):
    cuts = asked = 0
    for table, k, _ in tables(12, 10, 6):
        g = kanon.generalize(table, k, "local-cuts", metric=metric, rounds=50)
        steps = steps_of(table, g)
        costs = [step.inequality.left for step in steps if step.inequality and step.inequality.words.startswith("cost")]
        assert costs == sorted(costs, reverse=True)
        assert costs[-1] == g.cost
        for before, step in pairwise([steps[0], *steps]):
            sizes = np.bincount(step.state.assignment)
            assert sizes[sizes > 0].min() >= k
            cuts += checked_parts(table, step.state)
            if step.question is not None and not step.question.choices:
                (answer,) = step.question.answers
                both = [state.assignment[step.changed] for state in (before.state, step.state)]
                assert answer == sum(sizes[group] ** 2 for group in np.unique(both) if group < len(sizes))
                asked += 1
    assert cuts > 20
    assert (asked > 5) == (metric == "DM")


def checked_parts(table, state):
    """Each part is what its sides are together, and these lie apart in the column; how many cuts there are."""
    cuts = 0
    for place, part in enumerate(state.parts):
        sides = [side for side in state.parts if side.parent == place]
        if not sides:
            assert len(np.unique(state.assignment[part.records])) == 1
            continue
        assert sorted(np.concatenate([side.records for side in sides])) == sorted(part.records)
        if part.column >= 0:
            one, other = sorted((table.codes[side.records, part.column] for side in sides), key=max)
            assert max(one) < min(other)
            cuts += 1
    return cuts


@pytest.mark.thorough
def test_exact_lists_every_box_that_records_span():
    listed = 0
    for table, k, _ in tables(30, 5, 12):
        if len(table.tuples[0]) > 9:
            continue
        g = kanon.generalize(table, k, "exact", metric="LM")
        for step in steps_of(table, g):
            if "The solver can choose from" in step.why:
                assert int(step.why.split()[5]) == len(spanned(table.codes.tolist(), k))
                listed += 1
    assert listed > 0


def spanned(rows, k):
    """The boxes around sets of tuples that hold k records."""
    tuples = sorted({*map(tuple, rows)})
    boxes = set()
    for mask in range(1, 1 << len(tuples)):
        some = [row for place, row in enumerate(tuples) if mask >> place & 1]
        boxes.add((tuple(map(min, zip(*some, strict=True))), tuple(map(max, zip(*some, strict=True)))))
    inside = {
        box: sum(all(a <= v <= b for a, v, b in zip(box[0], row, box[1], strict=True)) for row in rows) for box in boxes
    }
    return [box for box, count in inside.items() if count >= k]


@pytest.mark.thorough
def test_cells_are_hidden_by_patterns_that_enough_records_match():
    opened = filled = asked = 0
    for table, k, _ in tables(14, 9, 2):
        g = kanon.generalize(table, k, "cell-suppression")
        steps = steps_of(table, g)
        for before, step in pairwise(steps):
            state = step.state
            shown = [
                tuple("*" if star else str(value) for star, value in zip(stars, row, strict=True))
                for stars, row in zip(state.stars, table.codes, strict=True)
            ]
            for group in set(state.assignment.tolist()) - {-1}:
                own = [shown[record] for record in np.flatnonzero(state.assignment == group)]
                assert len(own) >= k
                assert len(set(own)) == 1
            hidden = int(state.stars.sum())
            if "hidden cells" in step.inequality.words:
                assert step.inequality.left == hidden
                filled += "after" in step.inequality.words
            if "is chosen" in step.why:
                assert step.inequality.left == len(step.changed)
                opened += 1
                if step.question is not None:
                    free = table.codes[before.state.assignment < 0]
                    asked += checked_pattern(step.question, free.tolist(), k)
        assert steps[-1].state.stars.sum() == g.cost
    assert min(opened, asked) > 10
    assert filled > 0


def checked_pattern(question, free, k):
    """Of the patterns that k free records match, those with the fewest stars and then the most records are right."""
    ranks = []
    for choice in question.choices:
        wanted = choice.strip("()").split(", ")
        match = sum(all(want in ("*", str(value)) for want, value in zip(wanted, row, strict=True)) for row in free)
        ranks.append((wanted.count("*"), -match))
        assert match >= k
    assert question.answers == tuple(place for place, rank in enumerate(ranks) if rank == min(ranks))
    return 1


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("algorithm", teaching.STEPS["tables"])
def test_every_step_is_drawn_with_every_choice_of_its_question(algorithm):
    for table, k, _ in tables(2, 7, 9):
        g = kanon.generalize(table, k, algorithm)
        for before, step in pairwise(steps_of(table, g)):
            figure = step_figure(table, g, before, step.question)
            picked = {number for trace in figure.data if trace.customdata is not None for number in trace.customdata}
            assert picked == set(range(len(step.question.choices) if step.question else 0))


def test_many_groups_are_drawn_without_the_cuts_that_make_them():
    table = kanon.Table(pd.DataFrame({"x": np.arange(400)}), ["x"])
    g = kanon.generalize(table, 2, "local-cuts", metric="DM", rounds=0)
    assert g.classes == 200
    for step in steps_of(table, g):
        assert step_figure(table, g, step).data
