"""Packages in a review: one that is reviewed as it is, and those that were published before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.project.recipe import Leaving, package_of
from kanon_engine.release.formats import unpacked
from kanon_engine.risk.attacks.knowledge import Knowledge
from kanon_engine.risk.attacks.published import Published


def leaving_of(publication: Any) -> Leaving:
    """What was decided of a package, as recipes say it."""
    said = {
        "date": publication.date.isoformat(),
        "title": publication.title,
        "source": publication.source,
        "named_after": publication.named_after,
        "rates": [f"{above}/{below}" for above, below in publication.rates],
    }
    return Leaving(
        keep=tuple(publication.carry),
        codes_are_public=publication.codes_are_public,
        package={name: value for name, value in said.items() if value},
        given=tuple(publication.given),
    )


def reviewed(
    instance: Any, g: Generalization, content: bytes, called: str
) -> tuple[Leaving, dict[str, bytes], tuple[str, ...]]:
    """What was decided of a published package, its files, and which of them this kanon would write in other bytes.

    Raises
    ------
    InvalidInput
        It is no package of kanon, or not of these data.
    CertificateError
        A table in it is not what the result says.
    """
    package, files = package_of(family_named(g.family)), unpacked(content, called)
    publication = package.read(instance, g, files)
    same = package.compared(instance, g, files, publication)
    return leaving_of(publication), files, tuple(name for name in files if not same[name])


def with_earlier(knowledge: Knowledge, instance: Any, g: Generalization, content: bytes, called: str) -> Knowledge:
    """What attackers have, with a package of the same items that was published before.

    Raises
    ------
    InvalidInput
        It is no package of kanon, does not say which items its groups hold, or counts others.
    """
    package = package_of(family_named(g.family))
    classes, released = package.earlier(instance, unpacked(content, called), called)
    return replace(
        knowledge,
        totals=(*knowledge.totals, Published(called, classes)),
        others=(*knowledge.others, released),
    )
