"""The numbers in docs/experiments.md that take long: the optima of K-Optimize that leave records out.

python -m pytest tests/benchmarks/test_experiments.py
"""

import pytest

import kanon_engine as kanon
from tests.docs.pages import said
from tests.docs.test_experiments import LEFT_OUT, PAGE, check_optimum
from tests.tables.adult import adult_table


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("k", "metric", "ages"), LEFT_OUT)
def test_optima_with_and_without_records_left_out(k, metric, ages):
    none, some = said(PAGE, LEFT_OUT[k, metric, ages])
    check_optimum(k, metric, ages, 0, none)
    check_optimum(k, metric, ages, None, some)


@pytest.mark.timeout(7200)
def test_the_optimum_of_figure_7b():
    optimum, nodes = said(PAGE, r"finds and proves it, ([\d,]+), in 27 s of one core and ([\d,]+) nodes")
    g = kanon.generalize(adult_table("fine"), 50, "k-optimize", time_limit=1e9)
    assert (g.cost, g.status, g.details.nodes) == (optimum, "optimal", nodes)
