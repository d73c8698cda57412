"""Signing in by keyboard, and the Django admin under the same content security policy."""

from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from annotation.people.invitation_services import invitation_link
from tests import factories
from tests.browser.helpers import allow_problem, check_axe, sign_in


def test_sign_in_and_out_by_keyboard(page, world):
    cache.clear()
    page.goto(reverse("account-settings"))
    page.get_by_label("E-mail address").focus()
    page.keyboard.type(world.people["annotator"].email)
    page.keyboard.press("Tab")
    page.keyboard.type(factories.PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Account").wait_for()
    page.get_by_role("button", name="Sign out").press("Enter")
    page.get_by_text("You are signed out.").wait_for()


def test_who_signs_out_leaves_no_text_on_this_device(page, world):
    sign_in(page, world.people["annotator"])
    page.goto(reverse("account-settings"))
    page.evaluate("localStorage.setItem('ambit-draft-7', '{}')")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("You are signed out.").wait_for()
    assert page.evaluate("Object.keys(localStorage)") == ["theme"]


def test_a_refusal_takes_the_focus_and_leads_to_the_field(page, world):
    cache.clear()
    allow_problem(page, "status of 422")
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").fill("nobody@example.org")
    page.get_by_label("Password").fill("no")
    page.keyboard.press("Enter")
    summary = page.locator("#summary")
    summary.wait_for()
    expect(summary).to_be_focused()
    summary.get_by_role("link", name="Try again").click()
    expect(page.get_by_label("E-mail address")).to_be_focused()


def test_a_new_installation_turns_into_the_sign_in_page(page, world):
    """The page asks every ten seconds, keeps what has the focus, and leads on by itself."""
    allow_problem(page, "status of 401")
    User.objects.update(is_active=False)
    page.clock.install()
    page.goto(reverse("home"))
    copy = page.get_by_role("button", name="Copy the command")
    copy.focus()
    checked = page.locator("#checked")
    before = checked.get_attribute("datetime")
    page.clock.run_for(11_000)
    expect(checked).not_to_have_attribute("datetime", before)
    expect(copy).to_be_focused()
    User.objects.filter(pk=world.people["admin"].pk).update(is_active=True)
    page.clock.run_for(11_000)
    page.wait_for_url(f"**{reverse('account_login')}?next=*")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_the_way_in_comes_first_on_a_phone(page, world):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("home"))
    field = page.get_by_label("E-mail address").bounding_box()
    example = page.get_by_role("figure").bounding_box()
    assert field["y"] + field["height"] < 844
    assert field["y"] < example["y"]


def test_an_invitation_is_copied_and_accepted_in_another_window(page, new_page, world):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sign_in(page, world.people["admin"])
    page.goto(reverse("project-people", args=[world.slug]))
    page.get_by_role("button", name="Copy the link for nora@example.org").click()
    page.get_by_text("Copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    other = new_page()
    other.goto(link)
    other.get_by_label("Name").fill("Nora North")
    other.get_by_label("Password").fill("a bridge over the water")
    other.get_by_role("button", name="Create account and join").click()
    other.get_by_role("link", name="account of Nora North").wait_for()
    page.reload()
    assert page.get_by_role("rowheader", name="Nora North").is_visible()
    assert page.get_by_text("0 pending invitations").is_visible()


def test_a_session_that_ended_sends_the_whole_window_to_sign_in(page, world):
    allow_problem(page, "status of 401")
    sign_in(page, world.people["annotator"])
    page.goto(reverse("account-settings"))
    page.context.clear_cookies()
    page.evaluate("htmx.ajax('GET', '/account/settings/', '#main')")
    page.wait_for_url(f"**{reverse('account_login')}?next=*settings*")
    assert page.get_by_role("heading", name="Sign in").is_visible()


def test_the_admin_works_under_our_policy(page, world):
    """The fixture fails on console errors, which violations of the policy are."""
    staff = world.people["staff"]
    staff.is_superuser = True
    staff.save()
    sign_in(page, staff)
    page.goto(reverse("admin:index"))
    page.get_by_role("link", name="Memberships").click()
    page.get_by_role("link", name="Annotator", exact=True).first.click()
    page.wait_for_url("**role__exact=annotator**")
    person = world.people["stranger"]
    page.goto(reverse("admin:accounts_user_change", args=[person.pk]))
    page.get_by_label("Name").fill("Stan Stead")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("was changed successfully").wait_for()
    person.refresh_from_db()
    assert person.name == "Stan Stead"
    page.goto(reverse("admin:annotation_assignment_changelist"))


def test_joining_leads_to_the_first_question(page, world):
    page.goto(invitation_link(world.invitation))
    page.get_by_label("Name").fill("Nora North")
    page.get_by_label("Password").fill("a bridge over the water")
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Welcome to {world.project.title}")
    check_axe(page, label="first page after joining")
    page.get_by_role("button", name="Take the next question").click()
    expect(page.locator("#prompt")).to_be_visible()
