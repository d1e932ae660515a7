"""Certificates as files, spoilt in seeded ways: values put elsewhere, hostile values, bytes changed, text cut."""

import copy
import json

HOSTILE = [
    None, True, False, 0, -1, 1, 7, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), 10**15, 10**30, 10**150, 0.5, -0.0, 1e308,
    "", "x", "a\nb", "\ud800", "\x00", "k", "solver", "relaxed", "optimal", "http://localhost/x", "/etc/hostname",
    "<i4", [], {}, [[]], [0], [None], ["x"], {"mapping": {}}, {"mapping": None}, {"mapping": {"x": {"mapping": {}}}},
    {"array": "<i8", "shape": [10**12], "data": []}, {"array": "<i8", "shape": [0, 10**12], "data": []},
    {"array": "<i8", "shape": [-1], "data": [1, 2]}, {"array": "<i8", "shape": [2], "data": [1, 2**70]},
    {"array": "<i4", "shape": [1], "data": [2**31]}, {"array": "O", "shape": [1], "data": [None]},
    {"array": "(10000,10000)i8", "shape": [1], "data": [1]}, {"array": "i4,(", "shape": [1], "data": [1]},
    {"array": "<U1000000000", "shape": [1], "data": ["x"]}, {"array": "<f8", "shape": [1], "data": ["nan"]},
    {"array": "<i8", "shape": [1, 1, 1], "data": [1]}, {"array": "|b1", "shape": [1], "data": [2]},
    {"array": "<i8", "shape": [True], "data": [1]}, {"array": "<i8", "shape": None, "data": None},
    {"record": "Popen", "fields": {}}, {"record": "Labels", "fields": {}}, {"record": None, "fields": None},
    {"record": "CellDetails", "fields": {"stars": None, "suppressed": 0, "nodes": 0}},
    {"record": "LabelDetails", "fields": {"__class__": "x"}}, {"array": "<i8"}, {"mapping": {}, "array": "<i8"},
]  # fmt: skip
TEXTS = ["NaN", "Infinity", "1e999", "9" * 5_000, "[" * 5_000, "{}", '"\\ud800"', '"k":1,', "\x00", "}", '"']


def places(value, path=()):
    """Every place in a JSON value, as the keys that lead there."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places(entry, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def spoilt(text, rng):
    """A certificate that differs from this one in one place, or in a few."""
    if rng.random() < 0.25:
        return _other_text(text, rng)
    content = json.loads(text)
    for _ in range(1 + (rng.random() < 0.2)):
        _change(content, rng)
    return json.dumps(content)


def _change(content, rng):
    known = [path for path in places(content) if path]
    path = known[rng.integers(len(known))]
    if rng.random() < 0.5:  # each field as often as the entries of a long array
        path = path[: rng.integers(1, len(path) + 1)]
    home, key = at(content, path[:-1]), path[-1]
    turn = rng.random()
    if turn < 0.35:
        home[key] = copy.deepcopy(HOSTILE[rng.integers(len(HOSTILE))])
    elif turn < 0.5:
        home[key] = copy.deepcopy(at(content, known[rng.integers(len(known))]))
    elif turn < 0.6:
        del home[key]
    elif turn < 0.7 and isinstance(home, list):
        home.insert(key, copy.deepcopy(home[key]))
    elif turn < 0.75 and isinstance(home, dict):
        home[f"{key}x"] = home[key]
    elif isinstance(home[key], bool):
        home[key] = not home[key]
    elif isinstance(home[key], int | float):
        home[key] += [1, -1, 2, -2, 10, 1000, 0.5][rng.integers(7)]
    elif isinstance(home[key], str):
        home[key] = home[key][: rng.integers(len(home[key]) + 1)] + "x" * rng.integers(3)
    elif isinstance(home[key], list) and home[key]:
        first, second = rng.integers(len(home[key]), size=2)
        home[key][first], home[key][second] = home[key][second], home[key][first]


def _other_text(text, rng):
    turn, place = rng.integers(4), int(rng.integers(len(text)))
    if turn == 0:
        return text[:place]
    if turn == 1:
        return text[:place] + TEXTS[rng.integers(len(TEXTS))] + text[place:]
    if turn == 2:
        return text[:place] + chr(rng.integers(32, 127)) + text[place + 1 :]
    data = bytearray(text.encode())
    data[place % len(data)] = rng.integers(256)
    return bytes(data)
