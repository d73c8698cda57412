"""No exam before an answer, as no work: neither begun nor gone on with."""

import pytest
from django.urls import reverse

from annotation.consent import services as consent_services
from annotation.consent.policies import NotAgreed
from annotation.models import Part, QualificationAttempt
from annotation.people.work_queries import list_work
from annotation.qualifications import attempts
from tests import factories
from tests.annotation.consent.helpers import agree, make_participant, publish
from tests.annotation.qualifications.helpers import ITEMS, make
from tests.annotation.work.helpers import easy

pytestmark = pytest.mark.django_db


@pytest.fixture
def exam(project, rosa, now):
    return make(project, rosa, now)


@pytest.fixture
def text(project, ada, now):
    return publish(project, ada, now)


def begin(exam, by, now, part=Part.EXAM):
    return attempts.start_attempt(qualification=exam, by=by, now=now, part=part)


def start_page(exam):
    return reverse("qualification-start", args=[exam.project.slug, exam.pk])


def agree_page(exam, back):
    return f"{reverse('consent-give', args=[exam.project.slug])}?next={back}"


@pytest.mark.parametrize("part", Part.values)
def test_no_one_begins_before_they_agree(exam, text, ann, now, part):
    with pytest.raises(NotAgreed):
        begin(exam, ann, now, part)
    assert not QualificationAttempt.objects.exists()


def test_whoever_agreed_begins_also_without_training(exam, text, ann, now):
    agree(exam.project, ann, now, may_train=False)
    assert begin(exam, ann, now).total == len(ITEMS)


def test_without_a_text_and_as_a_participant_no_one_is_asked(exam, ada, ann, now):
    assert begin(exam, ann, now)
    publish(exam.project, ada, now)
    person = factories.make_member(exam.project, "annotator", user=make_participant())
    assert begin(exam, person, now)


def test_the_button_leads_to_the_text_and_back(exam, text, ann, client_as):
    client, page = client_as(ann), start_page(exam)
    answer = client.post(page)
    assert answer["Location"] == agree_page(exam, page)
    data = {"version": 1, "of_age": "on", "agreed": "on", "may_train": "no", "next": page}
    assert client.post(answer["Location"], data)["Location"] == page
    assert client.post(page)["Location"].startswith("/qualifications/attempts/")


def test_an_attempt_in_hand_leads_there_and_can_be_submitted(exam, ada, ann, now, client_as):
    """A text that is published meanwhile asks at the next look, as with work in hand."""
    attempt, client = begin(exam, ann, now), client_as(ann)
    publish(exam.project, ada, now)
    pages = [
        reverse("attempt-view", args=[attempt.pk]),
        reverse("attempt-item", args=[attempt.pk, 1]),
    ]
    for page in pages:
        assert client.get(page)["Location"] == agree_page(exam, page)
    agree(exam.project, ann, now)
    assert [client.get(page).status_code for page in pages] == [200, 200]


def test_people_who_withdrew_read_what_they_typed_and_begin_nothing(
    exam, text, ann, now, client_as
):
    agree(exam.project, ann, now)
    attempt = begin(exam, ann, now)
    consent_services.withdraw_consent(project=exam.project, by=ann, now=now)
    assert client_as(ann).get(reverse("attempt-view", args=[attempt.pk])).status_code == 200
    factories.make_member(exam.project, "annotator", user=ann)
    QualificationAttempt.objects.update(state="ended")
    with pytest.raises(NotAgreed):
        begin(exam, ann, now)


def test_the_team_reads_of_the_person_what_is_missing(project, text, ada, ann, now, client_as):
    easy(project)
    factories.make_task(project)
    [note] = [
        each.note for each in list_work([project], now=now)[project.pk] if each.facts.user == ann.pk
    ]
    assert note.title == "Has not agreed to the consent text"
    page = client_as(ada).get(reverse("project-people", args=[project.slug])).text
    assert note.hint in page
    assert f'href="{reverse("project-consent", args=[project.slug])}">See the answers' in page
    assert "Before you" not in page
