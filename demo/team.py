"""What the team of the demo did with the finished round, and what waits for it.

So that each list that a team reads has rows: claims, questions, feedback, entries of the FAQ, an
audit, labels of ambiguity, attempts at the exam, a concern, an open invitation.
"""

import datetime as dt
import json
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from annotation.faq import services as faq_services
from annotation.feedback import services as feedback_services
from annotation.generation.known_answers import read_answers
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.long_answers.concerns import services as concerns_services
from annotation.long_answers.response import LongAnswerResponse
from annotation.models import Assignment, Membership, Project, Role, Thread
from annotation.people.invitation_services import invite_member
from annotation.qualifications import attempts
from annotation.qualifications.item_queries import item_of
from annotation.qualifications.items import Item
from annotation.questions.services import prioritise_questions
from annotation.sheets.answers import AnswerForm
from annotation.stages import registry as stages
from annotation.threads import services as threads_services
from annotation.work import assignments, drafts
from annotation.work.team_questions import park_and_ask
from demo.consent import agree_in_demo
from demo.people import DOMAIN
from demo.round import (
    NOTHING,
    SEED,
    DemoProjectWork,
    simulate_reading,
    simulate_response,
    submit_response,
    work_on,
)
from demo.studies import ANSWERS
from evaluation.labelling import services as labelling_services
from evaluation.labelling.schemes import AMBIGUITY, find_scheme
from validation.audits import services as audits_services
from validation.audits.values import AUDIT
from validation.claims import services as claims_services
from validation.outcomes.values import Status

AUDITED, ANSWERED = 6, 5
LABELLED = 8

CLAIM = "The article gives this date for the opening, in its first paragraph. I would accept both."
ASKED = "Two articles give different years. Which one counts?"
ANSWERED_WITH = (
    "The article about the thing itself, not the one that mentions it. If it contradicts itself, "
    "write both answers and say so in the note."
)
PARKED = "The page has two lists, and I do not know which of them is meant."
DRAFTED = ("When did the Thames Tunnel first open to the public?", "25 March 1843")
INVITED = ("annotator5", "Annotator Five")
WELCOME = "You know this encyclopedia well. We would like your eye on these questions."
CONCERN = "The second disambiguation asks for the same event as the first, in other words."
FAQ = (
    (
        "Is a nickname an answer of its own?",
        "No. Write the name of the article first, and the nickname as another form of the answer.",
    ),
    (
        "How long should I search before I say that there is no answer?",
        "Five minutes and three pages are enough. Say in the reason which pages you read.",
    ),
)


@transaction.atomic
def settle_round(project: Project, people: Mapping[str, User], now: dt.datetime) -> None:
    """Claim, ask, answer, praise, audit and label what was done in the finished round."""
    by = people["researcher"]
    for question, answer in FAQ:
        faq_services.add_entry(project=project, question=question, answer=answer, by=by, now=now)
    _dispute_a_result(project, people["annotator2"], now)
    thread = _ask_about_work(project, people["annotator1"], now)
    threads_services.answer_thread(thread=thread, text=ANSWERED_WITH, by=by, now=now)
    feedback_services.give_feedback(assignment=thread.assignment, tag="good", by=by, now=now)
    work = work_on(project)
    _audit(work, people, now)
    _label(work, by, now)


def _submissions(project: Project, user: User, *results: Status) -> list[Assignment]:
    rows = Assignment.objects.filter(
        project=project, user=user, stage="generation", outcome__status__in=results
    )
    return list(rows.order_by("-submitted_at"))


def _dispute_a_result(project: Project, user: User, now: dt.datetime) -> None:
    refused = _submissions(project, user, Status.INCORRECT, Status.OTHER)[0]
    claims_services.open_claim(assignment=refused, text=CLAIM, by=user, now=now)


def _ask_about_work(project: Project, user: User, now: dt.datetime) -> Thread:
    accepted = _submissions(project, user, Status.WRITTEN)[0]
    return threads_services.open_thread(
        assignment=accepted, kind=Thread.Kind.QUESTION, text=ASKED, by=user, now=now
    )


def _audit(work: DemoProjectWork, people: Mapping[str, User], now: dt.datetime) -> None:
    """Draw questions for the expert, who answers all but one."""
    project, expert = work.project, people["expert"]
    Membership.objects.create(user=expert, project=project, role=Role.EXPERT, created_at=now)
    agree_in_demo(project, expert, now)
    audits_services.draw_sample(
        project=project, split="dev", size=AUDITED, seed=SEED, by=people["researcher"], now=now
    )
    for _ in range(ANSWERED):
        turn = assignments.take_next(project=project, stage=AUDIT, by=expert, now=now)
        assert turn is not None, "the sample has questions for the expert"
        then = simulate_reading(work, turn, expert, now)
        pairs = work.pairs[turn.task.question.external_id]
        submit_response(turn, simulate_response(pairs, 0.95, work.chance), expert, then)


def _label(work: DemoProjectWork, by: User, now: dt.datetime) -> None:
    """Draw questions with several answers, and label most of them."""
    scheme = find_scheme(AMBIGUITY)
    assert scheme is not None, "it comes with Ambit"
    sample, _ = labelling_services.draw_items(
        project=work.project, scheme=scheme, split="dev", size=LABELLED + 2, by=by, now=now
    )
    kinds = ("event", "entity", "time", "property")
    for item in sample.items.order_by("position")[:LABELLED]:
        types = work.chance.sample(kinds, work.chance.choice((1, 1, 2)))
        labelling_services.label_item(item=item, categories=types, seen=None, by=by, now=now)


@transaction.atomic
def leave_work_open(projects: Mapping[str, Project], people: Mapping[str, User]) -> None:
    """Leave a question parked, an answer half written, a concern, an invitation, an exam passed."""
    now, who = timezone.now(), people["annotator2"]
    _park_a_question(projects["demo-nq"], who, now)
    _write_half_an_answer(projects["demo"], who, now)
    _pass_the_exam(projects["demo"], who, now)
    invite_member(
        project=projects["demo"], email=f"{INVITED[0]}@{DOMAIN}", roles=["annotator"],
        name=INVITED[1], message=WELCOME, by=people["admin"], now=now,
    )  # fmt: skip
    _write_long_answers(projects["demo-long"], people, now - dt.timedelta(hours=3))
    last = projects["demo-long"].questions.order_by("-pk")[0]
    concerns_services.raise_as_staff(
        question=last, disambiguations=[1], reason=CONCERN, by=people["researcher"], now=now
    )


def _park_a_question(project: Project, user: User, now: dt.datetime) -> None:
    stage = stages.of_protocol(project.protocol)[0]
    turn = assignments.take_next(project=project, stage=stage.key, by=user, now=now)
    assert turn is not None, "the project is new"
    park_and_ask(assignment=turn, reason=PARKED, by=user, now=now)


def _write_half_an_answer(project: Project, user: User, now: dt.datetime) -> None:
    turn = assignments.take_next(project=project, stage="generation", by=user, now=now)
    assert turn is not None, "the project is new"
    question, answer = DRAFTED
    half = GenerationResponse(
        kind="multiple", pairs=(WrittenPair(question, (AnswerForm(answer),)), WrittenPair())
    )
    draft = stages.get_stage("generation").sheet.dump(half)
    drafts.save_draft(assignment=turn, draft=draft, version=0, by=user, now=now)


def _pass_the_exam(project: Project, user: User, now: dt.datetime) -> None:
    """Answer every item of the first qualification with the first of its prepared answers."""
    qualification = project.qualifications.get()
    attempt = attempts.start_attempt(qualification=qualification, by=user, now=now)
    sheet = stages.get_stage(qualification.kind).sheet
    for answer in attempt.answers.select_related("item"):
        draft = sheet.dump(_prepared(item_of(answer.item)))
        attempts.save_draft(answer=answer, draft=draft, version=0, by=user, now=now)
    attempts.submit_attempt(attempt=attempt, by=user, now=now + dt.timedelta(minutes=14))


def _prepared(item: Item) -> GenerationResponse:
    """Return the first of the answers that an item accepts, as somebody would write it."""
    known = read_answers(item.expected["accepted"], "accepted")[0]
    if known.pairs:
        pairs = tuple(
            WrittenPair(pair.question.split("|")[0].strip(), (AnswerForm(pair.answers[0]),))
            for pair in known.pairs
        )
        return GenerationResponse(kind="multiple", pairs=pairs)
    if known.answers:
        return GenerationResponse(kind="single", single=(AnswerForm(known.answers[0]),))
    return GenerationResponse(kind="none", none_reason=NOTHING)


def _write_long_answers(project: Project, people: Mapping[str, User], now: dt.datetime) -> None:
    """Write two of the long answers, with the words of the study's systems that have them all."""
    texts = {row["name"]: row["answers"] for row in json.loads(ANSWERS.read_bytes())}
    last = list(project.questions.order_by("-pk").values_list("pk", flat=True)[1:3])
    prioritise_questions(
        project=project, question_ids=last, priority="FIRST", by=people["researcher"], now=now
    )
    for login, name in (("annotator1", "Human"), ("annotator2", "Reader")):
        for _ in last:
            turn = assignments.take_next(
                project=project, stage="long_answers", by=people[login], now=now
            )
            if turn is None or turn.task.question_id not in last:
                break
            then = now + dt.timedelta(minutes=11)
            text = texts[name][turn.task.question.external_id]
            submit_response(turn, LongAnswerResponse(text=text), people[login], then)
