"""Which connected classes exist between two weights: dynamic programming along a frontier of few areas."""

from kanon_engine.regions.frontier.bound import refutation_bound
from kanon_engine.regions.frontier.orders import Order, order_of
from kanon_engine.regions.frontier.refutation import Refutation, refuted, refuted_near
from kanon_engine.regions.frontier.search import Answer, classes_between

__all__ = [
    "Answer",
    "Order",
    "Refutation",
    "classes_between",
    "order_of",
    "refutation_bound",
    "refuted",
    "refuted_near",
]
