"""A report of the tests' own in place of those of the program."""

import pytest

from tests.evaluation.reports import kinds
from tests.extensions import show_only_reports
from tests.validation.shared import (  # noqa: F401 - fixtures
    ann_of_world,
    ben_of_world,
    moment_of_world,
    project_of_world,
    rosa_of_world,
    shared_world,
    val_of_world,
    world,
)


@pytest.fixture
def sample(monkeypatch):
    people = kinds.entry("people", filters=("split",))
    report = kinds.report(kinds.entry("shares"), people, kinds.entry("empty"))
    show_only_reports(monkeypatch, report)
    return report
