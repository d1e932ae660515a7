"""The verifier's arguments, called by themselves."""

import numpy as np

from kanon_engine.model.known import family_of
from kanon_engine.verification import codec, core, labels, rectangles, regions
from kanon_engine.verification.metric import Space


def read(instance):
    """An instance as the verifier has it."""
    family = family_of(instance)
    return core.instance_of(family.name, family.verifier, codec.from_memory(instance.parts), instance.digest)


def proven(instance, k, name, witness):
    """What the witness proves under this name for classes of at least k; None where it proves nothing."""
    given, family = read(instance), family_of(instance).verifier
    if any(type(place) is not int for place in witness):  # the form of a certificate allows no others
        return None
    if family is labels:
        arguments = labels.items_of(given)[1], k
    elif family is rectangles:
        arguments = rectangles.lines_of(given.parts["xy"]), given.weights.column, k
    else:
        arguments = (area_of(given, k),)
    try:
        return family.BOUNDS[name](*arguments, list(witness))
    except codec.MALFORMED:
        return None


def area_of(given, k, require=()):
    """A map of areas with what every class needs."""
    minima = [(given.columns[one.column].numbers, one.m) for one in require]
    return regions.Map(given.weights.numbers, given.parts["edges"].rows, [(given.weights.numbers, k), *minima])


def lines_of(xy):
    """The lines through points."""
    return rectangles.lines_of(codec.from_memory(np.array(xy, dtype=float)))


def measured(space):
    """A metric space as the verifier has it."""
    given = read(space)
    return Space(given.parts, given.weights)


def better_exists(instance, g):
    """What the look at all solutions says of the bound of a result, as its certificate gives it."""
    family = family_of(instance).verifier
    try:
        return family.better_exists(read(instance), core.result_of(core.read_certificate(g.to_json()), family))
    except core.TooMuch:
        return None
