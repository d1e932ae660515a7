"""Check a bundle of kanon again, on Python's standard library alone: nothing of kanon is needed, or trusted.

    python check.py [BUNDLE.zip, or the folder it was unpacked to] [--instance instance.json] [--key HEX] [--patient]

Without a path it checks the folder that it stands in. It prints a line a check, "ok", "FAILED", "not checked" with the
reason, or "note" with what the bundle does not promise, and ends with exit code 0 only if nothing failed. It reads
files, and writes and sends nothing.

What it checks
    1. The bundle: every file has the SHA-256 and length that manifest.json says, there is no file more and none less;
       a zip holds these files and not a byte besides; the signature over manifest.json is good (Ed25519, RFC 8032).
    2. The release: in the files with rows, every combination of what is shown of the quasi-identifiers stands for at
       least k records; there are as many groups as in the certificate, and of the same sizes. The manifest may promise
       no k of records that are others than those that the groups were made of: a note then counts those below. With
       the data: the group of each item in the crosswalk.
    3. The certificate: its digest over all its fields; classes, weights, cost, bound, ceiling and status fit together.
    4. With the data (internal/instance.json, or --instance): the digest of the data; every item is in one class; class
       weights, summed again; k; what more was required of every class; what classes are in their family (connected
       areas, rectangles, groups of labels, intervals, boxes, hidden cells, clusters around centers); the cost; and
       every lower bound whose argument is arithmetic. BOUNDS, near the end, lists those by name, UNCHECKED_BOUNDS the
       others.

What it does not check, and says so
    - Bounds on the word of a search ("exact search", "search tree"): only a search can repeat them. The classes, their
      cost and k are checked nevertheless; "optimal" is then the search's word.
    - That a graph is planar, the random order of Fold and Spread, and whether options are such as the algorithm has.
    - What would take minutes on large data, unless --patient is given.
    - Whose key it is: compare the fingerprint with one that you got another way, or give it with --key.
    - Whether the data are what somebody says they are, and whether anybody is protected by the release: k and the other
      rules are counted here, not judged.

From top to bottom: what is printed; values and digests; the signature; the bundle; the release; the certificate; what
all families share; areas; points; labels; tables; clusters; the list of bounds; the way through all of it.
"""

from __future__ import annotations

import csv
import hashlib
import heapq
import io
import json
import math
import os
import re
import struct
import sys
import zipfile
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate, combinations
from types import SimpleNamespace
from typing import Any

MALFORMED = (
    TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError, MemoryError, struct.error,
)  # fmt: skip
STEPS = 20_000_000  # distances or the like, above which a check is left out: about half a minute


# ---------------------------------------------------------------------------------------------------------------------
# What is printed
# ---------------------------------------------------------------------------------------------------------------------


class NotChecked(Exception):
    """The reason why something cannot be checked here."""


class Wrong(Exception):
    """A claim that is false or has no sense; nothing that rests on it is looked at."""


class Report:
    """Prints a line a check and counts them."""

    def __init__(self, write: Callable[[str], Any], patient: bool = False) -> None:
        self.write, self.patient = write, patient
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []

    def check(self, name: str, passed: bool, words: str) -> bool:
        """One claim, and whether it holds."""
        self._line("ok" if passed else "FAILED", name, words)
        if not passed:
            self.failures.append(name)
        return passed

    def need(self, name: str, passed: bool, words: str) -> None:
        """A claim on which what follows rests."""
        if not self.check(name, passed, words):
            raise Wrong

    def unchecked(self, name: str, reason: str) -> None:
        """What is not checked, and why."""
        self._line("not checked", name, f"because {reason}")

    def note(self, name: str, words: str) -> None:
        """What whoever made the bundle does not claim, and an auditor should know."""
        self._line("note", name, words)

    def run(self, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that makes checks; one that stumbles over the form of a value has failed."""
        try:
            return function(self, *arguments)
        except Wrong:
            return None
        except NotChecked as reason:
            self.unchecked(name, str(reason))
        except MALFORMED as error:
            self.check(name, False, f"a value does not have the form it must have ({type(error).__name__}: {error}).")
        return None

    def afford(self, steps: int) -> None:
        """Go on only if this many steps do not take minutes."""
        if steps > STEPS and not self.patient:
            raise NotChecked(f"it takes about {steps:,} steps on data of this size; --patient takes them.")

    def _line(self, verdict: str, name: str, words: str) -> None:
        self.counts[verdict] += 1
        self.write(f"{verdict:<12}{name}: {words}\n")


# ---------------------------------------------------------------------------------------------------------------------
# Values as JSON holds them, and the digest of their content
# ---------------------------------------------------------------------------------------------------------------------


class Array:
    """Numbers in rows: of type "<i4", "<i8" (whole numbers), "<f8" (floats) or "|b1" (true and false)."""

    def __init__(self, kind: str, shape: Sequence[int], data: list[Any]) -> None:
        sides = len(shape) in (1, 2) and all(type(side) is int and side >= 0 for side in shape)
        if kind not in ARRAYS or not sides or math.prod(shape) != len(data) or max(shape) > max(len(data), EMPTY):
            raise ValueError(f"an array of type {kind!r} and shape {list(shape)!r} with {len(data):,} entries")
        if not {type(entry) for entry in data} <= ARRAYS[kind][1]:
            raise ValueError(f"an array of type {kind} holds something else")
        self.kind, self.shape, self.data = kind, tuple(shape), data

    def packed(self) -> bytes:
        """Its entries as bytes, the lowest first."""
        return struct.pack(f"<{len(self.data)}{ARRAYS[self.kind][0]}", *self.data)

    def rows(self) -> list[list[Any]]:
        """The rows of an array with two sides."""
        many, width = self.shape
        return [self.data[row * width : (row + 1) * width] for row in range(many)]


EMPTY = 1 << 20  # longest side of an array without entries
ARRAYS: dict[str, tuple[str, set[type]]] = {
    "<i4": ("i", {int}), "<i8": ("q", {int}), "<f8": ("d", {int, float}), "|b1": ("?", {bool}),
}  # fmt: skip


class Record:
    """A record with a name and named fields."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields


def parsed(content: bytes) -> Any:
    """JSON; names that stand twice in an object, NaN and Infinity are refused, as readers do not agree on them."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name stands twice in an object")
        return dict(pairs)

    def refused(word: str) -> Any:
        raise ValueError(f"{word} is no number of JSON")

    return json.loads(content.decode("utf-8"), object_pairs_hook=distinct, parse_constant=refused)


def decoded(value: Any) -> Any:
    """Lists, mappings (as dicts), arrays and records from their JSON."""
    if isinstance(value, list):
        return [decoded(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    keys = set(value)
    if keys == {"array", "shape", "data"}:
        return Array(value["array"], value["shape"], [decoded(entry) for entry in value["data"]])
    if keys == {"mapping"}:
        return {name: decoded(entry) for name, entry in value["mapping"].items()}
    if keys == {"record", "fields"}:
        return Record(value["record"], {name: decoded(entry) for name, entry in value["fields"].items()})
    if keys == {"float"}:
        return float(value["float"])
    raise ValueError("an object is no array, mapping or record")


def content_digest(content: dict[str, Any]) -> str:
    """SHA-256 over named values, each written with its type and length."""
    state = hashlib.sha256()
    _feed(state, content)
    return state.hexdigest()


def _feed(state: Any, value: Any) -> None:
    if isinstance(value, Array):
        state.update(f"array {value.kind} {value.shape};".encode() + value.packed())
    elif isinstance(value, float):
        state.update(b"float " + struct.pack("<d", value))
    elif value is None or isinstance(value, (bool, int)):
        state.update(f"{type(value).__name__} {value};".encode())
    elif isinstance(value, str):
        data = value.encode("utf-8", "surrogatepass")
        state.update(f"str {len(data)};".encode() + data)
    elif isinstance(value, dict):
        state.update(f"mapping {len(value)};".encode())
        for key in sorted(value):
            _feed(state, key)
            _feed(state, value[key])
    elif isinstance(value, list):
        state.update(f"sequence {len(value)};".encode())
        for item in value:
            _feed(state, item)
    elif isinstance(value, Record):
        _feed(state, {"": value.name, **value.fields})
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")


# ---------------------------------------------------------------------------------------------------------------------
# The signature: Ed25519 as in RFC 8032
# ---------------------------------------------------------------------------------------------------------------------

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that the base point makes
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)  # of -1


def _added(one: Any, other: Any) -> Any:
    """The sum of two points X, Y, Z, T with x = X / Z, y = Y / Z, x y = T / Z."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % PRIME
    c = 2 * one[3] * other[3] * CURVE % PRIME
    d = 2 * one[2] * other[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def _times(number: int, point: Any) -> Any:
    result: Any = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = _added(result, point)
        point = _added(point, point)
        number >>= 1
    return result


def _same_point(one: Any, other: Any) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % PRIME == (one[1] * other[2] - other[1] * one[2]) % PRIME == 0


def _point(encoded: bytes) -> Any:
    """The point of 32 bytes; None where they are none, or not written as they must be."""
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if len(encoded) != 32 or y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


BASE = _point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))


def signature_is_good(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature of 64 bytes is by the key of 32 bytes: S B = R + h A, every number in its one form."""
    a, r = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= ORDER or _same_point(_times(8, a), (0, 1, 1, 0)):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return _same_point(_times(s, BASE), _added(r, _times(h, a)))


# ---------------------------------------------------------------------------------------------------------------------
# The bundle: its files, their digests, its bytes
# ---------------------------------------------------------------------------------------------------------------------

MANIFEST, SIGNATURE, KEY = "manifest.json", "manifest.sig", "key.pub"
FIRST_MOMENT = (1980, 1, 1, 0, 0, 0)  # which every entry of the zip has as its time


def bundle_files(report: Report, path: str) -> dict[str, bytes]:
    """The content of every file by its name, of a zip or of a folder."""
    if os.path.isdir(path):
        found = {}
        for folder, _, names in os.walk(path):
            for name in names:
                place = os.path.join(folder, name)
                with open(place, "rb") as file:
                    found[os.path.relpath(place, path).replace(os.sep, "/")] = file.read()
        return found
    with open(path, "rb") as file:
        content = file.read()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist())
            report.need("zip", not packed, "its files stand in it as they are, none is packed.")
            found = {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, RuntimeError, OverflowError) as error:
        raise ValueError(f"it is no zip that can be read: {error}") from error
    report.check("zip", zip_of(found) == content, f"{len(found):,} files, and not a byte besides them.")
    return found


def zip_of(files: dict[str, bytes]) -> bytes:
    """The one zip of these files in this order: none compressed, all of the same time."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, FIRST_MOMENT)
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return target.getvalue()


def check_manifest(report: Report, files: dict[str, bytes]) -> dict[str, Any]:
    """The manifest, and whether every file is as it says."""
    report.need("manifest", MANIFEST in files, f"{MANIFEST} is there.")
    manifest: dict[str, Any] = parsed(files[MANIFEST])
    report.need("manifest", manifest.get("format") == "kanon bundle 1", f"its format is {manifest.get('format')!r}.")
    written = json.dumps(manifest, sort_keys=True, indent=1, ensure_ascii=True) + "\n"
    report.check("manifest form", written.encode() == files[MANIFEST], "it is written in the one way that there is.")
    listed = manifest["files"]
    here = set(files) - {MANIFEST, SIGNATURE}
    more, less = sorted(here - set(listed)), sorted(set(listed) - here)
    words = f"{len(listed):,} are listed; not listed: {more or 'none'}; missing: {less or 'none'}."
    report.check("files", not more and not less, words)
    for name in sorted(here & set(listed)):
        content, said = files[name], listed[name]
        found = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        report.check(f"digest of {name}", said == found, f"{len(content):,} bytes, SHA-256 {found['sha256']}.")
    return manifest


def check_signature(report: Report, files: dict[str, bytes], expected: str | None) -> None:
    """The signature over the manifest's bytes, and whose it is as far as that can be known."""
    form = all(name in files for name in (KEY, SIGNATURE))
    report.need("signature", form, f"{KEY} and {SIGNATURE} are there.")
    key, signature = (_from_hex(files[name], size) for name, size in ((KEY, 32), (SIGNATURE, 64)))
    report.need("signature", key is not None and signature is not None, "key and signature are 32 and 64 bytes in hex.")
    good = signature_is_good(key, files[MANIFEST], signature)  # type: ignore[arg-type]
    report.check("signature", good, f"it is by the key {key.hex()} over the bytes of {MANIFEST}.")  # type: ignore[union-attr]
    digits = hashlib.sha256(key).hexdigest()  # type: ignore[arg-type]
    fingerprint = " ".join(digits[place : place + 4] for place in range(0, len(digits), 4))
    if expected is None:
        report.unchecked("whose key", f"no --key was given; compare its fingerprint (SHA-256): {fingerprint}")
    else:
        same = "".join(expected.lower().replace(":", "").split()) in (key.hex(), digits)  # type: ignore[union-attr]
        report.check("whose key", same, f"it has the fingerprint (SHA-256) {fingerprint}; --key is {expected}.")


def _from_hex(content: bytes, size: int) -> bytes | None:
    """So many bytes from lower-case hex and a newline; None for anything else."""
    try:
        value = bytes.fromhex(content.decode("ascii").strip())
    except ValueError:
        return None
    return value if len(value) == size and content == value.hex().encode() + b"\n" else None


# ---------------------------------------------------------------------------------------------------------------------
# The release: what stands in the folder release/, as a reader has it
# ---------------------------------------------------------------------------------------------------------------------

COUNTED = ("weight", "records", "count", "people")  # names of a column that says for how many records a row stands


def check_release(report: Report, files: dict[str, bytes], g: Any, manifest: dict[str, Any]) -> None:
    """Every file with rows of groups or records; the others are checked by their digest alone."""
    said = SimpleNamespace(**manifest["released"])  # quasi_identifiers, counts, k, promised, own
    if g.details.name == "IntervalDetails" and not said.own:
        named = set(g.details.fields["intervals"]) <= set(said.quasi_identifiers)
        report.check("release", named, f"what is generalized is among {', '.join(said.quasi_identifiers)}.")
    released = sorted(name for name in files if name.startswith("release/"))
    if not released:
        report.unchecked("release", "the bundle has no file in release/.")
    for name in released:
        report.run(name, _check_released_file, name, files[name], g, said)
        if g.audit is not None and not said.own and name.lower().endswith(".csv"):
            report.run("audit", _check_audited_file, name, files[name], g)


def _check_released_file(report: Report, name: str, content: bytes, g: Any, said: Any) -> None:
    """Records, or groups with their counts: every combination of quasi-identifiers stands for k, as in the result."""
    rows = _rows_of(name, content)
    columns = {column.lower(): column for column in (rows[0] if rows else [])}
    named = [*said.quasi_identifiers, *([] if said.counts is None else [said.counts])]
    sizes: Counter[Any] = Counter()
    if all(column in columns.values() for column in named):
        shown = said.quasi_identifiers
        for row in rows:
            sizes[tuple(row[column] for column in shown)] += 1 if said.counts is None else int(row[said.counts])
    else:
        counted = next((columns[word] for word in COUNTED if word in columns), None)
        shown = [columns[word] for word in ("group",) if word in columns]
        if not shown or counted is None or len({row[shown[0]] for row in rows}) != len(rows):
            raise NotChecked("it has neither all quasi-identifiers nor a row a group; its digest is checked.")
        for row in rows:
            sizes[row[shown[0]]] += int(row[counted])
    least, total = min(sizes.values(), default=0), sum(sizes.values())
    words = f"{len(rows):,} rows show {len(sizes):,} combinations of {', '.join(shown)} for {total:,} records"
    small = [size for size in sizes.values() if size < said.k]
    if said.own and small and said.promised is None:
        few = f"{sum(small):,} of them show what fewer than {said.k:,} do (combinations: {len(small):,})"
        report.note(name, f"{words}; not promised: {few}, the rarest stands for {least:,}.")
    else:
        report.check(name, not small, f"{words}; the rarest stands for {least:,}, k is {said.k:,}.")
    if said.own:
        reason = "the manifest says that these are other records than those that the groups were made of."
        report.unchecked(f"sizes in {name}", reason)
        return
    same = sorted(sizes.values()) == sorted(g.class_weights) and said.k == g.k
    report.check(name, same, f"they are the {g.classes:,} groups of the certificate, of the same sizes.")


def _check_audited_file(report: Report, name: str, content: bytes, g: Any) -> None:
    """Records, all of whose columns the audit looked at: how many show the same, and what no or few others do."""
    rows, audit = _rows_of(name, content), g.audit
    every = [*audit["quasi_identifiers"], *audit["kept"]]
    if not rows or set(rows[0]) != set(every):
        raise NotChecked(f"{name} has other columns than it looked at.")
    found, together = (Counter(tuple(row[column] for column in own) for row in rows).values()
                       for own in (audit["quasi_identifiers"], every))  # fmt: skip
    small = [size for size in together if size < g.k]
    figures = {"records": len(rows), "k_reached": min(found), "k_together": min(together),
               "alone": small.count(1) if g.k > 1 else list(together).count(1), "below": sum(small)}  # fmt: skip
    told = {figure: audit[figure] for figure in figures}
    report.check("audit", told == figures, f"{name} shows {figures}, the audit says {told}.")


def _rows_of(name: str, content: bytes) -> list[dict[str, str]]:
    """The rows of a CSV or GeoJSON file, all cells as text."""
    if name.lower().endswith(".csv"):
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        return [{unescaped(column): cell for column, cell in row.items()} for row in rows]
    if name.lower().endswith((".geojson", ".json")):
        features = parsed(content)["features"]
        return [{key: str(value) for key, value in feature["properties"].items()} for feature in features]
    raise NotChecked("the standard library does not read this kind of file; its digest is checked.")


def unescaped(text: str) -> str:
    """Text without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return text[1:] if text[:1] == "'" and text.lstrip("'")[:1] in tuple("=+-@\t\r\n") else text


def check_crosswalk(report: Report, content: bytes, g: Any, instance: Any) -> None:
    """The group of each item, by its name; items in the order of their names, numbers before text."""
    parts = instance.parts
    named = parts.get("ids", parts.get("names", list(range(1, len(g.assignment) + 1))))
    names = named.data if isinstance(named, Array) else named
    rows = _rows_of(CROSSWALK, content)
    order = sorted(range(len(names)), key=lambda place: (isinstance(names[place], str), names[place]))
    same = len(rows) == len(order)
    for row, place in zip(rows, order):
        own = g.assignment[place]
        named_right = str(names[place]) in (row["id"], unescaped(row["id"]))
        same = same and named_right and row["group"] == (str(own + 1) if own >= 0 else "")
    report.check("crosswalk", same, f"{len(rows):,} items are in the groups that the certificate says.")


# ---------------------------------------------------------------------------------------------------------------------
# The certificate by itself
# ---------------------------------------------------------------------------------------------------------------------

CERTIFICATE, CROSSWALK, INSTANCE = (
    f"internal/{name}" for name in ("certificate.json", "crosswalk.csv", "instance.json")
)
FIELDS = (
    "family", "algorithm", "options", "seed", "k", "assignment", "class_weights", "cost", "lower_bound", "bound_name",
    "bound_kind", "bound_witness", "guarantee", "status", "seconds", "instance_digest", "details", "reading", "require",
    "digest",
)  # fmt: skip
FAMILIES = ("regions", "rectangles", "labels", "tables", "clusters")
LARGEST_CLASS = FAMILIES[:3]  # whose cost is the largest class; in the others records may be left out
STATUSES = ("optimal", "feasible", "stopped", "relaxed")
ALGORITHMS = {  # and who else may have made a result
    "regions": ("recombine", "exact", "tree-split", "general-graph", "by hand"),
    "rectangles": ("balanced-kd-tree", "kd-tree", "exact"),
    "labels": ("near-optimal", "spread", "two-approximation", "scheme", "relaxed-scheme", "five-halves", "fold",
               "exact", "ordered"),
    "tables": ("k-optimize", "hill-climb", "mondrian", "local-cuts", "exact", "cell-suppression"),
    "clusters": ("gather", "center", "gather-outliers", "center-outliers", "cellular", "r-cellular", "mdav", "v-mdav",
                 "r-cellular-outliers", "exact"),
}  # fmt: skip
SEARCHES = {  # whose lower bound may be on a search's word
    "regions": ("exact",), "rectangles": ("exact",), "labels": ("near-optimal", "exact"),
    "tables": ("k-optimize", "exact", "cell-suppression"), "clusters": ("gather", "exact"),
}  # fmt: skip


def read_certificate(report: Report, content: bytes) -> Any:
    """The result that a certificate holds, when its form and its digest are good."""
    fields = parsed(content)
    report.need("certificate", fields.pop("format", None) == "kanon generalization 1", "its format is known.")
    fields.setdefault("require", [])
    audit = fields.pop("audit", None)  # stands beside the result
    report.need("certificate", set(fields) == set(FIELDS), f"it has {len(fields):,} fields, as it must.")
    values = {name: decoded(value) for name, value in fields.items()}
    unasked = [] if values["require"] else ["require"]  # results from before there were requirements keep their digest
    covered = {name: value for name, value in values.items() if name not in ("digest", *unasked)}
    digest = content_digest(covered)
    report.check("certificate digest", digest == values["digest"], f"over all fields it is {digest}.")
    g = SimpleNamespace(**values)
    whole = all(type(value) is int for value in (g.k, g.seed)) and g.k >= 1 and g.seed >= 0
    costs = [value for value in (g.cost, g.lower_bound, g.guarantee) if value is not None]
    wanted = float if g.family == "clusters" else int
    whole = whole and all(type(value) is wanted and math.isfinite(value) for value in costs) and None not in costs[:2]
    arrays = (g.assignment.kind, g.class_weights.kind) == ("<i4", "<i8")
    arrays = arrays and len(g.assignment.shape) == len(g.class_weights.shape) == 1
    words = g.status in STATUSES and g.bound_kind in ("checked", "solver") and isinstance(g.bound_name, str)
    clock = type(g.seconds) is float and g.seconds >= 0
    witness = type(g.bound_witness) is list and all(type(place) is int for place in g.bound_witness)
    records = isinstance(g.details, Record) and all(isinstance(one, Record) for one in g.require)
    settings = isinstance(g.options, dict) and isinstance(g.reading, dict) and g.family in FAMILIES
    form = whole and arrays and words and clock and witness and records and settings
    report.need("form", form, "numbers are whole where they must be, and words are known ones.")
    report.need("algorithm", g.algorithm in ALGORITHMS[g.family], f"the result was made by {g.algorithm}.")
    g.assignment, g.class_weights = g.assignment.data, g.class_weights.data
    g.classes, g.audit = len(g.class_weights), audit
    return g


def least_weight(g: Any) -> int:
    """What every class must weigh: k, or less where a result says that it is relaxed."""
    if g.status != "relaxed":
        return int(g.k)
    share = 1 - Fraction(repr(g.options["epsilon"]))
    return max(1, math.ceil(share * g.k))


def check_claims(report: Report, g: Any) -> None:
    """What a certificate claims, as far as it can be held against itself."""
    trusted = g.bound_kind == "checked" or g.algorithm in SEARCHES[g.family]
    report.check("bound kind", trusted, f"the bound is of kind “{g.bound_kind}”, made by {g.algorithm}.")
    relaxed = (g.status == "relaxed") == (g.algorithm == "relaxed-scheme")
    report.check("status", relaxed, f"the status is {g.status}, given by {g.algorithm}.")
    out = g.assignment.count(-1)
    used = set(g.assignment) - {-1}
    good = used == set(range(g.classes)) and g.classes > 0 and not (g.family in LARGEST_CLASS and out)
    words = f"{len(g.assignment):,} items are in {g.classes:,} classes, none is empty, {out:,} are left out."
    report.need("partition", good, words)
    least, light = least_weight(g), min(g.class_weights)
    words = f"the smallest class weighs {light:,}, k is {g.k:,}."
    if g.status == "relaxed":
        words += f" This is NOT k-anonymous: classes had to reach {least:,}, and nothing can be released of it."
    report.check("feasibility", light >= least, words)
    if g.family in LARGEST_CLASS:
        largest = max(g.class_weights)
        report.check("cost", g.cost == largest, f"the largest class weighs {largest:,}, the result says {g.cost:,}.")
    report.check("lower bound", g.lower_bound <= g.cost, f"the bound is {g.lower_bound}, the cost {g.cost}.")
    if g.guarantee is not None:
        report.check("guarantee", g.cost <= g.guarantee, f"the cost {g.cost} is at most the promised {g.guarantee}.")
    optimal = g.cost == g.lower_bound
    agrees = optimal == (g.status == "optimal") or g.status == "relaxed"
    gap = 0.0 if optimal else g.cost / g.lower_bound - 1 if g.lower_bound else math.inf
    report.check("status", agrees, f"the status is {g.status}; the cost is {gap:.2%} above its bound.")


AUDITED = ("k", "records", "quasi_identifiers", "kept", "k_reached", "k_together", "alone", "below", "sensitive",
           "combinations", "looked_at", "left_out", "findings", "digest")  # fmt: skip


def check_audit(report: Report, g: Any) -> None:
    """The audit beside a result: its form and digest, and what it says of the result itself."""
    audit = g.audit
    report.need("audit", set(audit) == set(AUDITED), f"it has {len(audit):,} fields, as it must.")
    digest = content_digest({name: value for name, value in audit.items() if name != "digest"})
    report.check("audit digest", digest == audit["digest"], f"over all its figures it is {digest}.")
    records = sum(g.class_weights)
    report.check("audit", (audit["k"], audit["records"]) == (g.k, records), f"it looked at {records:,} records.")
    report.unchecked(
        "audit", "only kanon verify makes it again with the data: l, t, combinations and findings are its word."
    )


# ---------------------------------------------------------------------------------------------------------------------
# The data, and what all families share
# ---------------------------------------------------------------------------------------------------------------------


def read_instance(report: Report, content: bytes) -> Any:
    """The data that were generalized, when their digest is good."""
    fields = parsed(content)
    form = set(fields) == {"format", "family", "digest", "parts"} and fields["format"] == "kanon instance 1"
    report.need("data", form and fields["family"] in FAMILIES, "the format of the data is known.")
    parts = {name: decoded(value) for name, value in fields["parts"].items()}
    digest = content_digest(parts)
    report.need("data digest", digest == fields["digest"], f"over all parts it is {digest}.")
    instance = SimpleNamespace(family=fields["family"], digest=digest, parts=parts, columns={})
    if instance.family == "tables":
        rows = len(next(iter(parts["cells"].values())))
        instance.weights = parts["weights"].data if "weights" in parts else [1] * rows
        report.need(
            "data", len(instance.weights) == rows and min(instance.weights) >= 1, "each row stands for records."
        )
    else:
        weights = parts["weights"] if instance.family in ("regions", "rectangles") else parts["counts"]
        instance.weights = weights.data
        instance.columns = {name: values.data for name, values in parts.get("columns", {}).items()}
    least = 0 if instance.family == "regions" else 1
    counts = [(least, instance.weights), *((0, values) for values in instance.columns.values())]
    whole = all(type(value) is int and value >= fewest for fewest, own in counts for value in own)
    report.need("data", whole, f"counts are whole numbers of at least {least}.")
    return instance


def check_with_instance(report: Report, instance: Any, g: Any) -> None:
    """Every claim, against the data."""
    same = g.instance_digest == instance.digest and g.family == instance.family
    report.need("instance", same, "the result was made from these very data.")
    report.need("items", len(g.assignment) == len(instance.weights), f"there are {len(instance.weights):,} items.")
    sums = sums_of(instance.weights, g)
    report.need("class weights", sums == g.class_weights, f"the {g.classes:,} classes weigh {sum(sums):,} together.")
    for required in g.require:
        report.run("requirement", check_requirement, instance, g, required)
    if g.family in LARGEST_CLASS:
        least, total = least_weight(g), sum(instance.weights)
        simple = max(least, max(instance.weights), -(-total // (total // least)))
        words = f"max(k, heaviest item, average of most classes) is {simple:,}, the result says {g.lower_bound:,}."
        report.check("simple bound", g.lower_bound >= simple, words)
    report.run("form", CHECKS[g.family], instance, g)


def sums_of(values: Sequence[int], g: Any) -> list[int]:
    """The sum of the values in each class."""
    sums = [0] * g.classes
    for own, value in zip(g.assignment, values):
        if own >= 0:
            sums[own] += value
    return sums


def members_of(g: Any) -> list[list[int]]:
    """The positions of the items of each class."""
    members: list[list[int]] = [[] for _ in range(g.classes)]
    for place, own in enumerate(g.assignment):
        if own >= 0:
            members[own].append(place)
    return members


def check_requirement(report: Report, instance: Any, g: Any, required: Record) -> None:
    """Minimum of a second count, Diversity or Closeness of a sensitive column: of every class."""
    column = required.fields["column"]
    if required.name == "Minimum":
        report.need("requirement", column in instance.columns, f"there is a second count {column!r}.")
        least = min(sums_of(instance.columns[column], g))
        words = f"the least of {column} in a class is {least:,}, required are {required.fields['m']:,}."
        report.check("requirement", least >= required.fields["m"], words)
        return
    known = instance.family == "tables" and column in instance.parts["cells"]
    known = known and column not in instance.parts["quasi_identifiers"]
    report.need("requirement", known, f"there is a sensitive column {column!r}.")
    holds = judge(instance, [required])
    failing = sum(not holds(own) for own in members_of(g))
    asked = ", ".join(f"{name} {value}" for name, value in required.fields.items() if name != "column")
    report.check("requirement", not failing, f"{required.name} of {column!r} ({asked}) fails in {failing:,} classes.")


def judge(instance: Any, require: Sequence[Record]) -> Callable[[Sequence[int]], bool]:
    """Whether the records at some positions, as one class, are as diverse and close as is required."""
    cells = {one.fields["column"]: instance.parts["cells"][one.fields["column"]] for one in require}
    weights = instance.weights
    everybody = {column: _tally(values, weights, range(len(values))) for column, values in cells.items()}

    def holds(members: Sequence[int]) -> bool:
        for one in require:
            column = one.fields["column"]
            own = _tally(cells[column], weights, members)
            if one.name == "Closeness":
                if _distance(own, everybody[column]) > Fraction(repr(one.fields["t"])):
                    return False
            elif not _diverse(one.fields, sorted(own.values(), reverse=True)):
                return False
        return True

    return holds


def _tally(values: Sequence[Any], weights: Sequence[int], members: Iterable[int]) -> Counter[Any]:
    """How many records of these rows have each value."""
    counts: Counter[Any] = Counter()
    for place in members:
        counts[values[place]] += weights[place]
    return counts


def _diverse(asked: dict[str, Any], counts: list[int]) -> bool:
    """Of the counts of values in descending order (Machanavajjhala et al. 2007); exactly."""
    if asked["kind"] == "distinct":
        return len(counts) >= asked["l"]
    if asked["kind"] == "recursive":
        return counts[0] < Fraction(repr(asked["c"])) * sum(counts[int(asked["l"]) - 1 :])
    if asked["kind"] != "entropy":
        raise ValueError(f"no kind of diversity is called {asked['kind']!r}")
    common = math.gcd(*counts)
    counts = [count // common for count in counts]
    size, least = sum(counts), Fraction(repr(asked["l"]))
    entropy = math.log(size) - math.fsum(count * math.log(count) for count in counts) / size
    if abs(entropy - math.log(least)) > 1e-9:
        return entropy > math.log(least)
    return least**size * math.prod(count**count for count in counts) <= size**size


def _distance(own: Counter[Any], everybody: Counter[Any]) -> Fraction:
    """The earth mover's distance (Li et al. 2007): of numbers by their order, of other values what is not shared."""
    size, total = sum(own.values()), sum(everybody.values())
    known = [value for value in everybody if value is not None]
    if not known or not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in known):
        return 1 - sum((min(Fraction(own[one], size), Fraction(everybody[one], total)) for one in own), Fraction(0))
    moved = ahead = 0
    for value in sorted(known) + [None] * (None in everybody):
        ahead += own[value] * total - everybody[value] * size
        moved += abs(ahead)
    return Fraction(moved, max(len(everybody) - 1, 1) * size * total)


def check_bound(report: Report, g: Any, *arguments: Any) -> None:
    """The argument that the result names: worked out again from its witness, or left to the search's word."""
    name = g.bound_name
    if g.bound_kind == "solver":
        known = name == ("search tree" if g.algorithm == "k-optimize" else "exact search") and g.bound_witness == []
        report.need("bound witness", known, f"{g.lower_bound} stands on the word of a search.")
        report.unchecked("bound", f"“{name}” is {UNCHECKED_BOUNDS[g.family][name]}")
        return
    report.need("bound witness", name in BOUNDS[g.family], f"a bound of {g.family} is called “{name}”.")
    passed, words = BOUNDS[g.family][name](report, g, *arguments)
    report.check("bound witness", passed, f"“{name}”: {words}")


def equal(value: Any, g: Any) -> tuple[bool, str]:
    """What an argument proves against what the result says."""
    if value is None:
        return False, f"its witness {g.bound_witness[:10]} proves nothing."
    return value == g.lower_bound, f"it gives {value}, the result says {g.lower_bound}."


def check_sets(report: Report, instance: Any, g: Any, names: Sequence[Any]) -> None:
    """Sets of items that stay together, and sets of which no two may be together."""
    own = dict(zip(names, g.assignment))
    together, apart = instance.parts.get("together", []), instance.parts.get("apart", [])
    if together:
        parted = sum(len({own[name] for name in members}) > 1 for members in together)
        report.check("together", not parted, f"{parted:,} of {len(together):,} sets that stay together are parted.")
    if apart:
        met = sum(len({own[name] for name in members}) < len(set(members)) for members in apart)
        report.check("apart", not met, f"{met:,} of {len(apart):,} sets that are kept apart have two in one class.")


def joined(sets: Iterable[Iterable[Any]]) -> list[set[Any]]:
    """Sets that share an element as one."""
    found: list[set[Any]] = []
    for own in map(set, sets):
        near = [other for other in found if other & own]
        found = [other for other in found if not other & own] + [own.union(*near)]
    return found


TREE = {"tree": ("<i4", 2), "degree": int, "cut_edges": ("<i4", 2), "added_edges": ("<i4", 2), "heuristic": str,
        "theorem": str}  # fmt: skip
ROUTE, FREE = ("<i8", 3), -1
DETAILS: dict[str, dict[str, Any]] = {  # fields of a record: a type, or an array's with its width; 0 of a row, FREE any
    "TreeDetails": TREE,
    "CrossingDetails": TREE | {"joined": ("<i4", 2)},
    "RectangleDetails": {"rectangles": ("<f8", 4), "splits": ("<f8", 3), "cut": str},
    "LabelDetails": {"order": ("<i4", 0), "alone": int, "placed": int, "leftover_classes": ("<i4", 0),
                     "threshold": int},
    "BinDetails": {"order": ("<i4", 0), "threshold": int, "method": str},
    "IntervalDetails": {"intervals": dict, "cuts": ("<i4", 2), "suppressed": int, "nodes": int, "curve": ROUTE},
    "BoxDetails": {"low": ("<i4", FREE), "high": ("<i4", FREE), "rounds": int, "curve": ROUTE},
    "CellDetails": {"stars": ("|b1", FREE), "suppressed": int, "nodes": int},
    "ClusterDetails": {"places": ("<i8", 0), "centers": ("<f8", FREE), "radii": ("<f8", 0), "prices": ("<f8", FREE),
                       "curve": ("<f8", 3)},
}  # fmt: skip


def unpacked(record: Record, name: str) -> Any:
    """The fields of a record of details, each of its type; arrays by rows where they have two sides."""
    if record.name != name:
        raise ValueError(f"the details are a {record.name}, not a {name}")
    if set(record.fields) != set(DETAILS[name]):
        raise ValueError(f"the fields of {name} are {', '.join(DETAILS[name])}, here they are {list(record.fields)}")
    found = SimpleNamespace(**record.fields)
    for field, wanted in DETAILS[name].items():
        value = record.fields[field]
        if isinstance(wanted, type):
            if type(value) is not wanted:
                raise ValueError(f"{field} is no {wanted.__name__}")
            continue
        kind, width = wanted
        if not isinstance(value, Array) or value.kind != kind or len(value.shape) != 1 + (width != 0):
            raise ValueError(f"{field} is no array of type {kind} with {1 + (width != 0)} sides")
        if width > 0 and value.shape[1] != width:
            raise ValueError(f"the rows of {field} have {value.shape[1]} entries, not {width}")
        setattr(found, field, value.rows() if width else value.data)
    return found


def check_curve(report: Report, g: Any, curve: list[list[int]]) -> None:
    """How a search came there: steps and bounds never fall, costs never rise, and the end is the result."""
    good = bool(curve) and curve[0][0] >= 0 and all(bound <= cost for _, cost, bound in curve)
    for before, after in zip(curve, curve[1:]):
        good = good and after[0] > before[0] and after[1] <= before[1] and after[2] >= before[2]
    good = good and curve[-1][1:] == [g.cost, g.lower_bound]
    report.check("curve", good, f"it ends at a cost of {g.cost:,} and a bound of {g.lower_bound:,}.")


def distinct(values: Sequence[int], count: int) -> bool:
    """Whether these are different positions among so many."""
    return len(set(values)) == len(values) and all(0 <= value < count for value in values)


# ---------------------------------------------------------------------------------------------------------------------
# Areas (regions): connected classes, cut from a spanning tree
# ---------------------------------------------------------------------------------------------------------------------

THEOREMS = {  # what a result may say of its tree: least number of neighbours of an area, largest degree of the tree
    "Theorem 3: 4-connected planar, d = 2, ratio 3": (4, 2),
    "Theorem 3: 3-connected planar, d = 3, ratio 4": (3, 3),
    "Lemma 2: any graph, ratio 1 + d": (0, None),
}
KINDS_OF_TREE = {"auto": (0, 3), "hamiltonian": (0, 2), "degree-3": (1, 2), "low-degree": (2, 3), "random": (2, 3)}


def parts_of(count: int, edges: Iterable[Sequence[int]]) -> list[int]:
    """The number of the connected part of each vertex, parts numbered by their first vertex."""
    near = neighbours(count, edges)
    part = [-1] * count
    found = 0
    for first in range(count):
        if part[first] < 0:
            part[first], waiting = found, [first]
            while waiting:
                for other in near[waiting.pop()]:
                    if part[other] < 0:
                        part[other] = found
                        waiting.append(other)
            found += 1
    return part


def neighbours(count: int, edges: Iterable[Sequence[int]]) -> list[list[int]]:
    """The neighbours of each vertex."""
    near: list[list[int]] = [[] for _ in range(count)]
    for one, other in edges:
        near[one].append(other)
        near[other].append(one)
    return near


def check_regions(report: Report, instance: Any, g: Any) -> None:
    """Classes are connected; the tree joins all areas, and falls into the classes where it is cut."""
    parts = instance.parts
    count, edges = len(instance.weights), [tuple(edge) for edge in parts["edges"].rows()]
    area = SimpleNamespace(count=count, weights=instance.weights, edges=edges, columns=instance.columns)
    ground = None
    if any(parts.get(name) for name in ("together", "apart", "barriers")):
        ground = Ground(area, parts, g)
        check_sets(report, instance, g, parts["ids"])
    if parts.get("barriers"):
        over = len(set(zip(ground.block, g.assignment))) - g.classes  # type: ignore[union-attr]
        report.check("barriers", over == 0, f"{over:,} barriers are crossed that need not be.")
    found = max(parts_of(count, [edge for edge in edges if g.assignment[edge[0]] == g.assignment[edge[1]]])) + 1
    report.check("connectivity", found == g.classes, f"{g.classes:,} classes form {found:,} connected sets of areas.")
    report.run("bound witness", check_bound, g, ground.items(True)[0] if ground else area)

    crossing = g.details.name == "CrossingDetails"
    details = unpacked(g.details, "CrossingDetails" if crossing else "TreeDetails")
    told = isinstance(details.heuristic, str) and isinstance(details.theorem, str)
    report.check("details form", told, "how the tree was found, and what is proven of it, are told in words.")
    same = details.added_edges == parts["added_edges"].rows()
    report.check("added edges", same, f"{len(details.added_edges):,} edges join parts that share no border.")
    drawn = [tuple(sorted(edge)) for edge in details.tree]
    cut = [tuple(sorted(edge)) for edge in details.cut_edges]
    assignment = g.assignment
    check_spanning(report, count, ground.edges if ground else edges, drawn)
    if ground:
        if parts.get("barriers"):
            crossed = [tuple(pair) for pair in details.joined] if crossing else None
            words = f"barriers must be crossed at {len(ground.crossed):,} places."
            report.check("crossings", crossed == ground.crossed, words)
        area, item = ground.items(False)
        drawn, cut = (
            [tuple(sorted((item[a], item[b]))) for a, b in pairs if item[a] != item[b]] for pairs in (drawn, cut)
        )
        firsts: dict[int, int] = {}
        for place, number in enumerate(item):
            firsts.setdefault(number, place)
        assignment = [g.assignment[firsts[number]] for number in range(area.count)]
        check_spanning(report, area.count, area.edges, drawn)
    check_tree(report, g, area, assignment, details, drawn, cut)


def check_spanning(report: Report, count: int, edges: Sequence[Any], drawn: Sequence[Any]) -> None:
    """So many edges fewer parts: no edge of the tree is there twice or closes a circle, and all parts are joined."""
    left = max(parts_of(count, drawn)) + 1
    good = set(edges).issuperset(drawn) and left == count - len(drawn) == max(parts_of(count, edges)) + 1
    report.check("spanning tree", good, f"{len(drawn):,} edges of the map join all areas without a cycle.")


def check_tree(
    report: Report, g: Any, area: Any, assignment: Sequence[int], details: Any, drawn: Sequence[Any], cut: Sequence[Any]
) -> None:
    """The tree's degree, what a theorem says of it, its cuts and the ceiling that follows."""
    degree = max(Counter(place for edge in drawn for place in edge).values(), default=0)
    degree_is_right = type(details.degree) is int and degree == details.degree
    report.check("tree degree", degree_is_right, f"the largest degree of the tree is {degree}.")
    cuts_a_tree = g.algorithm == "tree-split"
    if details.theorem or cuts_a_tree:
        least, most = THEOREMS[details.theorem]
        fewest = min(map(len, neighbours(area.count, area.edges)))
        planar = least == 0 or len(area.edges) <= 3 * area.count - 6
        good = cuts_a_tree and fewest >= least and planar and (most is None or degree <= most)
        words = f"“{details.theorem}” for a tree of degree {degree}; every area has {fewest} neighbours or more."
        report.check("theorem", good, words)
        if least:
            report.unchecked("planar", "that a graph is planar takes more than counting; the ratio 1 + d holds anyway.")
    if cuts_a_tree:
        first, end = KINDS_OF_TREE[g.options["tree"]]
        asked = details.theorem in list(THEOREMS)[first:end]
        report.check("kind of tree", asked, f"asked for was a tree of kind {g.options['tree']}.")
    kept = set(drawn) - set(cut)
    part = parts_of(area.count, kept)
    pairs = len(set(zip(part, assignment)))
    good = set(cut) <= set(drawn) and len(set(cut)) == len(cut) and max(part) + 1 == pairs == g.classes
    report.check("cut edges", good, f"cutting {len(cut):,} edges of the tree leaves the classes.")
    heaviest, ceiling = max(area.weights), None
    if cuts_a_tree and not g.require:
        ceiling = heaviest + degree * (g.k - 1)
    if g.algorithm == "general-graph" and not g.require:
        ceiling = max(3 * g.k - 3, heaviest, g.lower_bound + g.k - 1)
        if g.status == "stopped" and g.cost > ceiling:
            ceiling = None
    report.check("guarantee formula", g.guarantee == ceiling, f"the formula of {g.algorithm} gives {ceiling}.")


class Ground:
    """The map as wishes leave it: what counts as one area, and which borders no class may cross.

    Barriers leave blocks: areas that a chain of neighbours joins which lie in the same of the sets. A block stands when
    counting leaves room for its classes by themselves, and when it parts nothing that stays together. As long as a
    block does not stand, the lightest such is joined to the neighbour that serves it best.
    """

    def __init__(self, area: Any, parts: dict[str, Any], g: Any) -> None:
        place = {name: number for number, name in enumerate(parts["ids"])}
        sets = {name: [[place[one] for one in own] for own in parts.get(name, [])] for name in WISHES}
        self.area, self.near = area, neighbours(area.count, area.edges)
        self.together = joined(sets["together"])
        self.apart = [set(own) for own in sets["apart"]]
        minima = [(area.columns[one.fields["column"]], one.fields["m"]) for one in g.require]
        self.demands = [(area.weights, g.k), *minima]
        sides: list[tuple[int, ...]] = [()] * area.count
        for number, own in enumerate(sets["barriers"]):
            for one in own:
                sides[one] += (number,)
        inside = [(a, b) for a, b in area.edges if sides[a] == sides[b]]
        self.block, self.crossed = self._blocks(parts_of(area.count, inside))
        self.edges = [(a, b) for a, b in area.edges if self.block[a] == self.block[b]]

    def _blocks(self, block: list[int]) -> tuple[list[int], list[tuple[int, int]]]:
        """The block of each area, and the neighbours at which a barrier is crossed, in the order of joining."""
        held: dict[int, set[int]] = {}
        for one, own in enumerate(block):
            held.setdefault(own, set()).add(one)
        around = {own: {block[b] for a in held[own] for b in self.near[a]} - {own} for own in held}
        weak = {own for own in held if not self._stands(held[own])}
        crossed: list[tuple[int, int]] = []
        while True:
            left = [own for own in weak if around[own]]
            if not left:
                return block, crossed
            one = min(left, key=lambda own: self._rank(held[own]))
            other = self._partner(held, around, one)
            crossed.append(min(((a, b) for a in held[one] for b in self.near[a] if block[b] == other), key=sorted))
            for area in held[other]:
                block[area] = one
            held[one] |= held.pop(other)
            around[one] = (around[one] | around.pop(other)) - {one, other}
            for beside in around[one]:
                around[beside] = around[beside] - {other} | {one}
            weak -= {one, other}
            if not self._stands(held[one]):
                weak.add(one)

    def _partner(self, held: dict[int, set[int]], around: dict[int, set[int]], one: int) -> int:
        """The neighbour on the way to what must stay together with the block; then one with which it stands."""
        missing = {area for own in self.together if own & held[one] for area in own - held[one]}
        waiting = [own for own, areas in held.items() if missing & areas]
        steps = dict.fromkeys(waiting, 0)
        for own in waiting:  # grows while it is read: the nearest first
            for beside in around[own] - {one} - set(steps):
                steps[beside] = steps[own] + 1
                waiting.append(beside)

        def merit(other: int) -> Any:
            whole = any(held[other] <= own for own in self.together)
            stands = self._stands(held[one] | held[other])
            return steps.get(other, len(held)), whole, not stands, self._rank(held[other])

        return min(around[one], key=merit)

    def _rank(self, own: set[int]) -> tuple[int, int]:
        return sum(self.area.weights[area] for area in own), min(own)

    def _stands(self, own: set[int]) -> bool:
        classes = max([1, *(len(own & rivals) for rivals in self.apart)])
        enough = all(sum(values[area] for area in own) >= classes * least for values, least in self.demands)
        return enough and all(together <= own or not together & own for together in self.together)

    def items(self, wherever: bool) -> tuple[Any, list[int]]:
        """Areas that stay together as one item, where they border each other or wherever; and the item of each area."""
        held = {area: number for number, own in enumerate(self.together) for area in own}
        inside = [(a, b) for a, b in self.area.edges if a in held and held[a] == held.get(b)]
        item = parts_of(self.area.count, inside)
        if wherever:
            first = {number: min(own) for number, own in enumerate(self.together)}
            leads = [first[held[area]] if area in held else area for area in range(self.area.count)]
            number = {lead: place for place, lead in enumerate(sorted(set(leads)))}
            item = [number[lead] for lead in leads]
        count = max(item) + 1

        def summed(values: Sequence[int]) -> list[int]:
            sums = [0] * count
            for own, value in zip(item, values):
                sums[own] += value
            return sums

        edges = sorted({tuple(sorted((item[a], item[b]))) for a, b in self.edges if item[a] != item[b]})
        columns = {name: summed(values) for name, values in self.area.columns.items()}
        return SimpleNamespace(count=count, weights=summed(self.area.weights), edges=edges, columns=columns), item


WISHES = ("together", "apart", "barriers")


def bound_k(report: Report, g: Any, *instance: Any) -> tuple[bool, str]:
    """Every class holds at least k, or the threshold of a relaxed result."""
    return equal(least_weight(g) if g.bound_witness == [] else None, g)


def bound_heaviest_area(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """The heaviest area lies in some class."""
    (place,) = g.bound_witness
    return equal(area.weights[place] if 0 <= place < area.count else None, g)


def bound_average(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """Parts of the map hold at most so many classes, and the largest is at least their average."""
    part = parts_of(area.count, area.edges)
    if not g.bound_witness or not distinct(g.bound_witness, max(part) + 1):
        return equal(None, g)
    demands = [(area.weights, g.k)]
    if g.bound_name == "average class with minima":
        demands += [(area.columns[one.fields["column"]], one.fields["m"]) for one in g.require]
    total = most = 0
    for number in g.bound_witness:
        inside = [place for place, own in enumerate(part) if own == number]
        total += sum(area.weights[place] for place in inside)
        most += min(sum(values[place] for place in inside) // least for values, least in demands)
    return equal(-(-total // most), g)


def bound_light_set(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """Areas lighter than k together: the class of the heaviest of them has a neighbour of theirs."""
    near, members = neighbours(area.count, area.edges), set(g.bound_witness)
    if not distinct(g.bound_witness, area.count) or sum(area.weights[place] for place in members) >= g.k:
        return equal(None, g)
    around = {other for place in members for other in near[place]} - members
    heaviest = max(area.weights[place] for place in members)
    return equal(heaviest + min(area.weights[place] for place in around), g)


def bound_separator(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """Without some areas Y (the witness) a part falls into components; each class is in one, or holds one of Y.

    "hubs": a component C has at most w(C) / k classes. "room for classes" (whose witness has an area of the part
    first): they are counted more sharply. Components below k lie in classes with one of Y.
    """
    room = g.bound_name == "room for classes"
    first, hubs = g.bound_witness[0], g.bound_witness[1:] if room else g.bound_witness
    if not 0 <= first < area.count or not distinct(hubs, area.count):
        return equal(None, g)
    part = parts_of(area.count, area.edges)
    if any(part[hub] != part[first] for hub in hubs):
        return equal(None, g)
    inside = {place for place in range(area.count) if part[place] == part[first]} - set(hubs)
    component = parts_of(area.count, [(a, b) for a, b in area.edges if a in inside and b in inside])
    held: dict[int, list[int]] = {}
    for place in inside:
        held.setdefault(component[place], []).append(area.weights[place])
    light = sum(area.weights[hub] for hub in hubs) + sum(sum(own) for own in held.values() if sum(own) < g.k)
    heavy = [own for own in held.values() if sum(own) >= g.k]
    best = -(-light // len(hubs)) if hubs else 0
    if not room:
        every = len(hubs) + sum(sum(own) // g.k for own in heavy)
        return equal(max(best, -(-(light + sum(map(sum, heavy))) // every)), g)
    counted = sorted(((sum(own), _most_classes(own, g.k)) for own in heavy), key=lambda one: -Fraction(*one))
    total, classes = light, len(hubs)
    for weight, most in counted:
        total, classes = total + weight, classes + most
        best = max(best, -(-total // classes))
    return equal(best, g)


def _most_classes(weights: Sequence[int], k: int) -> int:
    """How many classes at most: the i heaviest lie in i of them, the others lack weight or areas."""
    upto = [0, *accumulate(sorted(weights, reverse=True))]
    most, i = upto[-1] // k, 0
    while i < most:
        fewest = bisect_left(upto, upto[i] + k) - i
        most = min(most, i + min((upto[-1] - upto[i]) // k, (len(weights) - i) // fewest))
        i += 1
    return most


SMALL_PIECE = 64  # areas left beside a class whose weight is looked at
MOST_SETS = 1_000_000  # areas and borders looked at


def bound_few_choices(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """Under a cap (the first of the witness) some areas have so few possible classes that these exclude each other."""
    cap, *areas = g.bound_witness
    near, work = neighbours(area.count, area.edges), [MOST_SETS * (10 if report.patient else 1)]
    if not areas or not distinct(areas, area.count) or not g.k <= cap < sum(area.weights):
        return equal(None, g)
    possible = {one: set(_possible_classes(area.weights, near, g.k, cap, one, work)) for one in areas}
    return equal(cap + 1 if _exclude_each_other(possible, work) else None, g)


def _spend(work: list[int], steps: int) -> None:
    work[0] -= steps
    if work[0] < 0:
        raise NotChecked("the possible classes of the areas of its witness are too many to look at all of them.")


def _possible_classes(
    weights: Sequence[int], near: list[list[int]], k: int, cap: int, first: int, work: list[int]
) -> Iterator[frozenset[int]]:
    """Every connected set of weight k to cap with an area that leaves beside it only pieces that can be classes too."""
    waiting = [(frozenset([first]), weights[first], frozenset(near[first]), frozenset([first]))]
    while waiting:
        members, weight, around, decided = waiting.pop()
        _spend(work, 1 + len(around))
        if weight > cap:
            continue
        if weight >= k and _leaves_classes(weights, near, k, cap, members, work):
            yield members
        for other in sorted(around - decided):
            decided = decided | {other}
            waiting.append((members | {other}, weight + weights[other], around.union(near[other]), decided))


def _leaves_classes(
    weights: Sequence[int], near: list[list[int]], k: int, cap: int, inside: frozenset[int], work: list[int]
) -> bool:
    """Whether every small piece beside a set weighs what m >= 1 classes of k to cap can weigh."""
    seen: set[int] = set()
    for first in {other for place in inside for other in near[place]} - inside:
        if first in seen:
            continue
        piece, waiting = {first}, [first]
        while waiting and len(piece) <= SMALL_PIECE:
            _spend(work, 1)
            fresh = set(near[waiting.pop()]) - inside - piece
            piece |= fresh
            waiting += fresh
        small = not waiting and len(piece) <= SMALL_PIECE
        seen |= piece
        weight = sum(weights[place] for place in piece)
        if small and (weight < k or -(-weight // cap) > weight // k):
            return False
    return True


def _exclude_each_other(possible: dict[int, set[frozenset[int]]], work: list[int]) -> bool:
    """Strike out each set that misses an area and meets all its possible classes, until an area has none left."""
    changed = True
    while changed and all(possible.values()):
        changed = False
        for one in sorted(possible, key=lambda area: len(possible[area])):
            own = possible[one]
            for other, sets in possible.items():
                struck = set()
                for some in sets:
                    if one not in some:
                        _spend(work, 1)
                        if all(not some.isdisjoint(mine) for mine in own):
                            struck.add(some)
                if struck:
                    possible[other] = sets - struck
                    changed = True
    return not all(possible.values())


MOST_STEPS = 300_000  # ways to add an area to a state that are tried
State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]


def bound_no_way_round(report: Report, g: Any, area: Any) -> tuple[bool, str]:
    """However some areas are grouped, with others around them or not, a class exceeds a cap or misses k.

    The witness is the cap, how many states are kept, and the areas in an order. They come one after another. A state
    says how those that have neighbours still to come fall into parts of classes; of each part up to k the most that it
    can weigh, and the least that it weighs; and what classes weigh above k together, at the least. Too many states that
    are similar become one that allows for all of them. Where no state is left there is no way.
    """
    cap, limit, areas = g.bound_witness[0], g.bound_witness[1], g.bound_witness[2:]
    if not areas or not distinct(areas, area.count) or not g.k <= cap < sum(area.weights) or limit < 1:
        return equal(None, g)
    part = parts_of(area.count, area.edges)
    if any(part[one] != part[areas[0]] for one in areas):
        return equal(None, g)
    total = sum(weight for place, weight in enumerate(area.weights) if part[place] == part[areas[0]])
    spare = total - -(-total // cap) * g.k  # of at least total / cap classes
    near, left = neighbours(area.count, area.edges), MOST_STEPS * (10 if report.patient else 1)
    waiting: list[int] = []
    states: set[State] = {((), (), (), 0)}
    for count, one in enumerate(areas, 1):
        come, to_come = set(areas[:count]), set(areas[count:])
        around = [place for place, other in enumerate(waiting) if other in near[one]]
        left -= (len(states) + 1) << len(around)
        if left < 0:
            raise NotChecked(
                "its witness has too many states to look at all of them in plain Python, as kanon verify does."
            )
        stays = [any(other in to_come for other in near[each]) for each in [*waiting, one]]
        rim = any(other not in come and other not in to_come for other in near[one])
        found: set[State] = set()
        for state in states:
            found.update(_next_states(state, area.weights[one], rim, around, stays, g.k, cap))
        states = _best_states(found, g.k, spare if 0 <= spare < g.k else None)
        if not states:
            return equal(cap + 1, g)
        waiting = [each for each, stay in zip([*waiting, one], stays) if stay]
        grain = max(1, g.k // 2_000)
        while len(states) > limit:
            merged = _merged_states(states, grain)
            if len(merged) <= limit:
                states = merged
            elif grain > cap:
                return equal(None, g)
            grain *= 2
    return equal(None, g)


def _next_states(
    state: State, weight: int, rim: bool, around: list[int], stays: list[bool], k: int, cap: int
) -> Iterator[State]:
    """The area alone, or joined to any of the parts around it; a part of which no area stays is a class."""
    parts, most, least, excess = state
    choices = [0]
    for own in sorted({parts[place] for place in around}):
        choices += [chosen | 1 << own for chosen in choices]
    for chosen in choices:
        joined = [own for own in range(len(most)) if chosen >> own & 1]
        low = weight + sum(least[own] for own in joined)
        if low > cap:
            continue
        high = k if rim else min(k, weight + sum(most[own] for own in joined))
        over = excess + max(low - k, 0) - sum(max(least[own] - k, 0) for own in joined)
        new = len(most)
        all_of = [new if chosen >> own & 1 else own for own in parts] + [new]
        kept = [own for own, stay in zip(all_of, stays) if stay]
        mosts, leasts = [*most, high], [*least, low]
        if any(mosts[own] < k for own in set(all_of) - set(kept)):
            continue
        number = {own: place for place, own in enumerate(dict.fromkeys(kept))}
        loads = tuple(mosts[own] for own in number), tuple(leasts[own] for own in number)
        yield (tuple(number[own] for own in kept), *loads, over)


def _best_states(states: set[State], k: int, spare: int | None) -> set[State]:
    """Without those that leave too little weight, and those to which another with equal parts and mosts is as good."""
    alike: dict[Any, list[tuple[int, ...]]] = {}
    for parts, most, least, excess in sorted(states):
        if spare is None or excess <= spare:
            loads = (*least, 0 if spare is None else excess)
            kept = alike.setdefault((parts, most), [])
            if not any(all(a <= b for a, b in zip(other, loads)) for other in kept):
                kept.append(loads)
    return {(*key, loads[:-1], loads[-1]) for key, kept in alike.items() for loads in kept}


def _merged_states(states: set[State], grain: int) -> set[State]:
    """One for all with equal parts whose loads lie in the same cells: the largest most, the least of the others."""
    merged: dict[Any, tuple[tuple[int, ...], tuple[int, ...], int]] = {}
    for parts, most, least, excess in states:
        key = parts, tuple((low + high) // (2 * grain) for low, high in zip(least, most))
        old = merged.get(key, (most, least, excess))
        merged[key] = tuple(map(max, most, old[0])), tuple(map(min, least, old[1])), min(excess, old[2])
    return {(parts, *rest) for (parts, _), rest in merged.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Points (rectangles): rectangles that tile the bounding box
# ---------------------------------------------------------------------------------------------------------------------


def check_rectangles(report: Report, instance: Any, g: Any) -> None:
    """The rectangles tile the box, each point lies in its own, no equal points are parted, and the cuts make them."""
    xy = [tuple(row) for row in instance.parts["xy"].rows()]
    details = unpacked(g.details, "RectangleDetails")
    snap = g.options.get("snap")
    uncut = g.options.get("guillotine") is False and not details.splits
    form = len(details.rectangles) == g.classes and all(len(row) == 4 for row in details.rectangles)
    form = form and len(details.splits) == (0 if uncut else g.classes - 1)
    rule = details.cut == g.options.get("cut", g.algorithm)
    report.need("rectangles", form and rule, f"there is one for each class; the rule of the cuts is “{details.cut}”.")
    report.need("grid", snap is None or (math.isfinite(snap) and snap > 0), f"the size of its cells is {snap}.")
    box = _grid_box(xy, snap) if snap is not None else _bounding_box(xy)
    if snap is not None:
        on_grid = all(round(side / snap) * snap == side for row in details.rectangles for side in row)
        taken = [{point[axis] for point in xy} for axis in range(2)]
        clear = not any(side in taken[place % 2] for row in details.rectangles for place, side in enumerate(row))
        report.check("grid", on_grid and clear, f"all sides are multiples of {snap}, and no point's coordinate.")
    _check_tiling(report, details.rectangles, box)
    inside = 0
    for (x, y), own in zip(xy, g.assignment):
        west, south, east, north = details.rectangles[own]
        inside += west <= x and (x < east or x == east == box[2]) and south <= y and (y < north or y == north == box[3])
    report.check("contents", inside == len(xy), f"{inside:,} of {len(xy):,} points lie in their class's rectangle.")
    class_of: dict[Any, int] = {}
    together = all(class_of.setdefault(place, own) == own for place, own in zip(xy, g.assignment))
    report.check("locations", together, f"points with equal coordinates share a class at {len(class_of):,} locations.")
    _check_cuts(report, g, details, box, uncut)
    lines = Lines(xy, instance.weights)
    report.run("bound witness", check_bound, g, lines)
    if g.require:
        report.check("guarantee formula", g.guarantee is None, "no ceiling is proven where rectangles were merged.")
        return
    ceiling = _ceiling(lines if snap is None else Lines(_cell_numbers(xy, snap), instance.weights), g.k)
    report.check("guarantee formula", g.guarantee == ceiling, f"no rectangle that cannot be cut exceeds {ceiling:,}.")


class Lines:
    """Points on their vertical lines (columns), horizontal lines (rows) and locations, numbered from low to high."""

    def __init__(self, xy: Sequence[Any], weights: Sequence[int]) -> None:
        self.weights, self.total = weights, sum(weights)
        self.column, self.row = (_numbered([point[axis] for point in xy]) for axis in range(2))
        self.location = _numbered(list(zip(self.column, self.row)))


def _numbered(values: Sequence[Any]) -> list[int]:
    number = {value: place for place, value in enumerate(sorted(set(values)))}
    return [number[value] for value in values]


def _bounding_box(xy: Sequence[Any]) -> tuple[float, ...]:
    """The smallest box; a side moves out by one step where the next smaller number is a coordinate too."""
    sides = []
    for axis in range(2):
        values = {point[axis] for point in xy}
        top = max(values)
        tight = math.nextafter(top, -math.inf) in values
        sides.append((min(values), math.nextafter(top, math.inf) if tight else top))
    (west, east), (south, north) = sides
    return west, south, east, north


def _grid_box(xy: Sequence[Any], snap: float) -> tuple[float, ...]:
    """The smallest box on the grid that no point touches."""
    sides = []
    for sign in (1, -1):
        for axis in range(2):
            value = min(sign * point[axis] for point in xy)
            line = math.floor(value / snap)
            while line * snap >= value:
                line -= 1
            while (line + 1) * snap < value:
                line += 1
            sides.append(sign * line * snap + 0.0)
    return tuple(sides)


def _check_tiling(report: Report, rectangles: Sequence[Any], box: Sequence[float]) -> None:
    """Corners with signs +1, -1, -1, +1: of rectangles that cover the box once, those of the box alone are left."""
    corners: Counter[Any] = Counter()
    for row in [*rectangles, None]:
        west, south, east, north = row or box
        sign = 1 if row else -1
        if box[0] == box[2]:  # a box without extent: every rectangle has the same none
            report.need("tiling", west == east == box[0], "no rectangle leaves the bounding box.")
            west, east = 0.0, 1.0
        if box[1] == box[3]:
            report.need("tiling", south == north == box[1], "no rectangle leaves the bounding box.")
            south, north = 0.0, 1.0
        if not (west < east and south < north):
            report.need("tiling", False, "a rectangle has no extent.")
        for corner, own in (((west, south), 1), ((east, south), -1), ((west, north), -1), ((east, north), 1)):
            corners[corner] += sign * own
    covered = not any(corners.values())
    report.check("tiling", covered, f"{len(rectangles):,} rectangles cover the bounding box without overlap.")


def _check_cuts(report: Report, g: Any, details: Any, box: Sequence[float], uncut: bool) -> None:
    """Each cut splits a rectangle that is there, and the rectangles are left; or no cuts make them, where none are."""
    if uncut and g.classes > 1:
        good = not _can_be_cut([tuple(row) for row in details.rectangles])
        report.check("cuts", good, "no cuts from side to side make the rectangles.")
        return
    boxes = {0: tuple(box)}
    for number, (part, axis, line) in enumerate(details.splits):
        mine = boxes.pop(part, None)
        good = mine is not None and axis in (0, 1) and mine[int(axis)] < line < mine[int(axis) + 2]
        if mine is None or not good:
            report.need("cuts", False, f"cut {number + 1} does not split a rectangle.")
            return
        low, high = list(mine), list(mine)
        low[int(axis) + 2] = high[int(axis)] = line
        boxes[2 * number + 1], boxes[2 * number + 2] = tuple(low), tuple(high)
    same = sorted(boxes.values()) == sorted(tuple(row) for row in details.rectangles)
    report.check("cuts", same, f"{len(details.splits):,} cuts make the rectangles from the bounding box.")


def _can_be_cut(rectangles: Sequence[Any]) -> bool:
    """Whether lines that cross no rectangle part all of them, again and again."""
    waiting = [rectangles]
    while waiting:
        part = waiting.pop()
        if len(part) > 1:
            for axis, line in {(axis, row[axis]) for row in part for axis in range(2)}:
                low = [row for row in part if row[axis] < line]
                if low and all(row[axis + 2] <= line for row in low):
                    waiting += [low, [row for row in part if row[axis] >= line]]
                    break
            else:
                return False
    return True


def _cell_numbers(xy: Sequence[Any], snap: float) -> list[tuple[int, int]]:
    """Points between which no multiple of the grid's size fits share a number."""
    numbers = []
    for axis in range(2):
        known = sorted({point[axis] for point in xy})
        number, place = {known[0]: 0}, 0
        for before, after in zip(known, known[1:]):
            lines = [(math.floor(before / snap) + step) * snap for step in range(3)]
            place += any(before < line < after for line in lines)
            number[after] = place
        numbers.append(number)
    return [(numbers[0][x], numbers[1][y]) for x, y in xy]


def _ceiling(lines: Lines, k: int) -> int:
    """The most that a rectangle weighs which no line cuts into two parts of k: see docs/proofs/rectangles of kanon.

    On both sides of some vertical line, and of some horizontal one, it has at most s < k; what is left lies on the
    lines, in runs of at most s on both sides of the crossing.
    """
    loads: Counter[int] = Counter()
    where: dict[int, tuple[int, int]] = {}
    for number, weight, column, row in zip(lines.location, lines.weights, lines.column, lines.row):
        loads[number] += weight
        where[number] = column, row
    side = 0 if min(loads.values()) >= k else k - 1 - (k - 1) % math.gcd(*loads.values())
    vertical, vertical_gap = _runs(loads, where, 0, side)
    horizontal, horizontal_gap = _runs(loads, where, 1, side)
    crossing = max(min(vertical[place], horizontal[place]) for place in loads)
    return min(lines.total, 2 * side + max(crossing, min(vertical_gap, horizontal_gap)))


def _runs(loads: Counter[int], where: dict[int, Any], axis: int, side: int) -> tuple[dict[int, int], int]:
    """The heaviest run of a line through each location with at most `side` before and behind it, and around a gap."""
    on_line: dict[int, list[int]] = {}
    for place in sorted(loads, key=lambda one: where[one][1 - axis]):
        on_line.setdefault(where[place][axis], []).append(place)
    through, gap = {}, 0
    for places in on_line.values():
        own = [loads[place] for place in places]
        back, ahead = _reach(own, side), _reach(own[::-1], side)[::-1]
        for number, place in enumerate(places):
            before = back[number - 1] if number else 0
            behind = ahead[number + 1] if number + 1 < len(own) else 0
            through[place] = before + own[number] + behind
            gap = max(gap, back[number] + behind, before + ahead[number])
    return through, gap


def _reach(loads: Sequence[int], side: int) -> list[int]:
    """The weight of the longest run that ends at each place and weighs at most `side`."""
    found, first, weight = [], 0, 0
    for place, load in enumerate(loads):
        weight += load
        while weight > side:
            weight -= loads[first]
            first += 1
        found.append(weight if first <= place else 0)
    return found


MANY = 200_000  # points outside all useful lines, above which every location counts by itself


class Cells:
    """Points by the lines that leave k on both sides: only on such a line can a side inside a tiling lie."""

    def __init__(self, lines: Lines, k: int) -> None:
        column, row = (_useful(own, lines.weights, k) for own in (lines.column, lines.row))
        wide, high = max(column), max(row)
        outside = [place for place, own in enumerate(zip(column, row)) if own[0] in (0, wide) or own[1] in (0, high)]
        self.column, self.row, cell = lines.column, lines.row, list(lines.location)
        if len(outside) <= MANY or not (wide or high):
            self.column, self.row = column, row
            for place in outside:  # points that no line can part
                cell[place] = -1 - column[place] * (high + 1) - row[place]
        self.cell, self.weights, self.total = cell, lines.weights, lines.total
        self.load: Counter[int] = Counter()
        for own, weight in zip(cell, lines.weights):
            self.load[own] += weight
        self.location = lines.location


def _useful(line: Sequence[int], weights: Sequence[int], k: int) -> list[int]:
    """How many lines with k on both sides lie below each point."""
    sums = [0] * (max(line) + 1)
    for own, weight in zip(line, weights):
        sums[own] += weight
    total, below, number, numbers = sum(sums), 0, 0, []
    for own in sums:
        number += below >= k and total - below >= k
        numbers.append(number)
        below += own
    return [numbers[own] for own in line]


def no_sum_between(report: Report, loads: Sequence[int], k: int, least: int) -> bool:
    """Whether no sum of some loads lies from k to below `least`."""
    if least <= k:
        return least == k
    unit = math.gcd(*loads)
    if least == -(-k // unit) * unit:
        return True
    if any(k <= load < least for load in loads):
        return False
    light = [load for load in loads if load < k]
    if sum(light) < k:
        return True
    if least >= 2 * k:
        return False  # light loads that reach k have a sum below 2 k
    if len(light) <= LISTED:
        return not any(k <= some < least for some in all_sums(light))
    width = -(-least // unit)
    report.afford(width // 20_000 * len(light) + width // 8)
    sums, keep = 1, (1 << width) - 1  # bit s: some loads add up to s units
    for load in light:
        sums |= sums << load // unit & keep
    return sums >> -(-k // unit) == 0


LISTED = 16  # numbers of which every sum is listed
HALVED = 40  # numbers of whose halves every sum is listed


def all_sums(numbers: Iterable[int]) -> set[int]:
    """Every sum of some of few numbers."""
    sums = {0}
    for number in numbers:
        sums |= {other + number for other in sums}
    return sums


def bound_location(report: Report, g: Any, lines: Lines) -> tuple[bool, str]:
    """The heaviest location, or points that no cut can part, lie in one rectangle."""
    cells, (place,) = Cells(lines, g.k), g.bound_witness
    if not 0 <= place < len(cells.cell):
        return equal(None, g)
    inside = {where for where, own in zip(cells.location, cells.cell) if own == cells.cell[place]}
    fits = (len(inside) == 1) == (g.bound_name == "heaviest location")
    return equal(cells.load[cells.cell[place]] if fits else None, g)


def bound_least_sum(report: Report, g: Any, lines: Lines) -> tuple[bool, str]:
    """No sum of cells lies between k and the bound."""
    (least,) = g.bound_witness
    return equal(least if no_sum_between(report, list(Cells(lines, g.k).load.values()), g.k, least) else None, g)


def bound_average_rectangle(report: Report, g: Any, lines: Lines) -> tuple[bool, str]:
    """Every class weighs at least the least sum, or takes so many of the lightest locations: there are few classes."""
    loads = sorted(Cells(lines, g.k).load.values(), reverse=True)
    *excluded, least = g.bound_witness
    if not no_sum_between(report, loads, g.k, least):
        return equal(None, g)
    if g.bound_name == "average class":
        most = sum(min(load, least) for load in loads) // least
        return equal(-(-lines.total // max(most, 1)) if not excluded else None, g)
    (heavy,) = excluded
    if not 0 <= heavy < len(loads):
        return equal(None, g)
    needed = sum(upto < least for upto in accumulate(loads[heavy:])) + 1
    most = heavy + (len(loads) - heavy) // needed
    return equal(-(-lines.total // max(most, 1)), g)


SHARE = 1 << 128  # what shares are counted in


def bound_least_rectangle(report: Report, g: Any, lines: Lines) -> tuple[bool, str]:
    """One of the points lies in no lighter rectangle of weight k or more."""
    cells, (place,) = Cells(lines, g.k), g.bound_witness
    lightest = _lightest(report, cells, g.k)
    found = lightest[cells.column[place]][cells.row[place]] if 0 <= place < len(cells.cell) else None
    return equal(found, g)


def bound_shares(report: Report, g: Any, lines: Lines) -> tuple[bool, str]:
    """A point's share of a class is at most its weight over its lightest rectangle: the shares are the classes."""
    if g.bound_witness:
        return equal(None, g)
    cells = Cells(lines, g.k)
    lightest = _lightest(report, cells, g.k)
    inside: Counter[int] = Counter()
    for column, row, weight in zip(cells.column, cells.row, cells.weights):
        inside[lightest[column][row]] += weight
    shares = sum(-(-weight * SHARE // rectangle) for rectangle, weight in inside.items())
    average, best = -(-cells.total // (shares // SHARE)), cells.total
    for _, _, upto in _strips(cells):
        top = 0
        for bottom in range(len(upto) - 1):
            while top < len(upto) and upto[top] - upto[bottom] < average:
                top += 1
            if top == len(upto):
                break
            best = min(best, upto[top] - upto[bottom])
    return equal(best, g)


def _strips(cells: Cells) -> Iterator[tuple[int, int, list[int]]]:
    """For every run of columns (first to before end) the weights below each of its rows."""
    wide, high = max(cells.column) + 1, max(cells.row) + 1
    table = [[0] * high for _ in range(wide)]
    for column, row, weight in zip(cells.column, cells.row, cells.weights):
        table[column][row] += weight
    for first in range(wide):
        strip = [0] * high
        for end in range(first + 1, wide + 1):
            strip = [one + other for one, other in zip(strip, table[end - 1])]
            yield first, end, [0, *accumulate(strip)]


def _lightest(report: Report, cells: Cells, k: int) -> list[list[int]]:
    """For every column and row the least weight, k or more, of a rectangle of whole columns and rows with both."""
    wide, high = max(cells.column) + 1, max(cells.row) + 1
    report.afford(wide * wide * high * (wide + high) // 12)
    lightest = [[cells.total] * high for _ in range(wide)]
    for first, end, upto in _strips(cells):
        top = [bisect_left(upto, upto[bottom] + k) for bottom in range(high)]  # where a rectangle from there reaches k
        for row in range(high):
            # from a bottom at or below the row: up to where it reaches k, but at least over the row
            best = cells.total
            for bottom in range(row, -1, -1):
                if top[bottom] <= row + 1:
                    best = min(best, upto[row + 1] - upto[bottom])
                    break
                if top[bottom] <= high:
                    best = min(best, upto[top[bottom]] - upto[bottom])
            for column in range(first, end):
                if best < lightest[column][row]:
                    lightest[column][row] = best
    return lightest


# ---------------------------------------------------------------------------------------------------------------------
# Labels: any grouping, packed like bins
# ---------------------------------------------------------------------------------------------------------------------

SORTED_FOLD = ("five-halves", "two-approximation", "scheme", "relaxed-scheme", "near-optimal")
MERGED = ", then merged as long as one fails a requirement"


def check_labels(report: Report, instance: Any, g: Any) -> None:
    """How the bins were filled; labels that stay together are one label at the place of the first."""
    names, counts, assignment = instance.parts["names"], instance.weights, g.assignment
    check_sets(report, instance, g, names)
    together, apart = instance.parts.get("together"), instance.parts.get("apart")
    if together:
        place = {name: number for number, name in enumerate(names)}
        lead = list(range(len(names)))
        for own in joined([place[name] for name in members] for members in together):
            for one in own:
                lead[one] = min(own)
        sums: Counter[int] = Counter()
        for first, count in zip(lead, counts):
            sums[first] += count
        firsts = [one for one in range(len(names)) if lead[one] == one]
        counts, assignment = [sums[one] for one in firsts], [g.assignment[one] for one in firsts]
    report.run("bound witness", check_bound, g, counts)
    if g.algorithm in ("fold", "spread") and not g.require:
        _check_next_fit(report, g, counts, assignment)
        return
    details = unpacked(g.details, "BinDetails")
    told = isinstance(details.method, str) and details.method.strip() != ""
    report.check("details", told, f"the packing was made by “{details.method}”.")
    least = least_weight(g)
    report.check("threshold", details.threshold == least, f"every bin had to reach {least:,}.")
    whole = sorted(details.order) == list(range(len(counts)))
    report.need("packing order", whole, f"each of {len(counts):,} labels was placed once.")
    opened = list(dict.fromkeys(assignment[one] for one in details.order))
    report.check("opening order", opened == list(range(g.classes)), f"{g.classes:,} bins are numbered as opened.")
    ceiling = None
    if not apart and not g.require:
        if g.algorithm in SORTED_FOLD:
            ceiling = _sorted_fold(counts, g.k)
        if g.algorithm == "ordered":
            ceiling = min(sum(counts), 2 * (g.k - 1) + max(counts))
    report.check("guarantee formula", g.guarantee == ceiling, f"the formula of {g.algorithm} gives {ceiling}.")
    if g.algorithm == "ordered":
        _check_intervals_of_labels(report, g, names, instance.weights, details, bool(together))


def _sorted_fold(counts: Sequence[int], k: int) -> int:
    """The cost of Fold on the sorted labels."""
    levels, level = [], 0
    for count in sorted(counts, reverse=True):
        level += count
        if level >= k:
            levels.append(level)
            level = 0
    return max(max(levels), min(levels) + level)


def _check_next_fit(report: Report, g: Any, counts: Sequence[int], assignment: Sequence[int]) -> None:
    """Labels of k or more alone, then bin after bin, then what is left by the rule of Fold or Spread."""
    details = unpacked(g.details, "LabelDetails")
    k, order, alone, placed = g.k, details.order, details.alone, details.placed
    report.check("threshold", details.threshold == k, f"every bin had to reach {k:,}.")
    given = g.options["order"]
    every = list(range(len(counts)))
    report.need("packing order", sorted(order) == every, f"each of {len(counts):,} labels was placed once.")
    if given == "random":
        report.unchecked("random order", "it is made by NumPy's generator from the seed.")
        promised = [one for one in order if counts[one] >= k] + [one for one in order if counts[one] < k]
    else:
        report.need("packing order", given in ("given", "sorted"), f"the order “{given}” is known.")
        chosen = sorted(every, key=lambda one: -counts[one]) if given == "sorted" else every
        promised = [one for one in chosen if counts[one] >= k] + [one for one in chosen if counts[one] < k]
    report.check("packing order", order == promised, f"labels of k or more come first, the others in {given} order.")
    heavy = sum(count >= k for count in counts)
    own = [assignment[one] for one in order[:heavy]] == list(range(heavy))
    report.check("heavy labels", alone == heavy and own, f"{heavy:,} labels of at least k have bins of their own.")
    bins, number, level = [], heavy, 0
    for one in order[heavy:]:
        bins.append(number)
        level += counts[one]
        if level >= k:
            number, level = number + 1, 0
    filled = [one for one in bins if one < number]
    good = placed == heavy + len(filled) and number == g.classes
    good = good and [assignment[one] for one in order[heavy:placed]] == filled
    report.check("next fit", good, f"{len(filled):,} labels fill {number - heavy:,} bins one after another.")
    left = order[placed:]
    noted = [assignment[one] for one in left] == details.leftover_classes
    report.check("leftover classes", noted, f"{len(left):,} labels were left over and have the classes that are noted.")
    levels = [0] * g.classes
    for one in order[:placed]:
        levels[assignment[one]] += counts[one]
    if g.algorithm == "fold":
        expected = [levels.index(min(levels))] * len(left)
    else:
        expected = _spread(levels, [counts[one] for one in left])
    report.check("leftover rule", details.leftover_classes == expected, f"they are put where {g.algorithm} puts them.")
    by_next_fit = g.classes > heavy
    full = k - 1 + max((count for count in counts if count < k), default=0)
    large = [count for count in counts if count >= k] + ([full] if by_next_fit else [])
    ceiling = max(max(large), min(large) + (k - 1 if placed < len(counts) else 0))
    report.check("guarantee formula", g.guarantee == ceiling, f"the ceiling of Fold and Spread is {ceiling:,}.")


def _spread(levels: Sequence[int], weights: Sequence[int]) -> list[int]:
    """In the lightest bin as long as the largest stays the largest, then in turn."""
    largest = max(levels)
    targets: list[int] = []
    queue = [(level, number) for number, level in enumerate(levels)]
    heapq.heapify(queue)
    while len(targets) < len(weights) and queue[0][0] + weights[len(targets)] <= largest:
        level, number = queue[0]
        heapq.heapreplace(queue, (level + weights[len(targets)], number))
        targets.append(number)
    turn = [number for _, number in sorted(queue)]
    return targets + [turn[place % len(turn)] for place in range(len(weights) - len(targets))]


def _check_intervals_of_labels(
    report: Report, g: Any, names: Sequence[Any], counts: Sequence[int], details: Any, together: bool
) -> None:
    """The order that was asked for, its intervals, and that none are better."""
    by, texts = g.options["by"], [str(name) for name in names]
    keys: dict[str, Callable[[int], Any]] = {
        "given": lambda place: place,
        "name": lambda place: texts[place],
        "number": lambda place: _number(texts[place]),
    }
    order = sorted(range(len(names)), key=keys[by])
    report.check("order", details.order == order, f"all {len(order):,} labels stand in {by} order.")
    method = f"the best intervals by {by} order" + (MERGED if g.require else "")
    report.check("method", details.method == method, f"the result is called “{details.method}”.")
    row = [g.assignment[place] for place in details.order]
    good = not together and all(0 <= after - before <= 1 for before, after in zip(row, row[1:]))
    report.check("intervals", good, f"the {g.classes:,} classes are intervals of that order.")
    if not g.require:
        better = _intervals_below([counts[place] for place in details.order], g.k, g.cost)
        report.check("best intervals", not better, f"no intervals of that order stay below {g.cost:,}.")


def _number(text: str) -> Any:
    return int(text) if re.fullmatch(r"\s*[+-]?\d+\s*", text) else float(text)


def _intervals_below(counts: Sequence[int], k: int, cost: int) -> bool:
    """Whether intervals of k to below the cost make up the whole."""
    upto = [0, *accumulate(counts)]
    good = [0]  # ends of what can be divided, in order
    first = 0
    for end in range(1, len(upto)):
        while first < len(good) and upto[end] - upto[good[first]] >= cost:
            first += 1
        if first < len(good) and upto[end] - upto[good[first]] >= k:
            good.append(end)
    return good[-1] == len(counts)


def bound_heaviest_label(report: Report, g: Any, counts: Sequence[int]) -> tuple[bool, str]:
    """The most frequent label lies in some class; "class of a label": and needs others to reach k."""
    (place,) = g.bound_witness
    if not 0 <= place < len(counts):
        return equal(None, g)
    own = counts[place]
    if g.bound_name == "heaviest label":
        return equal(own, g)
    others = [*counts[:place], *counts[place + 1 :]]
    least = least_sum(report, others, max(least_weight(g) - own, 0))
    return equal(None if least is None else own + least, g)


def bound_few_classes(report: Report, g: Any, counts: Sequence[int]) -> tuple[bool, str]:
    """There is room for only so many classes, by the last two of the witness.

    So the largest is at least their average, or the next sum of labels from there on ("sum of labels"), or one holds
    several of the most frequent labels ("crowded class").
    """
    *first, excluded, middle = g.bound_witness
    k, descending, total = least_weight(g), sorted(counts, reverse=True), sum(counts)
    most = most_classes(counts, k, excluded, middle)
    if most is None or len(first) != (g.bound_name == "crowded class"):
        return equal(None, g)
    if g.bound_name == "average class":
        return equal(-(-total // most), g)
    if g.bound_name == "crowded class":
        (number,) = first
        good = 0 < number <= len(counts)
        return equal(sum(descending[number - -(-number // most) : number]) if good else None, g)
    least = least_sum(report, counts, k)
    if least is None:
        return equal(None, g)
    most = min(most, total // least)
    return equal(least_sum(report, counts, max(k, descending[0], -(-total // most))), g)


def most_classes(counts: Sequence[int], k: int, excluded: int, middle: int) -> int | None:
    """One class for each of the heaviest labels excluded; the other classes lack weight, or labels up to the middle."""
    if not 0 <= excluded <= middle <= len(counts):
        return None
    descending = sorted(counts, reverse=True)
    dealt, after = descending[excluded:middle], sum(descending[middle:])
    fewest = bisect_left(list(accumulate(dealt)), k - after) + 1 if k > after else 0
    room = (sum(dealt) + after) // k
    return excluded + (min(room, len(dealt) // fewest) if fewest else room)


COVER_BITS, COVER_SUMS, COVER_TRIES = 124, 1 << 20, 24_000_000


def bound_exact_cover(report: Report, g: Any, counts: Sequence[int]) -> tuple[bool, str]:
    """No choice of what classes from k to the cap of the witness can hold has every label once.

    There is room for only so many classes, by the last two of the witness. What a class holds is one number: its
    weight, and below that, in fields of bits, how many labels of each weight; above each field lies a guard.
    """
    cap, *places = g.bound_witness
    k, numbers, shifts, width = least_weight(g), Counter(counts), [], 0
    most = most_classes(counts, k, *places)
    if most is None or cap < k:
        return equal(None, g)
    for weight in sorted(numbers):  # the heaviest has the highest bits
        shifts.append(width)
        width += numbers[weight].bit_length() + 1
    units = [(weight << width | 1 << shift, numbers[weight]) for weight, shift in zip(sorted(numbers), shifts)]
    contents = _contents(units, width, max(k, sum(counts) - (most - 1) * cap), cap)
    if contents is None or not _no_cover(units, contents, shifts, width, (k, cap, most)):
        return equal(None, g)
    return equal(cap + 1, g)


def _contents(units: list[tuple[int, int]], width: int, low: int, cap: int) -> list[int] | None:
    """What a class that weighs `low` to the cap can hold, the heaviest first; None if that is too much to list."""
    one, other, found = [0], [0], []
    for unit, number in reversed(units):
        one, other = sorted((one, other), key=len)  # the next labels go to the shorter half
        base = one
        for taken in range(1, number + 1):
            one = one + [held + taken * unit for held in base if held + taken * unit < cap + 1 << width]
            if width > COVER_BITS or len(one) > COVER_SUMS:
                return None
    other.sort()
    for held in one:
        begin = bisect_left(other, max(low - (held >> width), 0) << width)
        found += [held + rest for rest in other[begin : bisect_left(other, cap + 1 - (held >> width) << width)]]
        if len(found) > COVER_SUMS:
            return None
    return sorted(found, reverse=True)


def _no_cover(
    units: list[tuple[int, int]], contents: list[int], shifts: list[int], width: int, limits: tuple[int, int, int]
) -> bool:
    """Whether nothing uses up all labels, when the heaviest that is left gets one content after another."""
    k, cap, most = limits
    fields, guards = (1 << width) - 1, sum(1 << shift - 1 for shift in [*shifts[1:], width])

    def heaviest(held: int) -> int:
        return bisect_right(shifts, (held & fields).bit_length() - 1)

    of: dict[int, list[int]] = {kind + 1: [] for kind in range(len(shifts))}
    for content in contents:
        of[heaviest(content)].append(content)
    labels = sum(unit * number for unit, number in units)
    failed: dict[int, int] = {}  # labels that cannot be packed: into how many classes or fewer
    tries, stack = 0, [(labels, most, iter(of[len(shifts)]))]
    while stack and tries <= COVER_TRIES:
        left, classes, mine = stack[-1]
        least = max(k, (left >> width) - (classes - 1) * cap) << width
        for content in mine:
            tries += 1
            if content < least:
                failed[left] = classes
                break
            if (left & fields | guards) - (content & fields) & guards != guards:
                continue
            rest = left - content
            others = min((rest >> width) // k, classes - 1)
            if rest == 0:
                return False
            if -(-(rest >> width) // cap) <= others and failed.get(rest, 0) < others:
                stack.append((rest, others, iter(of[heaviest(rest)])))
                break
        else:
            failed[left] = classes
        if failed.get(left, 0) >= classes:
            stack.pop()
    return not stack


def least_sum(report: Report, counts: Sequence[int], value: int) -> int | None:
    """The least sum of some of the counts that is at least so much: one count, or a sum of counts below the value."""
    if value <= 0:
        return 0
    light, found = [count for count in counts if count < value], [count for count in counts if count >= value]
    if len(light) <= LISTED:
        return min([*found, *(some for some in all_sums(light) if some >= value)], default=None)
    unit = math.gcd(*light)
    aim = -(-value // unit)
    if len(light) <= HALVED and 1 << len(light) // 2 < aim // 20_000 * len(light):
        one, other = sorted(all_sums(light[::2])), sorted(all_sums(light[1::2]))
        for some in one:
            place = bisect_left(other, value - some)
            if place < len(other):
                found.append(some + other[place])
        return min(found, default=None)
    report.afford(aim // 20_000 * len(light) + aim // 8)
    below, sums = (1 << aim) - 1, 1  # bit s: some counts add up to s units
    for count in light:
        sums |= sums << count // unit
        above = sums >> aim
        if above:
            found.append((aim + (above & -above).bit_length() - 1) * unit)
            sums &= below
    return min(found, default=None)


# ---------------------------------------------------------------------------------------------------------------------
# Tables: intervals of every column, boxes, or hidden cells
# ---------------------------------------------------------------------------------------------------------------------

FINEST_SCALE = 10**6
PARTS_OF_A_GAP = 100
BOXES = ("mondrian", "local-cuts", "exact")


def check_tables(report: Report, instance: Any, g: Any) -> None:
    """By the kind of the details; what all have in common first."""
    table = Table(instance, g)
    kept = [str(name) for name in g.reading.get("keep") or []]
    raw = [name for name in kept if name in table.names or name not in instance.parts["cells"]]
    report.check("kept columns", not raw, f"of {len(kept):,} columns that are kept, {len(raw):,} may not be.")
    if g.algorithm == "cell-suppression":
        _check_cells(report, g, table)
    elif g.algorithm in BOXES:
        _check_boxes(report, g, table)
    else:
        _check_intervals(report, instance, g, table)


class Table:
    """The rows as positions in the domains of their quasi-identifiers, and how many records each stands for."""

    def __init__(self, instance: Any, g: Any) -> None:
        parts = instance.parts
        self.names: list[str] = parts["quasi_identifiers"]
        self.domains: list[list[Any]] = [parts["orders"][name] for name in self.names]
        columns = []
        for name, domain in zip(self.names, self.domains):
            place = {value: code for code, value in enumerate(domain)}
            columns.append([place[value] for value in parts["cells"][name]])
        self.codes = list(zip(*columns))
        self.records: list[int] = instance.weights
        self.total, self.weighted = sum(self.records), max(self.records) > 1
        self._known: dict[int, list[int]] = {}
        label = parts["class_label"]
        self.labels = parts["cells"][label] if label is not None else [0] * len(self.codes)
        trees = parts.get("trees", {})
        self.nodes = [_nodes(trees[name]) if name in trees else None for name in self.names]
        self.metric = g.options.get("metric")
        self.weights = _column_weights(g.options.get("weights"))
        self.steps = self._steps()

    def _steps(self) -> list[int]:
        """What a step of its domain costs a record, by column, in the loss metric: weight / gaps, in equal parts.

        Where weights of 1 need more than FINEST_SCALE parts of a column, each step is rounded to so many; of a column
        with twice as many gaps each has PARTS_OF_A_GAP.
        """
        gaps = [max(1, len(domain) - 1) for domain in self.domains]
        weights = [self.weights.get(name, Fraction(1)) for name in self.names]
        common = math.lcm(*gaps)
        scale = min(common, PARTS_OF_A_GAP * max(gaps) if max(gaps) >= 2 * FINEST_SCALE else FINEST_SCALE)
        parts = [one * scale / gap if scale == common else one for one, gap in zip(weights, gaps)]
        finer = math.lcm(*(part.denominator for part in parts))
        return [round(one * scale * finer / gap) for one, gap in zip(weights, gaps)]

    def size(self, rows: Iterable[int]) -> int:
        """How many records these rows are."""
        return sum(self.records[row] for row in rows)

    def tuples(self) -> Counter[Any]:
        """How many records have each tuple."""
        return _tally(self.codes, self.records, range(len(self.codes)))

    def outvoted(self, groups: Iterable[Sequence[int]]) -> int:
        """Records without the commonest label of their group."""
        return sum(self.size(own) - max(_tally(self.labels, self.records, own).values()) for own in groups)

    def smallest(self, column: int, low: int, high: int) -> tuple[int, int]:
        """The least that may be shown of these positions: the smallest node of a tree, as far as values occur."""
        nodes = self.nodes[column]
        if nodes is None:
            return low, high
        first, last = min(
            (node for node in nodes if node[0] <= low and high <= node[1]), key=lambda own: own[1] - own[0]
        )
        known = self.known(column)
        return known[bisect_left(known, first)], known[bisect_right(known, last) - 1]

    def known(self, column: int) -> list[int]:
        """The positions of a column that occur."""
        if column not in self._known:
            self._known[column] = sorted({record[column] for record in self.codes})
        return self._known[column]


def _column_weights(text: str | None) -> dict[str, Fraction]:
    pairs = [part.rsplit("=", 1) for part in text.split(",")] if text else []
    return {name.strip(): Fraction(repr(float(number))) for name, number in pairs}


def _nodes(tree: Record) -> set[tuple[int, int]]:
    """The first and last position of every group of a hierarchy: equal words side by side with equal words above."""
    values, levels = tree.fields["values"], tree.fields["levels"]
    found = {(place, place) for place in range(len(values))}
    begins = {0}
    for words in reversed(levels):
        begins |= {place for place in range(1, len(words)) if words[place] != words[place - 1]}
        edges = [*sorted(begins), len(values)]
        found |= {(start, end - 1) for start, end in zip(edges, edges[1:])}
    return found


def _alike(keys: Iterable[Any]) -> dict[Any, list[int]]:
    """The positions of equal keys."""
    found: dict[Any, list[int]] = {}
    for place, key in enumerate(keys):
        found.setdefault(key, []).append(place)
    return found


def _check_weights(report: Report, table: Table) -> None:
    good = set(table.weights) <= set(table.names) and (not table.weights or table.metric == "LM")
    report.check("weights", good, f"{len(table.weights):,} columns are weighed in the metric {table.metric}.")


def _check_intervals(report: Report, instance: Any, g: Any, table: Table) -> None:
    """The same intervals for all records; who shares them with fewer than k is left out."""
    details = unpacked(g.details, "IntervalDetails")
    whole = list(details.intervals) == table.names
    report.need("intervals", whole, f"there are intervals of {', '.join(table.names)}.")
    cuts, edges, stray = [], [], []
    for column, (name, domain) in enumerate(zip(table.names, table.domains)):
        runs = details.intervals[name]
        values = [value for run in runs for value in run]
        same = len(values) == len(domain) and all(type(a) is type(b) and a == b for a, b in zip(values, domain))
        report.need("intervals", same and all(runs), f"those of {name} hold its values once each and in order.")
        ends = list(accumulate(map(len, runs)))
        edges.append(ends[:-1])
        cuts += [[column, end] for end in ends[:-1]]
        nodes = table.nodes[column]
        stray += [name for start, end in zip([0, *ends], ends) if nodes is not None and (start, end - 1) not in nodes]
    report.check("cuts", details.cuts == cuts, f"{len(cuts):,} intervals begin after the first.")
    report.check("hierarchies", not stray, f"{len(stray):,} intervals are no group of their hierarchy.")

    groups = _alike(tuple(bisect_right(own, code) for own, code in zip(edges, record)) for record in table.codes)
    holds = judge(instance, g.require)
    kept = [groups[box] for box in sorted(groups) if table.size(groups[box]) >= g.k and holds(groups[box])]
    assignment = [-1] * len(table.codes)
    for number, own in enumerate(kept):
        for place in own:
            assignment[place] = number
    report.check("assignment", assignment == g.assignment, f"{len(groups):,} sets of records share their intervals.")
    out = table.size(place for place, own in enumerate(assignment) if own < 0)
    report.check("suppressed", details.suppressed == out, f"{out:,} records are left out, as too few are like them.")
    limit = g.options["suppression_limit"]
    report.check("suppression limit", limit is None or out <= limit, f"{out:,} are left out, allowed are {limit}.")

    _check_weights(report, table)
    cost = _interval_cost(table, g.k, kept, out, edges)
    report.check("cost", g.cost == cost, f"the {table.metric} cost is {cost:,}, the result says {g.cost:,}.")
    if g.bound_kind == "solver":
        sure = _finest(table, g.k)
        good = g.lower_bound > sure and details.nodes > 0
        report.check("bound witness", good, f"{sure:,} is sure without the search.")
    report.run("bound witness", check_bound, g, table)
    check_curve(report, g, details.curve)
    steps = details.curve[-1][0] if g.algorithm == "k-optimize" else 0
    few = details.curve[-1][0] <= g.options.get("restarts", details.curve[-1][0]) + 1
    report.check("curve", details.nodes == steps and few, f"it ends after {details.curve[-1][0]:,} steps.")
    report.check("guarantee formula", g.guarantee is None, "nothing is promised but the bound.")


def _interval_cost(
    table: Table, k: int, kept: Sequence[Sequence[int]], out: int, edges: Sequence[Sequence[int]]
) -> int:
    """By the metric's definition; a record that is left out costs as much as a record can."""
    sizes = [table.size(own) for own in kept]
    if table.metric == "DM":
        return sum(size * size for size in sizes) + table.total * out
    if table.metric == "AVG":
        return sum(sizes) - k * len(sizes) + out
    if table.metric == "CM":
        return table.outvoted(kept) + out
    if table.metric != "LM":
        raise ValueError(f"no metric is called {table.metric!r}")
    loss = out * sum(step * (len(domain) - 1) for step, domain in zip(table.steps, table.domains))
    rows = [place for own in kept for place in own]
    for column, (own_edges, step) in enumerate(zip(edges, table.steps)):
        width: dict[int, int] = {}  # of each interval, from the first to the last value that occurs
        runs = _alike(bisect_right(own_edges, code) for code in table.known(column))
        known = table.known(column)
        for run, places in runs.items():
            width[run] = known[places[-1]] - known[places[0]]
        widths = (width[bisect_right(own_edges, table.codes[place][column])] * table.records[place] for place in rows)
        loss += step * sum(widths)
    return loss


def _finest(table: Table, k: int) -> int:
    """What equal records cost that stay together whatever is cut."""
    sizes = table.tuples().values()
    if table.metric == "DM":
        return sum(size * max(size, k) for size in sizes)
    if table.metric == "AVG":
        return sum(max(size - k, 0) for size in sizes)
    return table.outvoted(_alike(table.codes).values()) if table.metric == "CM" else 0


def bound_finest(report: Report, g: Any, table: Table) -> tuple[bool, str]:
    """Nobody is better off than where only equal records are together; of boxes for the classification metric alone."""
    boxes_too = table.metric == "CM" and not g.options.get("relaxed")
    fits = g.bound_witness == [] and table.metric is not None and (g.algorithm not in BOXES or boxes_too)
    return equal(_finest(table, g.k) if fits else None, g)


def _check_boxes(report: Report, g: Any, table: Table) -> None:
    """Every record lies in its class's box, no two boxes meet, and the boxes are in order."""
    details = unpacked(g.details, "BoxDetails")
    width = len(table.names)
    form = len(details.low) == len(details.high) == g.classes and type(details.rounds) is int
    report.need("boxes", form and all(len(row) == width for row in details.low + details.high), "one for each class.")
    out = g.assignment.count(-1)
    report.need("everyone in a class", out == 0, f"{out:,} records are in no class.")
    known = all(min(row) >= 0 for row in details.low)
    known = known and all(code < len(domain) for row in details.high for code, domain in zip(row, table.domains))
    inside = all(
        low <= code <= high
        for record, own in zip(table.codes, g.assignment)
        for low, code, high in zip(details.low[own], record, details.high[own])
    )
    report.check("records in boxes", inside and known, "every record lies in the box of its class.")
    for column, nodes in enumerate(table.nodes):
        if nodes is not None:
            good = all((low[column], high[column]) in nodes for low, high in zip(details.low, details.high))
            report.check("nodes of trees", good, f"of {table.names[column]} only groups of its hierarchy are shown.")
    rows = [low + high for low, high in zip(details.low, details.high)]
    ordered = all(before < after for before, after in zip(rows, rows[1:]))
    report.check("order of boxes", ordered, "no two classes show the same, and they are numbered in their order.")
    if not g.options.get("relaxed"):
        report.check("boxes apart", _apart(details.low, details.high), "no values lie in two boxes.")
    _check_weights(report, table)
    cost = _box_cost(table, g)
    report.check("cost", g.cost == cost, f"the {table.metric} cost is {cost:,}, the result says {g.cost:,}.")
    if g.bound_kind == "solver":
        report.run("bound witness", _check_more_than_sure, g, table)
    report.run("bound witness", check_bound, g, table)
    check_curve(report, g, details.curve)
    end = details.curve[-1][0] == details.rounds <= g.options.get("rounds", 0)
    report.check("curve", end, f"it ends after {details.rounds:,} rounds.")
    ceiling = None
    if g.algorithm != "exact" and not g.require and not any(table.nodes) and not g.options.get("relaxed"):
        commonest = max(table.tuples().values())
        largest = min(2 * width * (g.k - 1) + commonest, table.total)
        if table.metric == "DM":
            ceiling = table.total * largest
        if table.metric == "AVG":
            ceiling = table.total - g.k * -(-table.total // largest)
    report.check("guarantee formula", g.guarantee == ceiling, f"the theorem promises {ceiling}.")


def _check_more_than_sure(report: Report, g: Any, table: Table) -> None:
    """A search's word says more than arithmetic does."""
    sure = _nearest_company(report, g, table) if table.metric == "LM" else _equal_tuples(table, g.k)
    report.check("bound witness", g.lower_bound > sure, f"{sure:,} is sure without the search.")


def _apart(low: Sequence[Sequence[int]], high: Sequence[Sequence[int]]) -> bool:
    """Whether no two boxes have values in common; boxes are compared as long as their first columns meet."""
    order = sorted(range(len(low)), key=lambda box: low[box][0])
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            if low[other][0] > high[one][0]:
                break
            if all(a <= d and c <= b for a, b, c, d in zip(low[one], high[one], low[other], high[other])):
                return False
    return True


def _box_cost(table: Table, g: Any) -> int:
    """By the metric's definition, from the classes of the records alone."""
    groups = members_of(g)
    if table.metric == "DM":
        return sum(table.size(own) ** 2 for own in groups)
    if table.metric == "AVG":
        return table.total - g.k * g.classes
    if table.metric == "CM":
        return table.outvoted(groups)
    if table.metric != "LM":
        raise ValueError(f"no metric is called {table.metric!r}")
    total = 0
    for column, step in enumerate(table.steps):
        for own in groups:
            codes = [table.codes[place][column] for place in own]
            low, high = table.smallest(column, min(codes), max(codes))
            total += step * table.size(own) * (high - low)
    return total


def _even(weight: int, k: int) -> int:
    """The least sum of squares of parts of a weight that are at least k each."""
    if weight == 0:
        return 0
    size, larger = divmod(weight, weight // k)
    return (weight // k - larger) * size * size + larger * (size + 1) * (size + 1)


def _equal_tuples(table: Table, k: int) -> int:
    """What boxes cost at least, as they keep equal records together."""
    sizes = table.tuples().values()
    if table.metric == "CM":
        return table.outvoted(_alike(table.codes).values())
    if table.metric == "AVG":
        return table.total - k * (sum(min(size, k) for size in sizes) // k)
    heavy = [size for size in sizes if size >= k]
    rest = table.total - sum(heavy)
    if not heavy:
        return _even(rest, k)
    # some of the rest join the lightest heavy tuple, the others make classes of their own
    least = min(heavy)
    some = rest
    if rest >= k:  # as long as the classes of the rest are larger; more than what a division leaves never pays
        some = min(rest % k, max(0, rest - rest // k * (least + 1)))
    return sum(size * size for size in heavy) + (2 * least + 1) * some + _even(rest - some, k)


def bound_equal_tuples(report: Report, g: Any, table: Table) -> tuple[bool, str]:
    """Equal records stay together in every box that is not relaxed."""
    fits = (
        g.algorithm in BOXES and table.metric in ("DM", "AVG") and not g.options.get("relaxed") and not g.bound_witness
    )
    return equal(_equal_tuples(table, g.k) if fits else None, g)


def bound_sizes_alone(report: Report, g: Any, table: Table) -> tuple[bool, str]:
    """Relaxed cuts take equal records apart, so that only the sizes of classes count."""
    fits = g.algorithm in BOXES and table.metric != "LM" and g.options.get("relaxed") and not g.bound_witness
    sizes = {"DM": _even(table.total, g.k), "AVG": table.total % g.k}
    return equal(sizes.get(table.metric, 0) if fits else None, g)


def bound_nearest_company(report: Report, g: Any, table: Table) -> tuple[bool, str]:
    """A record loses at least what lies between it and one of its company of k, and as much as each of these must."""
    fits = g.algorithm in BOXES and table.metric == "LM" and not g.bound_witness
    return equal(_nearest_company(report, g, table) if fits else None, g)


NEIGHBOURS = 4_000_000  # tuples times nearest ones that are looked at


def _nearest_company(report: Report, g: Any, table: Table) -> int:
    groups = sorted(table.tuples().items())
    report.afford(len(groups) ** 2)
    places = [tuple(code * step for code, step in zip(record, table.steps)) for record, _ in groups]
    sizes = [size for _, size in groups]
    count = min(len(places), 2 * g.k, max(NEIGHBOURS // len(places), 1))
    nearest = [heapq.nsmallest(count, ((sum(abs(a - b) for a, b in zip(here, there)), other)
               for other, there in enumerate(places))) for here in places]  # fmt: skip
    least = [0] * len(places)
    for _ in range(3):  # the company's own needs are counted twice
        found = []
        for own in nearest:
            held, needed = 0, math.inf
            for need, other in sorted((max(far, least[other]), other) for far, other in own):
                held += sizes[other]
                if held >= g.k:
                    needed = need
                    break
            found.append(min(needed, math.inf if count == len(places) else own[-1][0]))
        least = [max(before, int(after)) for before, after in zip(least, found)]
    return sum(need * size for need, size in zip(least, sizes))


def _check_cells(report: Report, g: Any, table: Table) -> None:
    """The records of a class agree in every column without a star, and on no other."""
    details = unpacked(g.details, "CellDetails")
    form = len(details.stars) == g.classes and all(len(row) == len(table.names) for row in details.stars)
    form = form and type(details.suppressed) is type(details.nodes) is int and details.nodes >= 0
    report.need("stars", form, f"there are some or none for {g.classes:,} classes.")
    out = g.assignment.count(-1)
    report.need("everyone in a class", out == 0, f"{out:,} records are in no class.")
    agree = needed = True
    shown, cells = set(), 0
    for stars, own in zip(details.stars, members_of(g)):
        differ = [len({table.codes[place][column] for place in own}) > 1 for column in range(len(stars))]
        agree = agree and not any(many and not star for many, star in zip(differ, stars))
        needed = needed and not any(star and not many for many, star in zip(differ, stars))
        shown.add(tuple(None if star else code for star, code in zip(stars, table.codes[own[0]])))
        cells += table.size(own) * sum(stars)
    report.check("equal records", agree, "the records of each class agree on every column without a star.")
    report.check("needed stars", needed, "the records of each class differ on every column with a star.")
    report.check("different classes", len(shown) == g.classes, f"{g.classes:,} classes show {len(shown):,} rows.")
    report.check("suppressed", details.suppressed == cells, f"{cells:,} cells are suppressed.")
    report.check("cost", g.cost == cells, f"{cells:,} cells are suppressed, the result says {g.cost:,}.")
    if g.bound_kind == "solver":
        report.check("bound witness", details.nodes > 0, f"a search of {details.nodes:,} nodes gave its word.")
    report.run("bound witness", check_bound, g, table)
    ceiling = None
    if not g.require:
        sizes = table.tuples().values()
        ceiling = rare = sum(size for size in sizes if size < g.k)
        if 0 < rare < g.k:  # others join them: a few records, or all of the rarest tuple where rows stay whole
            ceiling = rare + min(size for size in sizes if size >= g.k) if table.weighted else 2 * g.k - 1
        ceiling *= len(table.names)
    report.check("guarantee formula", g.guarantee == ceiling, f"records with fewer than k like them give {ceiling}.")


def bound_fewest_stars(report: Report, g: Any, table: Table) -> tuple[bool, str]:
    """A record needs at least so many stars to look like k - 1 others; looked at up to the depth of the witness."""
    (depth,) = g.bound_witness
    width = len(table.names)
    if g.algorithm != "cell-suppression" or not 0 <= depth <= width:
        return equal(None, g)
    tuples = table.tuples()
    report.afford(sum(math.comb(width, stars) for stars in range(depth + 1)) * len(tuples))
    fewest = dict.fromkeys(tuples, depth + 1)
    for stars in range(depth + 1):
        for kept in combinations(range(width), width - stars):
            shown = {record: tuple(record[column] for column in kept) for record in tuples}
            alike: Counter[Any] = Counter()
            for record, copies in tuples.items():
                alike[shown[record]] += copies
            for record, own in shown.items():
                if alike[own] >= g.k and fewest[record] > stars:
                    fewest[record] = stars
    return equal(sum(fewest[record] * copies for record, copies in tuples.items()), g)


# ---------------------------------------------------------------------------------------------------------------------
# Clusters: records around centers
# ---------------------------------------------------------------------------------------------------------------------

EARTH = 6371.0088  # km
GRID = 2**30  # steps of the coordinates of a unit vector
HALF_TURN = 19_000.0  # km, beyond which rounding of an arc is larger


class Space:
    """Points and their distances, worked out in one way only: column by column, each step rounded as IEEE 754 says."""

    def __init__(self, instance: Any) -> None:
        parts = instance.parts
        self.metric: str = parts["metric"]
        self.weights, self.total, self.triangle = instance.weights, sum(instance.weights), parts["triangle"]
        self.points = parts["points"].rows()
        self.levels, self.column_weights = parts["levels"], parts["column_weights"].data
        self.free = self.metric in ("euclidean", "haversine")  # centers may be anywhere
        self.plane = self.metric == "haversine" or (self.metric == "euclidean" and len(self.points[0]) <= 2)
        self.longest = max(map(max, self.points)) if self.metric == "precomputed" else 0.0
        self.reach = max(abs(value) for point in self.points for value in point)
        self.spots: list[Any] = self.points
        if self.metric == "haversine":
            self.spots = [_unit_vector(point) for point in self.points]
        if self.metric in ("gower", "hamming"):
            self.spots = list(zip(*(_scaled(column, own) for column, own in zip(zip(*self.points), self.levels))))
            self.summed = _added_up(self.column_weights)

    def __len__(self) -> int:
        return len(self.points)

    def distances(self, place: int, others: Iterable[int] | None = None) -> list[float]:
        """From a point to others, to all when None."""
        if self.metric == "precomputed":
            row = self.points[place]
            return row if others is None else [row[other] for other in others]
        return self._from(self.spots[place], others)

    def from_center(self, center: Sequence[float], others: Iterable[int]) -> list[float]:
        """From a center that is no point."""
        if not self.free:
            raise ValueError("in this space centers are points")
        return self._from(_unit_vector(center) if self.metric == "haversine" else center, others)

    def _from(self, here: Any, others: Iterable[int] | None) -> list[float]:
        spots = self.spots if others is None else [self.spots[other] for other in others]
        if self.metric == "haversine":
            x, y, z = here
            return [_arc((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2) for a, b, c in spots]
        if self.metric == "euclidean":
            found = [0.0] * len(spots)
            for column, value in enumerate(here):
                found = [sum_ + (value - spot[column]) * (value - spot[column]) for sum_, spot in zip(found, spots)]
            return [math.sqrt(square) for square in found]
        return [self._mixed(here, spot) for spot in spots]

    def _mixed(self, here: Sequence[float], there: Sequence[float]) -> float:
        found = 0.0
        for one, other, levels, weight in zip(here, there, self.levels, self.column_weights):
            if levels is not None:
                found += weight * (one != other)
            elif (one < 0) != (other < 0):  # one of both is missing
                found += weight
            else:
                found += weight * abs(one - other)
        return found if self.metric == "hamming" else found / self.summed


def _unit_vector(degrees: Sequence[float]) -> tuple[int, int, int]:
    lon, lat = math.radians(degrees[0]), math.radians(degrees[1])
    unit = (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
    return round(unit[0] * GRID), round(unit[1] * GRID), round(unit[2] * GRID)


def _arc(square: int) -> float:
    """Km on the ground, to the millimetre, from a squared chord."""
    return round(2 * EARTH * math.asin(min(math.sqrt(square) / (2 * GRID), 1.0)) * 1e6) / 1e6


def _scaled(column: Sequence[float], levels: Any) -> list[float]:
    """Numbers from 0 to 1, and -1 for a missing value."""
    known = [value for value in column if value == value]
    if levels is None and known:
        low, high = min(known), max(known)
        column = [(value - low) / (high - low) if high > low else value - low for value in column]
    return [value if value == value else -1.0 for value in column]


def _added_up(values: Sequence[float]) -> float:
    """A sum in NumPy's order: of eight or more in eight sums side by side."""
    if len(values) < 8:
        return float(sum(values))
    whole = len(values) - len(values) % 8
    rows = [sum(values[place:whole:8]) for place in range(8)]
    total = ((rows[0] + rows[1]) + (rows[2] + rows[3])) + ((rows[4] + rows[5]) + (rows[6] + rows[7]))
    for value in values[whole:]:
        total += value
    return total


def six_digits_up(radius: float) -> float:
    """The least number of six digits that is not below: so the radii of free centers are written."""
    if radius == 0:
        return 0.0
    with localcontext() as context:
        context.prec = 60
        step = Decimal(10) ** (Decimal(radius).adjusted() - 5)
        digits = Decimal(radius) // step
        near = [float((digits + more) * step) for more in range(3)]
        return min((value for value in near if value >= radius), default=math.inf)


def six_digit_radii(space: Space, radius: float) -> set[float]:
    """The radii that a result may say: what rounding a center adds is forgiven, or nothing is, as results once said."""
    forgiven = 0.0 if space.metric == "haversine" else min(1e-12 * radius + 1e-15 * space.reach, 5e-10 * radius)
    return {six_digits_up(radius - forgiven), six_digits_up(radius)}


def six_digits_below(radius: float) -> float:
    """The number of six digits before one above 0."""
    with localcontext() as context:
        context.prec = 60
        step = Decimal(10) ** (Decimal(radius).adjusted() - 5)
        digits = int((Decimal(radius) / step).to_integral_value())
        return float((digits - 1) * step if digits > 100_000 else (10 * digits - 1) * step / 10)


SQUARES, CELLULAR = ("mdav", "v-mdav"), ("cellular", "r-cellular", "r-cellular-outliers")


def check_clusters(report: Report, instance: Any, g: Any) -> None:
    """Centers, radii, who is left out, the cost."""
    space = Space(instance)
    details = unpacked(g.details, "ClusterDetails")
    width = len(space.points[0]) if space.free else 0
    prices = g.details.fields["prices"].shape
    form = len(details.places) == len(details.radii) == len(details.centers) == g.classes and len(prices) == 2
    form = form and all(len(center) == width for center in details.centers)
    ends = not details.curve or (len(details.curve[-1]) == 3 and details.curve[-1][1:] == [g.cost, g.lower_bound])
    report.need("clusters", form and ends, "there is a center for each class; the search's curve ends with the result.")
    g.prices, g.price_shape = details.prices, prices
    out = space.total - sum(g.class_weights)
    report.check(
        "left out", out <= most_left_out(space, g), f"{out:,} records, of {most_left_out(space, g):,} allowed."
    )
    most = g.options.get("max_clusters")
    report.check("clusters asked for", most is None or g.classes <= most, f"there are {g.classes:,}, at most {most}.")
    _check_centers(report, g, space, details)
    hold, radii = True, details.radii
    for place, center, own, radius in zip(details.places, details.centers, members_of(g), radii):
        if place >= 0:
            hold = hold and radius == max(space.distances(place, own))
        else:
            hold = hold and radius in six_digit_radii(space, max(space.from_center(center, own)))
    report.check("radii", hold, "no record is farther from its center than the radius, and one is as far.")
    counted = g.options.get("cost") or ("squares" if g.algorithm in SQUARES else "radius")
    if g.algorithm in CELLULAR:
        counted = "cellular"
    if counted == "cellular":
        opened = [float(g.options.get("facility_cost", 0.0))] * g.classes
        cost = math.fsum([weight * radius for weight, radius in zip(g.class_weights, radii)] + opened)
    elif counted == "squares":
        cost = _sum_of_squares(space, g, details.centers)
    else:
        cost = max(radii)
    report.check("cost", g.cost == cost, f"worked out again it is {cost!r}, the result says {g.cost!r}.")
    fewer = " left out" if counted == "radius" and "epsilon" in g.options else ""
    if g.bound_kind == "checked":
        known = g.bound_name in BOUNDS_BY_COST[counted + fewer]
        report.need("bound witness", known, f"“{g.bound_name}” is an argument about costs of this kind.")
    report.run("bound witness", check_bound, g, space)
    report.run("guarantee formula", _check_ceiling, g, space)


def _check_centers(report: Report, g: Any, space: Space, details: Any) -> None:
    """Centers are points where they must be, and means where they were asked for."""
    choice = "means" if g.algorithm in SQUARES else g.options.get("centers", "any")
    good = all(-1 <= place < len(space) for place in details.places)
    fixed = [number for number, place in enumerate(details.places) if place >= 0]
    if choice == "input" or not space.free:
        good = good and len(fixed) == g.classes
    if good and space.free:
        good = all(details.centers[number] == space.points[details.places[number]] for number in fixed)
        if choice == "means":
            means = [_means(space, own) for own in members_of(g)]
            good = good and not fixed and all(center in own for center, own in zip(details.centers, means))
    report.check("centers", good, f"{len(fixed):,} of {g.classes:,} centers are points, as “{choice}” allows.")


def _means(space: Space, own: Sequence[int]) -> list[list[float]]:
    """The mean of some records; and that of their points, as results once said."""
    found = []
    for counts in ([space.weights[place] for place in own], [1] * len(own)):
        rows = [[value * count for value in space.points[place]] for place, count in zip(own, counts)]
        found.append([math.fsum(column) / sum(counts) for column in zip(*rows)])
    return found


def _sum_of_squares(space: Space, g: Any, means: Sequence[Sequence[float]]) -> float:
    parts = []
    for own, mean in zip(members_of(g), means):
        for place in own:
            parts += [(value - middle) * (value - middle) for value, middle in zip(space.points[place], mean)]
    return math.fsum(parts)


def most_left_out(space: Space, g: Any) -> int:
    """How many records may be left out."""
    return math.floor(Decimal(repr(g.options.get("epsilon", 0.0))) * space.total)


def anywhere(space: Space, g: Any) -> bool:
    """Whether centers may be anywhere, so that radii have six digits."""
    return space.free and g.options.get("centers") != "input"


def half_of(space: Space, distance: float) -> float:
    """Half a distance, less what rounding may have done to the triangle inequality."""
    if space.metric == "precomputed" and not space.triangle:
        return 0.0
    if space.metric == "hamming" and all(weight % 1 == 0 for weight in space.column_weights):
        return distance / 2
    less = 1e-12 * distance
    if space.metric == "haversine":
        less += 1e-4 if distance < HALF_TURN else 1.0
    if space.metric == "precomputed":
        less += 1e-12 * space.longest
    return max(0.0, distance / 2 - less)


def _radius_of(space: Space, g: Any, diameter: float) -> tuple[bool, str]:
    """A bound that is half of a diameter."""
    value = half_of(space, diameter)
    if anywhere(space, g) and g.lower_bound in six_digit_radii(space, value):
        value = g.lower_bound
    return equal(value, g)


def _nearest_first(distances: Sequence[float]) -> list[int]:
    return sorted(range(len(distances)), key=distances.__getitem__)


def bound_need(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """The witness has no center within less that has k records within less."""
    if anywhere(space, g) or len(g.bound_witness) != 1 or not distinct(g.bound_witness, len(space)):
        return equal(None, g)
    apart, least = space.distances(g.bound_witness[0]), math.inf
    for looked_at, center in enumerate(_nearest_first(apart)):
        if apart[center] >= least:
            break
        report.afford(looked_at * len(space))
        around, held, ball = space.distances(center), 0, math.inf
        for place in _nearest_first(around):
            held += space.weights[place]
            if held >= g.k:
                ball = around[place]
                break
        least = min(least, max(apart[center], ball))
    return equal(least, g)


def bound_centers_apart(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """In clusters of less diameter the points of the witness would be apart, with too few records around them."""
    if not g.bound_witness or not distinct(g.bound_witness, len(space)):
        return equal(None, g)
    report.afford(len(g.bound_witness) * len(space))
    nearest, between = [math.inf] * len(space), math.inf
    for number, place in enumerate(g.bound_witness):
        apart = space.distances(place)
        between = min([between, *(apart[other] for other in g.bound_witness[:number])])
        nearest = list(map(min, nearest, apart))
    held, enough = 0, math.inf
    for place in _nearest_first(nearest):
        held += space.weights[place]
        if held >= g.k * len(g.bound_witness):
            enough = nearest[place]
            break
    return _radius_of(space, g, min(between, enough))


def bound_least_disc(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """No disc that is smaller in the sixth digit holds the witness and k records, and one of this size does."""
    value = g.lower_bound
    fits = len(g.bound_witness) == 1 and distinct(g.bound_witness, len(space)) and space.plane and anywhere(space, g)
    if not fits or not 0 <= value < math.inf or value != six_digits_up(value):
        return equal(None, g)
    place, more = g.bound_witness[0], 1e-5 if space.metric == "haversine" else 0.0
    smaller = value > 0 and disc_holds(report, space, place, six_digits_below(value), g.k)
    reached = value == 0 or disc_holds(report, space, place, value * (1 + 1e-8) + more, g.k)
    return not smaller and reached, f"a smaller disc holds point {place + 1} and {g.k:,} records: {smaller}."


def bound_too_many_discs(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """More records than may be left out, for none of which a smaller disc holds k records too."""
    value = g.lower_bound
    fits = _outnumber(space, g) and space.plane and anywhere(space, g)
    if not fits or not 0 < value < math.inf or value != six_digits_up(value):
        return equal(None, g)
    report.afford(len(g.bound_witness) * len(space))
    smaller = six_digits_below(value)
    held = sum(disc_holds(report, space, place, smaller, g.k) for place in g.bound_witness)
    return not held, f"for {held:,} of {len(g.bound_witness):,} points a smaller disc holds {g.k:,} records."


def _outnumber(space: Space, g: Any) -> bool:
    """Whether the witness is different points with more records than may be left out, and there are no prices."""
    good = distinct(g.bound_witness, len(space)) and 0 in g.price_shape
    return good and sum(space.weights[place] for place in g.bound_witness) > most_left_out(space, g)


def disc_holds(report: Report, space: Space, place: int, width: float, k: int) -> bool:
    """Whether a disc of some radius may hold a point and k records; False is certain.

    A disc that holds some points can be moved until one of them is on its border. Along the circle of such centers
    around that point each other point is within the radius on one arc.
    """
    globe = space.metric == "haversine"
    if globe and width > 9_000.0:
        return True
    apart = space.distances(place)
    reach = 2 * width * (1 + 1e-8) + (1e-5 if globe else 0.0)
    near = [other for other, distance in enumerate(apart) if distance <= reach]
    if sum(min(space.weights[other], k) for other in near) < k:
        return False
    much = k * (len(near) + 1)  # more than all others together: the point itself must be in the disc
    weights = [min(space.weights[other], k) + much * (other == place) for other in near]
    report.afford(len(near) ** 2 * 4)
    if globe:
        spots = [_normalized([value / GRID for value in space.spots[other]]) for other in near]
        radius = (width * (1 + 2e-9) + 6e-7) / EARTH
    else:
        origin = space.points[place]
        spots = [[a - b for a, b in zip(space.points[other], origin)] + [0.0] * (2 - len(origin)) for other in near]
        radius = width * (1 + 1e-9)
    return any(_most_on_circle(spots, number, radius, weights) >= much + k for number in range(len(near)))


def _normalized(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector]


def _cross(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


TURN = 1e-10  # by which angles may be wrong


def _most_on_circle(spots: Sequence[Sequence[float]], number: int, radius: float, weights: Sequence[int]) -> int:
    """The most records within the radius of one center on the circle of that radius around a point."""
    here = spots[number]
    east: Sequence[float] = ()
    north: Sequence[float] = ()
    if len(here) == 3:
        flat = min(range(3), key=lambda axis: abs(here[axis]))
        east = _normalized(_cross(here, [float(axis == flat) for axis in range(3)]))
        north = _cross(here, east)
    always, turns = 0, []
    for spot, weight in zip(spots, weights):
        step = [there - own for there, own in zip(spot, here)]
        length = math.sqrt(sum(value * value for value in step))
        if length == 0:
            always += weight
            continue
        if len(here) == 3:
            arc = 2 * math.asin(min(length / 2, 1.0))
            share = math.tan(arc / 2) / math.tan(radius)
            middle = math.atan2(*(sum(a * b for a, b in zip(step, axis)) for axis in (north, east)))
        else:
            share, middle = length / (2 * radius) if radius else math.inf, math.atan2(step[1], step[0])
        if share <= 1:
            half = math.acos(share) + TURN
            turns += [(middle - half, 0, weight), (middle - half + 2 * math.pi, 0, weight)]
            turns += [(middle + half, 1, -weight), (middle + half + 2 * math.pi, 1, -weight)]
    turns.sort()  # what begins at an angle before what ends there
    return always + max(accumulate(change for _, _, change in turns), default=0)


def bound_too_many_in_need(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """More records than may be left out have no point within less that has k records within less."""
    if not _outnumber(space, g) or anywhere(space, g):
        return equal(None, g)
    report.afford(len(g.bound_witness) * len(space))
    around: set[int] = set()
    at_it: set[int] = set()
    for place in g.bound_witness:
        apart = space.distances(place)
        around |= {other for other, distance in enumerate(apart) if distance < g.lower_bound}
        at_it |= {other for other, distance in enumerate(apart) if distance <= g.lower_bound}
    report.afford(len(at_it) * len(space))
    held, reached = 0, False
    for center in at_it:
        apart = space.distances(center)
        if center in around:
            held = max(held, sum(w for w, distance in zip(space.weights, apart) if distance < g.lower_bound))
        reached = reached or sum(w for w, distance in zip(space.weights, apart) if distance <= g.lower_bound) >= g.k
    good = held < g.k and reached
    return good, f"within less than {g.lower_bound!r} a point near the witness has {held:,} records at most."


def bound_peeling(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """More records than may be left out, each with fewer than k of those behind it within less than a width."""
    if not _outnumber(space, g):
        return equal(None, g)
    report.afford(len(g.bound_witness) * len(space) * 2)
    gone, width = set(), math.inf
    for place in g.bound_witness:
        apart, held, own = space.distances(place), 0, math.inf
        for other in _nearest_first(apart):
            if other not in gone:
                held += space.weights[other]
                if held >= g.k:
                    own = apart[other]
                    break
        width = min(width, own)
        gone.add(place)
    return _radius_of(space, g, width)


def _most_clusters(space: Space, g: Any) -> int:
    return min(g.options.get("max_clusters") or space.total, space.total // g.k)


def bound_too_many_apart(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """Of one point more than there may be clusters two share one, and all are so far apart."""
    places = g.bound_witness
    fits = len(places) == _most_clusters(space, g) + 1 and distinct(places, len(space))
    if not fits or most_left_out(space, g) or 0 not in g.price_shape:
        return equal(None, g)
    report.afford(len(places) ** 2)
    least = min(
        distance
        for number, place in enumerate(places[:-1])
        for distance in space.distances(place, places[number + 1 :])
    )
    return _radius_of(space, g, least)


def _net(report: Report, g: Any, space: Space) -> Any:
    """Places that stand for all points (the witness, or all), records at each, how far a point is, the price."""
    places = g.bound_witness or list(range(len(space)))
    good = distinct(places, len(space)) and g.price_shape == (1, 1)
    if not good or not 0 <= g.prices[0][0] < math.inf:
        return None
    report.afford(len(places) * len(space) + 4 * len(places) ** 2)
    nearest, owner = [math.inf] * len(space), [0] * len(space)
    for number, place in enumerate(places):
        for other, distance in enumerate(space.distances(place)):
            if distance < nearest[other]:
                nearest[other], owner[other] = distance, number
    weights = [0] * len(places)
    for own, weight in zip(owner, space.weights):
        weights[own] += weight
    return places, weights, max(nearest), g.prices[0][0]


def bound_coverage(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """As many clusters as there may be, of diameters below the price, hold too few records."""
    net = _net(report, g, space)
    if net is None:
        return equal(None, g)
    places, weights, loss, width = net
    apart = [space.distances(place, places) for place in places]
    near = [{other for other, distance in enumerate(row) if distance < width} for row in apart]
    largest = max((row[other] for row, own in zip(apart, near) for other in own), default=0.0)
    limit = 4 * largest - 2 * half_of(space, 2 * largest)
    reach = [{other for other, distance in enumerate(row) if distance <= limit} for row in apart]
    kept = {place for place, own in enumerate(near) if sum(weights[other] for other in own) >= g.k}
    lone = {place for place in kept if sum(weights[other] for other in near[place] & kept) < g.k}
    while lone:
        kept -= lone
        lone = {place for place in kept if sum(weights[other] for other in near[place] & kept) < g.k}
    most = _most_clusters(space, g)
    held = min(_covered(near, reach, weights, kept, most), _within(near, weights, kept, kept, most))
    if held >= space.total - most_left_out(space, g):
        return False, f"clusters of diameters below {width!r} may hold {held:,} records, which is enough."
    return _radius_of(space, g, max(0.0, width - 2 * loss))


def bound_disks(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """As many disks as there may be clusters, of radii below the price around points, hold too few records."""
    net = _net(report, g, space)
    if net is None or anywhere(space, g):
        return equal(None, g)
    places, weights, loss, radius = net
    near = [{other for other, distance in enumerate(space.distances(place, places)) if distance < radius}
            for place in places]  # fmt: skip
    centers = {place for place, own in enumerate(near) if sum(weights[other] for other in own) >= g.k}
    kept = {place for place, own in enumerate(near) if own & centers}
    held = _within(near, weights, kept, centers, _most_clusters(space, g))
    if held >= space.total - most_left_out(space, g):
        return False, f"disks of radii below {radius!r} may hold {held:,} records, which is enough."
    return equal(max(0.0, 2 * half_of(space, radius) - 2 * loss) if loss else radius, g)


def _covered(
    near: Sequence[set[int]], reach: Sequence[set[int]], weights: Sequence[int], kept: set[int], most: int
) -> int:
    """Take the place with most near it, and all that one cluster with it could reach, again and again."""
    free, covered = set(kept), 0
    held = [sum(weights[other] for other in own & free) for own in near]
    for _ in range(most):
        if not free:
            break
        best = min(free, key=lambda place: (-held[place], place))
        taken = free & reach[best]
        covered += sum(weights[other] for other in taken)
        _take(near, weights, held, free, taken)
    return covered


def _within(near: Sequence[set[int]], weights: Sequence[int], kept: set[int], centers: set[int], most: int) -> int:
    """At most so much lies in so many balls: at any time what was taken, and the largest gains beside it."""
    free, taken = set(kept), 0
    best = sum(weights[other] for other in kept)
    held = [sum(weights[other] for other in own & free) for own in near]
    for _ in range(min(most, len(weights))):
        gains = sorted((held[place] for place in centers), reverse=True)
        best = min(best, taken + sum(gains[:most]))
        if not gains or gains[0] == 0:
            break
        ball = free & near[min(centers, key=lambda place: (-held[place], place))]
        if not ball:
            break
        taken += sum(weights[other] for other in ball)
        _take(near, weights, held, free, ball)
    return best


def _take(near: Sequence[set[int]], weights: Sequence[int], held: list[int], free: set[int], taken: set[int]) -> None:
    """Take places away; nearness goes both ways."""
    free -= taken
    for one in taken:
        for other in near[one]:
            held[other] -= weights[one]


def bound_prices(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """Every record has a price; no cluster costs less than the prices of its records, so the sum of prices is a bound.

    "prices": of clusters around points. "halved prices": a cluster of radius R lies within 2 R of its dearest record.
    """
    halved = g.bound_name == "halved prices"
    cellular = g.algorithm in CELLULAR or g.options.get("cost") == "cellular"
    fits = space.free if halved else not anywhere(space, g)
    if not fits or not cellular or g.bound_witness or g.price_shape != (len(space), 1):
        return equal(None, g)
    own = [row[0] for row in g.prices]
    if not all(0 <= price < math.inf for price in own):
        return equal(None, g)
    report.afford(2 * len(space) ** 2)
    facility = float(g.options.get("facility_cost", 0.0))
    dearest = max(own)
    if dearest > 0:
        # in whole numbers: prices rounded up, distances and the facility cost down
        exponent = min(60 - math.frexp((dearest + facility) * space.total)[1], 500)
        per_unit = 2.0**exponent
        paid = [math.ceil(price * per_unit) for price in own]
        for place in range(len(space)):
            apart = space.distances(place)
            if halved:
                apart = [_half_arc(space, distance) for distance in apart]
            ball = sorted(
                (math.floor(min(distance, 2 * dearest) * per_unit), paid[other], space.weights[other])
                for other, distance in enumerate(apart)
                if not halved or own[other] <= own[place]
            )
            if not _ball_pays(ball, g.k, math.floor(facility * per_unit)):
                return False, f"prices in a ball around point {place + 1} are more than it costs."
    total, spare = Fraction(0), most_left_out(space, g)
    for price, weight in sorted(zip(own, space.weights), reverse=True):
        kept = max(0, weight - spare)  # the dearest may be left out
        spare -= weight - kept
        total += Fraction(price) * kept
    value = float(total)
    return equal(value if Fraction(value) <= total else math.nextafter(value, -math.inf), g)


def _half_arc(space: Space, distance: float) -> float:
    half = distance / 2 - 1e-12 * distance
    if space.metric == "haversine":
        half = min(half - 1e-4, HALF_TURN / 2 - 1) if distance < HALF_TURN else half - 1
    return max(half, 0.0)


def _ball_pays(ball: Sequence[tuple[int, int, int]], k: int, facility: int) -> bool:
    """Whether every ball (rows of radius, price and weight by radius) costs what any k or more of its records pay."""
    held = payers = surplus = 0  # payers: records whose price is above the radius
    paying: list[tuple[int, int]] = []
    for place, (radius, price, weight) in enumerate(ball):
        held += weight
        if price > radius:
            heapq.heappush(paying, (price, weight))
            payers, surplus = payers + weight, surplus + weight * price
        if held < k or (place + 1 < len(ball) and ball[place + 1][0] == radius):
            continue
        while paying and paying[0][0] <= radius:
            least, records = heapq.heappop(paying)
            payers, surplus = payers - records, surplus - records * least
        if surplus - payers * radius > facility:
            if payers >= k:
                return False
            total = left = 0
            for _, dear, records in sorted(ball[: place + 1], key=lambda one: -one[1]):
                taken = min(records, k - left)
                total, left = total + taken * dear, left + taken
                if left == k:
                    break
            if total - k * radius > facility:
                return False
    return True


def bound_one_cluster(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """With fewer than 2 k records there is one cluster, and it costs what it costs."""
    alone = space.total < 2 * g.k and g.classes == 1 and set(g.assignment) == {0} and not g.bound_witness
    return equal(g.cost if alone else None, g)


def bound_one_column(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """The best clusters of sorted values by dynamic programming, in whole numbers."""
    k = g.k
    if len(space.points[0]) != 1 or len(space) < k or g.bound_witness:
        return equal(None, g)
    report.afford(len(space) * k * 2)
    values = sorted(point[0] for point in space.points)
    unit = max(value.as_integer_ratio()[1] for value in values)
    common = math.lcm(*range(k, 2 * k))
    sums, squares = [0], [0]
    best: dict[int, tuple[int, int]] = {0: (0, 0)}  # of so many values: cost, and where the last cluster begins
    for end, value in enumerate(values, 1):
        above, below = value.as_integer_ratio()
        whole = above * (unit // below)
        sums.append(sums[-1] + whole)
        squares.append(squares[-1] + whole * whole)
        ways = []
        for start in range(end - k, max(end - 2 * k + 1, 0) - 1, -1):
            if start in best:
                size = end - start
                within = size * (squares[end] - squares[start]) - (sums[end] - sums[start]) ** 2
                ways.append((best[start][0] + within * (common // size), start))
        if ways:
            best[end] = min(ways, key=lambda way: way[0])
    parts, end = [], len(values)
    while end:
        start = best[end][1]
        mean = math.fsum(values[start:end]) / (end - start)
        parts += [(value - mean) * (value - mean) for value in values[start:end]]
        end = start
    value = math.fsum(parts)
    return g.lower_bound <= value, f"the best clusters of sorted values cost {value!r}."


ROUNDING = 2.0**-52  # twice the error of one rounding


def bound_squared_distances(report: Report, g: Any, space: Space) -> tuple[bool, str]:
    """A squared distance is divided between its ends, as the prices say; each point pays for its cheapest company.

    A price is a row of four: two points and how much the first pays more (third -1), or the apex of a triangle, its two
    other corners and a price: the apex's distances to them count more by it, the distance between them less, and the
    apex pays for that. In a cluster of m a point's share is the sum of its parts to the m - 1 others over m.
    """
    n, k, rows = len(space), g.k, g.prices
    form = g.price_shape[1] == 4 and space.metric == "euclidean" and space.total == n >= k and not g.bound_witness
    if not form or not all(map(_is_price, rows, [n] * len(rows))):
        return equal(None, g)
    report.afford(n * n * len(space.points[0]) // 2)
    shift: Counter[Any] = Counter()  # of a pair, the lesser first: what the lesser pays more
    added: Counter[Any] = Counter()
    size: Counter[Any] = Counter()
    entries: Counter[Any] = Counter()
    toll, apexes = [0.0] * n, [0] * n
    for one, other, third, price in sorted(rows, key=lambda row: row[2] != -1):  # pairs first, as they were added up
        if third == -1:
            pair = int(min(one, other)), int(max(one, other))
            shift[pair] += price if one < other else -price
            entries[pair] += 1
            size[pair] += abs(price)
    triangles = [[int(a), int(b), int(c), price] for a, b, c, price in rows if c != -1]
    for first, second, sign in ((0, 1, 1), (0, 2, 1), (1, 2, -1)):
        for row in triangles:
            pair = min(row[first], row[second]), max(row[first], row[second])
            added[pair] += sign * row[3]
            entries[pair] += 1
            size[pair] += row[3]
    for apex, _, _, price in triangles:
        toll[apex] += price
        apexes[apex] += 1
    divided: list[dict[int, float]] = [{} for _ in range(n)]
    largest = [0.0] * n
    for pair in entries:
        low, high = pair
        square = _square(space, low, high)
        half = (square + added[pair]) / 2
        divided[low][high], divided[high][low] = half + shift[pair], half - shift[pair]
        for end in pair:
            largest[end] = max(largest[end], square + size[pair])
    least = []
    for place in range(n):
        plain = heapq.nsmallest(2 * k - 2, (
            _square(space, place, other) / 2 for other in range(n) if other != place and other not in divided[place]
        ))  # fmt: skip
        largest[place] = max([largest[place], *plain])
        costs = sorted([*divided[place].values(), *plain])[: 2 * k - 2]
        upto = accumulate([-toll[place], *costs])
        least.append(min(total / m for m, total in enumerate(upto, 1) if m >= k))
    roundings = len(space.points[0]) + max(entries.values(), default=0) + max(apexes) + 4 * k + 16
    value = math.fsum(least) - roundings * ROUNDING * math.fsum(2 * one + own for one, own in zip(largest, toll))
    return g.lower_bound <= max(value, 0.0), f"{len(rows):,} prices of pairs and triangles prove {value!r}."


def _is_price(row: Sequence[float], n: int) -> bool:
    one, other, third, price = row
    places = all(value == int(value) for value in row[:3]) and 0 <= one < n and 0 <= other < n and third < n
    if not places or one == other or not math.isfinite(price):
        return False
    return third == -1 or (third >= 0 and third not in (one, other) and price >= 0)


def _square(space: Space, one: int, other: int) -> float:
    found = 0.0
    for here, there in zip(space.points[one], space.points[other]):
        found += (here - there) * (here - there)
    return found


def _check_ceiling(report: Report, g: Any, space: Space) -> None:
    """What an algorithm promises is a multiple of its bound, where anything is proven, and what rounding may add."""
    metric = space.metric != "precomputed" or space.triangle
    free, means = anywhere(space, g), space.free and g.options.get("centers") == "means"
    single = space.total == len(space) <= 200_000
    value: float | None = None
    if g.require:
        pass
    elif g.algorithm == "gather" and metric and not means:
        value = _times_bound(space, 2 if single else 6 if free else 3, g.lower_bound)
        if g.guarantee is None and g.status == "stopped":
            report.check("guarantee formula", g.cost > value, "it was stopped before its ceiling was reached.")
            return
    elif g.algorithm == "gather-outliers" and metric and not means:
        value = _times_bound(space, 4 if free else 3, g.lower_bound)
    elif g.algorithm == "center-outliers" and metric and not means and len(space) <= 2_000:
        value = _times_bound(space, 4, g.lower_bound)
    elif g.algorithm == "center" and metric and not means and single:
        value = _times_bound(space, 2, g.lower_bound)
        if g.cost > value:
            value = None
    elif metric and (g.algorithm, True) in (("r-cellular", max(space.weights) == 1), ("cellular", g.k == 1)):
        ratio = (36 if g.algorithm == "r-cellular" else 3) * (2 if free else 1)
        more = 2 * ratio * 1e-12 * g.lower_bound
        if space.metric == "haversine":
            more += ratio * space.total * (1e-4 if ratio * g.lower_bound / g.k < HALF_TURN else 1.0)
        if space.metric == "precomputed":
            more += 2 * ratio * space.total * 1e-12 * space.longest
        value = six_digits_up(ratio * g.lower_bound + more)
        if value < g.cost:
            value = None
    report.check("guarantee formula", g.guarantee == value, f"the formula of {g.algorithm} gives {value!r}.")


def _times_bound(space: Space, ratio: int, bound: float) -> float:
    more = 2 * ratio * 1e-12 * bound
    if space.metric == "haversine":
        more += ratio * (1e-4 if ratio * bound < 18_990 else 1.0)
    if space.metric == "precomputed":
        more += 2 * ratio * 1e-12 * space.longest
    return six_digits_up(ratio * bound + more)


# ---------------------------------------------------------------------------------------------------------------------
# Which bounds are worked out again, by family and name
# ---------------------------------------------------------------------------------------------------------------------

CHECKS: dict[str, Callable[..., None]] = {
    "regions": check_regions,
    "rectangles": check_rectangles,
    "labels": check_labels,
    "tables": check_tables,
    "clusters": check_clusters,
}
BOUNDS: dict[str, dict[str, Callable[..., tuple[bool, str]]]] = {
    "regions": {
        "k": bound_k,
        "heaviest area": bound_heaviest_area,
        "average class": bound_average,
        "average class with minima": bound_average,
        "light set": bound_light_set,
        "hubs": bound_separator,
        "room for classes": bound_separator,
        "few choices": bound_few_choices,
        "no way round": bound_no_way_round,
    },
    "rectangles": {
        "k": bound_k,
        "heaviest location": bound_location,
        "points that no cut can split": bound_location,
        "least sum": bound_least_sum,
        "average class": bound_average_rectangle,
        "locations per class": bound_average_rectangle,
        "least rectangle": bound_least_rectangle,
        "shares of rectangles": bound_shares,
    },
    "labels": {
        "k": bound_k,
        "heaviest label": bound_heaviest_label,
        "class of a label": bound_heaviest_label,
        "average class": bound_few_classes,
        "crowded class": bound_few_classes,
        "sum of labels": bound_few_classes,
        "exact cover": bound_exact_cover,
    },
    "tables": {
        "finest generalization": bound_finest,
        "equal tuples together": bound_equal_tuples,
        "sizes alone": bound_sizes_alone,
        "nearest company": bound_nearest_company,
        "fewest stars": bound_fewest_stars,
    },
    "clusters": {
        "need": bound_need,
        "least disc": bound_least_disc,
        "centers apart": bound_centers_apart,
        "too many apart": bound_too_many_apart,
        "too many in need": bound_too_many_in_need,
        "too many discs": bound_too_many_discs,
        "peeling": bound_peeling,
        "coverage": bound_coverage,
        "disks": bound_disks,
        "prices": bound_prices,
        "halved prices": bound_prices,
        "one cluster": bound_one_cluster,
        "one column": bound_one_column,
        "squared distances": bound_squared_distances,
    },
}
FEW_CLUSTERS = ("too many apart", "coverage", "disks")
BOUNDS_BY_COST: dict[str, tuple[str, ...]] = {
    "radius": ("need", "least disc", "centers apart", *FEW_CLUSTERS),
    "radius left out": ("too many in need", "too many discs", "peeling", *FEW_CLUSTERS),
    "cellular": ("prices", "halved prices"),
    "squares": ("one cluster", "one column", "squared distances"),
}
A_SEARCH = "the word of a search that ruled out everything below, which only a search can repeat."
UNCHECKED_BOUNDS: dict[str, dict[str, str]] = {
    family: {"exact search": A_SEARCH, **({"search tree": A_SEARCH} if family == "tables" else {})} for family in CHECKS
}


# ---------------------------------------------------------------------------------------------------------------------
# The way through all of it
# ---------------------------------------------------------------------------------------------------------------------


def check_bundle(report: Report, path: str, instance_path: str | None, key: str | None) -> None:
    """A bundle, from its bytes to what its certificate claims."""
    files = report.run("bundle", bundle_files, path)
    if files is None:
        return
    manifest = report.run("manifest", check_manifest, files)
    report.run("signature", check_signature, files, key)
    if CERTIFICATE not in files:
        report.check("certificate", False, f"there is no {CERTIFICATE}.")
        return
    instance = _instance(report, files.get(INSTANCE), instance_path)
    g = check_certificate(report, files[CERTIFICATE], instance)
    if g is not None and manifest is not None:
        named = manifest.get("result") == g.digest and manifest.get("instance") == g.instance_digest
        report.check("manifest", named, "it names this result and these data.")
        report.run("release", check_release, files, g, manifest)
    if g is not None and instance is not None and CROSSWALK in files:
        report.run("crosswalk", check_crosswalk, files[CROSSWALK], g, instance)


def check_certificate(report: Report, content: bytes, instance: Any) -> Any:
    """A certificate, with the data where they are there; its result, or None where it cannot be read."""
    g = report.run("certificate", read_certificate, content)
    if g is None:
        return None
    report.run("form", check_claims, g)
    if report.failures and report.failures[-1] == "partition":
        return None
    if instance is not None:
        report.run("form", check_with_instance, instance, g)
    if g.audit is not None:
        report.run("audit", check_audit, g)
    return g


def _instance(report: Report, content: bytes | None, path: str | None) -> Any:
    if path is not None:
        with open(path, "rb") as file:
            content = file.read()
    if content is None:
        reason = f"there is no {INSTANCE}; with --instance classes, cost and bound are held against the data."
        report.unchecked("data", reason)
        return None
    return report.run("data", read_instance, content)


USAGE = "python check.py [BUNDLE.zip, folder or certificate.json] [--instance FILE] [--key HEX] [--patient]\n"


def main(arguments: Sequence[str], write: Callable[[str], Any] = sys.stdout.write) -> int:
    """Check what is named; 0 where nothing failed, 1 where something did, 2 where file or command cannot be read."""
    options: dict[str, str] = {}
    paths: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word in ("--instance", "--key") and waiting:
            options[word] = waiting.pop(0)
        elif word == "--patient":
            options[word] = ""
        elif word.startswith("-") or paths:
            write(USAGE)
            return 2
        else:
            paths.append(word)
    path = paths[0] if paths else os.path.dirname(os.path.abspath(__file__))
    report = Report(write, patient="--patient" in options)
    try:
        if path.endswith(".json"):
            instance = _instance(report, None, options.get("--instance"))
            with open(path, "rb") as file:
                check_certificate(report, file.read(), instance)
        else:
            check_bundle(report, path, options.get("--instance"), options.get("--key"))
    except OSError as error:
        write(f"{error.filename} cannot be read: {error.strerror}.\n")
        return 2
    counts = report.counts
    noted = f", {counts['note']:,} to note" if counts["note"] else ""
    write(f"\n{counts['ok']:,} ok, {counts['FAILED']:,} FAILED, {counts['not checked']:,} not checked{noted}.\n")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main(sys.argv[1:]))
