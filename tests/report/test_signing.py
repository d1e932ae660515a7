"""The signing key: made once, for one person alone, and refused in a sentence where it is no good."""

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed448 import Ed448PrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from kanon_engine.errors import InvalidInput
from kanon_engine.report import signing
from kanon_engine.report.signing import key_file, public_bytes, signing_key

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where the key will be."""
    file = tmp_path / "settings" / "key.pem"
    monkeypatch.setenv("KANON_KEY", str(file))
    return file


def pem(key, password=serialization.NoEncryption()):  # noqa: B008
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, password)


def refused():
    with pytest.raises(InvalidInput) as caught:
        signing_key()
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


def test_a_key_is_made_once_and_for_its_owner_alone(place):
    first = public_bytes(signing_key())
    assert public_bytes(signing_key()) == first
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    assert [path.name for path in place.parent.iterdir()] == ["key.pem"]


def test_a_wide_umask_opens_nothing(place):
    before = os.umask(0)
    try:
        signing_key()
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


def test_all_who_make_it_at_once_have_one_key(place):
    many = 8
    together = threading.Barrier(many)

    def made(_):
        together.wait()
        return public_bytes(signing_key())

    with ThreadPoolExecutor(many) as threads:
        assert set(threads.map(made, range(many))) == {public_bytes(signing_key())}
    assert [path.name for path in place.parent.iterdir()] == ["key.pem"]


@pytest.mark.thorough
def test_processes_that_make_it_at_once_have_one_key(place):
    code = (
        "from kanon_engine.report.signing import *\nimport sys\nsys.stdin.read()\n"
        "print(public_bytes(signing_key()).hex())"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for one in started:  # all have imported what they need when they are let go
        one.stdin.close()
        one.stdin = None
    told = {one.communicate()[0] for one in started}
    assert told == {public_bytes(signing_key()).hex() + "\n"}
    assert [path.name for path in place.parent.iterdir()] == ["key.pem"]


def test_whoever_comes_second_takes_the_key_of_the_first(place, monkeypatch):
    first = Ed25519PrivateKey.generate()
    place.parent.mkdir()

    def other_was_faster(descriptor):
        place.write_bytes(pem(first))
        place.chmod(0o600)

    monkeypatch.setattr(signing.os, "fsync", other_was_faster)
    assert public_bytes(signing_key()) == public_bytes(first)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b"secret words", "is broken"),
        (pem(Ed25519PrivateKey.from_private_bytes(bytes(32)))[:-40], "is broken"),
        (pem(Ed448PrivateKey.generate()), "not an Ed25519 key"),
        (pem(Ed25519PrivateKey.generate(), serialization.BestAvailableEncryption(b"a")), "without a password"),
    ],
)
def test_a_file_that_is_no_key_is_refused(place, content, words):
    place.parent.mkdir()
    place.write_bytes(content)
    place.chmod(0o600)
    found = refused()
    assert words in found
    assert "secret" not in found.replace("signing key", "")
    assert place.read_bytes() == content


@pytest.mark.skipif(os.name != "posix", reason="rights of files are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610, 0o602])
def test_a_key_that_others_may_touch_is_refused(place, mode):
    signing_key()
    place.chmod(mode)
    assert "chmod 600" in refused()


def test_what_is_no_file_is_refused(place):
    place.mkdir(parents=True)
    assert "signing key" in refused()
    place.rmdir()
    os.mkfifo(place, 0o600)
    assert "is not a file" in refused()
    place.unlink()
    place.symlink_to(place.with_name("nowhere"))
    assert "cannot be made or read" in refused()


def test_where_a_key_is_kept(monkeypatch, tmp_path):
    for name in ("KANON_KEY", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for platform, folder in {
        "linux": ".config",
        "darwin": "Library/Application Support",
        "win32": "AppData/Roaming",
    }.items():
        monkeypatch.setattr(signing.sys, "platform", platform)
        assert key_file() == tmp_path / folder / "kanon" / "signing_key.pem"
    monkeypatch.setenv("APPDATA", str(tmp_path / "a"))
    assert key_file() == tmp_path / "a" / "kanon" / "signing_key.pem"
    monkeypatch.setattr(signing.sys, "platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    assert key_file() == tmp_path / ".config" / "kanon" / "signing_key.pem"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "b"))
    assert key_file() == tmp_path / "b" / "kanon" / "signing_key.pem"
    monkeypatch.delenv("XDG_CONFIG_HOME")

    def nowhere():
        raise RuntimeError

    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InvalidInput, match="no home folder"):
        key_file()


def test_a_folder_that_cannot_be_written_is_told(place, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(signing.os, "link", full)
    assert "No space left on device" in refused()
    assert list(place.parent.iterdir()) == []


def test_a_key_is_not_shown(place):
    key = signing_key()
    assert key.private_bytes_raw().hex() not in f"{key!r}{key}"
