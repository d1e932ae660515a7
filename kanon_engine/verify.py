"""`kanon.verify`: every claim of a result is computed again from the instance and the assignment.

Nothing here calls the code that made the result, but for `rerun`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import CertificateError, InvalidInput, KanonError
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import REQUIREMENTS
from kanon_engine.model.serialize import fits_declaration
from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown
from kanon_engine.verification import codec, core
from kanon_engine.verification.check import COST, Check
from kanon_engine.verification.requirements import requirements_met

if TYPE_CHECKING:
    from kanon_engine.model.algorithm import Algorithm
    from kanon_engine.model.family import Family
    from kanon_engine.model.generalization import Generalization

EXHAUSTIVE = "exhaustive check"  # by which verify itself finds that nothing is below a bound on a search's word
REPEATED = "search repeated"
MALFORMED = codec.MALFORMED


@dataclass(frozen=True, repr=False)
class Certificate(Shown):
    """All checks of a result, every one passed.

    Attributes
    ----------
    family, algorithm, k
        Of the result.
    instance_digest, digest : str
        What was checked.
    checks : tuple of Check
    proof : str
        "checked": every claim has a witness that was recomputed, or the instance was small enough to look at all its
        solutions. "solver": the lower bound, and with it what "optimal" means, is a search's word.
    """

    family: str
    algorithm: str
    k: int
    instance_digest: str
    digest: str
    checks: tuple[Check, ...]
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
        Whether a search on whose word the lower bound stands is repeated, with its k, seed and options and without a
        time limit. That takes as long as the search did. `proof` stays "solver": the word was given twice.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        Naming the first check that failed. With `rerun` also where the repeated search does not prove the bound, and
        where the result is of a run that was stopped, which cannot be repeated.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> labels = kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4])
    >>> kanon.verify(labels, kanon.generalize(labels, 5, "fold")).proof
    'checked'
    """
    checks, proof = _checked(instance, g)
    if rerun and proof == "solver":
        checks.append(_repeated(instance, g))
    return Certificate(g.family, g.algorithm, g.k, g.instance_digest, g.digest, tuple(checks), proof)


def _checked(instance: Any, g: Generalization) -> tuple[list[Check], str]:
    """All checks of a result, every one passed, and what its proof is."""
    family = next((one for one in FAMILIES.values() if isinstance(instance, one.instance)), None)
    if family is not None and family.verifier is not None:
        found = _verdict(family, instance, g)
        if found.failed is not None:
            raise CertificateError(found.failed.name, found.failed.detail)
        return [Check(check.name, True, check.detail) for check in found.checks], found.proof
    checks: list[Check] = []
    try:
        for check in _all_checks(instance, g, FAMILIES):
            if not check.passed:
                raise CertificateError(check.name, check.detail)
            checks.append(check)
    except MALFORMED as error:
        reason = f"{type(error).__name__}: {error}"
        raise CertificateError("form", f"a field does not have the form it must have ({reason}).") from error
    if all(check.name != COST for check in checks):
        raise CertificateError(COST, f"no check of {g.family} works out the cost again.")
    decided = g.bound_kind == "checked" or any(check.name == EXHAUSTIVE for check in checks)
    return checks, "checked" if decided else "solver"


def _verdict(family: Family, instance: Any, g: Generalization) -> core.Verdict:
    """What the verifier, which sees nothing but values, says of a result."""
    parts = codec.from_memory(instance.parts)
    given = core.instance_of(family.name, family.verifier, parts, instance.digest)
    for name, record in (("form", g), ("details form", g.details)):
        if is_dataclass(record) and not fits_declaration(record):
            found = f"a field of {type(record).__name__} is not of the type that it declares."
            return core.Verdict([], core.Check(name, False, found))
    try:
        content = codec.from_memory(g).fields
    except MALFORMED as error:
        return core.Verdict([], core.Check("form", False, f"a field is no value of a certificate ({error})."))
    return core.verdict(given, content, {family.name: family.verifier})


def _repeated(instance: Any, g: Generalization) -> Check:
    """The search, made again from the seed and the options of the result."""
    if g.status == "stopped":
        raise CertificateError(
            REPEATED,
            f"the run was stopped, and where it stopped cannot be repeated: {number_text(g.lower_bound)} stays its "
            f"word; run {g.algorithm} without a time limit for a bound that can.",
        )
    from kanon_engine.generalize import generalize  # the only way from here to an algorithm

    try:
        again = generalize(instance, g.k, g.algorithm, require=g.require, seed=g.seed, **g.options)
    except KanonError as error:
        raise CertificateError(REPEATED, f"the search cannot be made again ({error})") from error
    found = f"the search, made again with seed {g.seed}, proves {number_text(again.lower_bound)}, the result says"
    if again.lower_bound < g.lower_bound:
        raise CertificateError(REPEATED, f"{found} {number_text(g.lower_bound)}.")
    return Check(REPEATED, True, f"{found} {number_text(g.lower_bound)}.")


def _all_checks(instance: Any, g: Generalization, families: Any) -> Iterator[Check]:
    known = g.family in families and isinstance(instance, families[g.family].instance)
    yield Check("family", known, f"the result is of family {g.family}, the instance is a {type(instance).__name__}.")
    makers = families[g.family].makers
    yield Check("algorithm", g.algorithm in makers, f"the result was made by {g.algorithm}.")
    algorithm = makers[g.algorithm]
    same = g.instance_digest == instance.digest
    yield Check(
        "instance", same, "the result was made from this very instance." if same else "the instance is another one."
    )
    yield _form(g)
    yield _options(g, algorithm)
    yield from _special_claims(g, algorithm.claims)
    objective = families[g.family].objective(g.algorithm, g.options)
    if type(g.cost) is not (int if objective.whole else float):
        yield Check("form", False, f"the cost is a {type(g.cost).__name__}, which this cost is not.")
    yield _partition(instance, g, objective.is_largest_class)
    weights = np.zeros(g.classes, dtype=np.int64)
    np.add.at(weights, g.assignment[g.assignment >= 0], instance.weights[g.assignment >= 0])
    equal = np.array_equal(weights, g.class_weights)
    yield Check("class weights", equal, f"the {g.classes:,} class weights sum to {int(weights.sum()):,}.")
    light, least = int(weights.min()), _least(g)
    found = f"the smallest class weighs {light:,}, k is {g.k:,}."
    if g.status == "relaxed":
        found += f" This is NOT k-anonymous: classes had to reach {least:,} only, and no release can be made from it."
    yield Check("feasibility", light >= least, found)
    yield from requirements_met(instance, g)
    yield from families[g.family].verify(instance, g)  # type: ignore[misc]
    yield from objective.checks(instance, g, _least(g))
    yield from _figures(g)
    if g.bound_kind == "solver":
        yield from _exhausted(instance, g, families[g.family].beaten)
    yield Check("digest", g.digest == g.content_digest(), "the digest covers every field, seed and options among them.")


def _exhausted(instance: Any, g: Generalization, beaten: Any) -> Iterator[Check]:
    """Look for a solution below a bound on a search's word; no check at all where there are too many to look at."""
    below = None if beaten is None else beaten(instance, g)
    if below is not None:
        found = "no solution" if not below else "a solution"
        yield Check(
            EXHAUSTIVE,
            not below,
            f"of all solutions, looked at anew, {found} costs less than {number_text(g.lower_bound)}.",
        )


def _form(g: Generalization) -> Check:
    """Types only, so that later checks may compute with the fields."""
    whole = all(type(value) is int for value in (g.k, g.seed)) and g.k >= 1 and g.seed >= 0
    costs = {type(value) for value in _costs(g)} in ({int}, {float}) and all(map(math.isfinite, _costs(g)))
    arrays = all(isinstance(value, np.ndarray) and value.ndim == 1 for value in (g.assignment, g.class_weights))
    kinds = arrays and g.assignment.dtype == np.int32 and g.class_weights.dtype == np.int64
    clock = type(g.seconds) is float and math.isfinite(g.seconds) and g.seconds >= 0
    words = g.status in core.STATUSES and g.bound_kind in ("checked", "solver") and isinstance(g.bound_name, str)
    witness = type(g.bound_witness) is tuple and all(type(place) is int for place in g.bound_witness)
    settings = isinstance(g.options, Mapping) and isinstance(g.reading, Mapping)
    required = type(g.require) is tuple and all(type(entry) in REQUIREMENTS for entry in g.require)
    good = whole and costs and kinds and clock and words and witness and settings and required
    return Check("form", good, "numbers are whole, arrays are int32 and int64, status and bound kind are known words.")


def _costs(g: Generalization) -> list[Any]:
    """The cost and what is claimed of it."""
    return [value for value in (g.cost, g.lower_bound, g.guarantee) if value is not None]


def _options(g: Generalization, algorithm: Algorithm) -> Check:
    try:
        proper = dict(g.options) == algorithm.checked_options(g.options)
    except InvalidInput as error:
        return Check("options", False, str(error))
    return Check("options", proper, f"every option of {g.algorithm} has a value that it may have.")


def _special_claims(g: Generalization, allowed: tuple[str, ...]) -> Iterator[Check]:
    """Nobody else may pass off a bound as a search's word, or classes below k as a relaxed solution."""
    trusted = g.bound_kind == "checked" or "solver" in allowed
    yield Check("bound kind", trusted, f"the bound is of kind “{g.bound_kind}”, made by {g.algorithm}.")
    permitted = g.status != "relaxed" or "relaxed" in allowed
    yield Check("status", permitted, f"the status is {g.status}, given by {g.algorithm}.")


def _partition(instance: Any, g: Generalization, complete: bool) -> Check:
    if len(g.assignment) != len(instance.weights):
        return Check(
            "partition", False, f"{len(g.assignment):,} items are assigned, there are {len(instance.weights):,}."
        )
    left_out = int((g.assignment == -1).sum())
    used = np.unique(g.assignment[g.assignment != -1])
    good = g.classes >= 1 and np.array_equal(used, np.arange(g.classes)) and not (complete and left_out)
    words = f"{left_out:,} are left out" if left_out else "none is left out"
    return Check(
        "partition",
        bool(good),
        f"{len(g.assignment):,} items are in {g.classes:,} classes, no class is empty, {words}.",
    )


def _least(g: Generalization) -> int:
    """What every class must weigh: k, or the threshold of a relaxed result."""
    return g.details.threshold if g.status == "relaxed" else g.k


def _figures(g: Generalization) -> Iterator[Check]:
    yield Check(
        "lower bound",
        g.lower_bound <= g.cost,
        f"the proven bound is {number_text(g.lower_bound)}, the cost {number_text(g.cost)}.",
    )
    if g.guarantee is not None:
        yield Check(
            "guarantee",
            g.cost <= g.guarantee,
            f"the cost {number_text(g.cost)} is at most the guaranteed {number_text(g.guarantee)}.",
        )
    optimal = g.cost == g.lower_bound
    agrees = optimal == (g.status == "optimal") or g.status == "relaxed"
    yield Check(
        "status", agrees, f"the status is {g.status}, cost and bound are {'equal' if optimal else 'different'}."
    )
