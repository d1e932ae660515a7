"""A lesson is data: scenes of words and a picture, and questions that are answered by doing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Feedback:
    """What is said of an answer.

    Attributes
    ----------
    right : str
        Of a right one: why it is.
    wrong : str
        Of a wrong one: where to look.
    of : mapping of str to str
        Of some wrong answers, more to the point.
    """

    right: str
    wrong: str
    of: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pick:
    """Something is chosen: items of the picture, or words below the question.

    Attributes
    ----------
    prompt : str
    right : frozenset of str
        Names of items. One of them is asked for, or all of them where `every` is set.
    feedback : Feedback
    every : bool
    choices : mapping of str to str
        Name → words, where the choice is one of words; else the items of the picture are chosen.
    """

    prompt: str
    right: frozenset[str]
    feedback: Feedback
    every: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Drag:
    """A slider is drawn to one of the scene's states.

    Attributes
    ----------
    right : frozenset of str
        Words of the states that answer.
    """

    prompt: str
    right: frozenset[str]
    feedback: Feedback


@dataclass(frozen=True)
class Type:
    """A number is typed.

    Attributes
    ----------
    right : float
    within : float
        How far off an answer may be.
    unit : str
        What stands behind the field.
    """

    prompt: str
    right: float
    feedback: Feedback
    within: float = 0.0
    unit: str = ""


@dataclass(frozen=True)
class Fill:
    """Items are put into bins by hand, each bin with at least k.

    Attributes
    ----------
    items : tuple of (str, int)
        Names and weights.
    bins : int
        How many stand there; some may stay empty.
    k, at_most : int
        It is solved where every bin that holds something holds at least k and none more than `at_most`.
    solution : tuple of int
        The bin of each item, one way to solve it.
    """

    prompt: str
    items: tuple[tuple[str, int], ...]
    bins: int
    k: int
    at_most: int
    solution: tuple[int, ...]
    feedback: Feedback


Ask = Pick | Drag | Type | Fill


@dataclass(frozen=True)
class State:
    """One position of a scene's slider.

    Attributes
    ----------
    name : str
        What stands at the slider, as "5,000".
    drawn : str
        SVG that is laid over the scene's picture.
    words : str
        One sentence.
    fills : str
        A letter for each area of the picture: a digit is a colour of the palette, p pale, f faint, m marked; empty
        where they keep theirs.
    """

    name: str
    drawn: str
    words: str
    fills: str = ""


@dataclass(frozen=True)
class Scene:
    """What stands on one screen.

    Attributes
    ----------
    title : str
    words : tuple of str
        Paragraphs, of HTML that holds no name from data unescaped.
    picture : str
        An SVG; empty where the question is its own picture.
    ask : Ask or None
    states : tuple of State
        What a slider goes through, if there is one.
    slider : str
        What the slider is called.
    after : str
        SVG that is laid over the picture once the question is answered.
    after_fills : str
        The colours of its areas then, as those of a state.
    """

    title: str
    words: tuple[str, ...]
    picture: str = ""
    ask: Ask | None = None
    states: tuple[State, ...] = ()
    slider: str = ""
    after: str = ""
    after_fills: str = ""


@dataclass(frozen=True)
class Lesson:
    """Some minutes on one thing.

    Attributes
    ----------
    name : str
        Of its link, as "linking".
    title : str
    about : str
        One line for the list of lessons.
    minutes : int
    scenes : tuple of Scene
    remember : tuple of str
        What to take home.
    sources : str
        Whose data and whose idea it is.
    """

    name: str
    title: str
    about: str
    minutes: int
    scenes: tuple[Scene, ...]
    remember: tuple[str, ...]
    sources: str
