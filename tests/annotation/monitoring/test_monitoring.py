"""Monitoring: what the team sees of somebody's writing, and the feedback from there."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.feedback import services as feedback_services
from annotation.models import Assignment, Event, Membership, Message
from annotation.monitoring import queries as monitoring_queries
from annotation.reading import events
from annotation.sheets.fields import Keep
from tests import factories
from tests.annotation.exports.submissions import submit
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db
KEPT = ("question-mark", "question-1", "The page says so.")


def at(name, *args):
    return reverse(name, args=args)


def written(project, user, now, *, text=helpers.TEXT, when=None, **said):
    """One more question that the user has answered, at a time."""
    helpers.open_question(project, now)
    turn = helpers.answer(project, user, now, said=helpers.response(text=text, **said))
    if when is not None:
        Assignment.objects.filter(pk=turn.pk).update(submitted_at=when, ended_at=when)
        turn.refresh_from_db()
    return turn


def spent(turn, seconds):
    Assignment.objects.filter(pk=turn.pk).update(active_seconds=seconds)


class TestEverybody:
    def test_what_was_done_lately_and_what_was_heard_of_it(self, writing, writer, staff, now):
        old = now - dt.timedelta(days=60)
        spent(written(writing, writer, now, when=old), 5000)
        spent(written(writing, writer, now, when=now - dt.timedelta(days=10)), 100)
        spent(written(writing, writer, now), 300)
        spent(turn := written(writing, writer, now), 700)
        [person] = monitoring_queries.list_people(writing, now=now)
        assert (person.user, person.week, person.count, person.seconds) == (writer, 2, 3, 300)
        assert person.feedback is None
        feedback_services.give_feedback(assignment=turn, tag="good", by=staff, now=now)
        feedback_services.give_feedback(assignment=turn, tag="a_list", by=staff, now=now)
        [person] = monitoring_queries.list_people(writing, now=now)
        assert person.feedback.tag == "a_list"
        assert person.feedback.read_at is None

    def test_a_warning_counts_once_for_a_question(self, writing, writer, now):
        turn = written(writing, writer, now)
        events.warnings_shown(
            assignment=turn,
            warnings=[("new-words", "knowledge"), ("missing-answer", "answer-1")],
            by=writer,
            now=now,
        )
        assert monitoring_queries.list_people(writing, now=now)[0].percent_kept == 0
        kept = {"rule": "new-words", "field": "knowledge", "reason": "It is common."}
        for _ in range(2):
            Event.objects.create(assignment=turn, kind="warning_kept", at=now, data=kept)
        [person] = monitoring_queries.list_people(writing, now=now)
        assert (person.shown, person.kept, person.percent_kept) == (2, 1, 50)

    def test_who_wrote_nothing_has_no_shares(self, writing, writer, now):
        [person] = monitoring_queries.list_people(writing, now=now)
        assert (person.seconds, person.percent_kept, person.last_at) == (None, None, None)

    def test_by_name_whatever_was_done(self, writing, writer, staff, now):
        factories.make_member(writing, "annotator", name="Abel Ash")
        factories.make_member(writing, "validator", name="Vera Vale")
        written(writing, writer, now)
        names = [person.user.name for person in monitoring_queries.list_people(writing, now=now)]
        assert names == ["Abel Ash", "Wilma Wood"]  # no ranking, and only those who write

    def test_people_whose_role_has_ended_stay_for_a_while(self, writing, writer, staff, now):
        written(writing, writer, now)
        Membership.objects.filter(user=writer).delete()
        [person] = monitoring_queries.list_people(writing, now=now)
        assert (person.user, person.count, person.standing.kind) == (writer, 1, "left")
        later = now + dt.timedelta(days=monitoring_queries.DAYS + 1)
        assert monitoring_queries.list_people(writing, now=later) == []

    def test_the_page_says_who_has_finished_and_why_a_number_is_missing(
        self, writing, writer, staff, now, client_as
    ):
        factories.make_member(writing, "annotator", name="Abel Ash")
        written(writing, writer, now, when=now - dt.timedelta(days=40))
        page = client_as(staff).get(at("project-monitoring", writing.slug)).text
        assert "Finished all open work" in page
        assert "nothing submitted" in page
        Membership.objects.filter(user=writer).delete()
        person = client_as(staff).get(at("monitoring-person", writing.slug, writer.pk))
        assert "No longer in this role" in person.text
        stranger = factories.make_user(name="Stella Stray")
        assert (
            client_as(staff).get(at("monitoring-person", writing.slug, stranger.pk)).status_code
            == 404
        )

    def test_the_number_of_queries_does_not_grow(
        self, writing, writer, staff, now, client_as, django_assert_num_queries
    ):
        def page():
            with CaptureQueriesContext(
                connection,
            ) as found:
                client_as(staff).get(at("project-monitoring", writing.slug))
            return len(found)

        page()
        first = page()
        for name in ("Ada Ash", "Bea Bell", "Cal Cole"):
            member = factories.make_member(writing, "annotator", name=name)
            turn = written(writing, member, now)
            feedback_services.give_feedback(assignment=turn, tag="good", by=staff, now=now)
        assert page() == first
        with django_assert_num_queries(5):
            monitoring_queries.list_people(writing, now=now)


class TestOnePerson:
    def test_weeks_with_what_can_be_counted(self, writing, writer, now):
        written(writing, writer, now)
        short = "It opened on 25 March 1843, long ago."
        keeps = [
            Keep("missing-answer", "answer-2", "It is about walkers."),
            Keep("text-too-short", "long-answer", "It says enough."),
            Keep("new-words", "knowledge", "Nothing is new."),
        ]
        written(writing, writer, now, text=short, knowledge=(), keeps=tuple(keeps))
        [week] = monitoring_queries.list_weeks(writing, writer, now=now)
        assert week.count == 2
        assert week.length == pytest.approx((len(helpers.TEXT.split()) + 8) / 2)
        assert week.present == 75  # both short answers in one, one of two in the other
        assert 0 < week.new < 100

    def test_the_week_begins_on_monday(self, writing, writer, now):
        assert monitoring_queries.list_weeks(writing, writer, now=now) == []
        written(writing, writer, now)
        monday = monitoring_queries.list_weeks(writing, writer, now=now)[-1].start
        assert monday.weekday() == 0
        sunday = dt.datetime.combine(
            monday - dt.timedelta(days=1), dt.time(23, 59), tzinfo=now.tzinfo
        )
        written(writing, writer, now, when=sunday)
        last, this = monitoring_queries.list_weeks(writing, writer, now=now)
        assert (last.count, this.count) == (1, 1)
        written(writing, writer, now, when=now - dt.timedelta(weeks=3))
        found = monitoring_queries.list_weeks(writing, writer, now=now)
        assert [each.count for each in found[:2]] == [1, 0]  # a week without work is there
        assert found[1].length is None
        written(writing, writer, now, when=now - dt.timedelta(weeks=monitoring_queries.WEEKS + 1))
        assert len(monitoring_queries.list_weeks(writing, writer, now=now)) == len(found)

    def test_without_inputs_nothing_is_missing(self, writing, writer, now):
        written(writing, writer, now)
        Assignment.objects.update(inputs="question")
        week = monitoring_queries.list_weeks(writing, writer, now=now)[-1]
        assert (week.present, week.count) == (None, 1)
        assert week.new > 0

    def test_pages_of_answers_newest_first(self, writing, writer, staff, now):
        made = [written(writing, writer, now).pk for _ in range(monitoring_queries.SHOWN + 2)]
        page, older = monitoring_queries.list_latest_submissions(writing, writer, reader=staff)
        assert [each.pk for each in page] == made[:1:-1]
        assert older
        page, older = monitoring_queries.list_latest_submissions(
            writing, writer, reader=staff, before=made[2]
        )
        assert ([each.pk for each in page], older) == (made[1::-1], False)
        assert monitoring_queries.list_latest_submissions(
            writing, writer, reader=staff, before=made[2] + 999
        ) == (
            [],
            False,
        )

    def test_what_was_handed_in_last_comes_first(self, writing, writer, staff, now):
        made = [
            written(writing, writer, now, when=now - dt.timedelta(days=days)).pk
            for days in (1, 3, 2)
        ]
        page, _ = monitoring_queries.list_latest_submissions(writing, writer, reader=staff)
        assert [each.pk for each in page] == [made[0], made[2], made[1]]
        page, _ = monitoring_queries.list_latest_submissions(
            writing, writer, reader=staff, before=made[2]
        )
        assert [each.pk for each in page] == [made[1]]

    def test_what_the_reader_could_still_answer_is_left_out(self, writing, writer, now):
        both = factories.make_member(writing, "researcher", name="Robin Rice")
        writing.memberships.create(user=both, role="annotator", created_at=now)
        turn = written(writing, writer, now)
        assert monitoring_queries.list_latest_submissions(writing, writer, reader=both)[0] == [turn]
        mine = helpers.take(writing, both, now)
        assert mine.task_id == turn.task_id
        assert monitoring_queries.list_latest_submissions(writing, writer, reader=both)[0] == []

    def test_feedback_is_given_here_and_read_there(self, writing, writer, staff, turn, client_as):
        address = at("monitoring-person", writing.slug, writer.pk)
        page = client_as(staff).get(address)
        assert "Reads like a list" in page.text
        assert "Give more forms of the answer" not in page.text
        assert "The East London Railway Company bought the tunnel in 1865." in page.text
        sent = client_as(staff).post(
            at("feedback-give", writing.slug, turn.pk), {"tag": "evidence", "next": address}
        )
        assert sent["Location"] == address
        assert "not read yet" in client_as(staff).get(address).text
        assert "not read yet" in client_as(staff).get(at("project-monitoring", writing.slug)).text
        told = client_as(writer).get("/")
        assert "Feedback on your answer" in told.text
        given = Message.objects.get()
        opened = client_as(writer).get(at("submission-view", turn.pk))
        assert "Add evidence" in opened.text
        assert "Rita Reed" not in opened.text
        assert f'"seen": {given.pk}' in opened.text  # opening it marks it read, by script
        read = at("feedback-read", turn.pk)
        assert client_as(writer).post(read, {"seen": given.pk}).status_code == 204
        assert "not read yet" not in client_as(staff).get(address).text

    def test_nobody_gives_feedback_to_themselves(self, writing, now, client_as):
        both = factories.make_member(writing, "researcher", name="Robin Rice")
        writing.memberships.create(user=both, role="annotator", created_at=now)
        written(writing, both, now)
        page = client_as(both).get(at("monitoring-person", writing.slug, both.pk))
        assert "A line of your own" not in page.text

    def test_generation_is_shown_too(self, project, ann, rosa, now, client_as):
        question = factories.make_question(project)
        pairs = [("When did it open to walkers?", ["1843"]), ("When to trains?", ["1869"])]
        turn = submit(question, ann, kind="multiple", pairs=pairs, kept=[KEPT])
        Assignment.objects.filter(pk=turn.pk).update(submitted_at=now)
        page = client_as(rosa).get(at("monitoring-person", project.slug, ann.pk)).text
        assert "When to trains?" in page
        assert "The page says so." in page
        assert "Give more forms of the answer" in page
        assert "Reads like a list" not in page
        assert monitoring_queries.list_weeks(project, ann, now=now)[-1].length == 2

    def test_the_number_of_queries_does_not_grow(
        self, writing, writer, staff, now, client_as, django_assert_num_queries
    ):
        def page():
            with CaptureQueriesContext(connection) as found:
                client_as(staff).get(at("monitoring-person", writing.slug, writer.pk))
            return len(found)

        turn = written(writing, writer, now)
        feedback_services.give_feedback(assignment=turn, tag="good", by=staff, now=now)
        page()
        first = page()
        for _ in range(4):
            turn = written(writing, writer, now)
            feedback_services.give_feedback(assignment=turn, tag="good", by=staff, now=now)
        assert page() == first
        with django_assert_num_queries(4):
            monitoring_queries.list_weeks(writing, writer, now=now)
