"""A decision says what, why and until when; one that cannot be is refused, and none is ever guessed."""

import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.project.context import Context, Decision, agreed, decision_from
from kanon_engine.report.assemble import with_context
from tests.report.bundles import review
from tests.sentences import BEFORE_ITS_DATE, HAS_NO_CONDITIONS, IS_NOT_A_DATE, KEEP_ONE


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"kind": "release", "reason": " \n"}, "“release” has no reason"),
        ({"kind": "release with conditions", "reason": "A"}, HAS_NO_CONDITIONS),
        ({"kind": "release", "reason": "A", "conditions": "B"}, "remove them, or decide “release with conditions”"),
        ({"kind": "publish", "reason": "A"}, "choose from release, release with conditions, refuse"),
        ({"kind": "refuse", "reason": "A", "date": "soon"}, IS_NOT_A_DATE),
        ({"kind": "refuse", "reason": "A", "until": "2026-2-1"}, IS_NOT_A_DATE),
        ({"kind": "release", "reason": "A", "date": "2026-02-02", "until": "2026-02-01"}, BEFORE_ITS_DATE),
    ],
)
def test_a_decision_that_cannot_be_is_refused(said, words):
    with pytest.raises(InvalidInput) as refused:
        Decision(**said)
    assert words in str(refused.value)


def test_an_empty_table_is_no_decision_and_none_is_guessed():
    assert decision_from({}) is None
    assert with_context(review(), Context(officer="Ada", decided="2026-11-20")).decision is None


def test_what_only_one_of_both_says_holds_for_both():
    context, decision = agreed(Context(recipient="The public"), Decision("refuse", "A", by="Ada", date="2026-11-20"))
    assert (context.officer, context.decided, decision.recipients) == ("Ada", "2026-11-20", "The public")
    with pytest.raises(InvalidInput, match=f"by = 'Ada', but the context says officer = 'Bo'; {KEEP_ONE}"):
        agreed(Context(officer="Bo"), decision)
