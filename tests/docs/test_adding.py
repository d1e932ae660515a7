"""docs/adding.md, run: what its text adds works, and its algorithm's bundle is accepted by `python check`."""

import os
import re
import subprocess
import sys

import pytest

from tests.docs.pages import ROOT, text

BLOCK = re.compile(r"^```(python|diff|markdown) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = """
import sys
from pathlib import Path
import pytest
import kanon_engine as kanon
from kanon_engine.project.recipe import Leaving
from kanon_engine.report import assemble
from kanon_engine.report.bundle import bundle
from tests.report.bundles import DATA, KEY, review, with_short_parts

tests = sys.argv[2:]
assert pytest.main(["-n", "0", "-rA", "-p", "no:cacheprovider", "--doctest-modules", *tests]) == 0
labels = kanon.read_labels(DATA, filename="names.csv")
g = kanon.generalize(labels, 5, "next-fit")
with pytest.MonkeyPatch.context() as patch:
    with_short_parts(patch)
    made = review(g=g, certificate=kanon.verify(labels, g))
    Path(sys.argv[1]).write_bytes(bundle(made, key=KEY, data=True))
whole = assemble.review(labels, g, leaving=Leaving(formats=("csv", "arrow")))
assert {"groups.csv", "groups.arrow"} <= set(whole.files)
assert whole.rulings[0].key == "office-ten" and whole.rulings[0].verdict == "does not hold"
assert "guessing" in [one.attack for one in whole.attacks]
"""
PARTS = {
    "An algorithm from its first line to a bundle": 6,
    "A setting": 3,
    "A rule": 4,
    "An attack": 4,
    "An export format": 4,
    "The role of a column": 2,
}


def changed(content, lines):
    """A file with the lines of a diff: those with a plus in place of those with a minus, among those with neither."""
    old, new = ("".join(line[1:] for line in lines if line[0] in kind) for kind in (" -", " +"))
    assert content.count(old) == 1, old
    return content.replace(old, new)


def links(source, target):
    """The entries of a folder, each a link, so that nothing is compiled again and nothing written to the engine."""
    target.mkdir()
    for entry in source.iterdir():
        (target / entry.name).symlink_to(entry)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The engine and its tests with what the document adds."""
    root = tmp_path_factory.mktemp("copy") / "kanon"
    blocks = BLOCK.findall(text("docs/adding.md"))
    links(ROOT, root)
    for kind, path, content in blocks:
        place = root / path
        for folder in list(place.relative_to(root).parents)[-2::-1]:
            if (root / folder).is_symlink():
                (root / folder).unlink()
                links(ROOT / folder, root / folder)
        if kind == "diff":
            content = changed(place.read_text(encoding="utf-8"), content.splitlines(keepends=True))
        else:
            assert not place.exists()
        place.unlink(missing_ok=True)
        place.write_text(content, encoding="utf-8")
    return root


def run(copy, *arguments):
    """What Python prints in the copy, where it ends well."""
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("heading", PARTS)
def test_a_part_names_as_many_files_as_it_says(heading):
    (part,) = (one for one in text("docs/adding.md").split("\n## ") if one.startswith(f"{heading}\n"))
    assert len({path for _, path, _ in BLOCK.findall(part)}) == PARTS[heading]


def test_what_the_document_adds_works_and_its_bundle_is_accepted(copy):
    bundle = copy.parent / "bundle.zip"
    tests = [
        path for _, path, content in BLOCK.findall(text("docs/adding.md")) if "def test_" in content or ">>>" in content
    ]
    printed = run(copy, "-c", RUN, bundle, *tests, "tests/docs/test_rules.py", "tests/risk/rules/test_thresholds.py")
    for test in (
        "next_fit.py::kanon_engine.labels.next_fit.next_fit",
        "test_next_fit.py::test_the_tight_instance",
        "test_ignore_case.py::test_one_setting_is_on_every_surface",
        r"test_office.py::\S+\[9-\S+ not hold\]",
        "guessing.py::kanon_engine.risk.attacks.guessing.guessing",
        r"test_guessing.py::\S+\[8-2-survives\]",
        "test_arrow.py::test_the_groups_are_written_and_read_back",
        "test_stratum.py::test_no_distance_is_made_of_a_stratum",
        r"test_thresholds.py::test_of_no_records_nothing_is_said\[office-ten\]",
    ):
        assert re.search(rf"^PASSED \S*{test}$", printed, re.MULTILINE), test
    printed = run(copy, "-I", "-S", copy / "kanon_engine" / "verification", bundle)
    assert "ok          algorithm: the result was made by next-fit." in printed
    assert " 0 FAILED" in printed
