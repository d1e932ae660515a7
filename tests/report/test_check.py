"""check.py beside `verify`: what one accepts the other accepts, and what it claims to refuse it refuses."""

import ast
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import kanon_engine as kanon
from kanon_engine.errors import CertificateError
from kanon_engine.registry import FAMILIES
from kanon_engine.release import release
from kanon_engine.release.audited import certificate_text
from kanon_engine.release.made import released_of
from kanon_engine.release.released import Released
from kanon_engine.release.spreadsheet import csv_text
from kanon_engine.report import bundle as building
from kanon_engine.report import check
from kanon_engine.report.instance_file import instance_text
from kanon_engine.report.members import members_of
from kanon_engine.report.signing import fingerprint
from tests import compiled
from tests.report.bundles import KEY, review, with_short_parts
from tests.test_checkable import changes, made
from tests.test_contract import REAL_CASES, real, rebuilt, samples

FILE = Path(check.__file__)
DOC = Path(__file__).parents[2] / "docs" / "check.md"
ALGORITHMS = kanon.algorithms()
SHORT = {"recombine": {"effort": 0.001}, "local-cuts": {"rounds": 20}}
# what check.py leaves to verify: the values that options may have, a look at all solutions, the order of a seed
LEFT_TO_VERIFY = {"options", "exhaustive check"}


def checked(instance, certificate):
    """The names of the claims that fail, and of those that are not checked, in this process."""
    lines = []
    report = check.Report(lines.append)
    data = report.run("data", check.read_instance, instance_text(instance).encode())
    check.check_certificate(report, certificate.encode(), data)
    return report.failures, [line[12:].split(":")[0] for line in lines if line.startswith("not checked")]


def plain_python(*arguments):
    """The exit code and the lines of check.py, by a Python that finds no package."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", FILE, *arguments], capture_output=True, text=True, encoding="utf-8"
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
    monkeypatch.setattr(building, "checker", FILE.read_bytes)
    files = {"release.csv": frame.to_csv(index=False).encode()}
    content = {"instance": instance, "g": g, "certificate": kanon.verify(instance, g), "files": files, "digests": {}}
    content["released"] = released_of(instance, g)
    return building.bundle(review(**content | changed), key=KEY, data=True)


def failing(lines):
    return {line[12:].split(":")[0] for line in lines if line.startswith("FAILED")}


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_it_accepts_what_verify_accepts(algorithm, tmp_path):
    instance, ks = next(samples(algorithm.family))
    g = kanon.generalize(instance, ks[1], algorithm.name, seed=5, **SHORT.get(algorithm.name, {}))
    proof = kanon.verify(instance, g).proof
    code, lines = plain_python(*on_disk(tmp_path, instance, g))
    assert (code, failing(lines)) == (0, set())
    assert sum(line.startswith("ok") for line in lines) > 15
    on_a_word = any(line.startswith("not checked bound:") for line in lines)
    assert on_a_word == (g.bound_kind == "solver") >= (proof == "solver")


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_it_accepts_every_option(algorithm):
    for instance, g in made(algorithm):
        assert checked(instance, g.to_json())[0] == []


def has_means(case):
    """Microaggregation refuses all samples but those with straight lines."""
    algorithm, sample = case.values
    return not algorithm.name.endswith("mdav") or sample["options"]["metric"] == "euclidean"


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
    assert checked(instance, g.to_json())[0] == []
    spoilt = replace(g, require=(more,)).sealed()
    with pytest.raises(CertificateError, match="requirement"):
        kanon.verify(instance, spoilt)
    assert "requirement" in checked(instance, spoilt.to_json())[0]


def verdicts(algorithm, share):
    """(the check by which verify refuses, or None; what fails here) of changed certificates, sealed again."""
    for instance, g in list(made(algorithm))[:2]:
        for number, (_, other) in enumerate(changes(algorithm, g)):
            if number % share:
                continue
            try:
                certificate = other.to_json()
            except (TypeError, ValueError):
                continue
            try:
                kanon.verify(instance, other)
                why = None
            except CertificateError as error:
                why = error.check
            yield why, checked(instance, certificate)[0]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_it_refuses_changed_certificates_that_verify_refuses(algorithm):
    share = 1 if compiled.THOROUGH else 7
    caught = Counter()
    for why, failures in verdicts(algorithm, share):
        if why is None:
            assert failures == []
        elif why not in LEFT_TO_VERIFY and not (why == "packing order" and algorithm.name in ("fold", "spread")):
            assert failures, why
            caught[why] += 1
    assert sum(caught.values()) > 5


def test_it_knows_the_algorithms():
    for name, family in FAMILIES.items():
        assert set(check.ALGORITHMS[name]) == set(family.makers)
        assert set(check.SEARCHES[name]) == {maker.name for maker in family.makers.values() if "solver" in maker.claims}


def test_every_bound_is_worked_out_again_or_left_for_a_reason():
    for name, family in FAMILIES.items():
        again, left = set(check.BOUNDS[name]), set(check.UNCHECKED_BOUNDS[name])
        assert again | left == set(family.bounds)
        assert not again & left
    words = {True: "worked out again", False: "a search’s word, not checked"}
    rows = [
        f"| {family} | {name} | {words[name in check.BOUNDS[family]]} |"
        for family in FAMILIES
        for name in FAMILIES[family].bounds
    ]
    assert "\n".join(rows) in DOC.read_text("utf-8")


def test_it_imports_nothing_but_the_standard_library():
    tree = ast.parse(FILE.read_text("utf-8"), feature_version=(3, 9))
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(node.module)
    assert {name.partition(".")[0] for name in named} <= sys.stdlib_module_names
    assert not named & {"socket", "subprocess", "urllib", "importlib", "ctypes"}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_data_in_their_file_have_the_digest_of_the_instance(family):
    for instance, _ in samples(family):
        report = check.Report(lambda line: None)
        data = report.run("data", check.read_instance, instance_text(instance).encode())
        assert (data.digest, data.family) == (instance.digest, family)


def test_missing_and_infinite_values_keep_their_digest():
    frame = pd.DataFrame({"a": [1.5, None, 3.0], "b": ["x", None, "é"], "c": [float("inf"), -0.0, 1e300]})
    for instance in (kanon.Table(frame, ["a", "b"]), kanon.MetricSpace(frame[["a", "b"]], "gower", weights=[1, 0.1])):
        data = check.read_instance(check.Report(lambda line: None), instance_text(instance).encode())
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
    assert check.signature_is_good(bytes.fromhex(FIRST[0]), b"", bytes.fromhex(FIRST[1]))
    for secret, message in VECTORS:
        key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert check.signature_is_good(public, message, signature)
        assert not check.signature_is_good(public, message + b"x", signature)
        for place in (0, 31, 32, 63):
            other = bytearray(signature)
            other[place] ^= 1
            assert not check.signature_is_good(public, message, bytes(other))


def test_other_forms_of_a_signature_are_refused():
    key, signature = (bytes.fromhex(text) for text in FIRST)
    s = int.from_bytes(signature[32:], "little")
    assert not check.signature_is_good(key, b"", signature[:32] + (s + check.ORDER).to_bytes(32, "little"))
    assert not check.signature_is_good(key, b"", signature + b"\x00")
    one = (1).to_bytes(32, "little")  # the neutral element, as which everything is signed
    assert not check.signature_is_good(one, b"", one + bytes(32))
    beyond = (check.PRIME + 1).to_bytes(32, "little")  # y = 1 in another form
    assert not check.signature_is_good(beyond, b"", beyond + bytes(32))


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
    here = subprocess.run([sys.executable, "-I", "-S", tmp_path / "unpacked" / "check.py"], capture_output=True)
    assert here.returncode == 0
    assert known in here.stdout.decode()
    (tmp_path / "unpacked" / "more.txt").write_text("x")
    assert failing(plain_python(tmp_path / "unpacked")[1]) == {"files"}


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
        assert check.main([str(path)], lambda line: None) == 1


def test_a_release_with_groups_below_k_is_refused(table, tmp_path, monkeypatch):
    instance, g = table
    frame = release(instance, g)
    frame.loc[0, "sex"] = "any"
    (tmp_path / "bundle.zip").write_bytes(bundled(monkeypatch, instance, g, frame))
    assert failing(plain_python(tmp_path / "bundle.zip")[1]) == {"release/release.csv", "audit"}


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
        text = json.dumps({**content, "audit": told | {"digest": check.content_digest(told)}})
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
            assert (
                "not promised: 2 of them show what fewer than 3 do (combinations: 1), the rarest stands for 2." in line
            )
        assert lines[-1].endswith("1 to note.") == bool(noted)
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
        [f"{tmp_path / 'none.zip'} cannot be read: No such file or directory."],
    )
    assert plain_python("--what")[0] == 2


def test_a_relaxed_bound_is_the_threshold_and_not_k():
    labels = kanon.Labels("abcd", [5, 5, 5, 5])
    g = kanon.generalize(labels, 20, "relaxed-scheme", epsilon=0.5)
    assert g.details.threshold == 10
    told = replace(g, bound_name="k", bound_witness=(), lower_bound=10)
    assert "bound witness" not in checked(labels, told.sealed().to_json())[0]
    assert "bound witness" in checked(labels, replace(told, lower_bound=20).sealed().to_json())[0]


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
        assert checked(instance, resealed({**content, "details": {**content["details"], "fields": other}}))[0]


def resealed(content):
    """The same certificate with a digest that fits."""
    values = {name: check.decoded(value) for name, value in content.items() if name not in ("format", "digest")}
    if not values["require"]:
        del values["require"]
    return json.dumps({**content, "digest": check.content_digest(values)})


@pytest.mark.parametrize("family", list(FAMILIES))
def test_data_with_a_count_below_what_counts_can_be_are_refused(family):
    instance, _ = next(samples(family))
    content = json.loads(instance_text(instance))
    name = {"labels": "counts", "clusters": "counts"}.get(family, "weights")
    counts = content["parts"].setdefault(name, {"array": "<i8", "shape": [len(instance)], "data": [1] * len(instance)})
    counts["data"][0] = -2
    content["digest"] = check.content_digest({name: check.decoded(value) for name, value in content["parts"].items()})
    lines = []
    report = check.Report(lines.append)
    assert report.run("data", check.read_instance, json.dumps(content).encode()) is None
    assert report.failures == ["data"]
