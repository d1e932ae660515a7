"""README, report, recipe and checker of a bundle: rebuilt and compared, or listed as not checked."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.project import Project, project_from
from kanon_engine.project.context import agreed
from kanon_engine.project.manifest import Manifest, listed, sha256, versions
from kanon_engine.release.publication import outputs
from kanon_engine.release.reread import ReleasedFile, require_cells
from kanon_engine.report import bundle as bundling
from kanon_engine.report.bundle import CHECK, MANIFEST, PRINTED, README, RECIPE, RELEASE, REPORT
from kanon_engine.report.review import Review
from kanon_engine.verification.bundle import rows_of, sizes_of
from kanon_engine.verification.codec import MALFORMED
from kanon_engine.verification.core import Check

SAME = "rebuilt, it is identical byte for byte."
PUBLIC = "codes_are_public"
SHAPED = (".gpkg", ".geojson")  # files that contain more than cells
NAME_DATA = "also give the file that was read."
OLDER_FILE = "check.py"  # the checker of bundles from before they contained the verifier's folder
OLDER_CHECKERS = frozenset({  # `checker_digest` of each that an earlier state of kanon put into bundles
    "5848360210e714199c577a22448ae709ea8e075bc17d0e981c88c64912574fd8",
    "bd4371957f68d940696d34075099d172ac423840557b39dcc10ee6dd142b3f23",
    "c1c9181ab157948297ada1339140098d7d2954396ae986f1b6d3c752909b017c",
    "1da0a35cd432b38d7046570d2b5e2a5b2dd2299292146aa11629daa66711032c",
    "34fb9c2625c2a2fad48e45f3ec856ec4ff543488ccc0074cb5b6a4db7bfad097",
    "c43da10aad9e6f4d7fef17f5ea77788e4a3875e40671d0284b768bc3f703efde",
    "19e599566f340d9d72a14841dd017ed3231abb1936ed89ea0603b3100fa067d5",
    "4649af9764b3a8f2f2609218937cd1f85eaee5d2893a5192b4ce16400e6664ed",
    "2b8ede516d67786ba9367222b68dba1b8e1ddfdfe150190b511f40417b0a2921",
    "86e30e34f7af9a365a25352d47cb1edd57397d7361226c62404833502dbcae57",
    "639e00d6e58b51d1e35cf7a2842a6cf72944729092348a1732a9e8ad869de5e9",
    "b85c15ab299f383d3466a6b01875fade4dc642a2c576967d50ce02cd70895ec6",
    "d1316e54d4f388b7999fa6267bb17c38649898abf7bf18fb44f62c32b3d0778a",
    "8ac1b58abc6ef0ef025e5cf1d85be161c83090cb907e65233b9fcdffc885bbf6",
    "c0d7b289f99e51dc9df0d50840ab7627d30b629c0f81c7392869c8316a33825a",
    "24c774362c8b3fc0e5ece97b41937f76285cf811ec9f580e5c108a8e9c239337",
    "9206ec01b101fd359e6adc732a42149aebd67615757771559406e7b5d0b9fdc8",
    "1879a7939ac1127509d04e681347badddaa06e8d439f8b2c014d42bbb60776c4",
    "87d0acaccbd3dec8427a6325abb3a203668547c1c7dfd2261e909bdf8aa41b51",
    "e287591132191440deacefbeffbb6625d37550df439318a2db5032a8d7ed726c",
    "aaf08859fca53c783bbf798663ddc3912858c6e17e501c35d8de164cbc1046e1",
    "f25f91610fec97f34aeba211618530fc5e23688ed924320ff4cc658a280b3aad",
    "8521c0ae484b4723d8d56c8fb2a539b922d420b8519fe3679aca70dc9fbacab7",
    "1fa401ff491a5d3b0a1e9a2291398599a3d59ce6cca3aa448ea95930b6569ccf",
    "5195d60b88044e713685ac5e1ae51b43499173362908365870f29ee9db619718",
    "73015e56f88900ddb95c34752d29bd1c8224b3a532a96d05c5084f004620e3a2",
    "11b996dcd0a11970bb7b63642dd975ba317c2f4c6ab13e60887ce723eeeff1ac",
    "f6262fbbeabea0a56a85155846c6ae2ccef96796dc1a69b8f6e48d047540c9f1",
    "3b73961ab2d772a2e604bd05070ef80215e327702230ffb12e20e29f075d4a77",
    "4be36e53aba9f42d84cbc32d85e63787c2936ac15c99638ea1d5b492d3334162",
})  # fmt: skip


@dataclass(frozen=True)
class NotChecked:
    """A file of a bundle that was not compared, or not in full, and why."""

    name: str
    why: str


def checker_files(names: Iterable[str]) -> list[str]:
    """The checker's files among the members of a bundle: its folder, or the one file of older bundles."""
    return [name for name in names if name.startswith(CHECK) or name == OLDER_FILE]


def checker_digest(files: Mapping[str, bytes]) -> str:
    """SHA-256 of the output of `sha256sum check/*`; for an older bundle with one file, of that file."""
    if list(files) == [OLDER_FILE]:
        return sha256(files[OLDER_FILE])
    return sha256("".join(f"{sha256(content)}  {name}\n" for name, content in sorted(files.items())).encode())


@dataclass(frozen=True)
class OpenedBundle:
    """A bundle whose signature and digests are valid, and what its files are compared with."""

    members: Mapping[str, bytes]  # name → content
    manifest: Manifest
    g: Generalization
    instance: Any = None  # the data, if given
    recipe: Project | None = None  # if there is one

    @cached_property
    def released(self) -> dict[str, bytes]:
        """The released files, by their names in the folder release."""
        entries = self.members.items()
        return {name.removeprefix(RELEASE): content for name, content in entries if name.startswith(RELEASE)}

    @cached_property
    def same_versions(self) -> bool:
        """Whether this kanon, with these packages, writes the same bytes as the one that made the bundle."""
        return dict(self.manifest.versions) == versions()

    def compared(self, name: str, content: bytes, expected: bytes, source: str) -> Check | NotChecked:
        """Compare a file with what it must be.

        `CertificateError` if it differs although the same versions, with the same checker, wrote and rebuilt it: an
        earlier state of the same version had a different checker.
        """
        if content == expected:
            return Check(name, True, SAME)
        listing = {name: self.manifest.files[name] for name in checker_files(self.manifest.files)}
        this_checker = {name: listed(content) for name, content in bundling.checker().items()}
        if self.same_versions and listing == this_checker:
            raise CertificateError(name, f"it differs when rebuilt from {source}, so it was changed.")
        return NotChecked(
            name, "it was written by other versions of kanon or its packages, which write different bytes."
        )

    def checker(self) -> Check | NotChecked:
        """Compare the checker of a bundle with this kanon's verifier; it must come from some version of kanon."""
        stored, current = {name: self.members[name] for name in checker_files(self.members)}, bundling.checker()
        if stored == current:
            return Check(
                CHECK,
                True,
                f"its {len(current):,} files are byte-for-byte identical to those of this version of kanon.",
            )
        if checker_digest(stored) in OLDER_CHECKERS:
            words = "the checker comes from an earlier version of kanon; read it before you run it."
            return NotChecked(min(stored), words)
        name = min(name for name in {**stored, **current} if stored.get(name) != current.get(name))
        raise CertificateError(
            OLDER_FILE if OLDER_FILE in stored else name,
            "the checker does not come from this version of kanon or an earlier one: it was changed, or a later "
            "version wrote it.",
        )

    def readme(self) -> Check | NotChecked:
        """The README, which follows from the names of the files, the result, and the title; no data are needed."""
        names = [name for name in self.members if name.startswith((RELEASE, bundling.INTERNAL))]
        title = self.manifest.context.get("title", "")
        inputs = (*self.manifest.input, "")
        # the README names one of the files that were read; the manifest does not say which
        candidates = [bundling.readme(self.g, title, file, names).encode() for file in inputs]
        expected = self.members[README] if self.members[README] in candidates else candidates[0]
        return self.compared(README, self.members[README], expected, "the certificate and the names of the files")

    def with_recipe(self) -> OpenedBundle:
        """The same with its recipe, if there is one; it must agree with the certificate and the manifest."""
        if RECIPE not in self.members:
            return self
        try:
            recipe = project_from(self.members[RECIPE])
        except InvalidInput as error:
            raise CertificateError(RECIPE, str(error)) from error
        for what, (actual, expected) in self._counterparts(recipe).items():
            if actual != expected:
                difference = f": {actual!r} instead of {expected!r}" if isinstance(actual, str | int | float) else ""
                raise CertificateError(RECIPE, f"it differs from this bundle in {what}{difference}.")
        return replace(self, recipe=recipe)

    def _counterparts(self, recipe: Project) -> dict[str, tuple[Any, Any]]:
        """What the recipe says, and what the certificate or the manifest says about the same."""
        g = self.g
        hands = get_family(g.family).by_hand if recipe.by_hand.moves else None
        algorithm = recipe.algorithm if hands is None else hands.algorithm.name
        context, decision = (
            (recipe.context, None) if recipe.decision is None else agreed(recipe.context, recipe.decision)
        )
        pairs: dict[str, tuple[Any, Any]] = {
            "the family": (recipe.family, g.family),
            "k": (recipe.k, g.k),
            "the algorithm": (algorithm, g.algorithm),
            "the requirements": (set(recipe.require), set(g.require)),
            "the context": (asdict(context) | bundling.decided(decision), dict(self.manifest.context)),
        }
        if hands is None:
            pairs |= {f"the option {name}": (value, g.options.get(name)) for name, value in recipe.options.items()}
            pairs |= {"the seed": (recipe.seed, g.seed)}
        read = ((name, value) for name, value in recipe.meant.items() if name in g.reading)
        pairs |= {f"the setting {name} for reading": (_plain(value), _plain(g.reading[name])) for name, value in read}
        if recipe.leaving.digests:
            released = {name: sha256(content) for name, content in self.released.items()}
            pairs["the digests of the release"] = (dict(recipe.leaving.digests), released)
        return pairs

    def reports(self) -> Iterator[Check | NotChecked]:
        """Both forms of the report and what the manifest says, rebuilt from the data and the recipe."""
        why = self._why_not()
        if why or self.recipe is None:
            names = (REPORT, PRINTED, MANIFEST, *([RECIPE] if self.recipe else []))
            yield from (NotChecked(name, why) for name in names)
            return
        review = self._review(self.recipe)
        source = "the data and the recipe"
        rebuilt = zip((REPORT, PRINTED), bundling.reports(review), strict=True)
        both = [self.compared(name, self.members[name], expected, source) for name, expected in rebuilt]
        summaries = (self.manifest.released, bundling.read_as(review))
        stored, recomputed = (json.dumps(one, sort_keys=True).encode() for one in summaries)
        manifest = self.compared(MANIFEST, stored, recomputed, source)
        yield from both
        if all(isinstance(one, Check) for one in (*both, manifest)):
            if not self.same_versions:
                raise CertificateError(
                    MANIFEST,
                    "it states versions of kanon or its packages other than those in the report, so it was changed.",
                )
            yield Check(MANIFEST, True, "the release and the context match the recipe and the report.")
        else:
            yield from (NotChecked(name, "the report could not be compared.") for name in (RECIPE, MANIFEST))

    def _why_not(self) -> str:
        """Why the report cannot be rebuilt, or ""."""
        if self.recipe is None:
            return "no recipe says what it was made from."
        extra = [*self.recipe.looking.beside, *([self.recipe.leaving.own] if self.recipe.leaving.own else [])]
        if extra:
            return f"it is based on more than the data and the recipe: {', '.join(extra)}."
        return NAME_DATA if self.instance is None else ""

    def _review(self, recipe: Project) -> Review:
        from kanon_engine.report.assemble import review_of, with_context  # loads what draws and writes reports

        review, read = review_of(recipe, self.instance, self.g, files=self.released), self.manifest.input
        first = {name: read[name] for name in [recipe.file] if name in read}
        digests = first | dict(sorted(read.items())) | dict(review.digests)
        return with_context(replace(review, digests=digests), recipe.context, recipe.decision)

    def files(self) -> Iterator[Check | NotChecked]:
        """Rebuild each released file as the recipe says, or otherwise as kanon makes it, and compare it."""
        recipe, released = self.recipe, self.released
        if recipe is not None and recipe.leaving.own:
            why = f"rebuilding it requires {recipe.leaving.own}; “kanon run” rebuilds it from the recipe."
            yield from (NotChecked(f"{RELEASE}{name}", why) for name in released)
            return
        try:
            rebuilt = [] if recipe is None else [recipe.leaving_of(self.instance).files(self.instance, self.g, None)]
        except InvalidInput as error:
            raise CertificateError(RECIPE, str(error)) from error
        rebuilt = rebuilt or self._made()
        for name, content in released.items():
            expected = [files[name] for files in rebuilt if name in files]
            member = f"{RELEASE}{name}"
            if content in expected:
                yield Check(member, True, SAME)
            elif recipe is None:
                yield NotChecked(
                    member,
                    "no recipe says what it was made from, and it differs from what kanon writes without a recipe.",
                )
            elif not expected:
                raise CertificateError(member, "the recipe makes no file with this name.")
            elif recipe.looking.beside:  # published before there was a recipe
                other_bytes = NotChecked(member, "its published bytes differ from those that kanon writes.")
                yield _in_cells(other_bytes, ReleasedFile(name, content), ReleasedFile(name, expected[0]))
            else:
                check = self.compared(member, content, expected[0], "the data and the recipe")
                yield _in_cells(check, ReleasedFile(name, content), ReleasedFile(name, expected[0]))

    def _made(self) -> list[dict[str, bytes]]:
        """The files that kanon makes if no recipe says how, in each possible way."""
        release = get_family(self.g.family).release
        asks = release is not None and PUBLIC in release.asks
        ways: list[dict[str, Any]] = [{PUBLIC: public} for public in (True, False)] if asks else [{}]
        rebuilt = []
        for public in ways:
            publishable = (one for one in outputs(self.instance, self.g, **public) if one.publishable)
            contents = {one.ending: one.make() for one in publishable if one.ending in self.released}
            rebuilt.append({name: one.encode() if isinstance(one, str) else one for name, one in contents.items()})
        return rebuilt


def _plain(value: Any) -> Any:
    """Tuples as lists, for comparison."""
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _in_cells(check: Check | NotChecked, one: ReleasedFile, other: ReleasedFile) -> Check | NotChecked:
    """Another version of a package may write the same table in different bytes; its cells must be the same."""
    if one.table is None:
        return check
    require_cells(one, other)
    words = "rebuilt, it has the same content in every cell; other versions of packages wrote different bytes."
    return NotChecked(check.name, words) if one.name.endswith(SHAPED) else Check(check.name, True, words)


def sets_released(name: str, content: bytes, g: Generalization, read_as: Mapping[str, Any]) -> Iterator[Check]:
    """Whether the sets of a released CSV have the sizes of the certificate's groups, read as the manifest says.

    Files without all quasi-identifiers or one row per group are skipped, and so are a person's own records, which
    differ from those that the groups were made from.

    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels("abc", [5, 4, 1]), 5, "fold")
    >>> read_as = {"quasi_identifiers": ["group"], "counts": "weight", "k": 5, "own": False}
    >>> [check.passed for check in sets_released("release/groups.csv", b"group,weight\\n1,5\\n2,5\\n", g, read_as)]
    [True]
    """
    try:
        sizes, columns = sizes_of(rows_of(name, content) or [], SimpleNamespace(**read_as))
    except (*MALFORMED, csv.Error):
        return
    if not columns or read_as.get("own") is not False:
        return
    if sorted(sizes.values()) != sorted(g.class_weights.tolist()):
        raise CertificateError(name, f"“{name}” has different groups or sizes than the certificate.")
    yield Check(name, True, f"its {len(sizes):,} groups have the sizes stated in the certificate.")
