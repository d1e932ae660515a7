"""A whole review as one signed zip: what may leave, the report, the evidence, and the verifier."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.project.context import Decision
from kanon_engine.project.manifest import Manifest, listed
from kanon_engine.release import crosswalk_frame, require_releasable
from kanon_engine.release.archive import archive
from kanon_engine.release.audited import certificate_text
from kanon_engine.release.spreadsheet import csv_text
from kanon_engine.report.members import LARGEST
from kanon_engine.report.readme import readme
from kanon_engine.report.review import Review
from kanon_engine.report.signing import public_bytes
from kanon_engine.verification.bundle import hex_line

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

README, REPORT, PRINTED = "README.txt", "report.html", "report.pdf"
RELEASE, INTERNAL = "release/", "internal/"
CERTIFICATE, CROSSWALK = f"{INTERNAL}certificate.json", f"{INTERNAL}crosswalk.csv"
DATA, RECIPE = f"{INTERNAL}instance.json", f"{INTERNAL}recipe.toml"
CHECK, MANIFEST, PUBLIC, SIGNATURE = "check/", "manifest.json", "key.pub", "manifest.sig"
LONGEST_NAME = 100


def bundle(
    review: Review,
    *,
    key: Ed25519PrivateKey,
    data: bool = False,
    recipe: str | None = None,
    printed: tuple[bytes, bytes] | None = None,
) -> bytes:
    """A review as a signed zip; the same review and key give the same bytes everywhere.

    The whole zip is internal: only what stands in its folder release/ may leave.

    Parameters
    ----------
    review : Review
    key : Ed25519PrivateKey
        From `kanon_engine.report.signing.signing_key`.
    data : bool
        Whether the data as they were read are in it, so that the checker can check the result against them.
    recipe : str, optional
        The text of the project file that makes the release again.
    printed : pair of bytes, optional
        What `reports` makes of this review, where it is made already.

    Raises
    ------
    InvalidInput
        Nothing may leave of the result, a file of the release has a name that a zip cannot carry everywhere, or the
        zip would be larger than 1,000 MB.
    """
    require_releasable(review.g)
    members = _signed(review, dict(_unsigned(review, data, recipe, printed or reports(review))), key)
    total = sum(map(len, members.values()))
    if total > LARGEST * 0.99:
        raise InvalidInput(
            f"The bundle would have {total // 10**6:,} MB, and may have {LARGEST // 10**6:,}; leave the data out, or "
            f"release fewer files."
        )
    return archive(members, stored=True)


def _unsigned(review: Review, data: bool, recipe: str | None, reported: tuple[bytes, bytes]) -> list[tuple[str, bytes]]:
    """All members but the list, the key and the signature, in their order."""
    page, pdf = reported
    evidence = {
        CERTIFICATE: certificate_text(review.instance, review.g),
        CROSSWALK: crosswalk(review.instance, review.g),
    }
    if data:
        evidence[DATA] = instance_member(review.instance)
    if recipe is not None:
        evidence[RECIPE] = recipe
    for name in review.files:
        require_fit_name(name, review.files)
    names = [*(f"{RELEASE}{name}" for name in review.files), *evidence]
    return [
        (README, readme(review.g, review.context.title, next(iter(review.inputs), ""), names).encode()),
        (REPORT, page),
        (PRINTED, pdf),
        *((f"{RELEASE}{name}", content) for name, content in review.files.items()),
        *((name, text.encode()) for name, text in evidence.items()),
        *checker().items(),
    ]


def _signed(review: Review, members: dict[str, bytes], key: Ed25519PrivateKey) -> dict[str, bytes]:
    public = hex_line(public_bytes(key))
    manifest = Manifest(
        {name: listed(content) for name, content in (*members.items(), (PUBLIC, public))},
        review.inputs,
        review.g.digest,
        review.g.instance_digest,
        dict(review.versions),
        asdict(review.context) | decided(review.decision),
        read_as(review),
    ).text.encode()
    return members | {MANIFEST: manifest, PUBLIC: public, SIGNATURE: hex_line(key.sign(manifest))}


def decided(decision: Decision | None) -> dict[str, str]:
    """What was decided, as the manifest has it."""
    said = {} if decision is None else asdict(decision)
    return {f"decision.{name}": text for name, text in said.items() if text}


def read_as(review: Review) -> dict[str, Any]:
    """How a reader without kanon finds the groups in the files of the release."""
    released, weights = review.released, review.g.class_weights.tolist()
    sizes, k = released.sizes.tolist(), int(released.k)
    own = k != review.g.k or sorted(sizes) != sorted(weights)
    return {
        "quasi_identifiers": list(released.quasi_identifiers),
        "counts": released.counts,
        "k": k,
        "promised": None if review.own and any(size < k for size in sizes) else k,
        "own": own,
    }


def crosswalk(instance: Any, g: Generalization) -> str:
    """The group of each item, as CSV."""
    return csv_text(crosswalk_frame(instance, g))


def checker() -> dict[str, bytes]:
    """The verifier's files by their names in every bundle, in their order."""
    folder = files("kanon_engine.verification")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".py"))
    return {f"{CHECK}{name}": folder.joinpath(name).read_bytes().replace(b"\r\n", b"\n") for name in names}


def reports(review: Review) -> tuple[bytes, bytes]:
    """The report as a page and for print."""
    from kanon_engine.report.html import report_html
    from kanon_engine.report.pdf import report_pdf

    return report_html(review).encode(), report_pdf(review)


def instance_member(instance: Any) -> str:
    """The data as they were read, for the checker."""
    from kanon_engine.report.instance_file import instance_text

    return instance_text(instance)


def require_fit_name(name: str, others: Iterable[str] = ()) -> None:
    """Refuse a name of a file in the release that some system could not unpack, or would take for another."""
    if not name or name != name.strip(" .") or not name.isprintable() or set(name) & set('/\\:*?"<>|'):
        raise InvalidInput(f"A file of the release cannot be called {name[:LONGEST_NAME]!r}; use letters and digits.")
    if len(name.encode()) > LONGEST_NAME:
        raise InvalidInput(f"The name {name[:40]!r}… of a file of the release has more than {LONGEST_NAME} bytes.")
    if sum(name.casefold() == other.casefold() for other in others) > 1:
        raise InvalidInput(f"Two files of the release are called {name!r} but for capitals; give one another name.")
