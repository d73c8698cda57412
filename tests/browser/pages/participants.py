"""The pages of participants and of the team that recruits them."""

import datetime as dt

from django.urls import reverse
from django.utils import timezone

from crowds.models import Participation, Recruitment
from crowds.services import participations
from tests.browser.helpers import allow_problem, sign_in
from tests.browser.pages.steps import writes
from tests.crowds import factories as crowd


def link(world):
    return crowd.link_of(world.recruitment, "p-9")


def consent_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(link(world))
    page.get_by_role("button", name="Agree and go on").click()
    page.get_by_text("There is a problem").wait_for()


def declined(page, world):
    page.goto(link(world))
    page.get_by_role("button", name="No, thank you").click()
    page.get_by_text("Nothing was kept.").wait_for()


def damaged(page, world):
    allow_problem(page, "status of 400")
    page.goto("/take-part/damaged/")


def ended(page, world):
    allow_problem(page, "status of 410")
    page.goto(crowd.link_of(world.recruitment, days=-1))
    page.get_by_text("This link no longer works").wait_for()


def at(step, page, world):
    """Sign a new participant in, at a step of their way."""
    row = crowd.start(world.recruitment, "p-9", ready=step != "about")
    if step == "instructions":
        Participation.objects.filter(pk=row.pk).update(instructed_at=None)
    if step == "check":
        Participation.objects.filter(pk=row.pk).update(next_check=0)
    if step in ("completed", "returned", "timed_out", "skipped"):
        participations.end_participation(participation=row, status=step, now=timezone.now())
    sign_in(page, row.user)
    page.goto("/take-part/")
    return row


@writes
def declined_with_a_code(page, world):
    Recruitment.objects.filter(pk=world.recruitment.pk).update(
        platform="prolific", code="C1DONE", code_declined="C3NO"
    )
    world.recruitment.refresh_from_db()
    page.goto(crowd.open_link(world.recruitment))
    page.get_by_role("button", name="No, thank you").click()
    page.get_by_label("Your code").wait_for()


@writes
def stopping(page, world):
    at("questions", page, world)
    page.get_by_role("button", name="Stop taking part").click()
    page.get_by_role("heading", name="Stop taking part?").wait_for()


@writes
def skipping(page, world):
    """The question before a skip that is too many."""
    Recruitment.objects.filter(pk=world.recruitment.pk).update(skip_limit=0)
    participants_work(page, world)
    page.get_by_role("button", name="Skip", exact=True).click()
    page.get_by_label("It depends on opinion").check()
    page.get_by_role("button", name="Skip and stop").click()
    page.get_by_role("heading", name="Your part would end here").wait_for()


@writes
def agreed(page, world):
    at("about", page, world)
    page.get_by_role("link", name="What you agreed to").click()
    page.get_by_role("heading", name="What you agreed to").wait_for()


@writes
def about_refused(page, world):
    allow_problem(page, "status of 422")
    at("about", page, world)
    page.get_by_role("button", name="Go on").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def participants_work(page, world):
    Recruitment.objects.filter(pk=world.recruitment.pk).update(checks="")
    row = at("questions", page, world)
    row.recruitment.refresh_from_db()
    Participation.objects.filter(pk=row.pk).update(next_check=None)
    page.get_by_role("button", name="Go on").click()
    page.get_by_text("Question 1 of 2").wait_for()


@writes
def recruitment_to_review(page, world):
    """A platform's link, and someone with flags."""
    crowd.make_briefing(world.project)
    platform = crowd.make_recruitment(world.project, platform="prolific", tasks=0, fast_seconds=9)
    for n in range(2):
        row = crowd.start(platform, f"{n}" * 24)
        row.checks = [{"question": "Which?", "given": "Monday", "right": False, "at": ""}] * n
        row.save()
        participations.end_participation(participation=row, status="completed", now=timezone.now())
    page.goto(reverse("recruitment-view", args=[world.slug, platform.pk]))
    page.get_by_text("1 of 1 checks wrong").wait_for()


def terms_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("recruitment-add", args=[world.slug]))
    page.get_by_role("button", name="Open the recruitment").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def rejection_refused(page, world):
    allow_problem(page, "status of 422")
    row = world.participation
    row.answers = {"How old are you?": "18 to 34", "Country you live in": ""}
    row.checks = [{"question": "Which?", "given": "Monday", "right": False, "at": ""}]
    row.comment = "All clear."
    row.consented_at -= dt.timedelta(minutes=12)
    row.save()
    page.goto(reverse("participation-view", args=[world.slug, world.recruitment.pk, row.pk]))
    page.get_by_role("button", name="Reject").click()
    page.get_by_text("There is a problem").wait_for()


def _to(name):
    @writes
    def go(page, world):
        at(name, page, world)

    return go


def _team(name, *args):
    return lambda world: reverse(name, args=[world.slug, *(arg(world) for arg in args)])


def _recruitment(world):
    return world.recruitment.pk


PAGES = [
    ("participant, consent", "anonymous", link),
    ("participant, consent seen by the team", "researcher", link),
    ("participant, consent refused", "anonymous", consent_refused),
    ("participant, declined", "anonymous", declined),
    ("participant, declined with a code", "anonymous", declined_with_a_code),
    ("participant, stopping", "anonymous", stopping),
    ("participant, skipping", "anonymous", skipping),
    ("participant, what was agreed", "anonymous", agreed),
    ("participant, damaged link", "anonymous", damaged),
    ("participant, ended link", "anonymous", ended),
    *(
        (f"participant, {step}", "anonymous", _to(step))
        for step in (
            *("about", "instructions", "questions", "check", "completed", "returned"),
            *("timed_out", "skipped"),
        )
    ),
    ("participant, about refused", "anonymous", about_refused),
    ("participant, work", "anonymous", participants_work),
    ("project, recruitments", "researcher", _team("recruitment-list")),
    ("project, consent and form", "researcher", _team("briefing")),
    ("recruitment, new", "researcher", terms_refused),
    ("recruitment", "researcher", _team("recruitment-view", _recruitment)),
    ("recruitment, to review", "admin", recruitment_to_review),
    ("recruitment, terms", "researcher", _team("recruitment-change", _recruitment)),
    ("recruitment, one participant", "researcher", rejection_refused),
]
