"""Lessons in a real browser: the file without a network, and the tab of the page Learn."""

import pytest

from kanon_engine.teaching.lessons import TITLES
from tests.app.conftest import foreign
from tests.app.visit import visit
from tests.compiled import THOROUGH, compiled_only
from tests.teaching.lessons.made import made, page_text
from tests.teaching.lessons.walk import answer, feedback, overflow, plain, walk

pytestmark = compiled_only
SMALL, LARGE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
WAIT = 120_000  # milliseconds


@pytest.fixture
def offline(browser, tmp_path):
    """The file as somebody opens it who got it by mail, in a browser that has no network."""
    file = tmp_path / "lessons.html"
    file.write_text(page_text(), encoding="utf-8")
    context = browser.new_context(viewport=SMALL, offline=True)
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.asked, page.errors = [], []
    context.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(error))
    page.goto(file.as_uri())
    yield page
    assert page.errors == []
    assert page.asked == [file.as_uri()]
    context.close()


@pytest.mark.thorough
def test_lessons_are_taken_by_doing_at_projector_size(offline):
    """Two of them, and all in a thorough run."""
    offline.get_by_role("button", name="Projector").click()

    def look(number):
        answered = offline.locator(".feedback.right").count()  # a scene is fullest then
        for size in (LARGE, SMALL) if answered else (SMALL,):
            offline.set_viewport_size(size)
            assert overflow(offline) <= 2, number
            assert (
                float(offline.locator(".kanon-lessons").evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
                >= size["height"] / 40
            )

    names = list(made()) if THOROUGH else ["zip-codes", "linking"]
    for name, lesson in made().items():
        if name not in names:
            continue
        offline.get_by_role("button", name=lesson.title).click()
        wrong_first = name != "linking"
        walk(offline, lesson, wrong_first, look)
        asked = len(lesson.scenes)
        first = 0 if wrong_first else asked
        score = f"You solved {asked} of {asked} questions, {first} of them on the first try."
        assert offline.locator(".score").inner_text() == score
        offline.get_by_role("button", name="All lessons").first.click()
    assert offline.locator(".card", has_text="4 of 4 solved, 4 on the first try").count() == 1


def test_a_link_leads_to_a_scene_and_keys_go_on(offline):
    offline.evaluate("location.hash = '#zip-codes/2'")
    scenes = made()["zip-codes"].scenes
    offline.get_by_role("heading", level=2, name=scenes[1].title).wait_for()
    offline.keyboard.press("ArrowRight")
    offline.get_by_role("heading", level=2, name=scenes[2].title).wait_for()
    assert offline.url.endswith("#zip-codes/3")
    offline.go_back()
    offline.get_by_role("heading", level=2, name=scenes[1].title).wait_for()
    offline.evaluate("location.hash = '#nothing'")
    offline.get_by_text("Six lessons on k-anonymity").wait_for()


def test_an_answer_that_is_not_found_is_shown_and_does_not_count(offline):
    offline.get_by_role("button", name=TITLES["overfull"]).click()
    scene = made()["overfull"].scenes[0]
    assert not offline.get_by_role("button", name="Show me").is_visible()
    answer(offline, scene, right=False)
    offline.get_by_role("button", name="Show me").click()
    assert feedback(offline) == plain(scene.ask.feedback.right)
    assert offline.locator(".answer").count() == len(scene.ask.right)
    offline.get_by_role("button", name="Your score").click()
    assert offline.locator(".score").inner_text() == "You solved 0 of 4 questions, 0 of them on the first try."


def test_dark_and_light_can_be_switched_and_words_keep_apart_from_paper(offline):
    frame = offline.locator(".kanon-lessons")
    seen = set()
    for _ in range(2):
        offline.get_by_role("button", name="Dark").click()
        ink, paper = (
            frame.evaluate("(one, name) => getComputedStyle(one)[name].match(/\\d+/g).slice(0, 3).map(Number)", name)
            for name in ("color", "backgroundColor")
        )
        assert abs(sum(ink) - sum(paper)) > 500
        seen.add(tuple(paper))
    assert len(seen) == 2


def test_the_tab_offers_every_lesson():
    app = visit("learn")
    assert not app.exception
    titles = [f"{number}. {title}" for number, title in enumerate(TITLES.values(), 1)]
    assert app.selectbox(key="learn_lesson").options == titles


@pytest.mark.thorough
def test_a_lesson_is_taken_in_the_app_and_all_are_downloaded(page, url):
    page.set_default_timeout(WAIT)
    page.goto(f"{url}/learn")
    page.get_by_role("tab", name="Lessons").click()
    lesson = made()["linking"]
    walk(page, lesson, False, lambda number: None)
    assert page.locator(".score").inner_text() == "You solved 4 of 4 questions, 4 of them on the first try."
    with page.expect_download() as download:
        page.get_by_role("button", name="All in one file").click()
    assert download.value.path().read_text(encoding="utf-8") == page_text()
    page.get_by_role("button", name="Next lesson →").click()
    page.get_by_role("heading", level=2, name=made()["overfull"].scenes[0].title).wait_for()
    assert foreign(page.asked) == []
