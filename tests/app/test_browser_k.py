"""k in a real browser: typed, dragged and linked, during and after searches. It is what a person chose, everywhere.

The walk is seeded; `KANON_WALK_STEPS` and `KANON_WALK_SEED` make it longer, or another one.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import TimeoutError as TooLate

from pages._shared.controls import stops
from pages._shared.result import STOP
from tests.app.test_browser import NAMES, WAIT, at_rest
from tests.app.visit import CATALOG, read
from tests.compiled import thorough_only
from tests.sentences import (
    FOUND_BY,
    GO_BACK_TO,
    K_EXACTLY,
    NO_GROUPING_IS_POSSIBLE,
    QUICK_ANSWER,
    TOO_SMALL,
)

STEPS = int(os.environ.get("KANON_WALK_STEPS", 2))
SEED = int(os.environ.get("KANON_WALK_SEED", 1))
SAMPLES = {
    "regions": "north-carolina-births",
    "rectangles": "us-zip",
    "labels": "last-names",
    "clusters": "cycle-hire-circles",
}
TITLES = {**NAMES, "clusters": "Clusters"}
LONG = 3_000  # milliseconds that the end of a search is waited for

# What the page shows of k whenever that changes: the field, beside the slider, the link, the drawn result.
WATCH = """
window.seen = [];
window.shown = () => {
  if (!window.field?.isConnected) {
    const hosts = [...document.querySelectorAll("section[data-testid=stSidebar] *")].filter((one) => one.shadowRoot);
    window.field = hosts.map((one) => one.shadowRoot.querySelector("[aria-label='K_EXACTLY']")).find(Boolean);
  }
  const first = document.querySelector(".kanon-picture");
  const picture = (first?.querySelector(".js-plotly-plot") ?? first)?.picture;
  const drawn = picture?.filename?.match(/-k(\\d+)(-|$)/)?.[1];
  const link = new URLSearchParams(location.search).get("k");
  const output = field?.getRootNode().querySelector("output").textContent.replaceAll(",", "");
  return [field?.value, output, link, drawn].map((one) => one ?? null);
};
setInterval(() => {
  const now = JSON.stringify(shown());
  if (seen.at(-1) !== now) seen.push(now);
}, 50);
""".replace("K_EXACTLY", K_EXACTLY)


@pytest.fixture
def watched(page) -> Any:
    """A page that keeps a record of what it shows of k."""
    page.add_init_script(WATCH)
    return page


def k_field(page):
    return page.get_by_role("spinbutton", name=K_EXACTLY)


def k_slider(page):
    return page.get_by_role("slider", name="k: minimum")


def enter_k(page, text: object, key: str = "Enter") -> None:
    k_field(page).fill(str(text))
    k_field(page).press(key)


def expect_shown(page, *wanted: str | None) -> None:
    try:
        page.wait_for_function("wanted => JSON.stringify(shown()) === JSON.stringify(wanted)", arg=wanted, timeout=WAIT)
    except TooLate:
        pytest.fail(f"wanted {wanted}, but {page.evaluate('shown()')} is shown")


def expect_k(page, k: int) -> None:
    """Field, slider, link and drawn result agree on k."""
    expect_shown(page, *[str(k)] * 4)


def forget_seen(page) -> None:
    page.evaluate("seen.splice(0, seen.length, JSON.stringify(shown()))")


def assert_no_jump(page, k: int | str, chosen: set[int]) -> None:
    """Since then the field showed k alone; the others changed to k once, from what a person had chosen before."""
    rows = [json.loads(row) for row in page.evaluate("seen")]
    values = {str(k), *map(str, chosen), "–", None}
    for row in rows:
        assert row[0] in (str(k), None), (k, rows)  # None: between two pages
        assert values.issuperset(row), (k, chosen, rows)
    for channel in zip(*rows, strict=True):
        if str(k) in channel:
            assert set(channel[channel.index(str(k)) :]) - {None} == {str(k)}, (k, rows)  # None: between two pages


class Walk:
    """A person who changes k on a page in every way that there is.

    Parameters
    ----------
    page
    url : str
        Of the app.
    family : str
    seed : int
    """

    def __init__(self, page: Any, url: str, family: str, seed: int) -> None:
        self.page, self.url, self.family = page, url, family
        self.chance = random.Random(f"{family} {seed}")
        entry = next(entry for entry in CATALOG if entry["key"] == SAMPLES[family])
        instance = read(entry)
        self.total, self.stops = instance.total, stops(instance.total, len(instance))
        self.k: int = entry["k"]
        self.chosen: set[int] = set()
        self.log: list[str] = []
        page.goto(f"{url}/{family}?sample={entry['key']}")
        expect_k(page, self.k)

    def step(self, way: Callable[[Walk], None]) -> None:
        """Change k in this way; then go on at once, after some looks at the search, or when it is over."""
        self.chosen = {self.k}
        way(self)
        self.log.append(f"{way.__name__}: {self.k}")
        forget_seen(self.page)
        expect_k(self.page, self.k)
        stop = self.page.get_by_role("button", name=STOP)
        much = self.chance.choice(["nothing", "looks", "stop", "end"])
        if much == "stop" and stop.is_visible():
            with suppress(TooLate):  # it may end before it is stopped
                stop.click(timeout=LONG)
        if much == "end":
            with suppress(TooLate):  # some searches take minutes
                stop.wait_for(state="hidden", timeout=LONG)
        elif much != "nothing":
            self.page.wait_for_timeout(self.chance.randint(200, 2500))
        expect_k(self.page, self.k)
        assert_no_jump(self.page, self.k, self.chosen)

    def choose(self) -> int:
        """Another k that is possible, and not so small that a picture takes long."""
        half = self.stops[len(self.stops) // 2 :]
        one = self.chance.choice([*half, self.chance.randint(half[0], half[-1])])
        self.chosen.add(one)
        return one if one != self.k else self.choose()

    def types(self) -> None:
        self.k = self.choose()
        enter_k(
            self.page, f"{self.k:,}" if self.chance.random() < 0.3 else self.k, self.chance.choice(["Enter", "Tab"])
        )
        self.answered()

    def types_twice(self) -> None:
        enter_k(self.page, self.choose())
        self.page.wait_for_timeout(self.chance.choice([0, 100, 400]))
        self.k = self.choose()
        enter_k(self.page, self.k)

    def types_slowly(self) -> None:
        """Runs of the page that come meanwhile leave what is half typed as it is."""
        self.k = self.choose()
        k_field(self.page).press("ControlOrMeta+a")
        for digit in str(self.k):
            k_field(self.page).press(digit)
            self.page.wait_for_timeout(self.chance.choice([50, 500]))
        assert k_field(self.page).input_value() == str(self.k)
        k_field(self.page).press("Enter")

    def drags(self) -> None:
        """Hold, while the page looks after its search."""
        mouse, box = self.page.mouse, k_slider(self.page).bounding_box()
        across = lambda place: box["x"] + 8 + place / (len(self.stops) - 1) * (box["width"] - 16)  # noqa: E731
        place = self.stops.index(
            self.chance.choice([one for one in self.stops[len(self.stops) // 2 :] if one != self.k])
        )
        mouse.move(across(self.chance.randrange(len(self.stops))), box["y"] + box["height"] / 2)
        mouse.down()
        mouse.move(across(0), box["y"] + box["height"] / 2, steps=3)
        mouse.move(across(place), box["y"] + box["height"] / 2, steps=3)
        self.page.wait_for_timeout(self.chance.choice([0, 900]))
        assert k_field(self.page).input_value() == str(self.stops[place])
        mouse.up()
        self.k = self.stops[place]

    def steps_the_slider(self) -> None:
        """By keyboard: to the next stop above or below."""
        key = self.chance.choice(["ArrowRight", "ArrowLeft", "End"])
        above, below = [one for one in self.stops if one > self.k], [one for one in self.stops if one < self.k]
        if key == "ArrowLeft" and len(below) <= len(self.stops) // 2:
            key = "ArrowRight"
        self.k = {"ArrowRight": (above or self.stops[-1:])[0], "ArrowLeft": below[-1:], "End": self.stops[-1]}[key]
        self.k = self.k[0] if isinstance(self.k, list) else self.k
        k_slider(self.page).press(key)

    def asks_too_much(self) -> None:
        """The first correction after an impossible k counts."""
        much = self.total + self.chance.randint(1, 99)
        self.chosen.add(much)
        enter_k(self.page, much)
        self.page.get_by_text(f"{NO_GROUPING_IS_POSSIBLE}.").wait_for(timeout=WAIT)
        self.page.wait_for_timeout(self.chance.choice([0, 900]))
        self.chance.choice([Walk.types, Walk.drags])(self)

    def types_no_number(self) -> None:
        enter_k(self.page, self.chance.choice(["0", "-5", "1.5", "many", "", "20.000"]))
        self.page.get_by_text("write ").first.wait_for(timeout=WAIT)
        assert self.page.evaluate("shown()")[1] == "–"
        self.page.locator("h4").wait_for(state="detached", timeout=WAIT)
        self.chance.choice([Walk.types, Walk.drags, Walk.goes_back])(self)

    def goes_back(self) -> None:
        self.page.get_by_role("button", name=f"{GO_BACK_TO} {self.k:,}").click()
        expect_shown(self.page, *[str(self.k)] * 4)

    def follows_a_link(self) -> None:
        self.k = self.choose()
        self.page.goto(f"{self.url}/{self.family}?sample={SAMPLES[self.family]}&k={self.k}")
        expect_k(self.page, self.k)

    def looks_at_another_page(self) -> None:
        other = self.chance.choice([family for family in TITLES if family != self.family])
        self.page.get_by_role("link", name=TITLES[other]).first.click()
        self.page.wait_for_timeout(self.chance.choice([0, 300, 1500]))
        self.page.get_by_role("link", name=TITLES[self.family]).first.click()
        expect_k(self.page, self.k)

    def reloads(self) -> None:
        self.page.reload()
        expect_k(self.page, self.k)

    def answered(self) -> None:
        """What was typed with a comma stands there without it."""
        self.page.wait_for_function("k => shown()[0] === k", arg=str(self.k), timeout=WAIT)


WAYS = [
    Walk.types,
    Walk.drags,
    Walk.types_twice,
    Walk.asks_too_much,
    Walk.types_slowly,
    Walk.steps_the_slider,
    Walk.types_no_number,
    Walk.looks_at_another_page,
    Walk.follows_a_link,
    Walk.reloads,
]


@pytest.mark.thorough
@pytest.mark.timeout(60 + 30 * STEPS)
@pytest.mark.parametrize(
    "family",
    ["labels", *thorough_only(["regions", "rectangles", "clusters"])],
)
def test_k_is_what_a_person_chose(watched, url, family):
    walk = Walk(watched, url, family, SEED)
    ways: list[Callable[[Walk], None]] = []
    for _ in range(STEPS):
        if not ways:
            ways = walk.chance.sample(WAYS, len(WAYS))
        try:
            walk.step(ways.pop())
        except BaseException:
            print(*walk.log, sep="\n")  # noqa: T201
            raise


def many_points() -> bytes:
    chance = np.random.default_rng(5)
    centers = chance.normal(size=(40, 2)) * [3, 2] + [-95, 38]
    xy = (centers[chance.integers(0, 40, 5_000)] + chance.normal(size=(5_000, 2)) * 0.3).round(5)
    return ("longitude,latitude\n" + "\n".join(f"{x},{y}" for x, y in xy)).encode()


@pytest.mark.thorough
def test_k_typed_while_the_first_search_of_an_own_file_runs(watched, gated_url, gate):
    content = many_points()
    page, url = watched, gated_url
    page.goto(f"{url}/rectangles?sample=own-file&file=many.csv&algorithm=balanced-kd-tree")
    page.get_by_text("This link needs the file “many.csv”").wait_for(timeout=WAIT)
    file = {"name": "many.csv", "mimeType": "text/csv", "buffer": content}
    page.locator('[data-testid=stMain] input[type="file"]').first.set_input_files(file)
    k_field(page).wait_for(timeout=WAIT)
    first = int(k_field(page).input_value())
    page.get_by_text(QUICK_ANSWER).first.wait_for(timeout=WAIT)
    enter_k(page, 100)
    forget_seen(page)
    expect_k(page, 100)
    gate.touch()
    page.get_by_role("button", name=STOP).wait_for(state="hidden", timeout=WAIT)
    at_rest(page)
    expect_k(page, 100)
    assert_no_jump(page, 100, {first})


@pytest.mark.thorough
def test_a_drag_outlasts_the_end_of_the_search(watched, gated_url, gate):
    page, url = watched, gated_url
    page.goto(f"{url}/?sample=north-carolina-births&k=20000")
    expect_k(page, 20_000)
    page.get_by_role("button", name=STOP).wait_for(timeout=WAIT)
    box = k_slider(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2, steps=4)
    highest = k_field(page).input_value()
    assert highest != "20000"
    gate.touch()
    page.get_by_text(f"{FOUND_BY} Recombine").wait_for(timeout=WAIT)
    assert page.evaluate("shown()") == [highest, highest, "20000", "20000"]
    forget_seen(page)
    page.mouse.up()
    expect_k(page, int(highest))
    assert_no_jump(page, int(highest), {20_000})


@pytest.mark.thorough
def test_a_slider_that_is_moved_without_a_pointer_is_applied(watched, url):
    """As assistive technology does: an "input" and a "change" alone."""
    page = watched
    page.goto(f"{url}/labels")
    expect_k(page, 3000)
    k_slider(page).evaluate(
        """slider => {
          slider.value = slider.max;
          for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name, { bubbles: true }));
        }"""
    )
    highest = int(k_field(page).input_value())
    assert highest > 3000
    forget_seen(page)
    expect_k(page, highest)
    assert_no_jump(page, highest, {3000})


LATE_NEWS = """
window.late = 0;
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) { setTimeout(() => send.call(this, data), late); };
"""


@pytest.mark.thorough
def test_the_link_is_that_of_the_page_after_a_change_of_mind(watched, url):
    """The server writes the other page's link when the person has already turned back, and the browser says so late."""
    page = watched
    page.add_init_script(LATE_NEWS)
    page.goto(f"{url}/regions?algorithm=tree-split")
    page.locator("h4").wait_for(timeout=WAIT)
    page.get_by_role("link", name=TITLES["labels"]).first.click()
    expect_k(page, 3000)
    page.wait_for_url("**sample=**", timeout=WAIT)
    at_rest(page)
    page.evaluate(
        """([there, back]) => {
          const link = (name) => [...document.querySelectorAll("a")].find((one) => one.textContent.includes(name));
          link(there).click();
          window.late = 3000;
          link(back).click();
          window.late = 0;
        }""",
        [TITLES["regions"], TITLES["labels"]],
    )
    page.wait_for_timeout(3000)
    at_rest(page)
    expect_k(page, 3000)


@pytest.mark.thorough
def test_a_number_half_typed_outlasts_the_end_of_the_search(watched, gated_url, gate):
    page, url = watched, gated_url
    page.goto(f"{url}/?sample=north-carolina-births&k=20000")
    expect_k(page, 20_000)
    k_field(page).fill("1234")
    gate.touch()
    page.get_by_text(f"{FOUND_BY} Recombine").wait_for(timeout=WAIT)
    at_rest(page)
    assert page.evaluate("shown()") == ["1234", "20000", "20000", "20000"]
    assert page.evaluate("document.activeElement.shadowRoot.activeElement.value") == "1234"
    k_field(page).press("Enter")
    expect_k(page, 1234)


@pytest.mark.thorough
def test_other_numbers_are_checked_and_kept(watched, url):
    page = watched
    page.goto(f"{url}/labels?compare=another-k&other_k=5000")
    expect_k(page, 3000)
    other = page.get_by_role("spinbutton", name="The other k")
    other.fill("-2")
    other.press("Enter")
    page.get_by_text(f"The other k is -2, {TOO_SMALL}").wait_for(timeout=WAIT)
    other.fill("7 000")
    other.press("Enter")
    page.get_by_text("k = 7,000").first.wait_for(timeout=WAIT)
    assert other.input_value() == "7000"
    page.locator("summary", has_text="Options").click()
    seed = page.get_by_role("spinbutton", name="Seed")
    seed.fill("12")
    seed.press("ArrowUp")
    assert seed.input_value() == "13"
    seed.press("Enter")
    page.wait_for_url("**seed=13**", timeout=WAIT)
    at_rest(page)
    assert seed.input_value() == "13"


def test_back_leaves_the_page_whatever_was_changed_on_it(page, url):
    page.goto(f"{url}/docs")
    at_rest(page)
    page.get_by_role("link", name="Labels").first.click()
    page.locator("h4").wait_for(timeout=WAIT)
    at_rest(page)
    for k in ("4000", "5000"):
        field = page.get_by_role("spinbutton", name=K_EXACTLY)
        field.fill(k)
        field.press("Enter")
        page.wait_for_url(f"**k={k}&**", timeout=WAIT)
        at_rest(page)
    script = page.locator('[data-testid="stElementContainer"]:has(> [data-testid="stHtml"] > script)')
    assert script.count() == 1
    assert script.is_hidden()  # it takes no room on the page
    page.go_back()
    page.wait_for_url("**/docs**", timeout=WAIT)
    page.locator(".st-key-documentation h1").wait_for(timeout=WAIT)
    page.go_forward()
    page.locator("h4").wait_for(timeout=WAIT)
    assert "k=5000&" in page.url
