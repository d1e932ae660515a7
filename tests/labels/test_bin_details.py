"""Results with `BinDetails`: they pass, and any corruption is refused."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from tests.corruption import corrupted

COUNTS = [5, 6, 9, 5, 9, 1, 3, 1, 7, 7]
NAMES = ["five-halves", "two-approximation", "scheme", "relaxed-scheme"]


@pytest.fixture(params=NAMES)
def result(request):
    labels = kanon.Labels([f"label {place}" for place in range(len(COUNTS))], COUNTS)
    return labels, kanon.generalize(labels, 10, request.param)


def test_good_results_pass_and_read_back(result):
    labels, g = result
    names = {check.name for check in kanon.verify(labels, g).checks}
    assert {"packing order", "order of bins", "threshold", "guarantee formula", "bound witness"} <= names
    assert kanon.Generalization.from_json(g.to_json()).digest == g.digest


def test_every_spoilt_field_is_refused(result):
    labels, g = result
    for name, bad in corrupted(g):
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, bad)
        if name in ("seed", "seconds", "reading", "digest") or getattr(bad.details, "method", "") not in (
            "",
            g.details.method,
        ):
            continue  # nothing else in the result tells them
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, bad.sealed())


def test_the_order_and_the_guarantee_are_checked(result):
    labels, g = result
    reversed_order = replace(g.details, order=g.details.order[::-1].copy())
    twice = replace(g.details, order=np.zeros_like(g.details.order))
    for bad in (
        replace(g, details=reversed_order),
        replace(g, details=twice),
        replace(g, guarantee=g.guarantee + 1),
        replace(g, guarantee=None),
    ):
        with pytest.raises(kanon.CertificateError, match="order|guarantee formula"):
            kanon.verify(labels, bad.sealed())
