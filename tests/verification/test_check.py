"""`python check`: a bundle or a certificate, checked by the folder alone, without kanon and without NumPy."""

import json
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.report import bundle as made
from kanon_engine.report.bundle import bundle
from kanon_engine.report.members import instance_text, members_of
from kanon_engine.verification.signature import fingerprint
from tests.report.bundles import KEY, review, with_short_parts

TABLE = kanon.Table(
    pd.DataFrame({"age": [1, 2, 2, 3, 5, 8, 8, None], "town": list("abbcabca")}),
    ["age", "town"],
    trees={"town": Tree.from_levels([("a", "A"), ("b", "A"), ("c", "B")])},
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The verifier in a folder of its own."""
    copy = tmp_path_factory.mktemp("elsewhere") / "check"
    copy.mkdir()
    for name, content in made.checker().items():
        (copy / name.removeprefix("check/")).write_bytes(content)
    return copy


def check(folder, *arguments):
    """Exit code and lines, by a Python that finds no package."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", folder, *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def marked(lines, mark):
    return [line[12:].split(":")[0] for line in lines if line.startswith(mark)]


@pytest.fixture(scope="module")
def zipped(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        checker = made.checker
        with_short_parts(patch)
        patch.setattr(made, "checker", checker)
        content = bundle(review(), key=KEY, data=True)
    path = tmp_path_factory.mktemp("bundle") / "bundle.zip"
    path.write_bytes(content)
    return path


def test_a_bundle_passes_as_a_zip_and_unpacked(folder, zipped, tmp_path):
    code, lines = check(folder, zipped, "--key", fingerprint(KEY.public_key().public_bytes_raw()))
    assert (code, marked(lines, "FAILED"), marked(lines, "not checked")) == (0, [], [])
    assert {"signature", "data", "bound witness", "digest", "crosswalk", "release/groups.csv"} <= set(
        marked(lines, "ok")
    )
    for name, content in members_of(zipped.read_bytes()).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    code, lines = check(folder, tmp_path)
    assert (code, marked(lines, "FAILED"), marked(lines, "not checked")) == (0, [], ["owner of the key"])
    assert [path.name.partition(".")[0] for path in folder.rglob("*.pyc")] == ["__main__"]


def test_an_unpacked_bundle_checks_itself_again_and_again(folder, zipped, tmp_path):
    for name, content in members_of(zipped.read_bytes()).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    for _ in range(2):
        code, lines = check(tmp_path / "check")
        assert (code, marked(lines, "FAILED"), marked(lines, "note")) == (0, [], ["files"])


def test_without_the_data_claims_are_compared_with_each_other(folder, zipped, tmp_path):
    certificate = tmp_path / "certificate.json"
    certificate.write_bytes(members_of(zipped.read_bytes())["internal/certificate.json"])
    code, lines = check(folder, certificate)
    assert (code, marked(lines, "not checked")) == (0, ["data"])
    g = kanon.Generalization.from_json(certificate.read_bytes())
    certificate.write_text(replace(g, cost=g.cost + 1).sealed().to_json())
    assert marked(check(folder, certificate)[1], "FAILED") == ["cost"]
    certificate.write_text(replace(g, algorithm="\x1b[2J" + "x" * 5_000).sealed().to_json())
    (line,) = [line for line in check(folder, certificate)[1] if line.startswith("FAILED")]
    assert line.startswith("FAILED      algorithm: 'the result was made by \\x1b[2Jxxx")
    assert len(line) < 2_100
    certificate.write_text("{}")
    assert (check(folder, certificate)[0], marked(check(folder, certificate)[1], "FAILED")) == (1, ["certificate"])


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("instance", "k", "algorithm"),
    [
        (kanon.Labels("abcdef", [8, 7, 6, 6, 5, 3]), 11, "exact"),
        (kanon.Regions(range(6), [3, 1, 3, 1, 3, 1], [(i, (i + 1) % 6) for i in range(6)]), 4, "tree-split"),
        *((TABLE, 2, algorithm) for algorithm in ("mondrian", "k-optimize", "cell-suppression")),
    ],
)
def test_the_data_decide(folder, instance, k, algorithm, tmp_path):
    g = kanon.generalize(instance, k, algorithm)
    files = tmp_path / "certificate.json", tmp_path / "data.json"
    files[0].write_text(g.to_json())
    files[1].write_text(instance_text(instance))
    code, lines = check(folder, files[0], "--instance", files[1])
    assert (code, marked(lines, "FAILED")) == (0, [])
    files[0].write_text(replace(g, bound_name="no way round", bound_kind="checked").sealed().to_json())
    lines = check(folder, files[0], "--instance", files[1])[1]
    assert marked(lines, "FAILED") == ["bound witness"]
    assert marked(lines, "note") == (["time"] if g.family == "regions" else [])  # a bound that may take minutes
    files[0].write_text(g.to_json())
    content = json.loads(instance_text(instance))
    content["parts"]["unit"] = "others"
    files[1].write_text(json.dumps(content))
    assert marked(check(folder, files[0], "--instance", files[1])[1], "FAILED") == ["data"]


def test_one_changed_byte_anywhere_is_seen(folder, zipped, tmp_path):
    content = zipped.read_bytes()
    for place in range(0, len(content), len(content) // 4):
        path = tmp_path / "other.zip"
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        code, lines = check(folder, path)
        assert (code, bool(marked(lines, "FAILED"))) == (1, True), place


def test_what_is_no_command_and_what_is_no_file(folder, tmp_path):
    assert check(folder, "--patient")[0] == check(folder, "a", "b")[0] == check(folder, tmp_path / "none.zip")[0] == 2
