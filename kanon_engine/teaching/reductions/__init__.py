"""Why the problems are hard: the papers' reductions as constructions that run both ways and can be broken.

`REDUCTIONS` holds them by name; listing them loads no solver and no picture.
"""

from kanon_engine.errors import InvalidInput
from kanon_engine.teaching.reductions import bins, cells, corridors, gathering, paths, suppression
from kanon_engine.teaching.reductions.model import Reduction

REDUCTIONS: dict[str, Reduction] = {
    reduction.name: reduction
    for reduction in (
        paths.TO_PATHS,
        paths.TO_PLANAR_PATHS,
        paths.TO_REGIONS,
        corridors.TO_RECTANGLES,
        corridors.TO_RTILE,
        bins.TO_EXACT_GROUPS,
        bins.TO_FAR_APART,
        bins.TO_TWO_BINS,
        suppression.TO_TABLE,
        gathering.TO_CLUSTERS,
        cells.TO_CELLS,
    )
}


def reduction_named(name: str) -> Reduction:
    """The reduction of this name, or `InvalidInput` with a list.

    >>> reduction_named("matching-to-paths").family
    'regions'
    """
    if not isinstance(name, str) or name not in REDUCTIONS:
        raise InvalidInput(f"There is no reduction {name!r}; choose one of {', '.join(REDUCTIONS)}.")
    return REDUCTIONS[name]
