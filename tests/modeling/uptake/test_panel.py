"""The panel of the uptake of suggestions."""

import pytest

from annotation.figures.registry import find_report
from modeling.report import build_uptake_panel
from modeling.uptake import SuggestionFates, compute_uptake_figures


def test_what_people_did_with_suggestions_has_a_row_each():
    used = [
        SuggestionFates("generation", "T5", "v1", "answers", "q1", {"accepted": 1, "edited": 1}),
        SuggestionFates("generation", "T5", "v1", "answers", "q2", {"accepted": 2}),
    ]
    panel = build_uptake_panel(compute_uptake_figures(used, []))

    rows = {row[2]: row for row in panel.rows}
    assert rows["Accepted"][:2] == ("T5 v1", "Generation, answers")
    assert (rows["Accepted"][3].value, rows["Accepted"][3].n) == (0.75, 2)
    assert rows["Edited"][3].value == 0.25
    assert rows["Dismissed"][3].value == 0
    assert panel.n == 2


def test_without_suggestions_there_are_no_rows():
    assert build_uptake_panel([]).rows == []


@pytest.mark.django_db
def test_the_report_on_a_project_has_the_panel(project):
    assert "uptake" in [entry.key for entry in find_report(project, "project").entries(project)]
