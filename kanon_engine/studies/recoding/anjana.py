"""anjana, which puts every column as a whole on one level of its hierarchy, run in an environment of its own."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.tables.domain import value_words
from kanon_engine.tables.instance import Table

SCRIPT = """
import sys, time
from pathlib import Path
import pandas as pd
from anjana.anonymity import k_anonymity
folder, k = Path(sys.argv[1]), int(sys.argv[2])
data = pd.read_csv(folder / "data.csv", dtype=str, keep_default_na=False)
levels = {
    name: dict(pd.read_csv(folder / f"{place}.csv", dtype=str, keep_default_na=False, header=None))
    for place, name in enumerate(data.columns)
}
began = time.perf_counter()
made = k_anonymity(data, [], list(data.columns), k, 0, levels)
(folder / "seconds.txt").write_text(str(time.perf_counter() - began))
made[list(data.columns)].to_csv(folder / "made.csv", index=False)
"""


def full_domain(
    table: Table, k: int, python: Path, hierarchies: Mapping[str, Path]
) -> tuple[pd.DataFrame, np.ndarray, float]:
    """What anjana makes of a table where nobody may be left out.

    Parameters
    ----------
    table : Table
    k : int
    python : Path
        An interpreter that has anjana.
    hierarchies : mapping of column to Path
        ARX files of all quasi-identifiers.

    Returns
    -------
    frame : DataFrame
        The records as they would be released.
    values : (n, q) int64
        For how many values of its domain each cell stands.
    seconds : float
        Of its own work.

    Raises
    ------
    InvalidInput
        A column without a hierarchy, a value that it lacks, or whatever anjana says when it fails.
    """
    words = {
        name: [value_words(value) for value in domain]
        for name, domain in zip(table.quasi_identifiers, table.domains, strict=True)
    }
    with tempfile.TemporaryDirectory(prefix="kanon-") as made:
        folder = Path(made)
        levels = {}
        for place, (name, known) in enumerate(words.items()):
            if name not in hierarchies:
                raise InvalidInput(f"anjana needs a hierarchy of {name!r}; give one for every quasi-identifier.")
            levels[name] = _levels(name, hierarchies[name], known)
            levels[name].to_csv(folder / f"{place}.csv", index=False, header=False)
        cells = {
            name: np.array(known, dtype=object)[table.codes[:, place]]
            for place, (name, known) in enumerate(words.items())
        }
        pd.DataFrame(cells).to_csv(folder / "data.csv", index=False)
        done = subprocess.run(
            [str(python), "-c", SCRIPT, str(folder), str(k)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            said = (done.stderr.strip() or "nothing").splitlines()[-1]
            raise InvalidInput(f"anjana failed at k = {k:,}; it said: {said:.200}")
        frame = pd.read_csv(folder / "made.csv", dtype=str, keep_default_na=False)
        seconds = float((folder / "seconds.txt").read_text())
    values = np.column_stack([_stands_for(levels[name], frame[name]) for name in words])
    return frame, values, seconds


def _levels(name: str, path: Path, known: list[str]) -> pd.DataFrame:
    """The lines of an ARX hierarchy for the values of a domain, in its order."""
    lines = pd.read_csv(path, sep=";", header=None, dtype=str, keep_default_na=False).drop_duplicates(0).set_index(0)
    lacking = [word for word in known if word not in lines.index]
    if lacking:
        raise InvalidInput(f"The hierarchy of {name!r} lacks {lacking[0]!r}.")
    levels: pd.DataFrame = lines.loc[known].reset_index()
    return levels


def _stands_for(levels: pd.DataFrame, column: pd.Series) -> np.ndarray:
    """For how many values each cell stands: those with its word on the one level that holds all of the column."""
    words = set(column)
    level = next((place for place in levels.columns if words <= set(levels[place])), None)
    if level is None:
        raise InvalidInput(f"anjana released {sorted(words)[0]!r}, which is on no level of its hierarchy.")
    counts = levels[level].value_counts()
    values: np.ndarray = column.map(counts).to_numpy(dtype=np.int64)
    return values
