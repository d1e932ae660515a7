"""What a release tells, by the definitions: class by class, value by value."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations


def sizes(groups, weights):
    """How many records each class has, empty ones left out."""
    found = Counter()
    for group, weight in zip(groups, weights, strict=True):
        found[group] += weight
    return {group: size for group, size in found.items() if size}


def prosecutor(sizes, threshold):
    """Highest and average risk and the share of records above a threshold."""
    records = [Fraction(1, size) for size in sizes.values() for _ in range(size)]
    above = sum(float(risk) > threshold for risk in records)
    return float(max(records)), float(sum(records) / len(records)), above / len(records)


def journalist(sizes, population, threshold):
    """The same against the sizes that classes have in a population."""
    records = [Fraction(1, population[group]) for group, size in sizes.items() for _ in range(size)]
    above = sum(float(risk) > threshold for risk in records)
    return float(max(records)), float(sum(records) / len(records)), above / len(records)


def singled_out(rows):
    """Records that are unique on at most three columns."""
    width = range(len(rows[0]))
    found = set()
    for size in (1, 2, 3):
        for columns in combinations(width, size):
            shown = [tuple(row[column] for column in columns) for row in rows]
            found |= {place for place, own in enumerate(shown) if shown.count(own) == 1}
    return len(found)


def zayatz(sizes, population):
    """Population uniques by Bayes' rule, with binomial coefficients that are whole numbers."""
    n, often = sum(sizes), Counter(sizes)

    def one(size):
        return Fraction(size * math.comb(population - size, n - 1), math.comb(population, n))

    evidence = sum(Fraction(count, len(sizes)) * one(size) for size, count in often.items())
    alone = Fraction(often[1], len(sizes)) * one(1) / evidence
    return float(often[1] * alone * population / n)


def pitman_likelihood(sizes, theta, alpha):
    """Logarithm of Pitman's sampling formula, but for what does not depend on the parameters."""
    found = sum(math.log(theta + place * alpha) for place in range(1, len(sizes)))
    found -= sum(math.log(theta + place) for place in range(1, sum(sizes)))
    return found + sum(math.log(place - alpha) for size in sizes for place in range(1, size))


def slide_expected(classes, share, alpha, beta, most=4_000):
    """Expected classes of one and of two records, summed over the sizes that a class of the population can have."""
    one = two = 0.0
    for size in range(1, most):
        chance = math.exp(
            math.lgamma(alpha + size - 1) - math.lgamma(size) - math.lgamma(alpha)
            + (size - 1) * math.log(1 - beta) + alpha * math.log(beta)
        )  # fmt: skip
        one += chance * size * share * (1 - share) ** (size - 1)
        two += chance * math.comb(size, 2) * share**2 * (1 - share) ** (size - 2) if size > 1 else 0.0
    return classes * one, classes * two


def diversity(groups, values, weights, numbers):
    """l, entropy l, c, alpha, t, beta, enhanced beta, delta and how many classes lack a value, by the definitions."""
    overall = Counter()
    by_group = {}
    for group, value, weight in zip(groups, values, weights, strict=True):
        overall[value] += weight
        by_group.setdefault(group, Counter())[value] += weight
    overall = {value: count for value, count in overall.items() if count}
    kinds = sorted(overall, key=lambda value: (value is None, value if value is not None else 0))
    total = sum(overall.values())
    p = {value: overall[value] / total for value in kinds}
    shares = []
    for own in by_group.values():
        size = sum(own.values())
        if size:
            shares.append({value: count / size for value, count in own.items() if count})
    least = min(map(len, shares))
    ratios, distances, gains, changes = [], [], [], []
    possible = True
    for q in shares:
        ordered = sorted(q.values(), reverse=True)
        ratios.append(ordered[0] / sum(ordered[least - 1 :]))
        gaps = [q.get(value, 0) - p[value] for value in kinds]
        moved = [abs(sum(gaps[: end + 1])) for end in range(len(kinds))]
        if len(kinds) == 1:
            distances.append(0.0)
        else:
            distances.append(sum(moved) / (len(kinds) - 1) if numbers else sum(map(abs, gaps)) / 2)
        for value, share in q.items():
            gains.append((share - p[value]) / p[value])
            changes.append(abs(math.log(share / p[value])))
            possible &= gains[-1] <= 0 or gains[-1] <= -math.log(p[value])
    return {
        "l": least,
        "entropy_l": min(math.exp(-sum(share * math.log(share) for share in q.values())) for q in shares),
        "c": max(ratios) if least > 1 else None,
        "alpha": max(max(q.values()) for q in shares),
        "t": max(distances),
        "beta": max(gains),
        "enhanced_beta": max(gains) if possible else None,
        "delta": max(changes),
        "lacking": sum(len(q) < len(kinds) for q in shares),
    }
