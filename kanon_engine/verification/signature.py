"""Whether an Ed25519 signature is valid by RFC 8032."""

from __future__ import annotations

import hashlib
from typing import Any

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493  # of the group that the base point generates
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT = pow(2, (PRIME - 1) // 4, PRIME)  # of -1


def _sum(one: Any, other: Any) -> Any:
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
            result = _sum(result, point)
        point = _sum(point, point)
        number >>= 1
    return result


def _same_point(one: Any, other: Any) -> bool:
    return all((one[side] * other[2] - other[side] * one[2]) % PRIME == 0 for side in (0, 1))


def _point(encoded: bytes) -> Any:
    """The point that 32 bytes encode; None where they encode none, or not in canonical form."""
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


def fingerprint(key: bytes) -> str:
    """What people compare of a key, for example by phone: the SHA-256 of its 32 bytes in groups of four digits.

    >>> fingerprint(bytes(32))
    '6668 7aad f862 bd77 6c8f c18b 8e9f 8e20 0897 1485 6ee2 33b3 902a 591d 0d5f 2925'
    """
    digits = hashlib.sha256(key).hexdigest()
    return " ".join(digits[place : place + 4] for place in range(0, len(digits), 4))


def signature_is_good(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether a signature of 64 bytes is by the key of 32 bytes: S B = R + h A, every number in canonical form."""
    a, r = _point(key), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or a is None or r is None or s >= ORDER or _same_point(_times(8, a), (0, 1, 1, 0)):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return _same_point(_times(s, BASE), _sum(r, _times(h, a)))
