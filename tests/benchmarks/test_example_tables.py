"""The example tables of ARX, sdcMicro and anjana, from file to audited release; KANON_DATA names their folder."""

import csv
import json
import os
from pathlib import Path

import pytest

from tests.cli.command import SAMPLES, kanon

FOLDER = Path(os.environ.get("KANON_DATA", "")) / "tables"
pytestmark = pytest.mark.skipif("KANON_DATA" not in os.environ, reason="KANON_DATA names no folder")
ADULT = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]


def trees(beginning, columns):
    """The flag for hierarchies of these columns."""
    return ["--hierarchies", ",".join(f"{name}={FOLDER / f'{beginning}_hierarchy_{name}.csv'}" for name in columns)]


CASES = {
    "hospital": ("anjana_hospital_extended.csv", 2, [
        "--quasi-identifiers", "age,gender,city", "--identifiers", "name", "--sensitive", "religion,disease"]),
    "hospital, guessed": ("anjana_hospital_extended.csv", 2, []),
    "ARX test": ("arx_test.csv", 2, trees("arx_test", ["age", "gender", "zipcode"])),
    "ARX test, workbook": ("arx_test.xlsx", 2, trees("arx_test", ["age", "gender", "zipcode"])),
    "ARX test, dirty": ("arx_test_dirty.csv", 2, []),
    "ARX test, uneven": ("arx_test-import.csv", 2, []),
    "ARX test 2": ("arx_test2.csv", 3, [*trees("arx_test2", ["ZIPCode", "Age"]), "--keep", "Disease,Salary"]),
    "ARX test 2, disease": ("arx_test2.csv", 3, trees("arx_test2", ["ZIPCode", "Age", "Disease"])),
    "sdcMicro": ("sdcmicro_testdata.csv", 5, [
        "--quasi-identifiers", "urbrur,roof,walls,water,electcon,relat,sex", "--sensitive", "hhcivil",
        "--keep", "age,expend,income,savings,hhcivil"]),
    "sdcMicro, guessed": ("sdcmicro_testdata.csv", 5, []),
    "Adult": (SAMPLES / "adult.parquet", 25, [*trees("arx_adult", ADULT), "--sensitive", "salary"]),
}  # fmt: skip


@pytest.mark.parametrize("algorithm", ["local-cuts", "hill-climb"])
@pytest.mark.parametrize("case", CASES)
def test_from_file_to_audited_release(case, algorithm, tmp_path):
    name, k, more = CASES[case]
    data, certificate, release = FOLDER / name, tmp_path / "c.json", tmp_path / "r.csv"
    command = ["table", data, "-k", k, "--algorithm", algorithm, *more, "--accept-guesses", "--format", "json"]
    command += ["--restarts", 2] if algorithm == "hill-climb" else []
    done = kanon(*command, "--certificate", certificate, "--release", release)
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert content["audit"]["k_reached"] >= k
    with release.open(encoding="utf-8", newline="") as file:
        assert len(list(csv.reader(file))) - 1 == content["audit"]["records"]
    assert kanon("verify", certificate, data).exit_code == 0
    assert content["audit"]["sentence"] in kanon("audit", certificate, data).stdout
    kinds = [f"{one['severity']} {one['kind']}" for one in content["audit"]["findings"]]
    reached = f"k {content['audit']['k_reached']}, of all columns {content['audit']['k_together']}"
    print(f"\n{case}, {algorithm}: {reached}; {', '.join(kinds) or 'nothing found'}")  # noqa: T201
