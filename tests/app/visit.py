"""A visit to the app without a browser: opens a page, reads what stands there, and says what should stand there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from pages._shared.project import SAVE
from pages._shared.tasks import Task
from tests.sentences import ONE_GROUP_OF, PROVEN_BEST_POSSIBLE, REPORTED_BY_THE_SOLVER, THE_SMALLEST_HOLDS

WAIT = 120  # seconds
ROOT = Path(__file__).resolve().parents[2]
FAMILIES = ("regions", "rectangles", "labels")  # where the cost is the largest group
_GENERALIZED: dict[tuple[Any, ...], kanon.Generalization] = {}
CATALOG = json.loads((ROOT / "sample_data" / "catalog.json").read_text(encoding="utf-8"))


def first_sample(family: str) -> dict[str, Any]:
    return next(entry for entry in CATALOG if entry["family"] == family)


def read(entry: dict[str, Any]) -> Any:
    return get_family(entry["family"]).reader.function(ROOT / "sample_data" / entry["file"], **entry["options"])


def visit(family: str = "home", **query: Any) -> AppTest:
    """Open the app at a page, with this in the address bar, and expect no exception."""
    return run(open_app(family, **query))


def open_app(family: str = "home", **query: Any) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=WAIT)
    for name, value in query.items():
        app.query_params[name] = str(value)
    if family != "home":
        app.switch_page(f"pages/{family}.py")
    return app


def go(app: AppTest, family: str) -> AppTest:
    return run(app.switch_page(f"pages/{family}.py"))


def run(app: AppTest) -> AppTest:
    """Run the page, and again when the searches that it began are done, as a browser does."""
    run_once(app)
    while any(button.key.endswith(("_stop_search", "_stop")) for button in app.button if button.key):
        assert all(task.wait(WAIT) for task in tasks_of(app))
        run_once(app)
    return app


def tasks_of(app: AppTest) -> list[Task]:
    """What runs beside the page."""
    return app.session_state["_tasks"].running() if "_tasks" in app.session_state else []


def run_once(app: AppTest) -> AppTest:
    """Run the page as it is now, while its searches go on."""
    app.run()
    assert not app.exception, [(error.message, error.stack_trace) for error in app.exception]
    return app


def pick_k(app: AppTest, family: str, k: int) -> AppTest:
    return enter(app, family, "k", k)


def enter(app: AppTest, family: str, name: str, value: Any) -> AppTest:
    """A person enters a number; fields for numbers are only there in a browser."""
    put(app, family, name, value)
    return run(app)


def put(app: AppTest, family: str, name: str, value: Any) -> None:
    """What a field of the page does when a person enters a number."""
    app.session_state[f"{family}_{name}"] = value
    app.session_state[f"{family}_{name}_chosen"] = True
    if f"{family}_{name}_typed" in app.session_state:
        del app.session_state[f"{family}_{name}_typed"]


def k_of(app: AppTest, family: str) -> int:
    return int(app.session_state[f"{family}_k"])


def open_tab(app: AppTest, family: str, tab: str) -> AppTest:
    app.session_state[f"{family}_tab"] = tab
    return run(app)


def headline(app: AppTest) -> str:
    """The sentence on the page."""
    lines = [element.value for element in app.markdown if element.value.startswith("#### ")]
    assert len(lines) == 1, lines
    return lines[0].removeprefix("#### ")


def said(app: AppTest) -> str:
    """What the page says, but for captions and boxes."""
    return " ".join(element.value for element in app.markdown)


def downloads(app: AppTest) -> list[str]:
    """What the buttons for files of a result say."""
    return [button.label for button in app.get("download_button") if button.label != SAVE]


def problems(app: AppTest) -> list[str]:
    return [element.value for element in app.error]


def result(app: AppTest, instance: Any, k: int, algorithm: str | None = None, **options: Any) -> kanon.Generalization:
    """What the engine gives for what the page asks; the page of points turns the grid on."""
    if isinstance(instance, kanon.Points):
        options = {"snap": app.session_state["rectangles_snap"]} | options
    return generalized(instance, k, algorithm, **options)


def generalized(instance: Any, k: int, algorithm: str | None = None, **options: Any) -> kanon.Generalization:
    """What the engine gives; searched for once, as tests of the same sample follow one another."""
    asked = instance.digest, k, algorithm, *sorted(options.items())
    if asked not in _GENERALIZED:
        _GENERALIZED[asked] = kanon.generalize(instance, k, algorithm, **options)
    return _GENERALIZED[asked]


def assert_says(app: AppTest, instance: Any, k: int, algorithm: str | None = None, **options: Any) -> None:
    """The sentence gives the numbers that the engine gives."""
    g = result(app, instance, k, algorithm, **options)
    words = headline(app)
    unit = instance.unit
    if g.classes > 1:
        assert words.startswith(f"{g.classes:,} groups. {THE_SMALLEST_HOLDS} {g.class_weights.min():,} {unit}, ")
        assert f"the largest {g.cost:,} ({g.overfull_ratio:.2f} × k)." in words
    else:
        assert words.startswith(f"{ONE_GROUP_OF} {g.cost:,} {unit} ({g.overfull_ratio:.2f} × k).")
    word = kanon.verify(instance, g).proof == "solver"
    if g.status == "optimal":
        assert (f"best possible ({REPORTED_BY_THE_SOLVER}, not re-checked)" if word else PROVEN_BEST_POSSIBLE) in words
    else:
        what = "grouping into rectangles" if g.family == "rectangles" else "grouping"
        assert f"No {what} can do better than {g.lower_bound:,}:" in words
        assert (REPORTED_BY_THE_SOLVER in words) == word
        nearness = float(words.split("within ")[1].split(" %")[0])
        assert g.gap * 100 <= nearness + 1e-9 < g.gap * 100 + (0.1 if nearness < 20 else 1) + 1e-6
