"""docs/errata.md and its playable counterparts: one for each section, which fails where it should and only there."""

import re

import pytest

from kanon_engine.teaching.studies.errata import ERRATA
from tests.docs.pages import text

SECTIONS = re.findall(r"^### (.+)$", text("docs/errata.md"), re.MULTILINE)
BY_SECTION = {entry.section: entry for entry in ERRATA}

# section → what is found at the default, and whether the claim holds at a value of the parameter
KNOWN = {
    "Lemma 1: there can be several sinks": (["1 and 1, 1 and 1", "2", "1"], lambda w: w > 0),
    "Lemma 2: which of equally light pieces": (["3", "3", "1"], lambda zeros: zeros == 0),
    "Theorem 4: 5k − 4 needs locations below k": (["50", "50"], lambda w: w <= 6),
    "Section 3.2: the degenerate instance is optimal": (["21", "21", "5", "21"], lambda k: False),
    "Theorem 7 and Theorem 10: where the leftover bin goes": (["30, 12; 3", "33", "30"], lambda h: h == 12),
    "Theorem 9: “Opt ≥ 6/5”": (["2.2, because 8 + 1 = 9 and k = 10", "2.4", "1", "3.5"], lambda small: 8 + small >= 10),
    "Theorem 10: two labels above k in one bin": (["100, 101 → 10, 11", "201", "105", "105"], lambda x: x == 10),
    "Theorem 11: ε must be halved": (["0.1667", "0.55", "5"], lambda percent: False),
    "Section 5: Spread needs bins of their own for labels of at least k": (["15", "9"], lambda x: x <= 3),
    "Section 5.4: the wider rule for useless values": (["64", "57", "57"], lambda n: n < 4),
    "Figure 5: two meanings of the empty set": (["4", "2"], lambda n: n == 1),
    "Section 5: suppressing everything is not within O(m)": (["306", "2", "153"], lambda rows: rows < 2),
    "Section 4: the count of patterns and rows": (["1,296", "6,561"], lambda m: 6**m <= m**5),
    "Figure 1.1: a cost of 11 needs a center that is not a record": (["11", "13"], lambda apart: apart == 0),
    "Lemma 2.5: records that are counted but never assigned": (["1", "3", "1", "3; 4"], lambda w: not 4 <= w < 8),
    "Section 3.1: facility costs that differ from center to center": (["10", "30", "7, 3"], lambda cost: cost == 0),
    "Section 2.1: distances where there is no path": (["64", "16"], lambda clauses: clauses > 0),
    "Theorem 3.2: each element must be in a set": (["8", "1"], lambda sets: sets < 3),
}


def test_every_section_has_one_entry():
    assert [entry.section for entry in ERRATA] == SECTIONS
    assert len(SECTIONS) == len(set(SECTIONS)) == len(KNOWN)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_claim_fails_as_the_page_says(section):
    entry = BY_SECTION[section]
    played = entry.play()
    assert not played.holds
    found, _ = KNOWN[section]
    assert [row.found for row in played.rows] == found
    assert any(row.says for row in played.rows)
    numbers = {number for row in played.rows for number in re.findall(r"[\d,.]*\d", f"{row.says} {row.found}")}
    prose = text("docs/errata.md").partition(f"### {section}")[2].partition("\n### ")[0]
    assert numbers & set(re.findall(r"[\d,.]*\d", prose))  # the same counterexample
    assert (played.figure is None) == (section == "Section 4: the count of patterns and rows")
    assert played.figure is None or len(played.figure.data) > 0


@pytest.mark.thorough(one_in=6)
@pytest.mark.parametrize("section", SECTIONS)
def test_it_fails_at_no_other_value_than_it_should(section):
    entry, (_, holds) = BY_SECTION[section], KNOWN[section]
    low, high, default = entry.low, entry.high, entry.default
    assert low <= default <= high
    for value in {low, low + 1, low + 2, (low + default) // 2, default + 1, min(high, low + 10)}:
        assert entry.play(value).holds == holds(value), value


def test_it_plays_the_same_twice():
    for entry in ERRATA[::4]:
        assert entry.play().rows == entry.play(entry.default).rows
