"""The solver's three answers, that the seed and the effort decide alone, and that a run can stop it."""

import subprocess
import sys
from time import perf_counter

import numpy as np
import pytest
from ortools.sat.python import cp_model

from kanon_engine.search import solvers
from kanon_engine.search.solvers import solved, solver_for


def always():
    return True


def pigeons(holes):
    """One pigeon more than holes, at most one in each, written so that the solver has to search for long."""
    model = cp_model.CpModel()
    sits = [[model.new_bool_var("") for _ in range(holes)] for _ in range(holes + 1)]
    for pigeon in sits:
        model.add_bool_or(pigeon)
    for hole in zip(*sits, strict=True):
        for place, one in enumerate(hole):
            for other in hole[:place]:
                model.add_bool_or(one.negated(), other.negated())
    return model


def knapsack(items=60):
    """A maximum that is not found at once."""
    weights = np.random.default_rng(0).integers(10**6, 2 * 10**6, items).tolist()
    model = cp_model.CpModel()
    taken = [model.new_bool_var("") for _ in weights]
    for part in range(5):
        mine = np.random.default_rng(part + 1).permutation(weights).tolist()
        load = sum(weight * x for weight, x in zip(mine, taken, strict=True))
        model.add(load <= sum(weights) // 3 + part)
    model.maximize(sum(weight * x for weight, x in zip(weights, taken, strict=True)))
    return model, taken


def test_found_and_impossible():
    model = cp_model.CpModel()
    x = model.new_int_var(0, 9, "")
    model.add(x >= 7)
    solver = solver_for(0)
    assert solved(solver, model, always) == "found"
    assert solver.value(x) >= 7
    model.add(x <= 6)
    assert solved(solver_for(0), model, always) == "impossible"


def test_used_up_effort_leaves_it_open():
    solver = solver_for(0, 1e-3)
    assert solved(solver, pigeons(40), always) == "open"
    assert solver.deterministic_time < 1


def test_the_best_so_far_is_found_too_and_is_the_same_again():
    answers = []
    for _ in range(2):
        model, taken = knapsack()
        solver = solver_for(2**40 + 3, 0.05)
        assert solved(solver, model, always) == "found"
        assert solver.best_objective_bound > solver.objective_value
        answers.append(([solver.value(x) for x in taken], solver.deterministic_time))
    assert answers[0] == answers[1]


def test_a_seed_of_any_size_is_taken():
    seeds = [solver_for(seed).parameters.random_seed for seed in (0, 2**30 - 1, 2**30, 2**64 + 5)]
    assert seeds == [0, 2**30 - 1, 0, 5]


def test_it_stops_when_it_is_told(monkeypatch):
    monkeypatch.setattr(solvers, "POLL", 0.01)
    asked = []

    def thrice():
        asked.append(True)
        return len(asked) < 3

    assert solved(solver_for(0), pigeons(40), thrice) == "open"
    assert len(asked) >= 3


def test_it_stops_when_the_listener_fails(monkeypatch):
    """As a page does that was left; the solver does not go on behind its back."""
    monkeypatch.setattr(solvers, "POLL", 0.01)
    solver = solver_for(0, 1000.0)

    def left():
        if perf_counter() > begin + 0.1:  # the search has begun by then
            raise KeyError("left")
        return True

    begin = perf_counter()
    with pytest.raises(KeyError, match="left"):
        solved(solver, pigeons(40), left)
    assert solver.deterministic_time < 1000


def test_an_error_of_the_solver_comes_through():
    with pytest.raises(AttributeError):
        solved(solver_for(0), None, always)


def test_solutions_are_told():
    told = []

    class Listener(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            told.append(self.objective_value)

    model, _ = knapsack(12)
    solver = solver_for(0)
    assert solved(solver, model, always, Listener()) == "found"
    assert told[-1] == solver.objective_value == max(told)


def test_the_engine_does_not_import_the_solver_before_it_is_needed():
    program = "import sys, kanon_engine; sys.exit('ortools' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
