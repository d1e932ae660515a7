"""Forgeries of results that were kept: claims one off, places counted from the end, items moved with their weights.

`refusals.json` says for each result how many of its forgeries each check refuses, and the first digits of a digest over
every sentence that is said of them. After a change that is wanted, ``python -m tests.verification.forgeries`` writes it
again; the difference shows which checks refuse more or less.
"""

import hashlib
import json
import math
from collections import Counter
from functools import cache
from pathlib import Path

from kanon_engine.verification import FAMILIES
from kanon_engine.verification.codec import MALFORMED, content_digest
from kanon_engine.verification.core import LONGEST_TEXT, STATUSES, read_certificate, read_instance, verdict

FOLDER = Path(__file__).parent
WRITTEN = FOLDER.parent / "written_before"
REFUSALS = FOLDER / "refusals.json"
UNSEEN = ("seconds", "instance_digest", "reading", "digest", "format", "audit")  # fields that are left as they are


@cache
def results():
    """{name: (text of the instance, certificate)}, of every algorithm, bound, metric and requirement."""
    kept = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    found = {name: (json.dumps(kept["instances"][own]), text) for own, texts in kept["certificates"].items()
             for name, text in texts.items()}  # fmt: skip
    for path in sorted(WRITTEN.glob("*.certificate.json")):
        data = f"{path.name.partition('-')[0]}{'-counted' * ('counted' in path.name)}.instance.json"
        found[path.name.partition(".")[0]] = (WRITTEN / data).read_text(), json.loads(path.read_text())
    return found


def forgeries(content, weights):
    """(what was changed, the certificate) for a result of items of these weights."""
    items = len(weights)
    for path, value in _claims(content, ()):
        for word, other in _others(path, value, content, items):
            yield f"{'.'.join(map(str, path))} {word}", replaced(content, path, other)
    yield from _moves(content, weights)
    cost, bound = content["cost"], content["lower_bound"]
    half = (bound + cost) / 2 if type(cost) is float else (bound + cost + 1) // 2
    name = "search tree" if content["algorithm"] == "k-optimize" else "exact search"
    word = {"bound_kind": "solver", "bound_name": name, "bound_witness": []}
    for value, status in ((cost, "optimal"), (half, "feasible"), (bound + 1, "feasible"), (bound, "feasible")):
        yield f"a solver reports {value}", {**content, **word, "lower_bound": value, "status": status}
    yield "a key more", {**content, "more": 1}


def refused(name):
    """{check: what was changed in the forgeries that it refuses}, "accepted" where none does; digits of sentences."""
    data, content = results()[name]
    instance, found, said = read_instance(data, FAMILIES), {}, hashlib.sha256()
    content.pop("audit", None)
    for word, forged in forgeries(content, instance.weights.numbers):
        check, sentences = _refusal(instance, forged)
        found.setdefault(check, []).append(word)
        said.update("\n".join(sentences).encode())
    return found, said.hexdigest()[:8]


def _refusal(instance, content):
    """The check that refuses a certificate with the digest that its content has; what all checks say."""
    try:
        fields = read_certificate(json.dumps(content))
        covered = {name: value for name, value in fields.items() if name != "digest" and (name != "require" or value)}
        decided = verdict(instance, fields | {"digest": content_digest(covered)}, FAMILIES)
    except MALFORMED:
        return "unreadable", []
    checks = [*decided.checks, *([] if decided.failed is None else [decided.failed])]
    sentences = [check.detail for check in checks if "has the wrong form" not in check.detail]
    return (f"accepted, {decided.proof}" if decided.failed is None else decided.failed.name), sentences


def _claims(value, path):
    """The places of numbers, words, arrays and lists."""
    if isinstance(value, dict):
        if path and "array" not in value and len(path) > 1:
            yield path, value
        if "array" in value:
            yield path, value
            return
        for key, entry in value.items():
            if path or key not in UNSEEN:
                yield from _claims(entry, (*path, key))
    elif isinstance(value, list):
        yield path, value
        for place, entry in enumerate(value):
            yield from _claims(entry, (*path, place))
    else:
        yield path, value


def _others(path, value, content, items):
    if isinstance(value, bool):
        yield "not", not value
    elif isinstance(value, int):
        yield from ((f"{step:+}", value + step) for step in (1, -1, -items))
        yield "as a float", float(value)
    elif isinstance(value, float):
        yield from _near(value)
    elif value is None:
        yield from (("is 1", 1), ("is 1.0", 1.0))
    elif isinstance(value, str):
        family = FAMILIES[content["family"]]
        known = {"algorithm": family.ALGORITHMS, "bound_name": family.BOUNDS, "status": STATUSES,
                 "bound_kind": ("checked", "solver")}  # fmt: skip
        words = known.get(path[-1], ()) if len(path) == 1 else ()
        if path == ("bound_name",):
            yield from (("long", "x" * LONGEST_TEXT), ("too long", "x" * (LONGEST_TEXT + 1)))
        yield from ((repr(word), word) for word in (*words, value + "x", value + "\n", "") if word != value)
    elif isinstance(value, list):
        yield "longer", [*value, *(value[-1:] or [0])]
        if value:
            yield "shorter", value[:-1]
            yield "turned", value[1:] + value[:1]
    elif "array" in value:
        yield from _other_arrays(value, items)
    else:
        yield "more", value | {"more": 1}
        yield "less", dict(list(value.items())[1:])


def replaced(value, path, other):
    """A value with another at a place in it."""
    if not path:
        return other
    changed = value.copy()
    changed[path[0]] = replaced(value[path[0]], path[1:], other)
    return changed


def _near(value):
    yield from (("next", math.nextafter(value, math.inf)), ("before", math.nextafter(value, -math.inf)))
    yield from (("doubled", 2 * value + 1.0), ("below zero", -1.0 - value), ("huge", 1e100))


def _other_arrays(array, items):
    (rows, *width), data = array["shape"], array["data"]
    wide = math.prod(width)
    yield "shorter", array | {"shape": [max(rows - 1, 0), *width], "data": data[: max(rows - 1, 0) * wide]}
    yield "longer", array | {"shape": [rows + 1, *width], "data": data + (data[-wide:] or [0] * wide)}
    yield "turned", array | {"data": data[wide:] + data[:wide]}
    for place in sorted({0, len(data) // 2, len(data) - 1}) if data else ():
        value = data[place]
        if isinstance(value, bool):
            others = [("not", not value)]
        elif array["array"] == "<f8":
            others = list(_near(float(value)))
        else:
            others = [(f"{step:+}", value + step) for step in (1, -1, -items)]
        yield from ((f"[{place}] {word}", _with(array, {place: other})) for word, other in others)


def _with(array, changes):
    return array | {"data": [changes.get(place, value) for place, value in enumerate(array["data"])]}


def _moves(content, weights):
    """Items in other classes, with the weights of classes and the largest of them that follow."""
    own, classes = content["assignment"]["data"], len(content["class_weights"]["data"])
    for place, mine in enumerate(own):
        for target in sorted({(mine + 1) % classes, own[place - 1], -1} - {mine}):
            yield f"{place} to {target}", _with_classes(content, weights, {place: target})
        if mine != own[place - 1]:
            both = {place: own[place - 1], (place - 1) % len(own): mine}
            yield f"{place} and the one before", _with_classes(content, weights, both)


def _with_classes(content, weights, changes):
    assignment, sums = _with(content["assignment"], changes), Counter()
    for own, weight in zip(assignment["data"], weights, strict=True):
        sums[own] += weight
    classes = [sums[number] for number in range(len(content["class_weights"]["data"]))]
    cost = max(classes) if FAMILIES[content["family"]].LARGEST_CLASS else content["cost"]
    more = {"assignment": assignment, "class_weights": content["class_weights"] | {"data": classes}, "cost": cost}
    return content | more


def counted(name):
    """What `refusals.json` says of a result."""
    found, said = refused(name)
    return {check: len(found[check]) for check in sorted(found)} | {"sentences": said}


if __name__ == "__main__":
    lines = (
        f"{json.dumps(name)}: {json.dumps(checks)}" for name, checks in ((name, counted(name)) for name in results())
    )
    REFUSALS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
