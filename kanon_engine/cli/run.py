"""`kanon run`: make the groups that a project file specifies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanon_engine.cli.files import STANDARD, Content, announce_file, require_writable
from kanon_engine.cli.flags import argument, flag_name, option, with_flags
from kanon_engine.cli.guard import progress_bar
from kanon_engine.cli.release import Publishing, publishing_flags, require_file_ending, write_outputs
from kanon_engine.cli.summary import Format, figures
from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import certified, verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import FAMILIES, get_family
from kanon_engine.project import LARGEST, Project, project_from
from kanon_engine.report.signing import signing_key

if TYPE_CHECKING:
    from kanon_engine.apply import OwnRelease


def run_command() -> Callable[..., None]:
    """`kanon run`, with the flags for publishing of every family that has a package."""
    flags = {flag.name: flag for family in FAMILIES.values() for flag in publishing_flags(family)}
    return with_flags(_run, flags.values())


def _run(
    project: Annotated[Path, argument("A project file, as kanon's pages save it.")],
    out: Annotated[
        Path | None, option("Write a list of items and their groups as .csv (internal), or the groups with shapes.")
    ] = None,
    certificate: Annotated[
        Path | None, option("Write the whole result as JSON, for “kanon verify” (internal).")
    ] = None,
    release: Annotated[Path | None, option("Write the release that the project specifies to this folder.")] = None,
    bundle: Annotated[Path | None, option("Write the signed bundle of the release as a .zip (internal).")] = None,
    data: Annotated[bool, option("Add to the bundle the data that kanon read.", "--data")] = False,
    time_limit: Annotated[float | None, option("Seconds after which a search stops with its best result.")] = None,
    form: Annotated[Format, option("Output format of the summary.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
    **settings: Any,
) -> None:
    """Read the files that a project lists, from its folder, and make its groups."""
    if not project.is_file():
        raise InvalidInput(f"There is no file {project}.")
    with project.open("rb") as file:
        parsed = project_from(file.read(LARGEST + 1))
    family = get_family(parsed.family)
    if out is not None:
        require_file_ending(family, out)
    publishing = Publishing.taken(family, settings, out)
    if settings:
        raise InvalidInput(
            f"kanon does not make packages for {family.items}; leave {flag_name(next(iter(settings)))} out."
        )
    inputs = [project, *(project.parent / name for name in parsed.files), *publishing.inputs]
    releasing = Releasing(parsed, project.parent, release, bundle, data)
    require_writable([out, certificate, *publishing.packages.values(), *releasing.paths], inputs, force)
    if bundle is not None:
        signing_key()  # fails before the search if no bundle can be signed
    instance, changed = parsed.read(project.parent)
    for sentence in changed:
        typer.echo(sentence, err=True)
    with progress_bar(f"{family.items}, k = {parsed.k:,}") as progress:
        g, proof = certified(
            instance,
            parsed.k,
            parsed.algorithm,
            require=parsed.require,
            seed=parsed.seed,
            time_limit=time_limit,
            progress=progress,
            **parsed.options,
        )
    if parsed.by_hand.moves:
        g, others = parsed.moved(instance, g)
        proof = verify(instance, g)
        for sentence in others:
            typer.echo(sentence, err=True)
    content = figures(instance, g, proof)
    files = publishing.files(instance, g, {"out": out, "certificate": certificate}, given=parsed.given_names(instance))
    contents, compared = releasing.made(instance, g)
    write_outputs(files, content, form, contents)
    releasing.tell(contents, compared)


# ---------------------------------------------------------------------------------------------------------------------
# `kanon run --release` and `--bundle`: a project's release, rebuilt byte for byte.
# ---------------------------------------------------------------------------------------------------------------------


WORDS = {
    True: "byte for byte as the project specifies",
    False: "NOT as the project specifies",
    None: "the project does not specify the content of this file",
}
OTHERS = (
    "The release is not as the project specifies: {names}. The input files, or the versions of kanon and its packages, "
    "have changed since the project was saved."
)


@dataclass(frozen=True)
class Releasing:
    """Where the release of a project goes."""

    asked: Project
    folder: Path  # that of the project
    release: Path | None  # the folder for the released files
    bundle: Path | None
    data: bool  # whether the data are in the bundle

    @property
    def files(self) -> dict[str, Path]:
        """The path of each released file; for a package also those that it may turn out to have."""
        if self.release is None:
            return {}
        return {name: self.release / name for name in self.asked.leaving.names(self.asked.family)}

    @property
    def paths(self) -> list[Path | None]:
        """All files that are written; the folder for released files is created if only it is missing."""
        if self.data and self.bundle is None:
            raise typer.BadParameter(
                "this option applies only to a bundle; write one with --bundle.", param_hint="--data"
            )
        if self.release is not None:
            if self.release == STANDARD:
                raise InvalidInput("Several files cannot go to standard output; give a folder with --release.")
            try:
                self.release.mkdir(exist_ok=True)
            except OSError as error:
                reason = error.strerror or type(error).__name__
                raise InvalidInput(
                    f"The folder {self.release} cannot be created ({reason}); give another folder."
                ) from error
        return [*self.files.values(), self.bundle]

    def made(self, instance: Any, g: Generalization) -> tuple[dict[Path, Content], dict[str, bool | None]]:
        """The content of each file, and whether each released file is as the project specifies; a bundle needs that."""
        if self.release is None and self.bundle is None:
            return {}, {}
        applied, files, compared = self.asked.leaving_of(instance).made(instance, g, self.folder)
        contents: dict[Path, Content] = {
            path: partial(files.__getitem__, name) for name, path in self.files.items() if name in files
        }
        if self.bundle is not None:
            _require_same(compared)
            bundled = self._bundle(instance, g, applied, files)
            contents[self.bundle] = lambda: bundled
        return contents, compared

    def _bundle(
        self, instance: Any, g: Generalization, applied: OwnRelease | None, files: Mapping[str, bytes]
    ) -> bytes:
        from kanon_engine.report.assemble import review_of  # loads the libraries that draw and write reports
        from kanon_engine.report.bundle import bundle

        looking = replace(self.asked.looking, beside=())  # nothing else is given to the review here
        project = replace(self.asked, looking=looking)
        recipe = project.sealed(self.folder, files, instance.reading).to_toml()
        review = review_of(project, instance, g, own=applied, files=files, inputs=project.inputs(self.folder))
        return bundle(review, key=signing_key(), data=self.data, recipe=recipe)

    def tell(self, paths: Collection[Path], compared: Mapping[str, bool | None]) -> None:
        """Say what was written; raise `InvalidInput` if a released file is not as the project specifies."""
        for name, path in self.files.items():
            if path in paths:
                announce_file(path, f"(may be released): {WORDS[compared[name]]}.")
        announce_file(self.bundle, "(internal; only its folder “release” may be released).")
        _require_same(compared)


def _require_same(compared: Mapping[str, bool | None]) -> None:
    others = [name for name, same in compared.items() if same is False]
    if others:
        raise InvalidInput(OTHERS.format(names=", ".join(others)))
