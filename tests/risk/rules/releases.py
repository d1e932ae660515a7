"""Small releases for tests of rules."""

import pandas as pd

from kanon_engine.model.attacked import Attacked
from kanon_engine.release.released import Released
from kanon_engine.risk.rules import Facts, rulings
from kanon_engine.risk.rules.rule import FAILS

NOTHING = Facts()


def records(*sizes, k=2, **more):
    """Records in classes of these sizes."""
    shown = [f"group {number}" for number, size in enumerate(sizes) for _ in range(size)]
    return Released(pd.DataFrame({"shown": shown}), ("shown",), k=k, **more)


def groups(*sizes, k=2, sums=None, **more):
    """Rows of groups with these counts, and sums of second counts."""
    frame = pd.DataFrame({"group": range(1, len(sizes) + 1), "weight": sizes, **(sums or {})})
    return Released(frame, ("group",), k=k, unit="people", counts="weight", sums=tuple(sums or ()), **more)


def with_column(name, values, **more):
    """Records with one column besides the group, which is a quasi-identifier."""
    return Released(pd.DataFrame({name: values}), (name,), **more)


def ruling(release, key, facts=NOTHING, attacks=(), g=None, instance=None):
    (found,) = rulings(release, g, instance, rules=[key], facts=facts, attacks=attacks)
    assert found.step.endswith(".") == (found.verdict == FAILS)  # every rule that does not hold has a next step
    return found


def verdict(release, key, facts=NOTHING, attacks=(), **more):
    return ruling(release, key, facts, attacks, **more).verdict


def attacked(name, verdict, found=0, of=10, evidence=None):
    return Attacked(
        name,
        name.capitalize(),
        "What is known.",
        verdict,
        found,
        of,
        "cells",
        (found / of, found / of),
        f"It exposes {found} of {of} cells.",
        evidence=pd.DataFrame() if evidence is None else evidence,
    )
