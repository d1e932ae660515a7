"""What is proven of clusterings before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.options import MOST_ON_A_LINE
from kanon_engine.model.words import number_text
from kanon_engine.verification.clusters import MOST_PLACES

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


SINGLE = 200_000  # records, of which the paper's search of widths is made
UNSTOPPED = ", if it is not stopped"


def _gather(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if space.free and options["centers"] == "means":
        return "none: means can be far from the best centers"
    single = space.total == len(space) <= SINGLE
    ratio = 2 if single else 6 if space.free and options["centers"] != "input" else 3
    return f"never above {ratio} times the best possible{UNSTOPPED if single else ''}"


def _r_cellular(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if (space.weights > 1).any():
        return "none but the lower bound, where points stand for several records"
    return f"never above {_cellular_ratio(space, options, 36)} times the best possible"


def _r_cellular_outliers(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    words = _r_cellular(space, k, options)
    ratio = _cellular_ratio(space, options, 72)
    return f"never above {ratio} times the best possible" if words.startswith("never") else words


def _cellular(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if k > 1:
        return "none but the lower bound with k above 1; choose r-cellular for a ratio"
    return f"never above {_cellular_ratio(space, options, 3)} times the best possible"


def _cellular_ratio(space: MetricSpace, options: Mapping[str, Any], ratio: int) -> int:
    """Twice as much where centers are free: around a member no radius is more than twice as large."""
    return 2 * ratio if space.free and options["centers"] != "input" else ratio


def _squares(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if space.total < 2 * k:
        return "the best possible: there is one cluster"
    if space.points.shape[1] == 1 and options["improve"] and len(space) * k <= MOST_ON_A_LINE:
        return f"the best possible, for there is one column{UNSTOPPED}"
    return "none beforehand; the lower bound says how far from the best possible the result can be"


def _center(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if space.free and options["centers"] == "means":
        return "none around means"
    if space.total > len(space) or len(space) > SINGLE:
        return f"none but the lower bound, with counts or more than {SINGLE:,} points"
    return f"never above 2 times the best possible{UNSTOPPED}"


def _gather_outliers(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if space.free and options["centers"] == "means":
        return "none around means"
    ratio = 4 if space.free and options["centers"] != "input" else 3
    return f"never above {ratio} times the best possible"


def _center_outliers(space: MetricSpace, k: int, options: Mapping[str, Any]) -> str:
    if space.free and options["centers"] == "means":
        return "none around means"
    if len(space) > MOST_PLACES:
        return f"none but the lower bound, for more than {MOST_PLACES:,} points"
    return "never above 4 times the best possible"


PROMISES: dict[str, Callable[[MetricSpace, int, Mapping[str, Any]], str]] = {
    "gather": _gather,
    "cellular": _cellular,
    "r-cellular": _r_cellular,
    "r-cellular-outliers": _r_cellular_outliers,
    "mdav": _squares,
    "v-mdav": _squares,
    "center": _center,
    "gather-outliers": _gather_outliers,
    "center-outliers": _center_outliers,
}  # by algorithm, before a run


def promise(
    space: MetricSpace, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None
) -> str:
    """The ceiling on the cost: of a run a number, before it how far from the best possible it can be."""
    if algorithm not in PROMISES:
        words = "none"
    elif not space.definitions.is_metric:
        words = "none: the triangle inequality of the matrix was not checked"
    else:
        words = PROMISES[algorithm](space, k, options)
    if g is None:
        return words
    ratio = words.endswith(UNSTOPPED)
    if ratio and g.status == "stopped" and g.guarantee is None:
        return "none, for the search was stopped too early"
    words = words.removesuffix(UNSTOPPED)
    return words if g.guarantee is None else f"at most {number_text(g.guarantee)}: {words}"
