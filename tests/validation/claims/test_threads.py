"""Claims and questions as threads: who may open, write, read and withdraw them, and until when."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.faq import services as faq_services
from annotation.models import AuditEntry, FaqEntry, Message, Project, Thread
from annotation.threads import services as threads_services
from annotation.work import assignments
from annotation.work.team_questions import park_and_ask
from tests import factories
from validation.claims import services as claims_services


class TestClaiming:
    def test_until_the_deadline_and_not_after(self, bens, ann, project, turn_of, now):
        turn = turn_of(ann)
        late = now + dt.timedelta(days=14, seconds=1)
        with pytest.raises(Conflict, match=r"could be disputed until .*ask a question"):
            claims_services.open_claim(assignment=turn, text="Look again.", by=ann, now=late)
        assert not Thread.objects.exists()
        on_time = now + dt.timedelta(days=14)
        assert claims_services.open_claim(
            assignment=turn, text="Look again.", by=ann, now=on_time
        ).pk

    def test_the_project_sets_the_days(self, bens, ann, project, turn_of, now):
        Project.objects.filter(pk=project.pk).update(claim_days=1)
        with pytest.raises(Conflict, match="until"):
            claims_services.open_claim(
                assignment=turn_of(ann), text="No.", by=ann, now=now + dt.timedelta(days=2)
            )
        Project.objects.filter(pk=project.pk).update(claim_days=0)
        with pytest.raises(Conflict, match="cannot be disputed in this project"):
            claims_services.open_claim(assignment=turn_of(ann), text="No.", by=ann, now=now)

    def test_not_while_it_waits(self, disagreed, ann, turn_of, now):
        with pytest.raises(Conflict, match="no result yet"):
            claims_services.open_claim(assignment=turn_of(ann), text="Well?", by=ann, now=now)
        thread = threads_services.open_thread(
            assignment=turn_of(ann), kind="question", text="When?", by=ann, now=now
        )
        assert thread.state == "open"

    def test_never_on_the_work_of_others(self, bens, ann, ben, turn_of, now):
        with pytest.raises(Denied):
            claims_services.open_claim(assignment=turn_of(ann), text="Mine.", by=ben, now=now)

    def test_a_second_claim_goes_into_the_one_that_is_open(self, claimed, ann, turn_of, now):
        again = claims_services.open_claim(
            assignment=turn_of(ann), text="And 1843.", by=ann, now=now
        )
        twice = claims_services.open_claim(
            assignment=turn_of(ann), text="And 1843.", by=ann, now=now
        )
        assert claimed.pk == again.pk == twice.pk
        assert claimed.messages.count() == 2

    def test_the_database_keeps_one_open(self, claimed, now):
        with pytest.raises(IntegrityError), transaction.atomic():
            Thread.objects.create(
                assignment=claimed.assignment,
                project=claimed.project,
                kind="claim",
                waiting_since=now,
            )

    @pytest.mark.parametrize(
        "fields",
        [
            {"state": "answered", "closed_at": "now"},  # a claim is ruled, not answered
            {"state": "upheld"},  # closed when?
            {"kind": "question", "state": "upheld", "closed_at": "now"},
            {"kind": "praise"},
        ],
    )
    def test_the_database_knows_states_and_kinds(self, claimed, fields, now):
        fields = {key: now if value == "now" else value for key, value in fields.items()}
        with pytest.raises(IntegrityError), transaction.atomic():
            Thread.objects.filter(pk=claimed.pk).update(**fields)


class TestTalking:
    def test_an_answer_answers_a_question_and_writing_again_opens_it(
        self, bens, ann, rosa, turn_of, now
    ):
        later = now + dt.timedelta(hours=1)
        thread = threads_services.open_thread(
            assignment=turn_of(ann), kind="question", text="Why?", by=ann, now=now
        )
        threads_services.answer_thread(thread=thread, text="Read on.", by=rosa, now=now)
        assert (thread.state, thread.closed_at) == ("answered", now)
        threads_services.write_as_author(thread=thread, text="Where?", by=ann, now=later)
        assert (thread.state, thread.waiting_since) == ("open", later)

    def test_a_claim_stays_open_when_staff_write(self, claimed, rosa, now):
        threads_services.answer_thread(thread=claimed, text="We look.", by=rosa, now=now)
        assert claimed.state == "open"

    def test_nobody_answers_on_their_own_work(self, claimed, ann, now):
        factories.make_member(claimed.project, "researcher", user=ann)
        with pytest.raises(Denied, match="your own work"):
            threads_services.answer_thread(thread=claimed, text="Granted.", by=ann, now=now)
        with pytest.raises(Denied, match="your own work"):
            claims_services.uphold_result(thread=claimed, reason="Fine.", by=ann, now=now)

    def test_annotators_and_validators_neither_read_nor_write(self, claimed, ben, val, now):
        for who in (ben, val):
            with pytest.raises(Denied):
                threads_services.write_as_author(thread=claimed, text="Hello.", by=who, now=now)
            with pytest.raises(Denied):
                threads_services.answer_thread(thread=claimed, text="Hello.", by=who, now=now)
            with pytest.raises(Denied):
                threads_services.mark_read(thread=claimed, seen=10**6, by=who, now=now)
            with pytest.raises(Denied):
                threads_services.withdraw_thread(thread=claimed, by=who, now=now)

    def test_who_left_cannot_write(self, claimed, ann, now):
        claimed.project.memberships.filter(user=ann).delete()
        with pytest.raises(Denied, match="no longer work"):
            threads_services.write_as_author(thread=claimed, text="Hello?", by=ann, now=now)

    def test_withdrawn_and_claimed_again(self, claimed, ann, turn_of, now):
        threads_services.withdraw_thread(thread=claimed, by=ann, now=now)
        threads_services.withdraw_thread(thread=claimed, by=ann, now=now)
        assert AuditEntry.objects.filter(action="thread_withdrawn").count() == 1
        with pytest.raises(Conflict, match="withdrew"):
            threads_services.write_as_author(thread=claimed, text="Still.", by=ann, now=now)
        again = claims_services.open_claim(assignment=turn_of(ann), text="Still.", by=ann, now=now)
        assert again.pk != claimed.pk

    def test_receipts_of_both_sides(self, claimed, ann, rosa, now):
        later = now + dt.timedelta(hours=1)
        first = claimed.messages.get()

        def see(message, by, now):
            threads_services.mark_read(thread=claimed, seen=message, by=by, now=now)
            return list(claimed.messages.values_list("read_at", flat=True))

        assert see(0, rosa, now) == [None]
        second = threads_services.write_as_author(
            thread=claimed, text="And this.", by=ann, now=later
        )
        assert see(second.pk, ann, later) == [None, None]  # nobody reads what they wrote
        assert see(first.pk, rosa, now) == [now, None]  # the second is still new
        assert see(second.pk, rosa, later) == [now, later]
        assert see(first.pk, rosa, later) == [now, later]  # from a slower window

    def test_who_writes_has_read_the_other_side(self, claimed, ann, rosa, now):
        later = now + dt.timedelta(hours=1)
        threads_services.answer_thread(thread=claimed, text="We look.", by=rosa, now=later)
        threads_services.write_as_author(thread=claimed, text="Thanks.", by=ann, now=later)
        read = claimed.messages.values_list("by_staff", "read_at")
        assert list(read) == [(False, later), (True, later), (False, None)]

    @pytest.mark.parametrize("text", ["", "  \x00 ", "x" * 5001])
    def test_messages_that_are_none(self, claimed, ann, text, now):
        with pytest.raises(Conflict):
            threads_services.write_as_author(thread=claimed, text=text, by=ann, now=now)


class TestParking:
    def test_parking_asks_and_the_answer_goes_into_the_faq_once(
        self, project, question, ann, rosa, now
    ):
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        park_and_ask(assignment=turn, reason="Which tunnel?", by=ann, now=now)
        thread = Thread.objects.get()
        assert (thread.kind, thread.state, turn.state) == ("park", "open", "parked")
        with pytest.raises(Conflict, match="Answer the question first"):
            faq_services.add_from_thread(thread=thread, by=rosa, now=now)
        threads_services.answer_thread(thread=thread, text="The **old** one.", by=rosa, now=now)
        entry = faq_services.add_from_thread(thread=thread, by=rosa, now=now)
        assert faq_services.add_from_thread(thread=thread, by=rosa, now=now) == entry
        assert (entry.question, entry.answer) == ("Which tunnel?", "The **old** one.")
        assert FaqEntry.objects.count() == 1

    def test_where_it_cannot_be_parked_nothing_is_asked(self, project, question, ann, now):
        Project.objects.filter(pk=project.pk).update(parked_limit=0)
        turn = assignments.take_next(project=project, stage="generation", by=ann, now=now)
        turn.project.refresh_from_db()
        with pytest.raises(Conflict):
            park_and_ask(assignment=turn, reason="Which?", by=ann, now=now)
        assert not Message.objects.exists()


def test_left_out_work_can_be_claimed(project, bens, ann, rosa, turn_of, now):
    later = now + dt.timedelta(days=30)
    assignments.soft_reject(assignment=turn_of(ann), note="Copied.", by=rosa, now=later)
    thread = claims_services.open_claim(
        assignment=turn_of(ann), text="I did not.", by=ann, now=later
    )
    assert thread.kind == "claim"


def test_settings_hold_the_days(client_as, project, ada):
    address = reverse("project-settings", args=[project.slug])
    client = client_as(ada)
    assert 'name="claim_days"' in client.get(address).content.decode()
    form = {
        "title": project.title,
        "reference_date": "2017-12-31",
        "parked_limit": "5",
        "skips_before_pause": "10",
        "weekly_minimum": "0",
        "claim_days": "21",
    }
    assert client.post(address, form).status_code == 302
    assert Project.objects.get(pk=project.pk).claim_days == 21
