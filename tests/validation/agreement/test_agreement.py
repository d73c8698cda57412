"""Stored figures: computed by a job, shown with their age, renewed when something changed."""

import datetime as dt
import io
import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from knox.models import AuthToken

from annotation.core import audit
from annotation.core.data_state import data_state
from annotation.core.refusals import Denied
from annotation.imports.services import import_questions, record_import
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question, StoredFigures
from annotation.work import assignments
from tests import factories
from tests.annotation.long_answers import helpers
from tests.figures import bring_agreement_up_to_date, start_agreement_job
from tests.validation.agreement.test_figures import BY_HAND
from validation.agreement import stored
from validation.agreement.project_report import report_project
from validation.agreement.reporting import name_figures
from validation.agreement.stored import find_agreement
from validation.verdicts import promotion

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(project):
    return f"/projects/{project.slug}/agreement/"


@pytest.fixture
def script(client, rosa, project):
    """script(method): what the API answers to Rosa."""
    _, token = AuthToken.objects.create(rosa)

    def ask(method="get", **query):
        headers = {"Authorization": f"Token {token}"}
        path = f"/api/v1/projects/{project.slug}/agreement/"
        return getattr(client, method)(path, query, headers=headers)

    return ask


@pytest.fixture
def broken(monkeypatch):
    """Computing raises, wherever it is done."""

    def compute(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(stored, "report_project", compute)


def work(project):
    """Do what a worker does: run the job that waits. Returns it."""
    job = Job.objects.get(project=project, kind="agreement", state="queued")
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def text(response):
    return " ".join(response.content.decode().split()).replace("\xa0", " ")


def change_something(project, rosa, now):
    audit.record_action("project_changed", project, by=rosa, now=now, project=project)


# --- the numbers ---------------------------------------------------------------------------------


def test_the_stored_figures_are_the_computed_ones(world, now):
    stored = bring_agreement_up_to_date(world.project, now)
    for split in ("", "train", "dev", "test"):
        assert stored.report(split) == report_project(world.project, split or None), split
    found = name_figures(stored.report(), {world.ann.pk: "A", world.ben.pk: "B", world.val.pk: "V"})
    for name, (total, n, *through) in BY_HAND.items():
        if not name.startswith(("generator.", "validator.")):
            assert found[name]["n"] == n, name
            assert found[name]["value"] == pytest.approx(total / (through[0] if through else n))


def test_those_of_long_answers_too(db, rosa, now):
    project = helpers.make_project()
    record = {
        "ambiguous_question": "Who?",
        "qa_pairs": [{"question": "Who ran it?", "short_answers": ["Ann"], "context": None}],
        "annotations": [{"long_answer": words, "knowledge": []} for words in ("Ann ran.", "Ann.")],
    }
    before = bring_agreement_up_to_date(project, now)
    file = io.BytesIO(json.dumps({"dev": {"a": record}}).encode())
    tally = import_questions(
        project=project, file=file, format="asqa", split=None, finished=True, by=None, now=now
    )
    record_import(project=project, tally=tally, by=rosa, now=now)
    stored = bring_agreement_up_to_date(project, now)
    assert stored.report("dev") == report_project(project, "dev") != before.report("dev")
    assert stored.report("dev").groups[1].counted == "long answer"


def test_the_command_prints_what_is_stored_until_something_changes(
    world, rosa, now, monkeypatch, broken
):
    def printed():
        out = io.StringIO()
        call_command("agreement", world.project.slug, "--json", stdout=out)
        return json.loads(out.getvalue())

    with pytest.raises(ZeroDivisionError):
        printed()
    monkeypatch.undo()
    first = printed()
    computed_at = find_agreement(world.project).computed_at
    assert printed() == first
    assert find_agreement(world.project).computed_at == computed_at
    turn = assignments.Assignment.objects.get(task__question=world.questions["Q1"], user=world.ben)
    assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
    assert printed()["validation.passed"]["n"] == first["validation.passed"]["n"] - 1


# --- when they are current -----------------------------------------------------------------------


def test_what_people_do_makes_them_old(world, rosa, now):
    bring_agreement_up_to_date(world.project, now)
    assert find_agreement(world.project).current
    turn = assignments.Assignment.objects.get(task__question=world.questions["Q1"], user=world.ben)
    assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
    assert find_agreement(world.project).state == "outdated"


def test_a_row_that_is_committed_after_one_with_a_higher_number_counts(project, now):
    fields = {"at": now, "project": project.pk, "action": "x", "target": "x"}
    first = AuditEntry.objects.create(**fields)
    late = AuditEntry(pk=first.pk + 1, **fields)
    last = AuditEntry.objects.create(pk=first.pk + 2, **fields)
    before = data_state(project)
    late.save(force_insert=True)
    assert first.pk < late.pk < last.pk
    assert data_state(project) != before


def test_another_release_computes_them_anew(project, now, settings):
    bring_agreement_up_to_date(project, now)
    settings.VERSION = "0.2.0"
    assert not find_agreement(project).current


def test_their_own_job_and_other_projects_change_nothing(project, rosa, now):
    change_something(project, rosa, now)
    before = data_state(project)
    start_agreement_job(project, rosa, now)
    work(project)
    change_something(factories.make_project(), rosa, now)
    assert data_state(project) == before
    assert find_agreement(project).current
    entries = AuditEntry.objects.filter(action__startswith="job_")
    assert {(row.action, row.project, row.actor) for row in entries} == {
        ("job_created", None, rosa.pk),
        ("job_done", None, rosa.pk),
    }


def test_the_state_of_the_data_is_read_from_an_index(project, now):
    others = project.pk + 1
    rows = [
        AuditEntry(at=now, project=others if n % 10 else project.pk, action="x", target="x")
        for n in range(20_000)
    ]
    AuditEntry.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_auditentry")
    with CaptureQueriesContext(connection) as queries:
        data_state(project)
    [query] = queries
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {query['sql']}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "audit_of_project" in plan
    assert "Seq Scan" not in plan


def test_a_deleted_project_takes_its_figures_along(rosa, now):
    project = factories.make_project()
    bring_agreement_up_to_date(project, now)
    project.delete()
    assert not StoredFigures.objects.exists()


def test_questions_that_were_removed_do_not_count(world, rosa, now):
    bring_agreement_up_to_date(world.project, now)
    Question.objects.filter(project=world.project, split="train").update(state="excluded")
    change_something(world.project, rosa, now)
    renewed = bring_agreement_up_to_date(world.project, now)
    assert renewed.report() == report_project(world.project, None)
    assert name_figures(renewed.report("train"), {world.ann.pk: "A"})["questions.pairs"]["n"] == 0


# --- in a request nothing is computed ------------------------------------------------------------


def test_page_and_api_answer_where_computing_raises(
    world, rosa, now, client_as, script, address, broken, monkeypatch
):
    assert "The figures are being computed" in text(client_as(rosa).get(address))
    assert script().status_code == 202
    monkeypatch.undo()
    bring_agreement_up_to_date(world.project, now)
    change_something(world.project, rosa, now)
    monkeypatch.setattr(stored, "report_project", None)
    assert "42 %" in text(client_as(rosa).get(address))
    assert script().json()["validation.passed"]["value"] == pytest.approx(5 / 12)


def test_the_first_visit(world, rosa, client_as, address):
    page = client_as(rosa).get(address)
    assert "They appear here as soon as they are ready." in text(page)
    assert "This takes a few seconds; the page updates automatically." in text(page)
    assert f'hx-get="{address}?split="' in text(page)
    assert "Needs" not in text(page)
    assert "nothing to count" not in text(page)
    waiting = client_as(rosa).get(address, headers={"HX-Request": "true"})
    assert (waiting.status_code, waiting.content) == (204, b"")
    assert work(world.project).state == "done"
    fragment = client_as(rosa).get(address, headers={"HX-Request": "true"})
    assert "42 %" in text(fragment)
    assert "<html" not in text(fragment)
    assert "hx-get" not in text(fragment)
    assert "The new figures are here." in fragment["HX-Trigger"]
    page = client_as(rosa).get(address)
    assert "Computed <time" in text(page)
    assert "Ann Archer" in text(page)
    assert Job.objects.filter(kind="agreement").count() == 1


def test_old_figures_are_shown_with_their_age_while_new_ones_are_computed(
    world, rosa, now, client_as, address
):
    bring_agreement_up_to_date(world.project, now - dt.timedelta(minutes=3))
    change_something(world.project, rosa, now)
    page = text(client_as(rosa).get(address))
    sentence = (
        "Computed 3 minutes ago. Something has changed since; new figures are being computed."
    )
    assert sentence in page
    assert "42 %" in page
    work(world.project)
    change_something(world.project, rosa, now)
    waited = text(client_as(rosa).get(address, headers={"HX-Request": "true"}))
    assert "Something has changed since." in waited  # and the open page does not go on for ever
    assert "Compute them now" in waited
    assert not Job.objects.filter(kind="agreement", state="queued").exists()


def test_one_split_has_its_own(world, rosa, now, client_as, address):
    bring_agreement_up_to_date(world.project, now)
    page = text(client_as(rosa).get(address, {"split": "test"}))
    assert "There is nothing to count yet on test" in page


def test_a_job_that_failed_says_so_and_is_tried_again(
    world, rosa, now, client_as, address, script, broken, monkeypatch
):
    client_as(rosa).get(address)
    assert work(world.project).state == "failed"
    page = text(client_as(rosa).get(address))
    assert "The figures could not be computed" in page
    assert "because of a fault in the program (ZeroDivisionError)" in page
    assert "Try again" in page
    refused = script()
    assert refused.status_code == 503
    assert refused.json()["detail"].endswith("POST to the same address to try again.")
    assert Job.objects.filter(kind="agreement").count() == 1  # looking does not try again
    monkeypatch.undo()
    answer = client_as(rosa).post(f"{address}?split=dev")
    assert (answer.status_code, answer.url) == (302, f"{address}?split=dev")
    assert work(world.project).state == "done"
    assert "42 %" in text(client_as(rosa).get(address))


def test_old_figures_stay_where_newer_ones_failed(
    world, rosa, now, client_as, address, script, monkeypatch
):
    bring_agreement_up_to_date(world.project, now)
    change_something(world.project, rosa, now)
    client_as(rosa).get(address)
    monkeypatch.setattr(stored, "report_project", None)
    assert work(world.project).state == "failed"
    page = text(client_as(rosa).get(address))
    assert "The new figures could not be computed" in page
    assert "42 %" in page
    assert script()["Agreement-State"] == "failed"


def test_the_api_says_how_old_they_are(world, rosa, now, script):
    first = script()
    assert (first.status_code, first["Retry-After"]) == (202, "2")
    work(world.project)
    assert script()["Agreement-State"] == "current"
    assert script(split="dev").json() != script().json()
    change_something(world.project, rosa, now)
    then = script()
    assert (then.status_code, then["Agreement-State"]) == (200, "computing")
    assert "GMT" in then["Last-Modified"]
    assert script("post").status_code == 202


def test_only_staff_start_the_job(project, ann, now):
    with pytest.raises(Denied):
        start_agreement_job(project, ann, now)


def test_a_job_that_was_taken_over_stores_nothing(world, rosa, now, monkeypatch):
    start_agreement_job(world.project, rosa, now)

    def lose(*_, **__):
        Job.objects.update(attempts=5)
        return report_project(world.project, None)

    monkeypatch.setattr(stored, "report_project", lose)
    assert work(world.project).state == "running"
    assert not StoredFigures.objects.exists()


def test_the_page_of_the_job(world, rosa, now, client_as, address):
    client_as(rosa).get(address)
    job = work(world.project)
    page = text(client_as(rosa).get(f"/projects/{world.project.slug}/jobs/{job.pk}/"))
    assert "Figures of agreement" in page
    assert "4 of 4 splits" in page


# --- one job at a time ---------------------------------------------------------------------------


def test_the_database_refuses_a_second_one(project, rosa, now):
    start_agreement_job(project, rosa, now)
    name = "job_of_figures_once_while_unfinished"
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        jobs_services.create_job(project=project, kind="agreement", options={}, by=rosa, now=now)


def test_the_page_says_who_can_validate_and_what_is_expected(
    world, rosa, now, client_as, address, monkeypatch
):
    """A58: the rule in words, the expected shares beside those of each, the people page."""
    monkeypatch.setattr(promotion, "MORE_TASKS_THAN", 15)
    monkeypatch.setattr(promotion, "CORRECT_FROM", 0.7)
    out = io.StringIO()
    bring_agreement_up_to_date(world.project, now)
    page = text(client_as(rosa).get(address))
    annotators = page[page.index('id="people-generators"') : page.index('id="people-validators"')]
    # Ann has 16 questions, 8 of 11 correct; Ben has 13.
    assert annotators.count("Can validate</span>") == 1
    assert annotators.index("Ann Archer") < annotators.index("Can validate</span>")
    assert annotators.index("Can validate</span>") < annotators.index("Ben Baker")
    assert "73 % <small>(43 to 90 %)" in annotators
    expected = annotators[annotators.index("Expected") :]
    assert expected.index(">35 %<") < expected.index(">60 %<") < expected.index(">5 %<")
    assert f'href="/projects/{world.project.slug}/people/"' in expected
    assert "Can validate: more than 50 questions" in expected
    call_command("agreement", world.project.slug, stdout=out)
    assert out.getvalue().count("; can validate") == 1


def test_figures_stored_before_who_can_validate_was_told_are_shown(
    world, rosa, now, client_as, address
):
    bring_agreement_up_to_date(world.project, now)
    row = StoredFigures.objects.get(project=world.project)
    for report in row.figures.values():
        for person in report["generators"]:
            del person["can_validate"], person["figures"][3:]
    row.save()
    page = text(client_as(rosa).get(address))
    assert page.count('data-label="Judged correct">none yet<') == 2
