"""Rules on small counts: no cell of a table below a number, whether shown or derived from others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from kanon_engine.disclosure.equations import PEOPLE
from kanon_engine.disclosure.figures import UNPUBLISHED, float_of, meaning_of
from kanon_engine.errors import InvalidInput
from kanon_engine.model.attacked import BROKEN, SURVIVES, Attacked
from kanon_engine.model.words import listed
from kanon_engine.risk.rules.case import Case, columns_text
from kanon_engine.risk.rules.rule import FAILS, HOLDS, OF, OPEN, Found, Rule

CMS, REGISTRIES = 11, 16
MOST = 4  # cells that a sentence lists


def cells(case: Case) -> Iterator[tuple[str, np.ndarray]]:
    """What is counted, and the counts: of each group and sum, or of all records that are identical in every column.

    Anyone who has the records can count anything in them. Every other count is a sum of these.
    """
    released = case.released
    if not case.released.groups_leave:
        yield "records that are identical in all columns", case.equal
    else:
        yield f"“{released.counts}”", np.asarray(released.weights)
    for name in released.sums:
        numbers = released.frame[name].astype(object).map(float_of).dropna()  # cells may be hidden
        yield f"“{name}”", numbers.to_numpy(dtype=np.int64)


def small_cells(case: Case, least: int, *, zero: bool) -> list[tuple[str, str]]:
    """The cells below a number, in words, and the next step for each; including those of 0 if `zero`."""
    found = []
    for place, (what, counts) in enumerate(cells(case)):
        small = counts[(counts < least) & ((counts > 0) | zero)]
        if len(small):
            values = ", ".join(f"{count:,}" for count in np.unique(small)[:MOST].tolist())
            sentence = (
                f"{len(small):,} of {len(counts):,} counts of {what} ({values}{' …' * (len(np.unique(small)) > MOST)})"
            )
            found.append((sentence, larger_sums(least, what) if place else larger_cells(case, least)))
    return found


def larger_sums(least: int, names: str) -> str:
    """The next step if second counts are too small."""
    return f"Require at least {least} {names} in every group, or leave out {names}."


def larger_cells(case: Case, least: int) -> str:
    """The next step by which at least so many records are identical in everything that the release shows."""
    released = case.released
    if released.groups_leave or released.records < least:
        return case.larger_classes(least)
    alike, out = released.classes, list[str]()  # records that are identical in the columns that may stay
    for name in released.kept:
        codes = released.sets([name])
        finer = pd.factorize(alike * (int(codes.max()) + 1) + codes)[0]
        sizes = released.sizes_of(finer)
        if ((sizes > 0) & (sizes < least)).any():
            out.append(name)
        else:
            alike = finer
    if not out:
        return case.larger_groups(least)
    return (
        f"{case.larger_groups(least)} Leave out {columns_text(out)}, because anyone can count records by columns that "
        "are released unchanged. Or make every released column a quasi-identifier."
    ).lstrip()


def fewer_tables(least: int) -> str:
    """The next step if small counts follow from others."""
    return (
        f"Require every count in every group to be at least {least}, publish fewer counts and fewer overlapping "
        "tables, or publish counts under differential privacy."
    )


def rests(case: Case, least: int) -> list[str]:
    """Second counts that leave a small remainder of the first: the non-cases, if all cases are among the people."""
    if not case.released.groups_leave:
        return []
    whole, names = np.asarray(case.released.weights), []
    for name in case.released.sums:
        rest = whole - case.released.frame[name].to_numpy(dtype=np.int64)
        if ((rest > 0) & (rest < least)).any():
            names.append(str(name))
    return names


def hidden_counts(case: Case) -> list[str]:
    """Columns besides the groups whose text describes individual records, as “flu 2, cold” does."""
    if not case.released.groups_leave:
        return []
    frame = case.released.frame
    return [str(name) for name in case.released.sensitive if not pd.api.types.is_numeric_dtype(frame[name])]


def derived(case: Case, least: int) -> Found | None:
    """What the differencing attack says about cells below a number; None if no such cell follows from others."""
    run = [_of_published(case, one) for one in case.attack("differencing") if one.verdict in (SURVIVES, BROKEN)]
    if not run:
        return OPEN, f"whether a cell of 1 to {least - 1} can be worked out from others: run the differencing attack"
    for attacked in run:
        if attacked.verdict == BROKEN:
            most = fewest_derived(attacked)
            # an attack without sizes found cells below the number that it searched for, but not how small they are
            if (most is None and searched_below(case, attacked) <= least) or (most is not None and most < least):
                size = f"below {least:,}" if most is None else f"of at most {most:,}"
                return FAILS, f"a cell {size} can be worked out from others: {attacked.sentence}"
            if most is None:
                return OPEN, f"how small the cells are that can be worked out from others: {attacked.sentence}"
    # one attack that searched up to `least` is enough
    if all(searched_below(case, attacked) < least for attacked in run):
        below = max(searched_below(case, attacked) for attacked in run)
        return OPEN, (
            f"whether a cell of {below:,} to {least - 1} can be worked out from others: the differencing attack looked "
            f"only for cells below {below:,}"
        )
    return None


def _of_published(case: Case, attacked: Attacked) -> Attacked:
    """The attack without what it derived from second counts that were stated to be unpublished."""
    unpublished = [name for name, text in case.facts.columns.items() if meaning_of(text).kind == UNPUBLISHED]
    if attacked.verdict != BROKEN or "count" not in attacked.evidence.columns:
        return attacked
    rest = attacked.evidence[~attacked.evidence["count"].isin(unpublished)]
    return replace(attacked, evidence=rest) if len(rest) else replace(attacked, verdict=SURVIVES, evidence=rest)


def followed(case: Case, least: int) -> tuple[Found | None, list[str]]:
    """What follows from all published numbers: that a small cell does, or what is not yet known."""
    questions = []
    if case.undeclared:
        questions.append(f"what the numbers in {listed(case.undeclared)} are (fact “columns”)")
    if not case.published:
        return None, questions
    if case.unsaid_sums:
        questions.append(
            f"whether sums of {listed(case.unsaid_sums)} are also published, and which count each of these "
            "columns is part of (fact “columns”)"
        )
    try:
        small = case.small(least)
    except InvalidInput as error:
        return None, [*questions, f"what the numeric columns show (fact “columns”): {error}"]
    if len(small.evidence):
        return (FAILS, f"{small.sentence}, derived from everything that is published."), questions
    if small.contradiction:
        questions.append(
            "what the numeric columns really show: their descriptions make the figures contradict each other "
            "(fact “columns”)"
        )
    if small.left:
        questions.append(
            f"what the figures reveal about {small.left:,} counts: they were not examined in full, because too many "
            "counts are linked"
        )
    maybe = case.small_if_parts(least)
    if maybe is not None:
        whole = f"“{case.released.counts}”" if maybe[1] == PEOPLE else f"“{maybe[1]}”"
        questions.append(
            f"whether “{maybe[0]}” is part of {whole}: if so, a count is below {least} (fact “parts” or “columns”)"
        )
    return None, questions


def searched_below(case: Case, attacked: Attacked) -> int:
    """The number below which an attack looked for cells: from its figures, otherwise the k of the release."""
    matches = [re.fullmatch(r"parts below ([\d,]+)", name) for name in attacked.figures]
    return next((int(match[1].replace(",", "")) for match in matches if match), case.released.k)


def fewest_derived(attacked: Attacked) -> int | None:
    """How many records, at most, the smallest cell derived by an attack has; None if the attack does not say."""
    for name in ("high", "weight"):
        if name in attacked.evidence.columns and len(attacked.evidence):
            return int(attacked.evidence[name].min())
    return None


def cms(case: Case) -> Found:
    """No cell of 1 to 10, reported or derivable."""
    released = case.released
    small = small_cells(case, CMS, zero=False)
    # the policy also covers what is left out, and the report shows how many that are
    if 0 < released.left_out < CMS:
        small.append((f"the records left out ({released.left_out})", f"Leave out no records, or at least {CMS}."))
    if small:
        return (
            FAILS,
            f"Counts from 1 to 10: {'; '.join(words for words, _ in small)}.",
            " ".join(step for _, step in small),
        )
    outcome = derived(case, CMS)
    if outcome is not None and outcome[0] == FAILS:
        return FAILS, f"No reported cell is from 1 to 10, but {outcome[1]}", fewer_tables(CMS)
    follows, questions = followed(case, CMS)
    if follows is not None:
        return FAILS, f"No reported cell is from 1 to 10, but {follows[1]}", fewer_tables(CMS)
    if outcome is not None:
        questions.insert(0, outcome[1])
    if hidden_counts(case):
        questions.append(f"how many records each value in {listed(hidden_counts(case))} represents")
    if not case.facts.others:
        questions.append(
            "what else is published about these people, and whether the differencing attack was given all of it "
            "(fact “others”)"
        )
    if questions:
        return OPEN, f"No reported cell is from 1 to 10. Not yet known: {'; '.join(questions)}."
    return HOLDS, "No reported cell is from 1 to 10, and the differencing attack derived none."


def at_least(least: int, case: Case) -> Found:
    """No count below a number is shown."""
    small = small_cells(case, least, zero=True)
    if small:
        return (
            FAILS,
            f"Counts below {least}: {'; '.join(words for words, _ in small)}.",
            " ".join(step for _, step in small),
        )
    questions = [f"what the numbers in {listed(case.undeclared)} are (fact “columns”)"] if case.undeclared else []
    if hidden_counts(case):
        questions.append(f"how many records each value in {listed(hidden_counts(case))} represents")
    if questions:
        return OPEN, f"No count is below {least}. Not yet known: {'; '.join(questions)}."
    return HOLDS, f"No count in the release is below {least}."


def no_medicare(case: Case) -> str:
    """Why a policy on Medicare and Medicaid data does not cover these data."""
    return (
        f"The policy covers Medicare and Medicaid data, but {OF[case.data]}."
        if case.data in ("census", "other")
        else ""
    )


def no_registry(case: Case) -> str:
    """Why a rule of cancer registries does not cover these data."""
    return "" if case.data in ("", "registry") else f"The rule covers cancer cases and deaths, but {OF[case.data]}."


CELLS = (
    Rule(
        "cms-cells",
        "CMS: no cell of 1 to 10",
        "Centers for Medicare & Medicaid Services, cell size suppression policy (ResDAC, version of 2024)",
        "No cell of 1 to 10 patients, admissions, discharges or services is reported, and no cell from which a value "
        "of 1 to 10 can be derived with other cells or information. This includes counts of those who are left "
        "out. A cell of 0 is allowed.",
        ("an attack by differencing", "others", "columns: not needed if all columns hold counts", "parts"),
        "The rule covers counts. It does not cover what a large group reveals about its people, such as that all are "
        "cases.",
        cms,
        no_medicare,
    ),
    Rule(
        "registries-16",
        "Cancer registries: no count below 16",
        "U.S. Cancer Statistics (CDC, NPCR and SEER), technical notes: suppression of rates and counts; State Cancer "
        "Profiles (NCI)",
        "“Rates and counts below 16 are not shown”: they are unstable, and the value 16 “is more than sufficient to "
        "protect patient confidentiality”. Individual registries have their own rules.",
        (),
        "The rule does not require checking whether a small count can be worked out from other counts, and that was "
        "not checked here. A registry may require more, such as a minimum number of people in an area.",
        partial(at_least, REGISTRIES),
        no_registry,
    ),
)
