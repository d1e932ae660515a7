"""Labels that stay together, labels kept apart, names of classes: every algorithm against brute force."""

import itertools
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.instance import HANDLE_CONFLICTS, item_view
from kanon_engine.labels.plot import bins_figure
from kanon_engine.model import wishes
from kanon_engine.model.wishes import KEPT, large_clique, merged_numbers
from kanon_engine.release import groups_frame
from kanon_engine.teaching.studies.figure7 import overfull_ratios
from tests.compiled import COMPILED, THOROUGH
from tests.corruption import corrupted
from tests.oracles import label_constraints as oracle
from tests.sentences import APART_AND_TOGETHER, GIVE_A_LIST_OF_SETS, HAS_FEWER_THAN_TWO, LOWER_K_TO


def letters(**rules):
    """Sets of labels that are one letter each, written as words."""
    return {kind: [tuple(word) for word in words] for kind, words in rules.items()}


NUMBER = (120 if THOROUGH else 40) if COMPILED else 20
NAMES = [algorithm.name for algorithm in kanon.algorithms("labels")]


def test_every_algorithm_keeps_the_rules_or_refuses_in_words():
    generator = np.random.default_rng(11)
    seen = {"result": 0, "refused": 0, "infeasible": 0}
    for _ in range(NUMBER):
        counts, k, together, apart = oracle.random_instance(generator)
        best = oracle.optimum(counts, k, together, apart)
        labels = kanon.Labels(range(len(counts)), counts, together=together, apart=apart)
        for name in NAMES:
            try:
                g = kanon.generalize(labels, k, name)
            except kanon.Infeasible:
                assert best is None, (name, counts, k, together, apart)
                seen["infeasible"] += 1
                continue
            except kanon.InvalidInput:
                seen["refused"] += 1
                refused = True
            else:
                refused = False
                groups = [np.flatnonzero(g.assignment == number).tolist() for number in range(g.classes)]
                assert oracle.allowed(groups, together, apart), (name, counts, k, together, apart)
                assert best is not None, (name, counts, k, together, apart)
                assert g.lower_bound <= best
                assert g.cost >= best or name == "relaxed-scheme"
                assert g.cost == best or name != "exact"
                seen["result"] += 1
            assert refused == bool((apart and name not in HANDLE_CONFLICTS) or (together and name == "ordered"))
    assert min(seen.values()) > NUMBER / 4


@pytest.mark.parametrize("algorithm", NAMES)
def test_together_is_as_if_they_were_one_label(algorithm):
    counts = [9, 9, 7, 7, 5, 4, 3]
    merged = kanon.Labels("abcdef", [9, 9, 7, 12, 4, 3])
    labels = kanon.Labels("abcdxef", counts, **letters(together=["xd"]))
    if algorithm == "ordered":
        with pytest.raises(kanon.InvalidInput, match="cannot keep chosen labels together"):
            kanon.generalize(labels, 10, algorithm)
        return
    g, expected = kanon.generalize(labels, 10, algorithm), kanon.generalize(merged, 10, algorithm)
    assert (g.cost, g.lower_bound, g.guarantee) == (expected.cost, expected.lower_bound, expected.guarantee)
    items, view = item_view(labels, g)
    assert items.counts.tolist() == merged.counts.tolist()
    assert items.names.tolist() == ["a", "b", "c", "d + x", "e", "f"]
    np.testing.assert_array_equal(view.assignment, expected.assignment)


@pytest.mark.parametrize(("algorithm", "rules"), [("fold", {"together": ["bd"]}), ("exact", {"apart": ["ab"]})])
def test_a_result_that_breaks_a_rule_fails_its_check(algorithm, rules):
    labels = kanon.Labels("abcdef", [5, 5, 4, 4, 3, 3], **letters(**rules))
    g = kanon.generalize(labels, 8, algorithm)
    one, other = (labels.names.tolist().index(name) for name in next(iter(rules.values()))[0])
    moved = g.assignment.copy()
    moved[one] = g.assignment[other] if "apart" in rules else (g.assignment[other] + 1) % g.classes
    weights = np.bincount(moved, labels.counts).astype(np.int64)
    broken = replace(g, k=1, assignment=moved, class_weights=weights, cost=int(weights.max())).sealed()
    with pytest.raises(kanon.CertificateError) as caught:
        kanon.verify(labels, broken)
    assert caught.value.check == next(iter(rules))


def test_no_field_of_a_constrained_result_can_be_spoilt():
    labels = kanon.Labels("abcdef", [5, 5, 4, 4, 3, 3], **letters(together=["bd"], apart=["ab", "ac"]))
    g = kanon.generalize(labels, 6)
    for _, other in corrupted(g):
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, other)


@pytest.mark.parametrize(
    ("counts", "k", "rules", "sentence"),
    [
        ([5, 5, 5], 5, {"together": ["ab"], "apart": ["ab"]}, f"a and b {APART_AND_TOGETHER}"),
        ([5, 5, 5], 5, {"together": ["ab", "bc"], "apart": ["ac"]}, "a and c must be apart"),
        ([1, 9, 9, 2], 4, {"apart": ["ab", "ac"]}, "a and all labels that may share its group hold 3 records"),
        ([5, 5, 5], 6, {"apart": ["abc"]}, "hold 5 records in total"),
        ([6, 6, 6, 1], 7, {"apart": ["abc"]}, f"3 labels must all be apart .a, b, c., .* {LOWER_K_TO} 6 or less"),
    ],
)
def test_infeasible_by_counting(counts, k, rules, sentence):
    labels = kanon.Labels("abcd"[: len(counts)], counts, **letters(**rules))
    assert (
        oracle.optimum(
            counts,
            k,
            *(
                [["abcd".index(name) for name in rule] for rule in rules.get(kind, ())]
                for kind in ("together", "apart")
            ),
        )
        is None
    )
    for algorithm in ("near-optimal", "fold", "ordered"):
        with pytest.raises(kanon.Infeasible, match=sentence):
            kanon.generalize(labels, k, algorithm)


@pytest.mark.parametrize("family", ["labels", "regions"])
def test_what_must_be_apart_is_sought_once_for_every_k(family, monkeypatch):
    sought = []
    counted = lambda *given: sought.append(given) or large_clique(*given)  # noqa: E731
    for module in (wishes, import_module(f"kanon_engine.{family}.instance")):
        monkeypatch.setattr(module, "large_clique", counted, raising=False)
    if family == "labels":
        instance = kanon.Labels("abcd", [5, 5, 5, 5], apart=[tuple("abc")])
    else:
        instance = kanon.Regions(range(4), [5] * 4, [(0, 3), (1, 3), (2, 3)], apart=[(0, 1, 2)])
    for k in (3, 4, 5):
        instance.require_feasible(k)
    assert len(sought) == 1


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (letters(together=["ax"]), f"Set 1 of the labels {KEPT['together']} lists x"),
        (letters(apart=["ab", "c"]), f"Set 2 of the labels {KEPT['apart']} {HAS_FEWER_THAN_TWO}"),
        (letters(apart=["aa"]), HAS_FEWER_THAN_TWO),
        ({"apart": ["ab"]}, f"Set 1 of the labels {KEPT['apart']} is 'ab'"),
        ({"together": "ab"}, GIVE_A_LIST_OF_SETS),
        ({"together": [5]}, f"Set 1 of the labels {KEPT['together']} is 5"),
        ({"class_names": "smallest"}, "choose number or largest"),
        ({"class_names": ["A", "A"]}, "Two names of groups are identical"),
        ({"class_names": 3}, "choose number or largest"),
    ],
)
def test_rules_that_make_no_sense(rules, sentence):
    with pytest.raises(kanon.InvalidInput, match=sentence):
        kanon.Labels("abc", [5, 5, 5], **rules)


def test_the_digest_covers_the_rules_and_is_the_old_one_without():
    plain = kanon.Labels("abc", [5, 4, 3])
    rules = [letters(together=["ab"]), letters(apart=["ab"]), letters(apart=["bc"]), {"class_names": "largest"}]
    others = [kanon.Labels("abc", [5, 4, 3], **rule).digest for rule in rules]
    assert len({plain.digest, *others}) == 5
    assert kanon.Labels("abc", [5, 4, 3], together=[], apart=()).digest == plain.digest
    assert kanon.Labels("abc", [5, 4, 3], together=[{"b", "a"}]).digest == others[0]


def test_numbers_as_names_and_text_for_them():
    labels = kanon.Labels([10, 20, 30], [5, 4, 3], together=[("10", 30)])
    assert labels.together == ((10, 30),)
    assert labels.items.counts.tolist() == [8, 4]


def test_merging_is_transitive_and_clique_is_one():
    assert merged_numbers(6, [(4, 5), (0, 2), (2, 4)]).tolist() == [0, 1, 0, 2, 0, 0]
    assert merged_numbers(4, [(3,), (1, 1)]).tolist() == merged_numbers(4, []).tolist() == [0, 1, 2, 3]
    generator = np.random.default_rng(4)
    for _ in range(30):
        pairs = [pair for pair in itertools.combinations(range(7), 2) if generator.random() < 0.5]
        clique = large_clique(7, pairs)
        assert set(itertools.combinations(clique, 2)) <= set(pairs)
        assert len(clique) >= 2 or not pairs


def test_class_names():
    counts = [9, 8, 5, 4, 3]
    g = kanon.generalize(kanon.Labels("abcde", counts), 9)
    for rule in ("largest", ["North", "South"]):
        labels = kanon.Labels("abcde", counts, class_names=rule)
        g = kanon.generalize(labels, 9)
        frame = groups_frame(labels, g)
        assert frame.columns[1] == "name"
        for number, name in enumerate(frame["name"]):
            members = np.flatnonzero(g.assignment == number)
            if rule == "largest":
                assert name.split(" and ")[0] == labels.label(int(members[np.argmax(labels.counts[members])]))
                assert name.endswith(f"{len(members) - 1} other") or len(members) != 2
            elif name in rule:
                assert (g.class_weights > g.class_weights[number]).sum() <= rule.index(name)
        assert frame["name"].is_unique
        titles = {text.split("<br>")[0] for text in bins_figure(labels, g).data[0].text}
        assert titles == {f"<b>{name}</b>" for name in frame["name"]}
    assert "name" not in groups_frame(kanon.Labels("abcde", counts), g).columns


def test_figure_7_of_labels_with_rules():
    labels = kanon.Labels("abcdef", [5, 4, 3, 2, 2, 2], together=[("e", "f")])
    frame, merged = overfull_ratios(labels), overfull_ratios(kanon.Labels("abcde", [5, 4, 3, 2, 4]))
    assert frame["cost"].tolist() == merged["cost"].tolist()
    with pytest.raises(kanon.InvalidInput, match="cannot keep labels apart"):
        overfull_ratios(kanon.Labels("abcdef", [5, 4, 3, 2, 2, 2], apart=[("e", "f")]))


def test_one_set_or_several_are_said_to_stay_together():
    for sets, words in (("ab",), "in 1 set"), (("ab", "cd"), "in 2 sets"):
        labels = kanon.Labels("abcd", [3, 4, 5, 6], together=[tuple(one) for one in sets])
        details = [check.detail for check in kanon.verify(labels, kanon.generalize(labels, 7, "exact")).checks]
        assert f"{words}, all labels must share a class; sets in which they do not: 0." in details
