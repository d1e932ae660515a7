"""A project is saved by the page, and opened again once its files are chosen."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.project import OTHERS, ByHand, Move, Project, groups_digest, project_from
from kanon_engine.regions.moves import moved, with_locks
from pages._shared.project import OPEN
from pages._shared.wording import CONTROLS, PICKED
from tests.app.test_uploads import click, widget
from tests.app.visit import headline, k_of, open_tab, pick_k, problems, run, visit
from tests.cli.command import kanon as command
from tests.own_files import SAMPLES, odd_counts, shapes_alone, zip_codes
from tests.sentences import (
    APART_AND_TOGETHER,
    CHANGED_BY_HAND,
    HAS_CHANGED_SINCE,
    IN_A_LOCKED_GROUP,
    IS_BROKEN_TOML,
    LEAVE_THESE_ROWS_OUT,
    NO_LONGER_FITS,
    THE_SMALLEST_HOLDS,
    YOUR_FILE,
)

K = 30_000
COUNTS = f"{CONTROLS['counts']} (optional)"


def put(app, label, name, content):
    widget(app.file_uploader, label).set_value((name, content, "application/octet-stream"))
    run(app)


def test_a_project_that_the_page_saves_restores_all_of_it(tmp_path, monkeypatch):
    frame = zip_codes()
    shapes, counts = shapes_alone(frame, tmp_path), odd_counts(frame).to_csv(index=False).encode()
    texts = []
    monkeypatch.setattr("pages._shared.project.Project.to_toml", told(texts))
    app = visit("regions", sample="own-file", algorithm="tree-split", tree="low-degree", seed=4)
    put(app, YOUR_FILE, "dc.zip", shapes)
    put(app, COUNTS, "counts.csv", counts)
    for label in (PICKED["repeated", "add"], LEAVE_THESE_ROWS_OUT, "count as 0"):
        click(app, label)
    widget(app.multiselect, CONTROLS["columns"]).set_value(["cases"])
    run(app)
    click(app, "count as 0")
    pick_k(app, "regions", 30_000)
    assert problems(app) == []
    project = project_from(texts[-1])
    assert (project.k, project.algorithm, project.seed) == (30_000, "tree-split", 4)
    assert project.options == {"tree": "low-degree"}
    assert project.files == ("dc.zip", "counts.csv")

    read = {"counts": counts, "repeated": "add", "unmatched": "drop", "hidden": "zero", "columns": ["cases"]}
    read["missing_counts"] = "zero"
    plain = kanon.read_regions(shapes, **read)
    pair = plain.ids[plain.edges[0]].tolist()
    text = texts[-1].replace("[reading]", f'[reading]\n"together" = [["{pair[0]}", "{pair[1]}"]]')
    text = text.replace("[digests]", '[minimum]\n"cases" = 60\n\n[digests]').encode()
    app = visit("regions", sample="own-file")
    put(app, OPEN, "project.toml", text)
    assert any("“dc.zip” and “counts.csv”" in element.value.replace("\\", "") for element in app.caption)
    put(app, YOUR_FILE, "dc.zip", shapes)
    put(app, COUNTS, "counts.csv", counts)
    assert problems(app) == []
    assert k_of(app, "regions") == 30_000
    regions = kanon.read_regions(shapes, **read, together=[pair])
    options = {"tree": "low-degree", "seed": 4, "require": (kanon.Minimum("cases", 60),)}
    g = kanon.generalize(regions, 30_000, "tree-split", **options)
    words = (
        f"{g.classes:,} groups of at least 30,000 people and 60 cases. {THE_SMALLEST_HOLDS} {g.class_weights.min():,}"
    )
    assert headline(app).startswith(words)
    assert project_from(texts[-1]).reading["together"] == (tuple(pair),)
    key = f"regions_{kanon.read_regions(shapes, **read).digest[:16]}_together_text"
    assert app.text_area(key=key).value == ",".join(pair) + "\n"  # where a person can change it
    assert not any(HAS_CHANGED_SINCE in element.value for element in app.warning)

    put(app, COUNTS, "counts.csv", counts + b"\n")
    assert any(f"counts.csv {HAS_CHANGED_SINCE}" in element.value.replace("\\", "") for element in app.warning)


def told(texts):
    """What is saved is kept for the test."""
    write = Project.to_toml

    def to_toml(self):
        texts.append(write(self))
        return texts[-1]

    return to_toml


def test_a_project_that_is_none_is_one_sentence_and_the_page_goes_on():
    app = visit("regions", sample="washington-zip")
    put(app, OPEN, "project.toml", b"k = = 5")
    assert f"The project file {IS_BROKEN_TOML}" in problems(app)[0]
    put(app, OPEN, "project.toml", b'kanon = 1\nfamily = "labels"\nfile = "a.csv"\nk = 5\n')
    assert "This project belongs to the page “Labels”." in [element.value for element in app.warning]


def test_a_coordinate_system_of_a_project_that_is_none_is_one_sentence(tmp_path):
    app = visit("regions", sample="own-file")
    text = b'kanon = 1\nfamily = "regions"\nfile = "dc.zip"\nk = 50\n[reading]\ncrs = "nope"\n'
    put(app, OPEN, "project.toml", text)
    put(app, YOUR_FILE, "dc.zip", shapes_alone(zip_codes(), tmp_path))
    assert any("nope" in element.value for element in app.caption)


@pytest.fixture(scope="module")
def washington():
    """A project on zip codes of Washington with a rule, locks, moves and a name; and what it makes, by the engine."""
    content = (SAMPLES / "dc_zcta2010.zip").read_bytes()
    plain = kanon.read_regions(content, filename="dc.zip")
    pairs = [plain.ids[edge].tolist() for edge in plain.edges[[0, -1]]]
    wished = kanon.read_regions(content, filename="dc.zip", together=pairs[:1])
    first = kanon.generalize(wished, K, "tree-split")
    lock, since = (tuple(wished.ids[first.assignment == number].tolist()) for number in (first.classes - 1, 0))
    regions = with_locks(wished, [lock])
    g = kanon.generalize(regions, K, "tree-split")
    moves = []
    for area in range(len(regions)):
        for to in range(g.classes):
            if len(moves) < 2 and regions.ids[area] not in {*lock, *since}:
                with contextlib.suppress(kanon.KanonError):
                    after = moved(regions, g, [regions.ids[area]], to)
                    moves.append(Move((regions.ids[area],), str(regions.ids[np.flatnonzero(g.assignment == to)[0]])))
                    g = after
    assert len(moves) == 2
    hands = ByHand((lock,), (since,), tuple(moves), (("The West", since),), groups_digest(g))
    reading = {"together": pairs[:1], "id": "ZCTA5CE10", "weight": "pop10"}
    return Project("regions", "dc.zip", K, "tree-split", reading=reading, by_hand=hands), regions, g, pairs[1]


def test_locks_moves_names_and_rules_come_back_and_are_saved_again(washington, monkeypatch, tmp_path):
    project, regions, g, pair = washington
    content = (SAMPLES / "dc_zcta2010.zip").read_bytes()
    texts = []
    monkeypatch.setattr("pages._shared.project.Project.to_toml", told(texts))
    app = visit("regions", sample="own-file")
    put(app, OPEN, "project.toml", project.to_toml().encode())
    put(app, YOUR_FILE, "dc.zip", content)
    assert problems(app) == []
    assert [element.value for element in app.warning] == []
    assert f"the largest {g.cost:,} (" in headline(app)
    assert any(element.value.startswith(f"{CHANGED_BY_HAND} (2 changes).") for element in app.caption)
    assert sum(element.value.startswith("Locked: ") for element in app.caption) == 2
    tables = [element.value for element in open_tab(app, "regions", "Groups").dataframe]
    assert any("The West" in table.get("Name", pd.Series()).tolist() for table in tables)
    saved = project_from(texts[-1])
    assert saved.by_hand == project.by_hand
    assert saved.reading["together"] == tuple(map(tuple, project.reading["together"]))
    assert "barriers" not in saved.reading  # a lock is no rule

    (tmp_path / "dc.zip").write_bytes(content)
    (tmp_path / "project.toml").write_text(texts[-1], "utf-8")
    done = command("run", tmp_path / "project.toml", "--certificate", tmp_path / "c.json")
    assert done.exit_code == 0, done.output
    made = kanon.Generalization.from_json((tmp_path / "c.json").read_text("utf-8"))
    assert (made.assignment.tolist(), made.instance_digest) == (g.assignment.tolist(), regions.digest)

    app.text_area(key=next(box.key for box in app.text_area if box.key.endswith("_together_text"))).set_value(
        f"{','.join(project.reading['together'][0])}\n{', '.join(pair)}"
    )
    run(app)
    assert any("2 sets of areas stay together" in element.value for element in app.markdown)
    rules = next(box.key for box in app.text_area if box.key.endswith("_together_text")).removesuffix("together_text")
    app.session_state[f"{rules}apart"] = ",".join(project.reading["together"][0])
    run(app)
    assert APART_AND_TOGETHER in problems(app)[0]
    ways = {button.label.rpartition(" ")[2] for button in app.button if button.label.startswith("Undo: ")}
    assert {"together", "apart"} <= ways  # the set that came with the project too


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"moves": (Move(("99999",)),)}, f"{NO_LONGER_FITS} '99999' anymore."),
        ({"groups": "0" * 64}, OTHERS),
        ({"held": (("99999",),)}, f"Nothing is locked. Set 1 of the areas {IN_A_LOCKED_GROUP} 99999"),
        ({"names": (("x" * 81, ("20001",)),)}, "Group names are left out. The name of a group must have 1 to 80"),
    ],
)
def test_what_of_a_project_no_longer_fits_is_one_sentence(washington, change, words):
    project = replace(washington[0], by_hand=replace(washington[0].by_hand, **change))
    app = visit("regions", sample="own-file")
    put(app, OPEN, "project.toml", project.to_toml().encode())
    put(app, YOUR_FILE, "dc.zip", (SAMPLES / "dc_zcta2010.zip").read_bytes())
    assert problems(app) == []
    assert any(words in element.value.replace("\\", "") for element in app.warning)
    assert headline(app)


def points_with_odd_columns():
    """60 points of which two columns could be the counts, and none is named like a coordinate."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"a": rng.uniform(-73, -72, 60), "b": rng.uniform(41, 42, 60), "n": rng.integers(1, 9, 60)})
    return frame.assign(records=1).round(5).to_csv(index=False).encode()


def people():
    """Records with a missing value, which no order in TOML can hold."""
    rng = np.random.default_rng(9)
    frame = pd.DataFrame({"age": rng.integers(20, 30, 80), "size": rng.choice(["S", "M", "L"], 80), "ill": "flu"})
    return frame.assign(size=frame["size"].where(frame.index > 3)).to_csv(index=False).encode()


LABELS = b"what,n,m\n" + b"\n".join(b"label %d,%d,%d" % (i, 40 - i, 2) for i in range(30))
ASKED = {
    "rectangles": (
        points_with_odd_columns(),
        {"x": "a", "y": "b", "weight": "n", "unit": "trips", "crs": "EPSG:4326", "project": "EPSG:5070"},
        {"algorithm": "kd-tree", "options": {"cut": "cyclic", "snap": 2000.0}, "k": 30},
    ),
    "labels": (
        LABELS,
        {"label": "what", "count": "n", "together": [["label 1", "label 2"]], "class_names": "largest"},
        {"algorithm": "fold", "options": {"order": "sorted"}, "k": 60},
    ),
    "tables": (
        people(),
        {
            "quasi_identifiers": ["age", "size"],
            "orders": {"size": ["S", "M", "L", None]},
            "bins": {"age": [20, 5]},
            "sensitive": ["ill"],
            "keep": ["ill"],
            "unit": "births",
        },
        {"algorithm": "hill-climb", "options": {"suppression_limit": 5, "restarts": 3}, "k": 10},
    ),
}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("family", ASKED)
def test_a_project_on_other_pages_is_opened_saved_again_and_run(family, tmp_path, monkeypatch):
    content, reading, asked = ASKED[family]
    project = Project(family, "mine.csv", asked["k"], asked["algorithm"], asked["options"], 3, reading)
    instance = get_family(family).reader.function(content, filename="mine.csv", **reading)
    g = kanon.generalize(instance, asked["k"], asked["algorithm"], seed=3, **asked["options"])
    texts = []
    monkeypatch.setattr("pages._shared.project.Project.to_toml", told(texts))
    opened = project.to_toml()
    app = visit(family, sample="own-file")
    put(app, OPEN, "project.toml", opened.encode())
    put(app, YOUR_FILE, "mine.csv", content)
    assert problems(app) == []
    assert [element.value for element in app.warning if "Snap" not in element.value] == []
    saved = project_from(texts[-1])
    assert (saved.k, saved.algorithm, saved.seed, saved.files) == (asked["k"], asked["algorithm"], 3, ("mine.csv",))
    assert {name: saved.options[name] for name in asked["options"]} == asked["options"]
    (tmp_path / "mine.csv").write_bytes(content)
    for text in (opened, texts[-1]):
        (tmp_path / "project.toml").write_text(text, "utf-8")
        done = command("run", tmp_path / "project.toml", "--certificate", tmp_path / "c.json", "--force")
        assert done.exit_code == 0, done.output
        made = kanon.Generalization.from_json((tmp_path / "c.json").read_text("utf-8"))
        assert (made.instance_digest, made.assignment.tolist()) == (instance.digest, g.assignment.tolist())
    largest = f"{g.class_weights.max():,}"
    assert largest in headline(app)
