"""A table in numbers: what classes of its rows cost, their requirements besides k, and the least they can cost.

`tables` checks with these definitions what a certificate claims.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations
from types import SimpleNamespace
from typing import Any, NamedTuple

from . import arrays
from .codec import Record
from .core import Instance

# ---------------------------------------------------------------------------------------------------------------------
# The table in numbers
# ---------------------------------------------------------------------------------------------------------------------


class Groups(NamedTuple):
    """The group of each row, and the records of each group."""

    number: Any
    sizes: Any


class Table:
    """The rows of a table as places in the domains of their quasi-identifiers, and the records of each row."""

    def __init__(self, instance: Instance) -> None:
        parts = instance.parts
        cells, trees, label = parts["cells"], parts.get("trees", {}), parts["class_label"]
        self.names: list[str] = parts["quasi_identifiers"]
        self.domains: list[list[Any]] = [parts["orders"][name] for name in self.names]
        self.codes = [_places(cells[name], domain) for name, domain in zip(self.names, self.domains)]
        self.nodes = {place: _nodes(trees[name]) for place, name in enumerate(self.names) if name in trees}
        self.records = instance.weights.column
        self.total = arrays.total(self.records)
        labels = [None] * len(self.records) if label is None else cells[label]
        self.labels, self.kinds = _places(labels, dict.fromkeys(labels)), len(set(labels))

    @cached_property
    def ranked(self) -> list[tuple[Any, Any]]:
        """For each column, the places that occur, and the rank of each row's place among them."""
        return [arrays.ranked(codes) for codes in self.codes]

    @cached_property
    def equal(self) -> Groups:
        """Records that are equal in every quasi-identifier, in lexicographic order."""
        return self.alike(self.codes)

    @cached_property
    def tuples(self) -> list[Any]:
        """The columns of the distinct tuples."""
        rows = arrays.order([self.equal.number])
        firsts = rows[arrays.changes([self.equal.number[rows]])]
        return [codes[firsts] for codes in self.codes]

    def grouped(self, number: Any, count: int) -> Groups:
        """Groups 0 … count - 1."""
        return Groups(number, arrays.sums_of(number, self.records, count))

    def alike(self, columns: Iterable[Any]) -> Groups:
        """Rows that are equal in columns of numbers from 0 on, in lexicographic order."""
        distinct, number = joint(columns, len(self.records))
        return self.grouped(number, len(distinct))

    def intervals(self, column: int) -> dict[tuple[int, int], tuple[int, int]]:
        """The possible intervals of a column among the values that occur: from one to before another.

        For each, the first and the last place. Where the column has a tree, they are its nodes.
        """
        values = self.ranked[column][0].tolist()
        if column not in self.nodes:
            return {
                (start, end): (values[start], values[end - 1]) for start, end in combinations(range(len(values) + 1), 2)
            }
        runs = sorted({run for level in self.nodes[column] for run in level})
        return {(bisect_left(values, low), bisect_right(values, high)): (low, high) for low, high in runs}

    def outvoted(self, groups: Groups) -> Any:
        """For each group, the records without its most common label."""
        pairs, pair = arrays.ranked(groups.number * self.kinds + self.labels)
        sums = arrays.sums_of(pair, self.records, len(pairs))
        return groups.sizes - arrays.run_greatest(arrays.changes([pairs // self.kinds]), sums)

    def ends(self, groups: Groups) -> list[tuple[Any, Any]]:
        """For each column, the first and the last place in each group."""
        rows = arrays.order([groups.number])
        starts = arrays.changes([groups.number[rows]])
        columns = [codes[rows] for codes in self.codes]
        return [(arrays.run_least(starts, codes), arrays.run_greatest(starts, codes)) for codes in columns]


def _places(values: Iterable[Any], domain: Iterable[Any]) -> Any:
    """The place of each value."""
    place = {value: number for number, value in enumerate(domain)}
    return arrays.column([place[value] for value in values])


def _nodes(tree: Record) -> list[list[tuple[int, int]]]:
    """Level by level, from the values up, the first and last place of each value's node.

    Equal adjacent words with equal words above them are one node.
    """
    count = len(tree.fields["values"])
    begins, levels = {0}, []
    for words in [*reversed(tree.fields["levels"]), range(count)]:
        begins |= {place for place in range(1, count) if words[place] != words[place - 1]}
        edges = [*sorted(begins), count]
        levels.append([(start, end - 1) for start, end in zip(edges, edges[1:]) for _ in range(start, end)])
    return levels[::-1]


def is_node(nodes: Sequence[Sequence[tuple[int, int]]], first: int, last: int) -> bool:
    """Whether the values from one place to another are exactly a node."""
    return any(level[first] == (first, last) for level in nodes)


def joint(columns: Iterable[Any], rows: int) -> tuple[Any, Any]:
    """Distinct rows of columns of numbers from 0 on, each as one number, and the rank of each row among them."""
    number, below = arrays.filled(rows, 0), 1
    for column in columns:
        width = arrays.greatest(column) + 1
        if below * width >= 1 << 62:
            distinct, number = arrays.ranked(number)
            below = len(distinct)
        number, below = number * width + column, below * width
    return arrays.ranked(number)  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------------------------------------------------
# What classes cost
# ---------------------------------------------------------------------------------------------------------------------

SCALE = 10**6  # most parts that the width of a column is divided into, except one with twice as many steps
PARTS = 100  # of a step of such a column
LARGEST_LOSS, LARGEST_COST = 1 << 53, 1 << 62  # of a record, of all of them


def column_weights(text: str | None) -> dict[str, Fraction]:
    """The weights that a person gave to the loss of columns."""
    pairs = [part.rpartition("=") for part in text.split(",")] if text else []
    return {name.strip(): Fraction(number) for name, _, number in pairs}


def whole_steps(weights: Sequence[Fraction], widths: Sequence[int]) -> list[int]:
    """What a step of its domain costs a record, by column, in the loss metric: weight / width, in whole numbers.

    They count the smallest part that all columns share. There are at most `SCALE` parts for weights of 1; where more
    would be needed, each step is rounded to whole parts. Where a step of the widest column would be rounded to nothing,
    there are `PARTS` for each of its steps instead.

    >>> whole_steps([Fraction(1), Fraction(1)], [2, 1]), whole_steps([Fraction(3, 10), Fraction(1)], [2, 1])
    ([1, 2], [3, 20])
    """
    common, widest = math.lcm(*widths), max(widths)
    scale = min(common, SCALE if widest < 2 * SCALE else PARTS * widest)
    parts = [weight * scale / width if scale == common else weight for weight, width in zip(weights, widths)]
    whole = math.lcm(*(part.denominator for part in parts))
    return [round(weight * scale * whole / width) for weight, width in zip(weights, widths)]


def steps_of(table: Table, g: Any) -> list[int]:
    """What a step of its domain costs a record, by column, in the loss metric."""
    weights, widths = column_weights(g.options["weights"]), [max(len(domain) - 1, 1) for domain in table.domains]
    return whole_steps([weights.get(name, Fraction(1)) for name in table.names], widths)


def penalty_of(table: Table, g: Any) -> int:
    """The cost of a record that is left out: no class is worse for it."""
    if g.options["metric"] == "LM":
        return sum(step * (len(domain) - 1) for step, domain in zip(steps_of(table, g), table.domains))
    return table.total if g.options["metric"] == "DM" else 1


def cost_of(table: Table, g: Any, groups: Groups, retained: Any, spans: Iterable[Any]) -> int:
    """What classes cost by the metric's definition.

    Parameters
    ----------
    groups, kept
        Which rows look alike, and whether each group is a class.
    spans
        For each column and row, how many steps of the domain its class shows; used only for the loss metric.
    """
    sizes, metric = groups.sizes[retained], g.options["metric"]
    if metric == "DM":
        return arrays.total(sizes * sizes)
    if metric == "AVG":
        return arrays.total(sizes) - int(g.k) * len(sizes)
    if metric == "CM":
        return arrays.total(table.outvoted(groups)[retained])
    rows = retained[groups.number]
    lost = (arrays.total((span * table.records)[rows]) for span in spans)
    return sum(step * steps for step, steps in zip(steps_of(table, g), lost))


def interval_spans(table: Table, edges: Sequence[Any]) -> Iterator[Any]:
    """For each row, from the first to the last place in its interval that occurs in the table."""
    for (places, rank), starting in zip(table.ranked, edges):
        starts = arrays.changes([arrays.insertion(starting, places, "right")])
        width = arrays.run_greatest(starts, places) - arrays.run_least(starts, places)
        yield width[(arrays.running_sums(starts) - 1)[rank]]


def box_spans(table: Table, groups: Groups) -> Iterator[Any]:
    """For each row, from the first to the last place in its class; with a tree, in the smallest node around it."""
    for column, (low, high) in enumerate(table.ends(groups)):
        if column in table.nodes:
            levels, places = table.nodes[column], table.ranked[column][0]
            pairs = zip(low.tolist(), high.tolist())
            nodes = [next(level[first] for level in levels if level[first][1] >= last) for first, last in pairs]
            low, high = (arrays.column(end) for end in zip(*nodes))
            first, last = arrays.insertion(places, low, "left"), arrays.insertion(places, high, "right") - 1
            low, high = places[first], places[last]
        yield (high - low)[groups.number]


# ---------------------------------------------------------------------------------------------------------------------
# What is required of classes besides k (Machanavajjhala et al. 2007; Li et al. 2007)
# ---------------------------------------------------------------------------------------------------------------------

NEAR = 1e-9  # entropies that floats do not distinguish


def are_numbers(values: Iterable[Any]) -> bool:
    """Whether the values of a column, except missing ones, are numbers, so that their order counts."""
    return {type(value) for value in values if value is not None} in ({int}, {float}, {int, float})


def is_diverse(required: Any, counts: list[int]) -> bool:
    """Whether counts of values, in descending order, are as diverse as required; exactly.

    >>> [is_diverse(SimpleNamespace(kind="entropy", l=3), counts) for counts in ([5, 5, 5], [6, 5, 4])]
    [True, False]
    """
    if required.kind == "distinct":
        return bool(len(counts) >= required.l)
    if required.kind == "recursive":
        return counts[0] < Fraction(repr(required.c)) * sum(counts[required.l - 1 :])
    common, target = math.gcd(*counts), Fraction(repr(required.l))
    counts = [count // common for count in counts]
    size = sum(counts)
    more = math.log(size) - math.fsum(count * math.log(count) for count in counts) / size - math.log(target)
    if abs(more) > NEAR:
        return more > 0
    powers = Counter({size: size})  # size^size is compared with target^size and count^count of each value
    for base, power in [(target.denominator, size), (target.numerator, -size), *((count, -count) for count in counts)]:
        powers[base] += power
    return _is_one_or_more(powers)


def _is_one_or_more(powers: Mapping[int, int]) -> bool:
    """Whether the product of base^power is at least 1: 1 by its primes, else by logarithms of enough digits."""
    primes: Counter[int] = Counter()
    for base, power in powers.items():
        divisor = 2
        while base > 1:
            divisor = divisor if divisor * divisor <= base else base
            while base % divisor == 0:
                base //= divisor
                primes[divisor] += power
            divisor += 1
    digits = 60
    while any(primes.values()):
        with localcontext() as context:
            context.prec = digits
            logarithm = sum((Decimal(prime).ln() * power for prime, power in primes.items()), Decimal(0))
        if abs(logarithm) > Decimal(10) ** (30 - digits):
            return logarithm > 0
        digits *= 2
    return True


def distance(tally: Mapping[int, int], everybody: Sequence[int], numbers: bool) -> Fraction:
    """The earth mover's distance of a group from everybody: for numbers by their order, else by what is not shared.

    Both are counts by value, numbers in their order and a missing value last; a group may lack values.
    """
    size, total = sum(tally.values()), sum(everybody)
    if not numbers:
        shared = sum(min(count * total, everybody[value] * size) for value, count in tally.items())
        return 1 - Fraction(shared, size * total)
    ahead = [-count * size for count in everybody]
    for value, count in tally.items():
        ahead[value] += count * total
    return Fraction(sum(map(abs, accumulate(ahead))), max(len(everybody) - 1, 1) * size * total)


class Demand:
    """A requirement of a sensitive column, with the values of everybody: numbers in order, a missing one last."""

    def __init__(self, instance: Instance, required: Any) -> None:
        cells = instance.parts["cells"][required.column]
        values, self.numbers = list(dict.fromkeys(cells)), are_numbers(cells)
        if self.numbers:
            values.sort(key=lambda value: (value is None, value))
        self.required, self.codes, self.records = required, _places(cells, values), instance.weights.column
        self.everybody = arrays.sums_of(self.codes, self.records, len(values)).tolist()

    def met(self, number: Any, count: int) -> list[bool]:
        """Whether each of the groups 0 … count - 1 of rows meets it; -1 is no group."""
        rows, kinds = arrays.rows_where(number >= 0), len(self.everybody)
        pairs, pair = arrays.ranked(number[rows] * kinds + self.codes[rows])
        tallies: list[dict[int, int]] = [{} for _ in range(count)]
        for key, records in zip(pairs.tolist(), arrays.sums_of(pair, self.records[rows], len(pairs)).tolist()):
            tallies[key // kinds][key % kinds] = records
        if hasattr(self.required, "t"):
            most = Fraction(repr(self.required.t))
            return [distance(tally, self.everybody, self.numbers) <= most for tally in tallies]
        return [is_diverse(self.required, sorted(tally.values(), reverse=True)) for tally in tallies]


class Judge:
    """Which groups can be classes: those of k records or more that have what is required."""

    def __init__(self, instance: Instance, g: Any) -> None:
        self.k, self.demands = g.k, [Demand(instance, SimpleNamespace(**record.fields)) for record in g.require]

    def kept(self, groups: Groups) -> Any:
        """Whether each group can be one."""
        good = groups.sizes >= self.k
        for demand in self.demands:
            good = good & (arrays.column(demand.met(groups.number, len(groups.sizes))) == 1)
        return good


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds: what is proven of classes of k or more; that of hidden cells has a witness
# ---------------------------------------------------------------------------------------------------------------------


def _finest_generalization(table: Table, g: Any, _: list[int]) -> int:
    """Records that are equal stay together whatever is cut; fewer than k of them join others or are left out."""
    sizes, metric = table.equal.sizes, g.options["metric"]
    if metric == "DM":
        return arrays.total(sizes * arrays.maximum(sizes, g.k))
    if metric == "AVG":
        return arrays.total(arrays.maximum(sizes - g.k, 0))
    return arrays.total(table.outvoted(table.equal)) if metric == "CM" else 0


def equal_together(metric: str, sizes: Any, k: int) -> int:
    """Boxes keep equal records together; light tuples join the lightest heavy one, or make even classes."""
    total = arrays.total(sizes)
    if metric == "AVG":
        return total - k * (arrays.total(arrays.minimum(sizes, k)) // k)
    heavy: list[int] = sizes[sizes >= k].tolist()
    rest = total - sum(heavy)
    if not heavy:
        return even_squares(rest, k)
    least = min(heavy)
    some = rest if rest < k else min(rest % k, max(0, rest - (rest // k) * (least + 1)))  # while that is larger
    return sum(size * size for size in heavy) + (2 * least + 1) * some + even_squares(rest - some, k)


def even_squares(weight: int, k: int) -> int:
    """The least sum of squares of parts of a weight that are at least k each."""
    if weight == 0:
        return 0
    size, larger = divmod(weight, weight // k)
    return (weight // k - larger) * size * size + larger * (size + 1) * (size + 1)


def sizes_alone(metric: str, total: int, k: int) -> int:
    """The least that this many records cost in classes of k or more, whatever they show; 0 where sizes say nothing.

    >>> [sizes_alone(metric, 7, 2) for metric in ("DM", "AVG", "CM")]
    [17, 1, 0]
    """
    return even_squares(total, k) if metric == "DM" else total % k if metric == "AVG" else 0


NEIGHBORS = 4_000_000  # tuples times nearest ones
ROUNDS = 3  # in the last two the company's own needs are counted
INFINITE = 1 << 61


def most_neighbors(rows: int, k: int) -> int:
    """How many of the tuples nearest to each can be examined."""
    return min(rows, 2 * k, max(NEIGHBORS // rows, 1))


def nearest_company(points: Sequence[Any], sizes: Any, k: int, count: int | None = None) -> int | None:
    """A record loses at least what lies between it and one of its company of k, and as much as each of these must.

    `points` has a column for each of the table's: what is below the value of each tuple. `count` of the nearest tuples
    are examined, all that can be if it is None; None for another number.
    """
    rows = len(sizes)
    most = most_neighbors(rows, k)
    if count is None:
        count = most
    if not 1 <= count <= most:
        return None
    if count == 1 < rows:  # each is its own nearest
        return 0
    far, near = arrays.nearest(points, count)
    here = arrays.places(rows * count) // count
    starts = arrays.changes([here])
    outside = arrays.filled(rows, INFINITE) if count == rows else arrays.run_greatest(starts, far)
    least = arrays.filled(rows, 0)
    for _ in range(ROUNDS):
        needs = arrays.maximum(far, least[near])
        order = arrays.order([here, needs])
        cumulative = arrays.running_sums(sizes[near[order]])
        before = cumulative - sizes[near[order]]
        enough = cumulative - before[arrays.run_starts(starts)] >= k
        needed = arrays.run_least(starts, arrays.where(enough, needs[order], INFINITE))
        least = arrays.maximum(least, arrays.minimum(needed, outside))
    return arrays.total(least * sizes)


MOST_SETS = 5_000  # of columns that are kept


def _fewest_stars(table: Table, g: Any, witness: list[int]) -> int | None:
    """In any solution k records match each one in the columns that it shows; examined up to a number of stars."""
    (depth,) = witness
    width = len(table.names)
    if not 0 <= depth <= width or sum(math.comb(width, stars) for stars in range(depth + 1)) > MOST_SETS:
        return None
    return arrays.total(fewest_stars(table.tuples, table.equal.sizes, g.k, depth) * table.equal.sizes)


def fewest_stars(columns: Sequence[Any], sizes: Any, k: int, depth: int) -> Any:
    """For each tuple, the fewest cells without which k records look the same; depth + 1 if more are needed."""
    fewest = arrays.filled(len(sizes), depth + 1)
    for stars in range(depth + 1):
        still = fewest > depth
        if arrays.total(still) == 0:
            break
        for visible in combinations(columns, len(columns) - stars):
            distinct, alike = joint(visible, len(sizes))
            enough = arrays.sums_of(alike, sizes, len(distinct)) >= k
            fewest = arrays.where(still & enough[alike], stars, fewest)
    return fewest


BOUNDS: dict[str, Callable[[Table, Any, list[int]], int | None]] = {
    "finest generalization": _finest_generalization,
    "equal tuples together": lambda table, g, _: equal_together(g.options["metric"], table.equal.sizes, g.k),
    "sizes alone": lambda table, g, _: sizes_alone(g.options["metric"], table.total, g.k),
    "nearest company": lambda table, g, witness: nearest_company(
        [codes * step for codes, step in zip(table.tuples, steps_of(table, g))], table.equal.sizes, g.k, *witness
    ),
    "fewest stars": _fewest_stars,
}


# ---------------------------------------------------------------------------------------------------------------------
# Ceilings
# ---------------------------------------------------------------------------------------------------------------------


def largest_boxes(metric: str, sizes: Any, columns: int, k: int) -> int | None:
    """Where no more cut leaves k on both sides, a class has at most 2 q (k - 1) + m records (LeFevre et al. 2006).

    `sizes` are the records of each tuple, m of the most common. None for a metric that counts something else.
    """
    total = arrays.total(sizes)
    largest: int = min(2 * columns * (k - 1) + arrays.greatest(sizes), total)
    if metric == "DM":
        return total * largest
    return total - k * -(-total // largest) if metric == "AVG" else None


def most_hidden(sizes: Any, weighted: bool, columns: int, k: int) -> tuple[int, int]:
    """R, the records of tuples that fewer than k have, and the most cells that are hidden, with this many columns.

    q R where R is 0 or at least k; else q (2 k - 1), or where a row represents several records, all records of the
    rarest other tuple join them instead.
    """
    rare = most = arrays.total(sizes[sizes < k])
    if 0 < rare < k:
        most = rare + arrays.least(sizes[sizes >= k]) if weighted else 2 * k - 1
    return rare, most * columns
