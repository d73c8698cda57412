"""The pages of agreement, reports, audits, systems and suggestions."""

import io
import json
from dataclasses import replace

from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from annotation.core import audit
from annotation.figures.registry import find_report
from annotation.jobs import services as jobs_services
from annotation.models import (
    Annotation,
    Assignment,
    Job,
    SuggestionUse,
    Task,
)
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from annotation.work import assignments
from evaluation.judgments.import_jobs import start_judgments
from evaluation.scores.measuring import Scale
from evaluation.scoring import services as scoring_services
from evaluation.systems import services as systems_services
from evaluation.systems.import_jobs import start_outputs
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.browser.helpers import allow_problem
from tests.browser.pages.claims import claimed
from tests.browser.pages.steps import alone, refused, slug, url, writes
from tests.evaluation import factories as studies
from tests.evaluation.reports import kinds
from tests.figures import bring_agreement_up_to_date, bring_report_up_to_date, start_agreement_job


@writes
def audited(page, world):
    """Let an expert answer the question that `claimed` decides, and go to the sample."""
    claimed(page, world)
    expert = world.people["expert"]
    policy = world.project.policies.create(stage="audit", split="dev", people=1)
    world.sample.items.create(question=world.question, position=1)
    task = Task.objects.create(
        policy=policy,
        question=world.question,
        unit=world.sample.unit,
        seats=1,
        position=1,
        created_at=world.now,
    )
    annotation = Annotation.objects.create(
        assignment=factories.make_assignment(task, expert, state="submitted"),
        question=world.question,
        author=expert,
        kind="single",
        created_at=world.now,
    )
    annotation.pairs.create(position=0).answers.create(position=0, text="1843")
    page.goto(reverse("audit-sample", args=[world.slug, world.sample.pk]))
    page.get_by_text("F1-answer").wait_for()


@writes
def agreement_with_figures(page, world):
    audited(page, world)
    bring_agreement_up_to_date(world.project, world.now)
    page.goto(reverse("project-agreement", args=[world.slug]))
    page.get_by_text("Experts against what is accepted").wait_for()


@writes
def suggestions_used(page, world):
    """A suggestion that was accepted, and a question that is held out."""
    policy = world.policy
    policy.suggestions, policy.suggestions_held_out = "Reader 8B", 0
    policy.save()
    work = world.assignment
    suggestions_services.store_suggestions(
        question=work.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[SuggestedContent("answer", answers=("1843",))],
        now=work.started_at,
    )
    SuggestionUse.objects.create(
        assignment=work,
        suggestion=work.task.question.suggestions.get(),
        fate="accepted",
        shown_at=world.now,
        decided_at=world.now,
    )
    Assignment.objects.filter(pk=work.pk).update(
        state="submitted",
        submitted_at=world.now,
        ended_at=world.now,
        lease_ends_at=None,
        active_seconds=190,
    )
    page.goto(reverse("suggestion-report", args=[world.slug]))
    page.get_by_text("3:10").wait_for()


@writes
def scores_of_systems(page, world):
    scoring_services.refresh_systems_report(
        world.project, world.system.outputs.get().question.split, now=world.now
    )
    page.goto(reverse("system-scores", args=[world.slug]))
    page.get_by_role("heading", name="Leaderboard").wait_for()


@writes
def answers_side_by_side(page, world):
    """Two systems, one of them scored, and a long answer that is cut."""
    other = studies.make_system(world.project, "Another reader")
    studies.make_output(other, world.question, "In 1843. " * 400)
    scoring_services.refresh_systems_report(world.project, world.question.split, now=world.now)
    Scale(world.project, world.question.split).store_measures(world.system, now=world.now)
    chosen = f"?order=differing&systems={world.system.pk}&systems={other.pk}"
    page.goto(reverse("system-answers", args=[world.slug]) + chosen)
    page.get_by_text("Scores from").wait_for()


@writes
def answers_side_by_side_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("system-answers", args=[world.slug]) + "?order=best")
    page.get_by_text("There is a problem").wait_for()


@writes
def scores_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("system-scores", args=[world.slug]))
    page.get_by_role("button", name="Store").click()
    page.get_by_text("Choose a file.").first.wait_for()


@writes
def report_of_agreement(page, world):
    report = find_report(world.project, "agreement")
    bring_report_up_to_date(world.project, report, world.now)
    page.goto(reverse("project-report", args=[world.slug, "agreement"]))


@writes
def report_of_the_project(page, world):
    report = find_report(world.project, "project")
    bring_report_up_to_date(world.project, report, world.now)
    page.goto(reverse("project-report", args=[world.slug, "project"]))


@writes
def rows_of_a_panel(page, world):
    report_of_agreement(page, world)
    page.goto(reverse("report-rows", args=[world.slug, "agreement", "disagreements"]))


@writes
def report_of_every_kind(page, world):
    report = replace(find_report(world.project, "agreement"), panels=kinds.every_kind().panels)
    bring_report_up_to_date(world.project, report, world.now)
    page.goto(reverse("project-report", args=[world.slug, "agreement"]))


@writes
def agreement_out_of_date(page, world):
    agreement_with_figures(page, world)
    audit.record_action(
        "project_changed", world.project, by=None, now=world.now, project=world.project
    )
    page.reload()
    page.get_by_text("new figures are being computed").wait_for()


@writes
def agreement_failed(page, world):
    jobs_services.end_job(
        job=start_agreement_job(world.project, world.people["researcher"], world.now),
        state="failed",
        now=world.now,
        problem="The job stopped at splits 0 because of a fault in the program.",
    )
    page.goto(reverse("project-agreement", args=[world.slug]))
    page.get_by_text("The figures could not be computed").wait_for()


@writes
def audit_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-audit", args=[world.slug]))
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def train_refused(page, world):
    """The form with another project that is not written as it should be."""
    allow_problem(page, "status of 422")
    page.goto(reverse("train", args=[world.slug]))
    page.get_by_label("Name of the weights").fill("ours")
    page.get_by_label("Other projects").fill("nq")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("write it as PROJECT:N").first.wait_for()


@writes
def training_done(page, world):
    """The page of a training that has ended, with its curves."""
    now = timezone.now()
    job = Job.objects.create(
        project=world.project,
        **{"kind": "training", "state": "done", "unit": "steps", "done": 40, "total": 40},
        options={},
        result={
            **{"name": "ours", "metric": "right classes", "system": "disambig-first", "step": 30},
            "loss": [[n, 1 / (1 + n)] for n in range(0, 41, 5)],
            "dev": [[n, 0.5 + n / 100] for n in range(10, 41, 10)],
            "figures": {"right classes": 0.8, "majority": 0.5, "untrained": 0.5},
            "use": "--option ambiguity=trained:ours",
        },
        **{"created_by": world.people["researcher"], "created_at": now, "ended_at": now},
        **{"started_at": now, "heartbeat_at": now, "file_name": "ours, for ambiguity"},
    )
    page.goto(reverse("job-detail", args=[world.slug, job.pk]))
    page.get_by_text("Looks at dev").click()


@writes
def training_estimated(page, world):
    """The page of an estimate, from which the training begins."""
    now = timezone.now()
    job = Job.objects.create(
        project=world.project,
        **{"kind": "training-estimate", "state": "done", "unit": "steps"},
        options={
            **{"key": "ours", "role": "ambiguity", "base": "minilm", "preset": "small", "seed": 0},
            **{"changes": {"batch": "4"}, "also": {"nq": 2}, "no_dev": True},
            "examples": {"system": "disambig-first", "keep_suggested": True},
        },
        result={"sentences": ["20 examples to learn from.", "No question is left out."]},
        **{"created_by": world.people["researcher"], "created_at": now, "ended_at": now},
        **{"started_at": now, "heartbeat_at": now, "file_name": "ours, for ambiguity"},
    )
    page.goto(reverse("job-detail", args=[world.slug, job.pk]))
    page.get_by_role("button", name="Start this training").wait_for()


@writes
def system_with_mismatches(page, world):
    """A system with settings, whose last import did not match everything."""
    answers = {world.question.external_id: "It opened in 1843.", "other-1": "Two.", "other-2": "3"}
    system, _ = systems_services.import_outputs(
        project=world.project,
        file=io.BytesIO(json.dumps(answers).encode()),
        name="Long-context 8B",
        options={"passages": 5},
        by=None,
        now=world.now,
    )
    page.goto(reverse("system-view", args=[world.slug, system.pk]))
    page.get_by_text("did not match everything").wait_for()


def judgments_refused(page, world):
    """A file with rows that cannot be imported."""
    allow_problem(page, "status of 422")
    page.goto(reverse("judgments-import", args=[world.slug]))
    file = {"name": "ratings.json", "mimeType": "application/json", "buffer": b"[{}, {}]"}
    page.locator("#id_file").set_input_files(file)
    page.get_by_role("button", name="Import").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def answers_imported(page, world):
    """The page of a job that imported answers, and named those that it could not match."""
    answers = {world.question.external_id: "It opened in 1843.", "other-1": "Two."}
    job = start_outputs(
        project=world.project,
        file=ContentFile(json.dumps(answers).encode(), name="answers.json"),
        file_name="answers.json",
        name="Long-context 8B",
        by=world.people["researcher"],
        now=world.now,
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    page.goto(reverse("job-detail", args=[world.slug, job.pk]))
    page.get_by_role("button", name="Score it now").wait_for()


@writes
def judgments_not_imported(page, world):
    """The page of a job whose file has rows that cannot be imported."""
    job = start_judgments(
        project=world.project,
        file=ContentFile(b"[{}, {}]", name="ratings.json"),
        file_name="ratings.json",
        title="Elsewhere",
        by=world.people["researcher"],
        now=world.now,
    )
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    page.goto(reverse("job-detail", args=[world.slug, job.pk]))
    page.get_by_text("2 rows of 2 cannot be imported").wait_for()


@writes
def reference_refused(page, world):
    """Both forms, one with a problem."""
    allow_problem(page, "status of 422")
    assignments.submit_response(
        assignment=world.long.assignment,
        response=asqa.response(),
        by=world.people["annotator"],
        now=world.now,
    )
    page.goto(reverse("system-add", args=[world.long.slug]))
    page.locator("#own-nth").fill("2")
    page.get_by_role("button", name="Make the reference").click()
    page.get_by_text("There is a problem").wait_for()


PAGES = [
    ("project, agreement", "researcher", agreement_with_figures),
    ("project, agreement, nothing yet", "researcher", alone(url("project-agreement", slug))),
    ("report", "researcher", report_of_agreement),
    ("report, project", "researcher", report_of_the_project),
    ("report, rows of a panel", "researcher", rows_of_a_panel),
    ("report, every kind of picture", "researcher", report_of_every_kind),
    (
        "report, being computed",
        "researcher",
        alone(url("project-report", slug, lambda _: "agreement")),
    ),
    ("project, agreement, out of date", "researcher", agreement_out_of_date),
    ("project, agreement, failed", "researcher", agreement_failed),
    ("project, import judgments refused", "researcher", judgments_refused),
    ("job, answers imported", "researcher", answers_imported),
    ("job, judgments not imported", "researcher", judgments_not_imported),
    ("project, systems", "researcher", alone(url("system-list", slug))),
    ("project, scores of systems", "researcher", scores_of_systems),
    ("project, scores being computed", "researcher", alone(url("system-scores", slug))),
    ("project, scores refused", "researcher", scores_refused),
    ("project, answers side by side", "researcher", answers_side_by_side),
    ("project, answers side by side, refused", "researcher", answers_side_by_side_refused),
    (
        "project, answers side by side, not scored",
        "researcher",
        alone(url("system-answers", slug)),
    ),
    ("project, a system", "researcher", system_with_mismatches),
    ("project, add a system", "researcher", reference_refused),
    ("project, run a baseline", "researcher", alone(url("system-run", slug))),
    ("project, train", "researcher", alone(url("train", slug))),
    ("project, train refused", "researcher", train_refused),
    ("project, a training", "researcher", training_done),
    ("project, the estimate of a training", "researcher", training_estimated),
    ("project, training set", "researcher", alone(url("training-set", slug))),
    (
        "project, training set refused",
        "researcher",
        refused(
            lambda w: f"{reverse('training-set', args=[w.slug])}?part=bm25%3Areranker&layout=chat",
            422,
        ),
    ),
    ("project, suggest answers", "researcher", url("suggestion-run", slug)),
    ("project, suggestions, none yet", "researcher", url("suggestion-report", slug)),
    ("project, suggestions", "researcher", suggestions_used),
    ("project, audit", "researcher", url("project-audit", slug)),
    ("project, audit refused", "researcher", audit_refused),
    ("project, audit sample", "admin", audited),
]
