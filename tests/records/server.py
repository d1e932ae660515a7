"""A server of PostgreSQL of the tests' own, in a folder that ends with them."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

USER, PASSWORD = "ada", "hunter2"


def programs():
    """Where the programs of PostgreSQL are; None where there are none. Debian keeps them beside the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


def why_no_postgres():
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed (kanon-engine[postgres])"
    if programs() is None:
        return "there is no PostgreSQL on this machine"
    return "" if os.getuid() or owner() else "PostgreSQL does not run as root, and there is no other user"


def owner():
    """Who runs the server where root runs the tests: PostgreSQL refuses root. Empty for anybody else."""
    if os.getuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    return {}


class Server:
    """A cluster with one user, who needs a password, behind a socket that nobody else finds."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="kanon-postgres-", dir="/tmp"))  # a socket's path is short
        as_owner = owner()
        if as_owner:
            os.chown(self.folder, as_owner["user"], as_owner["group"])
        word = self.folder / "word"
        word.write_text(PASSWORD)
        word.chmod(0o644)
        self._run(
            "initdb", "-U", USER, f"--pwfile={word}", "--auth=scram-sha-256", "--no-sync", "--locale=C", "-E", "UTF8"
        )
        self.start()

    @property
    def address(self):
        return f"postgresql://{USER}@/postgres?host={self.folder}"

    def start(self):
        options = f"-k {self.folder} -h '' -F -c shared_buffers=8MB -c max_connections=30"
        self._run("pg_ctl", "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def kill(self):
        self._run("pg_ctl", "-m", "immediate", "stop")

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder)

    def connect(self):
        """A connection that writes, for what tests count."""
        import psycopg

        return psycopg.connect(host=str(self.folder), user=USER, password=PASSWORD, dbname="postgres", autocommit=True)

    def _run(self, program, *arguments):
        command = [str(programs() / program), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=self.folder, timeout=60, **owner())
