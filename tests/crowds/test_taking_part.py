"""A participant's way, over HTTP: consent, form, instructions, questions, checks, code."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from annotation.golds import services as golds_services
from annotation.models import Assignment, AuditEntry, GoldFlag, GoldVerdict, Membership
from annotation.work import assignments
from crowds.models import Participation
from crowds.services import participations
from tests import factories
from tests.annotation.work.helpers import multiple
from tests.crowds import factories as crowd

PAGE = "/take-part/"


def press(client, name, **data):
    return client.post(PAGE, {"press": name, **data})


def submit_for(row):
    turn = Assignment.objects.get(user=row.user, state="active")
    crowd.read(turn, timezone.now())
    assignments.submit_response(
        assignment=turn, response=multiple(), by=row.user, now=timezone.now()
    )


@pytest.fixture
def recruitment(project):
    return crowd.make_recruitment(project, checks=crowd.CHECKS)


def test_from_the_link_to_the_code(client, recruitment):
    link = crowd.link_of(recruitment)
    page = client.get(link).content.decode()
    assert "<strong>answer</strong>" in page
    assert "4.50 USD" in page
    assert not User.objects.filter(is_participant=True).exists()  # looking stores nothing
    assert client.post(link, crowd.ANYONE)["Location"] == PAGE
    row = Participation.objects.get()
    assert (row.status, row.external_id, row.user.has_usable_password()) == (
        "working",
        "p-1",
        False,
    )
    assert "How old are you?" in client.get(PAGE).content.decode()
    press(client, "about", **{"about-1": "18 to 34", "about-2": "Ireland"})
    row.refresh_from_db()
    assert row.answers == {"How old are you?": "18 to 34", "Country you live in": "Ireland"}
    assert "Read first." in client.get(PAGE).content.decode()
    response = press(client, "begin")
    assert response["Location"].startswith("/work/")
    assert "Question 1 of 2" in client.get(response["Location"]).content.decode()
    submit_for(row)
    assert "Which of these is a colour?" in client.get(PAGE).content.decode()
    assert press(client, "next")["Location"] == PAGE  # not before the check
    assert press(client, "check", check="Red")["Location"].startswith("/work/")
    submit_for(row)
    page = client.get(PAGE).content.decode()
    row.refresh_from_db()
    assert (row.status, row.done, row.failed, row.flagged) == ("completed", 2, 0, False)
    assert row.code in page
    assert "Thank you, that was all" in page
    assert not Membership.objects.filter(user=row.user).exists()
    press(client, "comment", comment="All clear.")
    row.refresh_from_db()
    assert row.comment == "All clear."
    assert "p-1" not in str(list(AuditEntry.objects.values_list("data", flat=True)))


def test_submitting_leads_to_the_next_question_and_then_to_the_code(client, recruitment):
    recruitment.checks = ""
    recruitment.save()
    row = crowd.start(recruitment)
    client.force_login(row.user)
    turn = participations.take_question(participation=row, now=timezone.now())
    crowd.read(turn, timezone.now())
    form = {
        "kind": "multiple",
        "pair-0-question": "When did the Thames Tunnel open to people on foot?",
        "pair-0-answer": ["1843"],
        "pair-0-quote": [""],
        "pair-1-question": "When did the Thames Tunnel open to trains?",
        "pair-1-answer": ["1869"],
        "pair-1-quote": [""],
    }
    # Scripts that ask for the page itself are led there, too: each address decides who may come.
    asks = {"HX-Request": "true", "Ambit-Next": "1"}
    answer = client.post(reverse("work-submit", args=[turn.pk]), form, headers=asks)
    address = answer["HX-Redirect"]
    assert address.startswith("/work/")
    assert not answer.content
    assert address != reverse("work-page", args=[turn.pk])
    submit_for(row)
    assert client.get("/")["Location"] == PAGE
    assert "completion code" in client.get(PAGE).content.decode()


def test_who_declines_leaves_nothing(client, recruitment):
    response = client.post(crowd.link_of(recruitment), {"press": "decline"})
    assert response.status_code == 200
    assert b"Nothing was kept" in response.content
    assert not Participation.objects.exists()
    assert not User.objects.filter(is_participant=True).exists()
    assert "sessionid" not in client.cookies


@pytest.mark.parametrize("ticked", [{}, {"adult": "on"}, {"agreed": "on"}])
def test_without_both_boxes_no_one_begins(client, recruitment, ticked):
    response = client.post(crowd.link_of(recruitment), ticked | {"press": "agree"})
    assert response.status_code == 422
    assert not Participation.objects.exists()


def test_an_answer_can_screen_out(client, project):
    recruitment = crowd.make_recruitment(project, platform="prolific")
    client.post(crowd.open_link(recruitment), crowd.ANYONE)
    press(client, "about", **{"about-1": "Under 18", "about-2": ""})
    row = Participation.objects.get()
    assert (row.status, row.code, row.done) == ("screened_out", "C2OUT", 0)
    page = client.get(PAGE).content.decode()
    assert "https://app.prolific.com/submissions/complete?cc=C2OUT" in page
    assert not Membership.objects.filter(user=row.user).exists()


def test_the_form_needs_an_answer_but_takes_none_given(client, recruitment):
    client.post(crowd.link_of(recruitment), crowd.ANYONE)
    assert press(client, "about", **{"about-1": "", "about-2": ""}).status_code == 422
    assert press(client, "about", **{"about-1": "Ninety"}).status_code == 422
    press(client, "about", **{"about-1": "I’d rather not say", "about-2": ""})
    assert Participation.objects.get().answered_at


def test_without_a_form_the_instructions_come_first(client, project):
    crowd.make_briefing(project, form="")
    client.post(crowd.link_of(crowd.make_recruitment(project)), crowd.ANYONE)
    assert "Start with question 1" in client.get(PAGE).content.decode()


def test_whoever_stops_frees_the_place_and_the_question(client, recruitment):
    recruitment.places = 1
    recruitment.save()
    row = crowd.start(recruitment)
    turn = participations.take_question(participation=row, now=timezone.now())
    client.force_login(row.user)
    assert "Stop taking part?" in press(client, "stop").content.decode()  # asks first
    row.refresh_from_db()
    assert row.status == "working"
    press(client, "stop-surely")
    row.refresh_from_db()
    turn.refresh_from_db()
    assert (row.status, row.code, turn.state) == ("returned", "", "expired")
    assert "You have stopped taking part" in client.get(PAGE).content.decode()
    assert press(client, "next")["Location"] == PAGE
    assert crowd.start(recruitment, "p-2").status == "working"


def test_participants_are_not_listed_as_members(client, recruitment, rosa):
    row = crowd.start(recruitment)
    client.force_login(rosa)
    page = client.get(reverse("project-people", args=[recruitment.project.slug])).content.decode()
    assert "Rosa Reed" in page
    assert row.user.name not in page


def test_time_ends_by_the_clock_and_on_the_next_look(client, recruitment):
    late = timezone.now() + dt.timedelta(minutes=61)
    one, two = crowd.start(recruitment, "p-1"), crowd.start(recruitment, "p-2")
    assert participations.end_overdue(now=timezone.now()) == 0
    assert participations.end_if_over(participation=two, now=late).status == "timed_out"
    assert participations.end_overdue(now=late) == 1
    one.refresh_from_db()
    assert (one.status, one.code) == ("timed_out", "")
    client.force_login(one.user)
    assert "Your time is over" in client.get(PAGE).content.decode()


def test_the_engine_hands_out_no_more_than_was_asked_for(project):
    recruitment = crowd.make_recruitment(project, tasks=5)
    row = crowd.start(recruitment)
    now = crowd.work(row, 2)
    with pytest.raises(Exception, match="That was the last question"):
        assignments.take_next(project=project, stage="generation", by=row.user, now=now)
    other = factories.make_member(project, "annotator", name="Ben Baker")
    assert assignments.take_next(project=project, stage="generation", by=other, now=now)


def test_the_engine_hands_out_nothing_before_the_instructions_or_after_the_time(recruitment):
    project = recruitment.project
    row = crowd.start(recruitment, ready=False)
    with pytest.raises(Exception, match="Read the instructions first"):
        assignments.take_next(project=project, stage="generation", by=row.user, now=timezone.now())
    late = timezone.now() + dt.timedelta(hours=2)
    with pytest.raises(Exception, match="The time for this study is over"):
        assignments.take_next(project=project, stage="generation", by=row.user, now=late)


def test_who_finds_no_question_left_is_paid_for_what_there_was(project):
    recruitment = crowd.make_recruitment(project, questions=3, tasks=1)
    row = crowd.start(recruitment)
    now = crowd.work(row, 1)
    assert participations.take_question(participation=row, now=now) is None
    assert (row.status, row.done, bool(row.code)) == ("completed", 1, True)
    now += dt.timedelta(minutes=1)
    back = crowd.start(crowd.make_recruitment(project, tasks=0), now=now)
    assert back.user == row.user  # who has had the only question of the project
    assert participations.take_question(participation=back, now=now) is None
    assert (back.status, back.done) == ("screened_out", 0)


def test_a_second_answer_to_a_check_changes_nothing(recruitment):
    row = crowd.start(recruitment)
    now = crowd.work(row, 1)
    for given in ("Monday", "Red"):
        participations.answer_check(participation=row, given=given, now=now)
    row.refresh_from_db()
    assert [check["given"] for check in row.checks] == ["Monday"]
    assert row.failed == 1


def test_checks_are_gold_items_and_their_rule_ends_the_part_of_who_misses_them(project):
    recruitment = crowd.make_recruitment(project, questions=4, tasks=6, checks=crowd.CHECKS)
    now = timezone.now()
    golds_services.save_plan(
        project=project, stage=recruitment.stage, by=None, now=now, enough=1, missed=1
    )
    row = crowd.start(recruitment)
    now = crowd.work(row, row.next_check)
    participations.answer_check(participation=row, given="Monday", now=now)
    verdict = GoldVerdict.objects.get()
    assert (verdict.user, verdict.missed, verdict.item.kind) == (row.user, True, "check")
    assert GoldFlag.objects.get().paused
    assert participations.take_question(participation=row, now=now) is None
    row.refresh_from_db()
    assert (row.status, row.flagged, bool(row.code)) == ("completed", True, True)


def test_checks_flag_but_do_not_pause_where_no_one_has_saved_a_rule(project):
    recruitment = crowd.make_recruitment(project, questions=4, tasks=6, checks=crowd.CHECKS)
    row = crowd.start(recruitment)
    now = crowd.work(row, row.next_check)
    participations.answer_check(participation=row, given="Monday", now=now)
    assert GoldVerdict.objects.get().plan.pauses is False
    assert participations.take_question(participation=row, now=now) is not None


def test_fast_people_and_wrong_checks_are_flagged(project):
    recruitment = crowd.make_recruitment(project, checks=crowd.CHECKS, fast_seconds=10)
    fast = crowd.finish(recruitment, "fast", seconds=4)
    wrong = crowd.finish(recruitment, "wrong", right=False)
    assert (fast.flagged, fast.flags) == (True, ["4 s a question, less than 10 s"])
    assert (wrong.flagged, wrong.flags) == (True, ["1 of 1 checks wrong"])


def test_what_was_agreed_can_be_read_again(client, recruitment):
    row = crowd.start(recruitment)
    crowd.make_briefing(recruitment.project, consent="Another text.")
    client.force_login(row.user)
    page = client.get(f"{PAGE}consent/").content.decode()
    assert "<strong>answer</strong>" in page
    assert "version 1" in page
    assert client.post(f"{PAGE}consent/").status_code == 405


def test_the_work_page_shows_the_end_of_the_study_where_it_comes_first(client, recruitment):
    row = crowd.start(recruitment)
    client.force_login(row.user)
    turn = participations.take_question(participation=row, now=timezone.now())
    address = reverse("work-page", args=[turn.pk])
    page = client.get(address).content.decode()
    assert "Answers in June" in page
    assert "Study ends" in page
    assert "Extend" not in page
    Participation.objects.update(deadline=turn.lease_ends_at + dt.timedelta(minutes=1))
    page = client.get(address).content.decode()
    assert "Yours until" in page
    assert "Extend" in page
