"""The long-answer stage on the engine: what it writes, refuses, keeps and counts."""

import datetime as dt
from decimal import Decimal

import pytest
from django.db.models import Sum

from annotation.access.turns import turn_of
from annotation.core.refusals import ResponseRefused
from annotation.long_answers.queries import pages_reader
from annotation.long_answers.response import Piece, from_json, to_json
from annotation.long_answers.stage import LongAnswering
from annotation.models import (
    Assignment,
    Concern,
    Event,
    LongAnswer,
    Override,
    PayEntry,
    Question,
    StagePolicy,
)
from annotation.projects import services as projects_services
from annotation.sheets.fields import Keep
from annotation.work import assignments, seats
from tests import factories
from tests.annotation.long_answers import helpers
from wikipedia.models import Quote


def test_a_submission_is_written_with_its_knowledge(project, question, ann, now):
    assignment = helpers.answer(project, ann, now)
    written = LongAnswer.objects.get(assignment=assignment)
    assert (written.question, written.author, written.text) == (question, ann, helpers.TEXT)
    pieces = [(piece.content, piece.page, piece.quote) for piece in written.knowledge.all()]
    assert pieces == [(helpers.KNOWLEDGE[0].content, "Thames Tunnel", None)]
    assert not written.overrides.exists()
    assert LongAnswering().values_for_log(assignment)["long_answer"] == helpers.TEXT


def test_an_override_is_written_with_its_span(project, question, ann, now):
    text = helpers.TEXT.replace("7 December 1869", "the seventh of December 1869")
    words = "the seventh of December 1869"
    said = helpers.response(text=text, said=(helpers.said(1, words),))
    assignment = helpers.answer(project, ann, now, said=said)
    override = assignment.long_answer.overrides.get()
    assert (override.disambiguation, override.words) == (1, words)
    assert text[override.start : override.end] == words


def test_no_override_is_written_for_an_answer_that_is_there(project, question, ann, now):
    said = helpers.response(said=(helpers.said(1, "trains ran"),))
    assignment = helpers.answer(project, ann, now, said=said)
    assert not assignment.long_answer.overrides.exists()


def test_a_missing_answer_asks_and_can_be_kept(project, question, ann, now):
    text = helpers.TEXT.replace("7 December 1869", "1869")
    assignment = helpers.take(project, ann, now)
    with pytest.raises(ResponseRefused) as refused:
        assignments.submit_response(
            assignment=assignment, response=helpers.response(text=text), by=ann, now=now
        )
    (asked,) = refused.value.report.blocking
    assert (asked.rule, asked.field) == ("missing-answer", "answer-2")
    assert not LongAnswer.objects.exists()
    keep = Keep("missing-answer", "answer-2", "The year is all that is sure.")
    kept = helpers.response(text=text, keeps=(keep,))
    assignments.submit_response(assignment=assignment, response=kept, by=ann, now=now)
    written = LongAnswer.objects.get()
    assert written.keeps == [{"rule": keep.rule, "field": keep.field, "reason": keep.reason}]
    assert assignment.events.filter(kind="warning_kept").count() == 1


def test_somebody_elses_quote_is_left_off(project, question, ann, ben, now):
    theirs = _quote(project, ben, now)
    mine = _quote(project, ann, now)
    pieces = (
        Piece("It was sold in 1865.", "Thames Tunnel", theirs.pk),
        Piece("It was sold in 1865 again.", "Thames Tunnel", mine.pk),
    )
    assignment = helpers.answer(project, ann, now, said=helpers.response(knowledge=pieces))
    quotes = [piece.quote for piece in assignment.long_answer.knowledge.all()]
    assert quotes == [None, mine]


def test_k_of_k_is_accepted_and_hands_out_nothing_more(project, question, ann, ben, now):
    helpers.answer(project, ann, now)
    question.refresh_from_db()
    assert question.state == Question.State.GENERATING
    helpers.answer(project, ben, now)
    question.refresh_from_db()
    assert question.state == Question.State.ACCEPTED
    cat = factories.make_member(project, "annotator", name="Cat Cole")
    assert helpers.take(project, cat, now) is None


def test_returned_work_keeps_everything_in_the_draft(project, question, ann, rosa, now):
    assignment = helpers.answer(project, ann, now)
    assignments.return_to_author(assignment=assignment, note="Say who bought it.", by=rosa, now=now)
    assert not LongAnswer.objects.exists()
    assignment.refresh_from_db()
    assert from_json(assignment.draft) == helpers.response()


def test_only_the_question_is_given_where_the_policy_says_so(project, question, ann, now):
    StagePolicy.objects.filter(project=project).update(inputs=StagePolicy.Inputs.QUESTION)
    assignment = helpers.take(project, ann, now)
    inputs = factories.given_for(assignment, now).inputs
    assert (inputs.full, inputs.disambiguations, inputs.pages) == (False, (), ())
    assert inputs.prompt == "When did the thames tunnel open?"
    unproven = factories.report_on(assignment, helpers.response("Twice."), now)
    assert "missing-answer" not in {each.rule for each in unproven.blocking}
    unproven = factories.report_on(assignment, helpers.response(knowledge=()), now)
    assert [each.rule for each in unproven.blocking] == ["new-words"]


@pytest.mark.parametrize(("before", "after"), [("full", "question"), ("question", "full")])
def test_what_was_given_with_a_question_stays(project, question, ann, ben, now, before, after):
    project.rule_settings = {"evidence_for_each": False}  # the text has one piece of knowledge
    project.save()
    policies = StagePolicy.objects.filter(project=project)
    policies.update(inputs=before)
    helpers.take(project, ann, now)
    policies.update(inputs=after)
    theirs = helpers.take(project, ben, now)
    mine = turn_of(ann, Assignment.objects.get(user=ann).pk)
    assert factories.given_for(mine, now).inputs.full is (before == "full")
    assert factories.given_for(theirs, now).inputs.full is (after == "full")
    text = helpers.TEXT.replace("7 December 1869", "the end of 1869")
    marked = helpers.response(text, said=(helpers.said(1, "the end of 1869"),))
    assignments.submit_response(assignment=mine, response=marked, by=ann, now=now)
    assert Override.objects.count() == (before == "full")


@pytest.mark.parametrize(
    ("content", "stands"),
    [
        ("It opened on 25 March 1843.", True),
        ("The Thames Tunnel runs under the River Thames.\n\nIt opened on 25 March 1843.", True),
        ("It opened on 25 March 1843.\n…\nThe Thames Tunnel runs\nunder the River Thames.", True),
        ("It opened on 25 March 1843. The Thames Tunnel runs", False),
        ("The Thames Tunnel runs under the River Thames.\nIt opened in 1843.", False),
    ],
)
def test_each_line_of_a_piece_is_looked_for_by_itself(project, work, content, stands):
    page = factories.make_shown(project.snapshot)
    assert pages_reader(work)("Thames Tunnel", content) is None
    Event.objects.create(
        assignment=work,
        kind="page_open",
        at=work.started_at,
        data={"title": page.title, "path": page.path, "text_sha256": page.text_sha256},
    )
    assert pages_reader(work)("thames tunnel ", content) is stands


class TestConcerns:
    def test_an_open_one_keeps_others_away(self, project, question, ann, ben, rosa, now):
        assignment = helpers.take(project, ann, now)
        concern = _concern(question, ann, assignment, now)
        _settle(question, now)
        assert question.state == Question.State.FLAGGED
        assert helpers.take(project, ben, now) is None
        _decide(concern, "dismissed", rosa, now)
        _settle(question, now)
        assert question.state == Question.State.IMPORTED
        assert helpers.take(project, ben, now) is not None

    def test_one_that_is_upheld_excludes(self, project, question, ann, ben, rosa, now):
        helpers.answer(project, ann, now)
        helpers.answer(project, ben, now)
        concern = _concern(question, ann, None, now)
        _decide(concern, "upheld", rosa, now, note="Both disambiguations are one.")
        _settle(question, now)
        assert question.state == Question.State.EXCLUDED

    def test_who_has_it_in_hand_may_finish(self, project, question, ann, ben, now):
        theirs = helpers.take(project, ben, now)
        assignment = helpers.take(project, ann, now)
        _concern(question, ann, assignment, now)
        _settle(question, now)
        assignments.submit_response(assignment=theirs, response=helpers.response(), by=ben, now=now)
        question.refresh_from_db()
        assert question.state == Question.State.FLAGGED
        assert LongAnswer.objects.filter(author=ben).exists()


def test_what_acceptance_is_worth_follows_the_state(project, question, ann, ben, rosa, now):
    StagePolicy.objects.filter(project=project).update(pay="4.00", pay_accepted="1.00")

    def due():
        return sorted(PayEntry.objects.values_list("user__name", "kind").annotate(Sum("amount")))

    helpers.answer(project, ann, now)
    assert due() == [("Ann Archer", "submitted", Decimal("4.00"))]
    early = _concern(question, ann, None, now)
    _settle(question, now)
    assert due() == [("Ann Archer", "submitted", Decimal("4.00"))]
    _decide(early, "upheld", rosa, now, note="Both disambiguations are one.")
    _settle(question, now)
    assert due()[0] == ("Ann Archer", "accepted", Decimal("1.00"))
    _decide(early, "dismissed", rosa, now)
    _settle(question, now)
    assert due()[0] == ("Ann Archer", "accepted", Decimal("0.00"))
    helpers.answer(project, ben, now)
    both = [
        ("Ann Archer", "accepted", Decimal("1.00")),
        ("Ann Archer", "submitted", Decimal("4.00")),
        ("Ben Baker", "accepted", Decimal("1.00")),
        ("Ben Baker", "submitted", Decimal("4.00")),
    ]
    assert due() == both
    entries = PayEntry.objects.count()
    late = _concern(question, ben, None, now)
    _settle(question, now)
    assert (due(), PayEntry.objects.count()) == (both, entries)
    _decide(late, "upheld", rosa, now, note="Both disambiguations are one.")
    _settle(question, now)
    assert (due(), PayEntry.objects.count()) == (both, entries)


def test_a_new_project_has_an_hour_and_the_papers_people(rosa, now):
    made = projects_services.create_project(
        slug="long", title="Long", protocol="asqa", snapshot=factories.make_snapshot(), by=rosa,
        now=now,
    )  # fmt: skip
    policies = made.policies.values_list("split", "people", "lease_minutes", "minimum_seconds")
    assert sorted(policies) == [("dev", 2, 60, 0), ("test", 2, 60, 0), ("train", 1, 60, 0)]


def test_a_draft_comes_back_as_it_was():
    full = helpers.response(
        knowledge=(*helpers.KNOWLEDGE, Piece()),
        said=(helpers.said(1, "in 1869", 12),),
        feedback="None of it is wrong.",
        keeps=(Keep("text-too-short", "long-answer", "It says all."),),
    )
    assert from_json(to_json(full)) == full


def _quote(project, user, now):
    page = factories.make_shown(project.snapshot, title=f"Thames Tunnel {user.pk}")
    return Quote.objects.create(
        page=page, block_kind="paragraph", exact="25 March", start=1, end=9,
        made_by="selection", created_by=user, created_at=now,
    )  # fmt: skip


def _concern(question, author, assignment, now):
    return Concern.objects.create(
        question=question, author=author, assignment=assignment, reason="They mean the same.",
        created_at=now,
    )  # fmt: skip


def _decide(concern, state, by, now, note=""):
    Concern.objects.filter(pk=concern.pk).update(
        state=state, decided_by=by, decided_at=now + dt.timedelta(minutes=1), note=note
    )


def _settle(question, now):
    seats.settle_questions([question.pk], "asqa", now=now)
    question.refresh_from_db()
