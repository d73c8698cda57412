"""docs/metrics.md: every example is run as it stands, and every figure of `score` is defined."""

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "metrics.md"


def test_every_example_gives_what_it_says(tmp_path, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))  # the examples cut sentences by our own rules
    failed, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried > 100
    assert failed == 0
