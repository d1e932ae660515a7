"""A review of a result: what is released, the risk, stated rules, attacks, utility, and digests of every file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from kanon_engine.apply import OwnRelease
from kanon_engine.disclosure.figures import other_figures
from kanon_engine.generalize import verify
from kanon_engine.model.attacked import Attacked
from kanon_engine.model.generalization import Generalization
from kanon_engine.project import Project
from kanon_engine.project.context import Context, Decision, agreed
from kanon_engine.project.manifest import sha256, versions
from kanon_engine.project.recipe import THRESHOLD, Leaving, timeless
from kanon_engine.release import require_releasable
from kanon_engine.release.publication import certificate_text
from kanon_engine.release.released import Released
from kanon_engine.report.checklist import checklist
from kanon_engine.report.picture import release_picture_svg
from kanon_engine.report.review import Review, columns_measure, roles_of
from kanon_engine.risk.attacks import attack
from kanon_engine.risk.attacks.knowledge import Knowledge, Limits
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.measures import measures, raw
from kanon_engine.risk.population import people_of, population_sizes_of
from kanon_engine.risk.rules import Facts, rulings
from kanon_engine.risk.utility import utility_measures

Heard = Callable[[str], object]


def review(
    instance: Any,
    g: Generalization,
    *,
    context: Context | None = None,
    leaving: Leaving | None = None,
    rules: Sequence[str] | None = None,
    threshold: float = THRESHOLD,
    facts: Facts | None = None,
    knowledge: Knowledge | None = None,
    own: OwnRelease | None = None,
    records: Released | None = None,
    population: pd.DataFrame | None = None,
    population_match: Sequence[Match] = (),
    population_count: str | None = None,
    population_size: int | None = None,
    files: Mapping[str, bytes] | None = None,
    other_bytes: Sequence[str] = (),
    inputs: Mapping[str, bytes] | None = None,
    progress: Heard = lambda part: None,
    attack_ended: Callable[[Attacked, float], object] = lambda attacked, seconds: None,
    decision: Decision | None = None,
) -> Review:
    """Review a release in full.

    The seconds that the search took are left out of the certificate, so the same question gives the same review.
    `InvalidInput` if nothing of the result may be released, `CertificateError` if the result or a file to be released
    is not what it claims to be.

    Parameters
    ----------
    leaving : What is released and in which form; the release as CSV if None.
    rules : Keys of the stated rules to check; all of them if None.
    knowledge : What attackers have besides the release, this instance and this result.
    own : The result applied to a person's own records, which are then released in place of the groups.
    records : Those records as they were, for their risk before; those of `own` if None.
    population : The people in the population. Takes precedence over what `facts` or `own` know about it.
    population_match, population_count : How it is read: see `population_sizes_of`.
    population_size : How many people the records are a random sample of; those of the table if None.
    files : What is released, if already made.
    inputs : The files that the instance was read from, for their digests.
    progress : Called with each step, in words.
    attack_ended : Called after each attack, with its result and the seconds it took.
    """
    require_releasable(g)
    # a time would make the bytes of every run different
    g = timeless(g)
    progress("Checking the certificate")
    certificate = verify(instance, g)
    publication = leaving or Leaving()
    progress("Writing the released files, and reading them back")
    released_files = dict(files or publication.files(instance, g, own))
    released = publication.released(instance, g, own, released_files)
    progress("Measuring the risk")
    before = records or (raw(instance, sensitive=released.sensitive) if own is None else own.before)
    stated_facts = facts or Facts()
    sizes, people = stated_facts.population_sizes, population_size
    if population is not None:
        sizes = tuple(population_sizes_of(released, population, population_match, population_count).tolist())
        if people is None:  # overlapping classes count some people twice
            matched = people_of(population, released, population_match, population_count)
            people = matched if matched >= released.records else None
    elif sizes is None and own is not None and own.population_sizes is not None:
        # what the groups were made from, if the records can be of these people
        sizes = tuple(own.population_sizes.tolist()) if (own.population_sizes >= own.released.sizes).all() else None
    risk_before = measures(before, threshold=threshold)
    risk_after = measures(released, population_sizes=sizes, population=people, threshold=threshold)
    attacker = replace(knowledge or Knowledge(), instance=instance, result=g)
    attacks = attack(released, attacker, progress=progress, ended=attack_ended)
    progress("Measuring utility")
    roles = roles_of(instance, g, released)
    share, *figures = utility_measures(instance, g)
    utility = (share, *columns_measure(roles), *figures)
    progress("Drawing the release")
    read = inputs or {}
    # the data file first, the others in a fixed order
    contents = {name: read[name] for name in [*list(read)[:1], *sorted(list(read)[1:])]}
    contents |= {f"release/{name}": content for name, content in released_files.items()}
    contents["internal/certificate.json"] = certificate_text(instance, g).encode()
    result = Review(
        Context(),
        instance,
        g,
        certificate,
        released,
        roles,
        risk_before,
        risk_after,
        (),
        attacks,
        utility,
        (),
        {name: sha256(content) for name, content in contents.items()},
        versions(),
        release_picture_svg(instance, g, **publication.said),
        released_files,
        sizes,
        own is not None,
        earlier=other_figures(released, instance, attacker.other_results, attacker.others)
        if released.groups_leave
        else (),
        other_bytes=tuple(other_bytes),
    )
    progress("Checking stated rules")
    return with_context(with_rulings(result, rules, stated_facts), context or Context(), decision)


def review_of(project: Project, instance: Any, g: Generalization, **more: Any) -> Review:
    """The review that a project describes; `more` are further arguments of `review`, or replacements."""
    looking = project.looking
    words = {"context": project.context, "facts": project.facts, "decision": project.decision}
    knowledge = Knowledge(limits=Limits.read(looking.limits), seed=looking.seed)
    settings = {"rules": looking.rules, "threshold": looking.threshold, "knowledge": knowledge}
    return review(instance, g, **{"leaving": project.leaving_of(instance), **words, **settings, **more})


def with_rulings(base: Review, rules: Sequence[str] | None, facts: Facts | None) -> Review:
    """The same review with these rules and what a person states now; nothing else is examined again."""
    stated_facts = facts or Facts()
    if stated_facts.population_sizes is None or base.population_sizes is not None:
        stated_facts = replace(stated_facts, population_sizes=base.population_sizes)
    new_rulings = rulings(
        base.released,
        base.g,
        base.instance,
        rules=rules,
        facts=stated_facts,
        attacks=base.attacks,
        earlier=base.earlier,
    )
    return with_context(replace(base, rulings=new_rulings), base.context, base.decision)


def with_context(base: Review, context: Context, decision: Decision | None = None) -> Review:
    """The same review with what an officer states and decides now; nothing of the release is examined again."""
    context.require_dates()
    if decision is not None:
        context, decision = agreed(context, decision)
    updated = replace(base, context=context, decision=decision)
    return replace(updated, checklist=checklist(updated))
