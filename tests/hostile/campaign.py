"""Every hostile file to every reader, in a process with a clock; counts what must not happen.

    python -m tests.hostile.campaign [--seed 0] [--mutations 400] [--seconds 5] [--readers 3]

Prints one line for each failure and the totals: tracebacks (anything but a KanonError), hangs, files written, requests,
bytes of another file in what is said or read.
"""

from __future__ import annotations

import argparse
import base64
import http.server
import json
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tests.hostile.files import Canaries, Case, cases

TOKEN = "sparrow-hawk-7261"
SECRET = f"name,count,secret\n{TOKEN},5,{TOKEN}\n{TOKEN}b,6,{TOKEN}\n"
COUNTS = b"id,population\na,5\n"
SQUARE = (
    b'{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"id":"a","population":5},"geometry":'
    b'{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]]]}}]}'
)


def readers() -> dict[str, Callable[[bytes, str], Any]]:
    """Every way that a file comes in."""
    import kanon_engine as kanon
    from kanon_engine.io.frames import read_frame
    from kanon_engine.io.geofile import read_shapes
    from kanon_engine.io.source import Source
    from kanon_engine.rectangles.read import study_area
    from kanon_engine.regions.contiguity import read_edges
    from kanon_engine.tables.read_columns import columns_frame, read_hierarchy

    table = b"name,age\na,1\nb,2\na,3\n"
    return {
        "regions": lambda data, name: kanon.read_regions(data, id=None, filename=name, merge_duplicates=True),
        "counts": lambda data, name: kanon.read_regions(SQUARE, counts=Source.open(data, name)),
        "edges": lambda data, name: kanon.read_regions(data, counts=COUNTS, filename=name),
        "edges of shapes": lambda data, name: kanon.read_regions(SQUARE, edges=Source.open(data, name)),
        "edge list": read_edges,
        "points": lambda data, name: kanon.read_points(data, filename=name, drop_bad=True),
        "labels": lambda data, name: kanon.read_labels(data, filename=name, merge_duplicates=True),
        "rules": lambda data, name: kanon.read_labels(b"name,count\na,1\nb,2\n", apart=Source.open(data, name)),
        "table": lambda data, name: kanon.read_table(data, filename=name),
        "hierarchy": lambda data, name: kanon.read_table(
            table, ["name"], hierarchies={"name": Source.open(data, name)}
        ),
        "hierarchy alone": read_hierarchy,
        "columns": columns_frame,
        "preview": kanon.preview,
        "frame": lambda data, name: read_frame(Source.open(data, name)),
        "shapes": lambda data, name: read_shapes(data, filename=name),
        "study area": study_area,
    }


# ------------------------------------------------------------------------------------------------- in the child process


def serve(seconds: float) -> None:
    """Read what stands in the lines that come, say what happened."""
    from kanon_engine.errors import KanonError
    from kanon_engine.io.confined import NURSERY
    from kanon_engine.io.limits import MB, FileLimits, hold_to

    hold_to(FileLimits(seconds=seconds, memory=1_000 * MB))
    known = readers()
    known["labels"](b"name,count\na,1\n", "warm")
    print(json.dumps({"ready": NURSERY.pid}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        begun = time.perf_counter()
        try:
            value = known[order["reader"]](base64.b64decode(order["data"]), order["filename"])
            told, text = "read", _said(value)
        except KanonError as error:
            told, text = "refused", str(error)
        except BaseException as error:
            told, text = "traceback", repr(error)
        answer = {"told": told, "text": text[:2_000], "leak": TOKEN in text, "lines": text.count("\n")}
        print(json.dumps(answer | {"seconds": time.perf_counter() - begun}), flush=True)


def _said(value: Any) -> str:
    """All that a person could see of what was read."""
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        frame = value.drop(columns=value.geometry.name) if hasattr(value, "geometry") else value
        return f"{list(frame.columns)} {frame.head(50).to_dict('list')}"
    if isinstance(value, tuple | list):
        return " ".join(_said(entry) for entry in value[:50])
    if hasattr(value, "notes"):
        names = [str(getattr(value, name, ""))[:20_000] for name in ("ids", "names", "frame", "reading")]
        return " ".join([*value.notes, *names])
    return str(value)[:20_000]


# ------------------------------------------------------------------------------------------------ in the process around


class Campaign(AbstractContextManager["Campaign"]):
    """A child with its canaries: a secret, empty folders to stand in and for temporary files, an address."""

    def __init__(self, seconds: float = 5) -> None:
        self.seconds = seconds
        self.found: Counter[str] = Counter()
        self.failures: list[str] = []
        self.slowest: tuple[float, str] = (0, "")

    def __enter__(self) -> Campaign:
        self._folder = tempfile.TemporaryDirectory(prefix="hostile-")
        root = Path(self._folder.name)
        self.watched = [root / name for name in ("here", "temporary", "home", "out")]
        for folder in self.watched:
            folder.mkdir()
        (root / "secret.csv").write_text(SECRET)
        self.requests: list[str] = []
        requests = self.requests

        class Asked(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                requests.append(self.path)
                self.send_response(200)
                self.end_headers()
                self.wfile.write(SECRET.encode())

            do_POST = do_HEAD = do_PUT = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Asked)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{self._server.server_address[1]}/"
        self.canaries = Canaries(str(root / "secret.csv"), str(root / "out" / "written"), address)
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()
        self._server.shutdown()
        self._server.server_close()
        self._folder.cleanup()

    def _begin(self) -> None:
        here, temporary, home, _ = self.watched
        paths = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"TMPDIR": str(temporary), "HOME": str(home), "PYTHONPATH": os.pathsep.join(paths)}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(temporary.parent / "numba")}
        self._child = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.campaign", "--serve", str(self.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=here,
            env=environment,
        )
        if self._line(180) is None:
            raise RuntimeError("the child did not begin")
        self._before = self._listing()

    def _line(self, seconds: float) -> dict[str, Any] | None:
        """The child's next line; None when it takes too long or is gone."""
        assert self._child.stdout is not None
        ready, _, _ = select.select([self._child.stdout], [], [], seconds)
        line = self._child.stdout.readline() if ready else b""
        return json.loads(line) if line else None

    def _listing(self) -> list[str]:
        return sorted(str(path) for folder in self.watched for path in folder.rglob("*"))

    def run(self, case: Case, reader: str) -> str:
        """What a reader did with a file: "read", "refused", or a kind of failure, which is counted."""
        order = {"reader": reader, "filename": case.filename, "data": base64.b64encode(case.data).decode()}
        assert self._child.stdin is not None
        begun = time.monotonic()
        self._child.stdin.write(json.dumps(order).encode() + b"\n")
        self._child.stdin.flush()
        answer = self._line(3 * self.seconds + 60)
        self.slowest = max(self.slowest, (time.monotonic() - begun, f"{case.name}, {reader}"))
        told = "hang" if answer is None else str(answer["told"])
        self.found["cases"] += 1
        self.found[told] += 1
        wrong = [] if told in ("read", "refused") else [f"{told} {'' if answer is None else answer['text'][:300]}"]
        if answer is None:
            self._child.kill()
            self._child.wait()
            self._begin()
        else:
            if answer["leak"] and TOKEN.encode() not in case.data:
                wrong.append(f"leak {answer['text'][:300]}")
                self.found["leak"] += 1
            if told == "refused" and answer["lines"]:
                wrong.append(f"not one sentence: {answer['text'][:300]!r}")
                self.found["not one sentence"] += 1
        if self._listing() != self._before:
            wrong.append(f"written {sorted({*self._listing()} - {*self._before})}")
            self.found["written"] += 1
            self._before = self._listing()
        if self.requests:
            wrong.append(f"requests {self.requests}")
            self.found["requests"] += len(self.requests)
            self.requests.clear()
        self.failures += [f"{case.name}, {reader}: {what}" for what in wrong]
        return told

    def run_all(self, files: Iterable[Case], which: Callable[[int], Iterable[str]]) -> None:
        """Each file to the readers that are chosen for its number."""
        for number, case in enumerate(files):
            if number and number % 25 == 0:
                print(f"{number} files, {dict(self.found)}", flush=True)
            for reader in which(number):
                before = len(self.failures)
                self.run(case, reader)
                for failure in self.failures[before:]:
                    print(failure, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutations", type=int, default=400)
    parser.add_argument("--readers", type=int, help="so many a file, by turns, instead of all")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", default="", help="names that begin so")
    parser.add_argument("--part", default="0/1", help="1/2: the second half of two")
    given = parser.parse_args()
    if given.serve is not None:
        serve(given.serve)
        return
    place, parts = (int(value) for value in given.part.split("/"))
    with Campaign(given.seconds) as campaign:
        files = [
            case for case in cases(campaign.canaries, given.seed, given.mutations) if case.name.startswith(given.only)
        ]
        files = files[place::parts]
        names = list(readers())
        some = given.readers or len(names)
        campaign.run_all(files, lambda number: [names[(number * some + turn) % len(names)] for turn in range(some)])
        print(f"{len(files)} files, slowest {campaign.slowest[0]:.1f} s ({campaign.slowest[1]})")
        print(dict(campaign.found))


if __name__ == "__main__":
    main()
