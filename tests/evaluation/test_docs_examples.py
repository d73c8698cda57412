"""docs/studies.md and docs/reports.md: every example is run as it stands."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("page", "fewest"), [("studies", 20), ("reports", 3)])
def test_every_example_gives_what_it_says(page, fewest):
    failed, tried = doctest.testfile(str(DOCS / f"{page}.md"), module_relative=False)
    assert tried >= fewest
    assert failed == 0
