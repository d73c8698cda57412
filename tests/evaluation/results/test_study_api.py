"""Studies made, started and closed over the API."""

import pytest
from django.urls import reverse

from evaluation.models import DeletedDraft, Study
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import make_output, make_questions, make_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return asqa.make_project()


@pytest.fixture
def systems(project):
    questions = make_questions(project, 4)
    rows = [make_system(project, name) for name in ("Amber", "Blue", "Coral")]
    for system in rows:
        for question in questions:
            make_output(system, question, text="It opened on 25 March 1843.")
    return rows


@pytest.fixture
def send(project, client_as):
    client = client_as(factories.make_member(project, "researcher"))

    def send(method, name, *args, **body):
        answer = getattr(client, method)(
            reverse(name, args=[project.slug, *args]), body, content_type="application/json"
        )
        return answer.status_code, answer.json() if answer.content else None

    return send


def test_what_is_left_out_is_as_it_would_be_proposed(send, systems):
    status, made = send("post", "api-studies")
    assert status == 201
    study = Study.objects.get()
    assert (made["id"], made["title"], made["state"]) == (study.pk, "Study 1", "draft")
    assert made["systems"] == ["Amber", "Blue", "Coral"]
    assert (study.size, study.pairing, study.accuracy) == (4, "all", True)
    assert [row["key"] for row in study.criteria] == ["comp", "fluency", "overall"]


def test_a_study_is_made_started_and_closed(send, project, systems):
    factories.make_member(project, "judge")
    status, made = send(
        "post", "api-studies", title="Two of them", size=2, seed=7, repeats=0, raters=1,
        pairing="reference", systems=[row.pk for row in systems[:2]], reference=systems[0].pk,
        stratified=False, accuracy=False, steps=5, shown="plain", minutes=1.5,
        criteria=[{"label": "Overall", "wording": "Which would you rather have?"}],
    )  # fmt: skip
    assert status == 201, made
    study = Study.objects.get()
    assert (study.title, study.size, study.seed, study.steps) == ("Two of them", 2, 7, 5)
    assert (study.reference, study.stratified, study.accuracy) == (systems[0], False, False)
    assert study.criteria == [
        {"key": "criterion1", "label": "Overall", "wording": "Which would you rather have?"}
    ]
    status, started = send("post", "api-study-start", study.pk)
    assert (status, started["state"]) == (200, "running")
    assert study.items.count() == 2
    assert send("post", "api-study-start", study.pk)[0] == 409
    assert send("delete", "api-study", study.pk)[0] == 409
    status, closed = send("post", "api-study-close", study.pk)
    assert (status, closed["state"]) == (200, "closed")
    assert send("get", "api-study", study.pk) == (200, closed)
    assert send("post", "api-study-close", study.pk)[0] == 409


def test_too_few_raters_are_refused_as_on_the_page(send, systems):
    _, made = send("post", "api-studies", raters=2)
    status, refused = send("post", "api-study-start", made["id"])
    assert status == 409
    assert refused["detail"].startswith("Needs 2 raters, and no one in this project is a judge.")
    assert Study.objects.get().state == "draft"


def test_a_draft_is_deleted_and_kept_for_a_while(send, systems):
    _, made = send("post", "api-studies")
    assert send("delete", "api-study", made["id"]) == (204, None)
    assert not Study.objects.exists()
    assert DeletedDraft.objects.get().number == made["id"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"size": 0}, "size"),
        ({"split": "live"}, "split"),
        ({"pairing": "triples"}, "pairing"),
        ({"systems": [0]}, "systems"),
        ({"pairing": "reference", "reference": 0}, "reference"),
        ({"criteria": [{"label": "", "wording": "Which?"}]}, "criteria"),
        ({"criteria": [{"label": "A", "wording": "Which?"}] * 2}, "label_1"),
        ({"criteria": [{"label": "A", "wording": "W"}] * 9}, "criteria"),
        ({"steps": 4}, "steps"),
    ],
)
def test_bad_input_names_the_field_and_makes_nothing(send, systems, given, field):
    status, refused = send("post", "api-studies", **given)
    assert (status, list(refused)) == (400, [field])
    assert not Study.objects.exists()
