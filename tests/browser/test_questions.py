"""The list of questions and the page of one, as a researcher uses them."""

import re
from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Event, Question, Task
from annotation.sheets.fields import Keep
from annotation.work import assignments
from tests import factories
from tests.browser.helpers import sign_in
from tests.validation.conftest import several
from validation.claims import services as claims_services

PEOPLE = "When did the Thames Tunnel open to people?"
TRAINS = "When did the Thames Tunnel open to trains?"
REOPEN = "When did the Thames Tunnel reopen?"


def answered(world, name, response):
    """Somebody takes the next question and submits this, with every warning kept."""
    who = factories.make_member(world.project, "annotator", name=name)
    turn = assignments.take_next(project=world.project, stage="generation", by=who, now=world.now)
    data = {"path": "Thames_Tunnel", "title": "Thames Tunnel", "via": "search", "rank": 1}
    Event.objects.create(assignment=turn, kind="page_open", at=world.now, data=data)
    found = factories.report_on(turn, response, world.now).findings
    kept = tuple(
        Keep(f.rule, f.field, "The article says so.") for f in found if f.level == "warning"
    )
    response = replace(response, keeps=kept)
    assignments.submit_response(assignment=turn, response=response, by=who, now=world.now)
    return turn


@pytest.fixture
def world(world):
    """A question that two people answered, a validator decided, and one of the two disputes."""
    world.project.policies.update(minimum_seconds=0)
    world.project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    Task.objects.update(seats=0)
    world.asked = factories.make_task(world.project).question
    first = several((PEOPLE, "1843", "25 March 1843"), (TRAINS, "1869"))
    answered(world, "Gia Gall", first)
    second = answered(world, "Hal Hook", several((PEOPLE, "1843"), (REOPEN, "2010")))
    turn = assignments.take_next(
        project=world.project, stage="validation", by=world.people["validator"], now=world.now
    )
    opened = factories.given_for(turn, world.now).stored
    rows = tuple(changed(row) for row in opened.rows)
    opened = replace(opened, rows=rows, verdicts=(False, False))
    found = factories.report_on(turn, opened, world.now).findings
    kept = tuple(Keep(f.rule, f.field, "As the page has it.") for f in found)
    by = world.people["validator"]
    opened = replace(opened, keeps=kept)
    assignments.submit_response(assignment=turn, response=opened, by=by, now=world.now)
    claims_services.open_claim(
        assignment=second, text="2010 was an opening, too.", by=second.user, now=world.now
    )
    return world


def changed(row):
    texts = {form.text for form in row.forms}
    if "1869" in texts:
        forms = tuple(replace(form, text="7 December 1869") for form in row.forms)
        return replace(row, forms=forms)
    if "2010" in texts:
        return replace(row, excluded=True, why="That was no first opening.")
    return row


@pytest.fixture
def staff(new_page, world):
    page = new_page(viewport={"width": 1440, "height": 900})
    sign_in(page, world.people["researcher"])
    return page


def test_a_decided_question_shows_sources_verdicts_reasons_and_the_claim(staff, world):
    staff.goto(reverse("question-view", args=[world.slug, world.asked.pk]))
    accepted = staff.locator("#accepted")
    row = accepted.get_by_role("row").filter(has_text="25 March 1843")
    expect(row).to_contain_text("Gia Gall, unchanged")
    edited = accepted.get_by_role("row").filter(has_text="7 December 1869")
    expect(edited).to_contain_text("Gia Gall, edited by Validator Ash")
    expect(accepted.get_by_role("row").filter(has_text="Both")).to_have_count(2)
    validation = staff.get_by_role("region", name="Validation")
    expect(validation).to_contain_text("Validator Ash: That was no first opening.")
    expect(validation.get_by_role("row").filter(has_text="Hal Hook")).to_contain_text("Incorrect")
    hal = staff.get_by_role("article", name="Hal Hook")
    expect(hal).to_contain_text("Accepted as A")
    expect(hal).to_contain_text("Excluded: That was no first opening.")
    expect(staff.get_by_role("region", name="Claim")).to_contain_text("2010 was an opening, too.")
    expect(staff.get_by_role("region", name="Timeline")).to_contain_text("Hal Hook made a claim")


def test_questions_are_excluded_and_restored_in_bulk(staff, world):
    more = [factories.make_task(world.project).question for _ in range(3)]
    staff.goto(reverse("project-questions", args=[world.slug]))
    staff.get_by_role("combobox", name="State").select_option("imported")
    staff.get_by_role("button", name="Show").click()
    staff.wait_for_url("**state=imported**")
    every = staff.get_by_label("Tick every question on this page")
    every.focus()
    staff.keyboard.press("Space")
    expect(staff.locator("[data-ticked]")).to_have_text(re.compile(r"^[4-9] ticked"))
    staff.get_by_label("Reason").fill("Not in this study.")
    staff.get_by_role("button", name="Exclude").click()
    expect(staff.get_by_text(re.compile(r"Excluded \d questions"))).to_be_visible()
    states = Question.objects.filter(pk__in=[each.pk for each in more])
    assert set(states.values_list("state", flat=True)) == {"excluded"}
    staff.goto(reverse("project-questions", args=[world.slug]) + "?state=excluded")
    staff.get_by_label("Tick every question on this page").check()
    staff.get_by_role("button", name="Restore").click()
    expect(staff.get_by_text(re.compile(r"Restored \d questions"))).to_be_visible()
    assert set(states.values_list("state", flat=True)) == {"imported"}


def test_ticked_questions_come_first_and_then_show_so(staff, world):
    wanted = factories.make_task(world.project).question
    staff.goto(reverse("project-questions", args=[world.slug]))
    staff.locator(f"[name=question][value='{wanted.pk}']").focus()
    staff.keyboard.press("Space")
    staff.get_by_label("Priority").select_option("First")
    staff.get_by_role("button", name="Set priority").press("Enter")
    expect(staff.get_by_text("Set the priority of 1 question to “First”.")).to_be_visible()
    row = staff.locator("tr").filter(has=staff.locator(f"[value='{wanted.pk}']"))
    expect(row.locator(".badge")).to_have_text("First")
    expect(staff.locator("td .badge")).to_have_count(1)
    assert Task.objects.get(question=wanted).position < 0


def test_keys_lead_through_the_list_and_to_its_parts(staff, world):
    after = factories.make_question(world.project)
    address = reverse("question-view", args=[world.slug, world.asked.pk])
    staff.goto(f"{address}?split=dev")
    staff.keyboard.press("j")
    staff.wait_for_url(re.compile(rf"/questions/{after.pk}/\?split=dev"))
    staff.keyboard.press("k")
    staff.wait_for_url(re.compile(rf"/questions/{world.asked.pk}/\?split=dev"))
    staff.keyboard.press("s")
    expect(staff.locator("#submissions")).to_be_focused()
    staff.keyboard.press("a")
    expect(staff.locator("#accepted")).to_be_focused()
    staff.get_by_text("Actions", exact=True).click()
    staff.get_by_label("Reason").fill("")
    staff.get_by_label("Reason").press("j")
    expect(staff.get_by_label("Reason")).to_have_value("j")
    staff.reload()
    staff.keyboard.press("?")
    expect(staff.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    world.people["researcher"].keys = {"after": "m"}
    world.people["researcher"].save()
    staff.reload()
    staff.keyboard.press("m")
    staff.wait_for_url(re.compile(rf"/questions/{after.pk}/"))
    staff.keyboard.press("k")
    staff.wait_for_url(re.compile(rf"/questions/{world.asked.pk}/"))
    world.people["researcher"].single_keys = False
    world.people["researcher"].save()
    staff.reload()
    staff.keyboard.press("j")
    expect(staff).to_have_url(re.compile(rf"/{world.asked.pk}/"))
