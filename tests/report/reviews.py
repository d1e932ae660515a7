"""Reviews of real releases, with figures of realistic texts, and one that is as hostile as text can be."""

import hashlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pandas as pd

import kanon_engine as kanon
from kanon_engine.model.attacked import Attacked
from kanon_engine.model.measure import Measure
from kanon_engine.project.context import Context, Decision
from kanon_engine.release.released import Released
from kanon_engine.report.checklist import checklist
from kanon_engine.report.picture import release_picture_svg
from kanon_engine.report.review import Review, Role
from kanon_engine.risk.rules.rule import Ruling
from tests.sentences import ONLY_ONE_VALUE

SAMPLES = Path(__file__).parents[2] / "sample_data"
CONTEXT = Context(
    title="Hospital discharges of 2024 by grouped zip code",
    holder="State health department, office of data",
    people="Residents discharged from a hospital in 2024",
    recipient="University of Hartford, school of public health",
    purpose="To compare rates of asthma between parts of the state",
    controls="Data use agreement of 2025; two named analysts; deletion after three years",
    basis="45 CFR 164.514(b)(2), limited to areas of more than 20,000 people",
    known="The census publishes counts by age and sex for each zip code.",
    residual="Somebody who knows a patient and the month of discharge may narrow her down to a group.\n"
    "The agreement forbids to try, and the groups are large.",
    officer="M. Rivera, privacy officer",
    decided="2026-03-02",
    review="2028-03-01",
)
DECISION = Decision(
    "release with conditions",
    "Groups of this size keep every patient within a crowd, and the study needs no finer areas.",
    agreement="Data use agreement 2025-117",
    until="2028-03-01",
    conditions="Two named analysts; no join with other records.\nDeletion after three years.",
    incident="The privacy office is called within 24 hours, and all use stops.",
)
BEFORE = (
    ("prosecutor-highest", "Highest risk of one person", 1.0, "1 in 1"),
    ("prosecutor-average", "Average risk of a person", 0.31, "31 in 100"),
    ("uniques", "People who are alone", 7_512, "7,512 of 30,162"),
)
AFTER = (
    ("prosecutor-highest", "Highest risk of one person", 0.05, "1 in 20"),
    ("prosecutor-average", "Average risk of a person", 0.011, "11 in 1,000"),
    ("uniques", "People who are alone", 0, "0 of 30,162"),
    ("journalist", "Risk against a list of the population", None, "no population was given"),
)
MEANING = "How likely somebody who looks for a person in the release is to pick the right record."
SOURCE = "1 / size of the smallest group; El Emam, Dankar 2008"


def figures(rows):
    return tuple(Measure(key, title, value, words, MEANING, SOURCE) for key, title, value, words in rows)


RULINGS = (
    Ruling(
        "hipaa-zip", "HIPAA: areas of more than 20,000 people", "45 CFR 164.514(b)(2)(i)(B)",
        "Every area that is named holds more than 20,000 people.", "holds",
        "The smallest group holds 20,008 people.",
    ),
    Ruling(
        "arx-highest", "ARX: highest risk at most 0.2", "ARX, default of its risk analysis",
        "No record is picked rightly with a chance of more than 1 in 5.", "holds", "The highest risk is 1 in 20.",
    ),
    Ruling(
        "ema-0070", "EMA Policy 0070: risk at most 0.09", "EMA/90915/2016, section 5.4",
        "The risk that a person is found is at most 0.09, with all that is known of the setting.", "does not hold",
        "Under the strict reading 0.11 is above 0.09: 214 records are in groups of fewer than 12.",
    ),
    Ruling(
        "wp216", "WP216: nobody can be inferred", "Article 29 Working Party, opinion 05/2014, section 2.2.2",
        "What is not known of a person cannot be worked out from the release.", "not assessed",
        "Which columns are sensitive would have to be known.",
    ),
)  # fmt: skip
ATTACKS = (
    Attacked(
        "linking", "Linking with a list that has names", "Has a list of voters with age and zip code, and joins it.",
        "survives", 0, 500, "people", (0.0, 0.0074),
        "Nobody of 500 people on the list is identified for certain.",
        {"above 1/k": "3 of 500 people"}, source="Sweeney 2002",
    ),
    Attacked(
        "homogeneity", "Sensitive values that a whole group shares", "Knows in which group a person is.",
        "does not survive", 128, 30_162, "records", (128 / 30_162, 128 / 30_162),
        f"4 groups have {ONLY_ONE_VALUE}: of 128 records it is known for certain.",
        {"largest shift of belief": "0.41"}, source="Machanavajjhala et al. 2007",
    ),
    Attacked(
        "composition", "Two releases of the same people", "Has an earlier release of overlapping people.",
        "not run", 0, 0, "people", (0.0, 0.0), "No second release was given.", source="Ganta et al. 2008",
    ),
)  # fmt: skip
UTILITY = (
    Measure("loss", "Detail that is lost", 0.34, "34 %", "How wide ranges are, against the whole domain.", "LM"),
    Measure("borders", "Length of borders", 812.0, "812 km", "Of all groups together; shorter is more compact.", "sum"),
)
VERSIONS = {"kanon": "0.2.0", "numpy": "2.3.1", "Python": "3.11.9"}


def digest(content):
    return hashlib.sha256(content).hexdigest()


def made(
    instance, g, released, roles, *, context=CONTEXT, rulings=RULINGS, attacks=ATTACKS, picture=None, decision=DECISION
):
    """A review of this result with the figures above."""
    g = replace(g, seconds=0.0).sealed()  # no clock, so that a review is the same whenever it is made
    certificate = kanon.verify(instance, g)
    files = {"release/release.csv": released.frame.head(500).to_csv(index=False).encode("utf-8", "replace")}
    digests = {"input.csv": digest(b"input"), "internal/certificate.json": digest(g.to_json().encode())}
    digests |= {name: digest(content) for name, content in files.items()}
    before, after = figures(BEFORE), figures(AFTER)
    review = Review(
        context, instance, g, certificate, released, roles, before, after, rulings, attacks, UTILITY, (), digests,
        VERSIONS, picture, files, decision=decision,
    )  # fmt: skip
    return replace(review, checklist=checklist(review))


@cache
def connecticut():
    """Zip codes in groups of more than 20,000 people."""
    regions = kanon.read_regions(SAMPLES / "ct_zcta2010.zip")
    g = kanon.generalize(regions, 20_001, "tree-split")
    frame = kanon.release(regions, g, codes_are_public=True)
    released = Released(frame, ("group",), k=20_001, unit="people", counts="weight", name="zip codes of Connecticut")
    roles = (
        Role("ZCTA5CE10", "quasi-identifier", "the group that the zip code is in"),
        Role("pop10", "count", "its sum over a group"),
        Role("geometry", "shape", "the shape of each group"),
    )
    return made(regions, g, released, roles, picture=release_picture_svg(regions, g, codes_are_public=True))


@cache
def london():
    """Stations of hired cycles in rectangles on a grid."""
    points = kanon.read_points(SAMPLES / "cycle_hire.csv")
    g = kanon.generalize(points, 12, "kd-tree", snap=0.002)
    frame = kanon.release(points, g)
    released = Released(frame, ("group",), k=12, unit=points.unit, counts="weight", name="stations in London")
    roles = (Role("lon", "quasi-identifier", "in rectangles"), Role("lat", "quasi-identifier", "in rectangles"))
    return made(points, g, released, roles, picture=release_picture_svg(points, g))


@cache
def adult():
    """Some records of the census."""
    names = ["age", "sex", "education", "marital_status"]
    frame = pd.read_parquet(SAMPLES / "adult.parquet").iloc[::7]
    table = kanon.Table(frame, [name for name in names if name in frame.columns], unit="records")
    g = kanon.generalize(table, 20, "hill-climb", restarts=5)
    kept = kanon.release(table, g)
    left_out = len(table) - len(kept)
    released = Released(kept, tuple(table.quasi_identifiers), k=20, left_out=left_out, name="census records")
    roles = tuple(
        Role(str(name), "quasi-identifier" if name in table.quasi_identifiers else "left out",
             "in ranges" if name in table.quasi_identifiers else "nothing")
        for name in frame.columns
    )  # fmt: skip
    return made(table, g, released, roles, picture=release_picture_svg(table, g))


@cache
def occupations():
    """Occupations in groups, the quickest to make."""
    labels = kanon.read_labels(SAMPLES / "adult_occupation.csv")
    g = kanon.generalize(labels, 2_000, "fold")
    released = Released(kanon.release(labels, g), ("group",), k=2_000, counts="weight", name="occupations")
    roles = (Role("occupation", "quasi-identifier", "the group that it is in"),)
    return made(labels, g, released, roles, picture=release_picture_svg(labels, g))


MARKUP = "</style></title><script>alert(1)</script><img src=x onerror=alert(2)>“&amp;”"
SCRIPTS = "東京都の医療記録 سجلات المرضى \u202eevil\u202c שלום हिन्दी 🏥👩‍⚕️ \x00\x1b[31m {nb} \ue000 **bold**"


def hostile(rules=200, columns=60):
    """Very long names, many columns, other scripts, markup, many rules."""
    names = [f"{MARKUP} {SCRIPTS} {place} " + "x" * (40 * place % 400) for place in range(columns)]
    frame = pd.DataFrame({name: ["a" * 300, SCRIPTS] * 6 for name in names})
    table = kanon.Table(frame, names[:3])
    g = kanon.generalize(table, 2, "hill-climb", restarts=1)
    released = Released(
        frame.rename(columns=lambda name: f"kept {name}"), (f"kept {names[0]}",), k=2, name=MARKUP
    )  # fmt: skip
    roles = tuple(Role(name, MARKUP, SCRIPTS) for name in names)
    rulings = tuple(
        Ruling(f"rule-{place}", f"Rule {place} {MARKUP}", SCRIPTS, f"{MARKUP} " * 9, verdict, "unbroken" * 90)
        for place, verdict in zip(range(rules), ("holds", "does not hold", "not assessed") * rules, strict=False)
    )
    attacks = (
        Attacked("linking", MARKUP, SCRIPTS, "survives", 1, 3, MARKUP, (0.008, 0.906), SCRIPTS, {MARKUP: SCRIPTS}),
        *ATTACKS,
    )
    text = "\n".join([f"{MARKUP} {SCRIPTS}", "word " * 1500, "y" * 4000])
    context = Context(*[text] * 10, decided="soon", review=MARKUP)
    decision = Decision("refuse", text, agreement=text, incident=text)
    return made(table, g, released, roles, context=context, rulings=rulings, attacks=attacks,
                picture=release_picture_svg(table, g), decision=decision)  # fmt: skip


REVIEWS = {"connecticut": connecticut, "london": london, "adult": adult, "hostile": hostile}
