"""Connected classes on any graph, below three times the best possible."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kanon_engine.model.objective import Bound, Cost
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.regions.annealing import Annealing, search_in_rounds
from kanon_engine.regions.bounds import lower_bound, separator_bound
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.recombine import steps_for
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes, neighbor_lists
from kanon_engine.regions.trees_kernels import Graph, depth_first_forest, peel_tree

HEURISTIC = "light branches of heavy classes moved to adjacent classes, then neighboring classes recombined"
RULES = 0.5  # share of the work reported before the guarantee is reached
Ended = Callable[[int, list[int] | None, Cost], None]
IMPROVING = 0.1  # length of the annealing after it, as an effort of recombine


def general_graph(regions: Regions, k: int, run: Run) -> Outcome:
    """Split heavy classes; if only light branches are attached to one area, move branches to other classes.

    Guarantee: cost <= max(3k - 3, heaviest area, L + k - 1), where L is the lower bound of the same run; as k and L are
    at most Opt, this is below 3 Opt. A run that is stopped before it gets there guarantees nothing (None). Rules,
    proof, and that it ends: docs/proofs/regions/general_graph.md, whose names the code uses.

    The result is then improved by a short annealing, as in `recombine`, which never makes the largest class larger.

    Returns: `details` is a `TreeDetails`.
    Complexity: polynomial for each of O(log W) limits, about O(n log n) on maps; then `steps_for` steps.
    References: The problem for general graphs: P. Berman, S. Raskhodnikova, "Approximation Algorithms for Min-Max
        Generalization Problems", APPROX 2010, where another algorithm improves on Du et al. Labels: A. Goldberg, R.
        Tarjan, "A New Approach to the Maximum-Flow Problem", J. ACM 35 (1988).

    Eight leaves of 3 on two centers of 1, k = 4: no leaf stands alone, and the leaves are shared out evenly.

    >>> edges = [(center, leaf) for center in (0, 1) for leaf in range(2, 10)]
    >>> outcome = general_graph(Regions(range(10), [1, 1] + [3] * 8, edges), 4, Run())
    >>> np.bincount(outcome.assignment, weights=[1, 1] + [3] * 8).tolist(), outcome.bound.value
    ([13.0, 13.0], 13)
    """
    best, bound = by_rules(regions, k, run)
    if not run.stopped and _cost(regions, best) > bound.value:
        best = _improved(regions, k, run, best, bound.value)
    assignment = numbered(best, regions.weights)
    guarantee = max(_safe(regions, k), bound.value + k - 1)
    details = forest_of_classes(regions, assignment, HEURISTIC)
    return Outcome(assignment, details, guarantee if _cost(regions, best) <= guarantee else None, bound)


def by_rules(
    regions: Regions,
    k: int,
    run: Run,
    make: Callable[..., Stars] | None = None,
    ended: Ended = lambda limit, separator, bound: None,
) -> tuple[np.ndarray, Bound]:
    """(n,) class of each area by the rules alone, before any improvement, and the bound that they prove.

    `make` makes the classes of each limit, and ``ended(limit, separator, bound)`` receives the outcome: an empty
    separator if all classes are at the limit or below, None if a step was refused.
    """
    bound = lower_bound(regions, k)
    safe = _safe(regions, k)
    start, flat = neighbor_lists(regions.edges, len(regions))
    neighbors = [part.tolist() for part in np.split(flat, start[1:-1])]
    weights = regions.weights.tolist()
    n, generator = len(regions), run.generator()
    # first, a depth-first forest, which has few branches, is cut like a tree
    parent = depth_first_forest(*neighbor_lists(regions.edges, n, generator), generator.permutation(n))
    children = np.flatnonzero(parent >= 0)
    tree = np.column_stack([children, parent[children]])
    roots, _ = peel_tree(Graph(*neighbor_lists(tree, n), regions.weights), k)
    best = np.unique(roots, return_inverse=True)[1]
    cost = _cost(regions, best)
    failed, tries = 0, 0  # the largest limit that failed
    while cost > max(bound.value, failed + 1):
        certain = max(safe, bound.value + k - 1)
        if cost > certain:
            limit = certain if tries % 2 == 0 else (certain + cost) // 2
        else:
            limit = (max(bound.value - 1, failed) + cost) // 2
        done = RULES * tries / (tries + (cost - bound.value).bit_length())
        if not run.goes_on(done, cost, bound.value, f"moving branches to make classes of at most {limit:,}"):
            break
        tries += 1
        try:
            stars = (make or Stars)(neighbors, weights, best, k, limit)
            separator = push_branches(stars)
        except Stuck:
            if limit >= safe:
                raise
            failed = limit
            ended(limit, None, bound.value)
            continue
        if separator:
            failed = limit
            bound = max(bound, separator_bound(regions, k, separator), key=lambda each: each.value)
        else:
            best = np.array(stars.owner)
            cost = _cost(regions, best)
        ended(limit, separator, bound.value)
    return best, bound


def _safe(regions: Regions, k: int) -> int:
    """The least limit at which no step is refused."""
    return max(3 * k - 3, int(regions.weights.max()))


def _improved(regions: Regions, k: int, run: Run, classes: np.ndarray, bound: int) -> np.ndarray:
    """Classes whose largest is no larger, by an annealing that begins with the given ones."""
    search = Annealing(regions, k, bound, None, 0.0, run.generator())
    search.begin(classes)

    def heard(report: Progress) -> bool:
        return run.goes_on(RULES + (1 - RULES) * report.done, report.best, report.lower_bound, report.message)

    search_in_rounds(search, Run(run.seed, progress=heard), steps_for(regions, k, IMPROVING))
    return search.state.best


def _cost(regions: Regions, owner: np.ndarray) -> int:
    return int(np.bincount(owner, weights=regions.weights).max())


# ---------------------------------------------------------------------------------------------------------------------
# Branches of overloaded stars, pushed to other classes with labels as in push-relabel flow
# ---------------------------------------------------------------------------------------------------------------------


def push_branches(stars: Stars) -> list[int]:
    """Bring every class to the limit, or find a separator that proves that no partition stays below limit - k + 2.

    Returns nothing if every class weighs at most the limit, otherwise the centers Y of closed classes that weigh at
        least limit - k + 2 each, whose atoms are components of the graph without Y.
    """
    separator = None
    while separator is None:
        separator = _phase(stars)
    return separator


def _phase(stars: Stars) -> list[int] | None:
    """Push until done, until a level of labels is empty (the centers above it), or until the anchors change (None).

    label[A] <= label[B] + 1 whenever an atom of A can be moved to B. A label above 0 was given to a class that was
    overloaded and whose atoms touched no other atoms; its load has been at least limit - k + 2 since then.
    """
    label = [0] * len(stars.load)
    count = [0] * (len(label) + 1)
    count[0] = len(label)
    before = stars.changes
    waiting = [number for number, load in enumerate(stars.load) if load > stars.limit]
    while waiting:
        number = waiting.pop()
        stars.clean(number)
        if stars.changes != before:
            return None
        while stars.load[number] > stars.limit:
            lowest = _push_down(stars, number, label, waiting)
            if stars.changes != before:
                return None
            if stars.load[number] <= stars.limit:
                break
            old, label[number] = label[number], lowest + 1
            count[old] -= 1
            count[lowest + 1] += 1
            if count[old] == 0 or lowest + 1 == len(label):
                gap = count.index(0)
                return [stars.center[other] for other, level in enumerate(label) if level > gap]
    return []


def _push_down(stars: Stars, number: int, label: list[int], waiting: list[int]) -> int:
    """Push atoms, heavy ones first, one level down while the class is overloaded; the lowest label the others reach."""
    lowest = len(label) - 1
    before = stars.changes
    for atom in sorted(stars.atoms[number], key=stars.weight.__getitem__, reverse=True):
        targets = [(label[anchor], stars.load[anchor], anchor) for anchor in stars.anchors[atom] if anchor != number]
        if not targets:
            continue
        level, _, target = min(targets)
        if level >= label[number]:
            lowest = min(lowest, level)
            continue
        stars.push(number, atom, target)
        if stars.load[target] > stars.limit:
            waiting.append(target)
        if stars.changes != before or stars.load[number] <= stars.limit:
            break
    return lowest


class Stuck(Exception):
    """A step that could leave a class below k or above the limit; there is none from max(3k - 3, heaviest area) on."""


class Stars:
    """A partition into connected classes of weight >= k, changed by moving branches of overloaded classes.

    An *open* class weighs at most limit. One that passes it is split or, being a star, *closed*: a center and *atoms*,
    the components of the class without its center, each lighter than k; it stays so while it weighs at least limit - k
    + 2. Atoms of different classes may touch. The anchors of an atom are the centers and the open classes that it
    touches; to a class with such an anchor it can be moved.

    `owner`: class of each area.
    `load`, `center`: of each class; the center is -1 where the class is open.
    `atoms`: the atoms of each closed class (keys, in order of arrival).
    `fresh`: those atoms of each class whose surroundings are unknown or have changed since they were examined.
    `anchors`: the classes that an atom can be moved to, for every atom that is not fresh.
    `changes`: counts the events after which anchors may differ: a class was closed, opened or made, or atoms were
        joined.
    `swallowers`: open classes that have swallowed an atom since they were made or split.
    """

    def __init__(
        self, neighbors: Sequence[Sequence[int]], weights: Sequence[int], owner: np.ndarray, k: int, limit: int
    ) -> None:
        self.neighbors, self.weights, self.k, self.limit = neighbors, weights, k, limit
        self.owner: list[int] = owner.tolist()
        count = max(self.owner) + 1
        self.members: list[dict[int, None]] = [{} for _ in range(count)]
        for v, star in enumerate(self.owner):
            self.members[star][v] = None
        self.load = [sum(weights[v] for v in group) for group in self.members]
        self.center = [-1] * count
        self.atoms: list[dict[int, None]] = [{} for _ in range(count)]
        self.fresh: list[dict[int, None]] = [{} for _ in range(count)]
        self.atom = [-1] * len(weights)  # -1: a center, or in an open class
        self.content: dict[int, list[int]] = {}
        self.weight: dict[int, int] = {}
        self.anchors: dict[int, tuple[int, ...]] = {}
        self.made = self.changes = 0
        self.swallowers: set[int] = set()
        for number in range(count):
            self.settle(number)

    def settle(self, number: int) -> None:
        """Open, split or close a class according to its load."""
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if self.load[number] <= self.limit:
                continue
            pieces, center, branches = star_or_split([*self.members[number]], self.neighbors, self.weights, self.k)
            waiting += [self.separate(piece, number) for piece in pieces]
            if pieces:
                self.swallowers.discard(number)
            if self.load[number] <= self.limit:
                continue
            if center < 0 or number in self.swallowers:
                raise Stuck
            self.changes += 1
            self.center[number] = center
            for branch in branches:
                self.new_atom(number, branch)
            self.forget(self.members[number])

    def separate(self, piece: Iterable[int], *donors: int) -> int:
        """A new open class of areas taken from the donors; donors that became light are opened."""
        number = len(self.load)
        self.changes += 1
        self.members.append(dict.fromkeys(piece))
        self.load.append(sum(self.weights[v] for v in self.members[number]))
        self.center.append(-1)
        self.atoms.append({})
        self.fresh.append({})
        for v in self.members[number]:
            donor = self.owner[v]
            del self.members[donor][v]
            self.load[donor] -= self.weights[v]
            self.owner[v] = number
            self.atom[v] = -1
        for donor in donors:
            if self.center[donor] >= 0 and self.load[donor] <= self.limit - self.k + 1:
                for atom in [*self.atoms[donor]]:
                    self.drop_atom(donor, atom)
                self.center[donor] = -1
                self.forget(self.members[donor])
        self.forget(self.members[number])
        return number

    def new_atom(self, number: int, areas: list[int]) -> None:
        """Make areas of a closed class one of its atoms."""
        atom, self.made = self.made, self.made + 1
        self.content[atom] = areas
        self.weight[atom] = sum(self.weights[v] for v in areas)
        self.atoms[number][atom] = self.fresh[number][atom] = None
        for v in areas:
            self.atom[v] = atom

    def drop_atom(self, number: int, atom: int) -> list[int]:
        """Forget an atom of a class and return its areas, which stay in the class."""
        del self.atoms[number][atom], self.weight[atom]
        self.fresh[number].pop(atom, None)
        self.anchors.pop(atom, None)
        areas = self.content.pop(atom)
        for v in areas:
            self.atom[v] = -1
        return areas

    def forget(self, areas: Iterable[int]) -> None:
        """The atoms that touch these areas must be examined again."""
        for v in areas:
            for u in self.neighbors[v]:
                atom = self.atom[u]
                if atom >= 0 and self.anchors.pop(atom, None) is not None:
                    self.fresh[self.owner[u]][atom] = None

    def touched_by(self, number: int, atom: int) -> set[int]:
        """The atoms of other classes that an atom touches; if there are none, its anchors are kept."""
        touched: set[int] = set()
        around: dict[int, None] = {}
        for v in self.content[atom]:
            for u in self.neighbors[v]:
                if self.atom[u] < 0:
                    around[self.owner[u]] = None
                elif self.atom[u] != atom:
                    touched.add(self.atom[u])
        if not touched:
            self.anchors[atom] = tuple(around)
            del self.fresh[number][atom]
        return touched

    def clean(self, number: int) -> None:
        """Join atoms of an overloaded class to the atoms of other classes that they touch, while it is overloaded."""
        while self.fresh[number] and self.load[number] > self.limit:
            atom = next(iter(self.fresh[number]))
            touched = self.touched_by(number, atom)
            if touched:
                self.join(number, atom, touched)

    def join(self, number: int, atom: int, touched: set[int]) -> None:
        """Move an atom to a class whose atoms it touches: they become one atom or, if they reach k, a class.

        If that class would leave too little behind, the other class swallows the atom.
        """
        other = min((self.owner[self.content[each][0]] for each in touched), key=lambda star: (self.load[star], star))
        areas, weight, merged = list(self.content[atom]), self.weight[atom], []
        for each in sorted(touched & self.atoms[other].keys()):
            merged.append(each)
            weight += self.weight[each]
            areas += self.content[each]
            if weight >= self.k:
                break
        if weight >= self.k:
            if self.load[other] - weight + self.weight[atom] < self.k:
                self.swallow(number, atom, other)
                return
            if self.load[number] - self.weight[atom] < self.k:
                raise Stuck
            self.drop_atom(number, atom)
            for each in merged:
                self.drop_atom(other, each)
            self.settle(self.separate(areas, number, other))
            return
        self.changes += 1
        self.move(number, atom, other)
        for each in [*merged, atom]:
            self.drop_atom(other, each)
        self.new_atom(other, areas)
        self.forget(areas)

    def swallow(self, number: int, atom: int, other: int) -> None:
        """A closed class takes in an atom that would leave it too light as a class of its own, and opens."""
        if self.load[other] + self.weight[atom] > self.limit:
            raise Stuck
        self.changes += 1
        self.move(number, atom, other)
        for each in [*self.atoms[other]]:
            self.drop_atom(other, each)
        self.center[other] = -1
        self.swallowers.add(other)
        self.forget(self.members[other])

    def move(self, number: int, atom: int, other: int) -> None:
        """Move an atom to another class, as one of its atoms."""
        if self.load[number] - self.weight[atom] < self.k:
            raise Stuck
        for v in self.content[atom]:
            del self.members[number][v]
            self.members[other][v] = None
            self.owner[v] = other
        self.load[number] -= self.weight[atom]
        self.load[other] += self.weight[atom]
        del self.atoms[number][atom]
        self.atoms[other][atom] = None
        self.fresh[number].pop(atom, None)

    def push(self, number: int, atom: int, other: int) -> None:
        """Move an atom that touches no atom of another class to a class with an anchor of it."""
        self.move(number, atom, other)
        if self.center[other] < 0:
            self.drop_atom(other, atom)
            self.settle(other)


def star_or_split(
    members: Sequence[int], neighbors: Sequence[Sequence[int]], weights: Sequence[int], k: int
) -> tuple[list[list[int]], int, list[list[int]]]:
    """Split off connected pieces of weight >= k; what is left is a star if it weighs 3k - 2 or more.

    Proof: docs/proofs/regions/general_graph.md, Lemma 1, and how the tree is cut and branches are merged.

    `members`: a connected class of weight >= k. `neighbors`: of all vertices.
    Returns `pieces`: connected, each of weight >= k; `center`: of what is left; -1 if that is no star (then it weighs
        at most 3k - 3); `branches`: the components of what is left without the center, each of weight < k; empty if
        there is no center.
    Complexity: O((areas + borders) α) for the class.

    >>> star_or_split([0, 1, 2, 3], [[1, 2, 3], [0], [0], [0]], [1, 3, 3, 3], 4)
    ([], 0, [[1], [2], [3]])
    >>> star_or_split([0, 1, 2, 3], [[1, 2, 3], [0, 2], [0, 1], [0]], [1, 3, 3, 3], 4)
    ([[1, 2]], 0, [[3]])
    """
    order, parent = [members[0]], {members[0]: members[0]}  # of a tree, breadth first
    unseen = set(members[1:])
    for v in order:
        for u in neighbors[v]:
            if u in unseen:
                unseen.discard(u)
                parent[u] = v
                order.append(u)
    below = {v: weights[v] for v in order}  # weight of the subtree below v
    rest = sum(below.values())
    top = {order[0]: order[0]}  # the highest vertex of the tree that v is in, once the tree is cut
    for v in reversed(order[1:]):
        if below[v] >= k and rest - below[v] >= k:
            rest -= below[v]
            top[v] = v
        else:
            below[parent[v]] += below[v]
    for v in order:
        top[v] = top.get(v, top[parent[v]])
    pieces: dict[int, list[int]] = {}
    for v in order:
        pieces.setdefault(top[v], []).append(v)
    core = pieces.pop(order[0])
    heavy = {parent[v]: v for v in core[1:] if below[v] >= k}
    center = core[0]
    while center in heavy:
        center = heavy[center]
    branch: dict[int, int] = {}  # one vertex for the whole branch of the tree around the center that v lies in
    for v in core:
        if v != center:
            branch[v] = v if parent[v] in (center, v) else branch[parent[v]]
    more, branches = _merged(core, center, branch, neighbors, weights, k, rest)
    return [*pieces.values(), *more], -1 if branches is None else center, branches or []


def _merged(
    core: list[int],
    center: int,
    branch: dict[int, int],
    neighbors: Sequence[Sequence[int]],
    weights: Sequence[int],
    k: int,
    rest: int,
) -> tuple[list[list[int]], list[list[int]] | None]:
    """Join adjacent branches: pieces of weight >= k, and branches; None if a heavy pair leaves a remainder that is too
    light."""
    content: dict[int, list[int]] = {}
    for v in branch:
        content.setdefault(branch[v], []).append(v)
    load = {root: sum(weights[v] for v in group) for root, group in content.items()}
    pieces: list[list[int]] = []
    for v in core:
        for u in neighbors[v] if v != center else ():
            a, b = branch.get(v), branch.get(u)
            if a is None or b is None or a == b:
                continue
            pair = load[a] + load[b]
            if pair >= k:
                if rest - pair < k:
                    return pieces, None
                rest -= pair
                pieces.append(content.pop(a) + content.pop(b))
                for member in pieces[-1]:
                    del branch[member]
                continue
            if len(content[a]) < len(content[b]):
                a, b = b, a
            load[a] = pair
            for member in content[b]:
                branch[member] = a
            content[a] += content.pop(b)
    return pieces, list(content.values())
