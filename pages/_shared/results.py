"""Results, computed once per visit in the background. Keys are content digests and parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.model.objective import Objective
from kanon_engine.model.requirement import Requirement
from kanon_engine.project import Move
from kanon_engine.project.question import Question, required_of
from kanon_engine.workers.search import Request, Search
from pages._shared.files import stored_answer
from pages._shared.tasks import MOMENT, PATIENCE, Task, TaskFailed, tasks, visit_store, wait_for

HASTY = 0.01  # effort of a search while the user waits
LARGE = 10_000  # items; the search of more takes longer than `PATIENCE`, so nobody need wait for that first
MAKING = "Making groups and checking them …"


@dataclass(frozen=True)
class Choice:
    """The user's choice: an algorithm with its options, a seed, and the requirements on groups besides k."""

    algorithm: kanon.Algorithm
    options: tuple[tuple[str, Any], ...]
    seed: int = 0
    require: tuple[Requirement, ...] = ()

    def question(self, k: int, file: str = "") -> Question:
        """The question to the data with this choice."""
        algorithm, options = self.algorithm, dict(self.options)
        return Question(algorithm.family, file, k, algorithm.name, options, self.seed, **required_of(self.require))

    def with_options(self, **values: Any) -> Choice:
        return replace(self, options=tuple((dict(self.options) | values).items()))


@dataclass(frozen=True)
class Answer:
    """The result to show now."""

    g: kanon.Generalization  # verified: the result, or the best available while the search runs
    task: Task  # the search
    key: tuple[Any, ...]  # its key
    choice: Choice  # the choice of the search
    waiting: bool = False  # whether this is not the search's result yet
    ended: str = ""  # why the search ended without a result, in a sentence; "" if it has one or is running
    improvements: int = 0  # how many solutions the search had reported by then
    own: bool = False  # whether this is the best of them
    changed: str = ""  # the user's changes by hand, in a sentence; "" if unchanged


def default_choice(family: str) -> Choice:
    algorithm = get_family(family).algorithm(None)
    return Choice(algorithm, tuple((option.name, option.default) for option in algorithm.options))


def alike(algorithm: kanon.Algorithm, choice: Choice) -> Choice:
    """An algorithm with the chosen values of the options that both have, and defaults for the others."""
    same = {option.name: value for option, (_, value) in zip(choice.algorithm.options, choice.options, strict=True)}
    names = set(choice.algorithm.options)
    options = tuple((one.name, same[one.name] if one in names else one.default) for one in algorithm.options)
    return replace(choice, algorithm=algorithm, options=options)


def quick_choice(choice: Choice) -> Choice:
    """The algorithm of the same family that answers immediately, under the same conditions."""
    family = get_family(choice.algorithm.family)
    return alike(family.algorithm(family.quick), choice).with_options(**family.quick_options)


def hasty_choice(choice: Choice) -> Choice:
    """The same algorithm with an effort low enough to answer immediately, if it has that option."""
    effort = dict(choice.options).get("effort")
    return choice if effort is None else choice.with_options(effort=min(effort, HASTY))


def request_for(k: int, choice: Choice, time_limit: float | None = None) -> Request:
    return Request(k, choice.algorithm.name, dict(choice.options), choice.seed, time_limit, choice.require)


def begin_search(slot: str, instance: Any, k: int, choice: Choice) -> Task:
    """The search for this result, started now if it was not before; the previous one in this slot ends."""
    return tasks().begin(slot, key_of(instance, k, choice), _search(instance, k, choice, None))


def answer(slot: str, instance: Any, k: int, choice: Choice) -> Answer:
    """The result; if it takes longer or ended without one, the quick algorithm's or the stopped search's.

    Raises `KanonError`: as `generalize`; `SearchEnded` if there is no quick answer either.
    """
    return _answer(slot, instance, k, choice, st.empty())  # as in `once`


def _answer(slot: str, instance: Any, k: int, choice: Choice, place: DeltaGenerator) -> Answer:
    key = key_of(instance, k, choice)
    task = begin_search(slot, instance, k, choice)
    quick = quick_choice(choice)

    def meanwhile() -> kanon.Generalization:
        earlier: kanon.Generalization | None = tasks().before(key)
        if earlier is not None:
            return earlier
        try:
            return _answer(f"{slot}_quick", instance, k, quick, place).g
        except kanon.InvalidInput:  # it cannot meet all requirements, and this algorithm may
            hasty = hasty_choice(choice)
            other = task if hasty == choice else begin_search(f"{slot}_quick", instance, k, hasty)
            wait_for(other, MAKING, place, stop=f"{slot}_stop_hasty")
            result: kanon.Generalization = other.result()
            return result

    if choice == quick:
        wait_for(task, MAKING, place, stop=f"{slot}_stop_making")
    elif not task.wait(_patience(instance, choice)):
        return _so_far(Answer(meanwhile(), task, key, choice, waiting=True))
    try:
        return Answer(task.result(), task, key, choice)
    except (kanon.SearchEnded, TaskFailed) as end:
        if choice == quick:
            raise
        return _so_far(Answer(meanwhile(), task, key, choice, ended=str(end)))


def _patience(instance: Any, choice: Choice) -> float:
    """Seconds to wait for a search before a quick answer; with many items only a stored result is there soon."""
    stored = stored_answer(choice.algorithm.family, instance.digest)
    return MOMENT if len(instance) > LARGE and stored is None else PATIENCE


def _so_far(answer: Answer) -> Answer:
    """The search's own best so far in place of another algorithm's result, unless that is better."""
    best, count = answer.task.best, answer.task.improvements
    if best is None:
        return answer
    g, certificate = best
    objective = get_family(g.family).objective(g.algorithm, g.options)
    weighed = objective.is_largest_class and not objective.alone  # then it does not minimize its cost alone
    if g.cost > answer.g.cost and not weighed:
        return replace(answer, improvements=count)
    visit_store().certify(g, certificate)
    return replace(answer, g=g, improvements=count, own=True)


def search_again(slot: str, instance: Any, k: int, choice: Choice, before: kanon.Generalization | None = None) -> None:
    """Restart a search that was stopped or ended; its earlier result is not lost."""
    tasks().begin_again(slot, key_of(instance, k, choice), before, _search(instance, k, choice, before))


def key_of(instance: Any, k: int, choice: Choice) -> tuple[Any, ...]:
    """What distinguishes a result from all others of the visit."""
    return instance.digest, k, choice


def _search(
    instance: Any, k: int, choice: Choice, before: kanon.Generalization | None
) -> Callable[[Task], kanon.Generalization]:
    store, quick = visit_store(), choice == quick_choice(choice)
    key = key_of(instance, k, choice)

    def work(task: Task) -> kanon.Generalization:
        solution = store.get(key) or _stored(instance, k, choice)
        if solution is None:
            with Search(instance, task, quick) as search:
                solution = search.run(replace(request_for(k, choice), shown=True))
        g, certificate = solution
        store.put(key, g, certificate)
        return g if before is None or g.status != "stopped" or g.cost <= before.cost else before

    return work


def _stored(instance: Any, k: int, choice: Choice) -> tuple[kanon.Generalization, kanon.Certificate] | None:
    """The answer that came with the sample for this request, if it passes the check; otherwise search for it."""
    g = stored_answer(choice.algorithm.family, instance.digest)
    if g is None or request_for(k, choice) != Request(g.k, g.algorithm, g.options, g.seed, None, g.require):
        return None
    try:
        return g, kanon.verify(instance, g)
    except kanon.CertificateError:
        return None


# ---------------------------------------------------------------------------------------------------------------------
# Results in words: their algorithm and cost.
# ---------------------------------------------------------------------------------------------------------------------


def title(g: kanon.Generalization) -> str:
    return f"{algorithm_title(g)}, k = {g.k:,}"


def algorithm_title(g: kanon.Generalization) -> str:
    return get_family(g.family).makers[g.algorithm].title


def objective_of(g: kanon.Generalization) -> Objective:
    return get_family(g.family).objective(g.algorithm, g.options)


def objective_of_choice(choice: Choice) -> Objective:
    return get_family(choice.algorithm.family).objective(choice.algorithm.name, dict(choice.options))


# ---------------------------------------------------------------------------------------------------------------------
# Results that the user changed by hand: each change is a result of its own, with undo and redo.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """One change, and the verified result that it made."""

    g: kanon.Generalization
    words: str  # what was done
    move: Move  # the same for a project


@dataclass
class Changes:
    """The changes to one result."""

    found: kanon.Generalization  # the result before the first change
    steps: list[Change] = field(default_factory=list)
    done: int = 0  # how many of them are not undone

    @property
    def g(self) -> kanon.Generalization:
        """The result as it is now."""
        return self.steps[self.done - 1].g if self.done else self.found

    @property
    def told(self) -> str:
        """The last change, and its cost."""
        before = self.steps[self.done - 2].g if self.done > 1 else self.found
        count = "one change" if self.done == 1 else f"{self.done:,} changes"
        largest = f"{before.class_weights.max():,} → {self.g.class_weights.max():,}"
        return (
            f"Changed by hand ({count}). {self.steps[self.done - 1].words}: largest group {largest}, "
            f"lower bound {self.g.lower_bound:,}."
        )


def changes_of(key: Hashable) -> Changes | None:
    """The changes in this visit to the result with this key."""
    return _all().get(key)


def with_changes(answer: Answer) -> Answer:
    """The answer with the user's changes; further improvements of the search do not replace it."""
    changes = changes_of(answer.key)
    if changes is None or not changes.done:
        return answer
    return replace(answer, g=changes.g, changed=changes.told)


def record(key: Hashable, before: kanon.Generalization, change: Change) -> None:
    """Append a change to those that are not undone."""
    changes = changes_of(key)
    if changes is None or not changes.done:
        changes = _all()[key] = Changes(before)
    changes.steps = [*changes.steps[: changes.done], change]
    changes.done = len(changes.steps)


def forget_changes(key: Hashable) -> None:
    _all().pop(key, None)


def put_changes(key: Hashable, changes: Changes) -> None:
    _all()[key] = changes


def step(key: Hashable, by: int) -> None:
    """Undo the last change (-1), or redo the next one (1)."""
    changes = _all()[key]
    changes.done = min(max(changes.done + by, 0), len(changes.steps))


def _all() -> dict[Hashable, Changes]:
    changes: dict[Hashable, Changes] = st.session_state.setdefault("_by_hand", {})
    return changes
