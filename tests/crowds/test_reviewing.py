"""The team's side: consent page, terms, links, the queue, files."""

import csv
import io
import json
import uuid
from decimal import Decimal

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, PayEntry
from crowds.models import Briefing, Participation, Recruitment
from crowds.queries import next_to_review
from crowds.services import participations, recruitments, reviews
from tests.crowds import factories as crowd

TERMS = {
    "title": "Pilot",
    "platform": "prolific",
    "study": "",
    "stage": "generation",
    "questions": "3",
    "places": "20",
    "about_minutes": "10",
    "minutes": "60",
    "reward": "4.50",
    "reward_screened_out": "0.20",
    "currency": "EUR",
    "code": "C1DONE",
    "code_screened_out": "C2OUT",
    "checks": crowd.CHECKS,
    "fast_seconds": "15",
    "skip_limit": "33",
    "last_day": "2027-01-31",
}


@pytest.fixture
def recruitment(project):
    return crowd.make_recruitment(project, checks=crowd.CHECKS, reward_screened_out="0.20")


@pytest.fixture
def team(client, rosa):
    client.force_login(rosa)
    return client


def at(name, recruitment, *more):
    return reverse(name, args=[recruitment.project.slug, recruitment.pk, *more])


# --- consent and form -----------------------------------------------------------------------------


def test_versions_are_kept_and_each_participant_keeps_theirs(team, project):
    address = reverse("briefing", args=[project.slug])
    recruitment = crowd.make_recruitment(project)
    row = crowd.start(recruitment)
    data = {"consent": "New words.", "form": "Age?", "seen": "1", **crowd.WHO}
    assert team.post(address, data).status_code == 302
    assert team.post(address, data | {"consent": "Other"}).status_code == 409  # seen is version 1
    team.post(address, data | {"seen": "2"})  # the same texts
    assert [b.version for b in Briefing.objects.all()] == [1, 2]
    row.refresh_from_db()
    assert row.briefing.version == 1
    versions = json.loads(team.get(reverse("briefing-file", args=[project.slug])).content)
    assert [each["consent"] for each in versions] == [crowd.CONSENT, "New words."]
    assert versions[0]["form"][0]["marked"] == ["Under 18"]


def test_a_form_that_cannot_be_read_is_refused_with_its_line(team, project):
    address = reverse("briefing", args=[project.slug])
    data = {"consent": "Words.", "form": "Age?\r\n18", "seen": "0", **crowd.WHO}
    response = team.post(address, data)
    assert response.status_code == 422
    assert "Line 2" in response.content.decode()
    assert not Briefing.objects.exists()


def test_consent_is_safe_html(team, project, client):
    crowd.make_briefing(project, consent="<script>alert(1)</script> [x](javascript:alert(1))")
    page = client.get(crowd.link_of(crowd.make_recruitment(project))).content.decode()
    assert "<script>alert" not in page
    assert 'href="javascript:' not in page


# --- terms ----------------------------------------------------------------------------------------


def test_a_recruitment_is_opened_and_changed(team, project):
    address = reverse("recruitment-add", args=[project.slug])
    assert team.post(address, TERMS).status_code == 409  # nothing to consent to
    crowd.make_briefing(project)
    assert team.post(address, TERMS).status_code == 302
    row = Recruitment.objects.get()
    assert (row.reward, row.currency, row.ends_at.isoformat()[:10]) == (
        Decimal("4.50"),
        "EUR",
        "2027-02-01",
    )
    change = at("recruitment-change", row)
    assert 'value="2027-01-31"' in team.get(change).content.decode()
    assert team.post(change, TERMS | {"questions": "4"}).status_code == 302
    crowd.start(row, "5f" * 12)
    refused = team.post(change, TERMS | {"questions": "5"})
    assert refused.status_code == 409
    assert "questions" in refused.content.decode()
    assert team.post(change, TERMS | {"questions": "4", "places": "50"}).status_code == 302
    row.refresh_from_db()
    assert (row.questions, row.places) == (4, 50)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": ""}, "Write the code that Prolific expects"),
        ({"platform": "personal"}, "everyone gets their own"),
        ({"questions": "1"}, "fewer checks than questions"),
        ({"minutes": "5"}, "less than the time it takes"),
        ({"checks": "Age?"}, "must end with"),
        ({"stage": "expert"}, 'aria-invalid="true"'),
        ({"code": "A B"}, "Enter a valid value"),
        ({"places": "0"}, 'aria-invalid="true"'),
    ],
)
def test_terms_that_cannot_be_are_refused(team, project, change, words):
    crowd.make_briefing(project)
    response = team.post(reverse("recruitment-add", args=[project.slug]), TERMS | change)
    assert response.status_code == 422
    assert words in response.content.decode()
    assert not Recruitment.objects.exists()


def test_participants_are_offered_no_work_of_the_team_or_of_experts(project):
    offered = dict(recruitments.stages_for(project))
    assert "generation" in offered
    assert "expert" not in offered
    assert "audit" not in offered


# --- links ----------------------------------------------------------------------------------------


def test_personal_links_come_as_a_file(team, client, recruitment):
    response = team.post(
        at("recruitment-links", recruitment), {"ids": "p-1\r\n\r\np-2\r\np-1", "days": "3"}
    )
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [row["id"] for row in rows] == ["p-1", "p-2"]
    client.logout()
    client.post(rows[1]["link"], crowd.ANYONE)
    assert Participation.objects.get().external_id == "p-2"


@pytest.mark.parametrize("ids", ["", "=1+1", "a b", "a@b.c", "x" * 65])
def test_ids_that_cannot_be_are_refused(team, recruitment, ids):
    response = team.post(at("recruitment-links", recruitment), {"ids": ids, "days": "3"})
    assert response.status_code == 422


# --- the queue ------------------------------------------------------------------------------------


def test_flagged_people_come_first_and_are_not_approved_with_the_rest(team, recruitment):
    good = crowd.finish(recruitment, "good")
    bad = crowd.finish(recruitment, "bad", right=False)
    page = team.get(at("recruitment-view", recruitment)).content.decode()
    assert 0 < page.index(bad.user.name) < page.index(good.user.name)
    assert "1 of 1 checks wrong" in page
    team.post(at("participations-approve", recruitment), {"press": "unflagged"})
    good.refresh_from_db()
    bad.refresh_from_db()
    assert (good.review, bad.review) == ("approved", "")
    entry = PayEntry.objects.get(user=good.user)
    assert (entry.amount, entry.kind) == (Decimal("4.50"), "bonus")
    assert not PayEntry.objects.filter(user=bad.user).exists()


def test_who_has_run_out_of_time_is_not_approved_with_the_rest(team, recruitment):
    row = crowd.start(recruitment)
    crowd.work(row, 1)
    participations.end_participation(participation=row, status="timed_out", now=timezone.now())
    page = team.get(at("recruitment-view", recruitment)).content.decode()
    assert "Out of time after 1 of 2" in page
    approve = at("participations-approve", recruitment)
    assert team.post(approve, {"press": "unflagged"}).status_code == 409  # there is no one
    assert not PayEntry.objects.exists()
    team.post(approve, {"participation": row.pk})
    assert PayEntry.objects.get().user == row.user  # if the team decides so


def test_approving_twice_pays_once(recruitment, rosa, now):
    row = crowd.finish(recruitment)
    assert reviews.approve_participation(participation=row, by=rosa, now=now)
    assert not reviews.approve_participation(participation=row, by=rosa, now=now)
    assert PayEntry.objects.filter(user=row.user).count() == 1


def test_people_screened_out_get_their_own_reward(recruitment, rosa, now):
    row = crowd.start(recruitment, ready=False)
    participations.end_participation(participation=row, status="screened_out", now=now)
    reviews.approve_participation(participation=row, by=rosa, now=now)
    assert PayEntry.objects.get(user=row.user).amount == Decimal("0.20")
    with pytest.raises(Conflict):
        reviews.reject_participation(
            participation=row, reason="No.", leave_out=False, by=rosa, now=now
        )


def test_rejecting_needs_a_reason_and_can_exclude_the_work(team, recruitment):
    row = crowd.finish(recruitment, right=False)
    address = at("participation-review", recruitment, row.pk)
    assert team.post(address, {"press": "reject", "reason": " "}).status_code == 422
    team.post(address, {"press": "reject", "reason": "Wrong check.", "leave_out": "on"})
    row.refresh_from_db()
    assert (row.review, row.reason) == ("rejected", "Wrong check.")
    work = Assignment.objects.filter(user=row.user)
    assert work.count() == 2
    assert not work.filter(used=True).exists()
    assert (
        "Wrong check." in team.get(at("participation-view", recruitment, row.pk)).content.decode()
    )
    team.post(address, {"press": "approve"})  # after all, as platforms allow
    row.refresh_from_db()
    assert row.review == "approved"
    assert team.post(address, {"press": "reject", "reason": "x"}).status_code == 409


def test_no_one_decides_before_the_end_or_on_themselves(recruitment, rosa, now):
    row = crowd.start(recruitment)
    with pytest.raises(Conflict, match="still working"):
        reviews.approve_participation(participation=row, by=rosa, now=now)
    with pytest.raises(Denied):
        reviews.approve_participation(participation=row, by=row.user, now=now)
    with (
        pytest.raises(IntegrityError, match="participation_reviewed_by_someone"),
        transaction.atomic(),
    ):
        Participation.objects.update(review="approved", reviewed_by=rosa, reviewed_at=now)


def test_a_bonus_is_given_once_for_each_form(team, recruitment):
    row = crowd.finish(recruitment)
    address = at("participation-review", recruitment, row.pk)
    data = {"press": "bonus", "amount": "1.25", "reason": "Careful.", "key": str(uuid.uuid4())}
    for _ in range(2):
        team.post(address, data)
    row.refresh_from_db()
    assert row.bonus == PayEntry.objects.get(user=row.user).amount == Decimal("1.25")
    assert team.post(address, data | {"amount": "0"}).status_code == 422


# --- files ----------------------------------------------------------------------------------------


def content(team, recruitment, kind):
    response = team.get(at("recruitment-file", recruitment, kind))
    return b"".join(response).decode()


def test_files_for_the_platform_and_for_the_data(team, recruitment, rosa, now):
    good = crowd.finish(recruitment, "good")
    bad = crowd.finish(recruitment, "bad", right=False)
    participations.save_comment(participation=good, text="=HYPERLINK(1)", now=now)
    reviews.approve_participation(participation=good, by=rosa, now=now)
    reviews.reject_participation(
        participation=bad, reason="-wrong", leave_out=False, by=rosa, now=now
    )
    reviews.give_bonus(
        participation=good, amount=Decimal("1"), reason="x", key=uuid.uuid4(), by=rosa, now=now
    )
    assert content(team, recruitment, "approve") == "good\r\n"
    assert content(team, recruitment, "bonus") == "good,1.00\r\n"
    decisions = list(csv.DictReader(io.StringIO(content(team, recruitment, "decisions"))))
    assert [(row["participant_id"], row["review"], row["reason"]) for row in decisions] == [
        ("good", "approved", ""),
        ("bad", "rejected", "'-wrong"),
    ]
    text = content(team, recruitment, "participants")
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["person"] == derive_pseudonym(good.user, scope=recruitment.project.slug)
    assert (row["How old are you?"], row["consent_version"]) == ("18 to 34", "1")
    assert row["comment"] == "'=HYPERLINK(1)"
    assert "good" not in text
    assert team.get(at("recruitment-file", recruitment, "other")).status_code == 404


def test_the_platforms_file_frees_places(team, project):
    recruitment = crowd.make_recruitment(project, platform="prolific")
    gone = crowd.start(recruitment, "a" * 24, session="1" * 24)
    done = crowd.finish(recruitment, "b" * 24, session="2" * 24)
    kept = crowd.start(recruitment, "c" * 24, session="3" * 24)
    text = (
        "Submission id,Participant id,Status\r\n"
        f"{'1' * 24},{'a' * 24},RETURNED\r\n{'2' * 24},{'b' * 24},TIMED-OUT\r\n"
        f"{'3' * 24},{'c' * 24},ACTIVE\r\n{'4' * 24},{'d' * 24},RETURNED\r\n"
    )
    file = SimpleUploadedFile("prolific.csv", text.encode("utf-8-sig"))
    response = team.post(at("recruitment-statuses", recruitment), {"file": file}, follow=True)
    assert "names 3 participants" in response.content.decode()
    for row, status in ((gone, "returned"), (done, "timed_out"), (kept, "working")):
        row.refresh_from_db()
        assert row.status == status


@pytest.mark.parametrize(
    "text", [b"\xff\xfe\x00", b"a,b\r\n1,2", b'Status,Participant id\r\n"RETURNED', b"\x00"]
)
def test_other_files_are_refused_with_a_sentence(team, project, text):
    recruitment = crowd.make_recruitment(project, platform="prolific")
    file = SimpleUploadedFile("x.csv", text)
    response = team.post(at("recruitment-statuses", recruitment), {"file": file})
    assert response.status_code == 422
    assert "There is a problem" in response.content.decode()


def test_one_participant_leads_to_the_next_to_review(team, recruitment, rosa, now):
    first = crowd.finish(recruitment, "p-1")
    flagged = crowd.finish(recruitment, "p-2", right=False)
    assert next_to_review(flagged) == first
    assert next_to_review(first) == flagged  # begins again
    page = team.get(at("participation-view", recruitment, first.pk)).content.decode()
    assert at("participation-view", recruitment, flagged.pk) in page
    assert "Approve, 4.50 USD" in page
    assert page.index("How old are you?") < page.index("Country you live in")  # as in the form
    reviews.approve_participation(participation=flagged, by=rosa, now=now)
    assert next_to_review(first) is None


# --- growth ---------------------------------------------------------------------------------------


def test_pages_ask_as_much_for_many_participants_as_for_few(
    team, recruitment, django_assert_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    crowd.finish(recruitment, "p-0")
    addresses = [
        at("recruitment-view", recruitment),
        reverse("recruitment-list", args=[recruitment.project.slug]),
    ]
    before = []
    for address in addresses:
        with CaptureQueriesContext(connection) as few:
            team.get(address)
        before.append(len(few))
    for n in range(1, 4):
        row = crowd.start(recruitment, f"p-{n}")
        participations.end_participation(participation=row, status="completed", now=timezone.now())
    for address, count in zip(addresses, before, strict=True):
        with django_assert_num_queries(count):
            team.get(address)
