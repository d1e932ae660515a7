"""`kanon report`: what an officer signs."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from kanon_engine.apply import OwnRelease
from kanon_engine.cli.attack import TELL, Others, Outside, Seed, knowledge_of, table_in
from kanon_engine.cli.files import READS, Content, announce_file, called, given, require_writable, write_files
from kanon_engine.cli.flags import argument, option
from kanon_engine.cli.reading import OpenedCertificate
from kanon_engine.cli.release import (
    ABOUT,
    PANEL,
    RECORDS,
    By,
    Least,
    QuasiIdentifiers,
    release_figures,
    require_about,
)
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import column_list
from kanon_engine.io.source import Source
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import FAMILIES, get_family
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.setting import Setting
from kanon_engine.project import ByHand, Project, project_of
from kanon_engine.project.context import context_from, decision_from
from kanon_engine.project.recipe import THRESHOLD, Leaving, Looking, package_of, reviewed, with_earlier
from kanon_engine.release.formats import FORMATS
from kanon_engine.report.review import Review
from kanon_engine.report.signing import signing_key
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.matching import Match
from kanon_engine.risk.population import counts_column, people_of
from kanon_engine.risk.rules.facts import facts_from
from kanon_engine.validate import told

POPULATION = "The population"
ATTACK = ("attack", "verdict", "found", "of", "unit", "interval", "sentence")  # the shown fields of an attack


def run_report(
    *,
    certificate: Annotated[Path, argument(f"The certificate that another command wrote with --certificate; {READS}")],
    file: Annotated[Path, argument("The file that the result was made from.")],
    bundle: Annotated[Path | None, option("Write the signed bundle as a .zip (internal).")] = None,
    html: Annotated[Path | None, option("Write the report as a single .html.")] = None,
    pdf: Annotated[Path | None, option("Write the report as a .pdf.")] = None,
    context: Annotated[
        Path | None,
        option(
            "A .toml file of what only you know, such as recipient and purpose, in the sections [context], [facts] and "
            "[decision]."
        ),
    ] = None,
    records: Annotated[
        Path | None,
        option("Your own records, one per row: groups replace codes, places or labels in them.", panel=RECORDS),
    ] = None,
    by: By = None,
    quasi_identifiers: QuasiIdentifiers = "",
    rules: Annotated[
        str | None, option("Stated rules to compare the release with, separated by commas; by default, all.")
    ] = None,
    keep: Annotated[
        str | None,
        option(
            "Columns of a table or of your records to release unchanged, such as age,sex. For areas, second counts to "
            "sum for each group, as with --carry."
        ),
    ] = None,
    sensitive: Annotated[
        str | None, option("Which of the kept columns reveal something about a person, such as illness,income.")
    ] = None,
    k: Least = None,
    threshold: Annotated[
        float, option("A record is at risk if the chance of identifying it is above this number, such as 0.1.")
    ] = THRESHOLD,
    population: Annotated[
        Path | None,
        option("A table of the population, with one row per person or with a column of counts.", panel=POPULATION),
    ] = None,
    population_match: Annotated[
        list[str] | None,
        option(f"Which columns of the release match which columns of that table, such as {TELL}", panel=POPULATION),
    ] = None,
    population_count: Annotated[
        str | None, option("The column of that table that says how many people a row represents.", panel=POPULATION)
    ] = None,
    population_size: Annotated[
        int | None,
        option(
            "Size of the population that the records were randomly sampled from; by default, the size of the "
            "population table.",
            panel=POPULATION,
            min=1,
        ),
    ] = None,
    outside: Outside,
    others: Others,
    seed: Seed = 0,
    form_of_files: Annotated[
        str | None,
        option(f"Formats of the release: {', '.join(FORMATS)}, separated by commas. Default: csv.", "--formats"),
    ] = None,
    package: Annotated[
        Path | None, option("Review exactly the files in this package (.zip).", "--package", panel=PANEL)
    ] = None,
    other_package: Annotated[
        list[Path] | None,
        option("An earlier published package of the same areas; may be repeated.", "--other-package", panel=PANEL),
    ] = None,
    data: Annotated[
        bool, option("Add to the bundle the data that kanon read, for the bundle's checker (“python check”).", "--data")
    ] = False,
    codes_are_public: Annotated[
        bool, option("State that anyone can look up which place each area's code stands for.", "--codes-are-public")
    ] = False,
    form: Annotated[Format, option("Output format of the summary.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
    **files: Any,
) -> None:
    """Verify a certificate, measure the risk of its release, compare it with stated rules, and attack it."""
    outputs = (bundle, html, pdf)
    packed = Packed.taken(files, package, other_package or [])
    require_about(records, ABOUT, {"by": by, "quasi_identifiers": quasi_identifiers, "k": k})
    require_about(
        outside.against, "this option applies only to a table of names; give one with --against.", vars(outside)
    )
    require_about(population, "this option applies only to a table of the population; give one with --population.",
                  {"population_match": population_match, "population_count": population_count})  # fmt: skip
    require_about(others.other_certificate,
                  "this option applies only to other releases; give those releases with --other-certificate.",
                  {name: vars(others)[name] for name in ("other_file", "person", "crosswalk")})  # fmt: skip
    require_about(bundle, "this option applies only to a bundle; write one with --bundle.", {"data": data})
    tables = [path for path in (records, population, outside.against, others.crosswalk) if path is not None]
    read = [certificate, file, *tables, *others.paths]
    more = [*files.values(), *packed.inputs]
    require_writable(outputs, [*read, *([context] if context else []), *more], force)
    if bundle is not None:
        signing_key()  # fails before any work if no bundle can be signed
    words = officer_entries(context)
    sources = dict(zip(read, given(*read), strict=True))
    instance, g = OpenedCertificate.opened(sources[certificate], sources[file], files).verified()
    texts = {"by": by, "quasi_identifiers": quasi_identifiers, "keep": keep, "sensitive": sensitive}
    roles = {role: column_list(text or "") for role, text in texts.items()}
    arguments: dict[str, Any] = {"codes_are_public": True} if codes_are_public else {}
    arguments |= {role: tuple(names) for role, names in roles.items()}
    leaving = Leaving(own="" if records is None else sources[records].name, k=k, **arguments)
    applied = None if records is None else leaving.own_release(instance, g, sources[records])
    formats = column_list(form_of_files or "")
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise InvalidInput(f"There is no format {unknown[0]!r}; choose from {', '.join(FORMATS)}.")
    leaving, leaving_files, other_bytes = packed.leaving(instance, g, replace(leaving, formats=tuple(formats)))
    knowledge = packed.known(instance, g, knowledge_of(outside, others, seed, file, sources, files))
    everyone, same = table_in(sources, population), tuple(map(Match.read, population_match or []))
    from kanon_engine.report.assemble import review_of  # loads the libraries that draw and write reports

    read_of = _inputs([Source.open(sources.get(path, path)) for path in [file, *tables, *others.paths, *more]])
    project = project_of(instance, g, sources[file].name, {role: Path(path).name for role, path in files.items()})
    paths = [population, outside.against, *(others.other_certificate or []), *packed.earlier]
    extra = [called(path) for path in paths if path is not None]
    extra += [] if population_size is None else [f"a population of {population_size:,}"]
    extra += [str(package)] if other_bytes else []
    extra += [f"the tree {one}" for one in others.tree or []]
    requested = None if rules is None else tuple(column_list(rules))
    looking = Looking(requested, threshold, seed, knowledge.limits.texts, tuple(extra))
    full_project = replace(
        project or Project(g.family, "", g.k, g.algorithm), leaving=leaving, looking=looking, **words
    )
    review = review_of(
        full_project,
        instance,
        g,
        leaving=leaving,
        knowledge=knowledge,
        own=applied,
        population=everyone,
        population_match=same,
        population_count=population_count,
        population_size=population_size,
        files=leaving_files,
        other_bytes=other_bytes,
        inputs=read_of,
    )
    recipe = None
    if project is not None:
        digests = {name: content_digest(data=read_of[name]) for name in project.files if name in read_of}
        by_hand = ByHand(names=tuple((one.name, tuple(one.records)) for one in leaving.given))
        full_project = replace(full_project, digests=digests, by_hand=by_hand, leaving=leaving.sealed(review.files))
        recipe = full_project.to_toml()
    write_files(_contents(review, bundle, html, pdf, data, recipe))
    typer.echo(_summary(review, applied) if form is Format.TABLE else as_json(_figures(review, applied)))
    if everyone is not None and population is not None:
        column = population_count or counts_column(everyone, review.released, same)
        people = people_of(everyone, review.released, same, column)
        basis = f"according to its column “{column}”" if column else "one per row"
        typer.echo(f"{called(population)} lists {people:,} people, {basis}.", err=True)
    for path in outputs:
        announce_file(path, "(internal).")


def _inputs(read: Sequence[Source]) -> dict[str, bytes]:
    """Name → content; a second file of the same name gets a number."""
    contents: dict[str, bytes] = {}
    for source in read:
        name, number = source.name, 2
        while contents.get(name, source.data) != source.data:
            name, number = f"{source.name} ({number})", number + 1
        contents[name] = source.data
    return contents


def _contents(
    review: Review, bundle: Path | None, html: Path | None, pdf: Path | None, data: bool, recipe: str | None
) -> dict[Path | None, Content]:
    """The content of each file; the report is made only once."""
    from kanon_engine.report import bundle as bundling

    printed = cache(lambda: bundling.reports(review))
    return {
        html: lambda: printed()[0],
        pdf: lambda: printed()[1],
        bundle: lambda: bundling.bundle(review, key=signing_key(), data=data, recipe=recipe, printed=printed()),
    }


def _summary(review: Review, applied: OwnRelease | None) -> str:
    why = [(one.title, one.verdict, f"{one.told} {one.next_step}".rstrip()) for one in review.rulings]
    rules = columns(why, ["rule", "verdict", "why"])
    attacks = columns([(one.title, one.verdict, one.sentence) for one in review.attacks], ["attack", "verdict", "why"])
    risk = columns([(one.title, one.words) for one in review.after], ["risk of the release", "figure"])
    records = "" if applied is None else "\n".join([applied.sentence, *applied.notes, "", ""])
    return f"{records}{rules}\n\n{attacks}\n\n{risk}"


def _figures(review: Review, applied: OwnRelease | None) -> dict[str, Any]:
    return {
        "family": review.g.family,
        "k": review.g.k,
        **({} if applied is None else {"own_records": release_figures(applied, applied.released)}),
        "rules": [
            {"rule": one.key, "verdict": one.verdict, "found": one.found, "step": one.step, "origin": one.origin}
            for one in review.rulings
        ],
        "attacks": [{name: getattr(one, name) for name in ATTACK} for one in review.attacks],
        "risk": {one.key: one.value for one in review.after},
        "before": {one.key: one.value for one in review.before},
        "utility": {one.key: one.value for one in review.utility},
        "checklist": {"done": sum(line.done for line in review.checklist), "of": len(review.checklist)},
        "digests": dict(review.digests),
    }


# ---------------------------------------------------------------------------------------------------------------------
# `kanon report` of a package: its flags, one that was published, and those published before.
# ---------------------------------------------------------------------------------------------------------------------


def package_flags() -> list[Setting]:
    """The flags of a package, except whether codes are public, which every release of areas needs."""
    packages = [family.release.package for family in FAMILIES.values() if family.release and family.release.package]
    parameters = (one for package in packages for one in package.parameters if one.name != "codes_are_public")
    return [replace(one, panel=PANEL) for one in parameters]


@dataclass(frozen=True)
class Packed:
    """The flags of `kanon report` for packages."""

    settings: Mapping[str, Any]  # for a package to make, by parameter name
    reviewed: Path | None  # a package that is reviewed as it is
    earlier: Sequence[Path]  # packages that were published before

    @classmethod
    def taken(cls, settings: dict[str, Any], reviewed: Path | None, earlier: Sequence[Path]) -> Packed:
        """Remove the flags for packages from the given ones."""
        package_settings = {flag.name: settings.pop(flag.name) for flag in package_flags() if flag.name in settings}
        if reviewed is not None and package_settings:
            raise InvalidInput(
                "The package is reviewed as it is; give --package without flags that would make another package."
            )
        return cls(package_settings, reviewed, tuple(earlier))

    @property
    def inputs(self) -> list[Path]:
        """The files that are read for packages."""
        names = [value for value in self.settings.values() if isinstance(value, Path)]
        return [*names, *([self.reviewed] if self.reviewed else []), *self.earlier]

    def leaving(
        self, instance: Any, g: Generalization, requested: Leaving
    ) -> tuple[Leaving, dict[str, bytes] | None, tuple[str, ...]]:
        """The release, `said` in other flags; for a reviewed package also its files, and those with different bytes."""
        family = get_family(g.family)
        if self.reviewed is not None:
            if requested.own or requested.keep or requested.formats:
                raise InvalidInput("The package is reviewed as it is; leave out --keep, --formats and --records.")
            return reviewed(instance, g, Source.open(self.reviewed).data, called(self.reviewed))
        carried = (
            requested.keep and not requested.own and family.release is not None and family.release.package is not None
        )
        if not (carried or self.settings):
            return requested, None, ()
        if requested.own or requested.formats:
            raise InvalidInput("A package has its own formats; leave out --formats and --records.")
        settings = {"date": datetime.date.today().isoformat(), **self.settings}
        carry = dict.fromkeys([*requested.keep, *column_list(settings.pop("carry", ""))])
        publication = package_of(family).publication(instance, **settings, **requested.said, carry=list(carry))
        return Leaving.decided(publication), None, ()

    def known(self, instance: Any, g: Generalization, knowledge: Knowledge) -> Knowledge:
        """What attackers have, with the packages that were published before."""
        for path in self.earlier:
            knowledge = with_earlier(knowledge, instance, g, Source.open(path).data, path.name)
        return knowledge


# ---------------------------------------------------------------------------------------------------------------------
# A person's file about a release: its context, the decision, and facts that stated rules need.
# ---------------------------------------------------------------------------------------------------------------------


MOST = 1_000_000  # bytes


def officer_entries(path: Path | None) -> dict[str, Any]:
    """From a .toml: the entries of a context, or [context], [facts] and [decision], as in a project file."""
    if path is None:
        return {}
    entries = _parsed(path)
    facts, decision = entries.pop("facts", {}), entries.pop("decision", {})
    if "kanon" in entries:  # a project file, which has many other entries
        entries = {"context": entries.get("context", {})}
    context = entries.pop("context", None)
    if context is None:
        context, entries = entries, {}
    if entries:
        raise InvalidInput(
            f"{path.name} has the unknown entry {told(next(iter(entries)))}; put it under [context], [facts] or "
            "[decision], or leave it out."
        )
    if not isinstance(facts, dict):
        raise InvalidInput(f"{path.name} has facts = {told(facts)}, but facts must be in a section [facts].")
    return {"context": context_from(context), "facts": facts_from(facts), "decision": decision_from(decision)}


def _parsed(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    with path.open("rb") as opened:
        content = opened.read(MOST + 1)
    if len(content) > MOST:
        raise InvalidInput(
            f"{path.name} has more than {MOST:,} bytes, which is too long for a context; choose another file."
        )
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path.name} is broken TOML ({error}); correct it.") from error
