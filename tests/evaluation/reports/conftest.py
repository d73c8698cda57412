"""A report of the tests' own in place of those of the program."""

import pytest

from evaluation.reports import registry
from tests.evaluation.reports import kinds


@pytest.fixture
def sample(monkeypatch):
    people = kinds.entry("people", filters=("split",))
    report = kinds.report(kinds.entry("shares"), people, kinds.entry("empty"))
    monkeypatch.setattr(registry, "REPORTS", [report])
    return report
