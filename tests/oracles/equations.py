"""What published numbers tell, the plain way: every table of whole numbers that has them all is written down.

Releases are lists of rows (items, figures): the items that a row counts together, and column → (low, high), between
which its number lies. A column is a count, or a rate: (top, bottom), the two counts that it divides. `wholes` says of
what a count is a part.
"""

from itertools import chain, combinations, islice

import numpy as np

MOST = 900  # tables of one count that are written down


def atoms_of(releases):
    """Sets of items that no row divides."""
    rows = [items for release in releases for items, _ in release]
    signs = {}
    for item in sorted(set().union(*rows)):
        signs.setdefault(tuple(item in row for row in rows), set()).add(item)
    return list(signs.values())


def solutions_of(bounds, atoms, most):
    """Every (atoms,) table in which each set of atoms has from low to high; an atom in none goes up to `most`."""

    def go_on(atom, so_far):
        if atom == atoms:
            yield tuple(so_far)
            return
        mine = [(own, low, high) for own, low, high in bounds if atom in own]
        ends = [high - sum(so_far[other] for other in own if other < atom) for own, _, high in mine]
        for value in range(min(ends, default=most) + 1):
            sofar = [*so_far, value]
            last = [(own, low) for own, low, _ in mine if max(own) == atom]
            if all(sum(sofar[other] for other in own) >= low for own, low in last):
                yield from go_on(atom + 1, sofar)

    found = list(islice(go_on(0, []), MOST + 1))
    if len(found) > MOST:
        raise MemoryError(f"more than {MOST} tables of one count")
    return np.array(found, dtype=np.int64).reshape(-1, atoms)


class Tables:
    """All tables of up to three counts, each pair of solutions of two of them with whether a table has both."""

    def __init__(self, releases, counts, rates, wholes, most=12):
        self.atoms = atoms_of(releases)
        self.counts, self.wholes = list(counts), wholes
        places = [
            [
                (frozenset(at for at, own in enumerate(self.atoms) if own <= items), figures)
                for items, figures in release
            ]
            for release in releases
        ]
        rows = [row for release in places for row in release]
        self.found = {}
        for count in self.counts:  # each after those that it is divided by or a part of
            bounds = [(own, *figures[count]) for own, figures in rows if count in figures]
            for rate, (top, bottom) in rates.items():
                if top == count:
                    bounds += [
                        (own, 0, int(figures[rate][1] * self.found[bottom][:, sorted(own)].sum(axis=1).max()))
                        for own, figures in rows
                        if rate in figures
                    ]
            if count in wholes:
                highest = self.found[wholes[count]].max(axis=0)
                bounds += [(frozenset([at]), 0, int(highest[at])) for at in range(len(self.atoms))]
            parts = [part for part, whole in wholes.items() if whole == count]
            free = most + max([figures[part][1] for _, figures in rows for part in parts if part in figures], default=0)
            self.found[count] = solutions_of(bounds, len(self.atoms), free)
        both = {}
        for one, other in combinations(self.counts, 2):
            both[one, other] = self._agree(rows, rates, one, other)
        self.both = {pair: own & self._with_third(both, *pair) for pair, own in both.items()}
        self.all = dict(self.found)
        for count in self.counts:  # those that are in some table
            ways = [own.any(axis=1 if pair[0] == count else 0) for pair, own in self.both.items() if count in pair]
            if ways:
                self.found[count] = self.all[count][np.logical_and.reduce(ways)]

    def _agree(self, rows, rates, one, other):
        a, b = self.found[one], self.found[other]
        good = np.ones((len(a), len(b)), dtype=bool)
        for part, whole, mine, theirs in ((one, other, a[:, None], b[None]), (other, one, b[None], a[:, None])):
            if self.wholes.get(part) == whole:
                good &= (mine <= theirs).all(axis=2)
        for rate, (top, bottom) in rates.items():
            if {top, bottom} != {one, other}:
                continue
            for own, figures in rows:
                if rate not in figures:
                    continue
                low, high = figures[rate]
                first, second = a[:, sorted(own)].sum(axis=1)[:, None], b[:, sorted(own)].sum(axis=1)[None]
                up, down = (first, second) if top == one else (second, first)
                good &= (low.numerator * down <= up * low.denominator) & (
                    up * high.denominator <= high.numerator * down
                )
        return good

    def _with_third(self, both, one, other):
        """Whether some solution of each further count goes with both."""
        good = np.ones((len(self.found[one]), len(self.found[other])), dtype=bool)
        for third in self.counts:
            if third not in (one, other):
                left = both[one, third] if (one, third) in both else both[third, one].T
                right = both[other, third] if (other, third) in both else both[third, other].T
                good &= left.astype(np.float32) @ right.T.astype(np.float32) > 0
        return good

    def range_of(self, count, items, less=None):
        """The least and the most of a count, or of a count without a part, over some items; all in whole atoms."""
        own = [at for at, atom in enumerate(self.atoms) if atom <= items]
        if less is None:
            sums = self.found[count][:, own].sum(axis=1)
            return int(sums.min()), int(sums.max())
        sums = self._rests(count, less, own)
        return int(sums.min()), int(sums.max())

    def _rests(self, count, less, own):
        """The count without a part of it over some atoms, in every table."""
        pair = (count, less) if (count, less) in self.both else (less, count)
        good = self.both[pair] if pair[0] == count else self.both[pair].T
        a, b = self.all[count], self.all[less]
        rest = a[:, own].sum(axis=1)[:, None] - b[:, own].sum(axis=1)[None]
        return rest[good]

    def shown(self, least):
        """A count, the part that it is without, and atoms that have from 1 to `least` - 1 in every table; or None."""
        places = range(len(self.atoms))
        sets = list(chain.from_iterable(combinations(places, size) for size in range(1, len(places) + 1)))
        for count in self.counts:
            for own in sets:
                sums = self.found[count][:, list(own)].sum(axis=1)
                if sums.min() > 0 and sums.max() < least:
                    return count, None, own
        for part in self.wholes:
            whole = self.wholes.get(part)
            while whole is not None:
                for own in sets:
                    rest = self._rests(whole, part, list(own))
                    if rest.min() > 0 and rest.max() < least:
                        return whole, part, own
                whole = self.wholes.get(whole)
        return None
