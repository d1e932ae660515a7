"""Our figures and pycanon's, where pycanon can be imported: equal, or different as docs/risk.md says.

It asks for an older pandas, and works with this one: `pip install --no-deps pycanon`. Data that may not ship is looked
for in the folder that KANON_DATA names.
"""

import math
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.released import Released
from kanon_engine.risk.diversity import diversity
from kanon_engine.risk.measures import measures
from kanon_engine.tables.release import released_frame
from tests.compiled import thorough_only

anonymity = pytest.importorskip("pycanon.anonymity")
ADULT = Path(__file__).parents[2] / "sample_data" / "adult.parquet"
SAME = ("k", "l", "alpha", "t", "beta", "delta")
FIGURES = ("l", "entropy_l", "c", "alpha", "t", "beta", "enhanced_beta", "delta")


def theirs(frame, quasi, sensitive):
    """pycanon's figures; None where it ends in an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alpha, k = anonymity.alpha_k_anonymity(frame, quasi, [sensitive])
        return {
            "k": k,
            "l": anonymity.l_diversity(frame, quasi, [sensitive]),
            "entropy_l": anonymity.entropy_l_diversity(frame, quasi, [sensitive]),
            "c": anonymity.recursive_c_l_diversity(frame, quasi, [sensitive])[0],
            "alpha": alpha,
            "t": anonymity.t_closeness(frame, quasi, [sensitive]),
            "beta": anonymity.basic_beta_likeness(frame, quasi, [sensitive]),
            "enhanced_beta": anonymity.enhanced_beta_likeness(frame, quasi, [sensitive]),
            "delta": anonymity.delta_disclosure(frame, quasi, [sensitive]),
        }


def ours(frame, quasi, sensitive):
    release = Released(frame, tuple(quasi), (sensitive,))
    found = diversity(release, sensitive)
    return {"k": int(release.sizes.min()), **{name: getattr(found, name) for name in FIGURES}}


def agree(frame, quasi, sensitive):
    """Compare all that is the same by definition, and entropy l after their rounding; return both."""
    own, other = ours(frame, quasi, sensitive), theirs(frame, quasi, sensitive)
    assert [own[name] for name in SAME] == pytest.approx([other[name] for name in SAME], abs=1e-9)
    assert math.floor(own["entropy_l"] - 1e-6) <= other["entropy_l"] <= math.floor(own["entropy_l"] + 1e-6)
    rarest = frame[sensitive].value_counts().min() / len(frame)
    assert other["enhanced_beta"] == pytest.approx(min(own["beta"], -math.log(rarest)), abs=1e-9)
    assert own["enhanced_beta"] in (None, own["beta"])
    return own, other


@pytest.mark.parametrize("number", [*range(10), *thorough_only(range(10, 100))])
def test_random_tables(number):
    rng = np.random.default_rng(number)
    rows = int(rng.integers(2, 40))
    values = [["flu", "gout", "mumps", "measles"], [10, 20, 21, 50]][number % 2]
    frame = pd.DataFrame({"age": rng.integers(0, 3, rows), "town": rng.choice(list("ab"), rows)})
    frame["ill"] = rng.choice(values, rows, p=[0.4, 0.3, 0.2, 0.1])
    if frame["ill"].nunique() > 1:  # of one number theirs divides by zero
        agree(frame, ["age", "town"], "ill")


@pytest.fixture(scope="module")
def adult():
    return pd.read_parquet(ADULT).head(3_000)


@pytest.mark.parametrize("sensitive", ["occupation", "age"])
def test_adult(adult, sensitive):
    quasi = [name for name in ("age", "race", "sex") if name != sensitive]
    agree(adult, quasi, sensitive)


def test_a_release_of_adult(adult):
    table = kanon.Table(adult[["age", "race", "sex", "occupation"]], ["age", "race", "sex"])
    g = kanon.generalize(table, 50, "hill-climb", restarts=1)
    shown = released_frame(table, g, ["occupation"])
    own, _ = agree(shown, ["age", "race", "sex"], "occupation")
    assert own["k"] >= 50


FOLDER = os.environ.get("KANON_DATA")
needs_data = pytest.mark.skipif(not FOLDER, reason="KANON_DATA names no folder with the data")


def data(name):
    return pd.read_csv(Path(FOLDER or ".") / "tables" / name)


@needs_data
def test_hospital():
    hospital = data("anjana_hospital_extended.csv")
    own, _ = agree(hospital, ["gender", "city", "religion"], "disease")
    assert (own["k"], own["l"], own["alpha"]) == (1, 1, 1)
    wide = hospital.assign(age=np.where(hospital["age"] < 24, "≤ 23", "≥ 24"))
    own, other = agree(wide, ["age"], "disease")
    assert (own["k"], own["l"]) == (6, 4)
    assert own["c"] == 3.0
    assert other["c"] == 1  # of (3, 1, 1, 1) theirs takes the rarest for the commonest


@needs_data
def test_testdata():
    frame = data("sdcmicro_testdata.csv")
    key = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    agree(frame, ["urbrur", "roof", "sex"], "hhcivil")
    release = Released(frame[key], tuple(key))
    own = release.sizes[release.classes]
    assert (int((own < 2).sum()), int((own < 3).sum())) == (157, 281)  # sdcMicro's practice guide
    found = {one.key: one for one in measures(release, threshold=0.49)}
    assert found["sample-uniques"].value == 157
    assert found["prosecutor-above"].value == pytest.approx(281 / 4580)


def of(zips, ill):
    return pd.DataFrame({"zip": list(zips), "ill": ill})


def test_where_it_differs():
    """Each as docs/risk.md says."""
    skewed = of("aaaaaabbbb", ["flu"] * 4 + ["cold", "gout"] + ["flu", "flu", "cold", "gout"])
    assert ours(skewed, ["zip"], "ill")["c"] == 4
    assert theirs(skewed, ["zip"], "ill")["c"] == 1
    even = of("aaabbb", ["flu", "cold", "gout"] * 2)
    assert ours(even, ["zip"], "ill")["entropy_l"] == 3
    assert theirs(even, ["zip"], "ill")["entropy_l"] == 2
    gained = of("aaaabbbb", ["flu"] * 4 + ["flu", "cold", "cold", "gout"])
    assert ours(gained, ["zip"], "ill")["enhanced_beta"] is None
    assert theirs(gained, ["zip"], "ill")["enhanced_beta"] == 1
    missing = of("aaaabbbb", [1, 2, None, None, 1, 1, 2, 2])
    assert ours(missing, ["zip"], "ill")["t"] == 0.1875
    assert anonymity.t_closeness(missing, ["zip"], ["ill"]) == 0.3125
    with pytest.raises(ValueError, match="NaN"):
        anonymity.entropy_l_diversity(missing, ["zip"], ["ill"])
    with pytest.raises(TypeError):
        anonymity.l_diversity(of("aabb", ["flu", None, "cold", "flu"]), ["zip"], ["ill"])
    with pytest.raises(ZeroDivisionError):
        anonymity.t_closeness(of("aabb", [7] * 4), ["zip"], ["ill"])
    assert ours(of("aabb", [7] * 4), ["zip"], "ill")["t"] == 0
    unknown = of(["a", "a", None, None, "b", "b"], ["flu", "cold", "flu", "flu", "flu", "cold"])
    assert ours(unknown, ["zip"], "ill")["l"] == 1
    assert theirs(unknown, ["zip"], "ill")["l"] == 2
    rows = of("aabb", ["x", "x", "y", "z"])
    rows.index = pd.Index([3, 0, 1, 2])
    assert ours(rows, ["zip"], "ill")["l"] == 1
    assert theirs(rows, ["zip"], "ill")["l"] == 2
