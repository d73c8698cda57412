"""The figures of the page Agreement as a panel."""

import pytest

from annotation.core import audit
from annotation.figures.filters import Filters
from annotation.figures.panel import Value
from annotation.figures.registry import Request
from evaluation.reports import every_figure
from tests.figures import bring_agreement_up_to_date
from validation.agreement.reporting import FigureGroup, LabelledFigure

pytestmark = pytest.mark.django_db


def rows(project, now, split=""):
    panel = every_figure.build_every_figure_panel(Request(project, Filters(split=split), now))
    return {(group, figure): value for group, figure, value in panel.rows}, panel.n


def test_an_empty_project_has_no_rows(project, now):
    assert rows(project, now) == ({}, 0)


def test_each_row_is_a_share_or_a_score_with_a_value(project, now, monkeypatch):
    figures = (
        LabelledFigure("a.f1", "F1", "score", 0.61, 30, 0.5, 0.7),
        LabelledFigure("a.none", "Not yet", "share"),
        LabelledFigure("a.mean", "Pairs", "mean", 2.1, 30, 2.0, 2.2),
    )
    groups = (FigureGroup("a", "Annotators", "2 annotators", figures),)
    computed = {"dev": groups}
    monkeypatch.setattr(every_figure, "_computed", lambda request: computed[request.filters.split])

    values = {("Annotators", "F1"): Value(0.61, 30, 0.5, 0.7)}
    assert rows(project, now, "dev") == (values, 30)


def test_stored_figures_are_taken_only_while_they_are_current(project, rosa, now, monkeypatch):
    bring_agreement_up_to_date(project, now)
    computed = []
    monkeypatch.setattr(every_figure, "_computed", lambda request: computed.append(request) or ())
    rows(project, now)
    assert computed == []

    audit.record_action("faq_changed", project, by=rosa, now=now, project=project)
    rows(project, now)
    assert len(computed) == 1
