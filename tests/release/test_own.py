"""A result applied to a person's own records: nothing raw leaves, nothing is lost silently, sets are counted."""

import io
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.apply import own_file
from kanon_engine.release.placing import by_code
from tests.sentences import (
    EVERY_GROUP_HOLDS_AT_LEAST,
    HOLDS_THE_SAME_VALUES,
    NO_RECORD_IS_IN_A_GROUP,
    RECTANGLES_MAY_NOT_BE_RELEASED,
    RELEASED_IN,
    THERE_IS_NO_COLUMN,
)

ROOT = Path(__file__).parents[2]
REVEALS = "so it would reveal where records are"


def zips(**more):
    ids = ["06604", "06605", "06606", "06607"]
    return kanon.Regions(ids, [30, 20, 20, 40], [(0, 1), (1, 2), (2, 3)], unit="people", **more)


def grouped(regions):
    return kanon.generalize(regions, 50, "tree-split")


def some_people(rows=60, seed=3):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "zip": rng.choice(["06604", "06605", "06606", "06607"], rows),
            "age": rng.integers(20, 24, rows),
            "sex": rng.choice(["f", "m"], rows),
            "illness": rng.choice(["flu", "cold", "gout"], rows),
            "note": [f"remark {n}" for n in range(rows)],
        }
    )


def test_joint_groups_are_those_of_brute_force():
    regions, people = zips(), some_people()
    g = grouped(regions)
    own = kanon.apply(regions, g, people, "zip", quasi_identifiers=["age", "sex"], sensitive=["illness"], k=5)
    group = {code: f"Group {c + 1}" for code, c in zip(regions.ids, g.assignment, strict=True)}
    rows = [(group[z], a, s, i) for z, a, s, i in people[["zip", "age", "sex", "illness"]].itertuples(index=False)]
    assert Counter(own.frame.itertuples(index=False, name=None)) == Counter(rows)
    sets = Counter(row[:3] for row in rows)
    assert {row[:3]: row[3] for row in own.joint.itertuples(index=False, name=None)} == sets
    small = [count for count in sets.values() if count < 5]
    assert (own.below.records, own.below.groups, own.below.smallest) == (sum(small), len(small), min(sets.values()))
    assert own.released.sensitive == ("illness",)
    assert own.released.left_out == own.unmatched.records == 0
    assert f"{sum(small)} records are in {len(small)} sets of fewer than 5" in own.sentence
    assert "at least 50 of the 110 people" in own.sentence
    assert own.population_sizes is None
    alone = kanon.apply(regions, g, people, "zip")
    assert dict(zip(alone.joint["group"], alone.population_sizes, strict=True)) == {
        f"Group {c + 1}": weight for c, weight in enumerate(g.class_weights.tolist())
    }


def test_nothing_of_the_file_is_left_but_what_was_named():
    regions, people = zips(), some_people()
    g = grouped(regions)
    own = kanon.apply(regions, g, people, "zip", quasi_identifiers=["age"], keep=["illness"])
    assert list(own.frame) == ["group", "age", "illness"]
    text = own.frame.to_csv()
    assert not any(code in text for code in regions.ids)
    assert "remark" not in text
    shuffled = people.sample(frac=1, random_state=1)
    again = kanon.apply(regions, g, shuffled, "zip", quasi_identifiers=["age"], keep=["illness"])
    pd.testing.assert_frame_equal(own.frame, again.frame)
    assert own.frame.index.tolist() == list(range(len(people)))


def test_codes_as_spreadsheets_leave_them():
    codes = [6604.0, "6605", " 06606 ", "06607", 6607, None, "", float("nan"), "99999", "0006604", "6604.5", 10**20]
    people = pd.DataFrame({"zip": pd.Series(codes, dtype=object), "age": range(len(codes))})
    regions = zips()
    own = kanon.apply(regions, grouped(regions), people, "zip", keep=["age"])
    assert sorted(own.frame["age"].tolist()) == [0, 1, 2, 3, 4]
    assert own.unmatched.records == own.released.left_out == 7
    assert {reason: count for reason, count, _ in own.unmatched.reasons} == {"unknown": 4, "blank": 3}
    assert "7 records are left out: 4 unknown, such as “99999”" in own.sentence
    assert "“6604” was read as “06604”" in own.notes[0]


def test_a_code_that_could_be_two_or_is_longer_is_unknown():
    ids, assignment = ["06604", "6604", "7"], np.array([0, 1, 2])
    classes, reasons, _ = by_code(ids, assignment, pd.Series(["06604", "6604", "006604", "6604.0", "07"], dtype=object))
    assert classes.tolist() == [0, 1, -1, -1, -1]
    assert reasons.tolist() == ["", "", "unknown", "unknown", "unknown"]


def test_every_way_of_writing_a_code_has_one_group_or_none():
    ids = ["001", "010", "100", "2"]
    for digits in product("012", repeat=3):
        text = "".join(digits)
        for written in (text, text.lstrip("0"), f"{text}.0", f" {text}"):
            (found,), (why,), _ = by_code(ids, np.arange(4), pd.Series([written], dtype=object))
            meant = [place for place, name in enumerate(ids) if text.lstrip("0") == name.lstrip("0")]
            expected = meant[0] if meant and len(written.strip().partition(".")[0]) <= len(ids[meant[0]]) else -1
            assert found == expected, written
            assert (why == "") == (found >= 0)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("zip2", lambda zips: zips),
        ("zip as number", lambda zips: zips.astype(float)),
        ("zip with spaces", lambda zips: " " + zips),
    ],
)
def test_a_copy_of_the_code_is_refused(column, values):
    people = some_people().assign(**{column: lambda frame: values(frame["zip"])})
    regions = zips()
    with pytest.raises(kanon.InvalidInput, match=f"'{column}' {HOLDS_THE_SAME_VALUES} 'zip'"):
        kanon.apply(regions, grouped(regions), people, "zip", keep=[column])


@pytest.mark.parametrize(
    "values",
    [
        lambda zips: zips + "-1234",
        lambda zips: "US-" + zips,
        lambda zips: zips.str.lstrip("0") + "1234",
        lambda zips: zips.astype(int) * 2.5 + 1,
    ],
)
def test_a_code_in_other_words_is_refused(values):
    codes = [f"0{number}" for number in range(6600, 6620)]
    regions = kanon.Regions(codes, [30] * 20, [(place, place + 1) for place in range(19)], unit="people")
    people = pd.DataFrame({"zip": codes * 3, "age": np.arange(60) % 7})
    other = people.assign(where=values(people["zip"]))
    g = kanon.generalize(regions, 60, "tree-split")
    with pytest.raises(kanon.InvalidInput, match=f"'where' .* 'zip', {REVEALS}"):
        kanon.apply(regions, g, other, "zip", keep=["where"])
    assert len(kanon.apply(regions, g, people, "zip", keep=["age"]).frame) == 60


@pytest.mark.parametrize(
    "values", [lambda x: x.round(3), lambda x: x * 111_319.49, lambda x: "POINT (" + x.astype(str) + " 1)"]
)
def test_a_coordinate_in_other_words_is_refused(values):
    rng = np.random.default_rng(0)
    xy = rng.uniform(0, 1, (200, 2))
    points = kanon.Points(xy, unit="people")
    g = kanon.generalize(points, 20, "kd-tree", snap=0.1)
    people = pd.DataFrame(xy, columns=["x", "y"]).assign(
        where=lambda frame: values(frame["x"]), age=np.arange(200) % 50
    )
    with pytest.raises(kanon.InvalidInput, match=f"'where' .* 'x', {REVEALS}"):
        kanon.apply(points, g, people, ["x", "y"], quasi_identifiers=["where"])
    assert kanon.apply(points, g, people, ["x", "y"], keep=["age"]).released.records > 0


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"quasi_identifiers": ["zip"]}, "Groups replace 'zip'"),
        ({"keep": ["age"], "quasi_identifiers": ["age"]}, "choose one"),
        ({"keep": "age"}, "give a list of columns"),
        ({"keep": ["height"]}, f"{THERE_IS_NO_COLUMN} 'height'"),
        ({"k": 0}, "k is 0"),
    ],
)
def test_roles_that_cannot_be_are_told(roles, said):
    regions = zips()
    with pytest.raises(kanon.InvalidInput, match=said):
        kanon.apply(regions, grouped(regions), some_people(), "zip", **roles)


def test_columns_called_like_ours_keep_their_names():
    people = some_people().rename(columns={"age": "group", "sex": "records"})
    regions = zips()
    own = kanon.apply(regions, grouped(regions), people, "zip", quasi_identifiers=["group", "records"])
    assert list(own.frame) == ["kept_group", "group", "records"]
    assert list(own.joint) == ["kept_group", "group", "records", "kept_records"]
    assert own.joint["kept_records"].sum() == len(people)


def test_any_word_is_the_name_of_a_column():
    people = some_people().rename(columns={"age": "self", "illness": ""})
    own = kanon.apply(zips(), grouped(zips()), people, "zip", quasi_identifiers=["self"], keep=[""])
    assert list(own.frame) == ["group", "self", ""]


def test_records_that_are_all_unknown_are_told():
    regions = zips()
    own = kanon.apply(regions, grouped(regions), pd.DataFrame({"zip": ["x", "y"], "age": [1, 2]}), "zip", keep=["age"])
    assert own.frame.empty
    assert own.sentence == f"0 {RELEASED_IN} 0 groups. 2 records are left out: 2 unknown, such as “x” and “y”."
    with pytest.raises(kanon.InvalidInput, match=NO_RECORD_IS_IN_A_GROUP):
        own.together(2)


def test_labels_become_their_groups():
    labels = kanon.Labels(["flu", "cold", "gout"], [5, 4, 1], class_names="largest")
    g = kanon.generalize(labels, 5, "fold")
    people = pd.DataFrame({"illness": ["flu"] * 5 + ["cold"] * 4 + ["gout", "Gout"]})
    own = kanon.apply(labels, g, people, "illness")
    assert own.frame["group"].value_counts().tolist() == [5, 5]
    assert f"{EVERY_GROUP_HOLDS_AT_LEAST} 5 of these records" in own.sentence
    assert own.unmatched.reasons == (("unknown", 1, ("Gout",)),)


def test_labels_that_look_alike_stay_apart():
    names = ["a b", "a  b", "caf\u00e9", "cafe\u0301", "c"]
    classes, reasons, _ = by_code(names, np.arange(5), pd.Series([*names, "a   b", " c "], dtype=object))
    assert classes.tolist() == [0, 1, 2, 3, 4, -1, 4]
    assert reasons[5] == "unknown"


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(["2024-02-29", "2024-02-29 01:02:03.5", "2024-02-29"], format="ISO8601"),
        np.array([0.1, 2.0, 0.1], dtype=np.float32),
        np.array([0.0, 2.5, 0.0]),
    ],
)
def test_labels_of_every_type_are_found_again(values):
    frame = pd.DataFrame({"label": values, "age": ["1", "2", "3"]})
    labels = kanon.read_labels(frame, "label")
    own = kanon.apply(labels, kanon.generalize(labels, 1), frame, "label", keep=["age"])
    assert own.unmatched.records == 0
    assert [note for note in own.notes if "read as" in note] == []


def test_records_without_a_label_stay_with_those_that_lack_one():
    records = pd.DataFrame({"illness": ["flu"] * 3 + ["(missing)"] * 3 + [None] * 4, "age": range(10)})
    labels = kanon.read_labels(records, label="illness", per_record=True)
    assert labels.names.tolist() == ["flu", "(missing)", "((missing))"]
    own = kanon.apply(labels, kanon.generalize(labels, 3, "fold"), records, "illness")
    assert own.own.tolist() == own.population.tolist()
    assert own.unmatched.records == 0


def test_points_become_the_rectangle_that_holds_them():
    rng = np.random.default_rng(5)
    points = kanon.Points(rng.uniform(0, 10, (80, 2)))
    with pytest.raises(kanon.InvalidInput, match=RECTANGLES_MAY_NOT_BE_RELEASED):
        kanon.apply(points, kanon.generalize(points, 8, "kd-tree"), pd.DataFrame({"x": [1], "y": [1]}), ["x", "y"])
    g = kanon.generalize(points, 8, "kd-tree", snap=0.25)
    people = pd.DataFrame(points.xy, columns=["x", "y"]).assign(age=np.arange(80))
    own = kanon.apply(points, g, people, ["x", "y"], keep=["age"])
    assert own.own.tolist() == g.class_weights.tolist()
    group_of = dict(own.frame[["age", "group"]].itertuples(index=False, name=None))
    assert [group_of[n] for n in range(80)] == (g.assignment + 1).tolist()
    xs, ys = np.meshgrid(np.arange(-1, 12, 0.25), np.arange(-1, 12, 0.25))
    everywhere = pd.DataFrame({"x": xs.ravel(), "y": ys.ravel()})
    found = kanon.apply(points, g, everywhere, ["x", "y"])
    low, high = g.details.rectangles[:, :2].min(axis=0), g.details.rectangles[:, 2:].max(axis=0)
    within = ((everywhere >= low) & (everywhere <= high)).all(axis=1)
    assert found.unmatched.records == int((~within).sum())
    odd = pd.DataFrame({"x": ["1,5", "", "far", "99"], "y": ["2", "2", "2", "2"]})
    told = kanon.apply(points, g, odd, ["x", "y"]).unmatched.reasons
    assert {reason: count for reason, count, _ in told} == {"blank": 2, "outside of all rectangles": 1}


def test_clusters_tell_the_nearest_center_that_reaches_a_record():
    rng = np.random.default_rng(6)
    places = np.concatenate([rng.normal(0, 1, (20, 2)), rng.normal(9, 1, (20, 2))]) * (1, 1_000)
    space = kanon.MetricSpace(places / (1, 1_000), names=["age", "pay"], units=(1, 1_000))
    g = kanon.generalize(space, 10)
    people = pd.DataFrame(places, columns=["age", "pay"])
    own = kanon.apply(space, g, people, ["age", "pay"])
    assert own.unmatched.records == 0
    assert list(own.frame) == ["group", "radius", "center_age", "center_pay", "count"]
    shown = own.frame.drop_duplicates("group")
    for row in shown.itertuples():
        assert row.count == g.class_weights[row.group - 1]
    far = pd.DataFrame({"age": [500.0, None], "pay": [0.0, 1.0]})
    told = {reason: count for reason, count, _ in kanon.apply(space, g, far, ["age", "pay"]).unmatched.reasons}
    assert told == {"outside of all clusters": 1, "blank": 1}
    words = kanon.MetricSpace(pd.DataFrame({"town": ["a", "a", "b", "b"]}), "hamming")
    with pytest.raises(kanon.InvalidInput, match="With the metric hamming, the released centers do not show"):
        kanon.apply(words, kanon.generalize(words, 2), pd.DataFrame({"town": ["a"]}), "town")


def test_a_table_releases_its_own_records():
    people = some_people(40)
    table = kanon.Table(people, ["age", "sex"])
    g = kanon.generalize(table, 6, "mondrian")
    own = kanon.apply(table, g, people, keep=["illness"])
    release = kanon.release(table, g, ["illness"])
    assert Counter(own.frame.itertuples(index=False, name=None)) == Counter(release.itertuples(index=False, name=None))
    with pytest.raises(kanon.InvalidInput, match="not made from these records"):
        kanon.apply(table, g, people.iloc[1:], keep=["illness"])


def test_together_holds_k_over_all_that_is_released():
    regions, people = zips(), some_people(120)
    g = grouped(regions)
    own = kanon.apply(regions, g, people, "zip", quasi_identifiers=["age", "sex"], sensitive=["illness"], k=9)
    assert own.below.records
    table, made, release = own.together(9, "mondrian")
    assert kanon.verify(table, made)
    assert release.quasi_identifiers == ("group", "age", "sex")
    assert release.sensitive == ("illness",)
    counted = Counter(release.frame[["group", "age", "sex"]].itertuples(index=False, name=None))
    assert min(counted.values()) >= 9
    assert sum(counted.values()) + release.left_out == 120
    assert set(release.frame["group"]) <= {"Group 1", "Group 2", "any"}
    with pytest.raises(kanon.Infeasible):
        own.together(121)


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_no_written_file_holds_a_code_or_a_column_that_nobody_named(ending):
    regions, people = zips(), some_people()
    g = grouped(regions)
    own = kanon.apply(regions, g, people, "zip", quasi_identifiers=["age"], sensitive=["illness"])
    content = own_file(regions, g, own, ending)
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet, "xlsx": pd.read_excel}[ending](io.BytesIO(content))
    assert list(read) == ["group", "age", "illness"]
    cells = {str(cell) for column in read for cell in read[column]}
    assert not cells & {*people["zip"], *people["zip"].str.lstrip("0"), *people["note"]}
    moved = replace(own, own=own.own[::-1].copy())
    with pytest.raises((kanon.CertificateError, ValueError)):
        own_file(regions, g, moved, ending)


SAME = """
import pandas as pd
import kanon_engine as kanon
regions = kanon.Regions(["1", "2", "3"], [5, 5, 5], [(0, 1), (1, 2)])
people = pd.DataFrame({"zip": list("123") * 7, "age": range(21), "town": list("abcdefg") * 3})
own = kanon.apply(regions, kanon.generalize(regions, 5, "tree-split"), people, "zip", keep=["age", "town"])
print(own.frame.to_csv(), own.sentence, own.notes)
"""


@pytest.mark.thorough
def test_the_same_in_every_process():
    told = [
        subprocess.run([sys.executable, "-c", SAME], cwd=ROOT, capture_output=True, text=True, check=True,
                       env={"PYTHONHASHSEED": seed, "PATH": "", "PYTHONPATH": str(ROOT)}).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert told[0] == told[1]
    assert "Group 1" in told[0]
