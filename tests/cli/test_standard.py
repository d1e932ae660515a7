"""“-” is standard input where a file is read, and standard output where one is written."""

import io
import json

import pandas as pd
import pytest

from tests.cli.command import kanon, refused
from tests.sentences import IS_EMPTY, REVEAL_NO_MORE

LABELS = "name,count\n" + "\n".join(f"label {i},{5 + i}" for i in range(12)) + "\n"
TABLE = "age,sex,illness\n" + "\n".join(f"{20 + i % 4},{'fm'[i % 2]},{['flu', 'gout'][i % 3 > 0]}" for i in range(40))
LABEL = ["labels", "-", "-k", 20, "--algorithm", "fold"]


def test_a_file_comes_from_standard_input_and_a_release_goes_to_standard_output():
    done = kanon("table", "-", "-k", 5, "--algorithm", "hill-climb", "--quasi-identifiers", "age,sex", "--release", "-",
                 standard_input=TABLE)  # fmt: skip
    assert done.exit_code == 0, done.output
    released = pd.read_csv(io.StringIO(done.stdout))
    assert list(released.columns) == ["age", "sex"]
    assert released.groupby(["age", "sex"]).size().min() >= 5
    assert "lower bound" in done.stderr
    assert "Written: standard output (may be published)" in done.stderr


def test_all_of_stdout_is_the_one_file(tmp_path):
    crosswalk = kanon(*LABEL, "--out", "-", "--format", "json", standard_input=LABELS)
    assert crosswalk.stdout.splitlines()[0] == "id,group"
    assert len(crosswalk.stdout.splitlines()) == 13
    certificate = kanon(*LABEL, "--certificate", "-", standard_input=LABELS)
    assert json.loads(certificate.stdout)["algorithm"] == "fold"
    swept = kanon("sweep", "labels", "-", "--ks", "20,30", "--algorithms", "fold", "--out", "-", standard_input=LABELS)
    assert pd.read_csv(io.StringIO(swept.stdout))["k"].tolist() == [20, 30]
    file = tmp_path / "labels.csv"
    file.write_text(LABELS)
    checked = kanon("verify", "-", file, standard_input=certificate.stdout)
    assert checked.exit_code == 0, checked.output
    path = tmp_path / "certificate.json"
    path.write_text(certificate.stdout)
    assert kanon("verify", path, "-", standard_input=LABELS).stdout == checked.stdout
    cells = kanon("intersect", path, path, "-", "--out", "-", standard_input=LABELS)
    assert "group" in cells.stdout.splitlines()[0]
    assert f"Both {REVEAL_NO_MORE}" in cells.stderr
    assert sorted(tmp_path.iterdir()) == [path, file]


@pytest.mark.parametrize(
    ("arguments", "content", "sentence"),
    [
        (LABEL, "", f"standard input {IS_EMPTY}."),
        ([*LABEL, "--out", "-", "--certificate", "-"], LABELS, "standard output is given for two outputs; give each"),
        (["verify", "-", "-"], LABELS, "“-” is given for two files, but standard input holds only one; give a path"),
    ],
)
def test_what_cannot_be_is_one_sentence(arguments, content, sentence):
    assert refused(kanon(*arguments, standard_input=content)).startswith(sentence)
