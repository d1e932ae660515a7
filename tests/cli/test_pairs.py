"""Two flags that name the same column: the summary says what became of it, or one sentence refuses."""

from itertools import combinations

import pytest

import kanon_engine as kanon
from kanon_engine.cli.flags import require_one_use, requirements, with_columns
from kanon_engine.cli.reading import reader_settings
from kanon_engine.cli.summary import figures, summary_text
from kanon_engine.model.known import FAMILIES
from kanon_engine.tables import READER
from tests.cli.command import kanon as run
from tests.cli.command import refused

ROWS = ["age,town,sex,illness"] + [
    f"{(20, 30, 40, 50)[n % 4]},{'ab'[n // 4 % 2]},{'mf'[n // 8 % 2]},{('flu', 'gout', 'cold')[n % 3]}"
    for n in range(48)
]
LEVELS = ["20;young;*", "30;young;*", "40;old;*", "50;old;*"]
FLAGS = {
    "quasi_identifiers": "town,age",
    "class_label": "age",
    "orders": '{"age": [50, 40, 30, 20]}',
    "hierarchies": "age=LEVELS",
    "trees": '{"age": [[20, "young"], [30, "young"], [40, "old"], [50, "old"]]}',
    "order_only": "age",
    "grow": "age=ranges",
    "top": "age=50",
    "bottom": "age=29",
    "bins": "age=20:10",
    "dates": "age=text",
    "identifiers": "age",
    "sensitive": "age",
    "keep": "age",
    "weight": "age",
    "weights": "age=2",
    "diversity": "age=2",
    "closeness": "age=0.9",
}
GENERALIZED = {"orders", "hierarchies", "trees", "grow", "order_only", "weights", "top", "bottom", "bins", "dates"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The records, and a hierarchy of their ages."""
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "people.csv").write_text("\n".join(ROWS), "utf-8")
    (folder / "levels.csv").write_text("\n".join(LEVELS), "utf-8")
    return folder


def given(one, other, folder):
    """What the two flags and those that they need say."""
    settings = {name: FLAGS[name].replace("LEVELS", str(folder / "levels.csv")) for name in (one, other)}
    if {one, other} in [{"order_only", more} for more in ("quasi_identifiers", "weights", "dates")]:
        settings["trees"] = FLAGS["trees"]
    return {"quasi_identifiers": "town,age" if {one, other} <= GENERALIZED else "town"} | settings


def summary(settings, folder):
    """What the command prints of a run with these flags, without its search for a smaller k."""
    family, settings = FAMILIES["tables"], dict(settings)
    weights, require = settings.pop("weights", None), requirements(settings)
    reading = reader_settings(family, settings)
    require_one_use(reading, require, weights)
    table = family.reader.function(folder / "people.csv", **with_columns(reading, require))
    options = {"metric": "LM", "weights": weights} if weights else {}
    g = kanon.generalize(table, 2, "mondrian", require=require, **options)
    return summary_text(figures(table, g, kanon.verify(table, g)) | {"smaller_k": None})


def test_all_flags_that_name_columns_are_looked_at():
    others = {"accept_guesses", "unit", "sheet"}
    assert {parameter.name for parameter in READER.parameters} - others <= FLAGS.keys()


@pytest.mark.thorough(one_in=5)
@pytest.mark.parametrize(("one", "other"), [*combinations(FLAGS, 2)])
def test_no_column_that_two_flags_name_is_lost_silently(one, other, files):
    try:
        lines = summary(given(one, other, files), files).splitlines()
    except kanon.InvalidInput as error:
        words = str(error)
        assert "'age'" in words
        assert one.replace("_", "-") in words
        assert other.replace("_", "-") in words
        assert words.count(".") == 1
        return
    became = [line for line in lines if "age" in line]
    assert any(
        line.startswith(("released unchanged", "not released", "- 48 records; quasi-identifiers")) for line in became
    )


def test_a_sensitive_column_is_released_beside_others_to_keep(files, tmp_path):
    release = tmp_path / "release.csv"
    command = ["table", files / "people.csv", "-k", 2, "--algorithm", "mondrian", "--quasi-identifiers", "town"]
    done = run(*command, "--sensitive", "illness", "--keep", "sex", "--release", release)
    assert done.exit_code == 0, done.output
    assert release.read_text("utf-8").splitlines()[0] == "town,sex,illness"
    assert "released unchanged  sex, illness" in done.stdout
    assert "not released        age" in done.stdout
    words = refused(run(*command, "--sensitive", "illness", "--grow", "illness=characters"))
    assert words == "Column 'illness' is given for grow and for sensitive; give it one role."
