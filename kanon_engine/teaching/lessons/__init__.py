"""Five-minute lessons whose questions are answered by doing; every figure comes from a result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from string import Template
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Lazy
from kanon_engine.plot.colors import CURVES, PALETTE, VERMILION

# name → function that builds the scenes, in lesson order; the words are in a Markdown file next to its module
_LESSONS = {
    name: Lazy(f"kanon_engine.teaching.lessons.{name.replace('-', '_')}:scenes")
    for name in ("linking", "overfull", "zip-codes", "greedy", "local-cuts", "beyond")
}
_FOLDER = Path(__file__).parent
MINUTES = 5  # duration of each lesson


def _text(name: str) -> str:
    return (_FOLDER / f"{name.replace('-', '_')}.md").read_text(encoding="utf-8")


TITLES = {name: _text(name).partition("\n")[0].removeprefix("# ") for name in _LESSONS}
"""The title of every lesson by name, in lesson order."""


# ---------------------------------------------------------------------------------------------------------------------
# A lesson is data: scenes with words and a picture, and questions that are answered by doing.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Feedback:
    """The response to an answer."""

    right: str  # for a right answer: why it is right
    wrong: str  # for a wrong answer: where to look
    of: Mapping[str, str] = field(default_factory=dict)  # for some wrong answers: a more specific response


NO_FEEDBACK = Feedback("", "")  # until the words of a scene are filled in


@dataclass(frozen=True)
class Pick:
    """A choice among items of the picture or words below the question."""

    prompt: str = field(default="", kw_only=True)
    right: frozenset[str]  # names of items: one of them is required, or all of them if `every` is set
    feedback: Feedback = field(default=NO_FEEDBACK, kw_only=True)
    every: bool = False
    # name → words, if the choices are words; otherwise items of the picture are chosen
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drag:
    """A slider is dragged to one of the scene's states."""

    prompt: str = field(default="", kw_only=True)
    right: frozenset[str]  # names of the states that answer it
    feedback: Feedback = field(default=NO_FEEDBACK, kw_only=True)


@dataclass(frozen=True)
class Type:
    """A number is entered."""

    prompt: str = field(default="", kw_only=True)
    right: float
    feedback: Feedback = field(default=NO_FEEDBACK, kw_only=True)
    within: float = 0.0  # tolerance of an answer
    unit: str = ""  # text after the field


@dataclass(frozen=True)
class Fill:
    """Items are put into bins by hand, each bin with at least k."""

    prompt: str = field(default="", kw_only=True)
    items: tuple[tuple[str, int], ...]  # names and weights
    bins: int  # number of bins; some may stay empty
    # k, at_most: solved if every nonempty bin holds at least k and at most `at_most`
    k: int
    at_most: int
    solution: tuple[int, ...]  # the bin of each item in one solution
    feedback: Feedback = field(default=NO_FEEDBACK, kw_only=True)


Ask = Pick | Drag | Type | Fill


@dataclass(frozen=True)
class LessonState:
    """One position of a scene's slider."""

    name: str  # text next to the slider, as in "5,000"
    drawn: str  # SVG drawn over the scene's picture
    words: str  # one sentence
    # a letter for each area of the picture: a digit is a palette color, p pale, f faint, m marked; empty if areas
    # keep their colors
    fills: str = ""


@dataclass(frozen=True)
class Scene:
    """One screen of a lesson."""

    title: str = field(default="", kw_only=True)
    # paragraphs of HTML in which names from data are escaped
    words: tuple[str, ...] = field(default=(), kw_only=True)
    picture: str  # an SVG; empty if the question is its own picture
    ask: Ask
    states: tuple[LessonState, ...] = ()  # the states of a slider, if there is one
    slider: str = field(default="", kw_only=True)  # label of the slider
    after: str = ""  # SVG drawn over the picture after the question is answered
    after_fills: str = ""  # the colors of its areas then, as in a state


@dataclass(frozen=True)
class Lesson:
    """A few minutes on one topic."""

    name: str  # in its link, as in "linking"
    title: str
    about: str  # one line for the list of lessons
    minutes: int
    scenes: tuple[Scene, ...]
    remember: tuple[str, ...]  # the points to remember
    sources: str  # sources of the data and the idea


Values = dict[str, Any]  # values in the words of a scene
SceneParts = tuple[Scene, Values]  # a scene without its words, and the values for them


def lesson_by_name(name: str) -> Lesson:
    """Build a lesson from the samples; the same every time.

    Raises
    ------
    InvalidInput : There is no such lesson, or the samples are missing.
    """
    if name not in TITLES:
        raise InvalidInput(f"There is no lesson {name!r}; choose from {', '.join(TITLES)}.")
    bold = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", _text(name))
    html = re.sub(r"\*(.+?)\*", r"<i>\1</i>", bold)
    parts = [part.strip().split("\n\n") for part in re.split("^#+ ", html, flags=re.MULTILINE)[1:]]
    (title, about), *sections, (_, *remember), (_, sources) = parts
    scenes = tuple(_worded(*both) for both in zip(sections, _LESSONS[name](), strict=True))
    return Lesson(name, title, about, MINUTES, scenes, tuple(remember), sources)


def _worded(section: list[str], parts: SceneParts) -> Scene:
    """A scene with its words: paragraphs, and a list with the question and the responses."""
    title, *words, listed = (text.format(**parts[1]) for text in section)
    answers = dict(line.removeprefix("- ").split(": ", 1) for line in listed.split("\n"))
    scene, slider = parts[0], answers.pop("slider", "")
    ask = replace(
        scene.ask, prompt=answers.pop("ask"), feedback=Feedback(answers.pop("right"), answers.pop("wrong", ""), answers)
    )
    return replace(scene, title=title, words=tuple(words), ask=ask, slider=slider)


def lessons() -> tuple[Lesson, ...]:
    """Build all of them."""
    return tuple(map(lesson_by_name, TITLES))


# ---------------------------------------------------------------------------------------------------------------------
# All lessons as one file: words, pictures, questions and the player.
# ---------------------------------------------------------------------------------------------------------------------


def script() -> str:
    """The player of lessons: `playLessons(root, lessons, options)`, in the browser."""
    return (_FOLDER / "player.js").read_text(encoding="utf-8")


def style() -> str:
    """The style sheet; it applies only inside the class `kanon-lessons`."""
    shades = "".join(f".kanon-lessons svg .c{number} {{ fill: {shade}; }}\n" for number, shade in enumerate(PALETTE))
    lines = "".join(f".kanon-lessons svg .s{number} {{ stroke: {color}; }}\n" for number, color in enumerate(CURVES))
    named = f".kanon-lessons {{ --vermilion: {VERMILION}; --c0: {PALETTE[0]}; --c1: {PALETTE[1]}; }}\n"
    return named + (_FOLDER / "player.css").read_text(encoding="utf-8") + shades + lines


def as_data(one: Any) -> Any:
    """A lesson, or a part of one, as plain lists and dicts; `kind` is the type of a question.

    >>> from kanon_engine.teaching.lessons import Feedback, Type
    >>> as_data(Type(2.0, prompt="1 + 1?", feedback=Feedback("Two.", "Count.")))["kind"]
    'type'
    """
    if is_dataclass(one):
        parts = {field.name: as_data(getattr(one, field.name)) for field in fields(one)}
        return {"kind": type(one).__name__.lower()} | parts
    if isinstance(one, dict):
        return {name: as_data(part) for name, part in one.items()}
    if isinstance(one, frozenset):
        return sorted(one)
    return [as_data(part) for part in one] if isinstance(one, tuple) else one


def page_of(lessons: Iterable[Lesson]) -> str:
    """One self-contained HTML file that makes no network requests.

    The same lessons give the same text. A link to it may end in #name of a lesson, or in #name/2 for a scene.
    """
    data = json.dumps([as_data(lesson) for lesson in lessons], ensure_ascii=False, separators=(",", ":"))
    data = data.replace("</", r"<\/")  # otherwise the first end tag in it would end the script
    page = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    return page.substitute(style=style(), script=script(), data=data)
