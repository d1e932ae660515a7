"""The audit of a release of records, beside its result in the file of a certificate."""

from __future__ import annotations

import json
from typing import Any

from kanon_engine.errors import CertificateError
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import family_named
from kanon_engine.model.serialize import parsed
from kanon_engine.verification.core import Check

AUDIT = "audit"


def audit_of(instance: Any, g: Generalization) -> Any:
    """What the release of a result tells; None of a family that has no audit, and where nothing may be released.

    None too of a counted table of more records than are looked at one by one.
    """
    release = family_named(g.family).release
    if release is None or release.audit is None or g.status == "relaxed":
        return None
    return release.audit(instance, g)


def certificate_text(instance: Any, g: Generalization) -> str:
    """The whole result as JSON, with the figures of its audit beside it."""
    found = audit_of(instance, g)
    if found is None:
        return g.to_json()
    content: dict[str, Any] = json.loads(g.to_json())
    return json.dumps(content | {AUDIT: found.figures() | {"digest": found.digest}}, allow_nan=False)


def audit_check(instance: Any, g: Generalization, text: str | bytes) -> Check | None:
    """Make the audit again that a certificate's file tells; None where it tells none.

    Raises
    ------
    CertificateError
        It tells something else than the release does.
    """
    content = parsed(text)
    told = content.get(AUDIT) if isinstance(content, dict) else None
    if told is None:
        return None
    found = audit_of(instance, g)
    if found is None or told != found.figures() | {"digest": found.digest}:
        raise CertificateError(AUDIT, "the audit, made again, does not find what the certificate says.")
    return Check(AUDIT, True, f"made again, it finds the same: {len(found.findings):,} findings, k over all released "
                 f"columns together {found.k_together:,}.")  # fmt: skip
