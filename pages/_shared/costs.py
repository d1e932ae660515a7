"""What results cost, in words."""

from __future__ import annotations

import kanon_engine as kanon
from kanon_engine.model.known import family_named
from kanon_engine.model.objective import Objective
from pages._shared.results import Choice


def objective_of(g: kanon.Generalization) -> Objective:
    """What the run made small."""
    return family_named(g.family).objective(g.algorithm, g.options)


def objective_of_choice(choice: Choice) -> Objective:
    """What a run makes small."""
    return family_named(choice.algorithm.family).objective(choice.algorithm.name, dict(choice.options))
