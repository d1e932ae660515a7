"""The audit of a release: its figures by brute force, a finding for each thing that can go wrong, and what mends it."""

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.release.sets import sets_of, special_uniques
from kanon_engine.tables.release import released_frame
from tests.compiled import thorough_only
from tests.oracles import audit as oracle
from tests.sentences import AUDIT_FOUND_NOTHING, MADE_FROM_DIFFERENT_DATA

QUASI = ["age", "town"]


def people(rng, rows, more=2):
    frame = pd.DataFrame({"age": rng.integers(20, 40, rows), "town": rng.choice(list("abc"), rows)})
    for place in range(more):
        frame[f"kept {place}"] = rng.choice(["x", "y", "z", None], rows, p=[0.5, 0.3, 0.15, 0.05])
    frame["pay"] = rng.integers(0, 6, rows)
    return frame


def cells(frame):
    return [tuple(row) for row in frame.astype(object).where(frame.notna(), None).to_numpy().tolist()]


def kinds(found):
    return {one.kind for one in found.findings}


@pytest.mark.parametrize("seed", [*range(10), *thorough_only(range(10, 300))])
def test_figures_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    frame, k = people(rng, int(rng.integers(8, 40))), int(rng.integers(1, 5))
    table = kanon.Table(frame, QUASI)
    algorithm = "hill-climb" if seed % 2 else "cell-suppression"
    g = kanon.generalize(table, k, algorithm)
    keep = ["kept 0", "kept 1", "pay"]
    found = kanon.audit(table, g, keep, keep)
    shown = released_frame(table, g, keep)
    assert (found.alone, found.below, found.k_together) == oracle.alone_and_below(cells(shown), k)
    assert oracle.alone_and_below(cells(shown[QUASI]), k)[1:] == (0, found.k_reached)
    groups = cells(shown[QUASI])
    for one, numbers in zip(found.sensitive, (False, False, True), strict=True):
        values = [row[0] for row in cells(shown[[one.column]])]
        whole = [row[0] for row in cells(frame[[one.column]])]
        least, entropy, far, constant, held = oracle.diversity(groups, values, whole, numbers)
        assert (one.l, one.constant_groups, one.constant_records) == (least, constant, held)
        assert (one.entropy_l, one.t) == pytest.approx((entropy, far), abs=2e-6)
    rows = cells(shown[list(found.looked_at)])
    expected = {own: len(who) for own, who in oracle.special_uniques(rows).items() if len(own) > 1}
    assert {tuple(found.looked_at.index(name) for name in own): count for own, count in found.combinations} == expected


@pytest.mark.parametrize("seed", [*range(20), *thorough_only(range(20, 500))])
def test_special_uniques_are_those_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    rows, width = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    columns = [rng.integers(0, rng.integers(1, 6), rows) for _ in range(width)]
    heard = []
    numbers = [np.unique(column, return_inverse=True)[1] for column in columns]
    found = special_uniques(numbers, np.ones(rows, dtype=np.int64), heard.append)
    expected = oracle.special_uniques([tuple(row) for row in np.column_stack(columns).tolist()])
    assert {own: set(np.flatnonzero(who).tolist()) for own, who in found.items()} == expected
    assert all(0 <= share < 1 for share in heard)


def test_dates_that_only_one_record_has_are_grouped_by_month_and_year():
    born = [f"19{50 + place}-0{1 + place % 9}-1{place % 3}" for place in range(40)]
    frame = pd.DataFrame({"born": born, "sex": ["f", "m"] * 20})
    table = kanon.Table(frame, ["born", "sex"])
    (finding,) = (one for one in kanon.audit(table, kanon.generalize(table, 5)).findings if one.kind == "extremes")
    mend = finding.remedy[0]
    assert (mend.action, mend.column, mend.value) == ("group", "born", ("dates",))
    grown = kanon.read_table(frame, ["born", "sex"], grow={mend.column: mend.value[0]})
    assert "extremes" not in kinds(kanon.audit(grown, kanon.generalize(grown, 5)))


def test_a_safe_release_has_no_serious_finding():
    frame = pd.DataFrame({"age": [1, 2] * 20, "illness": ["flu", "flu", "cold", "cold"] * 10})
    found = kanon.audit(table := kanon.Table(frame, ["age"]), kanon.generalize(table, 5), [])
    assert found.findings == ()
    assert (found.k_reached, found.k_together, found.alone, found.below) == (20, 20, 0, 0)
    assert found.sentence == (
        f"{AUDIT_FOUND_NOTHING} By its quasi-identifiers, every record looks like at least 19 others (k = 20). By all "
        "released columns together, it looks like at least 19 others."
    )
    assert len(found.to_frame()) == 0


def read(frame, quasi, k, keep, require=(), **settings):
    """A table as from a file, its result and the audit."""
    table = kanon.read_table(frame.to_csv(index=False).encode(), quasi, keep=keep, **settings)
    return kanon.audit(table, kanon.generalize(table, k, "hill-climb", restarts=2, require=list(require)))


def mended(frame, quasi, k, keep, mend, **settings):
    """The audit after one step that a finding proposes."""
    others, column = [name for name in keep if name != mend.column], mend.column
    if mend.requirement is not None:
        settings["require"] = [mend.requirement]
    if mend.action == "quasi-identifier":
        return read(frame, [*quasi, column], k, others, **settings)
    if mend.action == "drop":
        return read(frame, [name for name in quasi if name != column], k, others, **settings)
    if mend.action == "public":
        settings["orders"] = {column: sorted(frame[column].unique())}
    if mend.action == "round":
        settings["bins"] = settings.get("bins", {}) | {column: mend.value}
    return read(frame, quasi, k, keep, **settings)


def worst_of(found, column):
    """The place of the most severe finding on a column; 3 for none."""
    severities = ("serious", "notable", "minor")
    return min((severities.index(one.severity) for one in found.findings if column in one.columns), default=3)


@pytest.mark.parametrize("seed", [*range(6), *thorough_only(range(6, 60))])
def test_no_fix_makes_a_finding_on_its_column_more_severe(seed):
    """All kept columns are sensitive. With others, a record that one column singled out may be singled out by two after
    a fix by ranges, and “special uniques” with a column that others know are always serious."""
    rng = np.random.default_rng(seed)
    rows, k = int(rng.integers(60, 300)), int(rng.integers(3, 12))
    frame = people(rng, rows, more=1).assign(stay=rng.geometric(0.3, rows), ill=rng.choice(list("pqrst"), rows))
    frame["rare"] = rng.choice(["yes", "no"], rows, p=[0.1, 0.9])
    frame.loc[0, "stay"] = frame["stay"].max() + 3
    frame.loc[1, "town"] = "d"
    keep = ["kept 0", "pay", "stay", "ill", "rare"]
    settings = {"sensitive": ["pay", "stay", "ill", "rare"]}
    for bins in ({}, {"stay": (0, 2)}, {"stay": (0, 3)}):
        found = read(frame, QUASI, k, keep, bins=bins, **settings)
        for mend in {mend for one in found.findings for mend in one.remedy}:
            after = mended(frame, QUASI, k, keep, mend, bins=bins, **settings)
            assert worst_of(after, mend.column) >= worst_of(found, mend.column), mend.words


def test_the_only_quasi_identifier_is_not_left_out():
    frame = pd.DataFrame({"town": ["Bonn"] * 4 + ["Trier", "Ulm", "Ulm"]})
    found = read(frame, ["town"], 3, [])
    assert [mend.action for one in found.findings for mend in one.remedy] == ["public"]


def test_the_first_step_of_a_finding_mends_it():
    rng = np.random.default_rng(1)
    frame = people(rng, 200)
    frame["income"] = rng.normal(3_000, 700, 200).round(2)
    frame["remark"] = [f"case {number}" for number in rng.permutation(200)]
    quasi, keep = QUASI, ["kept 0", "income", "remark"]
    found = read(frame, quasi, 5, keep)
    by_column = {(one.kind, one.columns[0]): one for one in found.findings}
    assert by_column["identifier", "remark"].severity == "serious"
    assert by_column["single values", "income"].severity == "serious"
    assert by_column["single values", "income"].remedy[0].action == "round"
    assert by_column["identifier", "remark"].remedy[0].action == "drop"
    assert found.findings[0].severity == "serious"
    after = mended(frame, quasi, 5, keep, by_column["single values", "income"].remedy[0])
    assert ("single values", "income") not in {(one.kind, one.columns[0]) for one in after.findings}
    after = mended(frame, quasi, 5, keep, by_column["identifier", "remark"].remedy[0])
    assert "identifier" not in kinds(after)
    safe = read(frame, quasi, 5, ["kept 0"])
    joined = next(one for one in safe.findings if one.kind == "joined")
    assert joined.severity in ("serious", "notable")
    assert joined.records == safe.below > 0
    after = mended(frame, quasi, 5, ["kept 0"], joined.remedy[0])
    assert "joined" not in kinds(after)
    assert after.quasi_identifiers == (*QUASI, "kept 0")


def test_ranges_of_a_sensitive_column_come_with_two_different_ranges_in_every_group():
    stay = [*[1, 2, 3, 4] * 3, *[5, 16] * 6, *[25] * 11, 26]
    frame = pd.DataFrame({"age": [20] * 12 + [40] * 12 + [60] * 12, "stay": stay})
    settings = {"keep": ["stay"], "sensitive": ["stay"]}
    finding = next(one for one in read(frame, ["age"], 11, **settings).findings if one.kind == "single values")
    mend = finding.remedy[0]
    assert (mend.action, mend.requirement) == ("round", kanon.Diversity("stay", 2))
    alone = read(frame, ["age"], 11, **settings, bins={"stay": mend.value})  # the groups stay the same
    constant = next(one for one in alone.findings if one.kind == "constant groups")
    words = f"{constant.records} of the records would be in a group with only one range, so such groups must"
    assert words in finding.reason
    after = mended(frame, ["age"], 11, mend=mend, **settings)
    assert "constant groups" not in kinds(after)
    assert after.sensitive[0].l >= 2
    again = read(
        frame, ["age"], 11, **settings, require=[mend.requirement]
    )  # already required: only ranges are proposed
    assert next(one for one in again.findings if one.kind == "single values").remedy[0].distinct is None


def test_ranges_become_wider_by_uniting_whole_ranges():
    """The table no longer has the numbers in its ranges, so no others can be judged."""
    frame = people(np.random.default_rng(0), 200, more=0).assign(stay=[*range(70), *[77] * 130], ill=["a", "b"] * 100)
    found = read(frame, QUASI, 5, ["stay"], bins={"stay": (0, 7)})
    steps = {mend.value for one in found.findings for mend in one.remedy if mend.action == "round"}
    assert steps == {(0, 14)}


def test_the_required_closeness_excludes_groups_with_only_one_value():
    frame = pd.DataFrame({"age": [20] * 20 + [40] * 80, "ill": ["a", *["b"] * 19, "b", *["a"] * 79]})
    table = kanon.read_table(frame.to_csv(index=False).encode(), ["age"], keep=["ill"], sensitive=["ill"])
    found = kanon.audit(table, kanon.generalize(table, 10, "hill-climb"))
    mend = next(one for one in found.findings if one.kind == "skewed groups").remedy[0]
    assert mend.requirement == kanon.Closeness("ill", 0.19)
    same = np.flatnonzero(table.frame["ill"] == "a")
    assert kanon.Closeness("ill", 0.5).holds(table, same)
    assert not mend.requirement.holds(table, same)


def test_a_column_that_others_know_is_told_before_others():
    frame = people(np.random.default_rng(3), 60).assign(zip=["1", "2"] * 30)
    found = read(frame, QUASI, 3, ["zip", "kept 0"])
    told = {one.columns[0]: one.severity for one in found.findings if one.kind == "unchanged"}
    assert told == {"zip": "notable", "kept 0": "minor"}


def test_groups_that_share_an_illness_are_told():
    frame = pd.DataFrame({"age": [20] * 5 + [60] * 5, "ill": ["flu"] * 5 + ["flu", "cold", "cold", "flu", "cold"]})
    table = kanon.Table(frame, ["age"])
    found = kanon.audit(table, kanon.generalize(table, 5), ["ill"], ["ill"])
    assert (found.sensitive[0].l, found.sensitive[0].constant_groups) == (1, 1)
    one = next(one for one in found.findings if one.kind == "constant groups")
    assert (one.severity, one.records, one.columns) == ("serious", 5, ("ill",))
    assert [mend.action for mend in one.remedy] == ["diversity", "drop"]
    held = kanon.generalize(table, 5, require=[one.remedy[0].requirement])
    after = kanon.audit(table, held, ["ill"], ["ill"])
    assert after.sensitive[0].l == 2
    assert "constant groups" not in kinds(after)
    far = pd.DataFrame({"age": [20] * 8 + [40] * 8 + [60] * 8, "ill": [*"abababab", *"cdcdcdcd", *"efefefef"]})
    table = kanon.Table(far, ["age"])
    one = next(
        one for one in kanon.audit(table, kanon.generalize(table, 5), ["ill"], ["ill"]).findings if "skewed" in one.kind
    )
    held = kanon.generalize(table, 5, require=[one.remedy[0].requirement])
    assert "skewed groups" not in kinds(kanon.audit(table, held, ["ill"], ["ill"]))


def test_only_columns_that_are_said_to_be_sensitive_are_told_as_such():
    frame = pd.DataFrame({"age": [20] * 5 + [60] * 5, "ill": ["flu"] * 5 + ["flu", "cold", "cold", "flu", "cold"]})
    table = kanon.Table(frame, ["age"])
    apart = kanon.audit(table, kanon.generalize(table, 5), ["ill"], sensitive=[])
    assert apart.sensitive == ()
    assert apart == kanon.audit(table, kanon.generalize(table, 5), ["ill"])
    called = kanon.Table(frame.rename(columns={"ill": "Illness"}), ["age"])
    assert [one.column for one in kanon.audit(called, kanon.generalize(called, 5), ["Illness"]).sensitive] == [
        "Illness"
    ]


def test_a_kept_column_is_judged_as_what_it_is_called_or_the_sentence_says_that_it_was_not():
    frame = pd.DataFrame({"age": [20] * 5 + [60] * 5, "job": ["cook"] * 5 + list("abcde"), "illness": list("ab") * 5})
    table = kanon.read_table(frame.to_csv(index=False).encode(), ["age"], keep=["job", "illness"])
    found = kanon.audit(table, kanon.generalize(table, 5))
    words = "What groups reveal about “job” and “illness” was not judged, because they are not marked as sensitive."
    assert found.sentence.endswith(words)
    later = kanon.read_table(
        frame.to_csv(index=False).encode(), ["age"], keep=["job", "illness"], sensitive=["illness"]
    )
    found = kanon.audit(later, kanon.generalize(later, 5))
    assert [one.column for one in found.sensitive] == ["illness"]
    assert found.sentence.endswith("“job” was not judged, because it is not marked as sensitive.")
    said = kanon.audit(later, kanon.generalize(later, 5), sensitive=["job", "illness"])
    assert "not judged" not in said.sentence


def test_ends_of_ranges_that_tell_somebody_are_told():
    """Words of the release are put in its place: what an algorithm shows is not asked."""
    frame = pd.DataFrame({"age": [17, 17, 30, 31, 90, 45], "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Trier", "Bonn"]})
    table = kanon.Table(frame, ["age", "town"])
    from kanon_engine.release.audit import extreme_findings
    from kanon_engine.release.audit_figures import View

    def told(ages, towns, **more):
        own = kanon.Table(frame, ["age", "town"], **more) if more else table
        shown = sets_of(pd.DataFrame({"age": ages, "town": towns}))
        quasi = own.quasi_identifiers
        shown = View(shown, sets_of(own.frame), quasi, (), (), 2, public=tuple(filter(own.is_ordered, quasi)))
        return [(one.columns[0], one.severity, one.records) for one in extreme_findings(shown)]

    assert told(["≤ 39", "≥ 40"], ["any", "any"]) == []
    assert told(["17–31", "≥ 40"], ["any", "any"]) == [("age", "notable", 1), ("age", "minor", 2)]
    assert told(["17", "30–90"], ["any", "any"]) == [("age", "notable", 2)]
    assert told(["≤ 39", "≥ 90"], ["Bonn or Trier", "Ulm"]) == [("age", "notable", 1), ("town", "notable", 1)]
    assert told(["any", "any"], ["Bonn … Ulm (3 values)", "Ulm"]) == []
    assert told(["any", "any"], ["Trier", "Ulm"], orders={"town": ["Bonn", "Trier", "Ulm"]}) == []


def test_a_word_that_a_release_names_and_one_record_has_is_told():
    frame = pd.DataFrame({"town": ["Bonn"] * 4 + ["Trier", "Ulm", "Ulm"]})
    table = kanon.Table(frame, ["town"])
    found = kanon.audit(table, kanon.generalize(table, 3, "hill-climb"))
    assert [(one.kind, one.records) for one in found.findings] == [("extremes", 1)]
    public = kanon.Table(frame, ["town"], orders={"town": ["Bonn", "Trier", "Ulm"]})
    assert kanon.audit(public, kanon.generalize(public, 3, "hill-climb")).findings == ()


def test_a_result_of_other_data_has_no_audit():
    frame = people(np.random.default_rng(0), 30)
    table, other = kanon.Table(frame, QUASI), kanon.Table(frame.iloc[:29], QUASI)
    g = kanon.generalize(table, 2, "hill-climb")
    with pytest.raises(kanon.InvalidInput, match=MADE_FROM_DIFFERENT_DATA):
        kanon.audit(other, g)
    with pytest.raises(kanon.InvalidInput, match="'age' is a quasi-identifier"):
        kanon.audit(table, g, ["age"])


def test_a_digest_covers_figures_and_findings_and_a_frame_has_a_line_for_each():
    frame = people(np.random.default_rng(0), 30)
    table = kanon.Table(frame, QUASI)
    g = kanon.generalize(table, 3, "hill-climb")
    found = kanon.audit(table, g, ["pay"])
    assert found.digest == kanon.audit(table, g, ["pay"]).digest
    assert found.digest != kanon.audit(table, g, ["kept 0"]).digest
    lines = found.to_frame()
    assert lines["what"].tolist() == [one.what for one in found.findings]
    assert lines["severity"].map(["serious", "notable", "minor"].index).is_monotonic_increasing
    assert set(lines.columns) == {"severity", "kind", "what", "columns", "records", "reason", "remedy"}


def test_of_many_columns_the_sentence_says_how_many_were_looked_at():
    frame = pd.DataFrame({"age": [1, 2] * 6} | {f"x{place}": [1, 2] * 6 for place in range(22)})
    frame["x0"] = [1, 1, 2] * 4
    table = kanon.Table(frame, ["x0"])
    found = kanon.audit(table, kanon.generalize(table, 2), ["age", *(f"x{place}" for place in range(1, 22))])
    assert len(found.looked_at) == 20
    assert found.sentence.endswith("22 columns are released as they are; only 20 of them were examined in combination.")
