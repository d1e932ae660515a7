"""A whole review as one signed zip: what may be released, the report, the evidence, and the verifier."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from textwrap import fill
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, one_line
from kanon_engine.project.context import Decision
from kanon_engine.project.manifest import Manifest, listed
from kanon_engine.release import crosswalk_frame, require_releasable
from kanon_engine.release.formats import archive, csv_text
from kanon_engine.release.publication import certificate_text
from kanon_engine.report.members import LARGEST, instance_text
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

    The whole zip is internal: only the files in its folder release/ may be released. `InvalidInput` if nothing of the
    result may be released, if a file name is not portable, or if the zip would be too large.

    Parameters
    ----------
    data : Whether it contains the data as read, so that the checker can check the result against them.
    recipe : The text of the project file that makes the release again.
    printed : The result of `reports` for this review, if already made.
    """
    require_releasable(review.g)
    members = _signed(review, _unsigned(review, data, recipe, printed or reports(review)), key)
    total = sum(map(len, members.values()))
    # the rest is for the headers and the directory of the zip
    if total > LARGEST * 0.99:
        raise InvalidInput(
            f"The bundle would be {total // 10**6:,} MB, and the limit is {LARGEST // 10**6:,}; leave the data out, or "
            "release fewer files."
        )
    return archive(members, stored=True)


def _unsigned(review: Review, data: bool, recipe: str | None, reported: tuple[bytes, bytes]) -> dict[str, bytes]:
    """All members except the list, the key and the signature, in their order."""
    instance, g = review.instance, review.g
    evidence = {CERTIFICATE: certificate_text(instance, g), CROSSWALK: crosswalk(instance, g)}
    if data:
        evidence[DATA] = instance_text(instance)
    if recipe is not None:
        evidence[RECIPE] = recipe
    for name in review.files:
        require_fit_name(name, review.files)
    released = {f"{RELEASE}{name}": content for name, content in review.files.items()}
    opening = readme(g, review.context.title, next(iter(review.inputs), ""), [*released, *evidence])
    return {
        README: opening.encode(),
        REPORT: reported[0],
        PRINTED: reported[1],
        **released,
        **{name: text.encode() for name, text in evidence.items()},
        **checker(),
    }


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
    """What was decided, as in the manifest."""
    answers = {} if decision is None else asdict(decision)
    return {f"decision.{name}": text for name, text in answers.items() if text}


def read_as(review: Review) -> dict[str, Any]:
    """How a reader without kanon finds the groups in the files of the release."""
    released, weights = review.released, review.g.class_weights.tolist()
    sizes, k = released.sizes.tolist(), int(released.k)
    differs = k != review.g.k or sorted(sizes) != sorted(weights)
    return {
        "quasi_identifiers": list(released.quasi_identifiers),
        "counts": released.counts,
        "k": k,
        # own records may be in sets below k; then no minimum is promised
        "promised": None if review.own and any(size < k for size in sizes) else k,
        "own": differs,
    }


def crosswalk(instance: Any, g: Generalization) -> str:
    """The group of each item, as CSV."""
    return csv_text(crosswalk_frame(instance, g))


def checker() -> dict[str, bytes]:
    """The verifier's files by their names in every bundle, in their order."""
    folder = files("kanon_engine.verification")
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".py"))
    # the same bytes wherever kanon was installed
    return {f"{CHECK}{name}": folder.joinpath(name).read_bytes().replace(b"\r\n", b"\n") for name in names}


def reports(review: Review) -> tuple[bytes, bytes]:
    """The report as a page and for print."""
    from kanon_engine.report.html import report_html
    from kanon_engine.report.pdf import report_pdf

    return report_html(review).encode(), report_pdf(review)


def require_fit_name(name: str, others: Iterable[str] = ()) -> None:
    """Refuse a file name in the release that some system could not unpack, or would confuse with another."""
    if not name or name != name.strip(" .") or not name.isprintable() or set(name) & set('/\\:*?"<>|'):
        raise InvalidInput(f"A file of the release cannot be named {name[:LONGEST_NAME]!r}; use letters and digits.")
    if len(name.encode()) > LONGEST_NAME:
        raise InvalidInput(
            f"The name {name[:40]!r}… of a file of the release has more than {LONGEST_NAME} bytes; shorten it."
        )
    # some systems do not distinguish capitals in file names, so one file would overwrite the other
    if sum(name.casefold() == other.casefold() for other in others) > 1:
        raise InvalidInput(f"Two files of the release have the name {name!r}, except for capitalization; rename one.")


# ---------------------------------------------------------------------------------------------------------------------
# The README that a person reads first in a bundle.
# ---------------------------------------------------------------------------------------------------------------------


WIDTH = 100
WHAT = {
    "report.html": "The report: context, data, rules, risk, attacks, remaining risk. It opens in a browser, offline.",
    "report.pdf": "The report for printing.",
    "internal/certificate.json": "The full result with every claim, for “kanon verify”. Its evidence for the lower "
    "bound can help an attacker.",
    "internal/crosswalk.csv": "Which item is in which group. Anyone who has this file can undo the release.",
    "internal/instance.json": "The data as read, so that the checker can check the result against them.",
    "internal/recipe.toml": "What was requested. With this file and the data, “kanon run” makes the release again. "
    "If an order or a hierarchy of values was given, it contains these values.",
    "check/": "The verifier of the kanon version that wrote this bundle, in plain Python. It does not need kanon.",
    "manifest.json": "Every file with its SHA-256, the SHA-256 of the data, and the context. This file is signed.",
    "key.pub": "The signer's public key (Ed25519, 32 bytes, hexadecimal).",
    "manifest.sig": "The signature over manifest.json (64 bytes, hexadecimal).",
}


def readme(g: Generalization, title: str, file: str, names: Sequence[str]) -> str:
    """What each file is, what may be released, and how to check all of it; it follows from the bundle without the data.

    `file` is the name of the file that was read, or ""; `names` are the members in release/ and internal/.
    """
    title = one_line(title) or "Review of a release"
    released = [name for name in names if name.startswith("release/")]
    others = ["report.html", "report.pdf", *(name for name in names if name not in released)]
    ends = ["check/", "manifest.json", "key.pub", "manifest.sig"]
    wide = max(map(len, [*others, *released, *ends])) + 2
    margin = " " * (wide + 2)
    entries = [
        f"  {name:{wide}}{fill(WHAT[name], WIDTH, initial_indent=margin, subsequent_indent=margin).lstrip()}"
        for name in (*others, *ends)
    ]
    # the file's name if no shell needs quotes for it
    argument = file if file.isascii() and re.sub("[-_.]", "", file).isalnum() else "FILE"
    parts = [
        title,
        f"{counted(g.classes, 'group')} of at least {g.k:,}, made by {g.algorithm}.",
        "WHAT MAY BE RELEASED",
        "Only the files in the folder release/. Everything else is internal: keep it with the records.",
        "\n".join(f"  {name}" for name in released),
        "WHAT IS INTERNAL",
        "\n".join(entries),
        "HOW TO CHECK IT",
        "With kanon, without the data. This checks the signature, every file, and this zip byte for byte:",
        "  kanon verify bundle.zip",
        "With kanon and the data. This also checks every claim of the result, on any machine:",
        f"  kanon verify bundle.zip {argument}",
        "Without kanon: extract the folder check/ from the zip and run it next to the zip with Python 3.9 or later. "
        "Whoever made the zip could have changed that folder. So take the folder kanon_engine/verification from a "
        "published version of kanon instead, or compare it with check/ first. kanon verify also compares the two "
        "folders.",
        "  python check bundle.zip",
        "None of these commands knows who the signer is. Get the fingerprint of the key from the signer in some way "
        "other than this zip, such as by telephone, and compare it with the one that kanon verify prints. If you "
        "then add this fingerprint to the command, kanon verify refuses a zip that someone else signed:",
        "  kanon verify bundle.zip --key FINGERPRINT",
        "The fingerprint is the SHA-256 of the 32 bytes of the public key. The report says for each rule whether it "
        "holds, does not hold or was not assessed. Passing every check does not mean that nobody can be found in the "
        "release.",
    ]
    return "\n\n".join(part if part.startswith("  ") else fill(part, WIDTH) for part in parts) + "\n"
