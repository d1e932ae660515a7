"""A table in numbers: what classes of its rows cost, what is required of them besides k, and what they cost at least.

`tables` checks with these definitions what a certificate claims.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
        kinds = [None] if label is None else list(dict.fromkeys(cells[label]))
        self.kinds = len(kinds)
        self.labels = _places([None] * len(self.records) if label is None else cells[label], kinds)

    @cached_property
    def ranked(self) -> list[tuple[Any, Any]]:
        """Of each column the places that occur, and the rank among them of each row's."""
        return [arrays.ranked(codes) for codes in self.codes]

    @cached_property
    def equal(self) -> Groups:
        """Records that are equal in every quasi-identifier, in lexicographic order."""
        return self.alike(self.codes)

    @cached_property
    def tuples(self) -> list[Any]:
        """The columns of the different tuples."""
        rows = arrays.order([self.equal.number])
        firsts = rows[arrays.changes([self.equal.number[rows]])]
        return [codes[firsts] for codes in self.codes]

    def grouped(self, number: Any, count: int) -> Groups:
        """Groups 0 … count - 1."""
        return Groups(number, arrays.sums_of(number, self.records, count))

    def alike(self, columns: Iterable[Any]) -> Groups:
        """Rows that are equal in columns of numbers from 0 on, in lexicographic order."""
        known, number = joint(columns, len(self.records))
        return self.grouped(number, len(known))

    def outvoted(self, groups: Groups) -> Any:
        """Of each group the records without its commonest label."""
        pairs, pair = arrays.ranked(groups.number * self.kinds + self.labels)
        sums = arrays.sums_of(pair, self.records, len(pairs))
        return groups.sizes - arrays.run_greatest(arrays.changes([pairs // self.kinds]), sums)

    def ends(self, groups: Groups) -> list[tuple[Any, Any]]:
        """Of each column the first and the last place in each group."""
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

    Equal words side by side with equal words above are one node.
    """
    count = len(tree.fields["values"])
    begins, levels = {0}, []
    for words in [*reversed(tree.fields["levels"]), range(count)]:
        begins |= {place for place in range(1, count) if words[place] != words[place - 1]}
        edges = [*sorted(begins), count]
        levels.append([(start, end - 1) for start, end in zip(edges, edges[1:]) for _ in range(start, end)])
    return levels[::-1]


def is_node(nodes: Sequence[Sequence[tuple[int, int]]], first: int, last: int) -> bool:
    """Whether just the values from one place to another are a node."""
    return any(level[first] == (first, last) for level in nodes)


def joint(columns: Iterable[Any], rows: int) -> tuple[Any, Any]:
    """Different rows of columns of numbers from 0 on, as one number each, and the rank of each row among them."""
    number, below = arrays.filled(rows, 0), 1
    for column in columns:
        width = arrays.greatest(column) + 1
        if below * width >= 1 << 62:
            known, number = arrays.ranked(number)
            below = len(known)
        number, below = number * width + column, below * width
    return arrays.ranked(number)  # type: ignore[no-any-return]


# ---------------------------------------------------------------------------------------------------------------------
# What classes cost
# ---------------------------------------------------------------------------------------------------------------------

SCALE = 10**6  # most parts into which the width of a column is divided, but for one that has twice as many steps
PARTS = 100  # of a step of such a column
LARGEST_LOSS, LARGEST_COST = 1 << 53, 1 << 62  # of a record, of all of them


def column_weights(text: str | None) -> dict[str, Fraction]:
    """What the loss of the columns weighs that a person gave a weight."""
    pairs = [part.rpartition("=") for part in text.split(",")] if text else []
    return {name.strip(): Fraction(number) for name, _, number in pairs}


def whole_steps(weights: Sequence[Fraction], widths: Sequence[int]) -> list[int]:
    """What a step of its domain costs a record, by column, in the loss metric: weight / width, in whole numbers.

    They count the smallest part that all columns share. There are at most `SCALE` parts for weights of 1; where more
    would be needed, each step is rounded to whole parts. Where a step of the widest column would be rounded to nothing,
    there are `PARTS` for each of its steps instead.

    Example
    -------
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
    given, widths = column_weights(g.options["weights"]), [max(len(domain) - 1, 1) for domain in table.domains]
    return whole_steps([given.get(name, Fraction(1)) for name in table.names], widths)


def penalty_of(table: Table, g: Any) -> int:
    """What a record costs that is left out: no class is worse for it."""
    if g.options["metric"] == "LM":
        return sum(step * (len(domain) - 1) for step, domain in zip(steps_of(table, g), table.domains))
    return table.total if g.options["metric"] == "DM" else 1


def cost_of(table: Table, g: Any, groups: Groups, kept: Any, spans: Iterable[Any]) -> int:
    """What classes cost by the metric's definition.

    Parameters
    ----------
    groups, kept
        Which rows look alike, and whether each group is a class.
    spans
        Of each column, for each row, how many steps of the domain its class shows; read for the loss metric alone.
    """
    sizes, metric = groups.sizes[kept], g.options["metric"]
    if metric == "DM":
        return arrays.total(sizes * sizes)
    if metric == "AVG":
        return arrays.total(sizes) - int(g.k) * len(sizes)
    if metric == "CM":
        return arrays.total(table.outvoted(groups)[kept])
    rows = kept[groups.number]
    lost = (arrays.total((span * table.records)[rows]) for span in spans)
    return sum(step * steps for step, steps in zip(steps_of(table, g), lost))


def interval_spans(table: Table, edges: Sequence[Any]) -> Iterator[Any]:
    """From the first to the last place in each row's interval that occurs in the table."""
    for (places, rank), starting in zip(table.ranked, edges):
        starts = arrays.changes([arrays.insertion(starting, places, "right")])
        width = arrays.run_greatest(starts, places) - arrays.run_least(starts, places)
        yield width[(arrays.running_sums(starts) - 1)[rank]]


def box_spans(table: Table, groups: Groups) -> Iterator[Any]:
    """Of each row from the first to the last place in its class; where there is a tree, in the least node around it."""
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

NEAR = 1e-9  # entropies that floats do not tell apart
LARGEST_POWER = 200_000  # records of a class up to which powers of their number are compared
FINER = Decimal("1e-40")  # what tells entropies of more records apart


class Sensitive:
    """The values of a sensitive column, numbers in their order and a missing one last; of everybody and of groups."""

    def __init__(self, instance: Instance, column: str) -> None:
        cells = instance.parts["cells"][column]
        values: list[Any] = [value for value in dict.fromkeys(cells) if value is not None]
        self.numbers = bool(values) and all(type(value) in (int, float) for value in values)
        self.values = [*(sorted(values) if self.numbers else values), *([None] if None in cells else [])]
        self.codes, self.records = _places(cells, self.values), instance.weights.column
        self.everybody = arrays.sums_of(self.codes, self.records, len(self.values)).tolist()

    def tallies(self, number: Any, count: int) -> list[dict[int, int]]:
        """Of each group 0 … count - 1 how many records have each value; -1 is no group."""
        rows, kinds = arrays.rows_where(number >= 0), len(self.values)
        pairs, pair = arrays.ranked(number[rows] * kinds + self.codes[rows])
        tallies: list[dict[int, int]] = [{} for _ in range(count)]
        for key, records in zip(pairs.tolist(), arrays.sums_of(pair, self.records[rows], len(pairs)).tolist()):
            tallies[key // kinds][key % kinds] = records
        return tallies


def is_diverse(required: Any, counts: list[int]) -> bool:
    """Whether counts of values, in descending order, are as diverse as is required; exactly."""
    if required.kind == "distinct":
        return bool(len(counts) >= required.l)
    if required.kind == "recursive":
        return counts[0] < Fraction(repr(required.c)) * sum(counts[required.l - 1 :])
    common = math.gcd(*counts)
    counts = [count // common for count in counts]
    size, wanted = sum(counts), Fraction(repr(required.l))
    entropy = math.log(size) - math.fsum(count * math.log(count) for count in counts) / size
    if abs(entropy - math.log(wanted)) > NEAR:
        return entropy > math.log(wanted)
    if size <= LARGEST_POWER:
        powers = math.prod(count**count for count in counts)
        return bool(wanted.numerator**size * powers <= wanted.denominator**size * size**size)
    with localcontext() as context:
        context.prec = 60
        varied = Decimal(size).ln() - sum((Decimal(count).ln() * count for count in counts), Decimal(0)) / size
        return varied - (Decimal(wanted.numerator) / wanted.denominator).ln() > FINER


def distance(tally: Mapping[int, int], sensitive: Sensitive) -> Fraction:
    """The earth mover's distance of a group from everybody: of numbers by their order, else by what is not shared."""
    everybody = sensitive.everybody
    size, total = sum(tally.values()), sum(everybody)
    if not sensitive.numbers:
        shared = sum(min(count * total, everybody[value] * size) for value, count in tally.items())
        return 1 - Fraction(shared, size * total)
    ahead = [-count * size for count in everybody]
    for value, count in tally.items():
        ahead[value] += count * total
    return Fraction(sum(map(abs, accumulate(ahead))), max(len(everybody) - 1, 1) * size * total)


def satisfied(record: Record, tally: Mapping[int, int], sensitive: Sensitive) -> bool:
    """Whether a class with these counts of values has what is required."""
    required = SimpleNamespace(**record.fields)
    if record.name == "Closeness":
        return distance(tally, sensitive) <= Fraction(repr(required.t))
    return is_diverse(required, sorted(tally.values(), reverse=True))


class Judge:
    """Which groups can be classes: those of k records or more that have what is required."""

    def __init__(self, instance: Instance, g: Any) -> None:
        self.k = g.k
        self.required = [(record, Sensitive(instance, record.fields["column"])) for record in g.require]

    def kept(self, groups: Groups) -> Any:
        """Whether each group can be one."""
        good = groups.sizes >= self.k
        for record, sensitive in self.required:
            tallies = sensitive.tallies(groups.number, len(groups.sizes))
            good = good & (arrays.column([satisfied(record, tally, sensitive) for tally in tallies]) == 1)
        return good


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds: what a witness proves of the table; None where it is no witness
# ---------------------------------------------------------------------------------------------------------------------


def _finest_generalization(table: Table, g: Any, witness: list[int]) -> int | None:
    """Records that are equal stay together whatever is cut; fewer than k of them join others or are left out."""
    sizes, metric = table.equal.sizes, g.options["metric"]
    if witness:
        return None
    if metric == "DM":
        return arrays.total(sizes * arrays.maximum(sizes, g.k))
    if metric == "AVG":
        return arrays.total(arrays.maximum(sizes - g.k, 0))
    return arrays.total(table.outvoted(table.equal)) if metric == "CM" else 0


def _together(table: Table, g: Any, witness: list[int]) -> int | None:
    """Boxes keep equal records together; light tuples join the lightest heavy one, or make even classes."""
    sizes, k = table.equal.sizes, int(g.k)
    if witness:
        return None
    if g.options["metric"] == "AVG":
        return table.total - k * (arrays.total(arrays.minimum(sizes, k)) // k)
    heavy: list[int] = sizes[sizes >= k].tolist()
    rest = table.total - sum(heavy)
    if not heavy:
        return even_squares(rest, k)
    least: int = min(heavy)
    some = rest if rest < k else min(rest % k, max(0, rest - (rest // k) * (least + 1)))  # while that is larger
    return sum(size * size for size in heavy) + (2 * least + 1) * some + even_squares(rest - some, k)


def even_squares(weight: int, k: int) -> int:
    """The least sum of squares of parts of a weight that are at least k each."""
    if weight == 0:
        return 0
    size, larger = divmod(weight, weight // k)
    return (weight // k - larger) * size * size + larger * (size + 1) * (size + 1)


def _sizes_alone(table: Table, g: Any, witness: list[int]) -> int | None:
    """Relaxed cuts take equal records apart, so only the sizes of classes count."""
    if witness:
        return None
    if g.options["metric"] == "DM":
        return even_squares(table.total, g.k)
    return table.total % int(g.k) if g.options["metric"] == "AVG" else 0


NEIGHBORS = 4_000_000  # tuples times nearest ones
ROUNDS = 3  # in the last two the company's own needs are counted
INFINITE = 1 << 61


def _company(table: Table, g: Any, witness: list[int]) -> int | None:
    """A record loses at least what lies between it and one of its company of k, and as much as each of these must."""
    if witness:
        return None
    sizes, points = table.equal.sizes, [codes * step for codes, step in zip(table.tuples, steps_of(table, g))]
    rows = len(sizes)
    count = min(rows, 2 * g.k, max(NEIGHBORS // rows, 1))
    far, near = arrays.nearest(points, count)
    here = arrays.places(rows * count) // count
    starts = arrays.changes([here])
    outside = arrays.filled(rows, INFINITE) if count == rows else arrays.run_greatest(starts, far)
    least = arrays.filled(rows, 0)
    for _ in range(ROUNDS):
        needs = arrays.maximum(far, least[near])
        order = arrays.order([here, needs])
        held = arrays.running_sums(sizes[near[order]])
        before = held - sizes[near[order]]
        enough = held - before[arrays.run_starts(starts)] >= g.k
        needed = arrays.run_least(starts, arrays.where(enough, needs[order], INFINITE))
        least = arrays.maximum(least, arrays.minimum(needed, outside))
    return arrays.total(least * sizes)


MOST_SETS = 5_000  # of columns that are kept


def _fewest_stars(table: Table, g: Any, witness: list[int]) -> int | None:
    """In any solution k records match each in the columns that it shows; looked at up to so many stars."""
    (depth,) = witness
    columns, sizes, width = table.tuples, table.equal.sizes, len(table.names)
    if not 0 <= depth <= width or sum(math.comb(width, stars) for stars in range(depth + 1)) > MOST_SETS:
        return None
    return arrays.total(fewest_stars(columns, sizes, g.k, depth) * sizes)


def fewest_stars(columns: Sequence[Any], sizes: Any, k: int, depth: int) -> Any:
    """Of each tuple the fewest cells without which k records look the same; depth + 1 if so many are not enough."""
    fewest = arrays.filled(len(sizes), depth + 1)
    for stars in range(depth + 1):
        still = fewest > depth
        if arrays.total(still) == 0:
            break
        for shown in combinations(columns, len(columns) - stars):
            known, alike = joint(shown, len(sizes))
            enough = arrays.sums_of(alike, sizes, len(known)) >= k
            fewest = arrays.where(still & enough[alike], stars, fewest)
    return fewest


BOUNDS = {
    "finest generalization": _finest_generalization,
    "equal tuples together": _together,
    "sizes alone": _sizes_alone,
    "nearest company": _company,
    "fewest stars": _fewest_stars,
}
