"""Tables of the command line: whole lines for a pipe, folded text on a terminal."""

import io

import pytest

from kanon_engine.cli.summary import columns

LONG = "a guarantee of many words, " * 12
ROWS = [["[red]plain[/red]", "1,234,567", LONG], ["東京", "7.3 %", "x"]]
HEADER = ["name", "share of all", "guarantee"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_pipe_gets_whole_lines_without_codes(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    lines = columns(ROWS, HEADER, {1}).split("\n")
    assert lines == [
        "name              share of all  guarantee",
        f"[red]plain[/red]     1,234,567  {LONG.rstrip()}",
        "東京                     7.3 %  x",
    ]


@pytest.mark.parametrize("width", [70, 40, 10])
def test_a_terminal_folds_text_and_no_number(monkeypatch, width):
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("COLUMNS", str(width))
    lines = columns(ROWS, HEADER, {1}).split("\n")
    widest = max(map(len, lines))
    assert widest < len(LONG) / 2
    assert widest <= max(width, 45)  # the numbers and the longest words need that
    text = "\n".join(lines)
    assert "share of all" in text
    assert "1,234,567" in text
    assert "7.3 %" in text
    assert "…" not in text
    assert text.split().count("guarantee") == LONG.split().count("guarantee") + 1
