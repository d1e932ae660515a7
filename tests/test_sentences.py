"""What is said of an algorithm and of a result: no word twice, no bare float, no word of Python, by all algorithms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.cli.summary import figures, summary_text
from kanon_engine.model.known import FAMILIES, family_of
from pages._shared.result import headline
from tests.compiled import compiled_only
from tests.regions.graphs import grid
from tests.test_contract import NEED_MEANS, SAMPLES, real

FLAWS = {
    "a word twice": r"\b([a-z]+) \1\b",
    "no thousands separator": r"(?<![\d.,\w])(?!(?:19|20)\d\d\b)\d{4,}\b",
    "a bare float": r"\d\.0+(?![\d ]| ?[%×])|\d,\d{3}\.\d*0\b|\d\.?e[+-]?\d",
    "a word of Python": r"\b(?:None|True|False|nan|NaN|inf|array|dtype)\b|np\.",
    "a space or a stop too many": r"\S  |\.\.|\S [.,;](?!\d)|,,|;;",
}
NUMBER = re.compile(r"\d[\d,]*\.\d+")
MOST_DIGITS = 9  # of a coordinate where a line can be drawn; all others have seven
PROPER = re.compile(r"EPSG:\d+|\.  \n")  # a number that is a name; a line that Markdown ends
MOST_STEPS = 200


def small(family: str) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Instances with numbers that need separators, and fractions large and small, each with a few k."""
    rng = np.random.default_rng(3)
    if family == "regions":
        yield kanon.Regions(range(12), rng.integers(3_000, 9_000, 12), grid(3, 4), unit="people"), (1, 12_345)
    if family == "rectangles":
        points = rng.random((12, 2)) * [12_345, 6_543_210]
        yield kanon.Points(points, rng.integers(3_000, 9_000, 12), unit="people"), (1, 12_345)
    if family == "labels":
        yield kanon.Labels([f"name {number}" for number in range(9)], rng.integers(300, 9_000, 9)), (1, 12_345)
    if family == "tables":
        columns = {name: rng.integers(0, most, 8) for name, most in (("a", 4), ("b", 3), ("label", 2))}
        frame = pd.concat([pd.DataFrame(columns)] * 400)
        yield kanon.Table(frame, ["a", "b"], "label"), (1, 1_234)
    if family == "clusters":
        places = rng.random((10, 2))
        yield kanon.MetricSpace(places * 123_456), (1, 3)
        yield kanon.MetricSpace(places / 12_345, counts=rng.integers(3_000, 9_000, 10)), (1, 12_345)
        yield kanon.MetricSpace(places * 5 + 40, "haversine"), (3,)
        words = pd.DataFrame({"age": rng.integers(0, 99, 10), "job": list("abcabcabca")})
        yield kanon.MetricSpace(words, "gower"), (3,)


def of_family(family: str) -> Iterator[tuple[str, str]]:
    """What is said before there is a result."""
    for argument in FAMILIES[family].bounds.values():
        yield "bound", argument
    for algorithm in FAMILIES[family].algorithms.values():
        for name in ("title", "summary", "guarantee", "source", "complexity", "how"):
            yield name, getattr(algorithm, name)
        for option in algorithm.options:
            yield option.name, option.help
            with pytest.raises(kanon.KanonError) as refused:
                option.checked("[")
            yield "error", str(refused.value)


def quick(algorithm: kanon.Algorithm) -> dict[str, Any]:
    """Options with which it takes little time, and those that it must be given."""
    known = {option.name for option in algorithm.options}
    return {"effort": 0.05} if "effort" in known else {"max_clusters": 4} if algorithm.name.startswith("center") else {}


def of_result(instance: Any, k: int, name: str, options: dict[str, Any], **limits: Any) -> Iterator[tuple[str, str]]:
    """What is said while an algorithm runs, and of its result or its error; what checks found is no part of it."""
    family = family_of(instance)
    algorithm = family.algorithms[name]
    reported: list[str] = []

    def listen(report: kanon.Progress) -> bool:
        reported.append(report.message)
        return True

    try:
        instance.require_feasible(k)
        yield "promise before", family.promise(instance, k, name, algorithm.checked_options(options))
        g = kanon.generalize(instance, k, name, progress=listen, **limits, **options)
        certificate = kanon.verify(instance, g)
        yield "promise", family.promised(instance, g)
        yield "headline", headline(g, instance.unit, certificate.proof)
        for line in summary_text(figures(instance, g, certificate)).splitlines():
            label, gap, rest = line.partition("  ")
            yield f"summary, {label}", rest.strip() if gap else line
        for measure in family.utility(instance, g) if family.utility else ():
            yield "utility", f"{measure.title}: {measure.words}. {measure.meaning} {measure.source}"
        for step in islice(teaching.steps(instance, g), MOST_STEPS) if teaching.has_steps(g) else ():
            yield "step", step.text
            if step.question is not None:
                yield "question", "; ".join([step.question.prompt, *step.question.choices])
    except kanon.KanonError as error:
        yield "error", str(error)
    for message in dict.fromkeys(reported):
        yield "progress", message


def flaws(sentence: str) -> Iterator[str]:
    """What a person would not write, with its name."""
    words = PROPER.sub("", sentence)
    for flaw, pattern in FLAWS.items():
        yield from (f"{flaw}: {hit[0]}" for hit in re.finditer(pattern, words))
    for number in NUMBER.findall(words):
        if len(re.sub("[,.]", "", number).lstrip("0")) > MOST_DIGITS:
            yield f"too many digits: {number}"


def assert_clean(said: list[tuple[str, str]], codes: Iterable[str] = ()) -> None:
    """No sentence has a flaw, where `codes` are names of items that look like numbers."""
    assert said
    code = re.compile(rf"\b(?:{'|'.join(map(re.escape, codes)) or 'no code'})\b")
    assert {
        (place, sentence, *found) for place, sentence in said if (found := list(flaws(code.sub("item", sentence))))
    } == set()


@pytest.mark.parametrize("sentence", [
    "for the the quasi-identifiers", "1000 records", "3,316.00 × k", "1e+06", "allowed: None", "it is 13.0.", "a  gap",
    "0.12345678901", "nan %", "So it ends..",
])  # fmt: skip
def test_a_flaw_is_found(sentence):
    assert len(list(flaws(sentence))) == 1


def test_what_a_person_writes_has_none():
    sentence = "In 2010 (EPSG:6933) 3,316 × k, 1.00 × k, 2.0 %, 0.000055 km, 12,345,678 or 84,408.21, or 3 − 0.5."
    assert list(flaws(sentence)) == []


@pytest.mark.parametrize("family", FAMILIES)
def test_algorithms_and_bounds(family):
    assert_clean(list(of_family(family)))


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("algorithm", kanon.algorithms(), ids=lambda algorithm: f"{algorithm.family}-{algorithm.name}")
def test_results_and_errors(algorithm):
    said = []
    for instance, ks in small(algorithm.family):
        if algorithm.name in NEED_MEANS and (instance.metric != "euclidean" or instance.total > len(instance)):
            continue
        for k in (*ks, 10**6):
            said += of_result(instance, k, algorithm.name, quick(algorithm))
    assert {place for place, _ in said} >= {"headline", "promise", "error"}
    assert_clean(said)


CASES = [
    pytest.param(sample, algorithm, id=f"{sample['key']}-{algorithm.name}", marks=pytest.mark.thorough)
    for sample in SAMPLES
    for algorithm in kanon.algorithms(sample["family"])
    if algorithm.name not in NEED_MEANS or sample["options"]["metric"] == "euclidean"
]


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("sample", "algorithm"), CASES)
def test_results_on_all_samples(sample, algorithm, monkeypatch):
    monkeypatch.setattr(import_module("kanon_engine.tables.k_optimize"), "BUDGET", 300)
    instance = real(sample["key"])
    if algorithm.max_items is not None and len(instance) > algorithm.max_items:
        pytest.skip(f"{algorithm.name} takes at most {algorithm.max_items:,} items")
    said = [("note", note) for note in instance.notes]
    for k in (sample["k"], max(2, sample["k"] // 3)):
        said += of_result(instance, k, algorithm.name, quick(algorithm), time_limit=5)
    assert_clean(said, {str(name) for name in getattr(instance, "ids", ()) if str(name).isdecimal()})
