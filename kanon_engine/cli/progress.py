"""Progress on stderr, where a person looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.model.words import number_text


@contextmanager
def progress_bar(what: str) -> Iterator[ProgressCallback]:
    """A bar that disappears when the work is done; nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)

        def report(progress: Progress) -> None:
            best = "" if progress.best is None else f", best {number_text(progress.best)}"
            bar.update(task, completed=progress.done, description=f"{progress.message}{best}")

        yield report
