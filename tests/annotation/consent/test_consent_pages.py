"""The pages of consent, its file and its addresses of the API."""

import csv
import io

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.consent import services as consent_services
from annotation.models import Assignment, Consent, ConsentText
from tests import factories
from tests.annotation.consent.helpers import agree, publish

pytestmark = pytest.mark.django_db
BOXES = {"version": 1, "of_age": "on", "agreed": "on", "may_train": "no"}
BAD = "<script>alert(1)</script>"


@pytest.fixture
def text(project, ada, now):
    return publish(project, ada, now, ethics="Board 7")


def agree_page(project):
    return reverse("consent-give", args=[project.slug])


class TestAgreeing:
    def test_work_leads_here_and_back(self, client_as, project, text, ann):
        factories.make_task(project)
        client = client_as(ann)
        work = reverse("work-next", args=[project.slug, "generation"])
        answer = client.post(work)
        assert (answer.status_code, answer.url) == (302, agree_page(project))
        page = client.get(answer.url).content.decode()
        for words in ("Your <em>name</em>", "mailto:data@example.org", "Board 7", "18 or older"):
            assert words in page
        start = reverse("project-start", args=[project.slug])
        assert client.post(agree_page(project), BOXES).url == start
        assert Consent.objects.get().may_train is False
        assert "work/" in client.post(work).url

    def test_a_question_in_hand_leads_here_and_back_to_it(self, client_as, project, text, ann):
        turn = factories.make_assignment(factories.make_task(project), ann)
        address = reverse("work-page", args=[turn.pk])
        client = client_as(ann)
        answer = client.get(address)
        assert answer.url == f"{agree_page(project)}?next={address}"
        assert f'value="{address}"' in client.get(answer.url).content.decode()
        assert client.post(agree_page(project), {**BOXES, "next": address}).url == address
        assert client.get(address).status_code == 200

    def test_programs_and_scripts_read_the_sentence(self, client_as, project, text, ann):
        client, work = client_as(ann), reverse("work-next", args=[project.slug, "generation"])
        assert client.post(work, headers={"HX-Request": "true"}).status_code == 403
        answer = client.post(f"/api/v1/projects/{project.slug}/work/generation/")
        assert answer.status_code == 403
        assert "what is kept about you" in answer.json()["detail"]

    @pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "\\\\evil"])
    def test_it_leads_to_no_other_site(self, client_as, project, text, ann, elsewhere):
        answer = client_as(ann).post(agree_page(project), {**BOXES, "next": elsewhere})
        assert answer.url == reverse("project-start", args=[project.slug])

    def test_what_is_missing_is_said(self, client_as, project, text, ann):
        answer = client_as(ann).post(agree_page(project), {"version": 1})
        page = answer.content.decode()
        assert answer.status_code == 422
        for sentence in ("Confirm your age", "Say that you have read it", "Choose yes or no."):
            assert sentence in page
        assert not Consent.objects.exists()

    def test_a_text_that_has_changed_is_shown_again(self, client_as, project, text, ada, ann, now):
        publish(project, ada, now, body="Now more.")
        answer = client_as(ann).post(agree_page(project), BOXES)
        assert answer.status_code == 422
        assert "The text has changed" in answer.content.decode()
        assert "Now more." in answer.content.decode()
        assert not Consent.objects.exists()

    def test_refusing_leads_to_what_one_has_said(self, client_as, project, text, ann):
        answer = client_as(ann).post(agree_page(project), {"press": "refuse"}, follow=True)
        assert "You did not agree to version 1" in answer.content.decode()
        assert client_as(ann).get(agree_page(project)).status_code == 404  # no longer a member

    def test_strangers_and_projects_without_a_text_have_no_page(
        self, client_as, project, text, stan, ann
    ):
        assert client_as(stan).get(agree_page(project)).status_code == 404
        other = factories.make_project()
        factories.make_member(other, "annotator", user=ann)
        assert client_as(ann).get(agree_page(other)).status_code == 404

    def test_html_in_a_text_is_text(self, client_as, project, ada, ann, now):
        publish(project, ada, now, body=f"Kept: {BAD}", contact=BAD, ethics=BAD)
        assert BAD not in client_as(ann).get(agree_page(project)).content.decode()


class TestOwn:
    def test_it_lists_every_answer_with_what_can_be_done(self, client_as, project, text, ann, now):
        client = client_as(ann)
        page = reverse("consent-mine")
        assert "You have not been asked yet" in client.get(page).content.decode()
        agree(project, ann, now, may_train=True)
        assert "may train models" in client.get(page).content.decode()
        training = reverse("consent-training", args=[project.slug])
        told = client.post(training, {"may_train": "no"}, follow=True).content.decode()
        assert f"Your answers in {project.title} may not train models" in told
        withdraw = reverse("consent-withdraw", args=[project.slug])
        told = client.post(withdraw, follow=True).content.decode()
        assert "You withdrew your consent on" in told
        assert client.post(withdraw).status_code == 404

    def test_people_who_have_left_can_still_withdraw(self, client_as, project, text, ann, now):
        agree(project, ann, now)
        ann.memberships.all().delete()
        client_as(ann).post(reverse("consent-withdraw", args=[project.slug]))
        assert Consent.objects.get().state == "withdrawn"

    def test_nobody_elses_answer_can_be_changed(self, client_as, project, text, ann, ben, now):
        agree(project, ann, now, may_train=True)
        client = client_as(ben)
        for name in ("consent-withdraw", "consent-training"):
            address = reverse(name, args=[project.slug])
            assert client.post(address, {"may_train": "no"}).status_code == 404
        assert Consent.objects.get().state == "agreed"

    def test_the_statements_do_not_grow(self, client_as, ann, ada, now):
        client, page = client_as(ann), reverse("consent-mine")

        def count():
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page).status_code == 200
            return len(captured)

        counts = []
        for _ in range(3):
            project = factories.make_project()
            factories.make_member(project, "annotator", user=ann)
            factories.make_member(project, "admin", user=ada)
            publish(project, ada, now)
            agree(project, ann, now)
            counts.append(count())
        assert counts[1] == counts[2]


class TestTeam:
    def page(self, project):
        return reverse("project-consent", args=[project.slug])

    def form(self, **values):
        return {
            **{"body": "We keep **it**.", "minimum_age": 18, "asks_training": "on", "seen": 0},
            **values,
        }

    def test_without_a_text_it_says_what_follows(self, client_as, project, ada):
        page = client_as(ada).get(self.page(project)).content.decode()
        assert "no one’s answers may train models" in page
        assert "What is kept about you" in page  # ours, to begin with

    def test_a_preview_stores_nothing(self, client_as, project, ada):
        page = client_as(ada).post(self.page(project), self.form(press="preview")).content.decode()
        assert "Preview of version 1" in page
        assert "We keep <strong>it</strong>." in page
        assert not ConsentText.objects.exists()

    def test_publishing_and_a_newer_version(self, client_as, project, ada):
        client = client_as(ada)
        client.post(self.page(project), self.form())
        assert (ConsentText.objects.get().asks, ConsentText.objects.get().minimum_age) == (True, 18)
        answer = client.post(self.page(project), self.form(body="Else."))
        assert answer.status_code == 409
        assert "another version meanwhile" in answer.content.decode()
        client.post(self.page(project), self.form(body="Else.", seen=1))
        assert not ConsentText.objects.get(version=2).asks

    def test_what_cannot_be_published_is_explained(self, client_as, project, ada):
        answer = client_as(ada).post(self.page(project), self.form(body="", minimum_age=300))
        assert answer.status_code == 422
        assert not ConsentText.objects.exists()

    def test_admins_see_who_has_agreed_and_researchers_the_numbers(
        self, client_as, project, text, ada, rosa, ann, ben, now
    ):
        agree(project, ann, now)
        for person, seen in ((ada, True), (rosa, False)):
            page = client_as(person).get(self.page(project)).content.decode()
            assert ("Ann Archer" in page, "Agreed to version 1" in page) == (seen, seen)
            assert "Where people are" in page

    def test_the_statements_do_not_grow(self, client_as, project, text, ada, now):
        client = client_as(ada)

        def count():
            with CaptureQueriesContext(connection) as captured:
                assert client.get(self.page(project)).status_code == 200
            return len(captured)

        agree(project, factories.make_member(project, "annotator"), now)
        before = count()
        for number in range(5):
            person = factories.make_member(project, "annotator", "judge", name=f"P{number}")
            agree(project, person, now)
        assert count() == before

    def test_the_file_has_a_line_for_each_answer(self, client_as, project, text, ada, ben, now):
        ann = factories.make_member(project, "annotator", name="=1+1")
        agree(project, ann, now, may_train=True)
        consent_services.change_training(project=project, may_train=False, by=ann, now=now)
        answer = client_as(ada).get(reverse("project-consent-file", args=[project.slug]))
        rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
        assert [(row["name"], row["state"], row["may_train"]) for row in rows] == [
            ("'=1+1", "replaced", "yes"),
            ("'=1+1", "agreed", "no"),
            (ben.name, "waiting", ""),
        ]
        assert [name for name, value in rows[0].items() if value is None] == []


class TestApi:
    def address(self, project):
        return f"/api/v1/projects/{project.slug}/consent/"

    def post(self, client, project, **values):
        return client.post(self.address(project), values, content_type="application/json")

    def test_agreeing_and_withdrawing(self, client_as, project, text, ann):
        client = client_as(ann)
        shown = client.get(self.address(project)).json()
        assert (shown["text"]["version"], shown["answer"], shown["due"]) == (1, None, True)
        shown = self.post(
            client, project, agree=True, version=1, of_age=True, may_train=True
        ).json()
        assert (shown["answer"]["state"], shown["due"]) == ("agreed", False)
        factories.make_member(project, "researcher", user=ann)  # stays, and so does the page
        shown = self.post(client, project, agree=False).json()
        assert (shown["answer"], shown["due"]) == (None, True)
        assert Consent.objects.get().state == "withdrawn"
        shown = self.post(client, project, agree=False).json()
        assert shown["answer"]["state"] == "refused"

    @pytest.mark.parametrize(
        ("values", "status"),
        [
            ({}, 400),
            ({"agree": True}, 400),
            ({"agree": True, "version": 1, "of_age": True}, 403),
            ({"agree": True, "version": 1, "may_train": True}, 403),
            ({"agree": True, "version": 9, "of_age": True, "may_train": True}, 409),
        ],
    )
    def test_what_is_refused(self, client_as, project, text, ann, values, status):
        assert self.post(client_as(ann), project, **values).status_code == status
        assert not Consent.objects.exists()

    def test_admins_list_answers_under_pseudonyms(self, client_as, project, text, ada, ann, now):
        agree(project, ann, now)
        [row] = client_as(ada).get(f"/api/v1/projects/{project.slug}/consents/").json()["results"]
        assert row["person"].startswith("person-")
        assert (row["state"], row["version"], row["may_train"]) == ("agreed", 1, False)
        assert "Ann" not in str(row)


def test_a_withdrawn_persons_work_page_says_what_is_kept(client_as, project, text, ann, now):
    agree(project, ann, now)
    turn = factories.make_assignment(factories.make_task(project), ann)
    consent_services.withdraw_consent(project=project, by=ann, now=now)
    assert Assignment.objects.get().state == "expired"
    answer = client_as(ann).get(reverse("work-page", args=[turn.pk]))
    assert answer.status_code == 200
