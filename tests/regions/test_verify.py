from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from tests.corruption import corrupted, failed
from tests.regions.graphs import grid


@pytest.fixture(scope="module")
def regions():
    return kanon.Regions(range(36), np.random.default_rng(3).integers(0, 20, 36), grid(6, 6))


@pytest.fixture(scope="module")
def good(regions):
    return kanon.generalize(regions, 40, "tree-split")


def test_every_spoilt_field_is_caught(regions, good):
    for name, spoilt in corrupted(good):
        assert failed(regions, spoilt), name


def spoil_digest_too(g, **fields):
    return replace(g, **fields).sealed()


def test_spoilt_claims_are_caught_even_when_sealed_again(regions, good):
    moved = good.assignment.copy()
    moved[0] = (moved[0] + 1) % good.classes
    cases = {
        "class weights": spoil_digest_too(good, assignment=moved),
        "cost": spoil_digest_too(good, cost=good.cost + 1),
        "bound witness": spoil_digest_too(good, lower_bound=good.lower_bound + 1),
        "guarantee formula": spoil_digest_too(good, guarantee=good.guarantee - 1),
        "tree degree": spoil_digest_too(good, details=replace(good.details, degree=good.details.degree + 1)),
        "cut edges": spoil_digest_too(good, details=replace(good.details, cut_edges=good.details.cut_edges[1:])),
        "spanning tree": spoil_digest_too(good, details=replace(good.details, tree=good.details.tree[1:])),
        "status": spoil_digest_too(good, status="stopped" if good.status == "optimal" else "optimal"),
    }
    for check, spoilt in cases.items():
        assert failed(regions, spoilt) == check


def test_classes_that_fall_apart_are_caught(regions, good):
    two = np.full(36, 0, dtype=np.int32)
    two[[0, 35]] = 1
    sums = np.array([regions.weights[two == c].sum() for c in (0, 1)])
    spoilt = replace(good, assignment=two, class_weights=sums, k=1, cost=int(sums.max())).sealed()
    with pytest.raises(kanon.CertificateError, match="connectivity"):
        kanon.verify(regions, spoilt)


def test_another_instance_is_caught(regions, good):
    other = kanon.Regions(regions.ids, np.roll(regions.weights, 1), regions.edges)
    with pytest.raises(kanon.CertificateError, match="instance"):
        kanon.verify(other, good)
