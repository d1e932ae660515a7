"""The file: it is well made, small, asks nobody, and holds every lesson."""

import json
import re
from html.parser import HTMLParser

import pytest

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.lessons import TITLES, Drag, Fill, Pick, as_data, lesson_by_name, page_of
from kanon_engine.teaching.studies import sample_file
from tests.cli.command import kanon, refused
from tests.compiled import compiled_only
from tests.sentences import ALREADY_EXISTS, INSTALL_AGAIN
from tests.teaching.lessons.made import made, page_text

pytestmark = compiled_only
EMPTY = {"meta", "input", "br", "path", "rect", "circle"}
MEGABYTE = 1_000_000


class Balanced(HTMLParser):
    """Every element is closed where it was opened; names of what links elsewhere are collected."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.links, self.data, self.items = [], [], [], "", []

    def handle_starttag(self, tag, attrs):
        self.links += [(name, value) for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]
        self.items += [value for name, value in attrs if name == "data-item"]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.items += [value for name, value in attrs if name == "data-item"]

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, text):
        if self.open and self.open[-1] == "script" and not self.data:
            self.data = text


def parsed(text):
    parser = Balanced()
    parser.feed(text)
    parser.close()
    return parser


def scenes():
    return [(lesson, scene) for lesson in made().values() for scene in lesson.scenes]


def test_the_file_is_well_made_small_and_asks_nobody():
    found = parsed(page_text())
    assert (found.open, found.wrong, found.links) == ([], [], [])
    assert len(page_text().encode()) < MEGABYTE
    assert re.findall(r"https?:|//[a-z]|@import|url\(|\bfetch\b|XMLHttp|WebSocket|import\(", page_text()) == []
    assert "default-src 'none'" in page_text()


def test_every_piece_of_html_in_a_lesson_is_well_made():
    for lesson, scene in scenes():
        ask = scene.ask
        said = [] if ask is None else [ask.prompt, ask.feedback.right, ask.feedback.wrong, *ask.feedback.of.values()]
        drawn = [scene.picture, scene.after, *(state.drawn for state in scene.states)]
        words = [*scene.words, *(state.words for state in scene.states), *said, *lesson.remember]
        for text in [*drawn, *words]:
            assert (parsed(text).open, parsed(text).wrong) == ([], []), text


def test_the_data_in_the_file_are_the_lessons():
    assert json.loads(parsed(page_text()).data) == [json.loads(json.dumps(as_data(one))) for one in made().values()]


@pytest.mark.thorough
def test_the_same_lessons_give_the_same_file():
    assert page_of(lesson_by_name(name) for name in TITLES) == page_text()


def test_every_question_can_be_answered_and_says_why():
    for lesson in made().values():
        assert lesson.title == TITLES[lesson.name]
        assert sum(scene.ask is not None for scene in lesson.scenes) >= 3
    for _, scene in scenes():
        ask = scene.ask
        assert all([scene.words, ask.prompt, ask.feedback.right])
        if isinstance(ask, Pick):
            offered = set(ask.choices) or set(parsed(scene.picture).items)
            assert frozenset() < ask.right < offered, scene.title
            assert ask.feedback.wrong or set(ask.feedback.of) >= offered - ask.right
        elif isinstance(ask, Drag):
            assert ask.right < {state.name for state in scene.states}
        elif isinstance(ask, Fill):
            levels = [0] * ask.bins
            for (_, weight), place in zip(ask.items, ask.solution, strict=True):
                levels[place] += weight
            assert min(levels) >= ask.k
            assert max(levels) <= ask.at_most


def test_unknown_lessons_and_missing_samples_are_told(tmp_path):
    with pytest.raises(InvalidInput, match="no lesson 'seven'; choose from linking, "):
        lesson_by_name("seven")
    with pytest.raises(InvalidInput, match=INSTALL_AGAIN):
        sample_file("adult.parquet", tmp_path)


def test_the_command_writes_the_file_and_replaces_none(tmp_path, monkeypatch):
    monkeypatch.setattr("kanon_engine.teaching.lessons.page_of", lambda lessons: page_text())
    monkeypatch.setattr("kanon_engine.teaching.lessons.lessons", lambda: ())
    out = tmp_path / "lessons.html"
    assert "Written" in kanon("lessons", "-o", out).stderr
    assert out.read_text(encoding="utf-8") == page_text()
    assert ALREADY_EXISTS in refused(kanon("lessons", "-o", out))
