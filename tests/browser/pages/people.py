"""The pages of people, invitations and pay."""

import datetime as dt
from uuid import uuid4

from django.urls import reverse

from accounts.models import User
from annotation.models import (
    Assignment,
    Invitation,
    Membership,
    PayEntry,
    Project,
    StagePolicy,
)
from annotation.people.invitation_services import invitation_link
from tests.browser.helpers import allow_problem
from tests.browser.pages.consent import publish
from tests.browser.pages.steps import alone, annotator, slug, url, writes


@writes
def erasing(page, world):
    User.objects.filter(pk=world.people["staff"].pk).update(is_superuser=True)
    allow_problem(page, "status of 422")
    page.goto(reverse("person-erase", args=[annotator(world)]))
    page.get_by_label("E-mail address of the person").fill("someone@example.org")
    page.get_by_role("button", name="Erase this person").click()
    page.get_by_text("not the address of this person").first.wait_for()


@writes
def erasing_refused(page, world):
    staff = world.people["staff"]
    User.objects.filter(pk=staff.pk).update(is_superuser=True)
    page.goto(reverse("person-erase", args=[staff.pk]))
    page.get_by_text("You cannot erase yourself.").wait_for()


def pay_of(name, *args):
    """A page about pay, once there is an entry of each kind and somebody is below the floor."""

    @writes
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


@writes
def people_with_a_pause(page, world):
    world.membership.paused_at = world.now
    world.membership.pause_reason = "10 skips in a row"
    world.membership.save()
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_text("10 skips in a row").wait_for()


LIST = """Nora North <nora@example.org>, annotator
olaf@example.org
annotator.14@aldermere
Eve <eve@example.org>, expert, annotator"""


def fill_list(page, world, people):
    page.goto(reverse("invitation-create", args=[world.slug]))
    page.get_by_label("One person a line").fill(people)
    page.get_by_role("button", name="Check the list").click()


def checked_list(page, world):
    fill_list(page, world, LIST)
    page.get_by_role("heading", name="4 lines: 1 to invite, 1 here").wait_for()
    page.get_by_text("There is no ending such as “.example”").wait_for()


def refused_list(page, world):
    allow_problem(page, "status of 422")
    fill_list(page, world, "")
    page.get_by_text("There is a problem").wait_for()


@writes
def invited(page, world):
    fill_list(
        page, world, f"olaf@example.org\npia@example.org\n{world.people['judge'].email}, validator"
    )
    page.get_by_role("button", name="Invite 2 and give 1 role").click()
    page.get_by_role("heading", name="2 people invited, 1 role given").wait_for()
    page.get_by_role("button", name="Copy all 2, with addresses").wait_for()


def without_work(page, world):
    page.goto(reverse("project-people", args=[world.slug]) + "?show=without-work")
    page.get_by_role("heading", name="Members").wait_for()


def chosen(page, world):
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_label("Choose Annotator Ash").check()
    page.get_by_text("1 chosen").wait_for()


def written_to(page, world):
    chosen(page, world)
    page.get_by_role("button", name="Write to them").click()
    page.get_by_role("heading", name="Write to Annotator Ash").wait_for()


@writes
def invitations_of_each_kind(page, world):
    first = world.invitation
    for number, state in enumerate(
        (
            {"opened_at": world.now},
            {"letter": "sent", "sent_at": world.now},
            {"letter": "waiting"},
            {"letter": "failed"},
            {"expires_at": world.now, "renewal_asked_at": world.now},
        )
    ):
        first.pk, first.email = None, f"n{number}@example.org"
        Invitation(**{**vars_of(first), **state}).save()
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_text("Asks for a new link").wait_for()


def vars_of(row):
    return {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }


@writes
def alone_in_project(page, world):
    Membership.objects.filter(project=world.project).exclude(user=world.people["admin"]).delete()
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_text("Only you so far.").wait_for()


@writes
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


@writes
def own_invitation(page, world):
    world.people["annotator"].email = world.invitation.email
    world.people["annotator"].save()
    page.goto(invitation_link(world.invitation))
    page.get_by_role("button", name="Join as Annotator Ash").wait_for()


@writes
def revoked_invitation(page, world):
    allow_problem(page, "status of 410")
    world.invitation.revoked_at = world.now
    world.invitation.save()
    page.goto(invitation_link(world.invitation))
    page.get_by_role("heading", name="This invitation was withdrawn").wait_for()


@writes
def whole_invitation(page, world):
    """An invitation with words of the inviter, pay, a consent text and examples."""
    publish(world)
    StagePolicy.objects.filter(project=world.project).update(pay="0.75", pay_accepted="0.10")
    world.project.guidelines.update(body="## Overview\n\nRead first.\n\n## Examples\n\nA tunnel.")
    world.invitation.message = "You know the subject well."
    world.invitation.save()
    page.goto(invitation_link(world.invitation))
    page.get_by_text("Look at examples").click()
    page.get_by_text("May your answers train models?").wait_for()


@writes
def unanswered_invitation(page, world):
    publish(world)
    allow_problem(page, "status of 422")
    page.goto(invitation_link(world.invitation))
    page.get_by_role("button", name="Create account and join").click()
    page.get_by_text("There is a problem").wait_for()


def ended_invitation(heading, **fields):
    """A link that no longer works."""

    @writes
    def go(page, world):
        allow_problem(page, "status of 410")
        values = {
            name: value(world) if callable(value) else value for name, value in fields.items()
        }
        Invitation.objects.filter(pk=world.invitation.pk).update(**values)
        page.goto(invitation_link(world.invitation))
        page.get_by_role("heading", name=heading).wait_for()

    return go


@writes
def known_invitation(page, world):
    world.people["annotator"].email = world.invitation.email
    world.people["annotator"].save()
    page.goto(invitation_link(world.invitation))
    page.get_by_role("link", name="Sign in and join").wait_for()


def a_day_ago(world):
    return world.now - dt.timedelta(days=1)


PAGES = [
    ("people, for admins", "admin", people_with_a_pause),
    ("people, for researchers", "researcher", people_with_a_pause),
    ("people, without work", "admin", without_work),
    ("people, some chosen", "admin", chosen),
    ("people, to write to", "admin", written_to),
    ("people, invitations of each kind", "admin", invitations_of_each_kind),
    ("people, nobody else", "admin", alone_in_project),
    ("people, a list to paste", "admin", url("invitation-create", slug)),
    ("people, a list refused", "admin", refused_list),
    ("people, a list checked", "admin", checked_list),
    ("people, a list invited", "admin", invited),
    ("invitation", "anonymous", alone(lambda world: invitation_link(world.invitation))),
    ("invitation, form refused", "anonymous", refused_join),
    ("invitation, own account", "annotator", own_invitation),
    ("invitation, wrong account", "stranger", wrong_account),
    ("invitation, revoked", "anonymous", revoked_invitation),
    ("invitation, everything", "anonymous", whole_invitation),
    ("invitation, consent not answered", "anonymous", unanswered_invitation),
    ("invitation, account exists", "anonymous", known_invitation),
    (
        "invitation, expired",
        "anonymous",
        ended_invitation("This invitation has expired", expires_at=a_day_ago),
    ),
    (
        "invitation, expired and asked for",
        "anonymous",
        ended_invitation(
            "This invitation has expired", expires_at=a_day_ago, renewal_asked_at=a_day_ago
        ),
    ),
    (
        "invitation, declined",
        "anonymous",
        ended_invitation(
            "You said no to this invitation", declined_at=a_day_ago, email="", name="", message=""
        ),
    ),
    (
        "invitation, used",
        "anonymous",
        ended_invitation(
            "This invitation was used",
            accepted_at=a_day_ago,
            accepted_by=lambda world: world.people["annotator"],
        ),
    ),
    ("pay", "annotator", pay_of("pay-mine")),
    ("pay, for staff", "researcher", pay_of("project-pay", slug)),
    ("pay, of a person", "researcher", pay_of("pay-person", slug, annotator)),
    ("pay, by project", "admin", pay_of("pay-projects")),
    ("erase a person", "staff", erasing),
    ("erase a person, not possible", "staff", erasing_refused),
]
