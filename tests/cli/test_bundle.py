"""kanon verify of a signed bundle: by itself, against its file, and of a signer who was named."""

import json

import pytest

from kanon_engine.report.bundle import bundle
from kanon_engine.report.signing import public_bytes
from kanon_engine.verification.signature import fingerprint
from tests.cli.command import kanon, refused
from tests.report.bundles import DATA, KEY, OTHER, review, with_short_parts
from tests.sentences import LIST_OF_FILES, NO_RECIPE, NOT_A_FINGERPRINT, NOT_THE_FILE_THAT_WAS_READ

OWN = fingerprint(public_bytes(KEY))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a bundle and the file that it was made from."""
    with_short_parts(monkeypatch)
    (tmp_path / "bundle.zip").write_bytes(bundle(review(), key=KEY))
    (tmp_path / "names.csv").write_bytes(DATA)
    return tmp_path


def test_a_bundle_is_checked_by_itself(place):
    done = kanon("verify", place / "bundle.zip")
    assert done.exit_code == 0, done.output
    assert f"All 8 checks passed. Signed with the key {OWN}." in done.stdout
    assert "Ask the signer" in done.stdout
    assert (
        "The result's claims about the data were not checked; to check them, also give the file that was read "
        "(names.csv)." in done.stdout
    )


def test_a_bundle_is_checked_against_its_file(place):
    done = kanon("verify", place / "bundle.zip", place / "names.csv", "--key", OWN, "--format", "json")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)
    assert (content["passed"], content["proof"], content["named"]) == (True, "checked", True)
    assert content["fingerprint"] == OWN
    assert "release/groups.csv" in content["files"]
    assert {"zip", "key", "signature", "files", "input", "cost", "internal/crosswalk.csv"} <= {
        check["name"] for check in content["checks"]
    }
    told = kanon("verify", place / "bundle.zip", place / "names.csv", "--key", OWN).stdout
    assert f"All {len(content['checks'])} checks passed." in told
    assert "Ask the signer" not in told
    assert {one["name"] for one in content["not_checked"]} == {
        "release/groups.csv", "report.html", "report.pdf", "manifest.json",
    }  # fmt: skip
    assert NO_RECIPE in told


def test_the_file_may_have_another_name(place):
    other = place / "renamed.csv"
    other.write_bytes(DATA)
    assert kanon("verify", place / "bundle.zip", other).exit_code == 0


def test_a_changed_bundle_is_refused_in_a_sentence(place):
    content = bytearray((place / "bundle.zip").read_bytes())
    for byte, words in ((0, "README.txt"), (content.index(b"<p>Report"), "report.html"), (-1, LIST_OF_FILES)):
        changed = content[:]
        changed[byte] ^= 4
        (place / "changed.zip").write_bytes(changed)
        assert words in refused(kanon("verify", place / "changed.zip"))


def test_another_signer_is_refused_and_named(place):
    (place / "forged.zip").write_bytes(bundle(review(), key=OTHER))
    found = refused(kanon("verify", place / "forged.zip", "--key", OWN))
    assert "The check “key” failed" in found
    assert fingerprint(public_bytes(OTHER)) in found
    assert NOT_A_FINGERPRINT in refused(kanon("verify", place / "bundle.zip", "--key", "abc"))


def test_another_file_is_refused(place):
    (place / "names.csv").write_bytes(DATA + b"Di,9\n")
    assert f"names.csv {NOT_THE_FILE_THAT_WAS_READ}" in refused(
        kanon("verify", place / "bundle.zip", place / "names.csv")
    )


def test_what_is_about_certificates_or_files_alone_is_a_usage_error(place):
    certificate = place / "certificate.json"
    assert kanon("labels", place / "names.csv", "-k", 5, "--certificate", certificate).exit_code == 0
    for arguments in (
        [certificate],
        [certificate, place / "names.csv", "--key", OWN],
        [place / "bundle.zip", "--rerun"],
        [place / "bundle.zip", "--counts", place / "names.csv"],
    ):
        assert kanon("verify", *arguments).exit_code == 2
