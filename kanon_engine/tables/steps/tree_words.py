"""What K-Optimize does at its nodes, in words, with what decided and what can be asked before."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.step import NO_YES, Inequality, Question
from kanon_engine.model.words import counted
from kanon_engine.tables.cuts.node_kernels import HEAD, OUT, TAIL, intervals, row_bounds
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize.bound_kernels import COSTLY, CROWDED, DEAD, NEEDED, USELESS, Pruned
from kanon_engine.tables.k_optimize.search import Search
from kanon_engine.tables.metrics.kernels import DISCERNIBILITY
from kanon_engine.tables.steps.cut_names import cut_names, cut_numbers, set_words
from kanon_engine.tables.steps.moves import Move

MOST_CHOICES = 30
LARGE = 1_000  # records above which groups are not counted for words


class TreeWords:
    """The words for one table."""

    def __init__(self, table: Table, k: int) -> None:
        self.table, self.k = table, k
        self.names, self.numbers = cut_names(table), cut_numbers(table)

    def head(self, kinds: np.ndarray) -> str:
        """The head of a node, as the paper writes it."""
        return set_words(self.table, np.flatnonzero(kinds == HEAD).tolist())

    def climbed(self, kinds: np.ndarray, cost: int, bound: int) -> Move:
        """Of a descent of the hill climber that is the best so far."""
        why = f"A descent of the hill climber ends at {self.head(kinds)}, the best so far."
        return Move(why, Inequality(cost, "≥", bound, f"cost of {self.head(kinds)} ≥ what no cuts go below"))

    def began(self, search: Search, kinds: np.ndarray, cost: int) -> Move:
        """Of the root of a tree."""
        tail = np.flatnonzero(kinds == TAIL)
        none = search.problem.limit == 0
        rule = "nobody may be left out" if none else "groups below k are left out"
        name = self.head(kinds)
        why = f"The search tree begins at {name} with {counted(len(tail), 'cut')} in its tail; {rule}."
        sign = "≥" if cost >= search.best else "<"
        return Move(why, Inequality(cost, sign, search.best, f"cost of {name} {sign} best"))

    def opened(
        self, search: Search, before: np.ndarray, value: int, kinds: np.ndarray, cost: int, suppressed: int
    ) -> Move:
        """Of a child; `before` are the kinds of its parent."""
        name, parent, limit = self.head(kinds), self.head(before), search.problem.limit
        why = f"{self.names[value]} leaves the tail of {parent} for the head: {name} is weighed."
        if suppressed:
            why += f" It leaves out {counted(suppressed, self.table.unit.removesuffix('s'))}."
        if suppressed > limit:
            decided = Inequality(suppressed, ">", limit, f"left out by {name} > limit")
        elif cost < search.best:
            why += " It is the best so far."
            decided = Inequality(cost, "<", search.best, f"cost of {name} < best")
        else:
            decided = Inequality(cost, "≥", search.best, f"cost of {name} ≥ best")
        tail = np.flatnonzero(before == TAIL).tolist()
        asked = None
        plain = not len(search.problem.required.kinds) and len(self.table) <= LARGE
        if search.order != "given" and len(tail) > 1 and plain:
            split = self._splits(before, tail)
            most = max(split.values())
            right = [one for one in tail if split[one] == most]
            if split[value] == most and len(right) < len(tail):
                prompt = (
                    f"{parent} gets a child: which cut of its tail splits most of its groups of {self.k:,} or more?"
                )
                asked = self._which(prompt, tail, right)
        return Move(why, decided, asked)

    def pruned(
        self, search: Search, before: np.ndarray, after: np.ndarray, found: Pruned, cost: int, *, fresh: bool
    ) -> Move | None:
        """Of the pruning of a node whose head costs this after it; None where it changed nothing and was told of."""
        gone = np.flatnonzero((before != OUT) & (after == OUT)).tolist()
        forced = np.flatnonzero((before == TAIL) & (after == HEAD)).tolist()
        name, reasons = self.head(before), found.reasons.tolist()
        said = [
            self._gone(name, [v for v in gone if reasons[v] == reason], reason) for reason in (USELESS, COSTLY, CROWDED)
        ]
        said.append(self._gone(name, [v for v in gone if reasons[v] not in (USELESS, COSTLY, CROWDED)], 0))
        if forced:
            them = "it is" if len(forced) == 1 else "they are"
            costs = "" if found.verdict == DEAD else f": {self.head(after)} costs {cost:,}"
            said.append(f"Nothing better is without {self._list(forced)}, so {them} put into the head{costs}.")
        why = " ".join(filter(None, said))
        decided = self._decided(search, before, gone, forced, found)
        if found.verdict == DEAD:
            return self._dead(search, name, before, after, found, why, decided)
        if gone or forced:
            asked = None
            tail = np.flatnonzero(before == TAIL).tolist()
            if gone and len(tail) > 1:
                asked = self._which(f"Which cut leaves the tail of {name}, as nothing better has it?", tail, gone)
            return Move(why, decided, asked)
        if not fresh:
            return None
        why = f"Sets of cuts below {name} may be better than the best so far, and so may each cut of its tail."
        asked = Question(self._may(name, search.best), NO_YES, (1,))
        return Move(why, Inequality(int(found.bound), "<", search.best, f"bound of {name} < best"), asked)

    def ended(self, search: Search, after: np.ndarray, found: Pruned) -> bool:
        """Whether a node was closed because no value is left in its tail."""
        return not (after == TAIL).any() and found.bound < search.best and found.node.suppressed <= search.problem.limit

    def _dead(
        self,
        search: Search,
        name: str,
        before: np.ndarray,
        after: np.ndarray,
        found: Pruned,
        why: str,
        decided: Inequality | None,
    ) -> Move:
        best, limit, lost = search.best, search.problem.limit, int(found.node.suppressed)
        if self.ended(search, after, found):
            return Move(f"{why} No value is left in the tail of {name}: it is done.".strip(), decided)
        if found.bound >= best:
            left = "" if np.array_equal(before, after) else " with what is left of its tail"
            why = f"{why} No set of cuts below {name}{left} is better: it is dead.".strip()
            asked = None
            if not left and self._plain_bound(search, after, found) >= best:
                asked = Question(self._may(name, best), NO_YES, (0,))
            return Move(why, Inequality(int(found.bound), "≥", best, f"bound of {name} ≥ best"), asked)
        if lost > limit:
            why = f"{why} {name} leaves out more records than may be, and so does all below it: it is dead.".strip()
            return Move(why, Inequality(lost, ">", limit, f"left out by {name} > limit"))
        stuck = np.flatnonzero((after == TAIL) & (found.reasons == COSTLY)).tolist()
        if stuck:
            value = stuck[0]
            why = (
                f"{why} Nothing better has {self.numbers[value]}, and nothing better lacks it: {name} is dead.".strip()
            )
            words = f"bound of {name} with {self.numbers[value]} ≥ best"
            return Move(why, Inequality(int(found.reached[value]), "≥", best, words))
        return Move(f"{why} Nothing below {name} can be better: it is dead.".strip(), decided)

    def _may(self, name: str, best: int) -> str:
        return f"Does the lower bound of {name} allow that a set of cuts below it costs less than {best:,}?"

    def _plain_bound(self, search: Search, kinds: np.ndarray, found: Pruned) -> int:
        """The bound by the groups of the allset alone, without what pairs of cuts add."""
        problem, node = search.problem, found.node
        begins, ends = intervals(problem, kinds)
        return int(problem.penalty * node.suppressed + row_bounds(problem, node, begins, ends).sum())

    def _gone(self, name: str, values: list[int], reason: int) -> str:
        if not values:
            return ""
        leave = "leaves" if len(values) == 1 else "leave"
        why = {
            USELESS: "useless, as what it splits off pays for nothing"
            if len(values) == 1
            else "useless, as what they split off pays for nothing",
            COSTLY: "as nothing better has it" if len(values) == 1 else "as nothing better has one of them",
            CROWDED: f"as with {'it' if len(values) == 1 else 'one of them'} more records are left out than may be",
            0: "as cuts of a hierarchy go together",
        }[reason]
        return f"{self._list(values)} {leave} the tail of {name}, {why}."

    def _list(self, values: list[int]) -> str:
        listed = [str(self.numbers[value]) for value in values]
        return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"

    def _which(self, prompt: str, tail: list[int], right: list[int]) -> Question:
        """A question for one of the tail's values; of a long tail those near the right ones."""
        near = sorted(tail, key=lambda value: min(abs(value - one) for one in right))
        asked = sorted({*right[:MOST_CHOICES], *near[:MOST_CHOICES]})
        answers = tuple(place for place, value in enumerate(asked) if value in right)
        return Question(prompt, tuple(self.names[value] for value in asked), answers)

    def _decided(
        self, search: Search, before: np.ndarray, gone: list[int], forced: list[int], found: Pruned
    ) -> Inequality | None:
        """The inequality of the first value that was decided on."""
        name = self.head(before)
        for value in [*gone, *forced]:
            reason, number, reached = found.reasons[value], self.numbers[value], int(found.reached[value])
            if reason == COSTLY:
                return Inequality(reached, "≥", search.best, f"bound of {name} with {number} ≥ best")
            if reason == NEEDED:
                return Inequality(reached, "≥", search.best, f"bound of {name} without {number} ≥ best")
            if reason == CROWDED:
                return Inequality(reached, ">", search.problem.limit, f"left out with {number} > limit")
            if reason == USELESS:
                return self._useless(search, before, value)
        return None

    def _useless(self, search: Search, kinds: np.ndarray, value: int) -> Inequality | None:
        """Why a cut is useless: all it makes is below k, or for DM the correction of the paper's liberal rule."""
        if len(self.table) > LARGE:
            return None
        number, k = self.numbers[value], self.k
        left, right = self._sides(self._groups(kinds), value)
        largest = int(np.maximum(left, right).max(initial=0))
        if largest < k:
            return Inequality(largest, "<", k, f"largest group that {number} makes < k")
        smaller = int(np.minimum(left, right).max(initial=0))
        if smaller < k and search.problem.metric == DISCERNIBILITY:
            some = np.maximum(left, right) >= k
            most = int((left + right + np.maximum(left, right))[some].max())
            words = f"|E| + |E₂| ≤ |D| where {number} splits E into E₁ below k and E₂"
            return Inequality(most, "≤", self.table.total, words)
        return (
            Inequality(smaller, "<", k, f"smaller side of each group that {number} splits < k") if smaller < k else None
        )

    def _groups(self, kinds: np.ndarray) -> np.ndarray:
        """The group of each row by the head."""
        codes, cuts = np.empty_like(self.table.codes), self.table.cut_values
        for column in range(codes.shape[1]):
            own = cuts[(kinds == HEAD) & (cuts[:, 0] == column), 1]
            codes[:, column] = np.searchsorted(own, self.table.codes[:, column], side="right")
        return np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)

    def _sides(self, group: np.ndarray, value: int) -> tuple[np.ndarray, np.ndarray]:
        """Records left and right of a cut in each group that it splits and that is not below k."""
        column, position = self.table.cut_values[value].tolist()
        below = self.table.codes[:, column] < position
        weights = self.table.weights
        sizes, left = (np.bincount(group, own).astype(int) for own in (weights, weights * below))
        hit = (sizes >= self.k) & (left > 0) & (left < sizes)
        return left[hit], (sizes - left)[hit]

    def _splits(self, kinds: np.ndarray, values: list[int]) -> dict[int, int]:
        """How many groups of k or more each value splits."""
        group = self._groups(kinds)
        return {value: len(self._sides(group, value)[0]) for value in values}
