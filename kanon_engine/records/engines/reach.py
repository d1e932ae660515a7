"""How far DuckDB is with a query: how much of the records it has read."""

from __future__ import annotations

import json

BREAKS = ("GROUP_BY", "AGGREGATE", "ORDER_BY", "TOP_N", "WINDOW", "DISTINCT")  # read on from what they hold


def read_share(plan: str) -> float:
    """The share that DuckDB tells when it has read all that a plan reads.

    Its own share is of the rows that it reads and of those that it makes of them, of both as many as it guesses. As it
    guesses that most rows differ, it calls a count half done when all is read and little is left to do.

    Parameters
    ----------
    plan : str
        As "EXPLAIN (FORMAT json)" gives it.

    Returns
    -------
    float
        Above 0, at most 1; 1 where the plan has joins or rows of which nothing is guessed.

    Example
    -------
    >>> scan = {"name": "READ_CSV ", "children": [], "extra_info": {"Estimated Cardinality": "60"}}
    >>> groups = {"name": "HASH_GROUP_BY", "children": [scan], "extra_info": {"Estimated Cardinality": "40"}}
    >>> read_share(json.dumps([groups]))
    0.6
    """
    read, made = 0, 0
    nodes = json.loads(plan)
    while nodes:
        node = nodes.pop()
        children = node.get("children", [])
        rows = node.get("extra_info", {}).get("Estimated Cardinality", "")
        if len(children) > 1 or (not str(rows).isdecimal() and (not children or _breaks(node))):
            return 1.0
        if not children:
            read += int(rows)
        elif _breaks(node):
            made += int(rows)
        nodes += children
    return read / (read + made) if read else 1.0


def _breaks(node: dict[str, object]) -> bool:
    return any(word in str(node.get("name", "")) for word in BREAKS)
