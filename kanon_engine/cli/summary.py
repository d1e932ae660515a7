"""The figures of a result: as aligned lines for a person, as JSON for a program."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import typer

from kanon_engine.cli.flags import flag_name
from kanon_engine.generalize import Certificate
from kanon_engine.io.counts import ROWS
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import demand_words, demands_in
from kanon_engine.model.words import number_text, option_text, times_k
from kanon_engine.release.publication import audit_of
from kanon_engine.tables.instance import Table

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.release.audit import Audit

NOT_ANONYMOUS = "NOT k-anonymous: groups may be smaller than k, and no release can be made from this result."
MOST_FINDINGS = 5
STATUS = {
    "optimal": "optimal: cost and lower bound are equal",
    "feasible": "feasible: a lower cost may be possible",
    "stopped": "stopped: the search was stopped early, and this is the best result that it had found",
    "relaxed": "relaxed: groups may be smaller than k",
}
UNFOLDED = 1_000_000  # columns of a page on which no line is wrapped


class Format(StrEnum):
    """The output format of figures."""

    TABLE = "table"
    JSON = "json"


def figures(instance: Any, g: Generalization, certificate: Certificate) -> dict[str, Any]:
    """The claims of a result as JSON values; no single items and no single classes."""
    return {
        "family": g.family,
        "algorithm": g.algorithm,
        "options": dict(g.options),
        "seed": g.seed,
        "k": g.k,
        "unit": instance.unit,
        "items": len(instance),
        "total": instance.total,
        "classes": g.classes,
        "smallest": int(g.class_weights.min()),
        "largest": int(g.class_weights.max()),
        "left_out": int(instance.total) - int(g.class_weights.sum()),
        "cost": g.cost,
        "overfull_ratio": g.overfull_ratio,
        "lower_bound": g.lower_bound,
        "bound_name": g.bound_name,
        "bound_kind": g.bound_kind,
        "proof": certificate.proof,
        "gap": None if math.isinf(g.gap) else g.gap,
        "guarantee": g.guarantee,
        "promise": FAMILIES[g.family].promised(instance, g),
        "status": g.status,
        "seconds": g.seconds,
        "digest": g.digest,
        "checks": [check.name for check in certificate.checks],
        "hierarchies": list(getattr(instance, "trees", ())),
        "required": [demand_words(one) for one in demands_in(g.require)],
        "kept": list(g.reading.get("keep") or ()),
        "not_released": not_released(instance, g),
        "counted": counted_line(instance),
        "notes": list(instance.notes),
        "audit": None if (audit := audit_of(instance, g)) is None else audit_figures(audit),
    }


def not_released(instance: Any, g: Generalization) -> list[str]:
    """The columns of a table's file that are not released."""
    if not isinstance(instance, Table):
        return []
    visible = {*instance.quasi_identifiers, *(g.reading.get("keep") or ())}
    return [*(name for name in instance.frame.columns if name not in visible), *instance.left_out]


def audit_figures(audit: Audit) -> dict[str, Any]:
    """What records reveal, worst first."""
    rows = audit.to_frame().to_dict(orient="records")
    return {"sentence": audit.sentence, "digest": audit.digest, **audit.figures(), "findings": rows}


def audit_lines(content: dict[str, Any], most: int) -> list[str]:
    """The first findings as lines, each with its fix."""
    findings = content["findings"]
    lines = [
        f"- {one['severity']}: {one['what']}" + (f" Fix: {one['remedy']}." if one["remedy"] else "")
        for one in findings[:most]
    ]
    if len(findings) > most:
        lines.append(f"- and {len(findings) - most:,} more; “kanon audit” lists all.")
    return lines


def counted_line(instance: Any) -> str | None:
    """What was counted, and the flag that changes it; None if the data did not come from a file."""
    counting = instance.counted
    if counting is None:
        return None
    flags = [f"{flag_name(counting.parameter)} COLUMN"] if {*counting.choices} - {ROWS} else []
    flags += ["--per-record"] if ROWS in counting.choices else []
    change = f" (change: {' or '.join(flags)})" if flags else ""
    return f"{counting.words}{change}" + (f". {counting.doubt}" if counting.doubt else "")


def summary_text(content: dict[str, Any]) -> str:
    """The figures as lines."""
    unit = content["unit"]
    family = FAMILIES[content["family"]]
    objective = family.objective(content["algorithm"], content["options"])
    items = "rows" if family.name == "tables" and content["items"] < content["total"] else family.items
    suffix = f" {objective.unit(unit)}".rstrip()
    solver = "" if content["proof"] == "checked" else ", reported by the solver"
    options = ", ".join(
        f"{name} {option_text(value)}" for name, value in content["options"].items() if value is not None
    )
    rows = {
        "data": f"{content['items']:,} {items}" + ("" if items == unit else f", {content['total']:,} {unit}"),
        "counted": content["counted"] or "",
        "algorithm": content["algorithm"] + (f" ({options})" if options else "") + f", seed {content['seed']}",
        "k": f"{content['k']:,}",
        "groups": f"{content['classes']:,}",
        "smallest group": f"{content['smallest']:,} {unit}",
        "largest group": f"{content['largest']:,} {unit}",
        "every group has": "; ".join(content["required"]),
        "overfull ratio": times_k(content["overfull_ratio"]),
        "left out": f"{content['left_out']:,} {unit}",
        "released unchanged": ", ".join(content["kept"]) or "no column",
        "not released": ", ".join(content["not_released"]),
        "cost": f"{number_text(content['cost'])} ({objective.noun})",
        "lower bound": f"{number_text(content['lower_bound'])}{suffix}{solver}: {family.bounds[content['bound_name']]}",
        "gap": gap_words(content),
        "guarantee": content["promise"],
        "status": STATUS[content["status"]],
        "certificate": f"passed, {len(content['checks'])} checks"
        + ("; the lower bound was not checked" if solver else ""),
        "time": f"{content['seconds']:.2f} s",
    }
    if objective.is_largest_class:
        del rows["left out"], rows["cost"]
    if not family.releases_records:
        del rows["released unchanged"]
    for name in ("counted", "every group has", "not released"):
        if not rows[name]:
            del rows[name]
    lines = [columns(rows.items())]
    smaller = content.get("smaller_k")
    if smaller:  # with the flags that make it
        usual = {one.name: one.default for one in family.algorithm(smaller["algorithm"]).options}
        changed = [f" {flag_name(name)} {value}" for name, value in smaller["options"].items() if value != usual[name]]
        flags = f"-k {smaller['k']} --algorithm {smaller['algorithm']}{''.join(changed)} --seed {smaller['seed']}"
        lines += ["", f"{smaller['words']} ({flags})"]
    if content["status"] == "relaxed":
        lines += ["", typer.style(NOT_ANONYMOUS, fg=typer.colors.RED, bold=True)]
    if content["audit"]:
        lines += ["", content["audit"]["sentence"], *audit_lines(content["audit"], MOST_FINDINGS)]
    if content["notes"]:
        lines += ["", "How the file was read:", *(f"- {note}" for note in content["notes"])]
    return "\n".join(lines)


def gap_words(content: dict[str, Any]) -> str:
    """How far the cost is from the best possible, who says so, and among which solutions.

    >>> gap_words({"family": "labels", "algorithm": "exact", "status": "optimal", "proof": "solver", "gap": 0.0})
    '0 %, best possible (reported by the solver, not re-checked)'
    >>> gap_words({"family": "tables", "algorithm": "hill-climb", "status": "feasible", "gap": 0.0241})
    'at most 2.5 % among cuts of whole columns'
    """
    among = FAMILIES[content["family"]].makers[content["algorithm"]].among
    among = f" {among}" if among else ""
    if among and content.get("hierarchies") and content["algorithm"] != "cell-suppression":
        among += ", along their hierarchies"
    if among and content.get("required"):
        among += ", under the requirements"
    if content["status"] == "optimal":
        words = (
            "proven best possible"
            if content["proof"] == "checked"
            else "best possible (reported by the solver, not re-checked)"
        )
        return f"0 %, {words}" + among
    gap = content["gap"]  # rounded up, so that it never looks better than it is
    return f"{'not known' if gap is None else f'at most {math.ceil(gap * 1000 - 1e-9) / 10:,.1f} %'}{among}"


def columns(rows: Iterable[Sequence[str]], header: Sequence[str] = (), right: Collection[int] = ()) -> str:
    """A plain table; the columns in `right` hold numbers.

    On a terminal long text is wrapped within its column. In a pipe or a file every row is one complete line.

    >>> print(columns([["fold", "1,240"], ["near-optimal", "980"]], ["algorithm", "cost"], {1}))
    algorithm      cost
    fold          1,240
    near-optimal    980
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    lines = [header, *rows] if header else list(rows)
    table = Table.grid(padding=(0, 2, 0, 0))
    for place, cells in enumerate(zip(*lines, strict=True)):
        if place in right:
            table.add_column(justify="right", no_wrap=True, min_width=max(map(cell_len, cells)))
        else:
            table.add_column(overflow="fold")
    for line in lines:
        table.add_row(*map(Text, line))
    console = Console(width=UNFOLDED, color_system=None)
    if sys.stdout.isatty():
        least = Measurement.get(console, console.options, table).minimum
        console.width = max(least, get_terminal_size().columns)
    with console.capture() as captured:
        console.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def as_json(content: Any) -> str:
    """Readable JSON; non-ASCII letters are not escaped."""
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def records_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a frame as plain values, None where a figure is missing."""
    return frame.astype(object).where(frame.notna(), None).to_dict(orient="records")  # type: ignore[return-value]


def table_of(rows: Iterable[Mapping[str, Any]], layout: Mapping[str, tuple[str, str]]) -> str:
    """A plain table of these figures.

    Parameters
    ----------
    layout : Name of a figure → its title, and its `format` specification; "" for text, which is aligned left.

    >>> print(table_of([{"k": 1000, "gap": None}, {"k": 5, "gap": 0.25}], {"k": ("k", ","), "gap": ("gap", ".1f")}))
        k  gap
    1,000
        5  0.2
    """
    lines = [
        ["" if row[name] is None else format(row[name], form) for name, (_, form) in layout.items()] for row in rows
    ]
    right = [place for place, (_, form) in enumerate(layout.values()) if form]
    return columns(lines, [title for title, _ in layout.values()], right)
