"""Running the command line inside the test's process."""

from functools import cache
from pathlib import Path
from unittest import mock

from typer.main import get_command
from typer.testing import CliRunner

from kanon_engine.cli import application
from kanon_engine.model.known import FAMILIES

SAMPLES = Path(__file__).parents[2] / "sample_data"
GEORGIA = SAMPLES / "georgia.geojson"
CYCLES = SAMPLES / "cycle_hire.csv"
WOMEN = SAMPLES / "names_1990" / "dist.female.first"

# command, file, k and what the reader must be told
CASES = {
    "regions": ["regions", GEORGIA, "-k", 50_000, "--weight", "TotPop90", "--id", "AreaKey", "--unit", "people"],
    "points": ["points", CYCLES, "-k", 20, "--x", "lon", "--y", "lat", "--id", "id", "--unit", "stations"],
    "labels": ["labels", WOMEN, "-k", 3_000, "--algorithm", "spread", "--order", "sorted"],
}


@cache
def commands(families):
    """All commands; they are built once for these families, because that takes longer than many of them."""
    return get_command(application())


def kanon(*arguments, standard_input=None):
    """The result of a command, with exit_code, stdout and stderr."""
    with mock.patch("typer.testing._get_command", return_value=commands(tuple(FAMILIES))):
        return CliRunner().invoke(application, [str(argument) for argument in arguments], input=standard_input)


def refused(result):
    """The one sentence of a request that failed, after checking that it failed as it should."""
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].endswith(".")
    assert "Traceback" not in result.output
    return lines[0]


VISITS = ["illness,zip,x,y"] + [  # the lines of a table: 12 flu, 7 cold, 6 gout, at four places, in two zip codes
    f"{illness},{n % 2 + 6604:05},{n % 4},{n % 2}"
    for illness, many in (("flu", 12), ("cold", 7), ("gout", 6))
    for n in range(many)
]
