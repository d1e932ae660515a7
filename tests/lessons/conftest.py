"""The lessons are built once for all tests here."""

import pytest

from kanon_engine.lessons import lessons
from kanon_engine.lessons.page import page_of


@pytest.fixture(scope="session")
def built():
    """Every lesson by its name."""
    return {lesson.name: lesson for lesson in lessons()}


@pytest.fixture(scope="session")
def page_text(built):
    """The file."""
    return page_of(built.values())
