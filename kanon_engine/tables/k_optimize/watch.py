"""Who looks on while K-Optimize searches, so that its run can be told step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from kanon_engine.tables.cuts.node_kernels import Node, Problem
    from kanon_engine.tables.k_optimize.bound_kernels import Pruned
    from kanon_engine.tables.k_optimize.search import Frame, Search


class Watch(Protocol):
    """Is told of each descent and of each node, of searches with one thread."""

    def begins(self, problem: Problem, root: Node, bound: int) -> None:
        """The run begins; no cuts cost less than the bound."""

    def climbed(self, cost: int, suppressed: int, kinds: np.ndarray) -> None:
        """A descent of the hill climber, before the search, ended with these cuts."""

    def began(self, search: Search, root: Frame) -> None:
        """A search begins; its root is not weighed yet."""

    def pruned(self, search: Search, frame: Frame, found: Pruned) -> None:
        """A node was pruned: `frame` is as it is after that, `search.best` what it was pruned by."""

    def opened(self, search: Search, parent: Frame, value: int, child: Frame) -> None:
        """A child with one value more was opened; it is not weighed yet."""
