"""The pages of people, invitations and pay."""

from uuid import uuid4

from django.urls import reverse

from accounts.models import User
from annotation.models import (
    Assignment,
    PayEntry,
    Project,
)
from annotation.people.invitation_services import invitation_link
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import annotator, slug, url, writes


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
    page.get_by_text("This invitation was withdrawn.").wait_for()


PAGES = [
    ("people, for admins", "admin", people_with_a_pause),
    ("people, for researchers", "researcher", people_with_a_pause),
    ("people, invitation refused", "admin", refused_invitation),
    ("invitation", "anonymous", lambda world: invitation_link(world.invitation)),
    ("invitation, form refused", "anonymous", refused_join),
    ("invitation, own account", "annotator", own_invitation),
    ("invitation, wrong account", "stranger", wrong_account),
    ("invitation, revoked", "anonymous", revoked_invitation),
    ("pay", "annotator", pay_of("pay-mine")),
    ("pay, for staff", "researcher", pay_of("project-pay", slug)),
    ("pay, of a person", "researcher", pay_of("pay-person", slug, annotator)),
    ("pay, by project", "admin", pay_of("pay-projects")),
    ("erase a person", "staff", erasing),
    ("erase a person, not possible", "staff", erasing_refused),
]
