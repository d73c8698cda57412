"""What is kept between two computations of the same figures."""

import pytest

from annotation.figures import reports
from annotation.figures.memory import digest_program, recall, recall_rows, use_memory
from annotation.figures.registry import find_report
from annotation.models import Answer, StoredFigures
from tests.evaluation.reports.test_digests import make_pairs
from tests.figures import bring_report_up_to_date, compute_report


def test_only_rows_with_new_facts_are_computed():
    asked = []

    def double(keys):
        asked.extend(keys)
        return [2 * key for key in keys]

    with use_memory({}) as first:
        recall_rows("double", {1: b"one", 2: b"two"}, double)
    with use_memory(first.used) as second:
        found = recall_rows("double", {2: b"two", 3: b"three"}, double)

    assert (found, asked) == ({2: 4, 3: 6}, [1, 2, 3])
    assert len(second.used["double"]) == 2, "what nobody asked for is forgotten"


def test_kinds_are_kept_apart_and_without_a_memory_everything_is_computed():
    with use_memory({}) as memory:
        assert recall("one", b"facts", lambda: 1) == 1
        assert recall("other", b"facts", lambda: 2) == 2
    assert recall("one", b"facts", lambda: 3) == 3
    with use_memory(memory.used):
        assert recall("one", b"facts", lambda: 3) == 1


def panels_of(rows):
    return rows[0].figures["panels"]


@pytest.mark.django_db
def test_after_a_change_the_figures_are_those_computed_from_nothing(now, monkeypatch):
    project = make_pairs()
    report = find_report(project, "agreement")
    before = bring_report_up_to_date(project, report, now)
    drawn = []
    monkeypatch.setattr(reports.pictures, "draw_svg", lambda panel, **_: drawn.append(panel["key"]))
    same = panels_of(compute_report(project, report, now))
    assert (same, drawn) == (before.panels, []), "pictures of panels that are as before"

    answer = Answer.objects.filter(pair__annotation__question__project=project).first()
    Answer.objects.filter(pk=answer.pk).update(text="Somebody else altogether")
    recalled = panels_of(compute_report(project, report, now))
    assert recalled != before.panels
    assert set(drawn) < {panel["key"] for panel in before.panels}
    StoredFigures.objects.filter(report=f"report.agreement.{reports.MEMORY}").delete()
    fresh = panels_of(compute_report(project, report, now))
    for one, other in zip(recalled, fresh, strict=True):
        assert one["rows"] == other["rows"], one["key"]


@pytest.mark.django_db
def test_another_program_recalls_nothing(now, monkeypatch):
    project = make_pairs()
    report = find_report(project, "agreement")
    bring_report_up_to_date(project, report, now)
    kept = StoredFigures.objects.get(report=f"report.agreement.{reports.MEMORY}")
    for made in kept.figures["made"].values():
        made.update(dict.fromkeys(made, "nonsense"))
    kept.save()
    problems = [panel["problem"] for panel in panels_of(compute_report(project, report, now))]
    assert any(problems), "the memory is what panels recall"
    monkeypatch.setattr(reports, "digest_program", lambda root: "another")
    panels = panels_of(compute_report(project, report, now))
    assert [panel["problem"] for panel in panels] == [""] * len(panels)


def test_a_program_differs_once_a_module_does(tmp_path):
    module = tmp_path / "app" / "module.py"
    module.parent.mkdir()
    module.write_text("A = 1")
    before = digest_program.__wrapped__(tmp_path)
    assert digest_program.__wrapped__(tmp_path) == before
    module.write_text("A = 10")
    assert digest_program.__wrapped__(tmp_path) != before
