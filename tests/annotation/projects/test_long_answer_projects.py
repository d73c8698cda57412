"""Pages of a project of long answers: what they offer, and what they leave out."""

import re

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.long_answers.concerns import services as concerns_services
from annotation.models import AuditEntry, Project, StagePolicy
from annotation.text.markdown import render_sections
from tests import factories
from tests.annotation.long_answers import helpers

ASQA_TABS = [
    *("Overview", "How to write one", "Evidence", "Examples", "Concerns", "FAQ", "Bonuses"),
]


def text(response):
    return " ".join(response.content.decode().split())


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


def test_long_answers_that_came_in_finished_are_read_on_the_page_of_their_question(
    staff, project, now
):
    question = helpers.make_question(project, state="accepted")
    page = reverse("question-view", args=[project.slug, question.pk])
    assert "No answers submitted yet." in text(staff.get(page))
    with CaptureQueriesContext(connection) as alone:
        staff.get(page)
    for number in range(4):
        answer = question.long_answers.create(text=f"It opened <b>{number}</b>.", created_at=now)
        answer.knowledge.create(position=0, content=f"Walkers paid {number}.", page=None)
    with CaptureQueriesContext(connection) as several:
        shown = text(staff.get(page))
    assert "It opened &lt;b&gt;3&lt;/b&gt;." in shown
    assert "Walkers paid 3." in shown
    assert "The question was imported as finished work, so no one was asked." in shown
    assert len(several) <= len(alone) + 3


class TestPolicy:
    def address(self, project):
        return reverse("policy-change", args=[project.slug, project.policies.get(split="dev").pk])

    def data(self, **changes):
        return {
            "people": "2",
            "lease_minutes": "60",
            "park_hours": "24",
            "minimum_seconds": "0",
            "pay_basis": "unit",
            "pay": "0",
            "pay_accepted": "0",
            "currency": "USD",
            "inputs": "full",
        } | changes

    def test_has_what_long_answers_have(self, staff, project):
        page = text(staff.get(self.address(project)))
        assert "Long answers on dev" in page
        assert "Writers are given" in page
        assert "Only the question" in page
        assert "None yet" in page
        assert "None are stored for questions on dev yet." in page
        assert "one clear answer" not in page

    def test_gives_the_question_alone(self, staff, project, rosa):
        answer = staff.post(self.address(project), self.data(inputs="question"), follow=True)
        assert "Saved for Long answers on dev." in text(answer)
        assert "Only the question" in text(answer)
        policy = project.policies.get(split="dev")
        assert policy.inputs == StagePolicy.Inputs.QUESTION
        entry = AuditEntry.objects.get(action="policy_changed")
        assert (entry.data["before"], entry.data["after"]) == (
            {"inputs": "full"},
            {"inputs": "question"},
        )

    def test_knows_no_third_way(self, staff, project):
        answer = staff.post(self.address(project), self.data(inputs="pages"))
        assert answer.status_code == 422
        assert project.policies.get(split="dev").inputs == "full"

    def test_other_stages_are_as_they_were(self, client_as, db):
        other = factories.make_project(slug="short")
        rosa = factories.make_member(other, "researcher")
        page = text(client_as(rosa).get(self.address(other)))
        assert "For “One clear answer” and “Not found”." in page
        assert "Writers are given" not in page


class TestOverview:
    def test_names_the_stage_in_words(self, staff, project, now):
        helpers.open_question(project, now)
        page = text(staff.get(reverse("project-overview", args=[project.slug])))
        assert "Long answers, dev" in page
        assert "Long_answers" not in page
        assert "long_answers" not in page
        page = text(staff.get(reverse("project-policies", args=[project.slug])))
        assert "Everything known: disambiguations, paragraphs, pages" in page

    def test_counts_and_filters_questions_with_a_concern(self, staff, project, rosa, now):
        doubted = helpers.open_question(project, now, text="what was doubted")
        helpers.open_question(project, now, text="what was not")
        concerns_services.raise_as_staff(
            question=doubted, disambiguations=[], reason="One.", by=rosa, now=now
        )
        address = reverse("project-questions", args=[project.slug])
        page = text(staff.get(address))
        assert "Concern raised 1" in page
        assert "Imported 1" in page
        assert "Waiting for validation" not in page
        page = text(staff.get(address, {"state": "flagged"}))
        assert "What was doubted?" in page
        assert "What was not?" not in page

    def test_says_what_concerns_have_set_aside(self, staff, project, rosa, now):
        first, second = helpers.open_question(project, now), helpers.open_question(project, now)
        address = reverse("project-overview", args=[project.slug])
        assert "with a concern" not in text(staff.get(address))

        def doubt(question):
            return concerns_services.raise_as_staff(
                question=question, disambiguations=[], reason="One.", by=rosa, now=now
            )

        upheld = doubt(first)
        page = text(staff.get(address))
        assert "1 question with a concern</a>: no one new gets it." in page
        concerns_services.decide_concern(
            concern=upheld, state="upheld", note="So.", by=rosa, now=now
        )
        assert ">1 excluded</a>" in text(staff.get(address))
        doubt(second)
        page = text(staff.get(address))
        assert "1 question with a concern</a>: no one new gets it." in page
        assert ">1 excluded</a>" in page

    def test_the_log_says_it_in_words(self, staff, project, question_with_concern):
        page = text(staff.get(reverse("project-log", args=[project.slug])))
        assert "Rosa Reed raised a concern about <a" in page
        assert "→ Concern raised." in page

    @pytest.fixture
    def question_with_concern(self, project, rosa, now):
        question = helpers.open_question(project, now)
        concerns_services.raise_as_staff(
            question=question, disambiguations=[], reason="One.", by=rosa, now=now
        )
        return question


class TestSettings:
    def test_have_no_claims_on_results(self, staff, project):
        address = reverse("project-settings", args=[project.slug])
        page = text(staff.get(address))
        assert "Days to claim a result" not in page
        assert "The temporal rules" not in page
        answer = staff.post(
            address,
            {
                "title": "Long answers",
                "reference_date": "2018-01-01",
                "parked_limit": "3",
                "skips_before_pause": "10",
                "weekly_minimum": "0",
            },
        )
        assert answer.status_code == 302
        project.refresh_from_db()
        assert (project.title, project.parked_limit, project.claim_days) == ("Long answers", 3, 14)


class TestCreation:
    def test_the_form_says_what_each_protocol_is(self, client_as, project, rosa):
        page = text(client_as(rosa).get(reverse("project-create")))
        assert "ASQA: people write one long answer that covers all its disambiguations" in page

    def test_by_form(self, client_as, project, rosa):
        answer = client_as(rosa).post(
            reverse("project-create"),
            {
                "title": "Long",
                "slug": "long",
                "protocol": "asqa",
                "snapshot": project.snapshot_id,
                "reference_date": "",
            },
        )
        assert answer.status_code == 302
        made = Project.objects.get(slug="long")
        assert made.protocol == "asqa"
        assert {each.stage for each in made.policies.all()} == {"long_answers"}

    @pytest.mark.parametrize(
        ("protocol", "tabs"),
        [
            ("asqa", ASQA_TABS),
            ("ambigqa", ["Overview", "Examples", "FAQ", "Bonuses"]),
        ],
    )
    def test_by_command_with_guidelines_of_its_own(self, db, protocol, tabs, capsys):
        snapshot = factories.make_snapshot()
        call_command("create_project", "new-one", protocol=protocol, snapshot=snapshot.name)
        made = Project.objects.get(slug="new-one")
        body = made.guidelines.get().body
        assert [title for title, _ in render_sections(body)] == tabs
        assert re.findall(r"^## (.*)$", body, re.MULTILINE) == tabs
        objectives = ["is complete", "explains", "reads well", "can be checked"]
        assert [each in body for each in objectives] == [protocol == "asqa"] * 4
