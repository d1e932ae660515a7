"""From instance, k and algorithm to a verified result."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, is_dataclass, replace
from typing import Any

import numpy as np

from kanon_engine.errors import CertificateError, InvalidInput, KanonError
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization, Status
from kanon_engine.model.known import FAMILIES, family_of
from kanon_engine.model.requirement import Requirement, all_hold, checked_requirements
from kanon_engine.model.run import Outcome, Progress, ProgressCallback, Run
from kanon_engine.model.serialize import fits_declaration
from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown
from kanon_engine.validate import checked_seed, positive_k, told
from kanon_engine.verification import codec, core
from kanon_engine.verification.core import Check


def generalize(
    instance: Any,
    k: int,
    algorithm: str | None = None,
    *,
    require: Iterable[Requirement] | Requirement = (),
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    **options: Any,
) -> Generalization:
    """Partition an instance into classes of weight at least k with the largest class as small as the algorithm can.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    k : Least weight of a class, at least 1, in the instance's unit.
    algorithm : A name from `algorithms()`; the family's default when None.
    require : iterable of Requirement
        What every class must also satisfy, as `Minimum("households", 10)` or, for tables, `Diversity("disease", 3)` and
        `Closeness("income", 0.3)`. If the algorithm does not handle it itself, classes that fail are merged with
        others, and no guarantee holds. A lower bound for k alone still holds.
    seed : Random seed; the same seed gives the same result.
    time_limit : Seconds; a search that reaches the limit returns its best result, with status "stopped".
    progress : Called with `Progress`; returns False to stop with the best so far.
    **options : The algorithm's options.

    Returns
    -------
    Generalization : Verified; `verify(instance, result)` repeats the checks.

    Raises
    ------
    InvalidInput, UnknownAlgorithm : A request that makes no sense.
    Infeasible : No partition into classes of weight >= k exists, or none that satisfies the requirements.
    SearchEnded : The search found no classes that satisfy the requirements, and did not prove that there are none.
    CertificateError : The result failed its check (a defect of the algorithm).

    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4]), 5, "fold")
    >>> g.classes, g.cost, g.lower_bound, g.status
    (2, 6, 6, 'optimal')
    """
    return certified(
        instance, k, algorithm, require=require, seed=seed, time_limit=time_limit, progress=progress, **options
    )[0]


def certified(instance: Any, k: int, *arguments: Any, **settings: Any) -> tuple[Generalization, Certificate]:
    """A result and its certificate; arguments and errors are those of `generalize`."""
    g = unverified(instance, k, *arguments, **settings)
    return g, verify(instance, g)


def unverified(
    instance: Any,
    k: int,
    algorithm: str | None = None,
    *,
    require: Iterable[Requirement] | Requirement = (),
    seed: int = 0,
    time_limit: float | None = None,
    progress: ProgressCallback | None = None,
    **options: Any,
) -> Generalization:
    """A result that somebody else verifies before anybody sees it; arguments and errors are those of `generalize`."""
    family = family_of(instance)
    chosen = family.algorithm(algorithm)
    k = positive_k(k)
    settings = chosen.checked_options(options)
    run = Run(checked_seed(seed), _time_limit(time_limit), None)
    instance.require_feasible(k)
    required = _requirements(require, instance, family, chosen, settings)
    prepared = instance if family.prepare is None else family.prepare(instance, k, required, chosen.name)
    request = _Asked(instance, prepared, family, chosen, k, required, settings, run)
    run.progress = None if progress is None else request.telling(progress)
    return request.result(_outcome(chosen, family, prepared, k, run, required, settings))


@dataclass(frozen=True)
class _Asked:
    """The request, which turns an outcome into a result; `given` is the instance that the algorithm works on."""

    instance: Any
    given: Any
    family: Family
    chosen: Algorithm
    k: int
    required: tuple[Requirement, ...]
    settings: dict[str, Any]
    run: Run

    def telling(self, progress: ProgressCallback) -> ProgressCallback:
        """A listener that passes on reports, with solutions as results, except solutions that must still be merged."""
        whole = self.chosen.handles_all(self.required)

        def told(report: Progress) -> object:
            solution = report.solution
            return progress(
                replace(
                    report, solution=(lambda: self.result(solution(), True)) if whole and solution is not None else None
                )
            )

        return told

    def result(self, outcome: Outcome, so_far: bool = False) -> Generalization:
        """The result of a run, or the best so far of a run that continues."""
        seconds, k, instance = self.run.seconds, self.k, self.instance
        relaxed = "relaxed" in self.chosen.claims
        least = getattr(outcome.details, "threshold") if relaxed else k  # noqa: B009
        more = (self.required,) if self.family.bound_takes_requirements else ()
        bound = outcome.bound or self.family.lower_bound(self.given, least, *more)  # type: ignore[misc]  # one is there
        if self.given is not instance:
            outcome = self.given.restored(outcome)
        assignment = np.ascontiguousarray(outcome.assignment, dtype=np.int32)
        inside = assignment >= 0
        sums = np.bincount(assignment[inside], weights=instance.weights[inside])  # exact: totals stay below 2^53
        cost = self.family.objective(self.chosen.name, self.settings).cost(outcome.cost, sums)
        stopped = so_far or self.run.stopped
        status: Status = "optimal" if cost == bound.value else "stopped" if stopped else "feasible"
        return Generalization(
            family=self.family.name,
            algorithm=self.chosen.name,
            options=self.settings,
            seed=self.run.seed,
            k=k,
            assignment=assignment,
            class_weights=sums.astype(np.int64),
            cost=cost,
            lower_bound=bound.value,
            bound_name=bound.name,
            bound_kind=bound.kind,
            bound_witness=bound.witness,
            guarantee=outcome.guarantee,
            status="relaxed" if relaxed else status,
            seconds=seconds,
            instance_digest=instance.digest,
            details=outcome.details,
            reading=instance.reading,
            require=self.required,
        ).sealed()


def _requirements(
    require: Any, instance: Any, family: Family, chosen: Algorithm, settings: dict[str, Any]
) -> tuple[Requirement, ...]:
    """The requirements, checked against the instance's data and what the algorithm or the family can satisfy."""
    if isinstance(require, tuple | list) and not require:
        return ()
    # if records may be left out, the others can satisfy what all together do not
    required = checked_requirements(require, instance, complete=settings.get("suppression_limit", 0) == 0)
    if family.merge is None and not chosen.handles_all(required):
        message = (
            f"Groups of {family.items} cannot be merged, so k is their only possible requirement; leave out all others."
        )
        raise InvalidInput(message, parameter="require", value=require)
    return required


def _outcome(
    chosen: Algorithm,
    family: Family,
    instance: Any,
    k: int,
    run: Run,
    required: tuple[Requirement, ...],
    settings: dict[str, Any],
) -> Outcome:
    """The algorithm's outcome; classes that fail a requirement that it does not handle are merged with others."""
    if chosen.handles_all(required):
        more = {"require": required} if required else {}
        return chosen.function(instance, k, run, **settings, **more)
    outcome = chosen.function(instance, k, run, **settings)
    holds = all_hold(required, instance)
    merged: Outcome = family.merge(instance, outcome, chosen.name, holds)  # type: ignore[misc]  # there is one
    return replace(merged, guarantee=None)


def _time_limit(seconds: Any) -> float | None:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | np.number) or not seconds > 0:
        message = f"The time limit is {told(seconds)}; it must be a number of seconds above 0."
        raise InvalidInput(message, parameter="time_limit", value=seconds)
    try:
        return float(seconds)
    except OverflowError:
        return math.inf


# ---------------------------------------------------------------------------------------------------------------------
# `kanon.verify`: every claim of a result is recomputed from the instance and the assignment.
#
# Nothing here calls the code that made the result, except `rerun`.
# ---------------------------------------------------------------------------------------------------------------------


REPEATED = "search repeated"


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """All checks of a result, every one passed."""

    # family, algorithm, k: of the result
    family: str
    algorithm: str
    k: int
    # instance_digest, digest: what was checked
    instance_digest: str
    digest: str
    checks: tuple[Check, ...]
    # "checked": every claim has a witness that was recomputed, or the instance was small enough to check all its
    # solutions. "solver": the lower bound, and therefore "optimal", is reported by the solver
    proof: str

    def _facts(self) -> dict[str, object]:
        return {
            "family": self.family,
            "algorithm": self.algorithm,
            "k": self.k,
            "checks passed": len(self.checks),
            "proof": self.proof,
            "digest": self.digest[:12],
        }


def verify(instance: Any, g: Generalization, rerun: bool = False) -> Certificate:
    """Check every claim of a result against its instance.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace
    g : Generalization
    rerun : bool
        Whether to repeat the search if the lower bound is only reported by the solver, with its k, seed and
        options and without a time limit. That takes as long as the search did. `proof` stays "solver": the solver
        reported the bound twice.

    Raises
    ------
    CertificateError
        With the name of the first failed check. With `rerun` also if the repeated search does not prove the bound, or
        if the run was stopped, which cannot be repeated.

    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4])
    >>> kanon.verify(labels, kanon.generalize(labels, 5, "fold")).proof
    'checked'
    """
    verdict = _verdict(instance, g)
    if verdict.failed is not None:
        raise CertificateError(verdict.failed.name, verdict.failed.detail)
    checks = [Check(check.name, True, check.detail) for check in verdict.checks]
    if rerun and verdict.proof == "solver":
        checks.append(_repeated(instance, g))
    return Certificate(g.family, g.algorithm, g.k, g.instance_digest, g.digest, tuple(checks), verdict.proof)


def _verdict(instance: Any, g: Generalization) -> core.Verdict:
    """The verifier's checks of a result; it sees only values."""
    family = next((one for one in FAMILIES.values() if isinstance(instance, one.instance)), None)
    if family is None:
        problem = f"the result is of family {g.family}, but the instance is a {type(instance).__name__}."
        return core.Verdict([], Check("family", False, problem))
    for name, record in (("form", g), ("form of the result's details", g.details)):
        if is_dataclass(record) and not fits_declaration(record):
            problem = f"a field of {type(record).__name__} does not have its declared type."
            return core.Verdict([], Check(name, False, problem))
    try:
        content = codec.from_memory(g).fields
    except codec.MALFORMED as error:
        return core.Verdict(
            [], Check("form", False, f"a field holds a value that is not allowed in a certificate ({error}).")
        )
    checked_instance = core.instance_of(
        family.name, family.verifier, codec.from_memory(instance.parts), instance.digest
    )
    return core.verdict(checked_instance, content, {family.name: family.verifier})


def _repeated(instance: Any, g: Generalization) -> Check:
    """The search, repeated with the seed and the options of the result."""
    if g.status == "stopped":
        raise CertificateError(
            REPEATED,
            f"the run was stopped before its search ended, so the search cannot be repeated to confirm the bound "
            f"{number_text(g.lower_bound)} that the solver reported; run {g.algorithm} without a time limit.",
        )

    try:
        again = generalize(instance, g.k, g.algorithm, require=g.require, seed=g.seed, **g.options)
    except KanonError as error:
        raise CertificateError(REPEATED, f"the search cannot be repeated ({error})") from error
    sentence = f"the search, repeated with seed {g.seed}, proves the bound {number_text(again.lower_bound)}"
    if again.lower_bound < g.lower_bound:
        raise CertificateError(REPEATED, f"{sentence}, but the result says {number_text(g.lower_bound)}.")
    return Check(REPEATED, True, f"{sentence}, and the result says {number_text(g.lower_bound)}.")
