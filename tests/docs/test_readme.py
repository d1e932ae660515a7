"""README.md is short, and its two commands are the ones that are used."""

import re

import kanon_engine as kanon
from tests.docs.pages import ROOT, said, text

README = text("README.md")


def test_a_newcomer_reads_it_in_a_few_minutes():
    assert len(README.encode()) <= 7_000


def test_its_commands_are_those_that_are_run_before_a_change_lands():
    app, tests = re.findall(r"^python -m pip install -e (\S+ && .+)$", README, re.MULTILINE)
    assert app == ". && python -m streamlit run app.py"
    install, run = tests.split(" && ")
    landing = text(".ci/run")
    assert f"python -m pip install -q --no-compile -e {install}\n" in landing  # each module when it is imported
    assert landing.endswith(f"\n{run}\n")
    assert (ROOT / "app.py").exists()


def test_the_sentence_below_its_example():
    cost, groups = said("README.md", r"([\d,]+) people live in one zip code, [^.]*\. .* makes (\d+) groups\.")
    areas = kanon.read_regions(ROOT / "sample_data" / "ct_zcta2010.zip")
    g = kanon.generalize(areas, 20_001)
    assert g.algorithm in README
    assert cost == areas.weights.max()
    assert (g.cost, g.classes, g.status) == (cost, groups, "optimal")
