"""`kanon.verify`: every claim of a result is computed again from the instance and the assignment.

Nothing here calls the code that made the result, but for `rerun`.
"""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import CertificateError, KanonError
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.serialize import fits_declaration
from kanon_engine.model.words import number_text
from kanon_engine.shown import Shown
from kanon_engine.verification import codec, core
from kanon_engine.verification.core import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

REPEATED = "search repeated"


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
        solutions. "solver": the lower bound, and with it what "optimal" means, is reported by the solver.
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
        Whether the search is repeated where the lower bound is only reported by the solver, with its k, seed and
        options and without a time limit. That takes as long as the search did. `proof` stays "solver": the solver
        reported the bound twice.

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
    found = _verdict(instance, g)
    if found.failed is not None:
        raise CertificateError(found.failed.name, found.failed.detail)
    checks = [Check(check.name, True, check.detail) for check in found.checks]
    if rerun and found.proof == "solver":
        checks.append(_repeated(instance, g))
    return Certificate(g.family, g.algorithm, g.k, g.instance_digest, g.digest, tuple(checks), found.proof)


def _verdict(instance: Any, g: Generalization) -> core.Verdict:
    """What the verifier, which sees nothing but values, says of a result."""
    family = next((one for one in FAMILIES.values() if isinstance(instance, one.instance)), None)
    if family is None:
        found = f"the result is of family {g.family}, the instance is a {type(instance).__name__}."
        return core.Verdict([], Check("family", False, found))
    for name, record in (("form", g), ("details form", g.details)):
        if is_dataclass(record) and not fits_declaration(record):
            found = f"a field of {type(record).__name__} is not of the type that it declares."
            return core.Verdict([], Check(name, False, found))
    try:
        content = codec.from_memory(g).fields
    except codec.MALFORMED as error:
        return core.Verdict([], Check("form", False, f"a field is no value of a certificate ({error})."))
    given = core.instance_of(family.name, family.verifier, codec.from_memory(instance.parts), instance.digest)
    return core.verdict(given, content, {family.name: family.verifier})


def _repeated(instance: Any, g: Generalization) -> Check:
    """The search, made again from the seed and the options of the result."""
    if g.status == "stopped":
        raise CertificateError(
            REPEATED,
            f"the run was stopped, and where it stopped cannot be repeated: {number_text(g.lower_bound)} is only "
            f"reported by the solver; run {g.algorithm} without a time limit for a bound that can be repeated.",
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
