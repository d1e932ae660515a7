"""Packages of areas in a review: the one that is published, and those that were published before."""

from __future__ import annotations

import streamlit as st

from kanon_engine.model.known import family_named
from pages._shared.reviewable import Reviewable
from pages._shared.upload import choose_upload

PUBLISHED, EARLIER = "review_package", "review_earlier_{}"
HELP = "The zip that the tab “Publish” made. It stays on this machine."
MOST = 9  # packages published before
Upload = tuple[str, bytes]


def choose_packages(chosen: Reviewable) -> tuple[Upload | None, list[Upload]]:
    """The package that is reviewed as it is, and those that were published before, each with its name."""
    family = family_named(chosen.g.family)
    if family.release is None or family.release.package is None:
        st.caption(f"There is no package of {family.items}.")
        return None, []
    st.caption("Upload a package to review exactly its files, together with packages that were published before.")
    published = choose_upload("The package that is published", ("zip",), PUBLISHED, HELP)
    earlier: list[Upload] = []
    for number in range(MOST):
        one = choose_upload("A package that was published before", ("zip",), EARLIER.format(number), HELP)
        if one is None:
            break
        earlier.append(one)
    return published, earlier
