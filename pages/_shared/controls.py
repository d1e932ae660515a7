"""k and the algorithm, in the sidebar: the question that a page answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.model.requirement import Requirement
from kanon_engine.project.question import Question as AskedQuestion
from pages._shared.link import begin, one_of
from pages._shared.records import Data, Question
from pages._shared.results import Choice, default_choice
from pages._shared.tasks import once
from pages._shared.widgets import (
    LARGEST,
    begin_number,
    decimal_number,
    forget_number,
    in_field,
    minimum_key,
    number_field,
    pick_from,
    put_number,
    whole_number,
)
from pages._shared.wording import control_name

DEMANDS = "{}_demands_“{}”"  # the field for the demand on a sensitive column; with _l, _c and _t those of its numbers


def stops(total: int, items: int) -> list[int]:
    """Sensible values of k for a data set: 1, 2, 5, 10 … and 11, from a fraction of an item to half of all.

    >>> stops(742, 742)
    [2, 5, 10, 11, 20, 50, 100, 200]
    """
    lowest, highest = max(2, total // (5 * items)), max(2, total // 2)
    steps = sorted({base * 10**power for base in (1, 2, 5) for power in range(16)} | {11})
    return [step for step in steps if lowest <= step <= highest] or [lowest]


def choose_k_and_algorithm(data: Data) -> Question:
    return choose_algorithm(data, choose_k(data))


def choose_k(data: Data) -> int:
    """k as an exact number and as a slider with stops; the number is what counts."""
    key = begin(data.family, "k", data.k, read_k)
    steps = stops(data.instance.total, len(data.instance))
    unit = data.instance.unit
    k = int(
        number_field(
            key,
            f"k: minimum {unit} in a group",
            read_k,
            name="k exactly",
            help=" ".join(
                [f"Every group will hold at least this many {unit}.", *(preset.rule for preset in presets(unit))]
            ),
            stops=steps if len(steps) > 1 else (),
            scope=data_of(data.family),
        )
    )
    suggestions = fitting(data.instance)
    if suggestions:
        with st.container(horizontal=True, gap="small", key=f"{data.family}_presets"):
            for preset in suggestions:
                st.button(
                    f"{preset.k:,} ({preset.name})",
                    key=f"{data.family}_preset_{preset.k}",
                    help=preset.rule,
                    type="tertiary",
                    on_click=put_k,
                    args=(data.family, preset.k),
                )
    return k


def read_k(text: str) -> int:
    return whole_number(text, "k", 1)


def put_k(family: str, k: int) -> None:
    put_number(f"{family}_k", k)


def put_question(question: AskedQuestion) -> None:
    """Ask the question of a project file or a scenario, as if the user had chosen it."""
    family, state = question.family, st.session_state
    put_k(family, question.k)
    put_number(f"{family}_seed", question.seed)
    put_algorithm(family, get_family(family).algorithm(question.algorithm), question.options)
    for column, _ in state.get(f"{family}_minima", ()):
        forget_number(minimum_key(family, column))
    for column in (*dict(state.get(f"{family}_demands", ())), *question.demands):
        forget_demands(family, column)
    state[f"{family}_minima"] = tuple(question.minimum.items())
    state[f"{family}_demands"] = tuple(question.demands.items())


def forget_demands(family: str, column: str) -> None:
    """Reset the fields for the demands on sensitive columns."""
    key = DEMANDS.format(family, column)
    st.session_state.pop(key, None)
    for number in "lct":
        forget_number(f"{key}_{number}")


def put_algorithm(family: str, algorithm: kanon.Algorithm, options: Mapping[str, Any]) -> None:
    st.session_state[f"{family}_algorithm"] = algorithm.name
    for option in algorithm.options:
        key, value = f"{family}_{option.name}", options[option.name]
        if option.kind in ("number", "integer"):
            put_number(key, value)
        else:
            st.session_state[key] = value


def begin_k(family: str, k: int | None = None) -> None:
    """The data changed: reset k to this value or to the data's default."""
    st.session_state[data_of(family)] = st.session_state.get(data_of(family), 0) + 1
    if k is None:
        forget_number(f"{family}_k")
    else:
        begin_number(f"{family}_k", k)


def data_of(family: str) -> str:
    """The session key that counts how often the user chose other data."""
    return f"{family}_data"


def choose_algorithm(data: Data, k: int, require: tuple[Requirement, ...] = ()) -> Question:
    """The algorithm with its options; the question with this k and the other requirements."""
    family = data.family
    algorithms = {algorithm.name: algorithm for algorithm in kanon.algorithms(family)}
    first = default_choice(family).algorithm
    titles = {name: algorithm.title for name, algorithm in algorithms.items()}
    name = pick_from(
        st.selectbox,
        "Algorithm",
        titles,
        begin(family, "algorithm", first.name, one_of(algorithms), titles.__getitem__),
    )
    chosen = algorithms[name]
    promise = st.empty()
    promise.caption(_described(chosen))
    with st.expander("Options"):
        options = tuple((option.name, _option_field(family, option)) for option in chosen.options)
        key = begin(family, "seed", 0, read_seed)
        seed = number_field(key, "Random seed", read_seed, name="Seed")
    choice = Choice(chosen, options, int(seed), require)
    return Question(k, choice, promise)


def begin_option(family: str, option: kanon.Setting, value: Any) -> None:
    """Give an option of the algorithms an initial value that suits the data, unless the link sets one."""
    begin(family, option.name, value, lambda text: read_option(option, text))


def show_promise(data: Data, question: Question, g: kanon.Generalization | None = None) -> None:
    """What the algorithm does, what is proven for these data and options (or for this result), and its source."""
    choice = question.choice
    algorithm = choice.algorithm.name, choice.options, choice.require
    key_parts = data.instance.digest, question.k, algorithm, None if g is None else g.digest
    promise = once(_promise, data, question, g, of=key_parts, most=50)
    words = _described(choice.algorithm, "" if promise is None else f"**Guarantee**: {promise}. ")
    question.promise.caption(words)


def _described(algorithm: kanon.Algorithm, promise: str = "") -> str:
    return f"{algorithm.summary}  \n{promise}*{algorithm.source}.*"


def _promise(data: Data, question: Question, g: kanon.Generalization | None) -> str | None:
    """None if k or an option is impossible, which the search reports; or if only a result shows it."""
    family, algorithm = get_family(data.family), question.choice.algorithm
    if g is not None:
        return family.promised(data.instance, g)
    if question.choice.require:
        return None
    try:
        data.instance.require_feasible(question.k)
        options = algorithm.checked_options(dict(question.choice.options))
        return family.promise(data.instance, question.k, algorithm.name, options)
    except kanon.KanonError:
        return None


def read_seed(text: str) -> int:
    return whole_number(text, "Seed")


def _option_field(family: str, option: kanon.Setting) -> Any:
    words = control_name(option.name)

    def parse(text: str) -> Any:
        return read_option(option, text)

    key = begin(family, option.name, option.checked(option.default), parse)
    if option.kind == "choice":
        return st.selectbox(words, option.choices, key=key, help=option.help, persist_state="session")
    if option.kind == "flag":
        return st.checkbox(words, key=key, help=option.help, persist_state="session")
    if option.kind == "weights":
        example = "age=2, sex=1"
        return st.text_input(words, key=key, help=option.help, placeholder=example, persist_state="session") or None
    return number_field(key, words, parse, help=option.help, to_text=in_field, whole=option.kind == "integer")


def read_option(option: kanon.Setting, text: str) -> Any:
    """An option's value as the user or a link writes it, or `InvalidInput`."""
    name = control_name(option.name)
    if option.kind == "flag":
        return option.checked({"True": True, "False": False}.get(text, text))
    if option.default is None and text.strip() in ("", "None"):
        return None
    if option.kind not in ("integer", "number"):
        return option.checked(text)
    if option.kind == "number":
        return option.checked(decimal_number(text, name, option.minimum, option.maximum))
    least, most = (None if limit is None else int(limit) for limit in (option.minimum, option.maximum))
    return option.checked(whole_number(text, name, least or 0, LARGEST if most is None else most))


# ---------------------------------------------------------------------------------------------------------------------
# Values of k stated in rules, and the initial k of a user's own data.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Preset:
    """A value of k stated in a rule."""

    k: int
    unit: str  # what the rule counts; "" if it holds for counts of any kind
    name: str  # who made the rule
    rule: str  # its text and source


PRESETS = (
    Preset(
        20_001,
        "people",
        "HIPAA",
        "HIPAA's safe harbor allows the first three digits of zip codes only if more than 20,000 people live in the "
        "area that shares them (45 CFR 164.514(b)(2)(i)(B)): k = 20,001. For other areas smaller than a state, it "
        "makes no such exception.",
    ),
    Preset(
        11,
        "",
        "CMS counts",
        "The US Centers for Medicare & Medicaid Services (CMS) publishes no count of 1 to 10. k = 11 makes every group "
        "at least 11. The CMS rule also covers what k does not limit: counts by columns that are released unchanged, "
        "such as a diagnosis within a group.",
    ),
)


def presets(unit: str) -> list[Preset]:
    """Those that apply to what is counted, the largest first; rates are not counts.

    >>> [[preset.k for preset in presets(unit)] for unit in ("people", "trees", "people per 100,000")]
    [[20001, 11], [11], []]
    """
    return [preset for preset in PRESETS if preset.unit in ("", unit) and " per " not in unit]


def fitting(instance: Any) -> list[Preset]:
    """Those with which these data may have two groups, the largest first."""
    return [preset for preset in presets(instance.unit) if 2 * preset.k <= instance.total]


def first_k(instance: Any) -> int:
    """The largest preset with which there may be two groups, otherwise half of all.

    >>> from kanon_engine import Labels
    >>> [first_k(Labels("ab", counts)) for counts in ([30_000, 30_000], [10, 10])]
    [11, 10]
    """
    suggestions = fitting(instance)
    return suggestions[0].k if suggestions else max(1, instance.total // 2)
