"""What the words of a promise claim, as conditions that a cost meets or not."""

import re
from fractions import Fraction

NUMBER = r"(\d[\d,.]*\d|\d)"
TIMES = r"never above ([\d.]+|5/2) times the best possible"
SCALED = r"never above ([\d.]+) × "


def number(text):
    return float(text.replace(",", "")) if "." in text else int(text.replace(",", ""))


def broken(words, cost, best):
    """Which parts of the promise this cost breaks, given the best possible; other algorithms are not looked at."""
    wrong = []
    either = re.match(rf"at most {NUMBER} or the best possible plus {NUMBER}, whichever is more", words)
    ceiling = re.match(rf"at most {NUMBER}", words)
    if either:
        if cost > max(number(either[1]), best + number(either[2])):
            wrong.append(either[0])
    elif (
        ceiling
        and not re.match(rf"at most {NUMBER} \(the heaviest area\) plus d ×", words)
        and cost > number(ceiling[1])
    ):
        wrong.append(ceiling[0])
    if "below 3 times the best possible" in words and not cost < 3 * best:
        wrong.append("below 3 times")
    if words.endswith("the best possible") and ": the best possible" in words and cost > best:
        wrong.append("the best possible")
    if words.startswith("the best possible") and cost > best:
        wrong.append("the best possible")
    times = re.search(TIMES, words)
    if times and cost > Fraction(times[1]) * best:
        wrong.append(times[0])
    added = re.search(SCALED + rf"\(the best possible \+ {NUMBER}\)", words)
    if added and cost > Fraction(added[1]) * (best + number(added[2])):
        wrong.append(added[0])
    scaled = re.search(SCALED + "the best possible", words)
    if scaled and cost > Fraction(scaled[1]) * best:
        wrong.append(scaled[0])
    if words.startswith("no hidden cell") and cost:
        wrong.append("no hidden cell")
    return wrong
