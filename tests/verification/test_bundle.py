"""Each part of a bundle that is changed and signed again is refused by the line that it belongs to, in this process."""

import hashlib
import io
import json
import runpy
import sys
import zipfile

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.release import release
from kanon_engine.release.formats import archive
from kanon_engine.release.made import released_of
from kanon_engine.release.publication import certificate_text
from kanon_engine.report import bundle as building
from kanon_engine.report.members import members_of
from kanon_engine.verification import FAMILIES
from kanon_engine.verification.__main__ import main as command
from kanon_engine.verification.bundle import FAILED, NOTE, UNCHECKED, Bundle, unescaped
from kanon_engine.verification.codec import content_digest
from tests.report.bundles import KEY, OTHER, review, with_short_parts
from tests.sentences import NO_SUCH_FILE_OR_DIRECTORY
from tests.verification.forgeries import results
from tests.verification.test_forms import PLAIN

MANIFEST, SIGNATURE, PUBLIC = "manifest.json", "manifest.sig", "key.pub"
CERTIFICATE, CROSSWALK, INSTANCE = (
    f"internal/{name}" for name in ("certificate.json", "crosswalk.csv", "instance.json")
)
GROUPS = "release/release.csv"


def bundled(instance, g, frame, released):
    given = {
        "instance": instance,
        "g": g,
        "certificate": kanon.verify(instance, g),
        "released": released,
        "digests": {},
    }
    with pytest.MonkeyPatch.context() as patch:
        with_short_parts(patch)
        files = {"release.csv": frame.to_csv(index=False).encode()}
        return members_of(building.bundle(review(**given, files=files), key=KEY, data=True))


@pytest.fixture(scope="module")
def groups():
    labels = kanon.Labels(["=a", "b", "'c", "7", "-1", "+"], [3, 2, 2, 4, 3, 3])
    g = kanon.generalize(labels, 5, "fold")
    return bundled(labels, g, release(labels, g), released_of(labels, g))


@pytest.fixture(scope="module")
def records():
    frame = pd.DataFrame({"age": [1, 1, 2, 2, 5, 6], "ill": list("uvuuvv")})
    table = kanon.Table(frame, ["age"], reading={"keep": ["ill"]})
    g = kanon.generalize(table, 2, "mondrian")
    members = bundled(table, g, release(table, g), released_of(table, g))
    assert "audit" in json.loads(certificate_text(table, g))
    return members


def signed(members, manifest=(), **changes):
    """A zip of other members, with a manifest that lists them and what else it says, signed."""
    members = {name: content for name, content in {**members, **changes}.items() if content is not None}
    own = {name: content for name, content in members.items() if name not in (MANIFEST, SIGNATURE)}
    listed = {name: {"bytes": len(one), "sha256": hashlib.sha256(one).hexdigest()} for name, one in own.items()}
    content = json.loads(members[MANIFEST]) | {"files": listed} | dict(manifest)
    text = (json.dumps(content, sort_keys=True, indent=1) + "\n").encode()
    return archive(members | {MANIFEST: text, SIGNATURE: KEY.sign(text).hex().encode() + b"\n"}, stored=True)


def lines(content, folder, key=None, name="bundle.zip"):
    (folder / name).write_bytes(content)
    return list(Bundle(FAMILIES, key).lines(str(folder / name), None))


def marked(found, mark=FAILED):
    return [line.name for line in found if line.mark == mark]


def test_what_was_signed_passes(groups, records, tmp_path):
    for members in (groups, records):
        found = lines(signed(members), tmp_path)
        assert (marked(found), marked(found, NOTE)) == ([], [])
        assert marked(found, UNCHECKED) == ["owner of the key", *["audit"] * (members is records)]
        assert {
            "bound witness",
            "digest",
            "crosswalk",
            GROUPS,
            "manifest",
            "signature",
            f"digest of {CROSSWALK}",
        } <= set(marked(found, "ok"))
        words = "the manifest lists 9 files; files that it does not list: none; missing files: none."
        assert words in [line.detail for line in found]
    assert marked(found, "ok").count("audit") == 3


def packed(content):
    """The same files, one of them packed."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED if entry.filename == MANIFEST else None)
    return target.getvalue()


def test_the_zip_is_the_one_that_its_files_make(groups, tmp_path):
    good = signed(groups)
    for content in (good + b"\n", b"\n" + good, packed(good)):
        assert marked(lines(content, tmp_path))[:1] == ["zip"]
    for content in (b"", b"PK", good[:-30], json.dumps({}).encode()):
        assert marked(lines(content, tmp_path)) == ["bundle"]


def test_the_manifest_lists_every_file_with_its_digest(groups, tmp_path):
    listed = json.loads(groups[MANIFEST])["files"]
    less = {name: one for name, one in listed.items() if name != CROSSWALK}
    for manifest, failures in (
        ({"format": "kanon bundle 2"}, ["manifest"]),
        ({"files": less}, ["files"]),
        ({"files": listed | {"more.txt": listed[CROSSWALK]}}, ["files"]),
        ({"files": listed | {CROSSWALK: listed[CROSSWALK] | {"bytes": 1}}}, [f"digest of {CROSSWALK}"]),
        ({"files": listed | {CROSSWALK: listed[CROSSWALK] | {"sha256": "0" * 64}}}, [f"digest of {CROSSWALK}"]),
        ({"files": listed | {CROSSWALK: listed[CROSSWALK] | {"more": 1}}}, [f"digest of {CROSSWALK}"]),
        ({"result": "0" * 64}, ["manifest"]),
        ({"instance": "0" * 64}, ["manifest"]),
        ({"released": {}}, [GROUPS]),
    ):
        assert marked(lines(signed(groups, manifest), tmp_path)) == failures
    text = groups[MANIFEST].replace(b"\n", b"\n ", 1)
    other = archive(groups | {MANIFEST: text, SIGNATURE: KEY.sign(text).hex().encode() + b"\n"}, stored=True)
    assert marked(lines(other, tmp_path)) == ["manifest form"]
    none = archive({name: one for name, one in groups.items() if name != MANIFEST}, stored=True)
    found = lines(none, tmp_path)
    assert marked(found) == ["manifest", "signature"]
    assert "manifest.json is present." in [line.detail for line in found]


def test_the_signature_is_by_the_key_over_the_manifest(groups, tmp_path):
    key, digits = groups[PUBLIC].decode().strip(), groups[SIGNATURE]
    for name, content in (
        (PUBLIC, b"00" + groups[PUBLIC]), (PUBLIC, groups[PUBLIC][2:]), (PUBLIC, groups[PUBLIC].upper()),
        (PUBLIC, groups[PUBLIC].strip()), (PUBLIC, b"x"),
        (PUBLIC, OTHER.public_key().public_bytes_raw().hex().encode() + b"\n"),
    ):  # fmt: skip
        found = lines(signed(groups, **{name: content}), tmp_path)
        assert marked(found) == ["signature"]
        assert marked(found, UNCHECKED) == ["owner of the key"] * (
            len(content) == 65 and content[-1:] == b"\n" and content != content.upper()
        )
    for content in (
        digits[2:],
        b"00" + digits,
        digits.strip(),
        digits.upper(),
        digits[::-1],
        OTHER.sign(b"").hex().encode() + b"\n",
    ):
        found = lines(archive(groups | {SIGNATURE: content}, stored=True), tmp_path)
        assert marked(found) == ["signature"]
        formed = len(content) == 129 and content == content.lower() and content[-1:] == b"\n"
        assert marked(found, UNCHECKED) == ["owner of the key"] * formed
    for name, failures in ((PUBLIC, ["files", "signature"]), (SIGNATURE, ["signature"])):
        other = archive({one: content for one, content in groups.items() if one != name}, stored=True)
        assert marked(lines(other, tmp_path)) == failures
    print_of = hashlib.sha256(bytes.fromhex(key)).hexdigest()
    spaced = " ".join(print_of[place : place + 4] for place in range(0, 64, 4))
    owned = ((given, []) for given in (key, key.upper(), print_of, spaced, spaced.replace(" ", ":")))
    for given, failures in (*owned, *((given, ["owner of the key"]) for given in (key[:-1], "", print_of[2:]))):
        found = lines(signed(groups), tmp_path, given)
        assert marked(found) == failures
        assert "owner of the key" not in marked(found, UNCHECKED)
    assert any(spaced in line.detail for line in lines(signed(groups), tmp_path))


def test_the_crosswalk_has_the_group_of_each_item(groups, tmp_path):
    rows = groups[CROSSWALK].decode().splitlines()
    found = lines(signed(groups, **{CROSSWALK: None}), tmp_path)
    assert marked(found) == []
    assert "crosswalk" not in marked(found, "ok")
    for changed in (rows[:-1], [*rows, "x,1"], [rows[0], *rows[:0:-1]], [row.replace(",2", ",1") for row in rows],
                    [row.replace("b,", "c,") for row in rows], [row.rstrip("12") for row in rows],
                    ["name,group", *rows[1:]], [rows[0]]):  # fmt: skip
        content = ("\n".join(changed) + "\n").encode()
        assert marked(lines(signed(groups, **{CROSSWALK: content}), tmp_path)) == ["crosswalk"]


def test_many_items_have_their_groups(tmp_path):
    labels = kanon.Labels([f"n{place:03}" for place in range(300)], [1] * 300)
    g = kanon.generalize(labels, 2, "fold")
    members = bundled(labels, g, release(labels, g), released_of(labels, g))
    assert marked(lines(signed(members), tmp_path)) == []


def test_files_that_leave_show_the_groups_of_the_certificate(groups, records, tmp_path):
    table = pd.read_csv(io.BytesIO(groups[GROUPS]))
    said = json.loads(groups[MANIFEST])["released"]

    def seen(frame, mark=FAILED, name=GROUPS, **released):
        content = frame if isinstance(frame, bytes) else frame.to_csv(index=False).encode()
        found = lines(signed(groups, {"released": said | released}, **{GROUPS: None, name: content}), tmp_path)
        return [name for name in marked(found, mark) if name not in ("owner of the key",)]

    more, small = table.assign(weight=table["weight"] + 1), table.assign(weight=table["weight"] - 5)
    assert seen(table) == seen(table.iloc[::-1]) == seen(pd.concat([table, table.assign(weight=0)])) == []
    assert seen(more) == seen(more, k=6, promised=6) == [GROUPS]
    assert seen(small) == [GROUPS] * 2
    assert seen(table, k=4, promised=4) == [GROUPS]
    assert seen(table.iloc[:1]) == [GROUPS]
    for mark in (UNCHECKED, FAILED):
        assert seen(table, mark=mark, quasi_identifiers=["x"], counts="y") == []
    assert seen(more, quasi_identifiers=["x"], counts="y") == [GROUPS]
    assert seen(b"%PDF", mark=UNCHECKED, name="release/a.pdf", quasi_identifiers=[], counts=None) == ["release/a.pdf"]
    assert seen(table.rename(columns={"weight": "n"}), mark=UNCHECKED) == [GROUPS]
    assert seen(b"%PDF", mark=UNCHECKED, name="release/a.pdf") == ["release/a.pdf"]
    assert seen(b"\x89", mark=UNCHECKED, name="RELEASE.csv") == ["release"]
    assert seen(table.assign(weight="x")) == [GROUPS]
    for own in (True, False):
        assert seen(table, own=own) == []
        assert seen(table, own=own, mark=UNCHECKED) == [f"sizes in {GROUPS}"] * own
        assert seen(small, own=own, promised=None, mark=NOTE) == [GROUPS] * own
        assert seen(small, own=own, promised=5)[:1] == [GROUPS]
    shapes = [{"type": "Feature", "geometry": None, "properties": row} for row in table.to_dict("records")]
    for name in ("release/map.geojson", "release/map.JSON"):
        assert seen(json.dumps({"features": shapes}).encode(), name=name) == []
        assert seen(json.dumps({"features": shapes[1:]}).encode(), name=name) == [name]
    shown = json.loads(records[MANIFEST])["released"]
    assert (shown["counts"], shown["quasi_identifiers"]) == (None, ["age"])
    none = lines(signed(records, **{GROUPS: records[GROUPS].splitlines(keepends=True)[0]}), tmp_path)
    assert (marked(none), marked(none, UNCHECKED)) == ([], ["owner of the key", "audit", GROUPS, "audit"])
    few = pd.read_csv(io.BytesIO(records[GROUPS])).iloc[1:].to_csv(index=False).encode()
    assert set(marked(lines(signed(records, **{GROUPS: few}), tmp_path))) == {GROUPS, "audit"}
    one = b"".join(records[GROUPS].splitlines(keepends=True)[:2])
    shown = [line.detail for line in lines(signed(records, **{GROUPS: one}), tmp_path) if line.name == "audit"]
    assert "shows {'records': 1, 'k_reached': 1" in shown[-1]


def test_an_audit_says_what_its_file_shows(records, tmp_path):
    content = json.loads(records[CERTIFICATE])
    figures = {name: value for name, value in content["audit"].items() if name != "digest"}

    def seen(changes, mark=FAILED, digest=None, names=None):
        told = {name: value for name, value in {**figures, **changes}.items() if names is None or name in names}
        audit = told | {"digest": digest or content_digest(told)}
        text = json.dumps(content | {"audit": audit}).encode()
        found = lines(signed(records, **{CERTIFICATE: text}), tmp_path)
        return [name for name in marked(found, mark) if name != "owner of the key"]

    assert (seen({}), seen({}, UNCHECKED)) == ([], ["audit"])
    for name in ("k", "records"):
        assert seen({name: figures[name] + 1}) == ["audit", "audit"]
    for name in ("k_reached", "k_together", "alone", "below"):
        assert seen({name: figures[name] + 1}) == ["audit"]
    assert seen({"more": 1}) == seen({}, names=set(figures) - {"findings"}) == ["audit"]
    assert seen({}, digest="0" * 64) == ["audit digest"]
    refused = json.dumps(content | {"seconds": -1.0}).encode()
    assert marked(lines(signed(records, **{CERTIFICATE: refused}), tmp_path)) == ["form"]
    assert (seen({"kept": ["age"]}), seen({"kept": ["age"]}, UNCHECKED)) == ([], ["audit", "audit"])


def test_without_certificate_or_data_what_can_be_is_checked(groups, tmp_path):
    assert marked(lines(signed(groups, **{CERTIFICATE: None}), tmp_path)) == ["certificate"]
    found = lines(signed(groups, **{INSTANCE: None}), tmp_path)
    assert (marked(found), marked(found, UNCHECKED)) == ([], ["owner of the key", "data"])
    assert marked(lines(signed(groups, **{INSTANCE: b"{}"}), tmp_path))[:1] == ["data"]
    found = lines(signed(groups, **{CERTIFICATE: b"{}"}), tmp_path)
    assert marked(found) == ["certificate"]
    alone = lines(groups[CERTIFICATE], tmp_path, name="certificate.json")
    assert (marked(alone), marked(alone, UNCHECKED)) == ([], ["data"])
    (tmp_path / "data").write_bytes(groups[INSTANCE])
    both = list(Bundle(FAMILIES).lines(str(tmp_path / "certificate.json"), str(tmp_path / "data")))
    assert (marked(both), marked(both, UNCHECKED)) == ([], [])
    unpacked = tmp_path / "unpacked"
    for name, content in members_of(signed(groups)).items():
        (unpacked / name).parent.mkdir(parents=True, exist_ok=True)
        (unpacked / name).write_bytes(content)
    assert marked(list(Bundle(FAMILIES).lines(str(unpacked), None))) == []
    (unpacked / "check" / "__pycache__").mkdir()
    (unpacked / "check" / "__pycache__" / "__main__.cpython-39.pyc").write_bytes(b"")
    assert marked(list(Bundle(FAMILIES).lines(str(unpacked), None)), NOTE) == ["files"]
    (unpacked / "check" / "__pycache__" / "core.pyc").write_bytes(b"")
    assert marked(list(Bundle(FAMILIES).lines(str(unpacked), None))) == ["files"]


def test_a_name_that_is_none_is_shown_as_such(groups):
    content = json.loads(groups[CERTIFICATE]) | {"family": {"record": "x", "fields": {}}}
    found = list(Bundle(FAMILIES).certificate_lines(json.dumps(content).encode(), groups[INSTANCE]))
    assert (found[-1].name, "record 'x'" in found[-1].detail) == ("family", True)


def test_what_takes_minutes_is_said_where_numpy_is_missing():
    for name, minutes in (("tables-mondrian-halves", ["time"]), ("tables-mondrian", [])):
        data, content = results()[name]
        for form, notes in ((verification, []), (PLAIN, minutes)):
            checked = form.bundle.Bundle(form.FAMILIES)
            found = list(checked.certificate_lines(json.dumps(content).encode(), data.encode()))
            assert (marked(found), marked(found, NOTE)) == ([], notes)


def test_the_command_says_what_it_found(groups, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", sys.dont_write_bytecode)
    written = []

    def main(*arguments):
        for name in [name for name in sys.modules if name.partition(".")[0] == "kanon_check"]:
            del sys.modules[name]
        return command(list(arguments), written.append)

    path, data = tmp_path / "b.zip", tmp_path / "instance"
    path.write_bytes(signed(groups))
    data.write_bytes(groups[INSTANCE])
    assert main(str(path)) == 0
    assert written[-1].endswith(" ok, 0 FAILED, 1 not checked.\n")
    assert main(str(path), "--instance", str(data), "--key", groups[PUBLIC].decode()) == 0
    assert written[-1].endswith(" ok, 0 FAILED, 0 not checked.\n")
    assert main("--key", "00", str(path)) == 1
    assert written[-1].endswith(" 1 FAILED, 0 not checked.\n")
    for arguments in (["--key"], ["-x"], [str(path), str(path)], [str(path), "--instance"]):
        assert main(*arguments) == 2
        assert written[-1].startswith("python check [BUNDLE.zip")
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "argv", ["check", "-x"])
        patched.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit) as ended:
            runpy.run_module("kanon_engine.verification.__main__", run_name="__main__")
    assert (stream.encoding, stream.errors) == ("utf-8", "replace")
    assert ended.value.code == 2
    for arguments in ([str(tmp_path / "none")], [str(path), "--instance", str(tmp_path / "none")]):
        assert main(*arguments) == 2
        assert written[-1] == f"{tmp_path / 'none'} {NO_SUCH_FILE_OR_DIRECTORY}\n"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("'=a", "=a"),
        ("''-1", "'-1"),
        ("'a", "'a"),
        ("=a", "=a"),
        ("'", "'"),
        ("", ""),
        ("'+", "+"),
        ("''", "''"),
        ("'@", "@"),
    ],
)
def test_an_apostrophe_before_a_formula_is_taken_away(text, plain):
    assert unescaped(text) == plain
