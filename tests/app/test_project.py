"""A project is saved by the page, and opened again once its files are chosen."""

from __future__ import annotations

import kanon_engine as kanon
from kanon_engine.project import Project, project_from
from tests.app.test_uploads import click, widget
from tests.app.visit import headline, k_of, pick_k, problems, run, visit
from tests.own_files import SAMPLES, odd_counts, shapes_alone, zip_codes

COUNTS = "Counts in a second file (optional)"


def put(app, label, name, content):
    widget(app.file_uploader, label).set_value((name, content, "application/octet-stream"))
    run(app)


def test_a_project_that_the_page_saves_restores_all_of_it(tmp_path, monkeypatch):
    frame = zip_codes()
    shapes, counts = shapes_alone(frame, tmp_path), odd_counts(frame).to_csv(index=False).encode()
    texts = []
    monkeypatch.setattr("pages._shared.project.Project.to_toml", told(texts))
    app = visit("regions", sample="own-file", algorithm="tree-split", tree="low-degree", seed=4)
    put(app, "Your file", "dc.zip", shapes)
    put(app, COUNTS, "counts.csv", counts)
    for label in ("add the rows up", "Leave these rows out"):
        click(app, label)
    widget(app.multiselect, "Second counts").set_value(["cases"])
    run(app)
    click(app, "count as 0")
    pick_k(app, "regions", 30_000)
    assert problems(app) == []
    project = project_from(texts[-1])
    assert (project.k, project.algorithm, project.seed) == (30_000, "tree-split", 4)
    assert project.options == {"tree": "low-degree"}
    assert project.files == ("dc.zip", "counts.csv")

    read = {"counts": counts, "repeated": "add", "unmatched": "drop", "hidden": "zero", "columns": ["cases"]}
    plain = kanon.read_regions(shapes, **read)
    pair = plain.ids[plain.edges[0]].tolist()
    text = texts[-1].replace("[reading]", f'[reading]\n"together" = [["{pair[0]}", "{pair[1]}"]]')
    text = text.replace("[digests]", '[minimum]\n"cases" = 60\n\n[digests]').encode()
    app = visit("regions", sample="own-file")
    put(app, "Open a project file", "project.toml", text)
    assert any("“dc.zip” and “counts.csv”" in element.value.replace("\\", "") for element in app.caption)
    put(app, "Your file", "dc.zip", shapes)
    put(app, COUNTS, "counts.csv", counts)
    assert problems(app) == []
    assert k_of(app, "regions") == 30_000
    regions = kanon.read_regions(shapes, **read, together=[pair])
    options = {"tree": "low-degree", "seed": 4, "require": (kanon.Minimum("cases", 60),)}
    g = kanon.generalize(regions, 30_000, "tree-split", **options)
    words = f"{g.classes:,} groups of at least 30,000 people and 60 cases. The smallest holds {g.class_weights.min():,}"
    assert headline(app).startswith(words)
    assert project_from(texts[-1]).reading["together"] == (tuple(pair),)
    assert not any("is not what it was" in element.value for element in app.warning)

    put(app, COUNTS, "counts.csv", counts + b"\n")
    assert any("counts.csv is not what it was" in element.value.replace("\\", "") for element in app.warning)


def told(texts):
    """What is saved is kept for the test."""
    write = Project.to_toml

    def to_toml(self):
        texts.append(write(self))
        return texts[-1]

    return to_toml


def test_a_project_that_is_none_is_one_sentence_and_the_page_goes_on():
    app = visit("regions", sample="washington-zip")
    put(app, "Open a project file", "project.toml", b"k = = 5")
    assert "The project file is broken TOML" in problems(app)[0]
    put(app, "Open a project file", "project.toml", b'kanon = 1\nfamily = "labels"\nfile = "a.csv"\nk = 5\n')
    assert "This project belongs to the page “Labels”." in [element.value for element in app.warning]


def test_a_coordinate_system_of_a_project_that_is_none_is_one_sentence(tmp_path):
    app = visit("regions", sample="own-file")
    text = b'kanon = 1\nfamily = "regions"\nfile = "dc.zip"\nk = 50\n[reading]\ncrs = "nope"\n'
    put(app, "Open a project file", "project.toml", text)
    put(app, "Your file", "dc.zip", shapes_alone(zip_codes(), tmp_path))
    assert any("nope" in element.value for element in app.caption)


def test_sets_of_a_project_stay_where_more_are_written_on_the_page():
    content = (SAMPLES / "dc_zcta2010.zip").read_bytes()
    regions = kanon.read_regions(content, filename="dc.zip")
    pairs = [regions.ids[edge].tolist() for edge in regions.edges[[0, -1]]]
    project = Project("regions", "dc.zip", 30_000, "tree-split", reading={"together": pairs[:1]})
    app = visit("regions", sample="own-file")
    put(app, "Open a project file", "project.toml", project.to_toml().encode())
    put(app, "Your file", "dc.zip", content)
    read = kanon.read_regions(content, filename="dc.zip", together=pairs[:1])
    app.text_area(key=f"regions_{read.digest[:16]}_together_text").set_value(", ".join(pairs[1]))
    run(app)
    assert problems(app) == []
    assert any("2 sets of areas stay together" in element.value for element in app.markdown)
