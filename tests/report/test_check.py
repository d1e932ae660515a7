"""`python check` beside `verify`: what one accepts the other accepts, and what it claims to refuse it refuses."""

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import kanon_engine as kanon
from kanon_engine import verification
from kanon_engine.errors import CertificateError
from kanon_engine.model.known import FAMILIES
from kanon_engine.release import release
from kanon_engine.release.formats import csv_text
from kanon_engine.release.made import released_of
from kanon_engine.release.publication import certificate_text
from kanon_engine.release.released import Released
from kanon_engine.report import bundle as building
from kanon_engine.report.members import instance_text, members_of
from kanon_engine.verification.codec import content_digest, decode
from kanon_engine.verification.core import read_instance
from kanon_engine.verification.signature import BASE, ORDER, PRIME, _times, fingerprint, signature_is_good
from tests import compiled
from tests.report.bundles import KEY, review, with_short_parts
from tests.sentences import NO_MINIMUM_WAS_PROMISED, NO_SUCH_FILE_OR_DIRECTORY, REPORTED_BY_THE_SOLVER
from tests.test_contract import REAL_CASES, real, rebuilt, samples
from tests.verification.checked import certificate_failures, file_failures

FOLDER = Path(verification.__file__).parent
CHECKER = building.checker  # also where a fixture gives bundles a short one
DOC = Path(__file__).parents[2] / "docs" / "check.md"
ALGORITHMS = kanon.algorithms()
SHORT = {"recombine": {"effort": 0.001}, "local-cuts": {"rounds": 20}}


def plain_python(*arguments):
    """The exit code and the lines of the checker, by a Python that finds no package."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", FOLDER, *arguments], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def on_disk(folder, instance, g):
    (folder / "certificate.json").write_text(g.to_json(), "utf-8")
    (folder / "instance.json").write_text(instance_text(instance), "ascii")
    return folder / "certificate.json", "--instance", folder / "instance.json"


def bundled(monkeypatch, instance, g, frame, **changed):
    """The bundle of a release that is one CSV file."""
    with_short_parts(monkeypatch)
    monkeypatch.setattr(building, "checker", CHECKER)
    files = {"release.csv": frame.to_csv(index=False).encode()}
    content = {"instance": instance, "g": g, "certificate": kanon.verify(instance, g), "files": files, "digests": {}}
    content["released"] = released_of(instance, g)
    return building.bundle(review(**content | changed), key=KEY, data=True)


def failing(lines):
    return {line[12:].split(":")[0] for line in lines if line.startswith("FAILED")}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_it_accepts_what_verify_accepts(algorithm, tmp_path):
    instance, ks = next(samples(algorithm.family))
    g = kanon.generalize(instance, ks[1], algorithm.name, seed=5, **SHORT.get(algorithm.name, {}))
    proof = kanon.verify(instance, g).proof
    code, lines = plain_python(*on_disk(tmp_path, instance, g))
    assert (code, failing(lines)) == (0, set())
    assert sum(line.startswith("ok") for line in lines) > 15
    reported = any(line.startswith("not checked bound witness:") for line in lines)
    assert reported == (g.bound_kind == "solver") >= (proof == "solver")


def has_means(case):
    """Microaggregation refuses all samples but those with straight lines."""
    algorithm, sample = case.values
    return not algorithm.name.endswith("mdav") or sample["options"]["metric"] == "euclidean"


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("algorithm", "sample"), list(filter(has_means, REAL_CASES)))
def test_it_accepts_results_of_the_samples(algorithm, sample, tmp_path, monkeypatch):
    monkeypatch.setattr("kanon_engine.tables.k_optimize.BUDGET", 1_000)
    instance = real(sample["key"])
    if isinstance(instance, kanon.Table) and not compiled.THOROUGH:
        instance = rebuilt(instance, records=2_000)
    options = {"effort": 0.001} if algorithm.name == "recombine" else {}
    options |= {"restarts": 0} if algorithm.name == "hill-climb" else {}
    g = kanon.generalize(instance, sample["k"], algorithm.name, seed=5, **options)
    code, lines = plain_python(*on_disk(tmp_path, instance, g))
    assert (code, failing(lines)) == (0, set())


def requirement_cases():
    frame = pd.DataFrame(
        {"age": [1, 1, 2, 2, 3, 3], "income": [1, 5, 2, 6, 3, 9], "ill": ["a", "b", "a", "c", "b", None]}
    )
    table = kanon.Table(frame, ["age"])
    path = kanon.Regions(range(4), [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)], columns={"homes": [3, 1, 2, 2]})
    yield table, 2, "k-optimize", kanon.Diversity("ill", 2), kanon.Diversity("ill", 3)
    yield table, 2, "mondrian", kanon.Diversity("ill", 1.9, "entropy"), kanon.Diversity("ill", 2.5, "entropy")
    yield table, 2, "mondrian", kanon.Diversity("ill", 2, "recursive", 2.0), kanon.Diversity("ill", 2, "recursive", 0.5)
    yield table, 2, "mondrian", kanon.Closeness("income", 0.3), kanon.Closeness("income", 0.01)
    yield table, 2, "mondrian", kanon.Closeness("ill", 0.5), kanon.Closeness("ill", 0.01)
    yield path, 5, "tree-split", kanon.Minimum("homes", 3), kanon.Minimum("homes", 5)


@pytest.mark.parametrize(("instance", "k", "name", "asked", "more"), list(requirement_cases()))
def test_what_is_required_of_classes_is_counted_again(instance, k, name, asked, more):
    g = kanon.generalize(instance, k, name, require=[asked])
    assert certificate_failures(instance, g.to_json()) == []
    spoilt = replace(g, require=(more,)).sealed()
    with pytest.raises(CertificateError, match="requirement"):
        kanon.verify(instance, spoilt)
    assert "requirement" in certificate_failures(instance, spoilt.to_json())


def test_every_bound_is_worked_out_again_or_reported_by_a_solver():
    words = {True: "recomputed", False: f"{REPORTED_BY_THE_SOLVER}, not checked"}
    rows = [
        f"| {name} | {bound} | {words[bound in verification.FAMILIES[name].BOUNDS]} |"
        for name, family in FAMILIES.items()
        for bound in family.bounds
    ]
    assert "\n".join(rows) in DOC.read_text("utf-8")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_data_in_their_file_have_the_digest_of_the_instance(family):
    for instance, _ in samples(family):
        data = read_instance(instance_text(instance), verification.FAMILIES)
        assert (data.digest, data.family) == (instance.digest, family)


def test_missing_and_infinite_values_keep_their_digest():
    frame = pd.DataFrame({"a": [1.5, None, 3.0], "b": ["x", None, "é"], "c": [float("inf"), -0.0, 1e300]})
    for instance in (kanon.Table(frame, ["a", "b"]), kanon.MetricSpace(frame[["a", "b"]], "gower", weights=[1, 0.1])):
        data = read_instance(instance_text(instance), verification.FAMILIES)
        assert data.digest == instance.digest


# RFC 8032, section 7.1: tests 1, 2, 3 and SHA(abc)
VECTORS = [
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", b""),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", b"\x72"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", b"\xaf\x82"),
]
FIRST = (
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
)


def test_signatures_of_the_rfc_are_good():
    assert signature_is_good(bytes.fromhex(FIRST[0]), b"", bytes.fromhex(FIRST[1]))
    for secret, message in VECTORS:
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert signature_is_good(public, message, signature)
        assert not signature_is_good(public, message + b"x", signature)
        for place in (0, 31, 32, 63):
            other = bytearray(signature)
            other[place] ^= 1
            assert not signature_is_good(public, message, bytes(other))


def test_the_neutral_point_has_one_form():
    """A signature may have it for its R, as by the nonce 0; but not with the sign of another point."""
    secret = 12345
    x, y, z, _ = _times(secret, BASE)
    x, y = (side * pow(z, -1, PRIME) % PRIME for side in (x, y))
    key, neutral = (y | (x & 1) << 255).to_bytes(32, "little"), (1).to_bytes(32, "little")
    for sign in (0, 1):
        r = neutral[:31] + bytes([sign << 7])
        h = int.from_bytes(hashlib.sha512(r + key + b"text").digest(), "little")
        assert signature_is_good(key, b"text", r + (h * secret % ORDER).to_bytes(32, "little")) == (not sign)


def test_other_forms_of_a_signature_are_refused():
    key, signature = (bytes.fromhex(text) for text in FIRST)
    s = int.from_bytes(signature[32:], "little")
    assert not signature_is_good(key, b"", signature[:32] + (s + ORDER).to_bytes(32, "little"))
    assert not signature_is_good(key, b"", signature + b"\x00")
    one = (1).to_bytes(32, "little")  # the neutral element, as which everything is signed
    assert not signature_is_good(one, b"", one + bytes(32))
    beyond = (PRIME + 1).to_bytes(32, "little")  # y = 1 in another form
    assert not signature_is_good(beyond, b"", beyond + bytes(32))


@pytest.fixture
def table():
    frame = pd.DataFrame({"age": [30, 30, 41, 44], "sex": list("mmff"), "illness": ["flu", "flu", "gout", "flu"]})
    instance = kanon.Table(frame, ["age", "sex"])
    return instance, kanon.generalize(instance, 2, "mondrian")


def test_a_bundle_is_checked_as_a_zip_and_as_a_folder(table, tmp_path, monkeypatch):
    content = bundled(monkeypatch, *table, release(*table))
    (tmp_path / "bundle.zip").write_bytes(content)
    known = fingerprint(KEY.public_key().public_bytes_raw())
    code, lines = plain_python(tmp_path / "bundle.zip", "--key", known)
    assert (code, failing(lines)) == (0, set())
    assert any("release/release.csv: 4 rows show 2 combinations of age, sex for 4 records" in line for line in lines)
    for name, part in members_of(content).items():
        place = tmp_path / "unpacked" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(part)
    assert plain_python(tmp_path / "unpacked", "--key", "0" * 64)[0] == 1
    here = subprocess.run([sys.executable, "-I", "-S", tmp_path / "unpacked" / "check"], capture_output=True)
    assert here.returncode == 0
    assert known in here.stdout.decode()
    assert here.stdout.decode().count("digest of check/") == len(CHECKER())
    (tmp_path / "unpacked" / "more.txt").write_text("x")
    assert failing(plain_python(tmp_path / "unpacked")[1]) == {"files"}


QUICKEST = {
    "regions": "tree-split", "rectangles": "kd-tree", "labels": "fold", "tables": "mondrian", "clusters": "gather"
}  # fmt: skip


def test_this_python_finds_no_numpy():
    done = subprocess.run([sys.executable, "-I", "-S", "-c", "import numpy"], capture_output=True)
    assert b"No module named 'numpy'" in done.stderr


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_bundle_of_each_family_checks_itself_in_an_empty_folder(family, tmp_path, monkeypatch):
    instance, ks = next(samples(family))
    options = {"snap": 2} if family == "rectangles" else {}  # without a grid rectangles may not leave
    g = kanon.generalize(instance, ks[1], QUICKEST[family], seed=5, **options)
    members = members_of(bundled(monkeypatch, instance, g, release(instance, g)))
    for name, part in members.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(part)
    command = [sys.executable, "-I", "-S", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stderr, failing(done.stdout.splitlines())) == (0, "", set())
    assert "ok          data:" in done.stdout
    assert "ok          bound witness:" in done.stdout
    for name in members.keys() - CHECKER().keys() | {"check/__main__.py"}:  # the verifier is the same in every bundle
        part = members[name]
        (tmp_path / name).write_bytes(bytes([part[0] ^ 1]) + part[1:])
        refused = {line.name for line in file_failures(tmp_path)}
        named = {"manifest.json": {"manifest"}, "manifest.sig": {"signature"}, "key.pub": {"signature"}}
        assert refused >= named.get(name, {f"digest of {name}"}), name
        (tmp_path / name).write_bytes(part)
    (tmp_path / "manifest.sig").unlink()
    assert {line.name for line in file_failures(tmp_path)} == {"signature"}


def test_a_crosswalk_of_other_groups_is_refused(monkeypatch, tmp_path):
    labels = kanon.Labels(["=a", "b", "'c", "7", "-1", "+"], [3, 2, 2, 4, 3, 3])
    g = kanon.generalize(labels, 5, "fold")
    crosswalk = building.crosswalk(labels, g)
    for text, failures in ((crosswalk, set()), (crosswalk.replace(",2", ",1"), {"crosswalk"})):
        monkeypatch.setattr(building, "crosswalk", lambda instance, g, text=text: text)
        (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, labels, g, release(labels, g)))
        assert failing(plain_python(tmp_path / "bundle.zip")[1]) == failures


def test_names_of_columns_that_look_like_formulas_are_found(monkeypatch, tmp_path):
    table = kanon.Table(pd.DataFrame({"@age": [1, 1, 2, 2], "-": list("xyxy")}), ["@age"])
    g = kanon.generalize(table, 2, "mondrian")
    files = {"release.csv": csv_text(release(table, g)).encode()}
    (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, table, g, release(table, g), files=files))
    code, lines = plain_python(tmp_path / "bundle.zip")
    assert code == 0
    assert any("2 combinations of @age" in line for line in lines)


def test_a_changed_byte_of_a_bundle_is_refused(table, tmp_path, monkeypatch):
    content = bundled(monkeypatch, *table, release(*table))
    path = tmp_path / "bundle.zip"
    for place in range(0, len(content), len(content) // 150):
        changed = bytearray(content)
        changed[place] ^= 0x20
        path.write_bytes(changed)
        assert file_failures(path) != []


def test_a_release_with_groups_below_k_is_refused(table, tmp_path, monkeypatch):
    instance, g = table
    frame = release(instance, g)
    frame.loc[0, "sex"] = "any"
    (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, instance, g, frame))
    assert failing(plain_python(tmp_path / "bundle.zip")[1]) == {"release/release.csv", "audit"}


@pytest.mark.thorough
def test_an_audit_that_its_file_belies_is_refused(table, tmp_path, monkeypatch):
    """Whoever signs may write any figures beside a result; those of sets are counted again in the file."""
    instance = replace(table[0], reading={"keep": ["illness"]})
    g = kanon.generalize(instance, 2, "mondrian")
    content, written = json.loads(certificate_text(instance, g)), tmp_path / "bundle.zip"
    audit = content.pop("audit")
    figures = {name: value for name, value in audit.items() if name != "digest"}
    changes = [{}, *({name: 3} for name in ("k", "records", "k_reached", "k_together", "alone", "below")), {"more": 1},
               {"kept": ["sex"]}, {"findings": []}]  # fmt: skip
    found = []
    for change in changes:
        told = figures | change
        text = json.dumps({**content, "audit": told | {"digest": content_digest(told)}})
        monkeypatch.setattr(building, "certificate_text", lambda instance, g, text=text: text)
        written.write_bytes(bundled(monkeypatch, instance, g, release(instance, g)))
        code, lines = plain_python(written)
        assert any(line.startswith("not checked audit: because only kanon verify") for line in lines) or code
        found.append(failing(lines))
    assert found == [set(), *[{"audit"}] * 7, set(), set()]
    monkeypatch.setattr(
        building, "certificate_text", lambda *_: json.dumps({**content, "audit": {**audit, "below": 3}})
    )
    written.write_bytes(bundled(monkeypatch, instance, g, release(instance, g)))
    assert failing(plain_python(written)[1]) == {"audit", "audit digest"}


def test_released_groups_have_the_sizes_of_the_certificate(tmp_path, monkeypatch):
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    g = kanon.generalize(labels, 5, "fold")
    (tmp_path / "good.zip").write_bytes(bundled(monkeypatch, labels, g, release(labels, g)))
    assert plain_python(tmp_path / "good.zip")[0] == 0
    other = release(labels, g).assign(weight=[6, 6])
    (tmp_path / "bad.zip").write_bytes(bundled(monkeypatch, labels, g, other))
    assert failing(plain_python(tmp_path / "bad.zip")[1]) == {"release/release.csv"}


def test_a_map_is_read_as_a_table_is(tmp_path, monkeypatch):
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    g = kanon.generalize(labels, 5, "fold")
    for weight, failures in ((5, set()), (4, {"release/map.geojson"})):
        rows = [{"type": "Feature", "geometry": None, "properties": {"group": 1, "weight": weight}},
                {"type": "Feature", "geometry": None, "properties": {"group": 2, "weight": 6}}]  # fmt: skip
        files = {
            "map.geojson": json.dumps({"type": "FeatureCollection", "features": rows}).encode(),
            "map.pdf": b"%PDF",
        }
        (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, labels, g, release(labels, g), files=files))
        lines = plain_python(tmp_path / "bundle.zip")[1]
        assert failing(lines) == failures
        assert any(line.startswith("not checked release/map.pdf") for line in lines)


def test_own_records_hold_k_over_all_that_is_shown_of_them(tmp_path, monkeypatch):
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    g = kanon.generalize(labels, 5, "fold")
    frame = pd.DataFrame({"group": ["1", "1", "1", "2", "2"], "sex": list("fffmm")})
    for k, own, failures in ((2, True, set()), (3, True, set()), (3, False, {"release/release.csv"})):
        made = Released(frame, ("group", "sex"), k=k)
        (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, labels, g, frame, released=made, own=own))
        code, lines = plain_python(tmp_path / "bundle.zip")
        assert (code, failing(lines)) == (1 if failures else 0, failures)
        assert any(line.startswith("not checked sizes in release/release.csv") for line in lines)
        noted = [line for line in lines if line.startswith("note")]
        assert len(noted) == (own and k == 3)
        for line in noted:
            few = "2 of these records are in combinations of fewer than 3 records (number of such combinations: 1)"
            assert (
                f"{NO_MINIMUM_WAS_PROMISED} for combinations. {few}. The rarest combination has a count of 2." in line
            )
        assert lines[-1].endswith("; notes: 1.") == bool(noted)
        promised = json.loads(members_of((tmp_path / "bundle.zip").read_bytes())["manifest.json"])["released"]
        assert promised["promised"] == (None if noted else k)


def test_own_records_of_another_k_than_the_groups_may_have_their_sizes(tmp_path, monkeypatch):
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    g = kanon.generalize(labels, 5, "fold")
    rows = [str(number + 1) for number, size in enumerate(g.class_weights.tolist()) for _ in range(size)]
    frame = pd.DataFrame({"group": rows})
    made = Released(frame, ("group",), k=2)
    (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, labels, g, frame, released=made, own=True))
    assert plain_python(tmp_path / "bundle.zip")[0] == 0


def test_a_file_that_is_not_there_is_told(tmp_path):
    assert plain_python(tmp_path / "none.zip") == (
        2,
        [f"{tmp_path / 'none.zip'} {NO_SUCH_FILE_OR_DIRECTORY}"],
    )
    assert plain_python("--what")[0] == 2


def test_a_relaxed_bound_is_the_threshold_and_not_k():
    labels = kanon.Labels("abcd", [5, 5, 5, 5])
    g = kanon.generalize(labels, 20, "relaxed-scheme", epsilon=0.5)
    assert g.details.threshold == 10
    told = replace(g, bound_name="k", bound_witness=(), lower_bound=10)
    assert "bound witness" not in certificate_failures(labels, told.sealed().to_json())
    assert "bound witness" in certificate_failures(labels, replace(told, lower_bound=20).sealed().to_json())


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_details_of_another_form_are_refused(algorithm):
    """A field less or more, a number for a word, an array with other sides: whatever it says, it is not the form."""
    instance, ks = next(samples(algorithm.family))
    g = kanon.generalize(instance, ks[1], algorithm.name, seed=5, **SHORT.get(algorithm.name, {}))
    content = json.loads(g.to_json())
    fields = content["details"]["fields"]
    changed = [{**fields, "more": 1}]
    for name, value in fields.items():
        changed.append({key: other for key, other in fields.items() if key != name})
        changed.append({**fields, name: [value]})
        if isinstance(value, dict) and "array" in value and len(value["shape"]) == 1:
            changed.append({**fields, name: {**value, "shape": [len(value["data"]), 1]}})
        if type(value) is int:
            changed.append({**fields, name: bool(value)})
            changed.append({**fields, name: float(value)})
    for other in changed:
        text = resealed({**content, "details": {**content["details"], "fields": other}})
        assert certificate_failures(instance, text)


def resealed(content):
    """The same certificate with a digest that fits."""
    values = {name: decode(value) for name, value in content.items() if name not in ("format", "digest")}
    if not values["require"]:
        del values["require"]
    return json.dumps({**content, "digest": content_digest(values)})


@pytest.mark.parametrize("family", list(FAMILIES))
def test_data_with_a_count_below_what_counts_can_be_are_refused(family):
    instance, _ = next(samples(family))
    content = json.loads(instance_text(instance))
    name = {"labels": "counts", "clusters": "counts"}.get(family, "weights")
    counts = content["parts"].setdefault(name, {"array": "<i8", "shape": [len(instance)], "data": [1] * len(instance)})
    counts["data"][0] = -2
    content["digest"] = content_digest({name: decode(value, special=True) for name, value in content["parts"].items()})
    with pytest.raises(ValueError, match="counts|count|records"):
        read_instance(json.dumps(content), verification.FAMILIES)


def test_a_table_without_columns_is_refused():
    instance, _ = next(samples("tables"))
    content = json.loads(instance_text(instance))
    content["parts"]["cells"] = {"mapping": {}}
    content["digest"] = content_digest({name: decode(value, special=True) for name, value in content["parts"].items()})
    lines = list(
        verification.bundle.Bundle(verification.FAMILIES).certificate_lines(b"{}", json.dumps(content).encode())
    )
    assert (lines[0].mark, lines[0].name) == ("FAILED", "data")
