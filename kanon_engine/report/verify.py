"""Check a signed bundle: its zip, its signature, every file, and with the input every claim of the result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.generalize import Certificate, verify
from kanon_engine.model.generalization import Generalization
from kanon_engine.project.manifest import Manifest, is_digest, listed, sha256
from kanon_engine.release.publication import audit_check, certificate_text
from kanon_engine.report import bundle as bundling
from kanon_engine.report.bundle import CERTIFICATE, CROSSWALK, DATA, MANIFEST, PUBLIC, RECIPE, RELEASE, SIGNATURE
from kanon_engine.report.members import ZIP, instance_text, members_of
from kanon_engine.report.rebuilt import NAME_DATA, SAME, NotChecked, OpenedBundle, checker_files, sets_released
from kanon_engine.shown import Shown
from kanon_engine.verification.bundle import digits_of, from_hex
from kanon_engine.verification.core import Check
from kanon_engine.verification.signature import fingerprint, signature_is_good

AHEAD, BEHIND = (bundling.README, bundling.REPORT, bundling.PRINTED), (MANIFEST, PUBLIC, SIGNATURE)
EVIDENCE, CHOSEN = (CERTIFICATE, CROSSWALK), (DATA, RECIPE)
FIRST_FILE = f"{bundling.CHECK}__main__.py"
KEY, SIGNED, FILES, INPUT = "key", "signature", "files", "input"


@dataclass(frozen=True, eq=False, repr=False)
class Verified(Shown):
    """A bundle that passed."""

    checks: tuple[Check, ...]  # every one passed
    unchecked: tuple[NotChecked, ...]  # files that were not compared, or not in full, and why
    fingerprint: str  # of the key that signed it
    manifest: Manifest
    members: Mapping[str, bytes]  # name → content of every file in it
    g: Generalization  # the result; its claims were checked if there is a `certificate`
    certificate: Certificate | None = None  # with the input: every claim of the result

    def _facts(self) -> dict[str, object]:
        return {
            "checks passed": len(self.checks),
            "not checked": len(self.unchecked),
            "signed by": self.fingerprint,
            "files": len(self.members),
        }


def verify_bundle(
    content: bytes,
    instance: Any = None,
    *,
    key: str | None = None,
    inputs: Mapping[str, bytes] | None = None,
    rerun: bool = False,
) -> Verified:
    """Check a signed bundle, with or without the data.

    Nothing in it is trusted before it is checked: the zip must be what kanon would write, byte for byte, the manifest
    signed, and every file as the manifest says. So one changed byte anywhere is refused. A change signed with another
    key faces further checks: README, recipe and checker are compared without the data, and with them every file is
    rebuilt. What could not be compared is in `unchecked`. `CertificateError` names what was changed: a member of the
    zip, the zip's central directory, the key, a claim.

    Parameters
    ----------
    instance : The data, read as the certificate says. With them the result, its audit, the crosswalk and the data in
    the bundle are rebuilt or rechecked.
    key : Whose signature it must be: a fingerprint or a public key, as hexadecimal digits.
    inputs : Name → content of the files that the data were read from.
    """
    expected = None if key is None else _digits(key)
    members = members_of(content)
    size = f"{len(members):,} files in {len(content):,} bytes, exactly as kanon writes them"
    checks = [Check(ZIP, True, f"{size}.")]
    _require_layout(list(members))
    public = _hex(members, PUBLIC, 32)
    key_fingerprint = fingerprint(public)
    checks += [_key(public, key_fingerprint, expected), _signature(members, public, key_fingerprint)]
    manifest = _read(MANIFEST, lambda: Manifest.read(members[MANIFEST]))
    checks.append(_files(members, manifest))
    g = _read(CERTIFICATE, lambda: Generalization.from_json(members[CERTIFICATE]))
    checks += _result(members, manifest, g)
    opened = OpenedBundle(members, manifest, g, instance).with_recipe()
    outcomes: list[Check | NotChecked] = [opened.checker(), opened.readme()]
    if opened.recipe is not None:
        outcomes.append(Check(RECIPE, True, "it matches the certificate and the manifest."))
    certificate = None
    if instance is None:
        outcomes += [NotChecked(name, NAME_DATA) for name in members if name.startswith((RELEASE, *EVIDENCE, DATA))]
    else:
        checks.append(_inputs(manifest, inputs or {}))
        certificate = verify(instance, g, rerun)
        outcomes += [*certificate.checks, *_rebuild_all(opened)]
    outcomes += opened.reports()
    checks += [one for one in outcomes if isinstance(one, Check)]
    unchecked = tuple(one for one in outcomes if isinstance(one, NotChecked))
    return Verified(tuple(checks), unchecked, key_fingerprint, manifest, members, g, certificate)


def _digits(key: str) -> str:
    """A fingerprint or public key without what people put between its digits."""
    digits = digits_of(key)
    if not is_digest(digits):
        raise InvalidInput(
            f"{key[:80]!r} does not have the form of a fingerprint; give the one that you got from the signer: "
            "64 hexadecimal digits, with or without spaces."
        )
    return digits


def _require_layout(names: list[str]) -> None:
    """Refuse a zip whose members or their order differ from those of a bundle."""
    released = [name for name in names if name.startswith(RELEASE)]
    chosen = [name for name in CHOSEN if name in names]
    checker = sorted(checker_files(names)) or [FIRST_FILE]
    expected = [*AHEAD, *released, *EVIDENCE, *chosen, *checker, *BEHIND]
    try:
        for name in released:
            bundling.require_fit_name(name.removeprefix(RELEASE), [other.removeprefix(RELEASE) for other in released])
    except InvalidInput as error:
        raise CertificateError(FILES, str(error)) from error
    for place, name in enumerate(expected):
        if name not in names:
            raise CertificateError(FILES, f"“{name}” is missing, but every bundle has it.")
        if names[place] != name:
            problem = "is in the wrong place" if names[place] in expected else "does not belong in a bundle"
            raise CertificateError(FILES, f"“{names[place]}” {problem}.")
    if len(names) > len(expected):
        raise CertificateError(FILES, f"“{names[len(expected)]}” does not belong in a bundle.")


def _hex(members: Mapping[str, bytes], name: str, size: int) -> bytes:
    """The bytes in a member that contains a line of digits."""
    content = from_hex(members[name], size)
    if not content:
        raise CertificateError(FILES, f"“{name}” is not a line of {2 * size} hexadecimal digits.")
    return content


def _key(public: bytes, key_fingerprint: str, expected: str | None) -> Check:
    if expected is None:
        return Check(
            KEY,
            True,
            f"{key_fingerprint} is the fingerprint of the key; ask the signer, by telephone or in some other way that "
            "does not rely on this zip, whether the key is theirs.",
        )
    if expected not in (key_fingerprint.replace(" ", ""), public.hex()):
        raise CertificateError(
            KEY, f"the key in this bundle is not the given one: its fingerprint is {key_fingerprint}."
        )
    return Check(KEY, True, f"{key_fingerprint} is the fingerprint of the key, as given.")


def _signature(members: Mapping[str, bytes], public: bytes, key_fingerprint: str) -> Check:
    if not signature_is_good(public, members[MANIFEST], _hex(members, SIGNATURE, 64)):
        raise CertificateError(
            SIGNED,
            f"the key with the fingerprint {key_fingerprint} did not sign this manifest: “{MANIFEST}”, “{PUBLIC}” or "
            f"“{SIGNATURE}” was changed.",
        )
    return Check(SIGNED, True, f"the owner of the key signed “{MANIFEST}”, which lists every file.")


def _read(name: str, read: Any) -> Any:
    """The content of a member; that it can be read is a check."""
    try:
        return read()
    except InvalidInput as error:
        raise CertificateError(FILES, f"“{name}” cannot be read: {error}") from error


def _files(members: Mapping[str, bytes], manifest: Manifest) -> Check:
    listing = [name for name in members if name not in (MANIFEST, SIGNATURE)]
    for name in [*listing, *manifest.files]:
        if name not in manifest.files:
            raise CertificateError(FILES, f"“{name}” is not in the manifest.")
        if name not in listing:
            raise CertificateError(FILES, f"“{name}” is in the manifest, but not in the zip.")
        if listed(members[name]) != manifest.files[name]:
            raise CertificateError(FILES, f"“{name}” was changed: it does not match the manifest.")
    return Check(FILES, True, f"{len(listing):,} files have the SHA-256 and the size stated in the manifest.")


def _result(members: Mapping[str, bytes], manifest: Manifest, g: Generalization) -> Iterator[Check]:
    """What can be said about the result without the data."""
    if (g.digest, g.instance_digest) != (manifest.result, manifest.instance) or g.digest != g.content_digest():
        raise CertificateError("result", f"“{CERTIFICATE}” belongs to a different result than the manifest says.")
    # kanon removes the time before it bundles, so that equal inputs give equal bytes
    if g.seconds:
        raise CertificateError(CERTIFICATE, "it states how long a search took, and a bundle never states that.")
    yield Check("result", True, f"the certificate is the one in the manifest: {g.digest[:12]}….")
    for name, content in members.items():
        if name.startswith(RELEASE) and name.endswith(".csv"):
            yield from sets_released(name, content, g, manifest.released)


def _inputs(manifest: Manifest, inputs: Mapping[str, bytes]) -> Check:
    if not manifest.input:
        return Check(
            INPUT,
            True,
            "the manifest names no file from which kanon read the data, so only the digest of the data was compared.",
        )
    digests = {name: sha256(content) for name, content in inputs.items()}
    for name, digest in digests.items():
        if digest not in manifest.input.values():
            raise CertificateError(
                INPUT, f"{name} is not the file that was read: its SHA-256 {digest} is not in the manifest."
            )
    missing = [name for name, digest in manifest.input.items() if digest not in digests.values()]
    words = f"{', '.join(inputs) or 'no file'}: the SHA-256 is the one in the manifest"
    more = f"; not given and not examined: {', '.join(missing)}" if missing else ""
    return Check(INPUT, True, f"{words}{more}.")


def _rebuild_all(opened: OpenedBundle) -> Iterator[Check | NotChecked]:
    """What follows from the data and the result is rebuilt, and compared byte for byte."""
    members, instance, g = opened.members, opened.instance, opened.g
    audited = audit_check(instance, g, members[CERTIFICATE])
    if audited is not None:
        yield audited
    text = certificate_text(instance, g).encode()
    yield opened.compared(CERTIFICATE, members[CERTIFICATE], text, "the data and the claims")
    if members[CROSSWALK] != bundling.crosswalk(instance, g).encode():
        raise CertificateError(CROSSWALK, "it differs when rebuilt from the data and the result.")
    yield Check(CROSSWALK, True, SAME)
    if DATA in members:
        if members[DATA] != instance_text(instance).encode():
            raise CertificateError(DATA, "the data, read again, differ from those in the bundle.")
        yield Check(DATA, True, "the data, read again, are identical byte for byte.")
    yield from opened.files()
