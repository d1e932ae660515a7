"""Ways to change a program: those of Cosmic Ray, and two that checks need, which consist of conjunctions and yields."""

from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider

NEED_ARGUMENTS = {"VariableReplacer", "VariableInserter"}


class DropOperand(Operator):
    """`a and b and c` without one of the three; the same of `or`."""

    def mutation_positions(self, node):
        if node.type in ("and_test", "or_test"):
            for operand in node.children[::2]:
                yield operand.start_pos, operand.end_pos

    def mutate(self, node, index):
        first = max(2 * index - 1, 0)
        del node.children[first : first + 2]
        return node

    @classmethod
    def examples(cls):
        return ()


class DropStatement(Operator):
    """`pass` in place of a statement other than a definition, an import or the first binding of a name."""

    def mutation_positions(self, node):
        if node.type == "simple_stmt" and _acts(node.children[0]):
            yield node.children[0].start_pos, node.children[0].end_pos

    def mutate(self, node, index):
        statement = node.children[0]
        leaf = statement.get_first_leaf()
        leaf.prefix, leaf.value = leaf.prefix, "pass"
        leaf.parent = node
        node.children[0] = leaf
        return node

    @classmethod
    def examples(cls):
        return ()


def _acts(statement):
    if statement.type in ("yield_expr", "return_stmt", "raise_stmt", "atom_expr", "del_stmt"):
        return True
    if statement.type == "keyword":
        return statement.value in ("return", "raise", "yield")
    if statement.type != "expr_stmt":
        return False
    augmented = statement.children[1].get_first_leaf().value not in ("=", ":")
    into_a_part = statement.children[0].type in ("atom_expr", "power")
    return augmented or into_a_part


def operators():
    """Every operator by its name."""
    provider = OperatorProvider()
    known = {name: provider[name] for name in provider if name not in NEED_ARGUMENTS}
    return known | {"DropOperand": DropOperand, "DropStatement": DropStatement}
