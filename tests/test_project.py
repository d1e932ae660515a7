"""Project files: what a page saves is read back, runs as it stands, and what is wrong in one is a sentence."""

from __future__ import annotations

import json

import pytest

import kanon_engine as kanon
from kanon_engine.errors import KanonError
from kanon_engine.model.digest import content_digest
from kanon_engine.project import LARGEST, Project, project_from
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.own_files import odd_counts, shapes_alone, zip_codes

HEAD = 'kanon = 1\nfamily = "regions"\nfile = "a.zip"\nk = 5\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Shapes, untidy counts and a project beside them."""
    place = tmp_path_factory.mktemp("project")
    frame = zip_codes()
    (place / "dc.zip").write_bytes(shapes_alone(frame, place))
    odd_counts(frame).to_csv(place / "counts.csv", index=False)
    reading = {
        "counts": "counts.csv",
        "repeated": "add",
        "unmatched": "drop",
        "hidden": "largest",
    }
    digests = {name: content_digest(data=(place / name).read_bytes()) for name in ("dc.zip", "counts.csv")}
    project = Project(
        "regions", "dc.zip", 20_001, "tree-split", {"tree": "low-degree"}, 3, reading, {"cases": 60}, digests
    )
    (place / "project.toml").write_text(project.to_toml(), "utf-8")
    return place


def test_a_project_runs_as_its_parts_do(folder):
    done = command("run", folder / "project.toml", "--format", "json", "--certificate", folder / "c.json", "--force")
    assert done.exit_code == 0, done.output
    assert "is not what it was" not in done.stderr
    regions = kanon.read_regions(
        folder / "dc.zip",
        counts=folder / "counts.csv",
        repeated="add",
        unmatched="drop",
        hidden="largest",
        columns=["cases"],
    )
    g = kanon.generalize(regions, 20_001, "tree-split", require=[kanon.Minimum("cases", 60)], seed=3, tree="low-degree")
    content = json.loads(done.stdout)
    assert (content["cost"], content["classes"], content["seed"]) == (g.cost, g.classes, 3)
    certificate = kanon.Generalization.from_json((folder / "c.json").read_text("utf-8"))
    assert certificate.assignment.tolist() == g.assignment.tolist()


def test_a_file_that_changed_is_told(folder):
    counts = folder / "counts.csv"
    before = counts.read_bytes()
    counts.write_bytes(before + b"\n")
    try:
        done = command("run", folder / "project.toml")
    finally:
        counts.write_bytes(before)
    assert done.exit_code == 0, done.output
    assert "counts.csv is not what it was when the project was saved." in done.stderr


def test_what_is_saved_is_read_back():
    odd = 'a "quoted" \\ name\x7f\n – ü'
    project = Project(
        "regions",
        "data/a b.zip",
        11,
        "recombine",
        dict(kanon.algorithms("regions")[0].checked_options({"compactness": 0.25})),
        2**64,
        {"id": odd, "together": [["1", odd]], "merge_duplicates": True, "hidden_most": 10, "columns": [odd]},
        {odd: 5},
        {"data/a b.zip": "0" * 64},
    )
    again = project_from(project.to_toml().encode())
    assert again.to_toml() == project.to_toml()
    assert (again.reading["id"], again.reading["together"]) == (odd, (("1", odd),))
    assert (again.seed, again.minimum, again.digests) == (project.seed, project.minimum, project.digests)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff\xfe", "is no text in TOML"),
        ("k = = 5", "is broken TOML"),
        ("a = " + "[" * 5000, "is "),
        (" " * (LARGEST + 1), "has more than 1,000,000 bytes"),
        ("", "says kanon = None, and not 1"),
        (HEAD.replace("1", "2", 1), "says kanon = 2, and not 1"),
        (HEAD.replace("regions", "houses"), "names the family 'houses'; choose one of regions"),
        (HEAD + "run = 'rm'", "has an entry 'run', which means nothing"),
        (HEAD.replace("a.zip", "/etc/passwd"), "names '/etc/passwd' as file, which is no file in its own folder"),
        (HEAD.replace("a.zip", "../a.zip"), "names '../a.zip' as file"),
        (HEAD.replace('"a.zip"', "'..\\a.zip'"), "as file, which is no file in its own folder"),
        (HEAD.replace('"a.zip"', "'C:a.zip'"), "names 'C:a.zip' as file"),
        (HEAD.replace('"a.zip"', "3"), "says file = 3, which is no text"),
        (HEAD.replace("k = 5", "k = 0"), "k is 0; it must be a whole number of at least 1"),
        (HEAD.replace("k = 5", "k = true"), "k is True"),
        (HEAD + "algorithm = 'best'", "There is no algorithm 'best'"),
        (HEAD + "seed = -1", "The seed is -1"),
        (HEAD + "options = 3", "says options = 3, which must be a table"),
        (HEAD + "[options]\nspeed = 3", "has no option 'speed'"),
        (HEAD + "[reading]\nreader = 'read_regions'", "has 'reader' under reading, which means nothing there"),
        (HEAD + "[reading]\ncounts = '/etc/passwd'", "names '/etc/passwd' as counts under reading"),
        (HEAD + "[reading]\ncounts = 5", "says counts = 5 under reading; give the path of a file"),
        (HEAD + "[reading]\nid = ['a']", "says id = ['a'] under reading, which is no text"),
        (HEAD + "[reading]\nmerge_duplicates = 1", "which is no flag"),
        (HEAD + "[reading]\ncrs = '/etc/passwd'", "names no coordinate system by itself"),
        (HEAD + "[reading]\nhidden_most = 'x'", "is no whole number of at least 0"),
        (HEAD + "[minimum]\ncases = 'x'", "The minimum of a column is 'x'"),
        (HEAD.replace("regions", "tables") + "[minimum]\ncases = 3", "asks for a minimum"),
    ],
)
def test_what_is_wrong_in_a_project_is_one_sentence(text, words):
    with pytest.raises(KanonError) as caught:
        project_from(text)
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_a_project_whose_files_are_not_there_says_which(tmp_path):
    path = tmp_path / "project.toml"
    path.write_text(HEAD, "utf-8")
    assert "The project needs a.zip, which is not in" in refused(command("run", path))
    assert "There is no file" in refused(command("run", tmp_path / "other.toml"))
    secret = tmp_path.parent / "secret.csv"
    secret.write_text("a", "utf-8")
    (tmp_path / "a.zip").symlink_to(secret)
    assert "lies in another folder" in refused(command("run", path))
