"""All tables with the same optimal release of suppressed cells, the plain way."""

from collections import Counter
from itertools import product

STAR = -1


def partitions(items, k):
    """Every way to put items into groups of k or more."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for bits in product((0, 1), repeat=len(rest)):
        own = [first, *(item for item, bit in zip(rest, bits, strict=True) if bit)]
        if len(own) >= k:
            for others in partitions([item for item, bit in zip(rest, bits, strict=True) if not bit], k):
                yield [own, *others]


def shown(rows, partition):
    """What each record shows, as a multiset: a value where its group agrees, else a star."""
    found = []
    for group in partition:
        own = [rows[at] for at in group]
        row = tuple(column[0] if len(set(column)) == 1 else STAR for column in zip(*own, strict=True))
        found += [row] * len(group)
    return tuple(sorted(found))


def stars(release):
    return sum(value == STAR for row in release for value in row)


def best_releases(rows, k):
    """Every release of suppressed cells with the fewest stars."""
    found = {shown(rows, partition) for partition in partitions(list(range(len(rows))), k)}
    least = min(map(stars, found))
    return {release for release in found if stars(release) == least}


def originals(release, sizes, k):
    """Every multiset of records for which this is a release with the fewest stars; with what each group then has.

    A group is the records that show the same; which records it has is a multiset for each row that is shown.
    """
    domain = list(product(*map(range, sizes)))
    for records in product(domain, repeat=len(release)):
        fits = all(
            value in (STAR, code)
            for row, record in zip(release, records, strict=True)
            for value, code in zip(row, record, strict=True)
        )
        if fits and shown_by_rows(release, records) == release and release in best_releases(records, k):
            yield {
                row: tuple(sorted(r for own, r in zip(release, records, strict=True) if own == row)) for row in release
            }


def shown_by_rows(release, records):
    """What the records show when those with the same released row are a group."""
    groups = [[at for at, own in enumerate(release) if own == row] for row in dict.fromkeys(release)]
    return shown(records, groups)


def certain(release, sizes, k):
    """(row, column, value) → in how many records of the group it is at least, over all originals; none of 0."""
    least = {}
    for number, groups in enumerate(originals(release, sizes, k)):
        for row, records in groups.items():
            for column, value in enumerate(row):
                if value == STAR:
                    counts = Counter(record[column] for record in records)
                    for code in range(sizes[column]):
                        key = row, column, code
                        least[key] = counts[code] if number == 0 else min(least[key], counts[code])
    return {key: many for key, many in least.items() if many}
