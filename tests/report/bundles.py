"""A small review and its bundle, with texts in place of the report, so that every byte of it can be changed."""

import io
import zipfile
from dataclasses import replace

import pandas as pd
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import kanon_engine as kanon
from kanon_engine.project import project_of
from kanon_engine.project.context import Context
from kanon_engine.project.manifest import sha256
from kanon_engine.project.recipe import timeless
from kanon_engine.release.released import Released
from kanon_engine.report import bundle as made
from kanon_engine.report.review import Review
from tests.sentences import LIST_OF_FILES

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
DATA = b"name,count\nAda,5\nBo,4\nCy,1\n"


def review(**changes):
    """Of three labels in two groups."""
    labels = kanon.read_labels(DATA, filename="names.csv")
    g = timeless(kanon.generalize(labels, 5, "fold"))
    frame = pd.DataFrame({"group": [1, 2], "weight": [5, 5]})
    given = {
        "context": Context(title="Names", officer="A. Officer"),
        "instance": labels,
        "g": g,
        "certificate": kanon.verify(labels, g),
        "released": Released(frame, ("group",), counts="weight", k=5),
        **dict.fromkeys(("roles", "before", "after", "rulings", "attacks", "utility", "checklist"), ()),
        "digests": {"names.csv": sha256(DATA), "release/groups.csv": "0" * 64},
        "versions": {"kanon": kanon.__version__},
        "files": {"groups.csv": frame.to_csv(index=False).encode()},
    }
    return Review(**given | changes)


def recipe(one, **changes):
    """What makes the result of this review again, as text."""
    made = project_of(one.instance, one.g, "names.csv", {})
    return replace(made, **{"context": one.context} | changes).to_toml()


def with_short_parts(patch):
    """Texts in place of the report, and of the checker."""
    patch.setattr(made, "reports", lambda review: (b"<p>Report</p>", b"%PDF-1.7\n"))
    patch.setattr(made, "checker", lambda: {"check/__main__.py": b"# a checker\n"})


def regions(content):
    """(end, name, whether in the zip's central directory) of each part of a zip, in the order of its bytes."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        entries = file.infolist()
        ends = [*(entry.header_offset for entry in entries[1:]), file.start_dir]
    found = [(end, entry.filename, False) for entry, end in zip(entries, ends, strict=True)]
    for entry in entries:
        ends.append(ends[-1] + 46 + len(entry.filename.encode()))
        found.append((ends[-1], entry.filename, True))
    return [*found, (len(content), LIST_OF_FILES, True)]
