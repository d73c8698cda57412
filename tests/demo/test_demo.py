"""The demo: made once; its index again when this version cannot read it."""

import json
import re
from collections import Counter
from pathlib import Path

import lxml.html
from django.db import transaction
from django.db.models import Count
from django.test import Client
from django.utils import timezone

from accounts.models import User
from annotation.contexts.searches import JOB_KIND
from annotation.figures.filters import Filters
from annotation.figures.panel import FEW
from annotation.figures.queries import find_stored_report
from annotation.figures.registry import Request, find_report, list_reports
from annotation.jobs import services as jobs_services
from annotation.models import ContextParagraph, Job, PayEntry, Project, StagePolicy, Suggestion
from annotation.stages import registry as stages
from annotation.work.assignments import take_next
from config import embedded
from config.celery import app
from demo import loading as demo
from demo.loading import SLUG, _snapshot
from demo.reports import KINDS
from evaluation.consensus.panel import count_answers
from evaluation.models import Judgment, Study
from evaluation.reports.agreement import annotators, over_time, people_pairs
from evaluation.results.stored import find_results
from operations import heartbeats
from tests.annotation.suggestions.conftest import OWN, press
from tests.stages.window import Window
from validation.agreement.stored import find_agreement
from validation.outcomes.models import SubmissionOutcome
from wikipedia.providers.registry import forget_providers
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import FORMAT, POINTER
from wikipedia.snapshots.queries import index_problem


def test_an_index_of_another_version_is_built_again(db, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    forget_providers()
    said = []
    snapshot = _snapshot(said.append)
    assert said == ["Building the demo Wikipedia", "Indexing the demo Wikipedia"]
    _snapshot(said.append)
    assert len(said) == 2
    pointer = index_dir(SLUG) / POINTER
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"format": FORMAT - 1}))
    assert index_problem(snapshot) is None  # it serves until the new one stands
    _snapshot(said.append)
    assert said[2:] == ["Indexing the demo Wikipedia"]
    assert index_problem(snapshot) is None


def test_the_projects_are_there_and_the_readings_get_their_contexts(
    transactional_db, settings, tmp_path, monkeypatch
):
    # In one transaction PostgreSQL never counts the rows: reports would take five times as long.
    settings.AMBIT_DATA = tmp_path
    forget_providers()
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    for _ in range(2):  # loading it again changes nothing
        demo.load_demo(lambda said: None)
    the_first_visit_of_each_report_finds_figures()
    every_list_has_rows_in_a_project()
    found = {each.slug: each for each in Project.objects.all()}
    assert {slug: each.protocol for slug, each in found.items()} == {
        "demo": "ambigqa",
        "demo-long": "asqa",
        "demo-crowd": "ambigqa",
        "demo-round": "ambigqa",
        "demo-nq": "nq",
        "demo-lists": "qampari",
    }
    every_stage_has_work(found["demo-lists"])
    for slug in ("demo-lists", "demo-nq"):
        every_panel_has_figures(found.pop(slug))
    finished_round(found.pop("demo-round"))
    participants(found.pop("demo-crowd"))
    suggestions_open(found["demo"])
    long = found["demo-long"]
    assert long.questions.count() == 8
    for each in found.values():
        assert each.qualifications.get().state == "open"
    experts, agreed, running, finished = long.studies.order_by("-pk")
    assert (experts.stage, experts.items.count()) == ("expert", 8)
    assert not Judgment.objects.filter(item__study=experts).exists()
    second = User.objects.get(email="expert2@demo.localhost")
    assert take_next(project=long, stage="expert", by=second, now=timezone.now())
    assert Judgment.objects.filter(item__study=agreed).count() == 8
    assert count_answers(long, study=agreed.pk) == (1, 3)
    assert (finished.state, finished.items.count()) == ("closed", 19)  # 16 pairs and 3 repeats
    judged = Judgment.objects.filter(item__study=finished)
    assert dict(judged.values_list("judge__email").annotate(n=Count("pk"))) == {
        "judge1@demo.localhost": 19,
        "judge2@demo.localhost": 19,
    }
    assert running.state == "running"
    assert not Judgment.objects.filter(item__study=running).exists()
    one = User.objects.get(email="judge1@demo.localhost")
    assert take_next(project=long, stage=running.stage, by=one, now=timezone.now())
    job = Job.objects.get(kind=JOB_KIND)
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    disambiguations = sum(len(each.context["qa_pairs"]) for each in long.questions.all())
    found = ContextParagraph.objects.filter(question__project=long)
    assert disambiguations == 24
    assert found.count() > found.filter(shown=True).count() > 5
    for each in found:
        asked = each.question.context["qa_pairs"][each.position]
        assert any(answer in each.text for answer in asked["short_answers"])


def suggestions_open(project):
    """The annotator who comes first sees them once a pair of their own is there."""
    shown = StagePolicy.objects.filter(project=project).exclude(suggestions="")
    assert list(shown.values_list("stage", "split", "suggestions", "suggestions_held_out")) == [
        ("generation", "dev", "Best passage (BM25)", 0)
    ]
    rows = Suggestion.objects.filter(question__project=project)
    assert set(rows.values_list("question__split", "kind")) == {("dev", "passage")}
    assert rows.values("question").distinct().count() == 20
    window = Window(User.objects.get(email="annotator1@demo.localhost"), project, "generation")
    window.take()
    assert "open after your first pair" in window.words
    press(window, "save", OWN)
    assert "Suggestion 1: a passage" in window.words
    assert "Thames Tunnel" in window.html.partition('id="suggestions"')[2]


def test_suggestions_come_to_a_demo_that_was_loaded_before_there_were_any(
    db, settings, tmp_path, monkeypatch
):
    settings.AMBIT_DATA = tmp_path
    forget_providers()
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    monkeypatch.setattr(demo, "PROJECTS", demo.PROJECTS[:1])
    monkeypatch.setattr(demo, "CROWD", demo.PROJECTS[0])
    monkeypatch.setattr(demo, "ROUND", demo.PROJECTS[0])
    demo.load_demo(lambda said: None)
    Suggestion.objects.all().delete()
    policies = StagePolicy.objects.filter(project__slug=SLUG, stage="generation")
    policies.update(suggestions="")
    policies.filter(split="train").update(suggestions="Another")
    said = []
    demo.load_demo(said.append)
    assert said == ["Preparing the database", "Suggesting passages for “Demo”"]
    assert dict(policies.values_list("split", "suggestions")) == {
        "dev": "Best passage (BM25)",
        "test": "",
        "train": "Another",
    }
    # What staff decide stays.
    policies.update(suggestions="")
    demo.load_demo(said.append)
    assert said[2:] == ["Preparing the database"]
    assert set(policies.values_list("suggestions", flat=True)) == {""}


def the_first_visit_of_each_report_finds_figures():
    """Whoever signs in first waits for no worker."""
    left = Job.objects.filter(kind__in=KINDS).exclude(state=Job.State.DONE)
    assert not left.exists()
    asked = [
        (job.project_id, job.kind, str(job.options)) for job in Job.objects.filter(kind__in=KINDS)
    ]
    assert len(asked) == len(set(asked))  # loading twice asks once
    for project in Project.objects.all():
        for report in list_reports(project):
            each = [
                Filters(),
                *(
                    [Filters(split="dev")]
                    if report.key == "systems" and project.systems.exists()
                    else []
                ),
            ]
            for filters in each:
                stored = find_stored_report(project, report, filters)
                assert stored.panels, (project.slug, report.key)
        assert find_agreement(project).computed_at
    finished = Study.objects.get(state="closed")
    assert find_results(finished).figures


def every_list_has_rows_in_a_project():
    """A page that lists something has rows in one of the projects at least."""
    client = Client()
    client.force_login(User.objects.get(email="admin@demo.localhost"))
    empty, full = set(), set()
    for slug in Project.objects.values_list("slug", flat=True):
        tabs = re.findall(rf'href="(/projects/{slug}/[a-z/-]+/)"', read_page(client, slug))
        for tab in {*tabs, f"/projects/{slug}/studies/consensus/"}:
            answer = client.get(tab, follow=True)
            if answer.streaming:  # a file
                continue
            page = lxml.html.fromstring(answer.content)
            for section in page.xpath("//main//*[self::section or self::article][.//h2]"):
                title = section.xpath("string((.//h2)[1])").strip()
                lacks = section.xpath(".//*[contains(concat(' ', @class, ' '), ' empty ')]")
                (empty if lacks else full).add(title)
    assert len(full) > 20
    assert empty - full == set()


def read_page(client, slug):
    return client.get(f"/projects/{slug}/").content.decode()


def every_stage_has_work(project):
    """Whoever signs in first with the role of a stage finds a task of it."""
    logins = ("annotator1", "validator", "researcher", "judge1", "expert")
    people = User.objects.filter(email__in=[f"{login}@demo.localhost" for login in logins])
    for stage in stages.of_protocol(project.protocol):
        who = people.get(memberships__project=project, memberships__role=stage.role)
        with transaction.atomic():
            turn = take_next(project=project, stage=stage.key, by=who, now=timezone.now())
            transaction.set_rollback(True)
        assert turn, stage.key


def every_panel_has_figures(project):
    """Also those that need what a baseline answers."""
    for job in Job.objects.filter(project=project):
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    request = Request(project, Filters(), timezone.now())
    own = [
        entry
        for entry in find_report(project, "tables").entries(project)
        if entry.protocol == project.protocol
    ]
    empty = [entry.key for entry in own if not entry.panel(request).rows]
    assert (len(own) > 5, empty) == (True, [])


def finished_round(project):
    """Every question is decided, in different ways; the reports have people and weeks to show."""
    states = Counter(project.questions.values_list("state", flat=True))
    assert states.total() == 36
    assert states["auto_accepted"]
    assert states["accepted"]
    assert states["edited"]
    request = Request(project, Filters(), timezone.now())
    # The round began eight weeks before today; weeks of the panel begin on Mondays.
    assert len(over_time.build_weeks_panel(request).rows) in (8, 9)
    shared = [value.n for _, _, value in people_pairs.build_pairs_panel(request).rows]
    assert min(shared) < FEW <= max(shared)
    names = {row[0] for row in annotators.build_warnings_panel(request).rows}
    assert names
    for login in ("annotator1", "annotator2"):
        user = User.objects.get(email=f"{login}@demo.localhost")
        assert {"written", "incorrect"} <= set(
            SubmissionOutcome.objects.filter(assignment__user=user).values_list("status", flat=True)
        )
        assert not take_next(project=project, stage="generation", by=user, now=timezone.now())
    paid = set(PayEntry.objects.filter(project=project).values_list("kind", flat=True))
    assert paid == {"submitted", "accepted"}


def participants(project):
    """One in every state, with work, reviews and pay, and questions left for who tries the link."""
    platform, to_try = project.recruitments.order_by("-pk")
    assert not to_try.participations.exists()
    rows = platform.participations.select_related("recruitment").order_by("pk")
    assert [(row.status, row.review, row.done) for row in rows] == [
        ("completed", "approved", 3),
        ("completed", "approved", 3),
        ("completed", "rejected", 3),
        ("screened_out", "", 0),
        ("returned", "", 1),
        ("timed_out", "", 2),
        ("completed", "", 3),
        ("completed", "", 3),
        ("completed", "", 3),
        ("working", "", 0),
    ]
    late, wrong, fast, unflagged = (" ".join(row.flags) for row in rows[5:9])
    assert late.startswith("Out of time after 2 of 3")
    assert wrong == "1 of 1 checks wrong"
    assert fast.endswith("a question, less than 60 s")
    assert not unflagged
    assert [row.flagged for row in rows[5:9]] == [True, True, True, False]
    assert rows[1].bonus == 1
    assert PayEntry.objects.filter(project=project).count() == 3
    assert project.memberships.filter(role="annotator").count() == 1  # who is working


def modes(folder):
    return {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}


def test_what_ambit_writes_is_for_nobody_else_on_the_machine(tmp_path):
    (tmp_path / "mail").mkdir(mode=0o755)
    (tmp_path / "postgresql").mkdir(mode=0o755)  # of another user, where Ambit runs as root
    (tmp_path / "demo.zim").touch(mode=0o644)
    (tmp_path / "link").symlink_to(__file__)
    before = Path(__file__).stat().st_mode

    embedded.keep_private(tmp_path)

    assert Path(__file__).stat().st_mode == before
    (tmp_path / "link").unlink()
    private = dict.fromkeys(["mail", "files", "queue", "index", "models"], 0o700)
    assert modes(tmp_path) == private | {"postgresql": 0o755, "demo.zim": 0o600}


def test_messages_of_the_queue_are_for_nobody_else_on_the_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("AMBIT_DATA", str(tmp_path))
    (tmp_path / "queue").mkdir(mode=0o755)
    embedded.queue_folder("messages")
    assert modes(tmp_path) == {"queue": 0o700}


def test_the_schedule_of_the_clock_is_for_nobody_else_on_the_machine(db, tmp_path):
    clock = heartbeats.Clock(app, schedule_filename=str(tmp_path / "schedule"))
    clock.close()
    assert set(modes(tmp_path).values()) == {0o600}
