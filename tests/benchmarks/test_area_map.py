"""The map of the page with 32,426 areas: how fast it is painted anew, how much is sent, how smoothly it moves.

    python -m pytest tests/benchmarks/test_area_map.py -s

Chromium at 1280 x 720, drawn in software, as in the tests of the pages. A recoloring is measured from the message's
arrival in the page to the frame that shows it. Smoothness is frames a second while a hand drags or turns the wheel for
three seconds, as the page counts them: the longest wait between two of them is told too.
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest

from tests.app.conftest import browser, context, page, serve  # noqa: F401  # fixtures
from tests.app.test_browser import at_rest, drawn
from tests.kept_answers import answers_are_kept  # noqa: F401

PAGE = Path(__file__).with_name("national_map.py")
SECONDS = 3
HEAR = """(() => {
    globalThis.heard = { last: 0, bytes: 0 };
    const Plain = WebSocket;
    globalThis.WebSocket = class extends Plain {
        constructor(...args) {
            super(...args);
            this.addEventListener("message", ({ data }) => {
                const size = data.byteLength ?? data.size ?? data.length;
                heard.bytes += size;
                if (size > 20_000) heard.last = performance.now(); // the message with the groups
            });
        }
    };
})()"""
PAINTED = """() => new Promise((done) => {
    const frame = document.querySelector(".kanon-map");
    const before = frame.dataset.drawn;
    const look = () => {
        if (frame.dataset.drawn === before) return requestAnimationFrame(look);
        const channel = new MessageChannel(); // told when the frame has been handed on
        channel.port1.onmessage = () => done(performance.now());
        channel.port2.postMessage(0);
    };
    requestAnimationFrame(look);
})"""
MOVE = """([kind, milliseconds]) => new Promise((done) => {
    const stage = document.querySelector(".kanon-map .stage");
    const box = stage.getBoundingClientRect();
    const middle = [box.left + box.width / 2, box.top + box.height / 2];
    const send = (type, more) => stage.dispatchEvent(new (type === "wheel" ? WheelEvent : PointerEvent)(type, {
        bubbles: true, cancelable: true, pointerId: 1, clientX: middle[0], clientY: middle[1], ...more }));
    stage.setPointerCapture = () => {};
    stage.hasPointerCapture = () => true;
    stage.focus();
    const begun = performance.now();
    const frames = [];
    if (kind !== "wheel") send("pointerdown");
    const step = () => {
        const now = performance.now();
        frames.push(now);
        const t = (now - begun) / 1000;
        if (kind === "wheel") send("wheel", { deltaY: Math.sin(2 * t) > 0 ? -24 : 24 });
        const [x, y] = [middle[0] + 220 * Math.sin(2 * t), middle[1] + 110 * Math.sin(3 * t)];
        if (kind !== "wheel") send("pointermove", { clientX: x, clientY: y });
        if (now - begun < milliseconds) return requestAnimationFrame(step);
        if (kind !== "wheel") send("pointerup");
        const waits = frames.slice(1).map((at, i) => at - frames[i]);
        done({ frames: (frames.length - 1) / ((now - begun) / 1000), longest: Math.max(...waits) });
    };
    requestAnimationFrame(step);
})"""


@pytest.fixture
def areas(page, serve):  # noqa: F811
    url = serve(PAGE)
    page.add_init_script(HEAR)
    page.goto(url)
    drawn(page)
    page.reload()  # the server has made the areas by now
    page.begun = page.evaluate("performance.now()")
    drawn(page)
    page.first = page.evaluate("performance.now()")
    at_rest(page)
    page.wait_for_timeout(2000)
    return page


def recolored(page, key: str) -> tuple[float, int]:  # noqa: F811
    """Milliseconds from the message to the frame, and bytes that arrived."""
    page.evaluate("() => { heard.bytes = 0; heard.last = 0; }")
    page.evaluate(f"void (globalThis.painted = ({PAINTED})())")  # not waited for yet
    page.locator("input[type=range]").press(key)
    spent = page.evaluate("painted.then((at) => at - heard.last)")
    at_rest(page)
    return spent, page.evaluate("heard.bytes")


def test_recoloring_and_movement(areas):
    print(f"\nfirst picture after {areas.first / 1000:.1f} s")  # noqa: T201
    found = [recolored(areas, key) for key in ["ArrowRight"] * 7]  # each is sent for the first time
    times = sorted(round(time) for time, _ in found)
    sent = max(size for _, size in found)
    print(f"recolored in {times} ms, median {median(times):.0f}; at most {sent:,} bytes")  # noqa: T201
    told = {}
    for place, times_in in (("whole", 1), ("zoomed in", 8)):
        if times_in > 1:
            areas.locator(".kanon-map").evaluate("(map, times) => map.picture.zoom(times)", times_in)
        for kind in ("drag", "wheel"):
            areas.wait_for_timeout(2000)
            told[place, kind] = areas.evaluate(MOVE, [kind, SECONDS * 1000])
            words = f"{told[place, kind]['frames']:.1f} frames/s, longest wait {told[place, kind]['longest']:.0f} ms"
            print(f"{kind:5} {place:9}: {words}")  # noqa: T201
    assert sent <= 150_000
