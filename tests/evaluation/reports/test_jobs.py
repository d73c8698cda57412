"""The job that computes a report: when it starts, what it says, what fails, what is kept."""

import datetime as dt
import json

import pytest
from django.urls import reverse

from annotation.core import audit
from annotation.figures import pictures, registry, reports
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.jobs import services as jobs_services
from annotation.models import Job, StoredFigures
from benchmarks import installation
from tests.evaluation.reports import kinds, samples
from tests.evaluation.reports.kinds import file, page, run
from tests.figures import bring_report_up_to_date, compute_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


@pytest.fixture
def computed(project, sample, rosa, ada, now):
    return bring_report_up_to_date(project, sample, now)


def test_a_first_visit_starts_one_job_and_the_next_shows_its_figures(project, sample, staff, now):
    first = staff.get(page(project)).content.decode()
    staff.get(page(project))
    job = run(Job.objects.get(kind="report"), now)
    second = staff.get(page(project)).content.decode()

    assert "The figures are being computed" in first
    assert job.state == "done"
    assert "75 %" in second
    assert "Needs 1 question." in second
    assert Job.objects.filter(kind="report").count() == 1


def test_a_change_of_the_project_makes_figures_out_of_date(
    project, sample, computed, staff, rosa, now
):
    assert computed.current
    audit.record_action("faq_changed", project, by=rosa, now=now, project=project)

    shown = staff.get(page(project)).content.decode()

    assert "Something has changed since" in shown
    assert "75 %" in shown
    assert Job.objects.filter(kind="report", state="queued").count() == 1


def test_each_filter_has_figures_and_a_job_of_its_own(project, sample, computed, staff, now):
    staff.get(page(project, "?split=dev"))
    run(Job.objects.get(kind="report"), now)

    filtered = staff.get(page(project, "?split=dev")).content.decode()

    assert samples.calls[-1].filters == Filters(split="dev")
    assert filtered.count("Question 2") == 0
    assert "Question 2" in staff.get(page(project)).content.decode()


def test_a_panel_says_which_filter_it_does_not_follow(project, sample, now):
    stored = bring_report_up_to_date(project, sample, now, Filters(since=dt.date(2026, 1, 1)))

    assert stored.panel("people")["ignored"] == ["period"]
    assert stored.panel("shares")["ignored"] == []


def test_a_failed_job_is_started_again_by_people_only(project, sample, staff, monkeypatch, now):
    monkeypatch.setattr(reports, "find_report", samples.broken)
    staff.get(page(project))
    job = run(Job.objects.get(kind="report"), now)

    shown = staff.get(page(project)).content.decode()
    assert job.state == "failed"
    assert "The figures could not be computed" in shown
    assert Job.objects.filter(kind="report").count() == 1
    assert staff.post(page(project)).status_code == 302
    assert Job.objects.filter(kind="report").count() == 2


def test_the_job_of_a_report_has_a_page(project, sample, staff, now):
    staff.get(page(project))
    job = run(Job.objects.get(kind="report"), now)

    shown = staff.get(reverse("job-detail", args=[project.slug, job.pk]))

    assert shown.status_code == 200
    assert "Figures of a report" in shown.content.decode()


def test_a_waiting_page_gets_the_panels_when_they_are_ready(project, sample, staff, now):
    staff.get(page(project))
    waiting = staff.get(page(project), headers={"HX-Request": "true"})
    run(Job.objects.get(kind="report"), now)
    ready = staff.get(page(project), headers={"HX-Request": "true"})

    assert waiting.content.decode() == "This takes a few seconds; the page updates automatically."
    assert json.loads(ready["HX-Trigger"]) == {"announce": "The new figures are here."}
    assert "75 %" in ready.content.decode()


def test_a_panel_that_fails_says_so_and_leaves_the_others(project, sample, staff, caplog, now):
    sample.panels.insert(0, kinds.entry("broken"))
    sample.panels.insert(1, kinds.entry("unreadable"))
    staff.get(page(project))
    job = run(Job.objects.get(kind="report"), now)

    shown = staff.get(page(project)).content.decode()
    one = staff.get(reverse("api-report-panel", args=[project.slug, "sample", "broken"])).json()
    taken = staff.get(file(project, "broken", "csv"))

    assert job.state == "done"
    assert "75 %" in shown
    assert reports.PROBLEM.format("ZeroDivisionError") in shown
    assert reports.PROBLEM.format("ProgrammingError") in shown
    assert [record.exc_info[0].__name__ for record in caplog.records if record.exc_info] == [
        "ZeroDivisionError",
        "ProgrammingError",
    ]
    assert one["problem"] == reports.PROBLEM.format("ZeroDivisionError")
    assert (taken.status_code, one["rows"]) == (409, [])
    assert one["problem"] in taken.content.decode()


def test_a_picture_that_fails_leaves_its_table(project, sample, staff, monkeypatch, now):
    monkeypatch.setattr(pictures, "draw_svg", samples.broken)

    stored = bring_report_up_to_date(project, sample, now)

    assert stored.panel("shares")["svg"] == ""
    assert "75 %" in staff.get(page(project)).content.decode()


def test_a_waiting_page_says_how_many_panels_are_ready(project, sample, staff, now):
    staff.get(page(project))
    job = Job.objects.get(kind="report")
    running = jobs_services.claim_job(job_id=job.pk, now=now)
    progress = figures_services._JobProgress(running)
    progress.total = 3
    progress.step()
    progress.write(now)

    answer = staff.get(page(project), headers={"HX-Request": "true"})

    assert answer.content.decode() == "1 of 3 panels are ready."
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == ("#panels-done", "innerHTML")
    assert '<span id="panels-done">1 of 3 panels are ready.</span>' in (
        staff.get(page(project)).content.decode()
    )


def test_a_cancelled_job_stops_after_the_panel(project, sample, staff, rosa, monkeypatch, now):
    staff.get(page(project))
    job = Job.objects.get(kind="report")
    step = figures_services._JobProgress.step

    def cancelled(progress):
        jobs_services.cancel_job(job=job, by=rosa, now=now)
        progress.write(now)
        step(progress)

    monkeypatch.setattr(figures_services._JobProgress, "step", cancelled)
    samples.calls.clear()
    sample.panels.append(kinds.entry("shares"))

    assert run(job, now).state == "cancelled"
    assert len(samples.calls) == 1
    assert not StoredFigures.objects.filter(report="report.sample").exists()


def test_only_the_newest_filtered_figures_are_kept(project, sample, monkeypatch, now):
    monkeypatch.setattr(figures_services, "KEPT", 2)
    for day in range(1, 5):
        filters = Filters(since=dt.date(2026, 1, day))
        bring_report_up_to_date(project, sample, now + dt.timedelta(minutes=day), filters)
    bring_report_up_to_date(project, sample, now)

    rows = StoredFigures.objects.filter(project=project).values_list("filters", flat=True)
    assert sorted(rows) == ["", "since=2026-01-03", "since=2026-01-04"]


def test_no_panel_fails_in_projects_where_everything_happened(now):
    for project in installation.fill(questions=200, assignments=1000):
        for report in registry.list_reports(project):
            [head, *_] = compute_report(project, report, now)
            problems = {row["key"]: row["problem"] for row in head.figures["panels"]}
            assert problems == dict.fromkeys(problems, ""), report.key
