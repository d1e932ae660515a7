"""Every number in a lesson's words, and every right answer, worked out again by plain code from the files."""

import itertools
import re
from collections import Counter
from html import unescape
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.teaching.lessons import beyond, greedy, linking, local_cuts, overfull, zip_codes
from tests.compiled import compiled_only
from tests.teaching.lessons.made import made

pytestmark = [compiled_only, pytest.mark.thorough]  # a plain run takes two lessons in a browser
SAMPLES = Path(__file__).parents[3] / "sample_data"
SCHOOLS = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
    *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
]


def numbers(text):
    """The numbers of a text, as they are written without commas."""
    text = unescape(re.sub(r"<[^>]*>", "", text))
    return {found.replace(",", "") for found in re.findall(r"\d+(?:,\d{3})*(?:\.\d+)?", text)}


def words_of(scene):
    ask = scene.ask
    said = [
        ask.prompt,
        ask.feedback.right,
        ask.feedback.wrong,
        *ask.feedback.of.values(),
        *getattr(ask, "choices", {}).values(),
    ]
    return " ".join([*scene.words, *(state.words for state in scene.states), *said])


def told(scene, *known):
    """Every number in a scene's words is one of these."""
    strangers = numbers(words_of(scene)) - {str(one) for one in known}
    assert strangers == set(), scene.title


def adult():
    return pd.read_parquet(SAMPLES / "adult.parquet")


@pytest.mark.thorough
def test_linking():
    one, two, crowd, groups = made()["linking"].scenes
    small = linking.little(linking.adult().frame)
    known, frame = list(linking.KNOWN), adult()
    rows = Counter(map(tuple, frame[[*known, "salary"]].astype(str).values))
    mine = Counter(map(tuple, small.records.astype(str).values))
    assert all(rows[row] >= count for row, count in mine.items())  # they are records of the file
    assert sorted(map(tuple, small.names[known].values)) == sorted(map(tuple, small.records[known].values))
    for scene, person, fitting in ((one, small.alone, 1), (two, small.pair, 2)):
        who = small.names.loc[person]
        rows = [place for place, row in small.records.iterrows() if all(row[name] == who[name] for name in known)]
        assert len(rows) == fitting
        assert scene.ask.right == {f"row {place + 1}" for place in rows}
        assert who["name"] in scene.ask.prompt
        paid = {"<=50K": "at most 50,000 dollars", ">50K": "more than 50,000 dollars"}
        assert all(paid[small.records.loc[place, "salary"]] in scene.ask.feedback.right for place in rows)
    told(one, 8, 50000)
    told(two, 50000, 2)
    columns = [*known, "occupation", "race", "workclass", "native-country"]
    alone = []
    for count, state in enumerate(crowd.states, 1):
        sizes = Counter(map(tuple, frame[columns[:count]].astype(str).values)).values()
        alone.append(sum(size == 1 for size in sizes))
        assert numbers(state.words) == {str(alone[-1]), str(len(frame)), f"{100 * alone[-1] / len(frame):.1f}"}
        assert state.fills.count("m") == round(100 * alone[-1] / len(frame))
    first = next(place for place, count in enumerate(alone) if 4 * count > len(frame))
    assert crowd.ask.right == {crowd.states[first].name}
    shares = [f"{100 * count / len(frame):.1f}" for count in alone]
    told(crowd, len(frame), 25, first + 1, first, *alone, *shares)
    _, g, release = linking.little_release(small)
    own = int(g.assignment[small.fits(small.alone)[0]])
    assert len(groups.ask.right) == (g.assignment == own).sum() >= linking.K
    shown = release.frame[known].astype(str).agg(tuple, axis=1)
    fitting = [place for place in range(len(shown)) if f"row {place + 1}" in groups.ask.right]
    assert len(set(shown.iloc[fitting])) == 1
    records = small.records.assign(group=g.assignment)
    certain = records.groupby("group").salary.transform("nunique").eq(1).sum()
    told(groups, linking.K, g.classes, len(fitting), certain, 25, 34)


def counties():
    frame = geopandas.read_file(SAMPLES / "north_carolina.geojson")
    return frame.assign(FIPS=frame.FIPS.astype(str), BIR74=frame.BIR74.astype(int))


def sums(areas, groups, k):
    """The births of each group, all of them at least k, counted from the file."""
    births = dict(zip(counties().FIPS, counties().BIR74, strict=True))
    held = Counter()
    for code, group in zip(areas.ids, groups.tolist(), strict=True):
        held[group] += births[str(code)]
    assert min(held.values()) >= k
    return dict(held)


def test_overfull():
    alone, largest, by_hand, every = made()["overfull"].scenes
    frame, areas = counties(), overfull.births()
    k = overfull.K
    light = set(frame[k > frame.BIR74].FIPS)
    assert alone.ask.right == light
    told(alone, len(frame), k, len(light))
    g = overfull.grouped(k)
    held = sums(areas, g.assignment, k)
    most = max(held.values())
    assert largest.ask.right == {f"group {group}" for group, births in held.items() if births == most}
    assert most == frame.BIR74.max()  # so that no grouping has a smaller one
    told(largest, len(held), min(held.values()), most, k, f"{most / k:.2f}")
    asked = overfull.ASKED
    held = sums(areas, overfull.grouped(asked).assignment, asked)
    ratio = max(held.values()) / asked
    assert by_hand.ask.right == round(ratio, 2)
    told(by_hand, asked, len(held), 1, max(held.values()), f"{ratio:.2f}", f"{100 * ratio - 100:.0f}")
    ratios = {}
    for size, state in zip(overfull.KS, every.states, strict=True):
        held = sums(areas, overfull.grouped(size).assignment, size)
        ratios[size] = f"{max(held.values()) / size:.2f}"
        assert state.name == f"{size:,}"
        assert numbers(state.words) == {str(len(held)), str(max(held.values())), ratios[size]}
    good = [size for size in overfull.KS if float(ratios[size]) < overfull.NEAR]
    assert every.ask.right == {f"{min(good):,}"}
    said = numbers(every.ask.feedback.right)
    assert said <= {str(min(good)), *ratios.values(), *map(str, overfull.KS), str(len(held))}


def plain_pieces(edges, members):
    """How many connected pieces some areas make."""
    left, count = set(members), 0
    near = {}
    for one, other in edges:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    while left:
        count += 1
        border = [left.pop()]
        while border:
            border += (new := near.get(border.pop(), set()) & left)
            left -= new
    return count


def plain_by_number(k):
    """Groups of zip codes in numerical order, from the file."""
    frame = geopandas.read_file(SAMPLES / "ct_zcta2010.zip").sort_values("ZCTA5CE10")
    groups, now, held = [], [], 0
    for code, people in zip(frame.ZCTA5CE10, frame.pop10, strict=True):
        now.append(code)
        held += people
        if held >= k:
            groups.append(now)
            now, held = [], 0
    groups[-1] += now
    people = dict(zip(frame.ZCTA5CE10, frame.pop10.astype(int), strict=True))
    return [(group, sum(people[code] for code in group)) for group in groups]


def test_zip_codes():
    scribble, one_group, sides, every = made()["zip-codes"].scenes
    points = pd.read_csv(SAMPLES / "zcta_points_2010.csv", dtype={"zip": str}).sort_values("zip")
    points = points[points.lon.between(-125, -66) & points.lat.between(24, 50)].reset_index(drop=True)
    lat, lon = np.radians(points.lat.to_numpy()), np.radians(points.lon.to_numpy())
    half = np.sin(np.diff(lat) / 2) ** 2 + np.cos(lat[1:]) * np.cos(lat[:-1]) * np.sin(np.diff(lon) / 2) ** 2
    km = 2 * 6371 * np.arcsin(np.sqrt(half))  # along the globe
    start = int(np.argmax(km))
    before, after = points.zip[start], points.zip[start + 1]
    assert before in scribble.ask.prompt
    assert after in scribble.ask.prompt
    (said,) = numbers(scribble.ask.feedback.right) - {before, after}
    assert abs(int(said) - km[start]) < 0.01 * km[start]
    told(scribble, len(points), before, after, said, 59930, 60010)
    offered = dict(zip(zip_codes.LETTERS, zip_codes.candidates(zip_codes.scribble()), strict=True))
    assert scribble.ask.right == {letter for letter, place in offered.items() if points.zip[place] == after}

    areas = zip_codes.connecticut()
    place = {str(code): number for number, code in enumerate(areas.ids)}
    edges = areas.edges.tolist()
    plain = {
        k: [(group, held, plain_pieces(edges, [place[code] for code in group])) for group, held in plain_by_number(k)]
        for k in zip_codes.KS
    }
    k = zip_codes.K
    count = one_group.ask.right
    group, held, torn = next(one for one in plain[k] if one[0][0] in one_group.words[1])
    assert (group[-1] in one_group.words[1], torn) == (True, count)
    told(one_group, len(areas), k, int(group[0]), *group, len(group), held, torn)
    g = kanon.generalize(areas, k, "recombine", effort=zip_codes.EFFORT)
    joined = [np.flatnonzero(g.assignment == number).tolist() for number in range(g.classes)]
    assert all(plain_pieces(edges, members) == 1 for members in joined)
    largest = max(held for _, held, _ in plain[k])
    connected = max(int(areas.weights[members].sum()) for members in joined)
    assert connected < largest
    assert sides.ask.right == {"connected"}
    in_pieces = sum(torn > 1 for *_, torn in plain[k])
    heaviest = int(areas.weights.max())
    code = str(areas.ids[int(areas.weights.argmax())])
    told(sides, k, in_pieces, len(plain[k]), largest, connected, heaviest, code, len(joined))
    assert f"{len(plain[k])} groups, {sum(torn for *_, torn in plain[k])} pieces" in sides.picture
    shares = {}
    for size, state in zip(zip_codes.KS, every.states, strict=True):
        torn = sum(one > 1 for *_, one in plain[size])
        shares[size] = torn / len(plain[size])
        figures = [torn, len(plain[size]), f"{100 * shares[size]:.0f}", sum(one for *_, one in plain[size])]
        assert numbers(state.words) == {*map(str, figures), str(max(held for _, held, _ in plain[size]))}
        broken = {code for group, _, one in plain[size] for code in group if one > 1}
        assert [str(code) in broken for code in areas.ids] == [letter == zip_codes.TORN for letter in state.fills]
    first = min(size for size in zip_codes.KS if shares[size] > 0.8)
    assert every.ask.right == {f"{first:,}"}
    assert numbers(every.ask.feedback.right) == {str(first), f"{100 * shares[first]:.0f}"}


def packings(weights, k):
    """The fullest bin of each way to fill bins of at least k."""
    for bins in itertools.product(range(len(weights)), repeat=len(weights)):
        held = Counter()
        for weight, own in zip(weights, bins, strict=True):
            held[own] += weight
        if min(held.values()) >= k:
            yield max(held.values())


def plain_fold(weights, k):
    """Labels of k or more alone, the others bin after bin, what is left into the lightest."""
    bins, held = [weight for weight in weights if weight >= k], 0
    for weight in weights:
        if weight < k:
            held += weight
            if held >= k:
                bins.append(held)
                held = 0
    bins[bins.index(min(bins))] += held
    return bins


def test_greedy():
    hand, order, beat, between, gap = made()["greedy"].scenes
    k = greedy.TIGHT_K
    best, fold = min(packings(greedy.TIGHT, k)), max(plain_fold(greedy.TIGHT, k))
    assert (hand.ask.at_most, order.ask.right) == (best, fold)
    told(hand, *greedy.TIGHT, k, best)
    told(order, *greedy.TIGHT, k, 15, best, fold, fold // best)
    jobs = pd.read_csv(SAMPLES / "adult_occupation.csv")
    weights = jobs.records.tolist()
    bins = plain_fold(weights, greedy.K)
    results = {name: greedy.packed(name) for name in (greedy.GREEDY, greedy.BETTER, "exact")}
    levels = {
        name: [sum(weights[place] for place in np.flatnonzero(g.assignment == own)) for own in range(g.classes)]
        for name, g in results.items()
    }
    assert sorted(levels[greedy.GREEDY]) == sorted(bins)
    optimum = max(levels["exact"])
    # nothing is lower: at most so many bins hold k, and then one holds the mean or more; the exact search is the rest
    bound = -(-sum(weights) // (sum(weights) // greedy.K))
    better = max(levels[greedy.BETTER])
    assert min(itertools.chain(*levels.values())) >= greedy.K
    assert bound <= optimum <= better <= max(bins)
    assert dict(beat.ask.items) == dict(zip(jobs.occupation, weights, strict=True))
    assert beat.ask.at_most == better
    told(beat, len(jobs), sum(weights), greedy.K, len(bins), max(bins), better, optimum, len(levels["exact"]), 2)
    fold = max(bins)
    ceiling = results[greedy.GREEDY].guarantee
    told(between, fold, bound, ceiling, optimum, optimum - bound, fold - optimum, f"{fold / bound:.2f}")
    assert between.ask.right == {"between"}
    told(gap, 2, better, bound, 1, 100, f"{better / bound:.3f}", f"{100 * (better / bound - 1):.1f}")
    assert gap.ask.right == round(100 * (better / bound - 1), 1)


def plane():
    """Positions of each record: ages in ranges of five years from 17 on, educations in their order."""
    frame = adult()
    return np.column_stack([(frame.age - 17) // 5, frame.education.map(SCHOOLS.index)]), frame.salary.to_numpy()


def inside(codes, box):
    return (codes >= [box[0], box[2]]).all(axis=1) & (codes <= [box[1], box[3]]).all(axis=1)


def box_named(name):
    return tuple(map(int, name.split("-")))


def items(scene):
    return re.findall(r'data-item="([^"]+)"', scene.picture)


def test_local_cuts():
    forbidden, allowed, every, price = made()["local-cuts"].scenes
    codes, _ = plane()
    k = local_cuts.K
    single = local_cuts.single(k).details.cuts.tolist()
    crossed = list(map(box_named, items(allowed)))
    line = local_cuts.tempting(local_cuts.DotPlane(local_cuts.ages_and_schools()), local_cuts.grid(k))
    assert [0, line] not in single
    beside = {name: int(inside(codes, box_named(name)).sum()) for name in items(forbidden)}
    assert all(line in (box_named(name)[0], box_named(name)[1] + 1) for name in beside)
    assert forbidden.ask.right == {name for name, held in beside.items() if held < k}
    classes = len(
        {
            tuple(np.searchsorted([p for c, p in single if c == own], code, "right") for own, code in enumerate(row))
            for row in codes.tolist()
        }
    )
    told(forbidden, len(codes), classes, k, len(forbidden.ask.right), len(beside), min(beside.values()))
    good = set()
    for box in crossed:
        own = codes[inside(codes, box)][:, 0]
        if min((own < line).sum(), (own >= line).sum()) >= k:
            good.add("-".join(map(str, box)))
    assert allowed.ask.right == good
    told(allowed, k, len(good), len(crossed))
    times = {}
    for size, state in zip(local_cuts.KS, every.states, strict=True):
        one, other = local_cuts.single(size), local_cuts.local(size)
        times[size] = other.classes / one.classes
        assert numbers(state.words) == {str(one.classes), str(other.classes), f"{times[size]:.2f}"}
        held = [
            inside(codes, (a, b, c, d)).sum()
            for (a, c), (b, d) in zip(other.details.low, other.details.high, strict=True)
        ]
        assert min(held) >= size
        assert sum(held) == len(codes)
        assert sum(int(weight) ** 2 for weight in held) == other.cost
    best = max(times, key=times.__getitem__)
    assert every.ask.right == {f"{best:,}"}
    one, other = local_cuts.single(best), local_cuts.local(best)
    shared = [f"{result.cost / len(codes):.0f}" for result in (one, other)]
    told(
        every,
        k,
        classes,
        best,
        one.classes,
        other.classes,
        *shared,
        *itertools.chain(*(numbers(state.words) for state in every.states)),
    )
    boxes = list(map(box_named, items(price)))
    width = {box: box[1] - box[0] for box in boxes}
    assert price.ask.right == {"-".join(map(str, box)) for box in boxes if width[box] == max(width.values())}
    (strip,) = {age for age in range(15) if all(box[0] <= age <= box[1] for box in boxes)} & {
        age for age in range(15) if f"{17 + 5 * age}–{21 + 5 * age}" in price.words[0]
    }
    widest = next(box for box in boxes if width[box] == max(width.values()))
    years = [17 + 5 * strip, 21 + 5 * strip, 17 + 5 * widest[0], 21 + 5 * widest[1]]
    told(price, *years, len({box[:2] for box in boxes}))


def test_beyond():
    alike, every, difference, remedy = made()["beyond"].scenes
    small = linking.little(linking.adult().frame)
    _, g, release = linking.little_release(small)
    rows = release.frame.astype(str)
    salaries = rows.groupby(["age", "sex", "education"]).salary.transform("nunique")
    sure = {f"row {place + 1}" for place in np.flatnonzero(salaries == 1)}
    assert alike.ask.right == sure
    told(alike, 8, g.classes, linking.K, 50000, len(sure))
    codes, salary = plane()

    def certain(result):
        high = salary == ">50K"
        boxes = [(a, b, c, d) for (a, c), (b, d) in zip(result.details.low, result.details.high, strict=True)]
        held = [inside(codes, box) for box in boxes]
        assert sum(own.sum() for own in held) == len(codes)
        lone = [int(own.sum()) for own in held if high[own].all() or not high[own].any()]
        return len(lone), sum(lone)

    people = {}
    for size, state in zip(beyond.KS, every.states, strict=True):
        groups, people[size] = certain(beyond.boxed(size))
        assert numbers(state.words) == {str(beyond.boxed(size).classes), str(groups), str(people[size])}
    safe = min(size for size in beyond.KS if people[size] == 0)
    assert every.ask.right == {f"{safe:,}"}
    cure = beyond.boxed(beyond.KS[0], beyond.L)
    assert certain(cure) == (0, 0)
    figures = [safe, beyond.boxed(safe).classes, beyond.L, beyond.KS[0], cure.classes]
    assert numbers(every.ask.feedback.right) == {str(one) for one in figures}

    births = dict(zip(counties().NAME, counties().BIR74, strict=True))
    (name,) = re.findall(r"How many births does (.*) alone have\?", difference.ask.prompt)
    assert difference.ask.right == births[name] < beyond.TWICE_K
    first, second = beyond.twice(beyond.TWICE_K)
    one, other, _ = beyond.nested(first, second)
    areas = overfull.births()
    held = [sums(areas, first.assignment, beyond.TWICE_K)[one], sums(areas, second.assignment, beyond.TWICE_K)[other]]
    told(difference, beyond.TWICE_K, *held, births[name])
    now = kanon.intersect(areas, first, second)
    later = kanon.intersect(areas, *beyond.twice(beyond.LARGER_K))
    assert remedy.ask.right == {"one"}
    assert later.exposed > 0
    told(remedy, beyond.TWICE_K, beyond.LARGER_K, now.exposed, now.exact, now.single, later.exposed, later.exact)
    parts = pd.DataFrame({"a": first.assignment, "b": second.assignment, "w": areas.weights})
    cells = parts.groupby(["a", "b"]).w.agg(["sum", "size"])
    lone = beyond.lone(now)
    assert len(lone) == now.single
    for place in lone:
        cell = cells.loc[(first.assignment[place], second.assignment[place])]
        assert (cell["size"], cell["sum"]) == (1, areas.weights[place])
        assert areas.weights[place] < beyond.TWICE_K


def test_a_number_that_is_not_known_is_found():
    with pytest.raises(AssertionError):
        told(made()["linking"].scenes[0], 8)
    assert numbers("<b>1,234</b> of 5 (6.7 %)") == {"1234", "5", "6.7"}
