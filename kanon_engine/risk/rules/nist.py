"""What NIST SP 800-188 requires of government data sets, as far as a release can be compared with it."""

from __future__ import annotations

from kanon_engine.model.attacked import BROKEN, SURVIVES
from kanon_engine.risk.rules.case import Case, columns_text
from kanon_engine.risk.rules.identifiers import DIRECT, IDENTIFIERS, identifier_hits
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OPEN, Found, Rule
from kanon_engine.risk.rules.thresholds import minimum_group_size


def government(case: Case) -> Found:
    """No direct identifier, a measured standard that is met, a re-identification study, a board's decision."""
    direct = [one for one in identifier_hits(case) if one.letter in DIRECT]
    if direct:
        return (
            FAILS,
            f"The release has direct identifiers: {'; '.join(one.words for one in direct[:6])}.",
            f"Leave out {columns_text(list(dict.fromkeys(one.column for one in direct)))}.",
        )
    # the publication names no standard; the promised or required group size is the measured one
    met, summary, *step = minimum_group_size(case)
    if met == FAILS:
        return FAILS, f"The measurable standard, which is the group size here, is not met. {summary}", " ".join(step)
    facts = case.facts
    run = [attacked for attacked in case.attacks if attacked.verdict in (SURVIVES, BROKEN)]
    broken = [attacked for attacked in run if attacked.verdict == BROKEN]
    missing = [letter for letter in DIRECT if letter not in facts.absent]
    questions = []
    if missing:
        missing_names = ", ".join(IDENTIFIERS[letter] for letter in missing)
        questions.append(
            f"whether someone looked for direct identifiers and found none (fact “absent”): {missing_names}"
        )
    if not any(attacked.attack == "linking" for attacked in run):
        questions.append("the result of a re-identification study (run the linking attack to get one)")
    if broken and not facts.accepted:
        titles = ", ".join(attacked.title for attacked in broken)
        questions.append(
            f"whether the board has seen what the attacks expose ({titles}) and accepts it (fact “accepted”)"
        )
    if not facts.sharing.strip():
        questions.append("how the data are shared (fact “sharing”)")
    if not facts.board.strip():
        questions.append("which board decided (fact “board”)")
    if questions:
        return OPEN, f"{summary} Not yet known: {'; '.join(questions)}."
    return HOLDS, f"{summary} Attacks were run, and {facts.board} decided."


NIST = (
    Rule(
        "nist-800-188",
        "NIST SP 800-188",
        "NIST Special Publication 800-188, De-Identifying Government Datasets: Techniques and Governance (2023)",
        "Agencies “should” choose a data-sharing model. They “can create a Disclosure Review Board”, and “can also "
        "adopt a de-identification standard with measurable performance levels and perform re-identification studies”, "
        "according to the abstract. kanon requires all of these, although the publication only says “should” or “can”.",
        (
            "absent",
            "minimum: needed only if it differs from k",
            "a linking attack",
            "accepted: needed only if an attack exposes anyone",
            "sharing",
            "board",
        ),
        "Most of the publication is about organization: training, tools, monitoring after the release. kanon knows "
        "only what was stated about this.",
        government,
    ),
)
