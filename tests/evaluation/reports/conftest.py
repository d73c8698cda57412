"""A report of the test's own, so that its tests depend on no panel of the program."""

import pytest

from evaluation.reports import registry
from evaluation.reports.registry import Entry, Report

HERE = "tests.evaluation.reports.samples"


@pytest.fixture
def sample(monkeypatch):
    report = Report(
        "sample",
        "Sample",
        "Panels to test with.",
        filters=("split", "period", "people"),
        panels=[
            Entry("shares", "Shares", f"{HERE}.shares"),
            Entry("people", "People", f"{HERE}.people", filters=("split",)),
            Entry("empty", "Nothing yet", f"{HERE}.empty"),
        ],
    )
    monkeypatch.setattr(registry, "REPORTS", [report])
    return report
