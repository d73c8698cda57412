"""Statements, the staff's pages, corrections by form, and the files."""

import csv
import datetime as dt
import io
import uuid
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.models import Assignment, PayEntry, Project
from annotation.pay import queries as pay_queries
from annotation.pay.periods import Period, month_of
from annotation.text.spreadsheets import defuse_formula
from tests import factories

NOVEMBER = dt.datetime(2025, 11, 12, 9, 30, tzinfo=dt.UTC)


@pytest.fixture
def earn(project):
    """earn(person, "0.75"): one submitted and paid question."""

    def earn(person, amount="0.75", at=NOVEMBER, kind="submitted", currency="USD", **fields):
        turn = factories.make_assignment(
            factories.make_task(project), person, state="submitted", active_seconds=90
        )
        return PayEntry.objects.create(
            user=person,
            project=project,
            assignment=turn,
            kind=kind,
            number=1,
            amount=amount,
            currency=currency,
            units=1,
            seconds=90,
            at=at,
            **fields,
        )

    return earn


@pytest.fixture
def extra(project, rosa):
    """extra(person, "-0.75", "Counted twice."): what staff posted."""

    def extra(person, amount, note, at=NOVEMBER, kind="correction", by=None, currency="USD"):
        return PayEntry.objects.create(
            user=person,
            project=project,
            kind=kind,
            amount=amount,
            currency=currency,
            note=note,
            by=by or rosa,
            key=uuid.uuid4(),
            at=at,
        )

    return extra


def get(client, name, *args, **query):
    answer = client.get(reverse(name, args=args), query)
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def read(response):
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(response).decode("utf-8")
    return list(csv.DictReader(io.StringIO(text)))


class TestPeriods:
    @pytest.mark.parametrize(
        ("day", "start", "end"),
        [
            ((2025, 11, 12), (2025, 11, 1), (2025, 11, 30)),
            ((2025, 12, 31), (2025, 12, 1), (2025, 12, 31)),
            ((2024, 2, 29), (2024, 2, 1), (2024, 2, 29)),
        ],
    )
    def test_months(self, day, start, end):
        assert month_of(dt.date(*day)) == Period(dt.date(*start), dt.date(*end))

    def test_words(self):
        month = month_of(dt.date(2025, 11, 12))
        assert (month.within, month.before, month.after) == (
            "in November 2025", "2025-10", "2025-12",
        )  # fmt: skip
        some = Period(dt.date(2025, 11, 3), dt.date(2025, 12, 1))
        assert some.within == "from 3 November 2025 to 1 December 2025"
        assert (some.before, some.after) == ("2025-10", "2026-01")
        assert Period(some.start, some.start).within == "on 3 November 2025"

    def test_days_are_those_of_the_server(self, settings, ann, extra):
        settings.TIME_ZONE = "Europe/Berlin"
        extra(ann, "1.00", "in November there", at=dt.datetime(2025, 10, 31, 23, 30, tzinfo=dt.UTC))
        extra(ann, "2.00", "in December there", at=dt.datetime(2025, 11, 30, 23, 30, tzinfo=dt.UTC))
        found = month_of(dt.date(2025, 11, 1)).select_entries(pay_queries.entries_of(user=ann))
        assert [str(entry.amount) for entry in found] == ["1.00"]


class TestMonthsThatAreOver:
    """An empty month says nothing, so all months are shown where this one has no entry."""

    def test_a_round_that_is_over_shows_what_was_earned(self, client_as, rosa, project, ann, earn):
        earn(ann)
        earn(ann, "2.00", at=NOVEMBER - dt.timedelta(days=31))
        text = get(client_as(rosa), "project-pay", project.slug)
        assert "have earned 2.75 USD from October 2025 to November 2025: 2 questions." in text
        assert "so this is everything from October 2025 to November 2025." in text
        own = get(client_as(ann), "pay-mine")
        assert "You have earned 2.75 USD from October 2025 to November 2025" in own
        assert "2.75 USD" in get(client_as(rosa), "pay-person", project.slug, ann.pk)
        assert "2.75 USD" in get(client_as(rosa), "pay-projects")
        text = get(client_as(rosa), "project-pay", project.slug, month="2025-10")
        assert "have earned 2.00 USD in October 2025" in text
        assert "so this is everything" not in text

    def test_this_month_stays_where_it_has_entries(self, client_as, rosa, project, ann, earn):
        earn(ann)
        now = timezone.now()
        earn(ann, "3.00", at=now)
        month = month_of(timezone.localdate(now))
        assert f"3.00 USD {month.within}" in get(client_as(rosa), "project-pay", project.slug)
        every = get(client_as(rosa), "project-pay", project.slug, all="1")
        assert "have earned 3.75 USD from November 2025 to " in every

    def test_what_is_not_paid_is_counted_and_said(self, client_as, rosa, project, ann, ben, earn):
        earn(ann, at=timezone.now())
        factories.make_assignment(factories.make_task(project), ben, state="submitted")
        text = " ".join(get(client_as(rosa), "project-pay", project.slug).split())
        assert "1 submission is not paid: the stage had no price for them." not in text
        assert "1 submission is not paid: the stage had no price for it." in text
        assert ben.name in text

    def test_months_of_a_period(self):
        assert Period(dt.date(2025, 11, 1), dt.date(2026, 1, 31)).months == [
            *("2025-11", "2025-12", "2026-01")
        ]
        assert Period(dt.date(2025, 11, 1), dt.date(2026, 1, 30)).months == []


class TestOwnStatement:
    def test_says_what_was_earned(self, client_as, ann, earn, extra):
        earn(ann)
        earn(ann)
        earn(ann, "0.10", kind="accepted")
        extra(ann, "-0.75", "Counted <b>twice</b>.")
        text = get(client_as(ann), "pay-mine", month="2025-11")
        assert "You have earned 0.85 USD in November 2025: 2 questions, 1 accepted." in text
        assert "Counted &lt;b&gt;twice&lt;/b&gt;." in text
        assert "-0.75 USD" in text
        assert "Rosa" not in text  # who of the team it was is not for everybody

    def test_nothing_is_said_too(self, client_as, ann, earn):
        earn(ann)
        text = get(client_as(ann), "pay-mine", month="2025-10")
        assert "You have earned nothing in October 2025." in text
        assert "0.75" not in text

    def test_currencies_stay_apart(self, client_as, ann, earn):
        earn(ann)
        earn(ann, "2.00", currency="EUR")
        text = get(client_as(ann), "pay-mine", month="2025-11")
        assert "2.00 EUR and 0.75 USD in November 2025: 2 questions." in text

    def test_only_own_entries(self, client_as, ann, ben, earn):
        earn(ben, "7.77")
        assert "7.77" not in get(client_as(ann), "pay-mine", month="2025-11")
        assert read(client_as(ann).get(reverse("pay-mine-export"), {"month": "2025-11"})) == []

    def test_from_day_to_day(self, client_as, ann, earn):
        earn(ann, at=NOVEMBER)
        earn(ann, "5.00", at=NOVEMBER + dt.timedelta(days=1))
        text = get(client_as(ann), "pay-mine", start="2025-11-12", end="2025-11-12")
        assert "You have earned 0.75 USD on 12 November 2025: 1 question." in text

    @pytest.mark.parametrize(
        ("query", "sentence"),
        [
            ({"start": "2025-11-12", "end": "2025-11-01"}, "The last day is before the first."),
            ({"start": "2025-11-12", "end": ""}, "Give both days"),
            ({"start": "12th", "end": "2025-11-12"}, "From: Write a date"),
            ({"start": "0001-01-01", "end": "9999-12-31"}, "from 2000 to 2100"),
        ],
    )
    def test_days_that_are_no_period(self, client_as, ann, query, sentence):
        answer = client_as(ann).get(reverse("pay-mine"), query)
        assert answer.status_code == 422
        assert sentence in answer.text

    @pytest.mark.parametrize("month", ["2025-13", "0000-01", "9999-12", "now", "2025-11-12"])
    def test_a_month_that_is_none_is_this_one(self, client_as, ann, now, month):
        text = get(client_as(ann), "pay-mine", month=month)
        assert f"nothing in {now:%B %Y}" in text

    def test_pages_of_a_hundred(self, client_as, ann, extra):
        for number in range(101):
            extra(ann, "1.00", f"number {number}.", kind="bonus")
        first = get(client_as(ann), "pay-mine", month="2025-11")
        assert ("number 100." in first, "number 0." in first) == (True, False)
        oldest = PayEntry.objects.order_by("-pk")[99].pk
        assert f"before={oldest}" in first
        second = get(client_as(ann), "pay-mine", month="2025-11", before=oldest)
        assert ("number 0." in second, "number 1." in second) == (True, False)
        assert "101.00 USD" in second  # sums are of the whole period

    def test_queries_do_not_grow(self, client_as, ann, earn, extra):
        client = client_as(ann)

        def count():
            with CaptureQueriesContext(connection) as captured:
                get(client, "pay-mine", month="2025-11")
            return len(captured)

        earn(ann)
        few = count()
        for _ in range(10):
            earn(ann)
            extra(ann, "1.00", "More.")
        assert count() == few <= 5


class TestStaff:
    def test_everybody_with_sums(self, client_as, project, rosa, ann, ben, earn, extra):
        earn(ann)
        earn(ben, "0.75")
        earn(ben, "0.10", kind="accepted")
        extra(ben, "5.00", "Well read.", kind="bonus")
        text = get(client_as(rosa), "project-pay", project.slug, month="2025-11")
        assert "have earned 6.60 USD in November 2025: 2 questions, 1 accepted." in text
        assert "Ann Archer" in text
        assert "5.85 USD" in text

    def test_effective_pay_counts_all_time_and_the_last_30_days(
        self, project, ann, ben, extra, now
    ):
        def worked(person, seconds, days, state="submitted", **fields):
            turn = factories.make_assignment(
                factories.make_task(project), person, state=state, active_seconds=seconds, **fields
            )
            Assignment.objects.filter(pk=turn.pk).exclude(state="active").update(
                ended_at=now - dt.timedelta(days=days)
            )

        worked(ann, 3000, 1)
        worked(ann, 1500, 29, state="skipped")
        worked(ann, 9000, 31)
        worked(ann, 9000, 0, state="active")
        extra(ann, "12.00", "Work.", at=now - dt.timedelta(days=2))
        extra(ann, "99.00", "Old.", at=now - dt.timedelta(days=31))
        (found,) = pay_queries.list_hourly_pay(project, now=now).values()
        assert (found.seconds, found.amount, found.rate) == (
            4500,
            Decimal("12.00"),
            Decimal("9.60"),
        )

    @pytest.mark.parametrize(
        ("floor", "currency", "seconds", "flagged"),
        [
            ("9.60", "USD", 4500, False),
            ("9.61", "USD", 4500, True),
            ("99.00", "EUR", 4500, False),  # another currency is not compared
            ("99.00", "USD", 3599, False),  # less than an hour says little
            (None, "USD", 4500, False),
        ],
    )
    def test_the_floor(
        self, client_as, project, rosa, ann, extra, now, floor, currency, seconds, flagged
    ):
        Project.objects.filter(pk=project.pk).update(pay_floor=floor, pay_floor_currency=currency)
        factories.make_assignment(
            factories.make_task(project), ann, state="submitted", active_seconds=seconds
        )
        extra(ann, "12.00", "Work.", at=now)
        text = get(client_as(rosa), "project-pay", project.slug)
        assert ("Below " in text and "below " in text) == flagged
        page = get(client_as(rosa), "pay-person", project.slug, ann.pk)
        assert ("which is below" in page) == flagged

    def test_unpaid_work_is_below_a_floor(self, client_as, project, rosa, ann):
        Project.objects.filter(pk=project.pk).update(pay_floor="9.50")
        factories.make_assignment(
            factories.make_task(project), ann, state="submitted", active_seconds=3600
        )
        text = get(client_as(rosa), "project-pay", project.slug)
        assert "Below 9.50 USD an hour: Ann Archer" in text

    def test_totals_by_project(self, client_as, project, rosa, ann, ben, earn):
        earn(ann)
        earn(ben)
        other = factories.make_project(title="Other study")
        factories.make_member(other, "annotator", user=rosa)
        text = get(client_as(rosa), "pay-projects", month="2025-11")
        assert "1.50 USD" in text
        assert '<td class="number" data-label="People paid">2</td>' in text
        assert "Other study" not in text  # only those that one runs

    def test_a_correction_by_form(self, client_as, project, rosa, ann, earn):
        entry = earn(ann)
        page = reverse("pay-person", args=[project.slug, ann.pk])
        text = client_as(rosa).get(page, {"month": "2025-11", "corrects": entry.pk}).text
        assert 'value="-0.75"' in text
        key = str(uuid.uuid4())
        values = {"kind": "correction", "amount": "-0.75", "currency": "USD", "key": key}
        values |= {"reason": "Counted twice.", "corrects": str(entry.pk)}
        address = reverse("pay-enter", args=[project.slug, ann.pk])
        for _ in range(2):
            assert client_as(rosa).post(address, values).status_code == 302
        posted = PayEntry.objects.get(kind="correction")
        assert (posted.corrects, str(posted.amount), posted.by) == (entry, "-0.75", rosa)
        bad = client_as(rosa).post(address, values | {"amount": "a lot", "reason": ""})
        assert bad.status_code == 422
        assert "There is a problem" in bad.text

    def test_own_pay_has_no_form(self, client_as, project, rosa):
        text = get(client_as(rosa), "pay-person", project.slug, rosa.pk)
        assert "This is your own pay." in text
        assert "Post the entry" not in text

    def test_people_and_entries_of_elsewhere_are_not_there(
        self, client_as, project, rosa, ann, stan
    ):
        page = reverse("pay-person", args=[project.slug, stan.pk])
        assert client_as(rosa).get(page).status_code == 404
        other = factories.make_project()
        foreign = PayEntry.objects.create(
            user=ann, project=other, kind="bonus", amount=1, currency="USD", note="x",
            by=rosa, key=uuid.uuid4(), at=NOVEMBER,
        )  # fmt: skip
        page = reverse("pay-person", args=[project.slug, ann.pk])
        assert client_as(rosa).get(page, {"corrects": foreign.pk}).status_code == 404
        assert client_as(rosa).get(page, {"corrects": "9" * 18}).status_code == 404
        assert "1.00" not in get(
            client_as(rosa), "pay-person", project.slug, ann.pk, month="2025-11"
        )


class TestFiles:
    def test_a_file_with_names(self, client_as, project, rosa, ann, earn, extra):
        entry = earn(ann)
        question = entry.assignment.task.question
        question.text, question.external_id = "=cmd()", "-12"
        question.save()
        extra(ann, "-0.75", "@twice, “really”\nsee above")
        rows = read(client_as(rosa).get(reverse("project-pay-export", args=[project.slug]),
                                        {"month": "2025-11"}))  # fmt: skip
        assert rows[0] | {} == {
            "entry": str(entry.pk), "time": "2025-11-12T09:30:00Z", "person": "Ann Archer",
            "email": ann.email, "by": "", "project": project.slug, "kind": "submitted",
            "question": "'-12", "text": "'=cmd()", "questions": "1", "active_seconds": "90",
            "amount": "0.75", "currency": "USD", "note": "", "corrects": "",
        }  # fmt: skip
        assert (rows[1]["amount"], rows[1]["by"]) == ("-0.75", "Rosa Reed")  # a number stays one
        assert rows[1]["note"] == "'@twice, “really”\nsee above"

    def test_a_file_with_pseudonyms_names_nobody(self, client_as, project, rosa, ann, earn, extra):
        earn(ann)
        extra(ann, "1.00", "Well read.", kind="bonus")
        address = reverse("project-pay-export", args=[project.slug])
        answer = client_as(rosa).get(address, {"month": "2025-11", "names": "pseudonyms"})
        rows = read(answer)
        assert {row["person"] for row in rows} == {derive_pseudonym(ann, scope=project.slug)}
        assert not {"email", "by"} & set(rows[0])
        assert not any("Rosa" in value or "Ann" in value for row in rows for value in row.values())

    def test_ones_own_file(self, client_as, ann, earn, extra):
        earn(ann)
        extra(ann, "2.00", "Well read.", kind="bonus")
        rows = read(client_as(ann).get(reverse("pay-mine-export"), {"month": "2025-11"}))
        assert [row["amount"] for row in rows] == ["0.75", "2.00"]
        assert not {"person", "email", "by"} & set(rows[0])

    @pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "  =1"])
    def test_formulas_are_defused(self, text):
        assert defuse_formula(text) == f"'{text}"

    def test_plain_text_is_left_alone(self):
        for text in ("When did 1 + 1 = 2?", "", "25 % off", "née"):
            assert defuse_formula(text) == text
