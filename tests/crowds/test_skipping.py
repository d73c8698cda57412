"""How many questions a participant may skip before there is no completion code."""

import csv
import io
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.models import Assignment, Membership, PayEntry
from annotation.work import assignments, leases
from crowds.models import Participation, Recruitment
from crowds.policies.participations import skips_too_many
from crowds.services import participations
from tests.crowds import factories as crowd

PAGE = "/take-part/"
SKIP = {"reason": "subjective", "then": "next"}


def skip(row, number=1):
    """Skip so many questions, as the engine lets anybody."""
    for _ in range(number):
        turn = participations.take_question(participation=row, now=timezone.now())
        assignments.skip_question(
            assignment=turn, reason="subjective", by=row.user, now=timezone.now()
        )


def post(client, name, turn, **data):
    return client.post(reverse(name, args=[turn.pk]), SKIP | data)


@pytest.mark.parametrize(
    ("limit", "skipped", "done", "too_many"),
    [
        ("0.33", 0, 0, False),
        ("0.33", 1, 0, False),  # of three at least: a third
        ("0.33", 2, 0, True),
        ("0.33", 1, 1, False),
        ("0.33", 2, 3, True),
        ("0.33", 2, 4, False),
        ("0.33", 10, 1, True),
        ("0", 1, 20, True),
        ("0", 0, 20, False),
        ("1", 50, 0, False),
        (None, 50, 0, False),
    ],
)
def test_the_share_that_may_be_skipped(limit, skipped, done, too_many):
    share = None if limit is None else Decimal(limit)
    assert skips_too_many(share, skipped=skipped, done=done) is too_many


def test_who_skips_nearly_everything_gets_no_code(project):
    recruitment = crowd.make_recruitment(project, questions=3, tasks=6, platform="prolific")
    row = crowd.start(recruitment, crowd.PID)
    crowd.work(row, 1)
    skip(row, 2)
    assert participations.take_question(participation=row, now=timezone.now()) is None
    assert (row.status, row.code, row.done, row.skipped) == ("skipped", "", 1, 2)
    assert row.flagged
    assert row.flags == ["Skipped 2 of 3 questions"]
    assert not Membership.objects.filter(user=row.user).exists()


def test_releasing_counts_as_skipping(project):
    row = crowd.start(crowd.make_recruitment(project, questions=3, tasks=6))
    crowd.work(row, 1)
    for _ in range(2):
        turn = participations.take_question(participation=row, now=timezone.now())
        leases.give_back(assignment=turn, by=row.user, now=timezone.now())
    assert participations.take_question(participation=row, now=timezone.now()) is None
    assert (row.status, row.code, row.skipped) == ("skipped", "", 2)


def test_who_runs_out_of_questions_within_the_limit_is_paid(project):
    row = crowd.start(crowd.make_recruitment(project, questions=4, tasks=3))
    crowd.work(row, 2)
    skip(row)
    assert participations.take_question(participation=row, now=timezone.now()) is None
    assert (row.status, bool(row.code), row.skipped) == ("completed", True, 1)


def test_the_engine_gives_no_question_to_whoever_skipped_too_many(project):
    row = crowd.start(crowd.make_recruitment(project, questions=3, tasks=6))
    skip(row, 2)
    now = timezone.now()
    with pytest.raises(Conflict, match="skipped more questions than this study allows"):
        assignments.take_next(project=project, stage="generation", by=row.user, now=now)
    turn = Assignment.objects.filter(user=row.user).first()
    with pytest.raises(Conflict, match="skipped more questions than this study allows"):
        leases.reopen_assignment(assignment=turn, by=row.user, now=now)


def test_who_began_before_there_was_a_limit_has_none(project):
    row = crowd.start(crowd.make_recruitment(project, questions=3, tasks=4))
    Participation.objects.filter(pk=row.pk).update(skip_limit=None)
    row.refresh_from_db()
    crowd.work(row, 1)
    skip(row, 3)
    assert participations.take_question(participation=row, now=timezone.now()) is None
    assert (row.status, bool(row.code)) == ("completed", True)


def test_people_keep_the_limit_they_began_under(project):
    recruitment = crowd.make_recruitment(project, questions=3, tasks=6)
    row = crowd.start(recruitment)
    Recruitment.objects.filter(pk=recruitment.pk).update(skip_limit=0)
    skip(row)
    assert participations.take_question(participation=row, now=timezone.now()) is not None


@pytest.mark.parametrize("model", [Recruitment, Participation])
@pytest.mark.parametrize("limit", ["-0.01", "1.01"])
def test_the_database_takes_only_a_share(project, model, limit):
    crowd.start(crowd.make_recruitment(project))
    name = f"{model.__name__.lower()}_skip_limit_is_a_share"
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        model.objects.update(skip_limit=Decimal(limit))


# --- on the pages ---------------------------------------------------------------------------------


def test_the_instructions_say_it(client, project):
    recruitment = crowd.make_recruitment(project)
    row = crowd.start(recruitment)
    Participation.objects.update(instructed_at=None)
    client.force_login(row.user)
    page = client.get(PAGE).content.decode()
    assert "no more than 33 % of them" in page
    Participation.objects.update(skip_limit=0)
    assert "If you skip a question, your part ends" in client.get(PAGE).content.decode()
    for limit in (1, None):
        Participation.objects.update(skip_limit=limit)
        assert "your part ends" not in client.get(PAGE).content.decode()


@pytest.mark.parametrize("name", ["work-skip", "work-return"])
def test_before_the_skip_that_is_too_many_people_are_asked(client, project, name):
    row = crowd.start(crowd.make_recruitment(project, questions=4, tasks=6))
    client.force_login(row.user)
    first = participations.take_question(participation=row, now=timezone.now())
    following = post(client, "work-skip", first)["Location"]  # the first is allowed
    turn = Assignment.objects.get(user=row.user, state="active")
    assert following == reverse("work-page", args=[turn.pk])
    response = post(client, name, turn, feedback="<b>Hm.</b>")
    page = response.content.decode()
    assert response.status_code == 200
    assert "2 of 2 questions" in page
    assert "no completion code" in page
    assert f'href="{following}"' in page  # the way back to the question
    assert "&lt;b&gt;Hm.&lt;/b&gt;" in page
    turn.refresh_from_db()
    row.refresh_from_db()
    assert (turn.state, row.status) == ("active", "working")
    assert post(client, name, turn, surely="yes")["Location"] == "/"
    assert client.get("/")["Location"] == PAGE
    page = client.get(PAGE).content.decode()
    row.refresh_from_db()
    assert (row.status, row.code, row.skipped) == ("skipped", "", 2)
    assert "You skipped 2 of 2 questions" in page
    assert 'id="messages"' not in page  # the page itself says what has happened
    assert "no completion code" in page
    assert client.get(reverse("work-page", args=[turn.pk])).status_code == 200


def test_a_second_press_in_another_window_is_not_asked_about(client, project):
    row = crowd.start(crowd.make_recruitment(project, questions=4, tasks=6))
    client.force_login(row.user)
    turn = participations.take_question(participation=row, now=timezone.now())
    for _ in range(2):
        assert post(client, "work-skip", turn).status_code == 302
    row.refresh_from_db()
    assert (row.status, Assignment.objects.filter(state="skipped").count()) == ("working", 1)


def test_others_skip_without_being_asked(client, project, ann):
    crowd.make_recruitment(project, tasks=4)
    client.force_login(ann)
    for _ in range(3):
        turn = assignments.take_next(
            project=project, stage="generation", by=ann, now=timezone.now()
        )
        assert post(client, "work-skip", turn).status_code == 302


def test_a_skip_in_another_window_while_the_next_question_is_taken(project, monkeypatch):
    row = crowd.start(crowd.make_recruitment(project, questions=3, tasks=6))
    crowd.work(row, 1)
    skip(row)
    turn = participations.take_question(participation=row, now=timezone.now())
    take_next = assignments.take_next

    def skipped_meanwhile(**given):
        assignments.skip_question(
            assignment=turn, reason="subjective", by=row.user, now=given["now"]
        )
        return take_next(**given)

    monkeypatch.setattr(participations, "take_next", skipped_meanwhile)
    assert participations.take_question(participation=row, now=timezone.now()) is None
    assert (row.status, row.code) == ("skipped", "")


# --- what the team sees ---------------------------------------------------------------------------


def test_the_team_sets_the_limit_and_decides_about_those_beyond_it(client, project, rosa):
    recruitment = crowd.make_recruitment(project, questions=3, tasks=6)
    client.force_login(rosa)
    here = [project.slug, recruitment.pk]
    terms, view = reverse("recruitment-change", args=here), reverse("recruitment-view", args=here)
    row = crowd.start(recruitment)
    skip(row, 2)
    participations.end_if_over(participation=row, now=timezone.now())
    form = client.get(terms).context["form"]
    data = {name: "" if value is None else value for name, value in form.initial.items()}
    assert data["skip_limit"] == 33
    for refused in ("101", "-1", "", "a third"):
        assert client.post(terms, data | {"skip_limit": refused}).status_code == 422
    assert client.post(terms, data | {"skip_limit": "50"}).status_code == 302
    recruitment.refresh_from_db()
    assert recruitment.skip_limit == Decimal("0.50")
    page = client.get(view).content.decode()
    assert "50 % of the questions" in page
    assert "Skipped 2 of 2 questions" in page  # in the queue, with its reason
    file = reverse("recruitment-file", args=[*here, "participants"])
    [line] = csv.DictReader(io.StringIO(b"".join(client.get(file)).decode()))
    assert (line["status"], line["questions"], line["skipped"]) == ("skipped", "0", "2")
    review = reverse("participation-review", args=[*here, row.pk])
    client.post(review, {"press": "reject", "reason": "Nearly nothing was answered."})
    row.refresh_from_db()
    assert row.review == "rejected"
    client.post(review, {"press": "approve"})
    row.refresh_from_db()
    assert (row.review, PayEntry.objects.get().user) == ("approved", row.user)
