"""Rows by which two versions are compared: results and sentences of every algorithm, released files, help texts.

Every algorithm runs on every sample and on small random instances.
``python -m tests.results.cases write FILE`` and, later, ``python -m tests.results.cases compare FILE``.
"""

import dataclasses
import hashlib
import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import kanon_engine as kanon
from kanon_engine.cli import application
from kanon_engine.cli.summary import figures, summary_text
from kanon_engine.model.known import FAMILIES, family_of
from kanon_engine.model.serialize import content_digest
from kanon_engine.release.publication import outputs

FOLDER = Path(__file__).parents[2] / "sample_data"
# searches whose full budget takes minutes are cut to a fixed number of steps, the same on every machine
SHORTER = {"recombine": {"effort": 0.05}, "hill-climb": {"restarts": 1}}
SAME_BYTES = (".csv", ".geojson", ".parquet")  # files without the time at which they were written


def rows():
    """(name, row) of every case."""
    yield from _help()
    for name, instance, ks in [*_random(), *_samples()]:
        yield f"{name} instance", instance.digest
        for algorithm in family_of(instance).algorithms.values():
            if algorithm.max_items is not None and len(instance) > min(algorithm.max_items, 60):
                continue
            for options in _settings(algorithm, len(instance)):
                for k in ks:
                    words = " ".join(f"{key}={value}" for key, value in options.items())
                    yield f"{name} {algorithm.name} {words} k={k}", _found(instance, k, algorithm.name, options)


def _settings(algorithm, items):
    base = SHORTER.get(algorithm.name, {}) if items > 60 else {}
    known = {option.name for option in algorithm.options}
    base = {key: value for key, value in base.items() if key in known}
    yield base
    if items > 60:
        return
    for option in algorithm.options:
        if option.kind == "choice":
            yield from ({**base, option.name: choice} for choice in option.choices if choice != option.default)
        elif option.kind == "flag":
            yield {**base, option.name: not option.default}


def _found(instance, k, algorithm, options):
    try:
        g = kanon.generalize(instance, k, algorithm, seed=3, **options)
    except kanon.KanonError as error:
        return [type(error).__name__, str(error)]
    witness = hashlib.sha256(repr([int(place) for place in g.bound_witness]).encode()).hexdigest()[:12]
    assignment = hashlib.sha256(np.ascontiguousarray(g.assignment, dtype="<i4").tobytes()).hexdigest()[:12]
    details = content_digest(details=g.details)[:12]  # what each class shows, and the curve
    numbers = [g.cost, g.lower_bound, g.guarantee]
    result = [assignment, details, *numbers, g.bound_name, g.bound_kind, witness, g.status]
    return [*result, _summary(instance, g), _released(instance, g)]


def _summary(instance, g):
    """What a person reads of a result, but for the time that it took."""
    content = figures(instance, dataclasses.replace(g, seconds=0.0).sealed(), kanon.verify(instance, g))
    return summary_text(content)


def _released(instance, g):
    """The digests of the files that may be released."""
    if g.status == "relaxed":
        return {}
    files = [file for file in outputs(instance, g) if file.publishable and file.ending.endswith(SAME_BYTES)]
    return {file.ending: _digest(file.make()) for file in files}


def _digest(content):
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:12]


def _help():
    """The help of every command."""
    commands = get_command(application())
    assert isinstance(commands, TyperGroup)
    for name, command in sorted(commands.commands.items()):
        below = sorted(command.commands) if isinstance(command, TyperGroup) else []
        for words in [[name], *([name, other] for other in below)]:
            shown = CliRunner().invoke(application(), [*words, "--help"], env={"COLUMNS": "200"})
            yield f"kanon {' '.join(words)} --help", shown.output


def _samples():
    for sample in json.loads((FOLDER / "catalog.json").read_text()):
        instance = FAMILIES[sample["family"]].reader.function(FOLDER / sample["file"], **sample["options"])
        k = sample["k"]
        yield sample["key"], instance, sorted({k, max(2, k // 3), 2 * k})


def _random():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        sides = int(rng.integers(2, 5)), int(rng.integers(2, 4))
        places = [(row, column) for row in range(sides[0]) for column in range(sides[1])]
        number = {place: index for index, place in enumerate(places)}
        edges = [
            (number[row, column], number[other])
            for row, column in places
            for other in ((row + 1, column), (row, column + 1))
            if other in number
        ]
        weights = rng.integers(0, 9, len(places))
        yield f"grid {seed}", kanon.Regions(range(len(places)), weights, edges), (2, 7, 15)
        points = rng.integers(0, 6, (int(rng.integers(4, 18)), 2))
        yield f"points {seed}", kanon.Points(points, rng.integers(1, 5, len(points))), (2, 5, 12)
        counts = rng.integers(1, 30, int(rng.integers(3, 12)))
        yield f"labels {seed}", kanon.Labels([f"label {i}" for i in range(len(counts))], counts), (5, 20, 60)
        columns = {name: rng.integers(0, size, 20) for name, size in (("a", 5), ("b", 3), ("c", 2))}
        frame = pd.DataFrame({**columns, "label": rng.integers(0, 2, 20)})
        yield f"table {seed}", kanon.Table(frame, ["a", "b", "c"], "label"), (2, 4)


def main(action, path):
    """Write the rows, or say which differ from those written."""
    importlib.import_module("kanon_engine.tables.k_optimize").BUDGET = 2_000
    found = {}
    for name, row in rows():
        found[name] = row
    found = json.loads(json.dumps(found))
    if action == "write":
        Path(path).write_text(json.dumps(found, indent=0, ensure_ascii=False) + "\n")
        print(f"{len(found):,} rows written")
        return 0
    before = json.loads(Path(path).read_text())
    differing = [name for name in before if before[name] != found.get(name)]
    for name in differing:
        print(f"{name}: {before[name]} -> {found.get(name)}")
    print(f"{len(before):,} rows compared, {len(differing):,} differ, {len(found.keys() - before.keys()):,} are new")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
