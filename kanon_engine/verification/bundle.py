"""The checks of a bundle: its bytes, its manifest and signature, its release, its certificate, its crosswalk."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from .arrays import FORM
from .codec import MALFORMED, content_digest, listed, parse_json
from .core import Instance, read_certificate, read_instance, result_of, verdict
from .signature import fingerprint, signature_is_good

MANIFEST, SIGNATURE, KEY = "manifest.json", "manifest.sig", "key.pub"
CERTIFICATE, CROSSWALK, INSTANCE = "internal/certificate.json", "internal/crosswalk.csv", "internal/instance.json"
COMPILED = "check/__pycache__/__main__."
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can store: no entry says when it was made
COUNTED = ("weight", "records", "count", "people")  # names of a column that says how many records a row represents
AUDITED = frozenset((
    "k", "records", "quasi_identifiers", "kept", "k_reached", "k_together", "alone", "below", "sensitive",
    "combinations", "looked_at", "left_out", "findings", "digest",
))  # fmt: skip
OK, FAILED, UNCHECKED, NOTE = "ok", "FAILED", "not checked", "note"
MARKS = {True: OK, False: FAILED, None: UNCHECKED}


class Line(NamedTuple):
    """One line of what is printed: a mark, what was checked, and what was found."""

    mark: str
    name: str
    detail: str


def check(name: str, passed: bool, detail: str) -> Line:
    """The line of a claim that holds or does not."""
    return Line(MARKS[passed], name, detail)


class Stop(Exception):
    """The next checks depend on a claim that failed."""


def need(name: str, passed: bool, detail: str) -> Iterator[Line]:
    """The line of a claim; Stop where it does not hold."""
    yield check(name, passed, detail)
    if not passed:
        raise Stop


def guarded(name: str, lines: Iterator[Line]) -> Iterator[Line]:
    """Lines up to the first value that has the wrong form."""
    try:
        yield from lines
    except Stop:
        return
    except MALFORMED as error:
        detail = f"a value has the wrong form ({type(error).__name__}: {error})."
        yield Line(FAILED, name, detail)


class Bundle:
    """A bundle, or a certificate alone, checked from its bytes to the claims of its result."""

    def __init__(self, families: Mapping[str, Any], key: str | None = None) -> None:
        self.families, self.key = families, key
        self.files: dict[str, bytes] = {}
        self.manifest: dict[str, Any] | None = None
        self.instance: Instance | None = None
        self.content: dict[str, Any] | None = None
        self.audit: dict[str, Any] | None = None

    def lines(self, path: str, instance_path: str | None) -> Iterator[Line]:
        """Every line about a zip, the folder that it was unpacked to, or a certificate.

        OSError for a file that cannot be read.
        """
        data = None
        if instance_path is not None:
            with open(instance_path, "rb") as file:
                data = file.read()
        if path.endswith(".json"):
            with open(path, "rb") as file:
                yield from self.certificate_lines(file.read(), data)
            return
        yield from guarded("bundle", self._read(path))
        if not self.files:
            return
        yield from guarded("manifest", self._manifest())
        yield from guarded("signature", self._signature())
        if CERTIFICATE not in self.files:
            yield Line(FAILED, "certificate", f"the file {CERTIFICATE} is missing.")
            return
        yield from self.certificate_lines(self.files[CERTIFICATE], self.files.get(INSTANCE) if data is None else data)
        if self.content is not None:
            if self.manifest is not None:
                yield from guarded("release", self._release(self.manifest, self.content))
            if self.instance is not None and CROSSWALK in self.files:
                yield from guarded("crosswalk", self._crosswalk(self.instance, self.content))

    def certificate_lines(self, content: bytes, data: bytes | None) -> Iterator[Line]:
        """Every line about a certificate, with the data where they are given."""
        if data is None:
            reason = f"the file {INSTANCE} is missing; --instance FILE compares classes, cost and bound with the data."
            yield Line(UNCHECKED, "data", f"because {reason}")
        else:
            yield from guarded("data", self._data(data))
        yield from guarded("certificate", self._result(content))
        if self.content is not None and self.audit is not None:
            yield from guarded("audit", _audit(self.audit, self.content))

    # ------------------------------------------------------------------------------------------ bytes and signature

    def _read(self, path: str) -> Iterator[Line]:
        """The content of every file by its name."""
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                for name in names:
                    place = os.path.join(folder, name)
                    with open(place, "rb") as file:
                        self.files[os.path.relpath(place, path).replace(os.sep, "/")] = file.read()
            # the check itself may have been compiled in this folder
            for name in [name for name in self.files if name.startswith(COMPILED)]:
                del self.files[name]
                detail = f"Python wrote {name} when it ran the check; this file is not part of the bundle."
                yield Line(NOTE, "files", detail)
            return
        with open(path, "rb") as file:
            content = file.read()
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                stored = all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
                yield from need("zip", stored, "the files in the zip are stored uncompressed.")
                files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, OverflowError) as error:
            raise ValueError(f"it is not a readable zip: {error}") from error
        yield check("zip", zip_of(files) == content, f"the zip holds {len(files):,} files and no other bytes.")
        self.files = files

    def _manifest(self) -> Iterator[Line]:
        yield from need("manifest", MANIFEST in self.files, f"{MANIFEST} is present.")
        manifest: dict[str, Any] = parse_json(self.files[MANIFEST])
        actual = manifest.get("format")
        yield from need("manifest", actual == "kanon bundle 1", f"the format of the manifest is {actual!r}.")
        canonical = json.dumps(manifest, sort_keys=True, indent=1, ensure_ascii=True) + "\n"
        same = canonical.encode() == self.files[MANIFEST]
        yield check("manifest form", same, "the manifest is written in its only valid form.")
        expected, here = manifest["files"], set(self.files) - {MANIFEST, SIGNATURE}
        more, less = sorted(here - set(expected)), sorted(set(expected) - here)
        detail = (
            f"the manifest lists {len(expected):,} files; files that it does not list: {more or 'none'}; missing "
            f"files: {less or 'none'}."
        )
        yield check("files", not more and not less, detail)
        for name in sorted(here & set(expected)):
            content = self.files[name]
            actual = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            detail = f"{len(content):,} bytes, SHA-256 {actual['sha256']}."
            yield check(f"digest of {name}", expected[name] == actual, detail)
        self.manifest = manifest

    def _signature(self) -> Iterator[Line]:
        """The signature over the manifest's bytes, and whose key it is, as far as that can be known."""
        there = all(name in self.files for name in (KEY, SIGNATURE))
        yield from need("signature", there, f"{KEY} and {SIGNATURE} are present.")
        key, signature = (from_hex(self.files[name], size) for name, size in ((KEY, 32), (SIGNATURE, 64)))
        yield from need("signature", bool(key and signature), "key and signature are 32 and 64 bytes in hex.")
        good = signature_is_good(key, self.files[MANIFEST], signature)
        yield check("signature", good, f"the key {key.hex()} signed the bytes of {MANIFEST}.")
        actual = fingerprint(key)
        if self.key is None:
            detail = f"because no --key was given; compare the key's fingerprint (SHA-256) yourself: {actual}"
            yield Line(UNCHECKED, "owner of the key", detail)
        else:
            same = digits_of(self.key) in (key.hex(), actual.replace(" ", ""))
            yield check(
                "owner of the key", same, f"the key has the fingerprint (SHA-256) {actual}; --key is {self.key}."
            )

    # ------------------------------------------------------------------------------------------ certificate and data

    def _data(self, data: bytes) -> Iterator[Line]:
        self.instance = read_instance(data, self.families)
        yield Line(OK, "data", f"the digest over all parts of the data is {self.instance.digest}.")

    def _result(self, content: bytes) -> Iterator[Line]:
        """Every claim of the certificate, up to the first that is false."""
        fields, self.audit = read_certificate(content), parse_json(content).get("audit")
        family, name = self.families.get(fields["family"]), fields["bound_name"]
        if FORM == "plain" and family is not None and name in family.MINUTES:
            detail = f"without NumPy, checking the bound “{name}” may take {family.MINUTES[name]} minutes."
            yield Line(NOTE, "time", detail)
        decided = verdict(self.instance, fields, self.families)
        for one in decided.checks:
            yield Line(MARKS[one.passed], one.name, one.detail)
        if decided.failed is not None:
            yield Line(FAILED, decided.failed.name, decided.failed.detail)
            return
        self.content = fields
        if self.manifest is not None:
            expected = (self.manifest.get("result"), self.manifest.get("instance"))
            same = expected == (fields["digest"], fields["instance_digest"])
            yield check("manifest", same, "the manifest refers to this result and these data.")

    # ------------------------------------------------------------------------------------------ release and crosswalk

    def _release(self, manifest: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[Line]:
        """Every file with rows of groups or records; the others are checked by their digest alone."""
        g: Any = result_of(content, self.families[content["family"]])
        released = SimpleNamespace(**manifest["released"])  # quasi_identifiers, counts, k, promised, own
        if g.record == "IntervalDetails" and not released.own:
            covered = set(g.details.intervals) <= set(released.quasi_identifiers)
            detail = f"every generalized column is one of: {', '.join(released.quasi_identifiers)}."
            yield check("release", covered, detail)
        names = sorted(name for name in self.files if name.startswith("release/"))
        if not names:
            yield Line(UNCHECKED, "release", "because the bundle has no file in release/.")
        for name in names:
            yield from guarded(name, _released_file(name, self.files[name], g, released))
            if self.audit is not None and not released.own and name.lower().endswith(".csv"):
                yield from guarded("audit", _audited_file(name, self.files[name], self.audit))

    def _crosswalk(self, instance: Instance, content: Mapping[str, Any]) -> Iterator[Line]:
        """The group of each item, by its name; items in the order of their names, numbers before text."""
        classes = content["assignment"].numbers
        parts = instance.parts
        names = listed(parts.get("ids", parts.get("names", list(range(1, len(classes) + 1)))))
        rows = rows_of(CROSSWALK, self.files[CROSSWALK]) or []
        order = sorted(range(len(names)), key=lambda place: (isinstance(names[place], str), names[place]))
        same = len(rows) == len(order)
        for row, place in zip(rows, order):
            # an id may begin with an apostrophe itself
            same = same and str(names[place]) in (row["id"], unescaped(row["id"]))
            same = same and row["group"] == (str(classes[place] + 1) if classes[place] >= 0 else "")
        yield check("crosswalk", same, f"{len(rows):,} items are in the groups that the certificate gives.")


def zip_of(files: Mapping[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    """The one zip of these files in this order, all of the same time, packed by this method of `zipfile`."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, FIRST_MOMENT)
            entry.compress_type = method
            entry.create_system = 3  # otherwise it says which system made it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, compresslevel=9)
    return target.getvalue()


def hex_line(content: bytes) -> bytes:
    """Bytes as a line of hexadecimal digits.

    >>> hex_line(b"kanon")
    b'6b616e6f6e\\n'
    """
    return f"{content.hex()}\n".encode()


def from_hex(content: bytes, size: int) -> bytes:
    """The bytes, `size` of them, from their `hex_line`; none from anything else."""
    try:
        value = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:
        return b""
    return value if len(value) == size and content == hex_line(value) else b""


def digits_of(key: str) -> str:
    """A fingerprint or a key without the separators that people put between its digits."""
    return "".join(key.lower().replace(":", "").split())


def _released_file(name: str, content: bytes, g: Any, released: Any) -> Iterator[Line]:
    """Records, or groups with their counts: every combination of quasi-identifiers represents k, as in the result."""
    rows = rows_of(name, content)
    sizes, columns = sizes_of(rows or [], released)
    if rows is None or not columns:
        what = "it has neither all quasi-identifiers nor one row per group"
        if rows is None:
            what = "Python's standard library cannot read this kind of file"
        yield Line(UNCHECKED, name, f"because {what}; only its digest is checked.")
        return
    least, total = min(sizes.values(), default=0), sum(sizes.values())
    detail = f"{len(rows):,} rows show {len(sizes):,} combinations of {', '.join(columns)} for {total:,} records"
    small = [size for size in sizes.values() if size < released.k]
    if released.own and small and released.promised is None:
        few = (
            f"{sum(small):,} of these records are in combinations of fewer than {released.k:,} records (number of such "
            f"combinations: {len(small):,})"
        )
        yield Line(
            NOTE,
            name,
            f"{detail}; no minimum was promised for combinations. {few}. The rarest combination has a count of "
            f"{least:,}.",
        )
    else:
        yield check(
            name, not small, f"{detail}; the rarest combination has a count of {least:,}, and k is {released.k:,}."
        )
    if released.own:
        reason = "the manifest says that the groups were not made from these records."
        yield Line(UNCHECKED, f"sizes in {name}", f"because {reason}")
        return
    same = sorted(sizes.values()) == sorted(g.class_weights.numbers) and released.k == g.k
    yield check(name, same, f"the file holds the certificate's {g.classes:,} groups, with the same sizes.")


def _audit(audit: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[Line]:
    """The audit stored with a result: its form, its digest, and what it says about the result itself."""
    yield from need("audit", set(audit) == AUDITED, f"the audit has {len(audit):,} fields, as required.")
    digest = content_digest({name: value for name, value in audit.items() if name != "digest"})
    yield check("audit digest", digest == audit["digest"], f"the digest over all figures of the audit is {digest}.")
    records = sum(content["class_weights"].numbers)
    same = (audit["k"], audit["records"]) == (content["k"], records)
    yield check("audit", same, f"the audit covers {records:,} records.")
    reason = (
        "only kanon verify recomputes the audit from the data; the audit's l, t, combinations and findings are not "
        "checked here."
    )
    yield Line(UNCHECKED, "audit", f"because {reason}")


def _audited_file(name: str, content: bytes, audit: Mapping[str, Any]) -> Iterator[Line]:
    """Records whose columns are all in the audit: how many look the same, and how many look like no or few others."""
    rows = rows_of(name, content)
    quasi, every = audit["quasi_identifiers"], [*audit["quasi_identifiers"], *audit["kept"]]
    if not rows or set(rows[0]) != set(every):
        yield Line(UNCHECKED, "audit", f"because {name} does not have the columns that the audit covers.")
        return
    sizes, together = (Counter(tuple(row[name] for name in names) for row in rows).values() for names in (quasi, every))
    small = [size for size in together if size < audit["k"]]
    figures = {"records": len(rows), "k_reached": min(sizes), "k_together": min(together)}
    figures |= {"alone": list(together).count(1), "below": sum(small)}
    claimed = {figure: audit[figure] for figure in figures}
    yield check("audit", claimed == figures, f"{name} shows {figures}, and the audit says {claimed}.")


def sizes_of(rows: list[dict[str, str]], released: Any) -> tuple[Mapping[Any, int], list[str]]:
    """How many records each combination represents, and its columns; no columns where nothing says which."""
    columns = {column.lower(): column for column in (rows[0] if rows else [])}
    required = [*released.quasi_identifiers, *([] if released.counts is None else [released.counts])]
    sizes: Counter[Any] = Counter()
    if all(column in columns.values() for column in required):
        for row in rows:
            weight = 1 if released.counts is None else int(row[released.counts])
            sizes[tuple(row[column] for column in released.quasi_identifiers)] += weight
        return sizes, list(released.quasi_identifiers)
    count_column = next((columns[word] for word in COUNTED if word in columns), None)
    group = columns.get("group")
    if group is None or count_column is None or len({row[group] for row in rows}) != len(rows):
        return sizes, []
    for row in rows:
        sizes[row[group]] += int(row[count_column])
    return sizes, [group]


def rows_of(name: str, content: bytes) -> list[dict[str, str]] | None:
    """The rows of a CSV or GeoJSON file, all cells as text; None of another kind of file."""
    if name.lower().endswith(".csv"):
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        return [{unescaped(column): cell for column, cell in row.items()} for row in rows]
    if name.lower().endswith((".geojson", ".json")):
        features = parse_json(content)["features"]
        return [{key: str(value) for key, value in feature["properties"].items()} for feature in features]
    return None


def unescaped(text: str) -> str:
    """Text without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return text[1:] if text[:1] == "'" and text.lstrip("'")[:1] in tuple("=+-@\t\r\n") else text
