"""The text that a person reads first in a bundle."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, one_line

WIDTH = 100
WHAT = {
    "report.html": "The report: context, data, rules, risk, attacks, what remains. It opens in a browser, offline.",
    "report.pdf": "The same for print.",
    "internal/certificate.json": "The whole result with every claim, for kanon verify. It is evidence that the groups "
    "are as small as can be, and attacks use that.",
    "internal/crosswalk.csv": "Which item is in which group. Whoever holds it can undo the release.",
    "internal/instance.json": "The data as they were read, so that the checker can check the result against them.",
    "internal/recipe.toml": "What was asked. With the data beside it, kanon run makes the release again.",
    "check/": "The verifier of the kanon that wrote this bundle, in plain Python. It needs nothing else of kanon.",
    "manifest.json": "Every file with its SHA-256, the SHA-256 of the data, and the context. This is what is signed.",
    "key.pub": "The public key of whoever signed (Ed25519, 32 bytes, hexadecimal).",
    "manifest.sig": "The signature over manifest.json (64 bytes, hexadecimal).",
}


def readme(g: Generalization, title: str, file: str, names: Sequence[str]) -> str:
    """What each file is, what may leave, and how all of it is checked; it follows from the bundle without the data.

    Parameters
    ----------
    g : Generalization
    title : str
        What the officer calls the release; "" where nobody said.
    file : str
        The name of the file that was read; "" where there is none.
    names : sequence of str
        The members in release/ and internal/.
    """
    title = one_line(title) or "Review of a release"
    released = [name for name in names if name.startswith("release/")]
    others = ["report.html", "report.pdf", *(name for name in names if name not in released)]
    ends = ["check/", "manifest.json", "key.pub", "manifest.sig"]
    wide = max(map(len, [*others, *released, *ends])) + 2
    lines = [
        _said(title),
        "",
        _said(f"{counted(g.classes, 'group')} of at least {g.k:,}, made by {g.algorithm}."),
        "",
        "WHAT MAY LEAVE",
        "",
        _said("Only the files in the folder release/. Everything else is internal: keep it with the records."),
        "",
        *(f"  {name}" for name in released),
        "",
        "WHAT STAYS INSIDE",
        "",
        *(_entry(name, WHAT[name], wide) for name in (*others, *ends)),
        "",
        "HOW TO CHECK IT",
        "",
        _said("With kanon, without the data: signature, every file, and this zip byte for byte."),
        "",
        "  kanon verify bundle.zip",
        "",
        _said("With kanon and the data: also every claim of the result, on any machine."),
        "",
        f"  kanon verify bundle.zip {_argument(file)}",
        "",
        _said("Without kanon: take the folder check out of the zip and run it beside the zip with Python 3.9 or later. "
              "Whoever made the zip could have changed that folder. So take it from a release of kanon, where it is "
              "kanon_engine/verification, or compare the two first; kanon verify does so too."),
        "",
        "  python check bundle.zip",
        "",
        _said("Neither knows who the signer is. Ask the signer for the fingerprint of the key by another way "
              "than this zip came, by telephone say, and compare it with the one that kanon verify "
              "prints. Then name the key, and a zip that somebody else signed is refused:"),
        "",
        "  kanon verify bundle.zip --key FINGERPRINT",
        "",
        _said("The fingerprint is the SHA-256 of the 32 bytes of the public key. The report says of each rule whether "
              "it holds, does not hold or was not assessed. No check says that nobody can be found in the release."),
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def _said(text: str) -> str:
    return fill(text, WIDTH)


def _entry(name: str, what: str, wide: int) -> str:
    text = fill(what, WIDTH, initial_indent=" " * (wide + 2), subsequent_indent=" " * (wide + 2))
    return f"  {name:{wide}}{text.lstrip()}"


def _argument(name: str) -> str:
    """A file's name where every shell takes it as it is, else a word in its place."""
    plain = name.replace("_", "").replace("-", "").replace(".", "").isalnum()
    return name if plain and name.isascii() else "FILE"
