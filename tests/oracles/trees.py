"""Hierarchies the plain way: groups as sets of values. Nothing here comes from the engine."""


def nodes_of(rows):
    """All groups that rows (value, level 1, …) make: equal words on a level, and from there up; single values; all."""
    nodes = {frozenset([row[0]]) for row in rows} | {frozenset(row[0] for row in rows)}
    for level in range(1, len(rows[0])):
        for row in rows:
            nodes.add(frozenset(other[0] for other in rows if other[level:] == row[level:]))
    return nodes
