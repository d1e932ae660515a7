"""kanon regions and kanon verify with real zip codes whose counts stand in a second table that is not tidy."""

import json

import kanon_engine
from tests.cli.command import kanon, refused
from tests.own_files import odd_counts, shapes_alone, zip_codes
from tests.sentences import APPEARS_IN_ROWS, HIDDEN_OR_MISSING, WRITE_IT_LIKE


def test_shapes_and_untidy_counts_become_a_certified_result_with_a_minimum(tmp_path):
    frame = zip_codes()
    shapes, counts = tmp_path / "dc.zip", tmp_path / "counts.csv"
    shapes.write_bytes(shapes_alone(frame, tmp_path))
    table = odd_counts(frame)
    table.to_csv(counts, index=False)
    command = ["regions", shapes, "-k", 20_001, "--counts", counts, "--algorithm", "tree-split"]
    said = refused(kanon(*command))
    assert f"The id {table['zip'].iloc[0]} {APPEARS_IN_ROWS} {len(table) - 1} of counts.csv" in said
    assert "--repeated add" in said
    command += ["--repeated", "add"]
    assert "--unmatched drop" in refused(kanon(*command))
    command += ["--unmatched", "drop"]
    assert "--missing-counts zero" in refused(kanon(*command))
    command += ["--missing-counts", "zero", "--minimum", "cases=60"]
    hidden = int((table["cases"] == "<5").sum())
    said = refused(kanon(*command))
    assert f"{hidden} counts in column cases of counts.csv {HIDDEN_OR_MISSING}" in said
    assert "--hidden zero" in said
    certificate = tmp_path / "certificate.json"
    done = kanon(*command, "--hidden", "largest", "--format", "json", "--certificate", certificate)
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert any(f"{hidden} hidden counts in column cases" in note for note in content["notes"])
    regions = kanon_engine.read_regions(
        shapes,
        counts=counts,
        repeated="add",
        unmatched="drop",
        missing_counts="zero",
        columns=["cases"],
        hidden="largest",
    )
    doubled, missing = table["zip"].iloc[0], frame["ZCTA5CE10"].iloc[0]
    population = dict(zip(regions.ids.tolist(), regions.weights.tolist(), strict=True))
    assert population[missing] == 0
    assert population[doubled] == 2 * frame["pop10"].iloc[1]
    assert content["total"] == regions.total == int(frame["pop10"].iloc[1:].sum() + frame["pop10"].iloc[1])
    checked = kanon("verify", certificate, shapes, "--counts", counts)
    assert checked.exit_code == 0, checked.output
    g = kanon_engine.Generalization.from_json(certificate.read_text("utf-8"))
    sums = [int(regions.columns["cases"][g.assignment == group].sum()) for group in range(g.classes)]
    assert min(sums) >= 60


def test_a_minimum_that_is_none_is_a_usage_error(tmp_path):
    result = kanon("regions", tmp_path / "areas.geojson", "-k", 5, "--minimum", "cases")
    assert result.exit_code == 2
    assert f"is not a minimum; {WRITE_IT_LIKE} cases=11" in " ".join(result.output.replace("│", " ").split())
