"""One small project with somebody in every role and a row of every noun a URL may name.

The tests that walk all URLs and all pages build their addresses from it. Add an attribute
here when your URL needs a row that is not there yet.
"""

import datetime as dt
from types import SimpleNamespace

from django.utils import timezone

from annotation.long_answers.concerns import services as concerns_services
from annotation.models import FaqEntry, Invitation, Job, Thread, WalkThrough, Webhook
from annotation.qualifications import attempts
from crowds.services import participations
from modeling.models import JudgeModel
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.qualifications import helpers as exams
from tests.crowds import factories as crowd
from tests.evaluation import factories as evaluation
from tests.evaluation.benchmark import scenes
from tests.evaluation.consensus import experts
from validation.models import AuditSample, Ruling

ROLES = ("annotator", "validator", "judge", "expert", "researcher", "admin")
# Who walks: nobody, somebody of no project, each role, and staff of the installation.
PERSONAS = ("anonymous", "stranger", *ROLES, "staff")


def make_world(slug="crossings"):
    """Return the rows, with `people`: persona -> user (None for anonymous)."""
    now = timezone.now()
    project = factories.make_project(slug=slug)
    people = {
        "anonymous": None,
        "stranger": factories.make_user(name="Stan Stone"),
        "staff": factories.make_user(name="Stella Stead", is_staff=True),
    }
    for role in ROLES:
        people[role] = factories.make_member(project, role, name=f"{role.title()} Ash")
    tasks = [factories.make_task(project), factories.make_task(project)]
    assignment = factories.make_assignment(tasks[0], people["annotator"])
    thread = _claim(assignment, now)
    return SimpleNamespace(
        now=now,
        project=project,
        slug=project.slug,
        snapshot=project.snapshot,
        policy=project.policies.get(split="dev"),
        people=people,
        question=tasks[0].question,
        task=tasks[0],
        waiting_task=tasks[1],
        assignment=assignment,
        thread=thread,
        ruling=Ruling.objects.create(
            thread=thread,
            verdict="upheld",
            reason="The article says so.",
            made_by=people["researcher"],
            created_at=now,
        ),
        feedback=factories.make_feedback(assignment, people["researcher"], tag="good", now=now),
        faq_entry=FaqEntry.objects.create(
            project=project,
            question="Do nicknames count?",
            answer="Where the **article** has them.",
            position=0,
            changed_by=people["researcher"],
            created_at=now,
            changed_at=now,
        ),
        **_studies(project, people["researcher"]),
        **_label(_system(tasks[0].question), tasks[0].question),
        sample=_sample(tasks[1].question, people["researcher"], now),
        ambiguity=evaluation.make_ambiguity(tasks[0].question),
        panel_item=_panel(tasks[1].question, people["expert"]),
        **_exam(project, people, now),
        **_crowd(project, now),
        long=_long(project, people, now),
        membership=project.memberships.get(role="annotator"),
        invitation=Invitation.objects.create(
            project=project,
            email="nora@example.org",
            roles=["annotator"],
            invited_by=people["admin"],
            created_at=now,
            expires_at=now + dt.timedelta(days=7),
        ),
        **_public(project, people, now),
        webhook=Webhook.objects.create(
            project=project,
            url="https://lab.example/ambit",
            secret="s3cret",
            created_by=people["admin"],
            created_at=now,
        ),
        job=Job.objects.create(
            project=project,
            kind="import",
            state="done",
            created_by=people["researcher"],
            created_at=now,
            ended_at=now,
        ),
        training=Job.objects.create(
            project=project,
            kind="training",
            state="done",
            options={"key": "ours"},
            result={"metric": "F1", "loss": [[1, 2.5], [2, 1.5]], "dev": [[2, 0.5]]},
            created_by=people["researcher"],
            created_at=now,
            ended_at=now,
        ),
    )


def _public(project, people, now):
    """An open page with a question, the stranger's team with an entry on the list, and an
    invitation into it.
    """
    page = scenes.make_benchmark(project, now)
    page.released_questions.create(
        position=1,
        external_id="q1",
        split="train",
        question="When did the bridge open?",
        is_multiple=False,
        shown=[["", ["1843"]]],
        pages=[{"title": "Bridge", "revision": 7, "url": "https://en.wikipedia.org/wiki/Bridge"}],
        record="{}",
        search="When did the bridge open? 1843",
    )
    seat = scenes.make_seat(page, "Reds", people["stranger"], now)
    entry = seat.team.entries.create(
        name="BART",
        sent_by=people["stranger"],
        sent_at=now,
        year=now.year,
        month=now.month,
        month_place=1,
        year_place=1,
        state="scored",
        shown="named",
        figures={"f1_answer": {"value": 41.3, "low": 38.2, "high": 44.1}},
        measures={"answers": 1},
        scored_at=now,
    )
    invited = scenes.invite(page, people["admin"], now)
    return {"benchmark": page, "entry": entry, "invited_seat": invited}


def _system(question):
    """A system with an answer to the question, which no study uses."""
    system = evaluation.make_system(question.project, "Fusion reader", options={"passages": 5})
    evaluation.make_output(system, question)
    return system


def _label(system, question):
    """The system, and a sample of its answers that two people label, with one item."""
    sample = evaluation.make_label_sample(question.project, "predictions", 2, system=system)
    return {"system": system, "label_item": evaluation.make_label_item(sample, question)}


def _sample(question, by, now):
    """A sample of the audit with one question, for which nobody was asked yet."""
    sample = AuditSample.objects.create(
        project=question.project,
        split=question.split,
        population="accepted",
        seed=1,
        drawn_from=1,
        drawn_by=by,
        created_at=now,
    )
    sample.items.create(question=question, position=0)
    return sample


def _studies(project, by):
    """A draft, and a running study whose only item nobody has judged, of the same two systems; a
    draft that was deleted; a judge model of the running one, which nobody allows to be asked.
    """
    systems = [evaluation.make_system(project, name) for name in ("Amber", "Blue")]
    question = factories.make_question(project)
    for system in systems:
        evaluation.make_output(system, question)
    fields = {"size": 1, "accuracy": False}
    draft = evaluation.make_study(project, systems, state="draft", **fields)
    running = evaluation.make_study(project, systems, **fields)
    evaluation.make_item(running, question, *systems)
    deleted = evaluation.make_deleted_draft(project, by)
    judge_model = JudgeModel.objects.create(
        study=running, talker="endpoint", model="Oracle-9", host="models.example.org", prompt=1,
        added_by=by, added_at=running.created_at,
    )  # fmt: skip
    return {
        "draft_study": draft,
        "study": running,
        "deleted_draft": deleted,
        "judge_model": judge_model,
    }


def _panel(question, expert):
    """An answer of a study that its only expert has judged."""
    [item] = experts.make_items(question.project, [question], raters=1)
    experts.judge(item, expert, "debatable")
    return item


def _exam(project, people, now):
    """A qualification being written, one that is open, and an attempt of the annotator at it."""
    by = people["researcher"]
    writing = exams.make(project, by, now, title="Being written", opened=False)
    exam = exams.make(project, by, now)
    trained = exams.make(project, by, now, title="With a walk-through", walk_through=True)
    return {
        "trained": trained,
        "walk": WalkThrough.objects.create(
            qualification=trained,
            user=people["judge"],
            held_on=now.date(),
            held_by=by,
            notes="Name every disambiguation.",
            created_at=now,
        ),
        "writing": writing,
        "writing_item": writing.items.first(),
        "exam": exam,
        "attempt": attempts.start_attempt(qualification=exam, by=people["annotator"], now=now),
    }


def _crowd(project, now):
    """A recruitment of personal links, and a participant who has ended without a question."""
    recruitment = crowd.make_recruitment(
        project, title="Pilot in June", checks=crowd.CHECKS, tasks=0
    )
    participation = crowd.start(recruitment)
    participations.end_participation(participation=participation, status="completed", now=now)
    return {"recruitment": recruitment, "participation": participation}


def _long(beside, people, now):
    """A project of long answers with the same people: the annotator writes, and doubts a
    disambiguation.

    The researcher has raised a concern about a second question.
    """
    project = asqa.make_project(
        slug=f"long-{beside.slug}", snapshot=beside.snapshot, title="Long crossings"
    )
    for role in ROLES:
        factories.make_member(project, role, user=people[role])
    question, second = asqa.open_question(project, now), asqa.open_question(project, now)
    waiting = asqa.open_question(project, now)
    assignment = factories.make_assignment(question.tasks.get(), people["annotator"])
    return SimpleNamespace(
        project=project,
        slug=project.slug,
        policy=project.policies.get(split="dev"),
        question=question,
        waiting_question=waiting,
        assignment=assignment,
        concern=concerns_services.raise_concern(
            assignment=assignment,
            disambiguations=[1],
            reason="Trains ran through it earlier, too.",
            by=people["annotator"],
            now=now,
        ),
        team_concern=concerns_services.raise_as_staff(
            question=second,
            disambiguations=[],
            reason="Both disambiguations are one.",
            by=people["researcher"],
            now=now,
        ),
    )


def _claim(assignment, now):
    """A claim of the annotator that staff have written to."""
    thread = Thread.objects.create(
        assignment=assignment,
        project=assignment.project,
        kind="claim",
        waiting_since=now,
    )
    thread.messages.create(
        by_staff=False, author=assignment.user, text="1843 is in the article.", created_at=now
    )
    staff = assignment.project.memberships.get(role="researcher").user
    thread.messages.create(
        by_staff=True, author=staff, receiver=assignment.user, text="We look.", created_at=now
    )
    return thread
