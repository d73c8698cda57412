"""From the link of an invitation to the first question, and a member who is asked once."""

import re

from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from annotation.models import Assignment, Consent
from annotation.people.invitation_services import invitation_link
from tests.browser.helpers import sign_in
from tests.browser.pages.consent import publish


def test_from_an_invitation_to_the_first_question(page, world):
    publish(world)
    page.goto(invitation_link(world.invitation))
    page.get_by_label("Name").fill("Nora North")
    page.get_by_label("Password").fill("a bridge over the water")
    page.get_by_label("I am 18 or older.").check()
    page.get_by_label("I have read what is kept about me").check()
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", name=f"Welcome to {world.project.title}")).to_be_visible()
    user = User.objects.get(email=world.invitation.email)
    assert Consent.objects.get(user=user).may_train is False


def test_a_member_is_asked_once_and_can_leave(page, world):
    publish(world)
    annotator = world.people["annotator"]
    turn = Assignment.objects.get(pk=world.assignment.pk)
    sign_in(page, annotator)
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_label("I am 18 or older.").check()
    page.get_by_label("I have read what is kept about me").check()
    page.get_by_label("Yes", exact=True).check()
    page.get_by_role("button", name="Agree and go on").click()
    expect(page).to_have_url(re.compile(f"{reverse('work-page', args=[turn.pk])}$"))
    page.goto(reverse("consent-mine"))
    page.get_by_role("button", name="Withdraw").click()
    expect(page.get_by_text("You withdrew your consent on")).to_be_visible()
    turn.refresh_from_db()
    assert turn.state == "expired"
