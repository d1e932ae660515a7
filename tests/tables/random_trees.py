"""Small random trees for random tables."""

from kanon_engine.model.tree import Tree
from kanon_engine.tables.instance import Table


def random_tree(rng, values):
    """A tree over some values in their order: groups of neighbors, groups of these, up to two times."""
    groups = list(range(len(values)))
    rows = [[value] for value in values]
    for level in range(int(rng.integers(0, 3))):
        place, into = 0, {}
        for group in sorted(set(groups)):
            place += int(rng.random() < 0.5)
            into[group] = place
        groups = [into[group] for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(f"{'abc'[level]} {'ABCDEFGHI'[group]}")
    return Tree.from_levels(rows)


def with_trees(rng, table, share=0.7):
    """The same table, some columns with a tree."""
    trees = {name: random_tree(rng, table.orders[name]) for name in table.quasi_identifiers if rng.random() < share}
    orders = {name: order for name, order in table.orders.items() if name not in trees}
    return Table(table.frame, table.quasi_identifiers, table.class_label, orders, trees=trees)


def node_cuts(tree):
    """Every set of nodes that parts the domain, as sets of cuts: expand a node or not, the plain way."""
    levels = [list(map(int, row)) for row in tree.starts], [list(map(int, row)) for row in tree.ends]

    def parts(level, start, end):
        yield frozenset()
        if level == 0 or start == end:
            return
        children = sorted({(levels[0][level - 1][at], levels[1][level - 1][at]) for at in range(start, end + 1)})
        found = [frozenset(low for low, _ in children[1:])]
        for low, high in children:
            found = [one | more for one in found for more in set(parts(level - 1, low, high))]
        yield from found

    return set(parts(len(levels[0]) - 1, 0, len(tree) - 1))
