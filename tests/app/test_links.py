"""Links that nobody's page wrote: too long, too deep, of the wrong types. They cost a notice, never a page."""

from __future__ import annotations

import json
import random
from urllib.parse import parse_qs, quote

import pytest

from kanon_engine.model.known import FAMILIES
from kanon_engine.model.requirement import demand_of
from kanon_engine.project.question import link_of, pairs_of_link, rows_of_link
from pages._shared.controls import read_k, read_option, read_seed
from pages._shared.link import LONGEST, MOST_NAMES, MOST_TOLD, one_of, read_json
from pages._shared.scenarios import read_other_k
from pages._shared.widgets import whole_number
from pages._tables.draft import PARTS, as_text, from_text
from tests.app.visit import visit
from tests.compiled import thorough_only

WORDS = (
    "",
    " ",
    "\0",
    "a\0b",
    "null",
    "true",
    "[]",
    "{}",
    '"\\ud800"',
    "../../etc/passwd",
    "<b>",
    "%",
    "=;=;:;:",
    "age",
)
NUMBERS = (
    "0",
    "-1",
    "7",
    "2,000",
    "2.000",
    str(2**53),
    str(2**53 + 1),
    "9" * 5_000,
    "1e308",
    "-1e308",
    "5e-324",
    "1e309",
)
NUMBERS += ("NaN", "-inf", "0x10", "1_000", "١٢", "１２", "--5", "−3", "1e-400", "0.1")


def columns(text: str) -> object:
    return from_text(as_text(read_json(text)))


def demands(text: str) -> object:
    return pairs_of_link("demands", text, demand_of)


def minima(text: str) -> object:
    return pairs_of_link("minimum", text, lambda column, m: whole_number(m, "The minimum", 1))


READERS = {"k": read_k, "seed": read_seed, "other_k": read_other_k, "minima": minima, "demands": demands}
READERS |= {"together": lambda text: link_of(rows_of_link(text)), "columns": columns, "tab": one_of(["Map", "Compare"])}
READERS |= {
    f"{family.name} {option.name}": lambda text, option=option: read_option(option, text)
    for family in FAMILIES.values()
    for algorithm in family.algorithms.values()
    for option in algorithm.options
}


def hostile(rng: random.Random) -> str:
    """A value of the address bar, as it is typed."""
    made = [
        lambda: rng.choice(WORDS),
        lambda: rng.choice(NUMBERS),
        lambda: rng.choice("[{(") * rng.randrange(1, 3_000),
        lambda: '{"a":' * rng.randrange(1, 3_000),
        lambda: "".join(chr(rng.randrange(0xD800)) for _ in range(rng.randrange(40))),
        lambda: rng.choice("x;,=:%") * rng.randrange(1, 20_000),
        lambda: json.dumps({rng.choice([*PARTS, "unit"]): nested(rng, 0)}, ensure_ascii=rng.random() < 0.5),
        lambda: ";".join(f"{rng.choice(WORDS)}{rng.choice(':=,')}{rng.choice(NUMBERS)}" for _ in range(3)),
        lambda: f"age={rng.choice(NUMBERS)}{rng.choice(['', ':entropy', ':closeness', ':recursive:'])}",
    ]
    text = rng.choice(made)()
    if rng.random() < 0.5:
        text = quote(text, errors="surrogatepass")
    text = text.encode("utf-8", "replace").decode()  # a browser sends nothing else
    return text.replace("%", rng.choice(["%", "%2", "%zz", "%%"]), rng.randrange(2))


def nested(rng: random.Random, depth: int) -> object:
    pick = rng.randrange(6 if depth < 6 else 4)
    if pick == 4:
        return [nested(rng, depth + 1) for _ in range(rng.randrange(4))]
    if pick == 5:
        return {rng.choice(WORDS): nested(rng, depth + 1) for _ in range(rng.randrange(4))}
    return [None, rng.random() < 0.5, rng.choice([0, 2**53 + 1, 10**30, 1e308, 5e-324, float("nan")]), "\ud800"][pick]


@pytest.mark.parametrize("part", [0, *thorough_only(range(1, 10))])
def test_no_text_makes_a_reader_of_links_fail(part):
    rng = random.Random(part)
    refused = 0
    for _ in range(500):
        for text in parse_qs(f"a={hostile(rng)}", keep_blank_values=True).get("a", ["\0"]):
            for read in READERS.values():
                try:
                    found = read(text)
                except ValueError:  # every InvalidInput is one
                    refused += 1
                else:
                    str(found).encode()
    assert refused > 500


@pytest.mark.parametrize(
    "text",
    [
        "{no",
        "[" * 2_000,
        "[" * 100_000,
        '{"unit":"\\ud800"}',
        f"[{'9' * 20}]",
        "NaN",
        f"[{'0,' * 30_000}0]",
        "[[[[[[0]]]]]]",
    ],
    ids=range(8),
)
def test_json_that_no_page_writes_is_refused(text):
    with pytest.raises(ValueError):
        read_json(text)


def test_a_link_that_is_too_much_is_told_and_left_out():
    link = {"together": "x" * (LONGEST + 1)} | {f"n{number}": 1 for number in range(MOST_NAMES)}
    app = visit("regions", algorithm="tree-split", **link)
    (notice,) = [element.value for element in app.warning]
    assert "“together” is too long for a link" in notice
    assert notice.count("is ignored") == MOST_TOLD
    assert len(notice) < 2_000
