"""Hashes of a list: whoever stands behind one is found; salted hashes and digests of anything else are not."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.release.released import Released
from kanon_engine.risk.attacks.hashed import hashed
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.linking import linking
from tests import compiled
from tests.sentences import NO_COLUMN_OF_THE_RELEASE

LEAKS, CLEAN = (20, 200) if compiled.THOROUGH else (8, 20)
K = 3
NAMES = ["Zoë Müller", "Ada Abel", "Ben O'Hara", "Cora Dale", "Søren Ek", "Eva Ford"]
WAYS = [
    str,
    str.upper,
    str.casefold,
    lambda text: text.replace(" ", ""),
    lambda text: text.lower().replace("ë", "e").replace("ü", "u").replace("ø", "o"),
]
ALGORITHMS = ["md5", "sha1", "sha224", "sha256", "sha512"]


def people(rng):
    size = len(NAMES) * K
    ids = rng.choice(100_000, size, replace=False)
    return pd.DataFrame(
        {"name": [f"{NAMES[at % len(NAMES)]} {at}" for at in range(size)], "id": ids, "age": ["≤ 39"] * size}
    )


def digest(text, algorithm, capitals):
    found = hashlib.new(algorithm, text.encode()).hexdigest()
    return found.upper() if capitals else found


@pytest.mark.parametrize("column", ["name", "id"])
def test_hashes_of_the_list_are_found_and_salted_ones_are_not(column):
    for seed in range(max(LEAKS, CLEAN)):
        rng = np.random.default_rng(seed)
        known = people(rng)
        way, algorithm = WAYS[seed % len(WAYS)], ALGORITHMS[int(rng.integers(len(ALGORITHMS)))]
        order, ills = rng.permutation(len(known)), rng.choice(["flu", "cold"], len(known))
        for salt in ("", "pepper"):
            texts = [digest(salt + way(str(text)), algorithm, seed % 2) for text in known[column].iloc[order]]
            released = Released(pd.DataFrame({"pid": texts, "age": "≤ 39", "ill": ills}), ("age",), ("ill",), k=K)
            found = linking(released, Knowledge(known[["name", "id"]].assign(age=rng.integers(20, 40, len(known)))))
            if salt and seed < CLEAN:
                assert found.verdict == SURVIVES, (seed, found.sentence)
            elif not salt and seed < LEAKS:
                assert (found.verdict, found.found) == (BROKEN, len(known)), (seed, found.sentence)
                assert f"{len(known)} are linked because the release has hashes of their values" in found.sentence
                told = found.evidence.set_index("name")["certain ill"]
                truth = pd.Series(ills, known["name"].iloc[order])
                assert told.sort_index().tolist() == truth.sort_index().tolist()
                assert f"pid (the {algorithm} of {column})" in found.knowledge


def test_a_hash_alone_is_enough_where_no_column_is_shared():
    known = pd.DataFrame({"name": ["Ada", "Ada", "Ben"], "phone": [1, 2, 3]})
    shown = [hashlib.md5(text.encode()).hexdigest() for text in ("Ada", "Ada", "x", "3")]
    released = Released(pd.DataFrame({"who": shown, "age": list("abcd"), "ill": list("ffgg")}), ("age",), ("ill",), k=2)
    found = linking(released, Knowledge(known))
    assert found.evidence[["name", "records", "certain ill"]].values.tolist() == [
        ["Ben", 1, "g"], ["Ada", 2, "f"], ["Ada", 2, "f"],
    ]  # fmt: skip
    assert found.figures["records that fit only one person on the list"] == "1"
    with pytest.raises(InvalidInput, match=NO_COLUMN_OF_THE_RELEASE):
        linking(Released(released.frame.assign(who="-"), ("age",), ("ill",), k=2), Knowledge(known))


def test_what_is_no_digest_is_not_hashed():
    frame = pd.DataFrame({"a": ["xyz" * 10 + "zz", "d41d"], "n": [1, 2], "d": pd.to_datetime(["2020-01-01", None])})
    assert hashed(Released(frame, ("a",)), pd.DataFrame({"name": ["Ada", None]})) == []
