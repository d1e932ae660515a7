"""docs/adding.md, run: the algorithm of its text works, is verified, and its bundle is accepted by `python check`."""

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
from kanon_engine.report.bundle import bundle
from tests.report.bundles import DATA, KEY, review, with_short_parts

tests = ["kanon_engine/labels/next_fit.py", "tests/labels/test_next_fit.py"]
assert pytest.main(["-n", "0", "-rA", "-p", "no:cacheprovider", "--doctest-modules", *tests]) == 0
labels = kanon.read_labels(DATA, filename="names.csv")
g = kanon.generalize(labels, 5, "next-fit")
with pytest.MonkeyPatch.context() as patch:
    with_short_parts(patch)
    made = review(g=g, certificate=kanon.verify(labels, g))
    Path(sys.argv[1]).write_bytes(bundle(made, key=KEY, data=True))
"""


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
    assert len({path for _, path, _ in blocks}) == 6
    links(ROOT, root)
    for kind, path, content in blocks:
        place = root / path
        for folder in list(place.relative_to(root).parents)[-2::-1]:
            if (root / folder).is_symlink():
                (root / folder).unlink()
                links(ROOT / folder, root / folder)
        if kind == "diff":
            content = changed(place.read_text(encoding="utf-8"), content.splitlines(keepends=True))
            place.unlink()
        assert not place.exists()
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


def test_the_algorithm_of_the_document_works_and_its_bundle_is_accepted(copy):
    bundle = copy.parent / "bundle.zip"
    printed = run(copy, "-c", RUN, bundle)
    for test in ("next_fit.py::kanon_engine.labels.next_fit.next_fit", "test_next_fit.py::test_the_tight_instance"):
        assert re.search(rf"^PASSED \S*{test}$", printed, re.MULTILINE)
    printed = run(copy, "-I", "-S", copy / "kanon_engine" / "verification", bundle)
    assert "ok          algorithm: the result was made by next-fit." in printed
    assert " 0 FAILED" in printed
