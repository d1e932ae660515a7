"""Room for states, which grows when it has to."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.frontier.state_kernels import Layer, Rule, Step, extend, merge

ROOM = 1 << 10  # states that there is room for at first
STEP = 64  # what a step costs besides its states


class Layers:
    """The states after one step, made of those after the step before.

    Parameters
    ----------
    rule : Rule
    width : int
        The most vertices in the frontier.
    chain : int
        How many states none of which is better may be alike but for their larger loads.
    """

    def __init__(self, rule: Rule, width: int, chain: int) -> None:
        self.rule, self.chain = rule, chain
        self.states = np.zeros((1, 2 + 2 * max(width, 1)), dtype=np.int64)
        self.work = 0  # ways to add a vertex, and states that were looked at to merge them
        self._layer = self._with_room(ROOM)
        self._other = self._with_room(ROOM)

    @property
    def origin(self) -> np.ndarray:
        """The state before that each state was made of."""
        return self._layer.origin[: len(self.states)]

    @property
    def choice(self) -> np.ndarray:
        """Which parts around the last vertex each state has joined."""
        return self._layer.choice[: len(self.states)]

    def cost(self, step: Step) -> int:
        """The work of the next step."""
        return (len(self.states) + STEP) << len(step.around)

    def extend(self, step: Step) -> bool:
        """Add a vertex; returns whether no state was left out."""
        self.work += self.cost(step)
        self._layer, self._other = self._other, self._layer
        while True:
            made, whole = extend(self.states, step, self.rule, self.chain, self._layer)
            if made >= 0:
                self.states = self._layer.states[:made]
                return whole
            self._layer = self._with_room(4 * len(self._layer.states))

    def keep(self, chosen: np.ndarray) -> None:
        """Keep some of the states, by their places."""
        states, origin, choice = self.states[chosen], self.origin[chosen], self.choice[chosen]
        self.states = self._layer.states[: len(chosen)]
        self.states[:], self._layer.origin[: len(chosen)], self._layer.choice[: len(chosen)] = states, origin, choice

    def merge(self, limit: int, grain: int) -> bool:
        """Merge states until there are at most `limit`, with grains that double; False where no grain is enough."""
        columns = self.states.shape[1] // 2 - 1
        cells = np.empty((limit, columns), dtype=np.int64)
        if len(self._other.states) < limit:
            self._other = self._with_room(limit)
        while True:
            self.work += len(self.states)
            made = merge(self.states, grain, cells, self._other)
            if made >= 0:
                self._layer, self._other = self._other, self._layer
                self.states = self._layer.states[:made]
                return True
            if grain > self.rule.cap:
                return False
            grain *= 2

    def _with_room(self, room: int) -> Layer:
        origin, choice, follow = (np.empty(room, dtype=np.int64) for _ in range(3))
        heads = np.empty(1 << (2 * room - 1).bit_length(), dtype=np.int64)
        return Layer(np.empty((room, self.states.shape[1]), dtype=np.int64), origin, choice, follow, heads)
