"""What work is worth, when it is posted, and that nobody can change it afterwards."""

import datetime as dt
import uuid
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, AuditEntry, PayEntry, StagePolicy
from annotation.pay import services as pay_services
from annotation.work import assignments
from tests import factories
from tests.annotation.work.helpers import easy, read_a_page, single

TEXT = "The Thames Tunnel opened to people on foot in 1843 and to trains in 1869."


@pytest.fixture
def work(project, ann, now):
    """Ann works on a question of dev and has read a page."""
    easy(project)
    project.policies.filter(split="dev").update(pay="0.75")
    assignment = factories.make_assignment(
        factories.make_task(project), ann, active_seconds=90, seen_at=now
    )
    read_a_page(assignment, now, TEXT)
    return fresh(assignment)


def fresh(assignment):
    rows = Assignment.objects.select_related("task__question", "policy", "project__snapshot")
    return rows.get(pk=assignment.pk)


def submit(work, by, now, text="1843"):
    return assignments.submit_response(
        assignment=fresh(work), response=single(text), by=by, now=now
    )


def posted():
    rows = PayEntry.objects.order_by("pk")
    return [(e.kind, e.number, str(e.amount), e.currency, e.units, e.seconds) for e in rows]


class TestTerms:
    @pytest.mark.parametrize(
        ("rate", "seconds", "amount"),
        [
            ("12.00", 3600, "12.00"),
            ("12.00", 90, "0.30"),
            ("0.01", 1799, "0.00"),
            ("0.01", 1800, "0.01"),  # half a cent goes up
            ("17.80", 101, "0.50"),  # 0.49939
            ("9.00", 2, "0.01"),  # 0.005
            ("9.00", 1, "0.00"),  # 0.0025
            ("12.00", 7200, "24.00"),
            ("12.00", 7201, "24.00"),  # no longer than the lease
            ("12.00", 10**6, "24.00"),
            ("12.00", 0, "0.00"),
        ],
    )
    def test_by_the_hour(self, rate, seconds, amount):
        policy = StagePolicy(pay_basis="hour", pay=Decimal(rate), lease_minutes=120)
        assert pay_services.submission_pay(policy, active_seconds=seconds)["pay"] == Decimal(amount)

    def test_by_the_question_time_does_not_matter(self):
        policy = StagePolicy(
            pay=Decimal("0.75"),
            pay_accepted=Decimal("0.10"),
            pay_pair=Decimal("0.15"),
            pay_pairs_max=3,
            pay_match=Decimal("0.40"),
            currency="EUR",
        )
        for seconds in (0, 10**6):
            assert pay_services.submission_pay(policy, active_seconds=seconds) == {
                "pay": Decimal("0.75"),
                "pay_accepted": Decimal("0.10"),
                "pay_pair": Decimal("0.15"),
                "pay_pairs_max": 3,
                "pay_match": Decimal("0.40"),
                "currency": "EUR",
            }

    @pytest.mark.parametrize(
        ("fields", "line"),
        [
            ({}, ""),
            ({"pay": "0.75"}, "You get 0.75 USD for this question."),
            (
                {"pay": "0.75", "pay_accepted": "0.10"},
                "You get 0.75 USD for this question, and 0.10 USD when it is accepted.",
            ),
            ({"pay_accepted": "0.10"}, "You get 0.10 USD when your answer is accepted."),
            ({"pay_pair": "0.15"}, "You get 0.15 USD for each accepted pair."),
            (
                {"pay": "0.20", "pay_accepted": "0.10", "pay_pair": "0.15"},
                "You get 0.20 USD for this question, 0.10 USD when it is accepted, and 0.15 USD "
                "for each accepted pair.",
            ),
            (
                {"pay_match": "0.40"},
                "You get 0.40 USD when an expert’s audit finds the same answers.",
            ),
            (
                {"pay": "12.00", "pay_basis": "hour"},
                "You get 12.00 USD for an active hour on this question.",
            ),
        ],
    )
    def test_the_line_on_the_work_page(self, fields, line):
        amounts = ("pay", "pay_accepted", "pay_pair", "pay_match")
        values = dict.fromkeys(amounts, "0") | fields
        money = {key: Decimal(values[key]) for key in amounts}
        assert StagePolicy(**values | money).pay_line == line


class TestPosting:
    def test_a_submission_is_posted_once(self, work, ann, now):
        submit(work, ann, now)
        assert posted() == [("submitted", 1, "0.75", "USD", 1, 90)]
        entry = PayEntry.objects.get()
        assert (entry.user, entry.project, entry.assignment) == (ann, work.project, fresh(work))
        assert (entry.at, entry.by, entry.note) == (now, None, "")
        submit(work, ann, now)
        assert len(posted()) == 1

    def test_by_the_hour_as_much_as_was_worked(self, work, ann, now):
        work.project.policies.update(pay_basis="hour", pay="12.00")
        submit(work, ann, now + dt.timedelta(seconds=30))  # the last sign was half a minute ago
        assert posted() == [("submitted", 1, "0.40", "USD", 1, 120)]

    def test_unpaid_work_posts_nothing_and_costs_nothing(self, work, ann, ben, now):
        def statements(turn, by):
            with CaptureQueriesContext(connection) as captured:
                submit(turn, by, now)
            return len(captured)

        def begun(by):
            turn = factories.make_assignment(factories.make_task(work.project), by)
            read_a_page(turn, now)
            return turn

        work.project.policies.update(pay=0)
        statements(work, ann)
        unpaid = statements(begun(ben), ben)
        assert posted() == []
        work.project.policies.update(pay="0.75", pay_accepted="0.10")
        cleo = factories.make_member(work.project, "annotator", name="Cleo Cole")
        assert statements(begun(cleo), cleo) == unpaid + 1
        assert len(posted()) == 1

    def test_a_new_price_is_for_new_work_only(self, work, ann, ben, now):
        submit(work, ann, now)
        work.project.policies.update(pay="2.00", currency="EUR", pay_accepted="1.00")
        other = factories.make_assignment(work.task, ben)
        read_a_page(other, now)
        submit(other, ben, now, "1869")
        mine = PayEntry.objects.filter(user=ann)
        assert [str(entry) for entry in mine] == ["0.75 USD, submitted"]
        assert str(PayEntry.objects.get(user=ben, kind="submitted")) == "2.00 EUR, submitted"

    def test_returned_work_is_reversed_and_posted_again(self, work, ann, rosa, now):
        submit(work, ann, now)
        work.project.policies.update(pay="0.50", currency="EUR")
        assignments.return_to_author(assignment=fresh(work), note="Which?", by=rosa, now=now)
        first, back = PayEntry.objects.order_by("pk")
        assert (str(back.amount), back.currency, back.units) == ("-0.75", "USD", -1)
        assert (back.corrects, back.seconds, back.by) == (first, -90, None)
        assert back.label == "Submission taken back"
        assignments.resume_assignment(assignment=fresh(work), by=ann, now=now)
        submit(work, ann, now)
        assert posted()[2:] == [("submitted", 3, "0.50", "EUR", 1, 90)]

    def test_left_out_work_keeps_its_pay(self, work, ann, rosa, now):
        submit(work, ann, now)
        assignments.soft_reject(assignment=fresh(work), note="Too short.", by=rosa, now=now)
        assignments.use_again(assignment=fresh(work), by=rosa, now=now)
        assert posted() == [("submitted", 1, "0.75", "USD", 1, 90)]

    def test_a_bonus_once_the_question_is_accepted(self, project, ann, rosa, now):
        """Train asks for one person and no validation: accepted at once."""
        easy(project)
        project.policies.update(pay="0.75", pay_accepted="0.10")
        turn = factories.make_assignment(factories.make_task(project, split="train"), ann)
        read_a_page(turn, now, TEXT)
        submit(turn, ann, now)
        kinds = [(kind, amount) for kind, _, amount, *_ in posted()]
        assert kinds == [("submitted", "0.75"), ("accepted", "0.10")]
        assignments.soft_reject(assignment=fresh(turn), note="Too short.", by=rosa, now=now)
        kinds = [(kind, amount) for kind, _, amount, *_ in posted()]
        assert kinds[2:] == [("accepted", "-0.10")]
        assert PayEntry.objects.last().label == "No longer accepted"
        assignments.use_again(assignment=fresh(turn), by=rosa, now=now)
        assignments.return_to_author(assignment=fresh(turn), note="Hm.", by=rosa, now=now)
        assert sum(entry.amount for entry in PayEntry.objects.all()) == 0
        assert len(posted()) == 6


class TestTheDatabase:
    @pytest.fixture
    def entry(self, work, ann, now):
        submit(work, ann, now)
        return PayEntry.objects.get()

    def refuse(self, constraint, act):
        with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
            act()

    def test_refuses_every_change(self, entry, now):
        rows = PayEntry.objects.filter(pk=entry.pk)
        self.refuse("pay_append_only", lambda: rows.update(amount="100.00"))
        self.refuse("pay_append_only", lambda: rows.update(note="no"))
        self.refuse("pay_append_only", entry.save)
        self.refuse("pay_append_only", entry.delete)
        self.refuse("pay_append_only", lambda: rows._raw_delete("default"))

        def by_hand():
            with connection.cursor() as cursor:
                cursor.execute("DELETE FROM annotation_payentry")

        self.refuse("pay_append_only", by_hand)
        assert [str(row) for row in rows] == ["0.75 USD, submitted"]

    @pytest.mark.parametrize(
        ("constraint", "fields"),
        [
            ("pay_posted_once", {}),
            ("pay_amount_not_zero", {"number": 2, "amount": 0}),
            ("pay_currency_three_letters", {"number": 2, "currency": "us"}),
            ("pay_kind_known", {"number": 2, "kind": "gift"}),
            ("pay_work_by_the_machine", {"number": None}),
            ("pay_work_by_the_machine", {"number": 2, "assignment": None}),
            (
                "pay_work_by_the_machine",
                {"kind": "bonus", "assignment": None, "number": None, "note": "x"},
            ),
        ],
    )
    def test_refuses_what_makes_no_sense(self, entry, constraint, fields):
        values = {
            name: getattr(entry, name)
            for name in ("user", "project", "assignment", "kind", "number", "amount", "currency")
        }
        wrong = PayEntry(**values | {"at": entry.at} | fields)
        self.refuse(constraint, wrong.save)

    @pytest.mark.parametrize(
        ("constraint", "fields"),
        [
            ("pay_correction_has_reason", {"note": ""}),
            ("pay_bonus_is_positive", {"kind": "bonus", "amount": -1}),
            ("pay_work_by_the_machine", {"by": None}),
            ("pay_work_by_the_machine", {"key": None}),
        ],
    )
    def test_refuses_corrections_that_make_no_sense(self, entry, rosa, constraint, fields):
        values = {"kind": "correction", "amount": -1, "currency": "USD", "note": "Twice."}
        values |= {"user": entry.user, "project": entry.project, "at": entry.at}
        values |= {"by": rosa, "key": uuid.uuid4()}
        self.refuse(constraint, PayEntry(**values | fields).save)


class TestStaff:
    def enter(self, project, user, by, now, **fields):
        values = {
            "kind": "correction",
            "amount": Decimal("-0.75"),
            "currency": "USD",
            "reason": "Counted twice.",
            "key": uuid.uuid4(),
        }
        return pay_services.post_entry(
            project=project, user=user, by=by, now=now, **values | fields
        )

    def test_a_correction_is_an_entry_with_a_reason_in_the_log(self, work, ann, rosa, now):
        submit(work, ann, now)
        first = PayEntry.objects.get()
        entry = self.enter(work.project, ann, rosa, now, corrects=first, reason=" Twice.\x00 ")
        assert (entry.corrects, entry.by, entry.note, entry.at) == (first, rosa, "Twice.", now)
        assert (entry.assignment, entry.units) == (None, 0)
        log = AuditEntry.objects.get(action="pay_entered")
        assert (log.actor, log.data["amount"], log.data["corrects"]) == (rosa.pk, "-0.75", first.pk)
        assert str(PayEntry.objects.get(pk=first.pk)) == "0.75 USD, submitted"

    def test_a_form_sent_twice_is_one_entry(self, project, ann, rosa, now):
        key = uuid.uuid4()
        first = self.enter(project, ann, rosa, now, key=key)
        assert self.enter(project, ann, rosa, now, key=key) == first
        assert (
            PayEntry.objects.count() == AuditEntry.objects.filter(action="pay_entered").count() == 1
        )
        with pytest.raises(Conflict, match="already sent with other content"):
            self.enter(project, ann, rosa, now, key=key, amount=Decimal(5))

    def test_nobody_corrects_their_own_pay(self, project, rosa, ada, now):
        with pytest.raises(Denied, match="your own pay"):
            self.enter(project, rosa, rosa, now)
        assert self.enter(project, rosa, ada, now).user == rosa

    def test_only_staff(self, project, ann, ben, val, now):
        for by in (ben, val, factories.make_user()):
            with pytest.raises(Denied, match="Only researchers and admins"):
                self.enter(project, ann, by, now)
        assert not PayEntry.objects.exists()

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"reason": "  "}, "Give a reason"),
            ({"reason": "x" * 1001}, "1001 characters"),
            ({"amount": Decimal(0)}, "not 0"),
            ({"amount": Decimal("0.001")}, "whole cents"),
            ({"amount": Decimal(100000)}, "at most 99999.99"),
            ({"kind": "bonus"}, "must be above 0"),
            ({"kind": "submitted"}, "correction or bonus"),
        ],
    )
    def test_it_must_say_something(self, project, ann, rosa, now, fields, sentence):
        with pytest.raises(Conflict, match=sentence):
            self.enter(project, ann, rosa, now, **fields)

    def test_it_corrects_an_entry_of_this_person_here(self, work, ann, ben, rosa, now):
        submit(work, ann, now)
        entry = PayEntry.objects.get()
        with pytest.raises(Conflict, match="another person"):
            self.enter(work.project, ben, rosa, now, corrects=entry)
        other = factories.make_project()
        factories.make_member(other, "researcher", user=rosa)
        with pytest.raises(Conflict, match="another person or project"):
            self.enter(other, ann, rosa, now, corrects=entry)
        with pytest.raises(Conflict, match="in USD"):
            self.enter(work.project, ann, rosa, now, corrects=entry, currency="EUR")
