"""A signed bundle: the same bytes everywhere, and refused, by name, after any change."""

import io
import json
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.project.manifest import Manifest, listed, sha256
from kanon_engine.release.formats import archive
from kanon_engine.release.publication import outputs
from kanon_engine.report.bundle import bundle, checker
from kanon_engine.report.members import MOST, members_of
from kanon_engine.report.rebuilt import SAME
from kanon_engine.report.signing import public_bytes
from kanon_engine.report.verify import verify_bundle
from kanon_engine.verification.core import Check
from kanon_engine.verification.signature import fingerprint
from tests.compiled import THOROUGH
from tests.report.bundles import DATA, KEY, OTHER, recipe, regions, review, with_short_parts
from tests.sentences import (
    LIST_OF_FILES,
    NESTED_TOO_DEEPLY,
    NO_RECIPE,
    NOT_A_FINGERPRINT,
    NOT_K_ANONYMOUS,
    NOT_THE_FILE_THAT_WAS_READ,
)
from tests.verification.checked import file_failures

ENTRY_CHANGED = f"the entry of 'a' in {LIST_OF_FILES} was changed"
INVALID_NAME = "which is not a valid name"


@pytest.fixture(scope="module")
def whole():
    """A bundle with short parts, and what it was made of."""
    with pytest.MonkeyPatch.context() as patch:
        with_short_parts(patch)
        one = review()
        yield bundle(one, key=KEY, recipe=recipe(one)), one


def refusal(content, *arguments, **settings):
    """The sentence by which a changed bundle is refused."""
    with pytest.raises(CertificateError) as caught:
        verify_bundle(content, *arguments, **settings)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


def test_a_bundle_passes_without_the_data_and_against_them(whole):
    content, one = whole
    alone = verify_bundle(content)
    assert [check.name for check in alone.checks] == [
        "zip",
        "key",
        "signature",
        "files",
        "result",
        "release/groups.csv",
        "check/",
        "README.txt",
        "internal/recipe.toml",
    ]
    assert alone.fingerprint == fingerprint(public_bytes(KEY))
    assert alone.certificate is None
    with_data = verify_bundle(bundle(one, key=KEY), one.instance, inputs={"names.csv": DATA}, key=alone.fingerprint)
    assert with_data.certificate.digest == one.g.digest
    names = [check.name for check in with_data.checks]
    assert {"input", "feasibility", "internal/crosswalk.csv"} < set(names)
    assert all(check.passed for check in with_data.checks)


def test_what_is_in_a_bundle_stands_in_its_order(whole):
    content, one = whole
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        assert file.testzip() is None
        assert file.namelist() == [
            "README.txt",
            "report.html",
            "report.pdf",
            "release/groups.csv",
            "internal/certificate.json",
            "internal/crosswalk.csv",
            "internal/recipe.toml",
            "check/__main__.py",
            "manifest.json",
            "key.pub",
            "manifest.sig",
        ]
        assert {entry.compress_type for entry in file.infolist()} == {zipfile.ZIP_STORED}
        readme = file.read("README.txt").decode()
    assert "  release/groups.csv\n" in readme
    names = zipfile.ZipFile(io.BytesIO(content)).namelist()[1:]
    assert all(name in readme for name in names if not name.startswith("check/"))
    assert "python check bundle.zip" in readme
    assert "anonymous" not in readme
    manifest = verify_bundle(content).manifest
    assert manifest.input == {"names.csv": sha256(DATA)}
    assert (manifest.result, manifest.context["title"]) == (one.g.digest, "Names")


def test_the_private_key_is_in_no_part(whole):
    secret = KEY.private_bytes_raw()
    for kept in (secret, secret.hex().encode(), secret.hex().upper().encode()):
        assert kept not in whole[0]


def test_the_same_review_makes_the_same_bundle(whole, monkeypatch):
    content, one = whole
    assert bundle(one, key=KEY, recipe=recipe(one)) == content
    other = bundle(one, key=OTHER, recipe=recipe(one))
    assert other != content
    assert verify_bundle(other).fingerprint != verify_bundle(content).fingerprint


def test_every_changed_byte_is_refused_and_named(whole):
    content, _ = whole
    spans = iter(regions(content))
    end, name, directory = next(spans)
    for place in range(0, len(content), 1 if THOROUGH else 5):
        while place >= end:
            end, name, directory = next(spans)
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        found = refusal(bytes(changed))
        assert name in found or (directory and LIST_OF_FILES in found), (place, name, found)


@pytest.mark.thorough
def test_every_bit_and_every_end_is_refused(whole):
    content, _ = whole
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            refusal(bytes(changed))
        refusal(content[:place])


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_are_refused(whole, seed):
    content, _ = whole
    choose = random.Random(seed)
    for _ in range(100):
        place, other = sorted(choose.sample(range(len(content)), 2))
        some = bytes(choose.randrange(256) for _ in range(choose.randint(1, 40)))
        for changed in (
            content[:place],
            content + some,
            some + content,
            content[:place] + some + content[place:],
            content[:place] + content[other:],
            content[:place] + some + content[place + len(some) :],
        ):
            if changed != content:
                refusal(changed)


def test_what_was_swapped_left_out_or_added_is_named(whole):
    members = members_of(whole[0])
    names = list(members)

    def zipped(changed):
        return refusal(archive(changed, stored=True))

    for name in names:
        assert f"“{name}”" in zipped({other: members[other] for other in names if other != name}), name
        assert f"“{name}”" in zipped(members | {name: members[name] + b"\n"}) or name == "manifest.json"
    swapped = members | {"report.html": members["report.pdf"], "report.pdf": members["report.html"]}
    assert "“report.html” was changed" in zipped(swapped)
    assert "“readme.md” does not belong in a bundle" in zipped(members | {"readme.md": b""})
    assert "“release/more.csv” is not in the manifest" in refusal(_with_release(members, "release/more.csv"))
    backwards = [*names[:3][::-1], *names[3:]]
    assert "“report.pdf” is in the wrong place" in zipped({name: members[name] for name in backwards})


def _with_release(members, name):
    """The same with one more file in its release."""
    names = list(members)
    names.insert(4, name)
    return archive({one: members.get(one, b"a") for one in names}, stored=True)


def test_capital_digits_are_another_signature(whole):
    """The one change of a byte that most readers of hexadecimal digits let pass."""
    members = members_of(whole[0])
    for name in ("key.pub", "manifest.sig"):
        changed = members | {name: members[name].upper()}
        assert f"“{name}” is not a line of" in refusal(archive(changed, stored=True))


def test_a_bundle_signed_by_somebody_else_is_told_by_its_key(whole):
    content, one = whole
    forged = bundle(one, key=OTHER, recipe=recipe(one))
    own, strange = (fingerprint(public_bytes(key)) for key in (KEY, OTHER))
    assert strange in verify_bundle(forged).checks[1].detail
    assert "ask the signer" in verify_bundle(forged).checks[1].detail
    for named in (own, own.replace(" ", "").upper(), own.replace(" ", ":"), public_bytes(KEY).hex()):
        assert verify_bundle(content, key=named).fingerprint == own
        found = refusal(forged, key=named)
        assert "not the given one" in found
        assert strange in found
    for nothing in ("", "abc", "g" * 64, own[:-1]):
        with pytest.raises(InvalidInput, match=NOT_A_FINGERPRINT):
            verify_bundle(content, key=nothing)


def test_a_changed_file_with_a_new_manifest_needs_a_new_signature(whole):
    members = members_of(whole[0])
    members["release/groups.csv"] = b"group,weight\n1,9\n"
    manifest = Manifest.read(members["manifest.json"])
    files = {name: listed(members[name]) for name in manifest.files}
    members["manifest.json"] = replace(manifest, files=files).text.encode()
    assert "did not sign this manifest" in refusal(archive(members, stored=True))


def _resigned(members, key=KEY, **changes):
    """With a manifest that fits the members, signed."""
    manifest = Manifest.read(members["manifest.json"])
    listing = {name: listed(content) for name, content in members.items() if name.partition(".")[0] != "manifest"}
    text = replace(manifest, **{"files": listing} | changes).text.encode()
    return archive(members | {"manifest.json": text, "manifest.sig": f"{key.sign(text).hex()}\n".encode()}, stored=True)


def test_a_signer_cannot_sign_what_is_not_so(whole):
    """Whoever has the key may sign anything; what is false of the data is found with them."""
    content, one = whole
    members = members_of(content)
    verify_bundle(_resigned(members))
    found = refusal(_resigned(members | {"internal/crosswalk.csv": b"id,group\nAda,1\n"}), one.instance,
                    inputs={"names.csv": DATA})  # fmt: skip
    assert "“internal/crosswalk.csv” failed" in found
    better = replace(one.g, lower_bound=one.g.lower_bound - 1).sealed()
    text = {"internal/certificate.json": better.to_json().encode()}
    assert "belongs to a different result" in refusal(_resigned(members | text))
    assert "failed" in refusal(
        _resigned(members | text, result=better.digest), one.instance, inputs={"names.csv": DATA}
    )
    other = kanon.read_labels(DATA.replace(b"Cy,1", b"Cy,2"), filename="names.csv")
    assert "“instance” failed" in refusal(content, other, inputs={"names.csv": DATA})
    assert f"names.csv {NOT_THE_FILE_THAT_WAS_READ}" in refusal(
        content, one.instance, inputs={"names.csv": DATA + b"\n"}
    )
    found = verify_bundle(bundle(one, key=KEY), one.instance, inputs={}).checks
    assert "not examined: names.csv" in next(check.detail for check in found if check.name == "input")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "cannot be read"),
        (b"[]\n", "is not in the format"),
        (b'{"format": "kanon bundle 2"}\n', "is not in the format"),
        (b"[" * 100_000, NESTED_TOO_DEEPLY),
        (b'{"a": 1, "a": 2}', "occurs twice"),
        (b"\xff", "cannot be read"),
    ],
)
def test_a_manifest_of_another_form_is_refused_though_it_is_signed(whole, text, words):
    members = members_of(whole[0]) | {"manifest.json": text, "manifest.sig": f"{KEY.sign(text).hex()}\n".encode()}
    assert words in refusal(archive(members, stored=True))


@pytest.mark.parametrize("entry", ["files", "input", "result", "instance", "versions", "context"])
@pytest.mark.parametrize("value", [None, 3, [], ["a"], {"a": 1}, {"a": {"sha256": "0" * 64, "bytes": True}}])
def test_an_entry_of_another_form_is_refused(entry, value):
    content = json.loads(Manifest({"a": listed(b"")}, {}, "", "").text)
    with pytest.raises(InvalidInput, match="not in the required form"):
        Manifest.read(json.dumps(content | {entry: value}, sort_keys=True, indent=1).encode() + b"\n")


def test_a_result_that_may_not_leave_makes_no_bundle():
    labels = kanon.Labels("abc", [5, 4, 1])
    g = kanon.generalize(labels, 5, "relaxed-scheme")
    with pytest.raises(InvalidInput, match=NOT_K_ANONYMOUS):
        bundle(review(instance=labels, g=g), key=KEY)


@pytest.mark.parametrize(
    "name", ["", "../a.csv", "/a.csv", "a/b.csv", "C:a", "a\nb", "a\\b", " a", "a.", "é" * 60, "a?"]
)
def test_a_file_with_a_name_that_cannot_be_unpacked_everywhere_is_refused(name, monkeypatch):
    with_short_parts(monkeypatch)
    with pytest.raises(InvalidInput, match="of the release"):
        bundle(review(files={name: b"a"}), key=KEY)


def test_two_names_that_differ_in_capitals_alone_are_refused(monkeypatch):
    with_short_parts(monkeypatch)
    with pytest.raises(InvalidInput, match="except for capitalization"):
        bundle(review(files={"A.csv": b"a", "a.csv": b"b"}), key=KEY)


def zip_of(members, method=zipfile.ZIP_STORED, change=lambda entry: None):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name, content in members:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr, entry.compress_type = 3, 0o644 << 16, method
            change(entry)
            file.writestr(entry, content)
    return target.getvalue()


def _linked(entry):
    entry.external_attr = 0o120777 << 16


def _commented(entry):
    entry.comment = b"Hello"


def _extra(entry):
    entry.extra = b"\x01\x00\x02\x00ab"


def _dated(entry):
    entry.date_time = (2020, 1, 1, 0, 0, 0)


def _encrypted(content):
    """The bit that says so, in header and directory."""
    changed = bytearray(content)
    changed[6] |= 1
    changed[content.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def _wide(content):
    return content[:-22] + content[-22:].replace(b"\x01\x00\x01\x00", b"\xff\xff\xff\xff")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"", "the end of its list of files is missing"),
        (lambda: b"PK", "the end of its list of files is missing"),
        (lambda: b"%PDF-1.7", "the end of its list of files is missing"),
        (lambda: zip_of([]), "is not as long as the zip states"),
        (lambda: zip_of([("a", bytes(10**7))], zipfile.ZIP_DEFLATED), "'a' is compressed"),
        (lambda: zip_of([("a", bytes(10**6))], zipfile.ZIP_BZIP2), "'a' is compressed"),
        (lambda: zip_of([("/etc/passwd", b"")]), f"'/etc/passwd', {INVALID_NAME} for a file inside a zip"),
        (lambda: zip_of([("../../a", b"")]), f"'../../a', {INVALID_NAME}"),
        (lambda: zip_of([("C:\\a", b"")]), INVALID_NAME),
        (lambda: zip_of([("a//b", b"")]), INVALID_NAME),
        (lambda: zip_of([("a/", b"")]), INVALID_NAME),
        (lambda: zip_of([("a", b"x"), ("a", b"y")]), "it holds 'a' twice"),
        (lambda: zip_of([("a", b"/etc/passwd")], change=_linked), "'a' is a link"),
        (lambda: zip_of([("a", b"")], change=_commented), ENTRY_CHANGED),
        (lambda: zip_of([("a", b"")], change=_extra), ENTRY_CHANGED),
        (lambda: zip_of([("a", b"")], change=_dated), ENTRY_CHANGED),
        (lambda: _encrypted(zip_of([("a", b"x")])), "'a' is encrypted"),
        (lambda: _wide(zip_of([("a", b"x")])), "it is a zip64"),
        (lambda: zip_of([(f"{place}", b"") for place in range(MOST + 1)]), "it has 1,001 files"),
        (lambda: zip_of([("a", b"x")]) + b"more", "4 bytes follow"),
        (lambda: b"more" + zip_of([("a", b"x")]), "was changed"),
        (lambda: zip_of([("a", b"x")]), "“README.txt” is missing"),
    ],
)
def test_a_hostile_zip_is_refused_in_one_sentence(make, words):
    assert words in refusal(make())


@pytest.mark.thorough
def test_very_many_members_are_refused():
    assert "it is a zip64" in refusal(zip_of([(f"{place}", b"") for place in range(100_000)]))


def test_members_that_overlap_are_refused():
    """As in Fifield's bomb: many entries of the directory over one content."""
    content = zip_of([("a", bytes(1000)), ("b", bytes(1000))])
    entries = content.rfind(b"PK\x01\x02")
    changed = bytearray(content)
    changed[entries + 42 : entries + 46] = bytes(4)
    assert f"{LIST_OF_FILES} says that 'a' has 1,000 bytes" in refusal(bytes(changed))


def test_files_that_leave_are_made_again_where_the_data_are_there(monkeypatch):
    with_short_parts(monkeypatch)
    one = review()
    offered = {output.ending: output for output in outputs(one.instance, one.g)}
    own = {"groups.csv": offered["groups.csv"].make(), "more.txt": b"x"}
    content = bundle(replace(one, files=own), key=KEY)
    found = verify_bundle(content, one.instance, inputs={"names.csv": DATA})
    assert Check("release/groups.csv", True, SAME) in found.checks
    assert "release/more.txt" not in {check.name for check in found.checks}
    assert NO_RECIPE in next(one.why for one in found.unchecked if one.name == "release/more.txt")


@pytest.mark.parametrize(
    "content",
    [
        b"group,weight\n1,5\n",
        b"group,weight\n1,5\n2,6\n",
        b"weight,group\n1,5\n2,5\n",
        b"group,weight\n1,5\n2,5\n2,5\n",
    ],
)
def test_a_table_of_other_groups_than_the_certificate_is_refused(monkeypatch, content):
    with_short_parts(monkeypatch)
    assert "“release/groups.csv” has different groups" in refusal(
        bundle(review(files={"groups.csv": content}), key=KEY)
    )


def test_python_check_passes_what_verify_passes_and_refuses_what_it_refuses(tmp_path, monkeypatch):
    monkeypatch.setattr("kanon_engine.report.bundle.reports", lambda review: (b"<p>Report</p>", b"%PDF-1.7\n"))
    content = bundle(review(), key=KEY, data=True)
    path = tmp_path / "bundle.zip"
    path.write_bytes(content)
    assert file_failures(path) == []
    choose = random.Random(1)
    for place in choose.sample(range(len(content)), 40):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        refusal(bytes(changed))
        path.write_bytes(changed)
        assert file_failures(path) != [], place


def test_the_checker_of_a_bundle_is_the_installed_verifier():
    folder = Path(verification.__file__).parent
    own = checker()
    assert list(own) == sorted(own)
    assert all(content == (folder / name.removeprefix("check/")).read_bytes() for name, content in own.items())
    assert set(own) == {f"check/{file.name}" for file in folder.glob("*.py")}
