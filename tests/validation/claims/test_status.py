"""The outcome of a submission: one status for each, the same in the list and on its page."""

import datetime as dt
from dataclasses import replace

import pytest

from annotation.home import queries as home_queries
from annotation.models import Assignment
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.claims.conftest import PEOPLE, TRAINS, only
from tests.validation.conftest import none, one, several
from validation.models import Decision
from validation.outcomes import status
from validation.outcomes.credits import list_credited_assignments
from validation.outcomes.values import Status
from validation.verdicts.comparing import Texts, compare_with_nearest, match_pairs


def statuses(user):
    return [each.status for each in status.list_submissions(user)]


def of(turn):
    return status.outcome_of(turn)


def test_waiting_while_others_answer_and_while_it_is_validated(
    project, question, ann, ben, answer, turn_of
):
    answer(project, ann, one("1843"))
    assert statuses(ann) == [Status.WAITING]
    answer(project, ben, one("1869"))
    assert statuses(ann) == statuses(ben) == [Status.WAITING]
    assert of(turn_of(ann)).decided_at is None


def test_answers_that_match_are_accepted_as_written(project, question, ann, ben, answer, turn_of):
    answer(project, ann, one("1843"))
    answer(project, ben, one("the 1843"))
    assert statuses(ann) == statuses(ben) == [Status.WRITTEN]
    outcome = of(turn_of(ann))
    assert outcome.decided_at == turn_of(ben).submitted_at
    assert not outcome.sets  # what others wrote is not shown
    assert not outcome.pairs


def test_train_is_accepted_as_written(project, ann, answer, now):
    question = factories.make_question(project, split="train")
    tasks.open_tasks(question_ids=[question.pk], now=now)
    answer(project, ann, one("1843"))
    assert statuses(ann) == [Status.WRITTEN]


def test_one_is_right_and_the_other_reads_what_is_accepted(bens, ann, ben, turn_of):
    assert statuses(ben) == [Status.WRITTEN]
    assert statuses(ann) == [Status.INCORRECT]
    outcome = of(turn_of(ann))
    assert [pair.forms for pair in outcome.sets[0]] == [("25 March 1843", "in 1843"), ("2010",)]
    assert [bool(pair.own) and bool(pair.accepted) for pair in outcome.pairs] == [False] * 4
    assert not of(turn_of(ben)).sets


def test_both_stand_beside_each_other(disagreed, validate, ann, ben, turn_of):
    validate(lambda response, said: replace(response, verdicts=(True, True)))
    assert statuses(ann) == statuses(ben) == [Status.WRITTEN]
    assert [len(pairs) for pairs in of(turn_of(ann)).sets] == [2]


def test_a_change_is_shown_word_by_word(disagreed, validate, ann, turn_of):
    def change(response, said):
        rows = []
        for row in response.rows:
            if any(form.text == "1869" for form in row.forms):
                new = replace(row.phrasings[0], text="When did it first open to trains?")
                row = replace(row, phrasings=(new,))
            if any(form.text in ("2010", "25 March 1843") for form in row.forms):
                row = replace(row, excluded=True, why="It is about visitors")
            rows.append(row)
        return replace(response, rows=tuple(rows), verdicts=(False, False))

    validate(change)
    assert statuses(ann) == [Status.INCORRECT]
    outcome = of(turn_of(ann))
    trains = next(pair for pair in outcome.pairs if pair.same == ("1869",))
    assert [span.text for span in trains.spans if span.kind == "ins"] == ["first"]
    assert not trains.unchanged
    people = next(pair for pair in outcome.pairs if pair.same == ("1843",))
    assert people.unchanged


def test_texts_that_are_all_there_count_as_written(disagreed, validate, ann, turn_of):
    def change(response, said):
        """Leave Ben's answers out, and give Ann's one more form."""
        rows = [
            replace(row, excluded=True, why="Not asked")
            if any(form.text in ("2010", "25 March 1843") for form in row.forms)
            else row
            for row in response.rows
        ]
        return replace(response, rows=tuple(rows))

    validate(change)
    decision = Decision.objects.get(in_force=True)
    assert decision.accepted.get().annotation_id is None
    assert statuses(ann) == [Status.WRITTEN]


def test_what_was_judged_incorrect_is_nowhere_called_accepted(
    disagreed, validate, ann, ben, turn_of, now
):
    """The verdict, the share of My work and the amount for accepted work say the same."""
    validate(reworded(trains="in 1869", verdicts={"1869": False, "2010": True}))
    assert statuses(ann) == [Status.INCORRECT]
    assert statuses(ben) == [Status.WRITTEN]
    question = turn_of(ann).task.question_id
    assert set(list_credited_assignments([question])) >= {turn_of(ben).pk}
    assert turn_of(ann).pk not in list_credited_assignments([question])
    since = now - dt.timedelta(days=1)
    assert status.count_results(ann, since=since) == (1, 0)
    assert status.count_results(ben, since=since) == (1, 1)
    assert home_queries.summarise_week(ann, monday=since).percent == 0


def test_what_was_judged_correct_is_accepted_with_the_change(
    disagreed, validate, ann, turn_of, now
):
    validate(reworded(trains="in 1869", verdicts={"1869": True, "2010": False}))
    assert statuses(ann) == [Status.CHANGED]
    assert turn_of(ann).pk in list_credited_assignments([turn_of(ann).task.question_id])
    assert home_queries.summarise_week(ann, monday=now - dt.timedelta(days=1)).percent == 100


def reworded(*, trains, verdicts):
    """Write another form for 1869, leave Ben's answers out, and say what is correct."""

    def change(response, said):
        rows = []
        for row in response.rows:
            if any(form.text == "1869" for form in row.forms):
                row = replace(row, forms=(replace(row.forms[0], text=trains),))
            if any(form.text in ("2010", "25 March 1843") for form in row.forms):
                row = replace(row, excluded=True, why="It is about visitors.")
            rows.append(row)
        judged = tuple(
            next(good for text, good in verdicts.items() if text in forms_of(each)) for each in said
        )
        return replace(response, rows=tuple(rows), verdicts=judged)

    return change


def forms_of(said):
    return [form for pair in said.pairs for form in pair.forms]


def test_the_reason_of_an_exclusion_reaches_its_author(disagreed, validate, ben, ann, turn_of):
    validate(reworded(trains="1869", verdicts={"1869": True, "2010": False}))
    outcome = of(turn_of(ben))
    assert outcome.status == Status.INCORRECT
    assert outcome.accepted == 0
    own = [pair for pair in outcome.pairs if pair.own]
    assert [pair.reason for pair in own] == ["It is about visitors."] * 2
    assert not any(pair.reason for pair in of(turn_of(ann)).pairs)


def test_a_question_that_is_excluded_says_nothing_about_its_answers(disagreed, validate, ann, now):
    validate(lambda response, said: replace(response, exclude_reason="It asks for a feeling."))
    assert status.count_results(ann, since=now - dt.timedelta(days=1)) == (0, 0)


def test_excluded_says_why(disagreed, validate, ann, turn_of):
    validate(lambda response, said: replace(response, exclude_reason="It asks for a feeling."))
    outcome = of(turn_of(ann))
    assert (outcome.status, outcome.reason) == (Status.EXCLUDED, "It asks for a feeling.")
    assert not outcome.sets


def test_what_was_not_found_beside_an_answer(project, question, ann, ben, answer, validate):
    answer(project, ann, none())
    answer(project, ben, one("1843"))
    validate(only("1843"))
    assert statuses(ann) == [Status.INCORRECT]
    assert statuses(ben) == [Status.WRITTEN]


def test_left_out_and_returned_with_the_note(
    project, question, ann, ben, rosa, answer, turn_of, now
):
    later = now + dt.timedelta(days=2)
    answer(project, ann, one("1843"))
    assignments.soft_reject(assignment=turn_of(ann), note="Copied.", by=rosa, now=later)
    assert statuses(ann) == [Status.LEFT_OUT]
    assert of(turn_of(ann)).decided_at == later
    assignments.use_again(assignment=turn_of(ann), by=rosa, now=later)
    assignments.return_to_author(assignment=turn_of(ann), note="Which one?", by=rosa, now=later)
    assert statuses(ann) == [Status.RETURNED]


def test_a_validator_reads_whether_the_decision_stands(bens, val, ann, turn_of):
    assert statuses(val) == [Status.WRITTEN]
    assert of(turn_of(val)).sets == ()


def test_blind_work_of_other_stages_has_no_result(bens, ann, turn_of):
    turn = turn_of(ann)
    Assignment.objects.filter(pk=turn.pk).update(stage="audit")
    assert statuses(ann) == []
    assert of(turn) is None


def test_the_list_filters_counts_and_pages(project, ann, now, monkeypatch):
    monkeypatch.setattr(status, "PAGE", 3)
    other = factories.make_project()
    for where, count in ((project, 5), (other, 2)):
        for _ in range(count):
            task = factories.make_task(where)
            factories.make_assignment(task, ann, state="submitted")
    Assignment.objects.filter(project=other).update(used=False)
    first = status.list_submissions(ann)
    assert len(first) == 4
    rest = status.list_submissions(ann, before=first[2].assignment.pk)
    assert {e.assignment.pk for e in first[:3]}.isdisjoint(e.assignment.pk for e in rest)
    assert status.count_by_status(ann) == {Status.WAITING: 5, Status.LEFT_OUT: 2}
    assert status.count_by_status(ann, project=project.pk) == {Status.WAITING: 5}
    assert [e.status for e in status.list_submissions(ann, status="left_out")] == [
        Status.LEFT_OUT
    ] * 2
    assert status.list_submissions(factories.make_user()) == []


def test_queries_do_not_grow(project, ann, ben, validate, answer, now, django_assert_num_queries):
    def decided(count):
        for _ in range(count):
            question = factories.make_question(project)
            tasks.open_tasks(question_ids=[question.pk], now=now)
            answer(project, ann, several((PEOPLE, "1843"), (TRAINS, "1869")))
            answer(project, ben, one("1843"))
            validate(only("1869"))

    decided(1)
    with django_assert_num_queries(3):
        assert len(status.list_submissions(ann)) == 1
    decided(4)
    with django_assert_num_queries(3):
        assert len(status.list_submissions(ann)) == 5
    turn = Assignment.objects.select_related("task__question").filter(user=ben).last()
    with django_assert_num_queries(7):
        assert status.outcome_of(turn).status == Status.INCORRECT


class TestComparing:
    def test_pairs_meet_on_a_shared_form(self):
        own = [
            Texts(("When to trains?",), ("1869", "in 1869")),
            Texts(("When to people?",), ("1843",)),
        ]
        accepted = [
            Texts(("When to people?",), ("The 1843",)),
            Texts(("To trains when?",), ("1869",)),
        ]
        trains, people = match_pairs(own, accepted)
        assert (trains.same, trains.added, trains.removed) == (("1869",), (), ("in 1869",))
        assert (people.same, people.added, people.removed) == ((), ("The 1843",), ("1843",))
        assert all(span.kind == "same" for span in people.spans)

    def test_ones_own_phrasing_is_the_one_shown(self):
        own = [Texts(("B?",), ("1",))]
        (pair,) = match_pairs(own, [Texts(("A?", "B?"), ("1", "2"))])
        assert (pair.question, pair.further, pair.unchanged) == ("B?", ("A?",), True)

    def test_what_has_no_partner_is_removed_or_added(self):
        pairs = match_pairs([Texts((), ("1",))], [Texts((), ("2",))])
        assert [(bool(p.own), bool(p.accepted)) for p in pairs] == [(True, False), (False, True)]

    def test_a_question_that_became_the_prompt_itself_is_no_deletion(self):
        (pair,) = match_pairs([Texts(("When to trains?",), ("1",))], [Texts((), ("1",))])
        assert pair.to_prompt
        assert not pair.spans
        assert not pair.unchanged

    def test_a_form_accepted_with_another_question_is_not_called_removed(self):
        own = [Texts(("A?",), ("1", "3")), Texts(("B?",), ("2",))]
        first, second = match_pairs(own, [Texts(("A?",), ("1",)), Texts(("B?",), ("2", "the 3"))])
        assert (first.removed, first.elsewhere, first.unchanged) == ((), ("3",), False)
        assert second.added == ("the 3",)

    def test_the_nearest_set_is_compared(self):
        own = [Texts((), ("1",))]
        pairs = compare_with_nearest(own, [[Texts((), ("2",))], [Texts((), ("1", "2"))]])
        assert pairs[0].same == ("1",)

    def test_nothing_with_nothing(self):
        assert compare_with_nearest([], []) == []


@pytest.mark.parametrize("which", list(Status))
def test_every_status_has_words(which):
    assert which.label
