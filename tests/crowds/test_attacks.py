"""What someone may try with a link, an id or an account that is not theirs."""

import datetime as dt
import logging
import re

import pytest
from django.contrib.auth import SESSION_KEY
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Conflict, Denied
from annotation.models import Membership
from annotation.work import assignments, leases
from config.logs import HideTokens
from crowds import links
from crowds.middleware import ALLOWED
from crowds.models import Participation
from crowds.services import participations, reviews
from tests import factories
from tests.annotation.work.helpers import in_parallel, multiple
from tests.crowds import factories as crowd

PAGE = "/take-part/"


@pytest.fixture
def recruitment(project):
    return crowd.make_recruitment(project)


def signed_in_as(client):
    return User.objects.filter(pk=client.session.get(SESSION_KEY)).first()


# --- links ----------------------------------------------------------------------------------------


def test_a_forged_link_lets_no_one_in(client, recruitment, settings):
    good = crowd.link_of(recruitment)
    settings.SECRET_KEY = "the forger’s own"
    forged = crowd.link_of(recruitment, "p-2")
    settings.SECRET_KEY = "ours"
    for link in (good, forged, f"{PAGE}x/", f"{PAGE}{'a' * 700}/"):
        for response in (client.get(link), client.post(link, crowd.ANYONE)):
            assert response.status_code == 400
            assert b"incomplete or damaged" in response.content
    assert not Participation.objects.exists()
    assert signed_in_as(client) is None


def test_a_link_of_a_recruitment_that_a_backup_replaced(client, recruitment):
    link = crowd.link_of(recruitment)
    recruitment.created_at -= dt.timedelta(days=1)
    recruitment.save()
    assert client.get(link).status_code == 400


def test_a_link_that_has_ended_shows_only_the_code(client, recruitment):
    old = crowd.link_of(recruitment, days=-1)
    assert client.get(old).status_code == 410
    assert client.post(old, crowd.ANYONE).status_code == 410
    row = crowd.start(recruitment)
    assert client.post(old, crowd.ANYONE).status_code == 410  # no way back to the work
    participations.end_participation(participation=row, status="completed", now=timezone.now())
    response = client.get(old)
    assert response.status_code == 410
    assert row.code
    assert row.code in response.content.decode()
    assert signed_in_as(client) is None


def test_a_link_used_again_leads_to_the_same_place(client, recruitment):
    link = crowd.link_of(recruitment)
    for _ in range(2):
        client.post(link, crowd.ANYONE)
    other = Client()
    assert b"Welcome back" in other.get(link).content
    other.post(link, {"press": "agree"})
    assert signed_in_as(other) == signed_in_as(client)
    assert Participation.objects.count() == 1
    assert client.get(link)["Location"] == PAGE


def test_a_finished_link_gives_no_second_part(client, recruitment):
    row = crowd.finish(recruitment)
    client.post(crowd.link_of(recruitment), crowd.ANYONE)
    assert row.code in client.get(PAGE).content.decode()
    assert Participation.objects.count() == 1


def test_two_clicks_at_once_make_one_account(transactional_db):
    recruitment = crowd.make_recruitment(factories.make_project())
    rows = in_parallel([lambda: crowd.start(recruitment, ready=False)] * 2)
    assert rows[0] == rows[1]
    assert User.objects.filter(is_participant=True).count() == 1


def test_no_more_people_than_places(transactional_db):
    recruitment = crowd.make_recruitment(factories.make_project(), places=1)
    came = in_parallel(
        [lambda n=n: crowd.start(recruitment, f"p-{n}", ready=False) for n in range(3)]
    )
    assert sorted(type(row).__name__ for row in came) == ["Conflict", "Conflict", "Participation"]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"state": "closed"}, 409),
        ({"places": 1}, 409),
        ({"ends_at": timezone.now() - dt.timedelta(days=1)}, 410),
    ],
)
def test_who_comes_too_late_is_told_so(client, recruitment, change, status):
    row = crowd.start(recruitment, "first")
    type(recruitment).objects.filter(pk=recruitment.pk).update(**change)
    link = crowd.link_of(recruitment, "second")
    assert client.get(link).status_code == client.post(link, crowd.ANYONE).status_code == status
    recruitment.refresh_from_db()
    type(recruitment).objects.filter(pk=recruitment.pk).update(platform="prolific", code="C1")
    response = client.get(crowd.open_link(recruitment))
    assert response.status_code == status
    assert "press “Cancel participation”" in response.content.decode()
    client.post(crowd.link_of(recruitment, "first"), crowd.ANYONE)
    assert signed_in_as(client) == row.user  # who has a place goes on


# --- parameters of a platform ---------------------------------------------------------------------


@pytest.fixture
def prolific(project):
    return crowd.make_recruitment(project, platform="prolific", study=crowd.STUDY)


def test_an_id_without_its_session_is_no_key(client, prolific):
    client.post(crowd.open_link(prolific), crowd.ANYONE)
    thief = Client()
    response = thief.post(crowd.open_link(prolific, SESSION_ID="0" * 24), crowd.ANYONE)
    assert response.status_code == 403
    assert b"You have taken part in this study before" in response.content
    assert signed_in_as(thief) is None
    assert Participation.objects.count() == 1


@pytest.mark.parametrize("change", [{}, {"places": 1}, {"state": "closed"}])
@pytest.mark.parametrize("erased", [False, True])
def test_a_link_does_not_say_whether_an_id_took_part(project, rosa, change, erased):
    prolific = crowd.make_recruitment(project, platform="prolific")
    row = crowd.start(prolific, crowd.PID, session=crowd.SESSION)
    if erased:
        participations.end_participation(participation=row, status="completed", now=timezone.now())
        reviews.erase_participation(participation=row, leave_out=False, by=rosa, now=timezone.now())
    type(prolific).objects.filter(pk=prolific.pk).update(**change)

    def answers(external_id):
        """Everything that can be asked of a link without consent, with the ids left out."""
        link = crowd.open_link(prolific, PROLIFIC_PID=external_id, SESSION_ID="0" * 24)
        sent = ({"press": "decline"}, {"press": "agree"}, {"press": "agree", "adult": "on"})
        got = [Client().get(link), *(Client().post(link, data) for data in sent)]
        texts = [
            re.sub(rf'{external_id}|(?<=value=")\w{{64}}|(?<=token": ")\w{{64}}', "", text)
            for text in (response.content.decode() for response in got)
        ]
        return [(response.status_code, text) for response, text in zip(got, texts, strict=True)]

    assert answers(crowd.PID) == answers("1" * 24)


def test_the_browser_of_a_participant_goes_on_from_another_session(client, prolific):
    client.post(crowd.open_link(prolific), crowd.ANYONE)
    link = crowd.open_link(prolific, SESSION_ID="0" * 24)
    assert client.get(link)["Location"] == PAGE
    assert client.post(link, crowd.ANYONE)["Location"] == PAGE
    other = crowd.open_link(prolific, PROLIFIC_PID="1" * 24)
    assert client.get(other).status_code == 200  # a newcomer's page: this is someone else


@pytest.mark.parametrize(
    "query",
    [
        {"PROLIFIC_PID": ""},
        {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"},
        {"SESSION_ID": "x" * 24},
        {"STUDY_ID": ""},
        {"PROLIFIC_PID": "5f" * 12 + "'--"},
    ],
)
def test_parameters_that_are_not_prolifics_are_refused(client, prolific, query):
    response = client.post(crowd.open_link(prolific, **query), crowd.ANYONE)
    assert response.status_code == 400
    assert not Participation.objects.exists()


def test_another_study_of_the_platform_is_refused(client, prolific):
    response = client.post(crowd.open_link(prolific, STUDY_ID="0" * 24), crowd.ANYONE)
    assert response.status_code == 400
    assert not Participation.objects.exists()


def test_an_open_link_of_personal_links_lets_no_one_in(client, recruitment):
    assert client.post(crowd.open_link(recruitment), crowd.ANYONE).status_code == 400


def test_without_ids_the_browser_alone_is_recognised(client, project):
    swap = crowd.make_recruitment(project, platform="surveyswap")
    for _ in range(2):
        client.post(crowd.open_link(swap), crowd.ANYONE)
    Client().post(crowd.open_link(swap), crowd.ANYONE)
    assert Participation.objects.count() == 2


# --- accounts -------------------------------------------------------------------------------------


def test_one_account_in_a_project_another_elsewhere(project):
    here = crowd.finish(crowd.make_recruitment(project), "p-1")
    again = crowd.start(
        crowd.make_recruitment(project), "p-1", now=timezone.now() + dt.timedelta(hours=1)
    )
    elsewhere = crowd.start(crowd.make_recruitment(factories.make_project()), "p-1")
    assert here.user == again.user != elsewhere.user


def test_two_at_once_in_one_project_are_refused(project):
    crowd.start(crowd.make_recruitment(project), "p-1")
    with pytest.raises(Conflict, match="Finish or return it first"):
        crowd.start(crowd.make_recruitment(project), "p-1")


def test_a_link_of_another_project_changes_the_account(client, recruitment):
    client.post(crowd.link_of(recruitment), crowd.ANYONE)
    first = signed_in_as(client)
    other = crowd.make_recruitment(factories.make_project())
    client.post(crowd.link_of(other), crowd.ANYONE)
    second = signed_in_as(client)
    assert second not in (None, first)
    assert [row.project for row in Membership.objects.filter(user=second)] == [other.project]


def test_looking_at_a_link_signs_no_one_in_or_out(client, recruitment, rosa):
    link = crowd.link_of(recruitment)
    crowd.start(recruitment)
    client.get(link)
    assert signed_in_as(client) is None
    client.force_login(rosa)
    assert b"You are signed in as Rosa Reed" in client.get(link).content
    assert client.post(link, crowd.ANYONE).status_code == 403
    assert signed_in_as(client) == rosa


def test_a_form_from_another_site_signs_no_one_in(recruitment):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(crowd.link_of(recruitment), crowd.ANYONE).status_code == 403
    assert not Participation.objects.exists()


def test_a_participant_reaches_their_page_and_their_work_alone(client, recruitment):
    row = crowd.start(recruitment)
    turn = participations.take_question(participation=row, now=timezone.now())
    client.force_login(row.user)
    assert client.get("/")["Location"] == PAGE
    assert client.get(reverse("work-page", args=[turn.pk])).status_code == 200
    slug = recruitment.project.slug
    for name, args in [
        ("project-list", []),
        ("project-overview", [slug]),
        ("project-guidelines", [slug]),
        ("recruitment-list", [slug]),
        ("account-settings", []),
        ("account_change_password", []),
        ("pay-mine", []),
        ("submission-list", []),
        ("work-park", [turn.pk]),
        ("work-next", [slug, "generation"]),
        ("api-docs", []),
    ]:
        address = reverse(name, args=args)
        assert client.get(address).status_code == client.post(address).status_code == 404, name
    assert client.post(reverse("token-create")).status_code == 404
    assert client.get(f"/api/v1/projects/{slug}/").status_code == 404


def test_every_page_a_participant_may_open_is_there():
    names = set()

    def walk(resolver, prefix=""):
        for entry in resolver.url_patterns:
            if hasattr(entry, "url_patterns"):
                inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
                walk(entry, inner)
            elif entry.name:
                names.add(prefix + entry.name)

    walk(get_resolver())
    assert names >= ALLOWED


def test_other_peoples_work_is_not_there(client, recruitment):
    one, two = crowd.start(recruitment, "p-1"), crowd.start(recruitment, "p-2")
    turn = participations.take_question(participation=one, now=timezone.now())
    client.force_login(two.user)
    assert client.get(reverse("work-page", args=[turn.pk])).status_code == 404


def test_who_comes_with_an_id_of_someone_else_does_not_read_their_earlier_work(client, project):
    first, second = (
        crowd.make_recruitment(project, platform="prolific", tasks=2) for _ in range(2)
    )
    row = crowd.start(first, crowd.PID, session=crowd.SESSION)
    turn = participations.take_question(participation=row, now=timezone.now())
    page = reverse("work-page", args=[turn.pk])
    client.force_login(row.user)
    assert client.get(page).status_code == 200
    participations.end_participation(participation=row, status="returned", now=timezone.now())
    assert client.get(page).status_code == 200  # their own, as long as they have not come again
    thief = Client()
    thief.post(crowd.open_link(second, SESSION_ID="9" * 24), crowd.ANYONE)
    assert signed_in_as(thief) == row.user  # so that no question comes to a person twice
    for name in ("work-page", "work-draft", "work-resume", "work-submit"):
        address = reverse(name, args=[turn.pk])
        assert thief.get(address).status_code == thief.post(address).status_code == 404, name


def test_other_people_have_no_page_of_a_participant(client, recruitment, rosa):
    client.force_login(rosa)
    assert client.get(PAGE).status_code == client.post(PAGE).status_code == 404


@pytest.mark.parametrize(
    "change", [{"password": "pbkdf2$1"}, {"is_staff": True}, {"is_superuser": True}]
)
def test_no_participant_can_sign_in_otherwise(recruitment, change):
    row = crowd.start(recruitment)
    with (
        pytest.raises(IntegrityError, match="user_participant_signs_in_by_link"),
        transaction.atomic(),
    ):
        User.objects.filter(pk=row.user_id).update(**change)


def test_many_from_one_address_must_wait(client, recruitment, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "take_part": "2/m/ip"}
    came = [Client().post(crowd.link_of(recruitment, f"p-{n}"), crowd.ANYONE) for n in range(3)]
    assert [response.status_code for response in came] == [302, 302, 429]
    page = came[-1].content.decode()
    assert "then open the study again" in page
    assert "Back to sign in" not in page  # where participants have no account


def test_links_and_ids_are_not_in_the_log():
    record = logging.LogRecord("x", 20, "x", 1, "GET %s", None, None)
    token = links.RecruitmentLink(1, 2, "p-1", 3).signed_token()
    record.args = (f"/take-part/{token}/?PROLIFIC_PID={crowd.PID}&STUDY_ID=1&SESSION_ID=abc",)
    HideTokens().filter(record)
    message = record.getMessage()
    assert token not in message
    assert crowd.PID not in message
    assert "abc" not in message


# --- work -----------------------------------------------------------------------------------------


def test_a_released_question_gets_around_neither_check_nor_number(project):
    recruitment = crowd.make_recruitment(project, questions=2, tasks=4, checks=crowd.CHECKS)
    row, now = crowd.start(recruitment), timezone.now()
    released = participations.take_question(participation=row, now=now)
    leases.give_back(assignment=released, by=row.user, now=now)
    for refusal in ("A short check comes next", "That was the last question"):
        crowd.work(row, 1)
        with pytest.raises(Conflict, match=refusal):
            leases.reopen_assignment(assignment=released, by=row.user, now=now)
        participations.answer_check(participation=row, given="Red", now=now)
    assert participations.end_if_over(participation=row, now=now).done == 2


@pytest.mark.parametrize("status", ["returned", "timed_out"])
def test_nothing_is_taken_after_the_end(client, recruitment, status):
    row, now = crowd.start(recruitment), timezone.now()
    turn = participations.take_question(participation=row, now=now)
    crowd.read(turn, now)
    participations.end_participation(participation=row, status=status, now=now)
    with pytest.raises(Denied, match="no longer have the role"):
        assignments.submit_response(assignment=turn, response=multiple(), by=row.user, now=now)
    client.force_login(row.user)
    for name in ("work-resume", "work-extend"):
        assert client.post(reverse(name, args=[turn.pk])).status_code in (403, 404), name
    for name, args in (("work-search", []), ("work-read", ["Thames_Tunnel"])):
        answer = client.get(reverse(name, args=[turn.pk, *args]), {"q": "tunnel"})
        assert answer.status_code in (403, 404, 409), name
    assert participations.take_question(participation=row, now=now) is None
    assert client.post(PAGE, {"press": "begin"})["Location"] == PAGE
    turn.refresh_from_db()
    row.refresh_from_db()
    assert (turn.state, row.status, row.done) == ("expired", status, 0)
    assert client.get(PAGE).status_code == 200


def test_the_code_is_not_there_before_the_end(client, project):
    recruitment = crowd.make_recruitment(project, platform="prolific", code="SECRET17")
    row = crowd.start(recruitment, crowd.PID, session=crowd.SESSION, ready=False)
    client.force_login(row.user)
    for press in ("", "about", "begin", "next", "check", "comment", "end", "complete"):
        answer = client.post(
            PAGE, {"press": press, "code": "x", "status": "completed"}, follow=True
        )
        assert "SECRET17" not in answer.text
    link = crowd.open_link(recruitment)
    assert "SECRET17" not in Client().get(link).text
    row.refresh_from_db()
    assert row.status == "working"
    client.post(PAGE, {"press": "stop"})
    assert "SECRET17" not in client.get(PAGE).text
