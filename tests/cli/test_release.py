"""kanon release: what may leave of a result, and a person's own records with its groups."""

import io
import json

import geopandas
import pandas as pd
import pytest

from kanon_engine.release.formats import FORMATS
from tests.cli.command import GEORGIA, kanon, refused
from tests.sentences import THERE_IS_NO_COLUMN

FLAGS = ["--weight", "TotPop90", "--id", "AreaKey", "--unit", "people", "--algorithm", "tree-split"]


@pytest.fixture(scope="module")
def georgia(tmp_path_factory):
    folder = tmp_path_factory.mktemp("georgia")
    certificate, people = folder / "c.json", folder / "people.csv"
    result = kanon("regions", GEORGIA, "-k", 20_000, *FLAGS, "--certificate", certificate)
    assert result.exit_code == 0, result.output
    codes = geopandas.read_file(GEORGIA)["AreaKey"].astype(str).tolist()[:30]
    lines = [f"{codes[n % 30]},{20 + n % 3},{'fm'[n % 2]},=flu {n % 4},remark {n}" for n in range(120)]
    people.write_text("\n".join(["county,age,sex,illness,note", *lines, "99999,20,f,flu,x", ",20,f,flu,x"]))
    return certificate, people


def read(path):
    content = io.BytesIO(path.read_bytes())
    readers = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".xlsx": pd.read_excel}
    return readers.get(path.suffix, geopandas.read_file)(content)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("ending", FORMATS)
def test_the_groups_in_every_form(georgia, ending, tmp_path):
    out = tmp_path / f"out.{ending}"
    flags = ["--codes-are-public"] if ending in ("gpkg", "geojson") else []
    result = kanon("release", georgia[0], GEORGIA, "--out", out, *flags)
    assert result.exit_code == 0, result.output
    assert read(out)["weight"].min() >= 20_000
    assert "The file was read again" in result.stdout
    first = out.read_bytes()
    assert kanon("release", georgia[0], GEORGIA, "--out", out, *flags, "--force").exit_code == 0
    assert out.read_bytes() == first


ROLES = ["--by", "county", "--quasi-identifiers", "age,sex", "--sensitive", "illness"]


@pytest.mark.thorough
def test_own_records_leave_without_what_nobody_named(georgia, tmp_path):
    certificate, people = georgia
    out = tmp_path / "own.csv"
    result = kanon(
        "release", certificate, GEORGIA, "--records", people, *ROLES, "-k", 5, "--out", out, "--format", "json"
    )
    assert result.exit_code == 0, result.output
    told, frame = json.loads(result.stdout), read(out)
    assert list(frame) == ["group", "age", "sex", "illness"]
    assert told["records"] == len(frame) == 120
    assert told["left_out"] == {"unknown": 1, "blank": 1}
    sizes = frame.groupby(["group", "age", "sex"]).size()
    assert told["below"] == {
        "records": int(sizes[sizes < 5].sum()), "sets": int((sizes < 5).sum()), "smallest": int(sizes.min()),
    }  # fmt: skip
    assert told["promised"]["k"] == 20_000
    assert "remark" not in out.read_text()
    assert set(frame["illness"]) == {f"'=flu {n}" for n in range(4)}
    whole = tmp_path / "own.geojson"
    result = kanon("release", certificate, GEORGIA, "--records", people, *ROLES, "--out", whole, "--codes-are-public")
    assert result.exit_code == 0, result.output
    assert read(whole)["records"].sum() == 120
    joint = tmp_path / "together.csv"
    result = kanon("release", certificate, GEORGIA, "--records", people, *ROLES, "--together", 6, "--out", joint)
    assert result.exit_code == 0, result.output
    assert read(joint).groupby(["group", "age", "sex"]).size().min() >= 6
    assert "With all columns generalized together" in result.stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--out", "out.csv", "--records", "PEOPLE", "--by", "place"], f"{THERE_IS_NO_COLUMN} 'place'"),
        (["--out", "out.csv", "--records", "PEOPLE"], "Give the one column that holds the area of each record"),
    ],
)
def test_what_cannot_leave_is_told(georgia, flags, said, tmp_path):
    certificate, people = georgia
    named = [tmp_path / flag if flag.startswith("out.") else people if flag == "PEOPLE" else flag for flag in flags]
    assert said in refused(kanon("release", certificate, GEORGIA, *named))
    assert not list(tmp_path.iterdir())


def test_flags_that_are_about_nothing_are_told(georgia, tmp_path):
    result = kanon("release", georgia[0], GEORGIA, "--by", "x", "--out", tmp_path / "a.csv")
    assert result.exit_code == 2
    assert "this option applies only to your own records" in " ".join(result.stderr.split())
    assert kanon("release", georgia[0], GEORGIA, "--out", tmp_path / "a.txt").exit_code == 2
