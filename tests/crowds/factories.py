"""Rows for tests of crowds: a consent page, a recruitment, people who come by its links."""

import datetime as dt

from django.urls import reverse
from django.utils import timezone

from annotation.work import assignments
from crowds.models import Briefing, Recruitment
from crowds.platforms import Arrival
from crowds.services import participations
from tests import factories
from tests.annotation.work.helpers import easy, multiple, read_a_page
from wikipedia.models import ShownPage

CONSENT = "## What you will do\n\nYou will **answer** questions."
FORM = """How old are you?
- Under 18 (screen out)
- 18 to 34
- 35 or older

Country you live in
"""
CHECKS = """Which of these is a colour?
- Red (right)
- Monday
- Seven
"""
WHO = {"institution": "Department of Questions", "contact": "Kim Keen, kim@questions.example"}
PID, SESSION, STUDY = "5f" * 12, "6a" * 12, "7b" * 12
ANYONE = {"adult": "on", "agreed": "on", "press": "agree"}


def make_briefing(project, consent=CONSENT, form=FORM):
    newest = project.briefings.order_by("-version").first()
    return Briefing.objects.create(
        project=project,
        version=newest.version + 1 if newest else 1,
        consent=consent,
        form=form,
        **WHO,
        created_at=timezone.now(),
    )


def make_recruitment(project, questions=2, tasks=None, **fields):
    """A recruitment with as many questions ready as two people need."""
    if not project.briefings.exists():
        make_briefing(project)
    if tasks != 0:
        easy(project)
    for _ in range(questions if tasks is None else tasks):
        factories.make_task(project)
    defaults = {
        "title": "Answers in June",
        "platform": "personal",
        "stage": "generation",
        "questions": questions,
        "places": 10,
        "minutes": 60,
        "about_minutes": 15,
        "reward": "4.50",
        "ends_at": timezone.now() + dt.timedelta(days=7),
        "created_at": timezone.now(),
    }
    if fields.get("platform", "personal") != "personal":
        defaults |= {"code": "C1DONE", "code_screened_out": "C2OUT"}
    return Recruitment.objects.create(project=project, **defaults | fields)


def link_of(recruitment, external_id="p-1", days=7):
    ends_at = timezone.now() + dt.timedelta(days=days)
    return reverse(
        "participant-link", args=[recruitment.build_link(external_id, ends_at).signed_token()]
    )


def open_link(recruitment, **query):
    """The link of a platform, as it fills it in."""
    address = reverse("participant-link", args=[recruitment.build_link().signed_token()])
    values = {"PROLIFIC_PID": PID, "SESSION_ID": SESSION, "STUDY_ID": STUDY} | query
    return f"{address}?" + "&".join(f"{name}={value}" for name, value in values.items())


def start(recruitment, external_id="p-1", session="", now=None, ready=True):
    """A participant, at their first question if `ready`."""
    now = now or timezone.now()
    row = participations.start_participation(
        recruitment=recruitment, arrival=Arrival(external_id, session), now=now
    )
    if ready:
        said = {"How old are you?": "18 to 34", "Country you live in": "Ireland"}
        participations.save_answers(participation=row, answers=said, now=now)
        participations.note_instructions_read(participation=row, now=now)
        row.refresh_from_db()
    return row


def read(turn, now):
    """Log that a page was opened, on which the answers are."""
    text = "The Thames Tunnel opened to people on foot in 1843 and to trains in 1869."
    read_a_page(turn, now, None if ShownPage.objects.filter(text=text).exists() else text)


def work(row, number, now=None, seconds=20):
    """Answer so many questions, without the checks between them."""
    now = now or timezone.now()
    for _ in range(number):
        turn = participations.take_question(participation=row, now=now)
        read(turn, now)
        now += dt.timedelta(seconds=seconds)
        assignments.submit_response(assignment=turn, response=multiple(), by=row.user, now=now)
    return now


def finish(recruitment, external_id="p-1", **more):
    """A participant who has done everything; checks are answered rightly."""
    row = start(recruitment, external_id, session=more.pop("session", ""))
    right = more.pop("right", True)
    now = timezone.now()
    while participations.end_if_over(participation=row, now=now).status == "working":
        done = participations.list_submitted_work(row).count()
        if row.next_check is not None and row.next_check <= done:
            given = "Red" if right else "Monday"
            participations.answer_check(participation=row, given=given, now=now)
        else:
            now = work(row, 1, now, **more)
    return row
