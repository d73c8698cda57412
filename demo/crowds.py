"""Participants of the demo: people of a platform in every state, and places to try by a link."""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import User
from annotation.models import Project
from annotation.projects.services import change_policy
from crowds.models import Participation, Recruitment
from crowds.platforms import PERSONAL, PROLIFIC, Arrival
from crowds.services import participations, recruitments, reviews
from demo.round import (
    DemoProjectWork,
    simulate_reading,
    simulate_response,
    submit_response,
    work_on,
)

CONSENT = """## What you will do

You will read three short questions, look for their answers in a small Wikipedia, and write every \
answer you find. Many questions have more than one, because they can be understood in several ways.

## What we keep

Your answers, the pages you open, how long you took, and what you say on the next page. Your id is \
replaced by a pseudonym before anyone reads the answers. They may be published; nothing in them \
will point to you.

## Your choice

You can stop at any time. Until 31 December 2027 you can write to us, and we delete what you told \
us. The Ethics Board of Example University approved the study (number 2026-114).
"""
INSTITUTION = "Example University, Department of Linguistics"
CONTACT = "Demo Researcher, researcher@demo.localhost"
AGE, ENGLISH, COUNTRY = "How old are you?", "Is English your first language?", "Country you live in"
YOUNG = "Under 18"
FORM = f"""{AGE}
- {YOUNG} (screen out)
- 18 to 34
- 35 to 64
- 65 or older

{ENGLISH}
- Yes
- No, but I use it every day
- No

{COUNTRY}
"""
CHECKS = """To show that you read this, choose the third answer.
- First
- Second
- Third (right)
"""
TERMS: dict[str, Any] = {
    "questions": 3,
    "places": 20,
    "about_minutes": 15,
    "minutes": 60,
    "reward": Decimal("3.00"),
    "reward_screened_out": Decimal("0.10"),
    "checks": CHECKS,
    "fast_seconds": 60,
}
# A new participant comes as often.
STEP = dt.timedelta(minutes=70)
GIVEN = UUID("2f1c2b0e-6a52-4a55-9d6b-6c1f6f0b7a10")


@dataclass(frozen=True)
class _DemoParticipant:
    """Someone who came. `skill` and `pace` are those of the round; `end` is how they ended early,
    or "working".
    """

    age: str = "35 to 64"
    english: str = "Yes"
    country: str = "Ireland"
    done: int = 3
    skill: float = 0.9
    pace: float = 1
    right: bool = True
    end: str = ""
    comment: str = ""


PEOPLE = {
    "approved": _DemoParticipant(comment="Clear instructions, and the search is fast."),
    "bonus": _DemoParticipant(age="65 or older", country="", skill=1),
    "rejected": _DemoParticipant(english="No", country="Portugal", pace=0.1, right=False),
    "screened out": _DemoParticipant(age=YOUNG, done=0, end="screened_out"),
    "returned": _DemoParticipant(age="18 to 34", country="Kenya", done=1, end="returned"),
    "timed out": _DemoParticipant(done=2, country="Canada", end="timed_out"),
    "wrong check": _DemoParticipant(age="18 to 34", country="Malta", skill=0.7, right=False),
    "fast": _DemoParticipant(english="No, but I use it every day", country="India", pace=0.1),
    "to review": _DemoParticipant(
        country="New Zealand",
        comment="Is a nickname an answer, too? I was not sure in the second question.",
    ),
    "working": _DemoParticipant(age="18 to 34", done=1, end="working"),
}


@transaction.atomic
def load_participants(project: Project, by: User, now: dt.datetime) -> None:
    """Make consent page, recruitments and participants with their reviews, or nothing of them."""
    begun = now - len(PEOPLE) * STEP
    recruitments.publish_briefing(
        project=project, institution=INSTITUTION, contact=CONTACT, consent=CONSENT, form=FORM,
        seen=0, by=by, now=begun,
    )  # fmt: skip
    stage = recruitments.stages_for(project)[0][0]
    fields = TERMS | {"stage": stage, "ends_at": now + dt.timedelta(days=365)}
    recruitments.create_recruitment(
        project=project, by=by, now=begun,
        fields=fields | {"title": "Try it yourself", "platform": PERSONAL},
    )  # fmt: skip
    platform = {"platform": PROLIFIC, "code": "C1K7QF29", "code_screened_out": "C1SCREEN"}
    made = recruitments.create_recruitment(
        project=project, by=by, now=begun,
        fields=fields | platform | {"title": "Three questions about Wikipedia"},
    )  # fmt: skip
    # Speed is flagged here, not refused.
    change_policy(
        policy=project.policies.get(stage=stage, split="dev"), changes={"minimum_seconds": 0},
        by=by, now=begun,
    )  # fmt: skip
    work = work_on(project)
    rows = {}
    for number, (name, person) in enumerate(PEOPLE.items(), 1):
        # The last one is at work while the demo is looked at.
        since = now - dt.timedelta(minutes=12) if person.end == "working" else begun + number * STEP
        rows[name] = _took_part(made, person, number, work, since)
    _review(rows, by=by, now=now)


def _took_part(
    made: Recruitment,
    person: _DemoParticipant,
    number: int,
    work: DemoProjectWork,
    now: dt.datetime,
) -> Participation:
    """Go the way of one participant."""
    arrival = Arrival(f"{number:x}" * 24, f"{number + 1:x}" * 24, "e" * 24)
    row = participations.start_participation(recruitment=made, arrival=arrival, now=now)
    end_of_time = row.deadline
    now += dt.timedelta(seconds=40)
    said = {AGE: person.age, ENGLISH: person.english, COUNTRY: person.country}
    participations.save_answers(participation=row, answers=said, now=now)
    if person.end == "screened_out":
        return row
    participations.note_instructions_read(participation=row, now=now + dt.timedelta(seconds=50))
    row.refresh_from_db()
    for _ in range(person.done):
        now = _answer(row, person, work, now + dt.timedelta(seconds=50))
    if person.end == "returned":
        participations.end_participation(participation=row, status=person.end, now=now)
    participations.end_if_over(
        participation=row, now=end_of_time if person.end == "timed_out" else now
    )
    if person.comment:
        participations.save_comment(participation=row, text=person.comment, now=now)
    return row


def _answer(
    row: Participation, person: _DemoParticipant, work: DemoProjectWork, now: dt.datetime
) -> dt.datetime:
    """Answer the check, where one is due, and the next question; return when."""
    done = participations.list_submitted_work(row).count()
    if row.next_check is not None and row.next_check <= done:
        given = "Third" if person.right else "First"
        participations.answer_check(participation=row, given=given, now=now)
    turn = participations.take_question(participation=row, now=now)
    assert turn is not None, "the round has questions for everyone"
    now = simulate_reading(work, turn, row.user, now, pace=person.pace)
    pairs = work.pairs[turn.task.question.external_id]
    submit_response(turn, simulate_response(pairs, person.skill, work.chance), row.user, now)
    return now


def _review(rows: dict[str, Participation], *, by: User, now: dt.datetime) -> None:
    """Decide on some of them."""
    for name in ("approved", "bonus"):
        reviews.approve_participation(participation=rows[name], by=by, now=now)
    reviews.give_bonus(
        participation=rows["bonus"], amount=Decimal("1.00"), key=GIVEN, by=by, now=now,
        reason="Found every answer, with the day of each event.",
    )  # fmt: skip
    reviews.reject_participation(
        participation=rows["rejected"], leave_out=True, by=by, now=now,
        reason="The attention check was answered wrongly, and each question took less than a "
        "minute, in which its article cannot be read.",
    )  # fmt: skip
