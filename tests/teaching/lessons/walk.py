"""Walking through the lessons in a browser, by doing what they ask."""

import re
from html import unescape

from kanon_engine.teaching.lessons import Drag, Fill, Pick, Type


def plain(text):
    """The words of HTML, as a browser shows them."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", text)).split())


def feedback(page):
    return " ".join(page.locator(".feedback").inner_text().split())


def take(page, name):
    """Choose an item: with the mouse where its middle is its own, with the keyboard where it is an area of a map."""
    one = page.locator(f'main [data-item="{name}"]').first
    if one.locator("path").count():
        one.focus()
        page.keyboard.press("Enter")
    else:
        one.click()


def drag(page, scene, name):
    """Move the slider with the keyboard, and say that this is it."""
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    for _ in range([state.name for state in scene.states].index(name)):
        page.keyboard.press("ArrowRight")
    assert page.locator("output").inner_text() == name
    page.get_by_role("button", name="This one").click()


def enter(page, value):
    page.get_by_role("textbox").fill(f"{value:,}")
    page.keyboard.press("Enter")


def fill(page, ask, bins):
    """Put items into bins."""
    for (name, _), own in zip(ask.items, bins, strict=True):
        page.locator(f'[data-block="{name}"]').click()
        page.locator(f'[data-bin="{own}"]').click()
    page.get_by_role("button", name="Check").click()


def answer(page, scene, right):
    """Answer a question as it is, or in a way that is wrong; returns what a wrong answer is told."""
    ask = scene.ask
    feedback_of = ask.feedback.of
    if isinstance(ask, Pick):
        offered = list(ask.choices) or page.locator("figure [data-item]").evaluate_all(
            "all => all.map(one => one.dataset.item)"
        )
        wrong = next(name for name in offered if name not in ask.right)
        for name in (sorted(ask.right) if ask.every else sorted(ask.right)[:1]) if right else [wrong]:
            take(page, name)
        if ask.every:
            page.get_by_role("button", name="Check").click()
            if not right:
                take(page, wrong)  # and let it go
        return feedback_of.get(wrong, ask.feedback.wrong)
    if isinstance(ask, Drag):
        names = [state.name for state in scene.states]
        drag(page, scene, next(name for name in names if (name in ask.right) == right))
    elif isinstance(ask, Type):
        enter(page, ask.right if right else ask.right + 1)
    elif isinstance(ask, Fill):
        if right:
            fill(page, ask, ask.solution)
        else:
            page.get_by_role("button", name="Check").click()
            return feedback_of["open"]
    return ask.feedback.wrong


def overflow(page):
    """Pixels by which something of a scene does not fit its window."""
    return page.evaluate(
        """() => Math.max(...[".kanon-lessons main", ".words", "figure"].map((name) => {
            const one = document.querySelector(name);
            return one ? Math.max(one.scrollHeight - one.clientHeight, one.scrollWidth - one.clientWidth) : 0;
        }))"""
    )


def walk(page, lesson, wrong_first, look):
    """From the first scene of a lesson to its score; `look(number)` is called before and after each answer."""
    for number, scene in enumerate(lesson.scenes, 1):
        page.get_by_role("heading", level=2, name=scene.title).wait_for()
        look(number)
        if wrong_first:
            told = answer(page, scene, right=False)
            assert feedback(page) == f"✗ {plain(told)}"
            look(number)
        answer(page, scene, right=True)
        assert feedback(page) == f"✓ {plain(scene.ask.feedback.right)}"
        look(number)
        page.get_by_role("button", name="Next →").click()
    look(len(lesson.scenes) + 1)
