"""Bundles that somebody changed and signed with another key: nothing that was changed is called checked."""

import hashlib
import json
from dataclasses import replace

import pytest

import kanon_engine as kanon
from kanon_engine.project import project_of
from kanon_engine.project.context import Context
from kanon_engine.project.manifest import Manifest, listed
from kanon_engine.project.recipe import Leaving
from kanon_engine.release.formats import archive
from kanon_engine.report import bundle as bundling
from kanon_engine.report.assemble import review
from kanon_engine.report.html import report_html
from kanon_engine.report.members import members_of
from kanon_engine.report.rebuilt import OLDER_CHECKERS, checker_digest
from kanon_engine.report.verify import FILES, verify_bundle
from tests.report.bundles import KEY, OTHER

DATA = b"name,count\nAda,15\nBo,14\nCy,11\nDi,3\n"
CONTEXT = Context(title="Names", officer="A. Officer", decided="2026-11-20")
CHECKER, PAGE, PRINTED, README = "check/__main__.py", "report.html", "report.pdf", "README.txt"
CHECK = "check/"
RECIPE, CSV, PARQUET = "internal/recipe.toml", "release/groups.csv", "release/groups.parquet"
CERTIFICATE, CROSSWALK, INSTANCE, MANIFEST = (
    "internal/certificate.json", "internal/crosswalk.csv", "internal/instance.json", "manifest.json",
)  # fmt: skip


def printed(made):
    """The page itself, and a short text in place of the PDF that follows from it."""
    page = report_html(made).encode()
    return page, b"%PDF-1.7\n" + hashlib.sha256(page).hexdigest().encode() + b"\nHighest risk: 1 in 11\n"


@pytest.fixture(scope="module")
def whole():
    """The members of a bundle with a recipe and its data, and the data."""
    labels = kanon.read_labels(DATA, filename="names.csv")
    leaving = Leaving(("csv", "parquet"))
    g = kanon.generalize(labels, 11, "fold")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bundling, "reports", printed)
        made = review(labels, g, context=CONTEXT, leaving=leaving, inputs={"names.csv": DATA})
        asked = replace(project_of(labels, g, "names.csv", {}), leaving=leaving.sealed(made.files), context=CONTEXT)
        yield members_of(bundling.bundle(made, key=KEY, data=True, recipe=asked.to_toml())), labels


def signed(members, key, **changes):
    """With a manifest that fits these members, signed."""
    manifest = Manifest.read(members[MANIFEST])
    members = members | {"key.pub": bundling.hex_line(key.public_key().public_bytes_raw())}
    listing = {name: listed(members[name]) for name in manifest.files}
    text = replace(manifest, **{"files": listing} | changes).text.encode()
    return archive(members | {MANIFEST: text, "manifest.sig": bundling.hex_line(key.sign(text))}, stored=True)


def swapped(old, new):
    return lambda content: content.replace(old, new, 1)


def resealed(**changes):
    """A certificate with other claims and a digest that fits them."""
    return lambda content: replace(kanon.Generalization.from_json(content), **changes).sealed().to_json().encode()


TAMPERED = [
    (CHECKER, lambda content: b"print('ok')\n"),
    (CHECKER, lambda content: content + b"\n"),
    (CHECKER, swapped(b"return 1 if", b"return 0 if")),
    (CHECKER, lambda content: b""),
    (PAGE, swapped(b"1 in 14", b"1 in 99")),
    (PAGE, swapped(b"3 groups", b"9 groups")),
    (PAGE, swapped(b"not assessed", b"holds")),
    (PAGE, swapped(b"A. Officer", b"B. Officer")),
    (PAGE, swapped(b"release/groups.csv", b"release/others.csv")),
    (PAGE, lambda content: content + b"<!-- -->"),
    (PRINTED, swapped(b"1 in 11", b"1 in 99")),
    (PRINTED, lambda content: b"%PDF-1.7\n"),
    (PRINTED, lambda content: content + b"%"),
    (README, swapped(b"Only the files in the folder release/", b"All files")),
    (README, swapped(b"at least 11", b"at least 99")),
    (README, lambda content: content + b"\n"),
    (README, swapped(b"Names", b"Other names")),
    (RECIPE, swapped(b"k = 11", b"k = 12")),
    (RECIPE, swapped(b'"fold"', b'"spread"')),
    (RECIPE, swapped(b"seed = 0", b"seed = 1")),
    (RECIPE, swapped(b'"given"', b'"sorted"')),
    (RECIPE, swapped(b"A. Officer", b"B. Officer")),
    (RECIPE, lambda content: content + b"\n[review]\nthreshold = 0.01\n"),
    (RECIPE, lambda content: content + b"\n[facts]\nminimum = 99\n"),
    (RECIPE, lambda content: content.partition(b"[release.digests]")[0] + b'[release.digests]\n"groups.csv" = "0"\n'),
    (RECIPE, lambda content: b"kanon = 1\n"),
    (CSV, swapped(b"records", b"persons")),
    (CSV, swapped(b",1,", b",2,")),
    (CSV, lambda content: content + b"3,11,records,1,1.0\n"),
    (CSV, swapped(b"\n", b"\r\n")),
    (PARQUET, lambda content: b"PAR1"),
    (PARQUET, lambda content: content + b"PAR1"),
    (CERTIFICATE, resealed(lower_bound=14)),
    (CERTIFICATE, resealed(cost=16, status="feasible")),
    (CERTIFICATE, resealed(seed=3)),
    (CERTIFICATE, resealed(seconds=4.0)),
    (CROSSWALK, swapped(b"Ada,", b"Bo,")),
    (CROSSWALK, lambda content: content + b"Ed,1\n"),
    (INSTANCE, swapped(b"15", b"16")),
    (INSTANCE, lambda content: b"{}"),
]
MANIFESTS = [
    {"context": {"title": "Names", "officer": "B. Officer", "decided": "2026-11-20"}},
    {"versions": {"kanon": "9.9.9"}},
    {"input": {"names.csv": "0" * 64}},
    {"released": {"quasi_identifiers": ["group"], "counts": "weight", "k": 99, "promised": 99, "own": False}},
]


def called_checked(content, name, *arguments, **settings):
    """Whether a changed bundle passes, and nothing says that this file was not checked."""
    try:
        found = verify_bundle(content, *arguments, **settings)
    except kanon.KanonError:
        return False
    return name not in {one.name for one in found.unchecked}


def test_the_bundle_itself_is_checked_in_every_file(whole):
    members, labels = whole
    for key in (KEY, OTHER):
        found = verify_bundle(signed(members, key), labels, inputs={"names.csv": DATA})
        assert found.unchecked == ()
        checked = {check.name for check in found.checks}
        assert {CHECK if name.startswith(CHECK) else name for name in members} - {"key.pub", "manifest.sig"} <= checked
    alone = verify_bundle(signed(members, OTHER))
    inside = {name for name in members if name.startswith(("release/", "internal/"))}
    assert {one.name for one in alone.unchecked} == inside | {PAGE, PRINTED, MANIFEST}
    assert {CHECK, README, RECIPE} <= {check.name for check in alone.checks}


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("key", [KEY, OTHER], ids=["the officer's key", "another key"])
def test_no_tampered_bundle_is_called_checked(whole, key):
    members, labels = whole
    assert len(TAMPERED) == 40
    tampered = []
    for name, change in TAMPERED:
        changed = change(members[name])
        more = {"result": json.loads(changed)["digest"]} if name == CERTIFICATE else {}
        tampered.append((name, signed(members | {name: changed}, key, **more), changed != members[name]))
    tampered += [(MANIFEST, signed(members, key, **changes), True) for changes in MANIFESTS]
    with_data = {"instance": labels, "inputs": {"names.csv": DATA}}
    assert [number for number, (*_, differs) in enumerate(tampered) if not differs] == []
    assert [number for number, (name, own, _) in enumerate(tampered) if called_checked(own, name)] == []
    assert [number for number, (name, own, _) in enumerate(tampered) if called_checked(own, name, **with_data)] == []


@pytest.mark.parametrize(
    ("place", "alone"), [(0, True), (2, True), (4, False), (7, False), (10, False), (13, True), (17, True), (18, True)]
)
def test_what_was_changed_is_named(whole, place, alone):
    """A replaced checker, a changed figure, a recipe with another k: with the data always, and some without them."""
    members, labels = whole
    name, change = TAMPERED[place]
    content = signed(members | {name: change(members[name])}, OTHER)
    with pytest.raises(kanon.CertificateError, match=f"“{name}” failed"):
        verify_bundle(content, labels, inputs={"names.csv": DATA})
    if alone:
        with pytest.raises(kanon.CertificateError, match=f"“{name}” failed"):
            verify_bundle(content)


def without_checker(members):
    return {name: content for name, content in members.items() if not name.startswith(CHECK)}


def with_checker(members, files):
    """Another checker where the checker of a bundle stands, signed."""
    first = list(members).index(MANIFEST)
    others = list(without_checker(members).items())
    place = first - (len(members) - len(others))
    whole = dict([*others[:place], *files.items(), *others[place:]])
    manifest = Manifest.read(members[MANIFEST])
    listing = {name: listed(content) for name, content in whole.items() if name.partition(".")[0] != "manifest"}
    text = replace(manifest, files=listing).text.encode()
    return archive(whole | {MANIFEST: text, "manifest.sig": bundling.hex_line(KEY.sign(text))}, stored=True)


def test_an_earlier_checker_is_not_checked_and_no_failure(whole, monkeypatch):
    members, _ = whole
    for files in ({"check.py": b"# older\n"}, {"check/__main__.py": b"# older\n", "check/more.py": b""}):
        content = with_checker(members, files)
        with pytest.raises(kanon.CertificateError, match="it was changed, or a later version wrote it") as caught:
            verify_bundle(content)
        assert caught.value.check in {*files, "check/__init__.py"}
        with monkeypatch.context() as patched:
            patched.setattr("kanon_engine.report.rebuilt.OLDER_CHECKERS", {checker_digest(files)})
            found = verify_bundle(content)
        assert "earlier version" in next(one.why for one in found.unchecked if one.name in files)
        readme = with_checker(members | {README: members[README] + b"\n"}, files)  # which had other words then
        with monkeypatch.context() as patched:
            patched.setattr("kanon_engine.report.rebuilt.OLDER_CHECKERS", {checker_digest(files)})
            assert README in {one.name for one in verify_bundle(readme).unchecked}


def test_no_file_of_the_checker_may_be_missing_or_more(whole):
    members, _ = whole
    own = bundling.checker()
    verify_bundle(with_checker(members, own))
    less = {name: content for name, content in own.items() if name != "check/regions.py"}
    for name, files in (("check/regions.py", less), ("check/zip.py", own | {"check/zip.py": b""}),
                        ("check.py", {"check.py": b""} | own), (FILES, {})):  # fmt: skip
        with pytest.raises(kanon.CertificateError) as caught:
            verify_bundle(with_checker(members, files))
        assert caught.value.check == name


def test_the_checker_of_this_kanon_is_among_those_that_are_known():
    """Whoever changes the verifier adds the digest of the one before, so that bundles with it still open."""
    assert checker_digest(bundling.checker()) in OLDER_CHECKERS


def test_a_report_that_rests_on_more_or_on_other_versions_is_not_checked(whole):
    members, labels = whole
    for change, words in (
        ({RECIPE: members[RECIPE] + b'\n[review]\nbeside = ["voters.csv"]\n'}, "voters.csv"),
        ({}, "other versions"),
    ):
        versions = {} if change else {"versions": {"kanon": "0.0.1"}}
        content = members | change | ({} if change else {PAGE: members[PAGE] + b" "})
        found = verify_bundle(signed(content, OTHER, **versions), labels, inputs={"names.csv": DATA})
        assert words in next(one.why for one in found.unchecked if one.name == PAGE)
