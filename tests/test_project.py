"""Project files: what a page saves is read back, runs as it stands, and what is wrong in one is a sentence."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.errors import KanonError
from kanon_engine.model.serialize import content_digest
from kanon_engine.project import LARGEST, OTHERS, ByHand, Move, Project, groups_digest, project_from
from kanon_engine.project.context import Context, Decision
from kanon_engine.project.recipe import Leaving, Looking
from kanon_engine.regions.moves import moved, with_locks
from kanon_engine.release.formats import FORMATS
from kanon_engine.risk.attacks.knowledge import Limits
from kanon_engine.risk.rules import ALL, Facts
from tests.cli.command import kanon as command
from tests.cli.command import refused
from tests.own_files import odd_counts, shapes_alone, zip_codes
from tests.sentences import (
    HAS_CHANGED_SINCE,
    IN_A_LOCKED_GROUP,
    IS_BROKEN_TOML,
    MUST_BE_A_WHOLE_NUMBER,
    MUST_BE_TEXT,
    NO_LONGER_FITS,
    NO_PACKAGES,
    NO_SUCH_ITEM,
    THERE_IS_NO_ALGORITHM,
    THERE_IS_NO_FILE,
    UNKNOWN_FACT,
)

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
        "regions", "dc.zip", 20_001, "tree-split", {"tree": "low-degree"}, 3, reading, {"cases": 60}, digests=digests
    )
    (place / "project.toml").write_text(project.to_toml(), "utf-8")
    return place


def test_a_project_runs_as_its_parts_do(folder):
    done = command("run", folder / "project.toml", "--format", "json", "--certificate", folder / "c.json", "--force")
    assert done.exit_code == 0, done.output
    assert HAS_CHANGED_SINCE not in done.stderr
    regions = kanon.read_regions(
        folder / "dc.zip",
        counts=folder / "counts.csv",
        repeated="add",
        unmatched="drop",
        hidden="largest",
        columns=["cases"],
        missing_counts="zero",  # which the project does not say, as those that were saved before there was a choice
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
    assert f"counts.csv {HAS_CHANGED_SINCE} the project was saved." in done.stderr


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
        digests={"data/a b.zip": "0" * 64},
        by_hand=ByHand(
            ((odd, "2"),), (("3",),), (Move(("1",), odd), Move(("2", "3"))), ((odd, ("1", "2")), ("Ωb", ("3",))), "f0"
        ),
    )
    again = project_from(project.to_toml().encode())
    assert again.by_hand == project.by_hand
    assert again.to_toml() == project.to_toml()
    assert (again.reading["id"], again.reading["together"]) == (odd, (("1", odd),))
    assert (again.seed, again.minimum, again.digests) == (project.seed, project.minimum, project.digests)


def test_demands_of_sensitive_columns_stand_in_a_project():
    demands = {"illness": "3:entropy", "incöme": "0.25:closeness", "pay": "2:recursive:3"}
    project = Project(
        "tables", "a.csv", 5, "k-optimize", kanon.algorithms("tables")[0].checked_options({}), demands=demands
    )
    again = project_from(project.to_toml())
    assert again == project
    assert again.require == (
        kanon.Diversity("illness", 3, "entropy"),
        kanon.Closeness("incöme", 0.25),
        kanon.Diversity("pay", 2, "recursive", 3),
    )


WORDS = st.text(max_size=12)
NAMES = st.lists(WORDS, max_size=3, unique=True).map(tuple)
SAID = st.builds(Context, **dict.fromkeys(("title", "holder", "controls", "officer"), WORDS.map(str.strip)))

DECISIONS = st.none() | st.builds(
    Decision, st.sampled_from(["release", "refuse"]), st.just("Why not."), by=WORDS.map(str.strip), until=st.just("")
)
FACTS = st.builds(
    Facts,
    areas=st.sampled_from(["", "states"]),
    people=st.dictionaries(WORDS, st.dictionaries(WORDS, st.integers(0, 9), max_size=2), max_size=2),
    counts_are_people=st.booleans(),
    year=st.none() | st.integers(1900, 3000),
    absent=st.sampled_from([(), ("A", "R"), ALL]),
    harmless=NAMES,
    expert_risk=st.none() | st.floats(0.01, 1) | st.just("1/11"),
    minimum=st.none() | st.integers(1, 99),
    population_sizes=st.none() | st.lists(st.integers(0, 2**40), max_size=3).map(tuple),
    parts=st.sampled_from([None, True, False]),
    sharing=WORDS.map(str.strip),
)


@settings(max_examples=150, deadline=None)
@given(
    st.builds(
        Leaving,
        st.lists(st.sampled_from(list(FORMATS)), unique=True, max_size=3).map(tuple),
        NAMES,
        NAMES,
        st.sampled_from([None, True, False]),
        st.just("patients.csv"),
        NAMES,
        NAMES,
        st.none() | st.integers(1, 2**63 - 1),
        st.dictionaries(WORDS, WORDS, max_size=2),
    ),
    SAID,
    st.builds(
        Looking,
        st.none() | NAMES,
        st.floats(0, 1, exclude_min=True),
        st.integers(0, 2**63),
        st.builds(Limits, st.floats(0, 1), times=st.floats(1, 9)).map(lambda limits: limits.texts),
    ),
    FACTS,
    DECISIONS,
)
def test_whatever_a_recipe_says_is_read_back(leaving, context, looking, facts, decision):
    project = Project(
        "labels", "a.csv", 5, "fold", kanon.algorithms("labels")[0].checked_options({}),
        leaving=leaving, context=context, looking=looking, facts=facts, decision=decision,
    )  # fmt: skip
    project = replace(project, options={"order": "given"})
    text = project.to_toml()
    assert project_from(text.encode()) == project
    assert project_from(text).to_toml() == text


def test_a_project_without_a_release_is_written_as_before():
    text = Project("labels", "a.csv", 5, "fold", {"order": "given"}).to_toml()
    assert text.splitlines()[1:] == [
        "kanon = 1",
        'family = "labels"',
        'file = "a.csv"',
        "k = 5",
        'algorithm = "fold"',
        "seed = 0",
        "",
        "[options]",
        'order = "given"',
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff\xfe", "is not TOML text"),
        ("k = = 5", IS_BROKEN_TOML),
        ("a = " + "[" * 5000, "is "),
        (" " * (LARGEST + 1), "has more than 5,000,000 bytes"),
        ("", "says kanon = None instead of 1"),
        (HEAD.replace("1", "2", 1), "says kanon = 2 instead of 1"),
        (HEAD.replace("regions", "houses"), "has the unknown family 'houses'; choose one of regions"),
        (HEAD + "run = 'rm'", "has an unknown entry 'run'"),
        (
            HEAD.replace("a.zip", "/etc/passwd"),
            "gives '/etc/passwd' as file, but it must be a file in the project's folder",
        ),
        (HEAD.replace("a.zip", "../a.zip"), "gives '../a.zip' as file"),
        (HEAD.replace('"a.zip"', "'..\\a.zip'"), "as file, but it must be a file in the project's folder"),
        (HEAD.replace('"a.zip"', "'C:a.zip'"), "gives 'C:a.zip' as file"),
        (HEAD.replace('"a.zip"', "3"), f"gives 3 as file, {MUST_BE_TEXT}"),
        (HEAD.replace("k = 5", "k = 0"), f"k is 0; it {MUST_BE_A_WHOLE_NUMBER} 1"),
        (HEAD.replace("k = 5", "k = true"), "k is True"),
        (HEAD + "algorithm = 'best'", f"{THERE_IS_NO_ALGORITHM} 'best'"),
        (HEAD + "seed = -1", "The seed is -1"),
        (HEAD + "options = 3", "says options = 3, but it must be a section"),
        (HEAD + "[options]\nspeed = 3", "has no option 'speed'"),
        (HEAD + "[reading]\nreader = 'read_regions'", "has an unknown entry 'reader' in the section “reading”"),
        (HEAD + "[reading]\ncounts = '/etc/passwd'", "gives '/etc/passwd' as “counts” in the section “reading”"),
        (HEAD + "[reading]\ncounts = 5", "says counts = 5 in the section “reading”; give the path of a file"),
        (HEAD + "[reading]\nid = ['a']", f"says id = ['a'] in the section “reading”, {MUST_BE_TEXT}"),
        (HEAD + "[reading]\nmerge_duplicates = 1", "but it must be true or false"),
        (HEAD + "[reading]\ncrs = '/etc/passwd'", "refers to a file, so it is not a coordinate system by itself"),
        (HEAD + "[reading]\nhidden_most = 'x'", "is not a whole number of at least 0"),
        (HEAD + "[minimum]\ncases = 'x'", "The minimum of a column is 'x'"),
        (HEAD.replace("regions", "tables") + "[minimum]\ncases = 3", "requires a minimum"),
        (HEAD + "[demands]\nillness = '3'", "has demands, which apply to sensitive columns"),
        (
            HEAD.replace("regions", "tables") + "[demands]\nillness = 3",
            f"gives 3 as “illness” in the section “demands”, {MUST_BE_TEXT}",
        ),
        (HEAD.replace("regions", "tables") + "[demands]\nillness = 'x'", "write it as 3, 3:entropy"),
        (
            HEAD.replace("regions", "tables") + "[reading]\norders = '/etc/passwd'",
            "says orders = '/etc/passwd' in the section “reading”, which is not a table of values by column",
        ),
        (HEAD + "locks = 3", "says locks = 3, but it must be a section"),
        (HEAD + "[locks]\nkept = []", "has an unknown entry 'kept' in the section “locks”"),
        (HEAD + "[locks]\nheld = 'abc'", "gives 'abc' as “held” in the section “locks”, but it must be a list of sets"),
        (HEAD + "[locks]\nnew = [[]]", "gives [] as “new” in the section “locks”, but it must be a list of ids"),
        (HEAD + "[locks]\nnew = [[1.5]]", "but it must be a list of ids"),
        (HEAD + "moves = 3", "says moves = 3, but each entry must be a section"),
        (HEAD + "moves = [3]", "says moves = [3], but each entry must be a section"),
        (HEAD + "[[moves]]\nto = 'a'", "begins with [[moves]] and has “items” and “to”"),
        (
            HEAD + "[[moves]]\nitems = 'abc'",
            "gives 'abc' as “items” in the section “moves”, but it must be a list of ids",
        ),
        (HEAD + "[[moves]]\nitems = ['a']\nto = 7", f"gives 7 as “to” in the section “moves”, {MUST_BE_TEXT}"),
        (HEAD + "[[names]]\nitems = ['a']", "begins with [[names]] and has “items” and “name”"),
        (HEAD + "[[names]]\nname = 5\nitems = ['a']", f"gives 5 as “name” in the section “names”, {MUST_BE_TEXT}"),
        (HEAD + "groups = 5", f"gives 5 as groups, {MUST_BE_TEXT}"),
        (HEAD + "release = 5", "says release = 5, but it must be a section that begins with [release]"),
        (HEAD + "[release]\nfolder = 'a'", "has an unknown entry 'folder' in the section “release”"),
        (
            HEAD + "[release]\nformats = ['exe']",
            "has the unknown format 'exe' in the section “release”; choose from csv, parquet",
        ),
        (HEAD + "[release]\nkeep = 3", "gives 3 as “keep” in the section “release”, but it must be a list of names"),
        (
            HEAD + "[release]\nkeep = [3]",
            "gives [3] as “keep” in the section “release”, but it must be a list of names",
        ),
        (
            HEAD + "[release]\ncodes_are_public = 1",
            "says codes_are_public = 1 in the section “release”, but it must be true or false",
        ),
        (
            HEAD + "[release]\nown = '/etc/passwd'",
            "gives '/etc/passwd' as “own” in the section “release”, but it must be a file",
        ),
        (HEAD + "[release]\nown = '../a.csv'", "but it must be a file in the project's folder"),
        (
            HEAD + "[release]\nby = ['zip']",
            "has “by” in the section “release”, but this entry applies only to your own records",
        ),
        (
            HEAD + "[release]\ndigests = 3",
            "says digests = 3 in the section “release”, but it must be a section that begins with [release.digests]",
        ),
        (HEAD + "[release.digests]\na = 3", f"gives 3 as “a” in the section “release.digests”, {MUST_BE_TEXT}"),
        (
            HEAD + "[release]\nk = 3",
            "has “k” in the section “release”, but this entry applies only to your own records",
        ),
        (HEAD + "[release]\nown = 'a.csv'\nk = 0", f"k is 0; it {MUST_BE_A_WHOLE_NUMBER} 1"),
        (
            HEAD + "[facts]\nboards = 'A'",
            f"{UNKNOWN_FACT} 'boards'; the entries are: data, areas, people",
        ),
        (HEAD + "[facts]\nyear = '2026'", "The facts say year = '2026', which is not a whole number"),
        (HEAD + "[facts]\naccepted = 1", "The facts say accepted = 1, which is not true or false"),
        (HEAD + "[facts]\nabsent = 'A'", "The facts say absent = 'A', which is not a list of text values"),
        (HEAD + "[facts]\nabsent = ['S']", "'S' is not an identifier of 45 CFR 164.514(b)(2)(i)"),
        (HEAD + "[facts]\nexpert = 3", "The facts say expert = 3, which is not text in quotes"),
        (HEAD + "[facts]\nexpert_risk = true", "The facts say expert_risk = True, which is not a share"),
        (HEAD + "[facts]\nexpert_risk = 2", "expert_risk is 2; give a share above 0 and at most 1"),
        (
            HEAD + "[facts]\npeople = {zip = 5}",
            "which is not a section that gives the number of people for each column and area",
        ),
        (HEAD + "[facts]\npopulation_sizes = [1.5]", "which is not a list of whole numbers"),
        (HEAD + "facts = 3", "says facts = 3, but it must be a section that begins with [facts]"),
        (HEAD + "[review]\nverdict = 'holds'", "has an unknown entry 'verdict' in the section “review”"),
        (HEAD + "[review]\nrules = {}", "gives {} as “rules” in the section “review”, but it must be a list of names"),
        (
            HEAD + "[review]\nthreshold = 0",
            "says threshold = 0 in the section “review”, but it must be a risk above 0 and at most 1",
        ),
        (HEAD + "[review]\nthreshold = nan", "says threshold = nan in the section “review”"),
        (HEAD + "[review]\nthreshold = true", "says threshold = True in the section “review”"),
        (HEAD + "[review]\nseed = -1", "The seed is -1"),
        (HEAD + "[review]\nlimits = ['t=2']", "The limit “t” is 2"),
        (HEAD + "context = 3", "says context = 3, but it must be a section that begins with [context]"),
        (HEAD + "[context]\nboss = 'A'", "The context has an unknown entry 'boss'"),
        (HEAD + "[context]\ntitle = 3", f"The context says title = 3, {MUST_BE_TEXT}"),
        (
            HEAD.replace("regions", "labels") + "[[names]]\nname = 'a'\nitems = ['a']",
            "but groups of labels cannot be changed by hand",
        ),
    ],
)
def test_what_is_wrong_in_a_project_is_one_sentence(text, words):
    with pytest.raises(KanonError) as caught:
        project_from(text)
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def by_hand(folder):
    """A project with a locked group, two moves and a name, and the result that it asks for."""
    plain = project_from((folder / "project.toml").read_bytes())
    asked = replace(plain, k=11_000, minimum={})
    regions, _ = asked.read(folder)
    first = kanon.generalize(regions, asked.k, asked.algorithm, seed=asked.seed, **asked.options)
    lock = tuple(map(str, regions.ids[first.assignment == first.classes - 1]))
    held = with_locks(regions, [lock])
    g = kanon.generalize(held, asked.k, asked.algorithm, seed=asked.seed, **asked.options)
    locked = int(g.assignment[held.place_of[lock[0]]])
    moves = []
    for area in np.flatnonzero(g.assignment != locked).tolist():
        for to in {*range(g.classes)} - {locked, int(g.assignment[area])}:
            try:
                after = moved(held, g, [held.ids[area]], to)
            except kanon.KanonError:
                continue
            moves.append(Move((str(held.ids[area]),), str(held.ids[np.flatnonzero(g.assignment == to)[0]])))
            g = after
            break
        if len(moves) == 2:
            break
    assert len(moves) == 2
    own = tuple(map(str, held.ids[g.assignment == 0]))
    done = ByHand((lock,), (), tuple(moves), (("The West", own),), groups_digest(g))
    return replace(asked, by_hand=done), held, g


def test_locks_moves_and_names_of_a_project_are_run(folder, by_hand):
    asked, regions, g = by_hand
    path, package = folder / "hands.toml", folder / "package.zip"
    path.write_text(asked.to_toml(), "utf-8")
    done = command("run", path, "--format", "json", "--certificate", folder / "h.json", "--package", package, "--force")
    assert done.exit_code == 0, done.output
    assert "the groups differ" not in done.stderr
    content = json.loads(done.stdout)
    assert (content["cost"], content["algorithm"]) == (g.cost, "by hand")
    assert "1 group is locked." in content["notes"]
    certificate = kanon.Generalization.from_json((folder / "h.json").read_text("utf-8"))
    assert certificate.assignment.tolist() == g.assignment.tolist()
    assert certificate.instance_digest == regions.digest
    with zipfile.ZipFile(io.BytesIO(package.read_bytes())) as files:
        assert "1,The West," in files.read("groups.csv").decode()
    again = command("verify", folder / "h.json", folder / "dc.zip", "--counts", folder / "counts.csv")
    assert again.exit_code == 0, again.output


def test_moves_that_make_other_groups_than_saved_are_told(folder, by_hand):
    asked = replace(by_hand[0], by_hand=replace(by_hand[0].by_hand, groups="0" * 64))
    path = folder / "others.toml"
    path.write_text(asked.to_toml(), "utf-8")
    done = command("run", path)
    assert done.exit_code == 0, done.output
    assert OTHERS in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"moves": (Move(("99999",), None),)}, f"{NO_LONGER_FITS} '99999' anymore."),
        ({"moves": (Move(("20001",), ""),)}, f"{NO_LONGER_FITS} '' anymore."),
        ({"held": (("99999",),)}, f"{IN_A_LOCKED_GROUP} 99999, {NO_SUCH_ITEM} area"),
        ({"names": (("x" * 81, ("20001",)),)}, "The name of a group must have 1 to 80 characters"),
    ],
)
def test_what_no_longer_fits_is_one_sentence(folder, by_hand, change, words):
    path = folder / "unfit.toml"
    path.write_text(replace(by_hand[0], by_hand=replace(by_hand[0].by_hand, **change)).to_toml(), "utf-8")
    assert words in refused(command("run", path))


def test_the_flags_of_a_package_are_those_of_areas_alone(tmp_path):
    (tmp_path / "a.csv").write_text("name,count\na,9\nb,9\n", "utf-8")
    path = tmp_path / "project.toml"
    path.write_text(Project("labels", "a.csv", 5, "fold").to_toml(), "utf-8")
    assert f"{NO_PACKAGES}; leave --title out." in refused(command("run", path, "--title", "A"))
    assert command("run", path).exit_code == 0


def test_a_project_whose_files_are_not_there_says_which(tmp_path):
    path = tmp_path / "project.toml"
    path.write_text(HEAD, "utf-8")
    assert "The project needs a.zip, which is not in" in refused(command("run", path))
    assert THERE_IS_NO_FILE in refused(command("run", tmp_path / "other.toml"))
    secret = tmp_path.parent / "secret.csv"
    secret.write_text("a", "utf-8")
    (tmp_path / "a.zip").symlink_to(secret)
    assert "is in another folder" in refused(command("run", path))
