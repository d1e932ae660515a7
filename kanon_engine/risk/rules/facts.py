"""What a person states about a release and no program can find in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

from kanon_engine.disclosure.figures import meaning_of
from kanon_engine.errors import InvalidInput
from kanon_engine.shown import Shown
from kanon_engine.validate import told

# the choices of some fields, and their names for people
AREAS = {
    "": "not stated",
    "three-digit zips": "three-digit zip areas",
    "states": "states, or larger",
    "smaller": "smaller than a state",
}
DATA = {
    "": "not stated",
    "census": "counts of everyone, as in a census",
    "patients": "records of patients",
    "trial": "records of a clinical trial",
    "registry": "records of a disease registry",
    "other": "another kind of data",
}
OTHERS = {"": "not stated", "none": "nothing", "compared": "releases given to the attacks"}
MEASURES = {"highest": "for the record at highest risk", "average": "on average"}
FLAGS = (  # fields that are true or false
    "counts_are_people", "no_actual_knowledge", "expert_documented", "membership_unknown", "parts",
    "sensitive_unknown", "accepted",
)  # fmt: skip
LETTERS = "ABCDEFGHIJKLMNOPQR"  # of 45 CFR 164.514(b)(2)(i)


@dataclass(frozen=True, repr=False)
class Facts(Shown):
    """What was stated; each field starts as not stated, and a rule that requires it is then not assessed.

    >>> Facts(expert="A. Expert", expert_risk=0.09).limit
    Fraction(9, 100)
    """

    # what the data are: counts of everyone as in a "census", records of "patients", of a clinical "trial", of a disease
    # "registry", or "other"; "" if not stated. Rules on other data do not apply
    data: str = ""
    # what the areas of the release are: "three-digit zips" (each one, or several together), "states" (or larger),
    # "smaller" (other areas smaller than a state); "" if not stated
    areas: str = ""
    # column of the release → area that it shows → people who live there according to the current census. For
    # three-digit zip areas the 2010 census is built in; what is stated here takes precedence
    people: Mapping[str, Mapping[Any, int]] = field(default_factory=dict)
    # whether the release counts everyone who lives there according to the current census, not records or patients
    counts_are_people: bool = False
    year: int | None = None  # of the decision on the release: decides which years of birth are over 89
    # letters A to R of 45 CFR 164.514(b)(2)(i): the identifiers that someone looked for and that are not in the
    # release, apart from the exceptions of the rule. `ALL` are all of them
    absent: tuple[str, ...] = ()
    harmless: tuple[str, ...] = ()  # columns that look like identifiers to the checks but are not
    # whether nobody in the organization knows that what is left could identify a person: 45 CFR 164.514(b)(2)(ii)
    no_actual_knowledge: bool = False
    expert: str = ""  # who determined that the risk is very small
    # number or text, or None: the largest risk that this expert calls very small, above 0 and at most 1
    expert_risk: Fraction | float | str | None = None
    expert_measure: str = "highest"  # of which risk that is: "highest" of a record, or "average" of all
    expert_documented: bool = False  # whether the expert wrote down methods and results
    minimum: int | None = None  # the fewest records per group that you require yourself
    # for each class of the release, in its order: how many people of the whole population match it
    population_sizes: tuple[int, ...] | None = None
    # whether nobody can find out who is in the data: then the risk is 1 / the group in the population
    membership_unknown: bool = False
    # whether second counts are parts of the first, as cases are of people; None if not stated
    parts: bool | None = None
    # numeric column of a release of groups → what it is: "count", "part of people", "rate per 1000 of people",
    # "percent of people", "mean of 0/1 over people", "measure", or "not published" for a second count whose sums stay
    # internal; see `meaning_of`
    columns: Mapping[str, str] = field(default_factory=dict)
    # what else is published about these people: "none"; "compared" if all of it was given to the differencing attack;
    # "" if not stated
    others: str = ""
    sensitive_unknown: bool = False  # whether nobody outside can know the sensitive values of a person
    # number or text, or None: the largest share of one value of a sensitive column in a group that you allow, above 0
    # and at most 1
    inference: Fraction | float | str | None = None
    sharing: str = ""  # how the data are shared: published, under an agreement, in an enclave, …
    board: str = ""  # which board, or who, decided on the release
    accepted: bool = False  # whether that board has seen and accepts what the attacks expose

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("data", self.data, DATA),
            ("areas", self.areas, AREAS),
            ("others", self.others, OTHERS),
            ("expert_measure", self.expert_measure, MEASURES),
        ):
            if value not in allowed:
                listing = ", ".join(repr(choice) for choice in allowed)
                raise InvalidInput(f"{name} is {value!r}; choose one of {listing}.", parameter=name, value=value)
        strangers = [letter for letter in self.absent if letter not in LETTERS or len(letter) != 1]
        if strangers:
            raise InvalidInput(
                f"{strangers[0]!r} is not an identifier of 45 CFR 164.514(b)(2)(i); give letters from A to R.",
                parameter="absent",
                value=strangers[0],
            )
        if self.minimum is not None and self.minimum < 1:
            raise InvalidInput(f"The minimum is {self.minimum}; it must be at least 1.", parameter="minimum")
        for name in ("expert_risk", "inference"):
            exact(getattr(self, name), name)
        for meaning in self.columns.values():
            meaning_of(meaning)

    @property
    def limit(self) -> Fraction | None:
        """The expert's risk as an exact number."""
        return exact(self.expert_risk, "expert_risk")

    @property
    def largest_share(self) -> Fraction | None:
        """The largest share of a sensitive value as an exact number."""
        return exact(self.inference, "inference")


def exact(value: Fraction | float | str | None, name: str) -> Fraction | None:
    """A share as written: 0.09 is 9/100, not the nearest floating-point number.

    >>> exact(0.05, "risk"), exact("1/11", "risk"), exact(None, "risk")
    (Fraction(1, 20), Fraction(1, 11), None)
    """
    if value is None:
        return None
    try:
        share = Fraction(str(value)) if not isinstance(value, float) or math.isfinite(value) else Fraction(0)
    except (ValueError, ZeroDivisionError):
        share = Fraction(0)
    if not 0 < share <= 1:
        raise InvalidInput(f"{name} is {value!r}; give a share above 0 and at most 1.", parameter=name, value=value)
    return share


ALL = tuple(LETTERS)


def facts_from(content: Mapping[str, Any]) -> Facts:
    """Facts from a table in a person's file.

    Parameters
    ----------
    content : mapping
        Name of a field → its value: texts, numbers, true or false, lists; `absent` may be "all"; `people` a table of
        tables, column → area → people; `columns` a table, column → what it is.

    >>> facts_from({"absent": "all", "year": 2026, "people": {"zip": {"061": 21_000}}}).people
    {'zip': {'061': 21000}}
    """
    usual = {entry.name: entry.default for entry in fields(Facts)}
    values: dict[str, Any] = {}
    for name, value in content.items():
        if name not in usual:
            raise InvalidInput(f"The facts have an unknown entry {told(name)}; the entries are: {', '.join(usual)}.")
        values[name] = _fact(name, value, usual[name])
    return Facts(**values)


def facts_to_dict(facts: Facts) -> dict[str, Any]:
    """What was stated, in the form that `facts_from` reads; the rest is left out.

    >>> facts_to_dict(Facts(expert="Ada", expert_risk=0.09, absent=("A", "B")))
    {'absent': ['A', 'B'], 'expert': 'Ada', 'expert_risk': 0.09}
    """
    usual = vars(Facts())
    values = {name: value for name, value in vars(facts).items() if value != usual[name]}
    for name, value in values.items():
        if isinstance(value, tuple):
            values[name] = list(value)
        elif isinstance(value, Fraction):
            values[name] = str(value)
        elif name == "columns":
            values[name] = dict(value)
        elif isinstance(value, Mapping):
            values[name] = {
                column: {str(area): int(count) for area, count in counts.items()} for column, counts in value.items()
            }
    return values


def _fact(name: str, value: Any, usual: Any) -> Any:
    """The value in the type of the field, or `InvalidInput`."""
    if name == "absent" and value == "all":
        return ALL
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name in ("year", "minimum"):
        good, form = whole, "a whole number"
    elif name in ("expert_risk", "inference"):
        good, form = whole or isinstance(value, float | str), "a share, such as 0.09"
    elif name in FLAGS:
        good, form = isinstance(value, bool), "true or false"
    elif name == "population_sizes":
        good, form = isinstance(value, list) and all(map(_is_count, value)), "a list of whole numbers"
    elif name == "people":
        tables = list(value.values()) if isinstance(value, dict) else [None]
        good = all(isinstance(one, dict) and all(map(_is_count, one.values())) for one in tables)
        form = "a section that gives the number of people for each column and area"
    elif name == "columns":
        good = isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
        form = "a section that says for each column what it is"
    elif isinstance(usual, tuple):
        good, form = isinstance(value, list) and all(isinstance(one, str) for one in value), "a list of text values"
    else:
        good, form = isinstance(value, str), "text in quotes"
    if not good:
        raise InvalidInput(f"The facts say {name} = {told(value)}, which is not {form}.", parameter=name, value=value)
    return tuple(value) if isinstance(value, list) else value.strip() if isinstance(value, str) else value


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
