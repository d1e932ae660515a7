"""The lessons, built once for all tests of a process."""

from functools import cache

from kanon_engine.teaching.lessons import lessons, page_of


@cache
def made():
    """Every lesson by its name."""
    return {lesson.name: lesson for lesson in lessons()}


@cache
def page_text():
    """The file."""
    return page_of(made().values())
