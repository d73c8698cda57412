"""Every page, in light and dark and at 320 px: axe finds nothing, nothing scrolls sideways.

Add a line to PAGES for each page you write: a name, who looks, and the address built from
tests.world (add the rows your page needs there). Where a page has states worth checking (a
dialog open, an error summary), give the third element more: a function of (page, world) that
goes there and brings the page into the state.
"""

import io
import json
from dataclasses import replace
from uuid import uuid4

import pytest
from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.utils import user_pk_to_url_str
from django.urls import reverse

from annotation.models import (
    Annotation,
    Assignment,
    ContextSearch,
    Job,
    PayEntry,
    Project,
    StagePolicy,
    SuggestionUse,
    Task,
)
from annotation.services import assignments, audit, concerns, contexts, jobs, suggestions
from annotation.services import qualification_attempts as attempts
from annotation.services.imports import import_questions
from annotation.services.people import invitation_link
from annotation.suggesting import Suggested
from evaluation.reports import computing as reports
from evaluation.reports.filters import Filters
from evaluation.reports.registry import report_of
from evaluation.services import results, scoring, systems
from tests import factories
from tests.annotation.contexts.helpers import scored
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.qualification import helpers as exams
from tests.browser import training_pages
from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in
from tests.browser.test_validation import validator_turn
from tests.evaluation import experts
from tests.evaluation.judged_study import make_judged
from tests.evaluation.reports import kinds
from validation.models import Decision
from validation.services import agreement


def url(name, *args):
    """Return a function of the world that gives the address; args are functions of it too."""
    return lambda world: reverse(name, args=[arg(world) for arg in args])


def slug(world):
    return world.slug


def refused_sign_in(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").fill("nobody@example.org")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("There is a problem").wait_for()


def failed_job(page, world):
    """A job with lines in its log that can be tried again."""
    Job.objects.filter(pk=world.job.pk).update(
        kind="score",
        state="failed",
        options={"split": "dev", "reader": "squad"},
        problem="The weights of the reader are not here.",
        log=[[world.now.isoformat(), "Reader 1: measured."]],
    )
    page.goto(reverse("job-detail", args=[world.slug, world.job.pk]))
    page.get_by_role("button", name="Try again").wait_for()


def choose_password(page, world):
    user = world.people["annotator"]
    key = EmailAwarePasswordResetTokenGenerator().make_token(user)
    page.goto(reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key]))
    page.get_by_label("New password, again").wait_for()


def new_token(page, world):
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Create a token").click()
    page.get_by_text("Copy this token now").wait_for()


def too_many_attempts(page, world):
    allow_problem(page, "status of 4")
    for _ in range(6):
        refused_sign_in(page, world)
    page.get_by_text("Too many attempts").wait_for()


def annotator(world):
    return world.people["annotator"].pk


def pay_of(name, *args):
    """A page about pay, once there is an entry of each kind and somebody is below the floor."""

    def go(page, world):
        Project.objects.filter(pk=world.project.pk).update(pay_floor="9.50")
        Assignment.objects.filter(pk=world.assignment.pk).update(
            state="submitted",
            submitted_at=world.now,
            ended_at=world.now,
            lease_ends_at=None,
            active_seconds=4000,
        )
        common = {"user": world.people["annotator"], "project": world.project, "currency": "USD"}
        work = {"assignment": world.assignment, "number": 1, "units": 1, "at": world.now}
        first = PayEntry.objects.create(
            kind="submitted", amount="0.75", seconds=4000, **common, **work
        )
        PayEntry.objects.create(kind="accepted", amount="0.10", **common, **work)
        staff = {"by": world.people["admin"], "at": world.now, "note": "Counted twice."}
        PayEntry.objects.create(
            kind="correction", amount="-0.25", key=uuid4(), corrects=first, **common, **staff
        )
        page.goto(url(name, *args)(world))

    return go


def question_with_an_answer(page, world):
    Assignment.objects.filter(pk=world.assignment.pk).update(
        state="submitted", submitted_at=world.now, ended_at=world.now, lease_ends_at=None
    )
    Annotation.objects.create(
        assignment=world.assignment,
        question=world.question,
        author=world.people["annotator"],
        kind="none",
        none_reason="No article names a year.",
        created_at=world.now,
    )
    page.goto(reverse("question-view", args=[world.slug, world.question.pk]))
    page.get_by_text("Return or reject").click()
    page.get_by_label("Note to").wait_for()


def team_home(page, world):
    """Home with a failed job, a claim, somebody paused, and own work below."""
    Job.objects.filter(pk=world.job.pk).update(state="failed", problem="Line 3 has no question.")
    world.project.memberships.filter(role="annotator").update(paused_at=world.now)
    page.goto(reverse("home"))
    page.get_by_text("1 job failed").wait_for()


def stuck_questions(page, world):
    world.project.memberships.filter(role="annotator").delete()
    page.goto(reverse("project-stuck", args=[world.slug]))
    page.get_by_text("No one in this project is an annotator.").wait_for()


def people_with_a_pause(page, world):
    world.membership.paused_at = world.now
    world.membership.pause_reason = "10 skips in a row"
    world.membership.save()
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_text("10 skips in a row").wait_for()


def refused_invitation(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_label("E-mail address").fill("nora")
    page.get_by_role("button", name="Send the invitation").click()
    page.get_by_text("There is a problem").wait_for()


def refused_join(page, world):
    allow_problem(page, "status of 422")
    page.goto(invitation_link(world.invitation))
    page.get_by_label("Password").fill("12345678")
    page.get_by_role("button", name="Create account and join").click()
    page.get_by_text("There is a problem").wait_for()


def wrong_account(page, world):
    allow_problem(page, "status of 403")
    page.goto(invitation_link(world.invitation))
    page.get_by_role("button", name="Sign out and open the link again").wait_for()


def own_invitation(page, world):
    world.people["annotator"].email = world.invitation.email
    world.people["annotator"].save()
    page.goto(invitation_link(world.invitation))
    page.get_by_role("button", name="Join as Annotator Ash").wait_for()


def revoked_invitation(page, world):
    allow_problem(page, "status of 410")
    world.invitation.revoked_at = world.now
    world.invitation.save()
    page.goto(invitation_link(world.invitation))
    page.get_by_text("This invitation was withdrawn.").wait_for()


def refused(address, status):
    """Return a function that opens a page which answers with this error."""

    def go(page, world):
        allow_problem(page, f"status of {status}")
        assert page.goto(address(world)).status == status

    return go


def menu(page, world):
    page.set_viewport_size({"width": 600, "height": 800})
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="My work").wait_for()


def work_with_problems(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.fill("#question-1", "Where did another tunnel open in 2015")
    page.fill("#answer-1", "1843 / 1869")
    page.click("[data-submit]")
    page.get_by_text("There is a problem").wait_for()
    page.locator(".keep summary").first.click()


def work_ended(state):
    """Return a function that opens the page of work that is no longer in hand."""

    def go(page, world):
        held = state == "parked"
        Assignment.objects.filter(pk=world.assignment.pk).update(
            state=state,
            ended_at=None if held else world.now,
            lease_ends_at=world.now if held else None,
            submitted_at=world.now if state == "submitted" else None,
            park_reason="Which town?" if held else "",
            draft={"pairs": [{"question": "When did it open?", "answers": [{"text": "1843"}]}]},
        )
        page.goto(reverse("work-page", args=[world.assignment.pk]))
        page.get_by_text("When did it open?").wait_for()

    return go


def long_answer_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[world.long.assignment.pk]))
    page.fill("#long-answer", "It had a party on 25 March 1843.")
    page.fill("#page-1", "Thames Tunnel")
    page.click("[data-submit]")
    page.get_by_text("There is a problem").wait_for()
    page.locator(".keep summary").first.click()
    page.locator(".say summary").first.click()


def long_answer_from_the_question(page, world):
    Assignment.objects.filter(pk=world.long.assignment.pk).update(inputs="question")
    page.goto(reverse("work-page", args=[world.long.assignment.pk]))
    page.locator("#long-answer").wait_for()


def long_answer_submitted(*address):
    """Return a function that opens a page about a long answer with everything in it."""

    def go(page, world):
        text = asqa.TEXT.replace("7 December 1869", "the end of 1869")
        answer = asqa.response(text=text, said=(asqa.said(1, "the end of 1869"),))
        assignments.submit(
            assignment=world.long.assignment,
            response=answer,
            by=world.people["annotator"],
            now=world.now,
        )
        page.goto(url(*address)(world))
        page.get_by_text("the end of 1869").first.wait_for()

    return go


def my_work_with_something_parked(page, world):
    work_ended("parked")(page, world)
    page.goto(reverse("home"))
    page.get_by_role("button", name="Resume").wait_for()


def concern_decided(address):
    """The annotator's concern, after the question was excluded."""

    def go(page, world):
        concerns.decide(
            concern=world.long.concern,
            state="upheld",
            note="The article gives one opening.",
            by=world.people["researcher"],
            now=world.now,
        )
        page.goto(address(world))

    return go


def contexts_previewed(page, world):
    """Paragraphs near the threshold, pages that are missing, and a job that waits."""
    scored(world.long.waiting_question, 0.09, 0.3)
    ContextSearch.objects.create(
        question=world.long.waiting_question,
        fingerprint="0" * 32,
        pages=2,
        missing=["East London line"],
        created_at=world.now,
    )
    contexts.start(project=world.long.project, by=world.people["researcher"], now=world.now)
    page.goto(f"{reverse('project-contexts', args=[world.long.slug])}?threshold=0.2")
    page.get_by_text("Preview.", exact=True).wait_for()


def bring_refused(page, world):
    """Nothing is accepted in the other project."""
    allow_problem(page, "status of 422")
    page.goto(reverse("project-bring", args=[world.long.slug]))
    page.get_by_role("button", name="Copy the questions").click()
    page.get_by_text("has no accepted question on dev yet").first.wait_for()


def agreement_of_long_answers(page, world):
    answers = [{"long_answer": "It opened in 1843, and to trains later.", "knowledge": []}] * 2
    pairs = [{"question": "When for walkers?", "short_answers": ["1843"]}]
    record = {"ambiguous_question": "When?", "qa_pairs": pairs, "annotations": answers}
    import_questions(
        project=world.long.project,
        file=io.BytesIO(json.dumps({"dev": {"a": record, "b": record}}).encode()),
        format="asqa",
        split=None,
        finished=True,
        by=None,
        now=world.now,
    )
    agreement.up_to_date(project=world.long.project, now=world.now)
    page.goto(reverse("project-agreement", args=[world.long.slug]))
    page.get_by_text("Writers against each other").wait_for()


def contexts_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(f"{reverse('project-contexts', args=[world.long.slug])}?threshold=2")
    page.get_by_text("There is a problem").wait_for()


def long_slug(world):
    return world.long.slug


def long_work(world):
    return world.long.assignment.pk


def validation(page, world):
    page.goto(reverse("work-page", args=[validator_turn(world).pk]))
    page.get_by_text("Merged because both wrote").wait_for()


def validation_with_suggestions(page, world):
    """A suggestion to look at, and one that became an answer."""
    turn = validator_turn(world)
    StagePolicy.objects.filter(pk=turn.policy_id).update(suggestions="Reader 8B")
    suggestions.store(
        question=turn.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            Suggested("pair", "When did the first London Bridge open?", ("1209",), "In 1209."),
            Suggested("answer", answers=("1967",)),
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[turn.pk]))
    page.locator("[name=verdict-1][value=correct]").check()
    page.get_by_role("button", name="Accept suggestion 1").click()
    page.get_by_text("as it was suggested").wait_for()


def long_answer_with_suggestions(page, world):
    """A passage to look at, and a draft that is in the text."""
    assignment = world.long.assignment
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions="Reader 8B")
    suggestions.store(
        question=assignment.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            Suggested("passage", text="It has two arches.", title="Thames Tunnel", path="Tunnel"),
            Suggested("long_answer", text="People walked through the tunnel before trains came."),
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[assignment.pk]))
    page.fill("#long-answer", "The Thames Tunnel has been opened more than once already.")
    page.get_by_role("button", name="Add to my text").click()
    page.get_by_text("as it was suggested").wait_for()


def suggestions_failed(page, world):
    """The panel where the job that makes suggestions has failed."""
    assignment = world.assignment
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions="Reader 8B")
    Job.objects.create(
        project=world.project,
        kind="suggest",
        state="failed",
        options={"system": "Reader 8B", "split": ""},
        created_by=world.people["admin"],
        created_at=world.now,
        ended_at=world.now,
    )
    page.goto(reverse("work-page", args=[assignment.pk]))
    page.fill("#question-1", "When did the Thames Tunnel open to the public?")
    page.fill("#answer-1", "1843")
    page.get_by_text("not available just now").wait_for()


def validation_parked(page, world):
    turn = validator_turn(world)
    Assignment.objects.filter(pk=turn.pk).update(state="parked", park_reason="Which bridge?")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_text("What you did so far").wait_for()


def claimed(page, world, *, name="claim-view"):
    """Decide the question as its one generator answered it, and go to the claim on that."""
    page.goto(reverse("home"))
    Assignment.objects.filter(pk=world.assignment.pk).update(
        state="submitted", submitted_at=world.now, ended_at=world.now, lease_ends_at=None
    )
    annotation = Annotation.objects.create(
        assignment=world.assignment,
        question=world.question,
        author=world.people["annotator"],
        kind="multiple",
        created_at=world.now,
    )
    for place, (text, answer) in enumerate(
        [("When did it open to people?", "1843"), ("When did it open to trains?", "1869")]
    ):
        annotation.pairs.create(position=place, question=text).answers.create(
            position=0, text=answer
        )
    decision = Decision.objects.create(
        question=world.question,
        source="staff",
        outcome="edited",
        change="edit",
        reason="Trains are a question of their own.",
        covers=[annotation.pk],
        created_at=world.now,
    )
    first = decision.accepted.create(position=0, kind="multiple")
    for place, (text, answer) in enumerate(
        [("When did it first open to people?", "1843"), ("When did it reopen?", "2010")]
    ):
        pair = first.pairs.create(position=place)
        pair.questions.create(position=0, text=text)
        pair.answers.create(position=0, text=answer)
    world.question.state = "edited"
    world.question.save()
    if name == "submission-view":
        page.goto(reverse(name, args=[world.assignment.pk]))
    elif name in ("submission-list", "home"):
        page.goto(reverse(name))
    else:
        page.goto(reverse(name, args=[world.slug, world.thread.pk]))
    page.get_by_role("heading", level=1).wait_for()


def claimed_page(name):
    return lambda page, world: claimed(page, world, name=name)


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


def expert_judging(page, world):
    """An expert with an answer in hand, before anything is chosen."""
    [item] = experts.make_items(world.project, [factories.make_question(world.project)], raters=1)
    task = item.question.tasks.get(unit=item.unit)
    turn = factories.make_assignment(task, world.people["expert"])
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("Choose one of the three.").wait_for()


def ambiguity_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("ambiguity-sample", args=[world.slug]))
    page.fill("#id_size", "0")
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("There is a problem").wait_for()


def types_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("ambiguity-label", args=[world.slug, world.ambiguity.position]))
    page.get_by_role("button", name="Save and go to the next").click()
    page.get_by_text("There is a problem").wait_for()


def consensus_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("consensus-item", args=[world.slug, world.panel_item.pk]))
    page.get_by_role("button", name="Save and go to the next").click()
    page.get_by_text("There is a problem").wait_for()


def consensus_to_change(page, world):
    experts.agree(world.panel_item, world.people["expert"])
    page.goto(reverse("consensus-item", args=[world.slug, world.panel_item.pk]))
    page.get_by_role("button", name="Change the consensus").wait_for()


def agreement_with_figures(page, world):
    audited(page, world)
    agreement.up_to_date(project=world.project, now=world.now)
    page.goto(reverse("project-agreement", args=[world.slug]))
    page.get_by_text("Experts against what is accepted").wait_for()


def suggestions_used(page, world):
    """A suggestion that was accepted, and a question that is held out."""
    policy = world.policy
    policy.suggestions, policy.suggestions_held_out = "Reader 8B", 0
    policy.save()
    work = world.assignment
    suggestions.store(
        question=work.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[Suggested("answer", answers=("1843",))],
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


def scores_of_systems(page, world):
    scoring.renew(world.project, world.system.outputs.get().question.split, now=world.now)
    page.goto(reverse("system-scores", args=[world.slug]))
    page.get_by_role("heading", name="Leaderboard").wait_for()


def scores_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("system-scores", args=[world.slug]))
    page.get_by_role("button", name="Store").click()
    page.get_by_text("Choose a file.").first.wait_for()


def report_of_agreement(page, world):
    report = report_of(world.project, "agreement")
    reports.up_to_date(project=world.project, report=report, filters=Filters(), now=world.now)
    page.goto(reverse("project-report", args=[world.slug, "agreement"]))


def report_of_the_project(page, world):
    report = report_of(world.project, "project")
    reports.up_to_date(project=world.project, report=report, filters=Filters(), now=world.now)
    page.goto(reverse("project-report", args=[world.slug, "project"]))


def rows_of_a_panel(page, world):
    report_of_agreement(page, world)
    page.goto(reverse("report-rows", args=[world.slug, "agreement", "disagreements"]))


def report_of_every_kind(page, world):
    report = replace(report_of(world.project, "agreement"), panels=kinds.every_kind().panels)
    reports.up_to_date(project=world.project, report=report, filters=Filters(), now=world.now)
    page.goto(reverse("project-report", args=[world.slug, "agreement"]))


def agreement_out_of_date(page, world):
    agreement_with_figures(page, world)
    audit.record("project_changed", world.project, by=None, now=world.now, project=world.project)
    page.reload()
    page.get_by_text("new figures are being computed").wait_for()


def agreement_failed(page, world):
    jobs.end(
        job=agreement.start(project=world.project, by=world.people["researcher"], now=world.now),
        state="failed",
        now=world.now,
        problem="The job stopped at splits 0 because of a fault in the program.",
    )
    page.goto(reverse("project-agreement", args=[world.slug]))
    page.get_by_text("The figures could not be computed").wait_for()


def new_study(page, world):
    page.goto(reverse("study-list", args=[world.slug]))
    page.get_by_role("button", name="New study").click()
    page.get_by_text("Choose at least two systems.").first.wait_for()


def study_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("study-view", args=[world.slug, world.draft_study.pk]))
    page.get_by_label("Number of questions").fill("0")
    page.get_by_role("button", name="Remove Fluency").click()
    page.get_by_role("button", name="Add a criterion").click()
    page.get_by_role("button", name="Start the study").click()
    page.get_by_text("There is a problem").wait_for()


def judged_study(world):
    """A study with stored results."""
    study = make_judged(world.long.assignment.project)
    results.store(results.compute(study=study, now=world.now))
    return study


def study_results(page, world):
    study = judged_study(world)
    page.goto(reverse("study-results", args=[study.project.slug, study.pk]))
    page.get_by_text("Marks as a table").click()


def study_judgments(page, world):
    study = judged_study(world)
    page.goto(reverse("study-results", args=[study.project.slug, study.pk]))
    with page.expect_navigation():
        page.locator(".heatmap a").first.click()


def audit_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-audit", args=[world.slug]))
    page.get_by_role("button", name="Draw").click()
    page.get_by_text("There is a problem").wait_for()


def claim_change_refused(page, world):
    allow_problem(page, "status of 422")
    claimed(page, world, name="claim-change")
    page.get_by_role("button", name="Add an answer").click()
    page.locator("[name$=-answer]").last.wait_for()
    page.get_by_label("Why").fill("One is missing.")
    page.get_by_role("button", name="Save the change").click()
    page.get_by_text("There is a problem").wait_for()


def faq_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-faq", args=[world.slug]))
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("There is a problem").wait_for()


def work_with_suggestions(page, world):
    """A suggestion to look at, one in a pair and a dismissed one."""
    StagePolicy.objects.filter(pk=world.assignment.policy_id).update(suggestions="Reader 8B")
    asked = ("to trains", "after its repairs", "to walkers")
    suggestions.store(
        question=world.assignment.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            Suggested("pair", f"When did the Thames Tunnel open {words}?", (f"18{at}9",), "It did.")
            for at, words in enumerate(asked)
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.fill("#question-1", "When did the Thames Tunnel open to the public?")
    page.fill("#answer-1", "1843")
    page.get_by_role("button", name="Accept suggestion 1").click()
    page.get_by_text("as it was suggested").wait_for()
    page.get_by_role("button", name="Dismiss suggestion 2").click()
    page.get_by_text("Say why").click()


def park_with_faq(page, world):
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.get_by_role("button", name="Park").first.click()
    page.get_by_label("What is unclear?").press_sequentially("nicknames")
    page.locator("#park-faq").get_by_text("The FAQ may have it").wait_for()


def page_as_read(page, world):
    visit = factories.make_visit(world.assignment)
    page.goto(reverse("visit-view", args=[world.slug, visit.pk]))
    page.get_by_text("It opened on 25 March 1843.").wait_for()


def exam_checked(page, world):
    page.goto(reverse("attempt-item", args=[world.attempt.pk, 1]))
    page.fill("#question-1", "When did the Thames Tunnel open to walkers")
    page.get_by_role("button", name="Check my response").click()
    page.get_by_text("Not a match yet").first.wait_for()


def exam_handed_in(page, world):
    exams.write(world.attempt, [*exams.RIGHT[:2], exams.WRONG], by=world.people["annotator"],
                now=world.now)  # fmt: skip
    attempts.submit(attempt=world.attempt, by=world.people["annotator"], now=world.now)


def exam_result(page, world):
    exam_handed_in(page, world)
    page.goto(reverse("attempt-view", args=[world.attempt.pk]))
    page.get_by_text("The team is reviewing your attempt").wait_for()


def exam_to_grade(page, world):
    exam_handed_in(page, world)
    page.goto(reverse("qualification-grade", args=[world.slug, world.exam.pk, world.attempt.pk]))
    page.get_by_label("Verdict on item 1").wait_for()


def exam_demanded(page, world):
    world.project.policies.update(qualification=world.exam)
    Assignment.objects.all().delete()
    page.goto(reverse("home"))
    page.get_by_text("Pass the qualification first").wait_for()


def system_with_mismatches(page, world):
    """A system with settings, whose last import did not match everything."""
    answers = {world.question.external_id: "It opened in 1843.", "other-1": "Two.", "other-2": "3"}
    system, _ = systems.import_outputs(
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


def reference_refused(page, world):
    """Both forms, one with a problem."""
    allow_problem(page, "status of 422")
    assignments.submit(
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
    # name, persona, address of the world (or a function of (page, world) that goes there)
    ("sign in", "anonymous", url("account_login")),
    ("sign in refused", "anonymous", refused_sign_in),
    ("sign in, too many attempts", "anonymous", too_many_attempts),
    ("sign out", "annotator", url("account_logout")),
    ("account switched off", "anonymous", url("account_inactive")),
    ("reset password", "anonymous", url("account_reset_password")),
    ("reset password, sent", "anonymous", url("account_reset_password_done")),
    ("choose a new password", "anonymous", choose_password),
    ("reset password, done", "anonymous", url("account_reset_password_from_key_done")),
    ("change password", "annotator", url("account_change_password")),
    ("account", "annotator", url("account-settings")),
    ("account with a new token", "annotator", new_token),
    ("nothing here", "annotator", refused(lambda world: "/nowhere/", 404)),
    ("not possible", "annotator", refused(url("project-people", slug), 403)),
    ("menu on a narrow screen", "annotator", menu),
    ("people, for admins", "admin", people_with_a_pause),
    ("people, for researchers", "researcher", people_with_a_pause),
    ("people, invitation refused", "admin", refused_invitation),
    ("invitation", "anonymous", lambda world: invitation_link(world.invitation)),
    ("invitation, form refused", "anonymous", refused_join),
    ("invitation, own account", "annotator", own_invitation),
    ("invitation, wrong account", "stranger", wrong_account),
    ("invitation, revoked", "anonymous", revoked_invitation),
    ("my work", "annotator", url("home")),
    ("my work, parked", "annotator", my_work_with_something_parked),
    ("first page after joining", "annotator", url("project-start", slug)),
    ("home of a researcher", "researcher", team_home),
    ("my work, first day", "stranger", url("home")),
    ("work", "annotator", url("work-page", lambda world: world.assignment.pk)),
    ("work, refused", "annotator", work_with_problems),
    ("work, suggestions", "annotator", work_with_suggestions),
    ("work, suggestions failed", "annotator", suggestions_failed),
    ("long answer, suggestions", "annotator", long_answer_with_suggestions),
    ("validation, suggestions", "validator", validation_with_suggestions),
    ("work, parked", "annotator", work_ended("parked")),
    ("work, submitted", "annotator", work_ended("submitted")),
    ("work, expired", "annotator", work_ended("expired")),
    ("long answer", "annotator", url("work-page", long_work)),
    ("long answer, refused", "annotator", long_answer_refused),
    ("long answer, from the question", "annotator", long_answer_from_the_question),
    ("long answer, ended", "annotator", long_answer_submitted("work-page", long_work)),
    ("long answer, its result", "annotator", long_answer_submitted("submission-view", long_work)),
    (
        "project, question with a long answer",
        "admin",
        long_answer_submitted("question-view", long_slug, lambda w: w.long.question.pk),
    ),
    ("validation", "validator", validation),
    ("validation, parked", "validator", validation_parked),
    ("work, guidelines", "annotator", url("work-guidelines", lambda w: w.assignment.pk)),
    ("concern, one's own", "annotator", url("work-concern", long_work)),
    ("concern, decided", "annotator", concern_decided(url("work-concern", long_work))),
    ("my work, a concern decided", "annotator", concern_decided(url("home"))),
    ("concerns", "admin", url("concern-list", long_slug)),
    ("concerns, decided", "admin", concern_decided(url("concern-list", long_slug))),
    ("contexts", "researcher", url("project-contexts", long_slug)),
    ("contexts, previewed", "researcher", contexts_previewed),
    ("contexts, refused", "researcher", contexts_refused),
    ("project of long answers, overview", "researcher", url("project-overview", long_slug)),
    ("questions from another project", "researcher", url("project-bring", long_slug)),
    ("questions from another project, refused", "researcher", bring_refused),
    ("agreement of long answers", "researcher", agreement_of_long_answers),
    ("agreement of long answers, nothing yet", "researcher", url("project-agreement", long_slug)),
    (
        "project, question with a concern",
        "admin",
        url("question-view", long_slug, lambda w: w.long.question.pk),
    ),
    ("projects", "admin", url("project-list")),
    ("project, overview for admins", "admin", url("project-overview", slug)),
    ("project, overview for annotators", "annotator", url("project-overview", slug)),
    ("project, questions", "admin", url("project-questions", slug)),
    ("project, question", "admin", question_with_an_answer),
    ("project, a page as it was read", "admin", page_as_read),
    ("project, guidelines", "admin", url("project-guidelines", slug)),
    ("project, rules", "admin", url("project-rules", slug)),
    ("project, stuck questions", "researcher", stuck_questions),
    ("project, log", "admin", url("project-log", slug)),
    ("project, duplicate", "researcher", url("project-duplicate", slug)),
    ("project, policies", "researcher", url("project-policies", slug)),
    ("project, settings", "admin", url("project-settings", slug)),
    ("pay", "annotator", pay_of("pay-mine")),
    ("pay, for staff", "researcher", pay_of("project-pay", slug)),
    ("pay, of a person", "researcher", pay_of("pay-person", slug, annotator)),
    ("pay, by project", "admin", pay_of("pay-projects")),
    ("project, policy", "admin", url("policy-change", slug, lambda world: world.policy.pk)),
    ("project, new", "admin", url("project-create")),
    ("my work, qualification first", "annotator", exam_demanded),
    ("qualifications", "admin", url("qualification-list", slug)),
    ("qualification", "annotator", url("qualification-start", slug, lambda w: w.exam.pk)),
    ("qualification, team", "admin", url("qualification-view", slug, lambda w: w.exam.pk)),
    (
        "qualification, a draft",
        "admin",
        url("qualification-view", slug, lambda w: w.writing.pk),
    ),
    (
        "qualification, item",
        "admin",
        url("qualification-item", slug, lambda w: w.writing.pk, lambda w: w.writing_item.pk),
    ),
    (
        "qualification, preview",
        "admin",
        url("qualification-preview", slug, lambda w: w.writing.pk, lambda w: w.writing_item.pk),
    ),
    ("qualification, grading", "admin", exam_to_grade),
    *training_pages.PAGES,
    ("attempt, item checked", "annotator", exam_checked),
    ("attempt, looked over", "annotator", url("attempt-view", lambda w: w.attempt.pk)),
    ("attempt, result", "annotator", exam_result),
    ("attempt, Wikipedia", "annotator", url("attempt-search", lambda w: w.attempt.pk)),
    ("job, done", "researcher", url("job-detail", slug, lambda world: world.job.pk)),
    ("job, failed", "researcher", failed_job),
    ("my submissions", "annotator", claimed_page("submission-list")),
    ("my submissions, one", "annotator", claimed_page("submission-view")),
    ("my work, with news", "annotator", claimed_page("home")),
    ("work, park with the FAQ", "annotator", park_with_faq),
    ("project, agreement", "researcher", agreement_with_figures),
    ("project, agreement, nothing yet", "researcher", url("project-agreement", slug)),
    ("report", "researcher", report_of_agreement),
    ("report, project", "researcher", report_of_the_project),
    ("report, rows of a panel", "researcher", rows_of_a_panel),
    ("report, every kind of picture", "researcher", report_of_every_kind),
    ("report, being computed", "researcher", url("project-report", slug, lambda _: "agreement")),
    ("project, agreement, out of date", "researcher", agreement_out_of_date),
    ("project, agreement, failed", "researcher", agreement_failed),
    ("project, choose an export", "researcher", url("export-page", slug)),
    ("project, import judgments refused", "researcher", judgments_refused),
    ("project, systems", "researcher", url("system-list", slug)),
    ("project, scores of systems", "researcher", scores_of_systems),
    ("project, scores being computed", "researcher", url("system-scores", slug)),
    ("project, scores refused", "researcher", scores_refused),
    ("project, a system", "researcher", system_with_mismatches),
    ("project, add a system", "researcher", reference_refused),
    ("project, run a baseline", "researcher", url("system-run", slug)),
    ("project, suggest answers", "researcher", url("suggestion-run", slug)),
    ("project, suggestions, none yet", "researcher", url("suggestion-report", slug)),
    ("project, suggestions", "researcher", suggestions_used),
    ("project, audit", "researcher", url("project-audit", slug)),
    ("project, audit refused", "researcher", audit_refused),
    ("project, studies", "researcher", url("study-list", slug)),
    ("study, new", "researcher", new_study),
    ("study, draft", "researcher", url("study-view", slug, lambda world: world.draft_study.pk)),
    ("study, refused", "researcher", study_refused),
    ("study, sample", "researcher", url("study-sample", slug, lambda world: world.study.pk)),
    ("study, running", "admin", url("study-view", slug, lambda world: world.study.pk)),
    ("study, results", "researcher", study_results),
    (
        "study, no results yet",
        "researcher",
        url("study-results", slug, lambda world: world.study.pk),
    ),
    ("study, judgments of two systems", "researcher", study_judgments),
    ("project, audit sample", "admin", audited),
    ("expert judgment, refused", "expert", expert_judging),
    ("types of ambiguity", "researcher", url("ambiguity-sample", slug)),
    ("types of ambiguity, refused", "researcher", ambiguity_refused),
    (
        "types of a question",
        "researcher",
        url("ambiguity-label", slug, lambda world: world.ambiguity.position),
    ),
    ("types of a question, refused", "researcher", types_refused),
    ("consensus", "expert", url("consensus-list", slug)),
    ("consensus, for staff", "researcher", url("consensus-list", slug)),
    ("consensus, refused", "expert", consensus_refused),
    ("consensus, to change", "expert", consensus_to_change),
    ("project, claims", "researcher", url("claim-list", slug)),
    ("project, claim", "researcher", claimed_page("claim-view")),
    ("project, claim changed", "researcher", claimed_page("claim-change")),
    ("project, claim change refused", "researcher", claim_change_refused),
    ("project, FAQ", "annotator", url("project-faq", slug)),
    ("project, FAQ for staff", "researcher", url("project-faq", slug)),
    ("project, FAQ refused", "researcher", faq_refused),
    ("project, FAQ entry", "researcher", url("faq-change", slug, lambda w: w.faq_entry.pk)),
    ("snapshots", "staff", url("wikipedia:snapshot-list")),
    ("API", "researcher", url("api-docs")),
]


@pytest.mark.parametrize(
    ("persona", "address"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES]
)
def test_page(page, world, persona, address):
    sign_in(page, world.people[persona])
    if address.__code__.co_argcount == 2:
        address(page, world)
    else:
        response = page.goto(address(world))
        assert response.status < 400, f"{page.url} answers {response.status}"
    page.wait_for_load_state()
    assert page.locator("h1").first.is_visible()  # what has no size, axe passes over
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=theme)
    check_reflow(page)


def test_every_name_is_there_once():
    names = [row[0] for row in PAGES]
    assert len(names) == len(set(names))
