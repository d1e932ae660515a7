"""Areas with record counts and their borders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput, Remedy
from kanon_engine.io.counts import Counted
from kanon_engine.model.serialize import content_digest
from kanon_engine.model.wishes import (
    checked_sets,
    conflict_pairs,
    large_clique,
    merged_numbers,
    parts_of,
    require_no_contradiction,
    require_room,
    sums_of,
)
from kanon_engine.model.words import cell_text
from kanon_engine.shown import Shown
from kanon_engine.validate import frozen, length_of, require_total, second_counts, unique_ids, whole_numbers

if TYPE_CHECKING:
    import geopandas
    import networkx


WISHES = {"together": ("together", 2), "apart": ("apart", 2), "barriers": ("inside a barrier", 1)}
"""How sentences refer to the areas of a set, and how many it must hold."""


@dataclass(frozen=True)
class TreeDetails:
    """How a spanning forest was cut."""

    tree: np.ndarray  # (n - components, 2) int32: edges of the spanning forest, as positions
    degree: int  # its largest degree d
    cut_edges: np.ndarray  # (classes - components, 2) int32: the tree edges that were removed, in the order of removal
    added_edges: np.ndarray  # (a, 2) int32: the part of the instance's edges that joined separate parts
    heuristic: str  # how the tree was found, in words
    # what is proven of the tree's degree, in words; empty if the classes were not made by cutting it
    theorem: str = ""


@dataclass(frozen=True)
class CrossingDetails(TreeDetails):
    """The same on a map with barriers."""

    # (j, 2) int32: neighbors on both sides of a barrier, where classes may cross it because the first could not form
    # classes otherwise. See `kanon_engine.regions.wishes`
    joined: np.ndarray = field(kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Regions(Shown):
    """A graph of areas with whole, non-negative weights (Du et al. 2009, section 2).

    Parameters
    ----------
    ids : (n,) text or whole numbers, unique
    weights : (n,) whole numbers >= 0. Records in each area.
    edges : (e, 2) positions. Pairs of areas that border each other; order and repetition do not matter.
    geometry : GeoSeries, optional. The n shapes, for pictures and exports.
    columns : mapping of str to (n,) whole numbers >= 0, optional
        Other counts in each area, such as households, for `Minimum`.
    together : sets of ids. The areas of each set stay in one class; sets that share an area become one.
    apart : sets of ids. No two areas of a set may share a class.
    barriers : sets of ids
        No class holds areas from inside and from outside of a set, such as a county, unless it must; see
        `kanon_engine.regions.wishes`.
    unit : str. What the weights count.
    names : (n,) text, optional. Names of the areas.
    counties : (n,) text, optional
        The county, or another larger unit, that each area is in; "" if unknown.
    added_edges : (a, 2) positions, optional. The part of `edges` that joins separate parts and is not a common border.
    notes : tuple of str. How the data was read, and anything unusual.
    reading : mapping. How the data was read, to read it again.
    counted : Counted, optional. What a reader took for the weights.

    Raises
    ------
    InvalidInput
        No areas, duplicate or missing ids, negative, fractional or missing weights, edges that point nowhere, or a set
        with too few areas or an unknown one.

    Notes
    -----
    A graph in several parts is solved part by part; a part lighter than k is `Infeasible`.

    >>> path = Regions(["a", "b", "c"], [1, 2, 3], [(0, 1), (1, 2)], unit="people")
    >>> path.total, len(path), path.components.tolist()
    (6, 3, [0, 0, 0])
    """

    ids: np.ndarray
    weights: np.ndarray
    edges: np.ndarray
    geometry: geopandas.GeoSeries | None = field(default=None, repr=False)
    columns: Mapping[str, np.ndarray] = field(default_factory=dict, kw_only=True, repr=False)
    together: tuple[tuple[Any, ...], ...] = field(default=(), kw_only=True)
    apart: tuple[tuple[Any, ...], ...] = field(default=(), kw_only=True)
    barriers: tuple[tuple[Any, ...], ...] = field(default=(), kw_only=True)
    unit: str = field(default="records", kw_only=True)
    names: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    counties: np.ndarray | None = field(default=None, kw_only=True, repr=False)
    added_edges: np.ndarray = field(default_factory=lambda: np.empty((0, 2), dtype=np.int32), kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict, kw_only=True, repr=False)
    counted: Counted | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        count = length_of(self.weights, "weights")
        if count == 0:
            raise InvalidInput("There are no areas; give at least one.")
        ids = unique_ids(self.ids, count)
        edges = _edges(self.edges, count)
        added = _edges(self.added_edges, count)
        if len(added) and not np.isin(edge_keys(added, count), edge_keys(edges, count)).all():
            raise InvalidInput("An added edge is missing from the list of all edges; put it in both lists.")
        if self.geometry is not None and len(self.geometry) != count:
            raise InvalidInput(f"There are {len(self.geometry)} shapes for {count} areas; give one shape per area.")
        if self.names is not None:
            names = np.array([str(name) for name in self.names], dtype=object)
            if len(names) != count:
                raise InvalidInput(f"There are {len(names)} names for {count} areas; give one name per area.")
            object.__setattr__(self, "names", frozen(names))
        if self.counties is not None:
            counties = [cell_text(county) for county in self.counties]
            if len(counties) != count:
                raise InvalidInput(
                    f"The list of counties has {len(counties)} entries for {count} areas; name each area's county."
                )
            object.__setattr__(self, "counties", frozen(np.array(counties, dtype=object)))
        object.__setattr__(self, "ids", ids)
        places = [f"area {name}" for name in ids]
        object.__setattr__(self, "weights", whole_numbers(self.weights, "weights", 0, places))
        object.__setattr__(self, "columns", second_counts(self.columns, places))
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "added_edges", added)
        for name, (what, least) in WISHES.items():
            object.__setattr__(self, name, checked_sets(getattr(self, name), ids, what, "area", least))

    def _facts(self) -> dict[str, object]:
        return {
            "areas": len(self),
            self.unit: self.total,
            "borders": len(self.edges),
            "shapes": "no" if self.geometry is None else "yes",
        }

    def __len__(self) -> int:
        return len(self.weights)

    @classmethod
    def from_frame(
        cls,
        gdf: geopandas.GeoDataFrame,
        weight: str = "population",
        id: str | None = None,
        contiguity: str = "rook",
        islands: str = "attach",
        *,
        name: str | None = None,
        unit: str = "records",
    ) -> Regions:
        """Areas from a GeoDataFrame of polygons; the parameters are those of `read_regions`."""
        from kanon_engine.regions.area_table import frame_fields

        return cls(**frame_fields(gdf, weight, id, contiguity, islands, name, unit))

    @classmethod
    def from_graph(cls, graph: networkx.Graph, weight: str = "weight", *, unit: str = "records") -> Regions:
        """Areas from a networkx graph whose nodes carry their weight as an attribute."""
        import networkx

        if not isinstance(graph, networkx.Graph):
            raise InvalidInput(f"A {type(graph).__name__} is not a graph; give a networkx.Graph.")
        ids = list(graph.nodes)
        position = {node: place for place, node in enumerate(ids)}
        for node in ids:
            if weight not in graph.nodes[node]:
                raise InvalidInput(f"Node {node!r} has no attribute {weight!r}; give every node its weight.")
        edges = [(position[u], position[v]) for u, v in graph.edges() if u != v]
        labels = [node if isinstance(node, str | int) else str(node) for node in ids]
        return cls(labels, [graph.nodes[node][weight] for node in ids], edges, unit=unit)  # type: ignore[arg-type]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over `parts`."""
        return content_digest(**self.parts)

    @property
    def parts(self) -> dict[str, Any]:
        """Ids, weights and structure, with columns and wishes if there are any; not names, shapes or the file."""
        attributes = ("ids", "weights", "edges", "added_edges", "unit")
        more = {name: value for name in ("columns", "together", "apart", "barriers") if (value := getattr(self, name))}
        return {name: getattr(self, name) for name in attributes} | more

    @cached_property
    def total(self) -> int:
        """Sum of all weights."""
        return int(self.weights.sum())

    @cached_property
    def components(self) -> np.ndarray:
        """(n,) int32: the number of the part that each area lies in, parts numbered by their first area."""
        return frozen(parts_of(self.edges, len(self)))

    @cached_property
    def component_weights(self) -> np.ndarray:
        """(parts,) int64: total weight of each part."""
        return frozen(sums_of(self.weights, self.components))

    def label(self, position: int) -> str:
        """Display name of the area at a position."""
        return str(self.ids[position] if self.names is None else self.names[position])

    def listing(self, positions: Sequence[int]) -> str:
        """Display names of these areas; the first three if there are more.

        >>> path = Regions("abcd", [1, 2, 3, 4], [(0, 1), (1, 2), (2, 3)])
        >>> path.listing([0, 2]), path.listing([0, 1, 2]), path.listing(range(4))
        ('a and c', 'a, b, c', 'a, b, c, …')
        """
        names = [self.label(place) for place in positions]
        return " and ".join(names) if len(names) == 2 else ", ".join(names[:3]) + (", …" if len(names) > 3 else "")

    @property
    def wished(self) -> bool:
        """Whether there are wishes that areas, weights and borders do not express."""
        return bool(self.together or self.apart or self.barriers)

    @cached_property
    def place_of(self) -> dict[Any, int]:
        """The position of each id."""
        return {name: place for place, name in enumerate(self.ids.tolist())}

    def places(self, sets: Iterable[Iterable[Any]]) -> list[list[int]]:
        """Sets of ids as lists of positions."""
        return [[self.place_of[name] for name in members] for members in sets]

    @cached_property
    def bundles(self) -> np.ndarray:
        """(n,) int64: the number of the areas that each one stays together with, numbered by their first area."""
        return frozen(merged_numbers(len(self), self.places(self.together)))

    @cached_property
    def heaviest(self) -> int:
        """The largest weight of areas that stay together, or of one area."""
        return int(np.bincount(self.bundles, self.weights).max())  # exact: totals stay below 2^53

    def require_feasible(self, k: int) -> None:
        """Raise `Infeasible` if a part weighs less than k, or if wishes contradict each other.

        Without wishes, every part can then be one class.
        """
        require_total(self.total, k, self.unit)
        light = np.flatnonzero(self.component_weights < k)
        if len(light):
            part = int(light[0])
            members = np.flatnonzero(self.components == part)
            weight = int(self.component_weights[part])
            what = (
                f"{self.label(members[0])} has {weight:,} {self.unit} and no neighbor"
                if len(members) == 1
                else f"The {len(members):,} areas around {self.label(members[np.argmax(self.weights[members])])} have "
                f"{weight:,} {self.unit} and border no other area"
            )
            others = f" ({len(light) - 1:,} more parts are also too light)" if len(light) > 1 else ""
            least = int(self.component_weights.min())
            them, their = ("it", "its") if len(members) == 1 else ("them", "their")
            join = Remedy(f"join {them} to another area by an edge")
            if self.geometry is not None and self.reading.get("islands") == "separate":
                join = Remedy(f"attach {them} to {their} nearest neighbor", "islands", "attach")
            ways = (join, Remedy(f"lower k to {least:,}")) if least else (join,)
            raise Infeasible(f"{what}: {weight:,} < k = {k:,}{others}", parameter="k", value=k, remedy=ways)
        if self.together or self.apart:
            self._require_possible_wishes(k)

    def _require_possible_wishes(self, k: int) -> None:
        for members in self.together:
            first, *others = (self.place_of[name] for name in members)
            far = next((place for place in others if self.components[place] != self.components[first]), None)
            if far is not None:
                raise Infeasible(
                    f"{self.label(first)} and {self.label(far)} must stay together, but no chain of neighbors connects "
                    "them; remove that rule, or join separate parts."
                )
        bundle_of = {name: int(bundle) for name, bundle in zip(self.ids.tolist(), self.bundles.tolist(), strict=True)}
        require_no_contradiction(self.apart, bundle_of)
        self._require_company(k, bundle_of)
        for clique, weight in self._cliques:
            require_room(clique, weight, k, ("areas", self.unit))

    @cached_property
    def _cliques(self) -> list[tuple[list[str], int]]:
        """Areas of a part that must all be kept apart, by label, and the weight of that part, if there are any."""
        conflicts = conflict_pairs([int(self.bundles[place]) for place in rivals] for rivals in self.places(self.apart))
        cliques = []
        for part in np.unique(
            self.components[[place for rivals in self.places(self.apart) for place in rivals]]
        ).tolist():
            members = np.flatnonzero(self.components == part)
            bundles, firsts = np.unique(self.bundles[members], return_index=True)
            number = {int(bundle): place for place, bundle in enumerate(bundles)}
            inside = [(number[one], number[other]) for one, other in conflicts if {one, other} <= number.keys()]
            clique = large_clique(len(bundles), inside)
            cliques.append(
                ([self.label(members[firsts[place]]) for place in clique], int(self.component_weights[part]))
            )
        return cliques

    def _require_company(self, k: int, bundle_of: Mapping[Any, int]) -> None:
        """Raise `Infeasible` if areas kept apart enclose one of them, so that what it can reach weighs less than k."""
        bundles = self.bundles
        rivals: dict[int, set[int]] = {}
        for one, other in conflict_pairs([bundle_of[name] for name in members] for members in self.apart):
            rivals.setdefault(one, set()).add(other)
            rivals.setdefault(other, set()).add(one)
        weights = np.bincount(bundles, self.weights)
        ends = bundles[self.edges]
        for bundle, others in rivals.items():
            barred = np.zeros(len(weights), dtype=bool)
            barred[list(others)] = True
            reach = parts_of(ends[~barred[ends].any(axis=1)], len(weights))
            company = int(weights[reach == reach[bundle]].sum())
            if company < k:
                raise Infeasible(
                    f"{self.label(int(np.argmax(bundles == bundle)))} and all areas that can share its group have a "
                    f"total of {company:,} {self.unit}, fewer than k = {k:,}; lower k to {company:,} or less, or keep "
                    "fewer areas apart."
                )


def _edges(edges: Any, count: int) -> np.ndarray:
    """Sorted, unique (e, 2) int32 pairs with the smaller position first."""
    try:
        array = np.asarray(edges if len(edges) else np.empty((0, 2)))
        pairs = array.astype(np.int64)
        good = array.ndim == 2 and array.shape[1] == 2 and bool((pairs == array).all())
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InvalidInput("Each edge must be a pair of area numbers; give an array of whole numbers with two columns.")
    outside = (pairs < 0) | (pairs >= count)
    if outside.any():
        bad = int(np.flatnonzero(outside.any(axis=1))[0])
        raise InvalidInput(
            f"Edge {bad + 1} is {tuple(pairs[bad].tolist())}, but areas are numbered from 0 to {count - 1}."
        )
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if len(loops):
        raise InvalidInput(f"Edge {int(loops[0]) + 1} joins area {int(pairs[loops[0], 0])} to itself; leave it out.")
    keys = np.unique(edge_keys(pairs, count))
    return frozen(np.column_stack([keys // count, keys % count]).astype(np.int32))


def edge_keys(pairs: np.ndarray, count: int) -> np.ndarray:
    """(e,) int64: a number for each pair of `count` positions, the same for both orders."""
    keys: np.ndarray = pairs.min(axis=1).astype(np.int64) * count + pairs.max(axis=1)
    return keys
