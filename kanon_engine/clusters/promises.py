"""What is proven about clusterings before anything is searched, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.options import MOST_ON_A_LINE
from kanon_engine.model.words import number_text
from kanon_engine.verification.clusters import MOST_PLACES

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization


SINGLE = 200_000  # records up to which the paper's search of widths is run
UNSTOPPED = ", unless the search is stopped early"
CELLULAR = {"cellular": 3, "r-cellular": 36, "r-cellular-outliers": 72}  # times the best possible around points


def promise(
    space: MetricSpace, k: int, algorithm: str, options: Mapping[str, Any], g: Generalization | None = None
) -> str:
    """The ceiling on the cost: a number after a run, before it how far from the best possible the cost can be."""
    words = _before(space, k, algorithm, options)
    if g is None:
        return words
    if words.endswith(UNSTOPPED) and g.status == "stopped" and g.guarantee is None:
        return "none, because the search was stopped too early"
    words = words.removesuffix(UNSTOPPED)
    return words if g.guarantee is None else f"at most {number_text(g.guarantee)}: {words}"


def _before(space: MetricSpace, k: int, algorithm: str, options: Mapping[str, Any]) -> str:
    """Before a run."""
    if algorithm == "exact":
        return "none"
    if not space.definitions.is_metric:
        return "none, because the triangle inequality of the matrix was not checked"
    if algorithm in ("mdav", "v-mdav"):
        if space.total < 2 * k:
            return "the best possible, because there is one cluster"
        if space.points.shape[1] == 1 and options["improve"] and len(space) * k <= MOST_ON_A_LINE:
            return f"the best possible, because there is one column{UNSTOPPED}"
        return "none in advance; the lower bound shows how far from the best possible the result can be"
    free = space.free and options["centers"] != "input"
    single = space.total == len(space) <= SINGLE
    if algorithm in CELLULAR:
        if algorithm == "cellular" and k > 1:
            return "none, only a lower bound, because k is above 1; “Cellular, at least k” has a guarantee"
        if algorithm != "cellular" and (space.weights > 1).any():
            return "none, only a lower bound, because points represent several records"
        # twice as much where centers are free: around a member no radius is more than twice as large
        return f"never above {CELLULAR[algorithm] * (1 + free)} times the best possible"
    if free and options["centers"] == "means":
        return (
            "none, because the mean of a cluster can be far from its best center"
            if algorithm == "gather"
            else "none if each center is the mean of its cluster"
        )
    if algorithm == "gather":
        ratio = 2 if single else 6 if free else 3
        return f"never above {ratio} times the best possible{UNSTOPPED if single else ''}"
    if algorithm == "center":
        if not single:
            return (
                "none, only a lower bound, because points represent several records or there are more than "
                f"{SINGLE:,} points"
            )
        return f"never above 2 times the best possible{UNSTOPPED}"
    if algorithm == "center-outliers" and len(space) > MOST_PLACES:
        return f"none, only a lower bound, because there are more than {MOST_PLACES:,} points"
    return f"never above {3 if algorithm == 'gather-outliers' and not free else 4} times the best possible"
