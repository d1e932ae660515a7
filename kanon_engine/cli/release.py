"""`kanon release`: export a result's groups, or a person's own records with group labels."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from kanon_engine.apply import groups_of_records_file, own_file, together_file
from kanon_engine.cli.counting import LIVING, PASSWORD, SOURCE_HELP, DryRun, Table, elsewhere, opened, statements
from kanon_engine.cli.files import READS, STANDARD, Content, announce_file, called, given, require_writable, write_files
from kanon_engine.cli.flags import argument, flag_name, option
from kanon_engine.cli.guard import progress_bar
from kanon_engine.cli.reading import COUNTED, OpenedCertificate
from kanon_engine.cli.summary import Format, as_json, summary_text
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import column_list
from kanon_engine.model.family import Family
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.setting import Setting
from kanon_engine.project.recipe import Leaving, package_of
from kanon_engine.release import require_releasable
from kanon_engine.release.formats import FORMATS, SHAPES, TABLE, dotted
from kanon_engine.release.publication import Output, outputs

RECORDS = "Your own records"
ABOUT = "this option applies only to your own records; give those records with --records."

By = Annotated[
    str | None,
    option("The column with the area codes or labels; for points, the two columns with coordinates, such as x,y; for "
           "clusters, the columns used for distances.", panel=RECORDS),
]  # fmt: skip
QuasiIdentifiers = Annotated[
    str, option("Other released columns by which people could be found, such as age,sex.", panel=RECORDS)
]
Least = Annotated[
    int | None,
    option("Minimum number of records that must look alike; by default, the result's k.", "-k", "--k", panel=RECORDS),
]


def run_release(
    certificate: Annotated[Path, argument(f"The certificate that another command wrote with --certificate; {READS}")],
    file: Annotated[str, argument(SOURCE_HELP)],
    out: Annotated[Path, option(f"The file to write: {dotted(FORMATS)}.")],
    records: Annotated[
        str | None,
        option(
            "Your own records, one per row: groups replace codes, places or labels in them. Give a file, or the place "
            f"where the records are stored: {LIVING}. {PASSWORD}",
            panel=RECORDS,
        ),
    ] = None,
    table: Table = None,
    dry_run: DryRun = False,
    by: By = None,
    quasi_identifiers: QuasiIdentifiers = "",
    keep: Annotated[str, option("Columns to release unchanged.", panel=RECORDS)] = "",
    sensitive: Annotated[str, option("Released columns that reveal something about a person.", panel=RECORDS)] = "",
    k: Least = None,
    together: Annotated[
        int | None,
        option(
            "Generalize all quasi-identifiers together, so that at least this many records look alike.", panel=RECORDS
        ),
    ] = None,
    codes_are_public: Annotated[
        bool, option("State that anyone can look up which place each area's code stands for.", "--codes-are-public")
    ] = False,
    formulas: Annotated[
        Literal["escape", "refuse"], option("What to do with text that a spreadsheet would run as a formula.")
    ] = "escape",
    form: Annotated[Format, option("Output format of the summary.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
    **files: Any,
) -> None:
    """Verify a certificate, then write its release and read it back to check it."""
    ending = out.suffix.lower().removeprefix(".") or ("csv" if out == STANDARD else "")
    if ending not in FORMATS:
        raise typer.BadParameter(
            f"{out.name} should end in {dotted(FORMATS)}; the ending determines the format.", param_hint="--out"
        )
    roles = {"quasi_identifiers": quasi_identifiers, "keep": keep, "sensitive": sensitive}
    require_about(records, ABOUT, {"by": by, **roles, "k": k, "together": together})
    inputs = [Path(one) for one in (file, records) if one is not None and not elsewhere(one)]
    require_writable([out], [certificate, *inputs, *files.values()], force)
    claimed, source = given(certificate, file)
    claim = OpenedCertificate.opened(claimed, source, files)
    g = claim.g
    living = records is not None and (table is not None or elsewhere(records) or g.reading.get("reader") == COUNTED)
    if dry_run and not living:
        raise typer.BadParameter(
            "this option applies only to records that are read where they are stored; give that place with --records.",
            param_hint="--dry-run",
        )
    columns: dict[str, Any] = {role: column_list(text) for role, text in {"by": by or "", **roles}.items()}
    if dry_run:
        typer.echo(_sql_of_pushed(g, str(records), table, **columns))
        return
    instance, _ = claim.with_records(records if living else None, table).verified()
    release = get_family(g.family).release
    options: dict[str, Any] = {"codes_are_public": codes_are_public}
    arguments = {} if release is None else release.asked(options)
    if living:
        if together is not None:
            raise typer.BadParameter(
                "this option applies only to records in a file; leave it out.", param_hint="--together"
            )
        summary = _pushed(str(records), table, instance, g, out, formulas=formulas, k=k, **columns, **arguments)
        _say(summary, out, form)
        return
    if records is None:
        output = _released(instance, g, ending, formulas, arguments)
        summary, content = {"sentence": output.contents, "k": g.k, "groups": g.classes}, output.make()
    else:
        applied = Leaving(own=records, k=k, **columns, **options).own_release(instance, g, Path(records))
        summary = release_figures(applied, applied.released)
        if together is not None:
            content, sentence = together_file(applied, together, ending, formulas)
            summary["sentence"] += f" {sentence}"
        elif ending in SHAPES:
            content = groups_of_records_file(instance, g, applied, ending, **options)
        else:
            content = own_file(instance, g, applied, ending, formulas)
    write_files({out: lambda: content})
    _say(summary, out, form)


def _say(summary: dict[str, Any], out: Path, form: Format) -> None:
    """Print what was released, and where it is."""
    notice = (
        f"Written: {called(out)} (kanon's rules allow publication; other rules may not). The file was read again and "
        "matches the certificate."
    )
    text = "\n".join([summary["sentence"], *summary.get("notes", ()), notice])
    typer.echo(as_json(summary | {"written": called(out)}) if form is Format.JSON else text, err=out == STANDARD)


def _released(instance: Any, g: Generalization, ending: str, formulas: str, arguments: Mapping[str, Any]) -> Output:
    """The result's own release."""
    family = get_family(g.family)
    if family.release is not None and family.release.settled is not None:
        family.release.settled(instance)
    name = "release" if family.releases_records and ending not in SHAPES else "groups"
    by_ending = {one.ending: one for one in outputs(instance, g, formulas=formulas, **arguments)}
    chosen = by_ending.get(f"{name}.{ending}")
    if chosen is None:
        raise InvalidInput(f"These {family.items} have no shapes to write as .{ending}; write {dotted(TABLE)}.")
    if not chosen.publishable:
        raise InvalidInput(f"This file must not be released. {chosen.contents}")
    return chosen


def require_about(whole: object, about: str, flags: Mapping[str, Any]) -> None:
    """Refuse flags that apply only to a file that was not given; `about` is the error sentence."""
    idle = [] if whole is not None else [name for name, value in flags.items() if value]
    if idle:
        raise typer.BadParameter(about, param_hint=flag_name(idle[0]))


def release_figures(applied: Any, released: Any) -> dict[str, Any]:
    """Figures of released own records, and of those below k; `released` has their number and columns."""
    below = applied.below
    return {
        "sentence": applied.sentence,
        "notes": list(applied.notes),
        "records": released.records,
        "left_out": {reason: count for reason, count, _ in applied.unmatched.reasons},
        "k": released.k,
        "promised": {"k": applied.promised, "unit": applied.unit, "of": int(applied.population.sum())},
        "groups": int((applied.own > 0).sum()),
        "quasi_identifiers": list(released.quasi_identifiers),
        "below": {"records": below.records, "sets": below.groups, "smallest": below.smallest},
    }


def _pushed(
    records: str, table: str | None, instance: Any, g: Generalization, out: Path, **options: Any
) -> dict[str, Any]:
    """Write the release of records where they live, using the engine; returns its figures.

    An existing file is replaced once the new one is complete.
    """
    from kanon_engine.records import Records, release

    # a path stays a path, so that nothing is written among the records themselves
    living = nullcontext(records) if table is None else Records.open(records, table)
    unfinished = tempfile.TemporaryDirectory(prefix=".kanon-", dir=out.parent)
    with unfinished as folder, progress_bar("releasing") as progress, living as source:
        part = Path(folder, out.name) if out.exists() else out
        result = release(source, instance, g, part, progress=progress, **options)
        if part != out:
            os.replace(part, out)
    return release_figures(result, result)


def _sql_of_pushed(g: Generalization, records: str, table: str | None, by: list[str], **roles: list[str]) -> str:
    """The SQL that `_pushed` sends to the engine."""
    from kanon_engine.records import sql_of_release

    where = by
    if not where and g.family == "tables":
        where = [str(name) for name in g.reading.get("by") or g.reading.get("quasi_identifiers") or ()]
    if not where:
        raise InvalidInput("List the column or columns that determine the group of a record.", parameter="by")
    with opened(records, table) as (living, _):
        return statements(sql_of_release(living, where, [name for names in roles.values() for name in names]))


# ---------------------------------------------------------------------------------------------------------------------
# Flags for publishing: packages, and a person's choices for a release.
# ---------------------------------------------------------------------------------------------------------------------


PANEL = "Publishing"
PACKAGES = {
    "package": "Write one .zip with everything that may be published.",
    "internal_package": "Write one .zip with the internal files of the package: list of areas and their groups, "
    "certificate, names assigned to groups.",
}


def publishing_flags(family: Family) -> list[Setting]:
    """The flags of a family's package; none if it has no package."""
    package = family.release.package if family.release else None
    if package is None:
        return []
    files = [Setting(name, words, "file", panel=PANEL) for name, words in PACKAGES.items()]
    return [*files, *(replace(parameter, panel=PANEL) for parameter in package.parameters)]


@dataclass(frozen=True)
class Publishing:
    """The flags for publishing that were given."""

    packages: Mapping[str, Path] = field(default_factory=dict)  # which package goes where
    settings: Mapping[str, Any] = field(default_factory=dict)  # the other flags for publishing
    shapes: Mapping[str, Any] = field(default_factory=dict)  # those that also apply to the shapes of `--out`

    @classmethod
    def taken(cls, family: Family, settings: dict[str, Any], out: Path | None) -> Publishing:
        """Remove them from the given flags; a usage error if one applies to no file."""
        release = family.release
        if release is None or release.package is None:
            return cls()
        packages = {name: settings.pop(name) for name in PACKAGES if name in settings}
        names = [parameter.name for parameter in release.package.parameters]
        publishing = {name: settings.pop(name) for name in names if name in settings}
        shaped = out is not None and out.suffix.lower() in release.shapes
        shapes = {name: value for name, value in publishing.items() if shaped and name in release.asks}
        idle = [name for name in publishing if not packages and name not in shapes]
        if idle:
            more = f" or shapes ({' or '.join(release.shapes)} with --out)" if idle[0] in release.asks else ""
            raise typer.BadParameter(f"this option applies only to a package{more}; write one with --package.",
                                     param_hint=flag_name(idle[0]))  # fmt: skip
        return cls(packages, publishing, shapes)

    @property
    def inputs(self) -> list[Path]:
        """The files that are read for publishing."""
        return [value for value in self.settings.values() if isinstance(value, Path)]

    def files(
        self, instance: Any, g: Generalization, paths: Mapping[str, Path | None], formulas: str = "escape", **more: Any
    ) -> dict[Path, Output]:
        """The content of each file: those of `paths` by their flags, and the packages, which also get `more`."""
        family = get_family(g.family)
        ending_of = {path: _ending(family, flag, path) for flag, path in paths.items() if path is not None}
        available = outputs(instance, g, formulas=formulas, **self.shapes) if ending_of else ()
        by_ending = {output.ending: output for output in available}
        if not by_ending.keys() >= set(ending_of.values()):
            require_releasable(g)
            raise InvalidInput(
                f"These {family.items} have no shapes; write a list of items and their groups as .csv, or read a file "
                "with shapes."
            )
        result = {path: by_ending[ending] for path, ending in ending_of.items()}
        if self.packages:
            require_releasable(g)
            package = package_of(family)
            both = package.outputs(
                instance, g, package.publication(instance, formulas=formulas, **self.settings, **more)
            )
            by_flag = dict(zip(PACKAGES, both, strict=True))
            result |= {path: by_flag[flag] for flag, path in self.packages.items()}
        return result


# ---------------------------------------------------------------------------------------------------------------------
# The files that the command line writes, from the engine's one list of files.
# ---------------------------------------------------------------------------------------------------------------------


def endings(family: Family) -> dict[str, str]:
    """The possible endings of the path of --out, and the output of each."""
    return {".csv": "crosswalk.csv"} | (dict(family.release.shapes) if family.release else {})


def require_file_ending(family: Family, path: Path) -> None:
    """A usage error unless the ending says what to write."""
    if path != STANDARD and path.suffix.lower() not in endings(family):
        raise typer.BadParameter(
            f"{path.name} should end in {' or '.join(endings(family))}; the ending determines the format.",
            param_hint="--out",
        )


def _ending(family: Family, flag: str, path: Path) -> str:
    """The name of the output for this path; the flag is "out", "release" or "certificate"."""
    if flag == "out":
        return endings(family)[path.suffix.lower() or ".csv"]
    kind = path.suffix.lower().removeprefix(".")
    return "certificate.json" if flag == "certificate" else f"release.{kind if kind in TABLE else 'csv'}"


def write_outputs(
    files: Mapping[Path, Output],
    content: dict[str, Any],
    form: Format,
    more: Mapping[Path, Content] | None = None,
) -> None:
    """Write these files and `more`, then print the result's figures and which files may be published."""
    write_files({**{path: output.make for path, output in files.items()}, **(more or {})})
    typer.echo(as_json(content) if form is Format.JSON else summary_text(content), err=STANDARD in files)
    for path, output in files.items():
        use = "may be published" if output.publishable else "internal"
        announce_file(path, f"({use}). {output.contents}")
