"""docs/studies.md: every example is run as it stands."""

import doctest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "studies.md"


def test_every_example_gives_what_it_says():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert tried >= 20
    assert failed == 0
