"""What participants read: who runs the study, how much of the instructions, what went wrong."""

import pytest
from django import forms
from django.urls import reverse

from annotation.models import Guideline
from annotation.pages.forms import AmbitForm
from crowds.models import Briefing, Participation
from tests.crowds import factories as crowd

PAGE = "/take-part/"


@pytest.fixture
def recruitment(project):
    return crowd.make_recruitment(project)


@pytest.fixture
def row(recruitment, client):
    row = crowd.start(recruitment)
    client.force_login(row.user)
    return row


def test_consent_names_the_study_the_institution_and_a_contact(client, recruitment):
    page = client.get(crowd.link_of(recruitment)).content.decode()
    assert "<dd>Answers in June</dd>" in page
    assert "<dd>Department of Questions</dd>" in page
    assert 'href="mailto:kim@questions.example"' in page
    assert "This study runs on Ambit." in page


def test_they_are_those_of_the_version_that_was_agreed_to(client, row):
    crowd.make_briefing(row.recruitment.project)
    Briefing.objects.filter(version=2).update(institution="Another", contact="")
    page = client.get(f"{PAGE}consent/").content.decode()
    assert "Department of Questions" in page
    assert "Another" not in page


def test_the_team_has_to_name_them(client, project, rosa):
    client.force_login(rosa)
    address = reverse("briefing", args=[project.slug])
    data = {"consent": "Words.", "form": "", "seen": "0"}
    page = client.post(address, data)
    assert page.status_code == 422
    assert not Briefing.objects.exists()
    assert client.post(address, data | crowd.WHO).status_code == 302
    data["seen"] = "1"
    assert client.post(address, data | crowd.WHO | {"contact": "Lee Lane"}).status_code == 302
    assert [made.contact for made in Briefing.objects.order_by("pk")] == [
        crowd.WHO["contact"],
        "Lee Lane",
    ]
    versions = client.get(reverse("briefing-file", args=[project.slug])).json()
    assert [each["contact"] for each in versions] == [crowd.WHO["contact"], "Lee Lane"]
    assert versions[0]["institution"] == crowd.WHO["institution"]


def test_an_error_whose_label_is_a_sentence_is_said_once(client, recruitment):
    page = client.post(crowd.link_of(recruitment), {"press": "agree"}).content.decode()
    assert ">Only people who are 18 or older can take part.</a>" in page
    assert "older.:" not in page


def test_an_error_of_a_question_names_the_question(client, recruitment):
    client.post(crowd.link_of(recruitment), crowd.ANYONE)
    page = client.post(PAGE, {"press": "about"}).content.decode()
    assert "How old are you? Choose an answer, or “I’d rather not say”." in page


class Places(AmbitForm):
    places = forms.IntegerField()


def test_an_error_of_any_other_field_names_the_field():
    assert Places({"places": "x"}).problems() == [("id_places", "Places: Write a whole number.")]


def test_of_long_instructions_the_first_section_is_open(client, row):
    Participation.objects.update(instructed_at=None)

    def opened(*lengths):
        body = "\n\n".join(f"## Part {n}\n\n{'x' * size}" for n, size in enumerate(lengths, 1))
        Guideline.objects.filter(project=row.recruitment.project).update(body=body)
        page = client.get(PAGE).content.decode()
        assert page.count("<h2>Part ") + page.count("<summary>Part ") == len(lengths)
        return page.count("<h2>Part ")

    assert opened(9_000, 20, 20) == 1
    assert opened(2_000, 2_000, 20) == 1
    assert opened(1_000, 1_000, 900, 900) == 3
    assert opened(20) == 1


@pytest.mark.parametrize("address", ["/projects/", "/nothing/here/", "/take-part/nothing/here/"])
def test_a_page_that_is_not_there_leads_back_to_the_study(client, row, address):
    response = client.get(address)
    page = response.content.decode()
    assert response.status_code == 404
    assert "Back to your study" in page
    assert 'href="mailto:kim@questions.example"' in page
    for words in ("Go to my work", "admin of the project"):
        assert words not in page


def test_whoever_is_refused_learns_whom_to_write_to(client, recruitment):
    old = client.get(crowd.link_of(recruitment, days=-1))
    assert old.status_code == 410
    assert 'href="mailto:kim@questions.example"' in old.content.decode()


def test_every_page_of_a_participant_says_whom_to_write_to(client, row):
    assert 'href="mailto:kim@questions.example"' in client.get(PAGE).content.decode()


def test_an_end_of_time_has_its_zone(client, row):
    assert " UTC</time>" in client.get(PAGE).content.decode()


def test_a_team_that_looks_for_its_first_participant_reads_how_to_try(client, recruitment, rosa):
    client.force_login(rosa)
    here = [recruitment.project.slug, recruitment.pk]
    page = client.get(reverse("recruitment-view", args=here)).content.decode()
    assert "To try it yourself, type any id" in page
