"""What a person says of a release in a file: its context, what was decided, and facts that stated rules ask."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.project.context import Context, Decision, context_from, decision_from
from kanon_engine.risk.rules.facts import Facts, facts_from
from kanon_engine.validate import told

MOST = 1_000_000  # bytes


def context_and_facts(path: Path | None) -> tuple[Context, Facts, Decision | None]:
    """From a .toml: the entries of a context, or these under [context], [facts] and [decision]; so has a project file.

    Raises
    ------
    InvalidInput
        It cannot be read, or says what means nothing.
    """
    if path is None:
        return Context(), Facts(), None
    said = _parsed(path)
    facts, decision = said.pop("facts", {}), said.pop("decision", {})
    if "kanon" in said:  # a project file, which says much else
        said = {"context": said.get("context", {})}
    context = said.pop("context", None)
    if context is None:
        context, said = said, {}
    if said:
        raise InvalidInput(
            f"{path.name} has {told(next(iter(said)))} beside [context], [facts] and [decision], which means "
            "nothing; put it under one of them, or leave it out."
        )
    if not isinstance(facts, dict):
        raise InvalidInput(f"{path.name} says facts = {told(facts)}, which must be a table [facts].")
    return context_from(context), facts_from(facts), decision_from(decision)


def _parsed(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise InvalidInput(f"There is no file {path}.")
    with path.open("rb") as opened:
        content = opened.read(MOST + 1)
    if len(content) > MOST:
        raise InvalidInput(f"{path.name} has more than {MOST:,} bytes, which no context has; choose another.")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path.name} is broken TOML ({error}); correct it.") from error
