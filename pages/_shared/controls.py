"""k and algorithm pickers, in the sidebar."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.registry import family_of
from pages._shared.link import begin, one_of
from pages._shared.number_field import begin_number, forget_number, number_field, put_number
from pages._shared.results import Choice, alike, default_choice
from pages._shared.typed_numbers import LARGEST, decimal_number, whole_number

NO_ALGORITHM = {"none": "nothing", "another-k": "another k"}


def stops(total: int, items: int) -> list[int]:
    """Sensible values of k for a data set: 1, 2, 5, 10 … and 11, from a fraction of an item to half of all.

    Example
    -------
    >>> stops(742, 742)
    [2, 5, 10, 11, 20, 50, 100, 200]
    """
    lowest, highest = max(2, total // (5 * items)), max(2, total // 2)
    steps = sorted({base * 10**power for base in (1, 2, 5) for power in range(16)} | {11})
    return [step for step in steps if lowest <= step <= highest] or [lowest]


def pick_k(family: str, instance: Any, default: int) -> int:
    """k as an exact number and as a slider with stops; the number is the one that counts."""
    key = begin(family, "k", default, read_k)
    marks = stops(instance.total, len(instance))
    unit = instance.unit
    return int(
        number_field(
            key,
            f"k: least {unit} in a group",
            read_k,
            name="k exactly",
            help=f"Every group will hold at least this many {unit}.",
            stops=marks if len(marks) > 1 else (),
            scope=data_of(family),
        )
    )


def read_k(text: str) -> int:
    """k as a person writes it, or `InvalidInput`."""
    return whole_number(text, "k", 1)


def choose_k(family: str, k: int) -> None:
    """A person chose this k elsewhere on the page."""
    put_number(f"{family}_k", k)


def begin_k(family: str, k: int | None = None) -> None:
    """The data are others: k begins anew, at this value or at the data's own."""
    st.session_state[data_of(family)] = st.session_state.get(data_of(family), 0) + 1
    if k is None:
        forget_number(f"{family}_k")
    else:
        begin_number(f"{family}_k", k)


def data_of(family: str) -> str:
    """The session's entry that counts how often a person chose other data."""
    return f"{family}_data"


def pick_algorithm(family: str) -> tuple[Choice, Any]:
    """An algorithm and its options, and a place for what it promises, which depends on them and on the data."""
    known = {algorithm.name: algorithm for algorithm in kanon.algorithms(family)}
    first = default_choice(family).algorithm
    name = st.selectbox(
        "Algorithm",
        list(known),
        format_func=lambda name: known[name].title,
        key=begin(family, "algorithm", first.name, one_of(known), lambda name: known[name].title),
        persist_state="session",
    )
    chosen = known[name]
    promised = st.empty()
    promised.caption(_described(chosen), unsafe_allow_html=True)
    with st.expander("Options"):
        options = tuple((option.name, _widget(family, option)) for option in chosen.options)
        key = begin(family, "seed", 0, read_seed)
        seed = number_field(key, "Seed of everything random", read_seed, name="Seed")
    return Choice(chosen, options, int(seed)), promised


def promise_words(instance: Any, k: int, choice: Choice, g: kanon.Generalization | None = None) -> str:
    """What the algorithm does, what is proven for these data and options (or for this result), and who found it."""
    chosen = choice.algorithm
    promise = _promise(instance, instance.digest, k, chosen.name, choice.options, None if g is None else g.digest, g)
    return _described(chosen, "" if promise is None else f"**Guarantee**: {promise}. ")


def _described(algorithm: kanon.Algorithm, promise: str = "") -> str:
    return f"{algorithm.summary}<br>{promise}*{algorithm.source}.*"


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _promise(
    _instance: Any,
    digest: str,
    k: int,
    algorithm: str,
    options: tuple[tuple[str, Any], ...],
    result: str | None,
    _g: kanon.Generalization | None,
) -> str | None:
    """None where k or an option is impossible; the search says why."""
    family = family_of(_instance)
    try:
        _instance.require_feasible(k)
        return family.promise(_instance, k, algorithm, family.algorithms[algorithm].checked_options(dict(options)), _g)
    except kanon.KanonError:
        return None


def read_seed(text: str) -> int:
    """A seed as a person writes it, or `InvalidInput`."""
    return whole_number(text, "Seed")


def _widget(family: str, option: kanon.Option) -> Any:
    words = option.name.replace("_", " ").capitalize()

    def parse(text: str) -> Any:
        return read_option(option, text)

    key = begin(family, option.name, option.checked(option.default), parse)
    if option.kind == "choice":
        return st.selectbox(words, option.choices, key=key, help=option.help, persist_state="session")
    if option.kind == "flag":
        return st.checkbox(words, key=key, help=option.help, persist_state="session")
    if option.kind == "weights":
        shown = "age=2, sex=1"
        return st.text_input(words, key=key, help=option.help, placeholder=shown, persist_state="session") or None
    return number_field(key, words, parse, help=option.help, shown=_in_field, whole=option.kind == "integer")


def read_option(option: kanon.Option, text: str) -> Any:
    """An option's value as a person or a link writes it, or `InvalidInput`."""
    name = option.name.replace("_", " ").capitalize()
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


def _in_field(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def pick_comparison(family: str, k: int, choice: Choice) -> tuple[int, Choice] | None:
    """A second algorithm, or a second k, to stand beside the first."""
    others = {algorithm.name: algorithm for algorithm in kanon.algorithms(family) if algorithm != choice.algorithm}
    choices = [*NO_ALGORITHM, *others]
    key = begin(family, "compare", "none", one_of(choices), NO_ALGORITHM.__getitem__)
    if st.session_state[key] not in choices:  # the algorithm compared with has become the first
        st.session_state[key] = "none"
    picked = st.selectbox(
        "Compare with",
        choices,
        format_func=lambda name: others[name].title if name in others else NO_ALGORITHM[name],
        key=key,
        persist_state="session",
    )
    if picked == "none":
        return None
    if picked in others:
        return k, alike(others[picked], choice)
    key = begin(family, "other_k", min(2 * k, LARGEST), read_other_k)
    return int(number_field(key, "The other k", read_other_k, scope=data_of(family))), choice


def read_other_k(text: str) -> int:
    """The k to compare with as a person writes it, or `InvalidInput`."""
    return whole_number(text, "The other k", 1)
