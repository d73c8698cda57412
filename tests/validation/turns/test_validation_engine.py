"""The way of a question through stage two: who is asked, what decides, what comes back."""

from dataclasses import replace

import pytest

from annotation.core.refusals import Conflict, ResponseRefused
from annotation.models import Task
from annotation.work import assignments, handover, tasks
from tests import factories
from tests.validation.conftest import none, one, several
from validation.models import (
    AcceptedAnnotation,
    AcceptedAnswer,
    AcceptedQuestion,
    Decision,
    Validation,
    Verdict,
)
from validation.verdicts.responses import (
    Contribution,
    ContributionPair,
    Form,
    build_result,
    build_union_response,
    derive_verdicts,
    resolve_verdicts,
)

TRAINS = several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
OTHER = several(("When did it open to people?", "1843"), ("When did it reopen?", "2010"))


@pytest.fixture
def disagreed(project, question, ann, ben, answer):
    answer(project, ann, TRAINS)
    answer(project, ben, OTHER)
    return question


@pytest.fixture
def turn(project, disagreed, val, now):
    """The validator's turn at it."""
    return assignments.take_next(project=project, stage="validation", by=val, now=now)


def opened(turn):
    return factories.opened(turn)


def submit(turn, response, by, now):
    return assignments.submit_response(assignment=turn, response=response, by=by, now=now)


class TestHandOver:
    def test_a_disagreement_becomes_validation_work_at_once(self, disagreed, state):
        assert state(disagreed) == "validating"
        assert Task.objects.get(question=disagreed, policy__stage="validation").seats == 1

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (one("1843"), one("the 1843", "25 March")),
            (TRAINS, several(*[(p.question, p.answers[0].text) for p in TRAINS.pairs[::-1]])),
            (none(), none("Nothing there.")),
        ],
    )
    def test_answers_that_match_are_accepted_without_a_validator(
        self, project, question, ann, ben, answer, state, first, second
    ):
        answer(project, ann, first)
        assert state(question) == "generating"
        answer(project, ben, second)
        assert state(question) == "auto_accepted"
        assert not Task.objects.filter(policy__stage="validation").exists()

    @pytest.mark.parametrize("second", [none(), one("1869"), TRAINS])
    def test_whatever_differs_is_validated(
        self, project, question, ann, ben, answer, state, second
    ):
        answer(project, ann, one("1843"))
        answer(project, ben, second)
        assert state(question) == "validating"

    def test_train_is_accepted_as_it_is(self, project, ann, answer, state, now):
        question = factories.make_question(project, split="train")
        tasks.open_tasks(question_ids=[question.pk], now=now)
        answer(project, ann, one("1843"))
        assert state(question) == "accepted"

    def test_a_skip_beside_an_answer_asks_somebody_else(
        self, project, question, ann, ben, answer, state, now
    ):
        answer(project, ann, one("1843"))
        turn = assignments.take_next(project=project, stage="generation", by=ben, now=now)
        assignments.skip_question(assignment=turn, reason="subjective", by=ben, now=now)
        assert state(question) == "generating"
        carl = factories.make_member(project, "annotator", name="Carl Cole")
        answer(project, carl, one("1843"))
        assert state(question) == "auto_accepted"


class TestOwnWork:
    def test_a_generator_is_never_given_the_question_to_validate(
        self, project, disagreed, ann, now
    ):
        factories.make_member(project, "validator", user=ann)
        assert assignments.take_next(project=project, stage="validation", by=ann, now=now) is None

    def test_who_skipped_it_does_not_validate_it_either(
        self, project, question, ann, ben, answer, now
    ):
        carl = factories.make_member(project, "annotator", "validator", name="Carl Cole")
        turn = assignments.take_next(project=project, stage="generation", by=carl, now=now)
        assignments.skip_question(assignment=turn, reason="subjective", by=carl, now=now)
        answer(project, ann, TRAINS)
        answer(project, ben, OTHER)
        assert assignments.take_next(project=project, stage="validation", by=carl, now=now) is None

    def test_who_validated_it_is_not_asked_to_answer_it(
        self, project, turn, val, rosa, ann, now, state
    ):
        factories.make_member(project, "annotator", user=val)
        response, _said = opened(turn)
        submit(turn, replace(response, verdicts=(True, False)), val, now)
        work = assignments.Assignment.objects.get(user=ann)
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        assert state(turn.task.question) == "generating"
        assert assignments.take_next(project=project, stage="generation", by=val, now=now) is None

    def test_the_database_refuses_a_verdict_on_own_work(self, turn, val, now):
        from django.db import IntegrityError

        validation = Validation.objects.create(
            assignment=turn, question=turn.task.question, validator=val, created_at=now
        )
        annotation = turn.task.question.annotations.first()
        with pytest.raises(IntegrityError, match="verdict_not_on_own_work"):
            Verdict.objects.create(
                validation=validation,
                annotation=annotation,
                author=val,
                validator=val,
                correct=True,
            )


class TestDecision:
    def test_marking_both_correct_accepts_each_as_it_stands(self, turn, val, now, state):
        response, _ = opened(turn)
        submit(turn, replace(response, verdicts=(True, True)), val, now)
        decision = Decision.objects.get(in_force=True)
        assert (decision.outcome, decision.change) == ("accepted", "none")
        assert decision.accepted.count() == 2
        assert state(turn.task.question) == "accepted"

    def test_marking_one_incorrect_leaves_the_other(self, turn, val, now, state):
        response, said = opened(turn)
        submit(turn, replace(response, verdicts=(False, True)), val, now)
        decision = Decision.objects.get(in_force=True)
        assert (decision.outcome, decision.change) == ("edited", "exclusion")
        [accepted] = decision.accepted.all()
        assert accepted.annotation_id == said[1].annotation
        assert list(Verdict.objects.order_by("annotation").values_list("correct", flat=True)) in (
            [True, False],
            [False, True],
        )
        assert state(turn.task.question) == "edited"

    def test_a_changed_set_is_what_is_accepted_with_its_provenance(self, turn, val, now):
        response, _said = opened(turn)
        rows = list(response.rows)
        rows[-1] = replace(rows[-1], excluded=True, why="Not an opening.")
        submit(turn, replace(response, rows=tuple(rows)), val, now)
        accepted = AcceptedAnnotation.objects.filter(annotation=None).get()
        texts = {a.text: a.source for pair in accepted.pairs.all() for a in pair.answers.all()}
        assert len(texts) == 2
        assert all(source.text == text for text, source in texts.items())
        assert not AcceptedAnswer.objects.filter(edited=True).exists()

    def test_what_was_edited_says_what_it_was(self, turn, val, now):
        response, _said = opened(turn)
        # Not the first row of one member: which that is follows from the secret key.
        row = next(row for row in response.rows if row.forms[0].text == "1869")
        [form], [phrasing] = row.forms, row.phrasings
        edited = replace(
            row,
            forms=(replace(form, text=f"in {form.text}"), Form("Written here")),
            phrasings=(replace(phrasing, text=f"In truth, {phrasing.text}"),),
        )
        rows = tuple(edited if each is row else each for each in response.rows)
        submit(turn, replace(response, rows=rows, verdicts=(True, True)), val, now)
        answers = {each.text: each for each in AcceptedAnswer.objects.filter(edited=True)}
        assert {text: each.source.text for text, each in answers.items()} == {
            f"in {form.text}": form.text
        }
        [question] = AcceptedQuestion.objects.filter(edited=True)
        assert question.source.question == phrasing.text
        written = AcceptedAnswer.objects.get(text="Written here")
        assert (written.source, written.edited) == (None, False)

    def test_nobody_is_judged_while_nothing_is_changed(self, turn, val, now):
        response, said = opened(turn)
        assert resolve_verdicts(response, said) == (None, None)

    def test_rewording_is_no_verdict(self):
        """All answers of one are accepted in other words: the validator says whether that was
        wrong, and the words before the change are not accepted as well."""
        said = [
            Contribution(
                1,
                "multiple",
                (ContributionPair("People?", ("1843",)), ContributionPair("Trains?", ("1869",))),
            ),
            Contribution(2, "single", (ContributionPair("", ("1843",)),)),
        ]
        response = build_union_response(said)
        people, trains = response.rows
        trains = replace(trains, forms=(replace(trains.forms[0], text="in 1869"),))
        response = replace(response, rows=(people, trains))
        assert derive_verdicts(response, said) == (None, False)
        accepted = build_result(replace(response, verdicts=(True, True)), said).accepted
        assert [each.column for each in accepted] == [None, 1]

    def test_an_excluded_answer_is_a_row_with_its_reason_and_whose_it_was(self, turn, val, now):
        response, said = opened(turn)
        rows = list(response.rows)
        gone = rows[-1] = replace(rows[-1], excluded=True, why="Not an opening.")
        submit(turn, replace(response, rows=tuple(rows)), val, now)
        [excluded] = Decision.objects.get(in_force=True).excluded.all()
        assert excluded.reason == "Not an opening."
        assert excluded.answers == [form.text for form in gone.forms]
        assert excluded.questions == [each.text for each in gone.kept]
        pairs = {said[m.annotation].pairs[m.pair].pk for m in gone.members}
        assert set(excluded.pairs.values_list("pk", flat=True)) == pairs != set()

    def test_a_verdict_is_needed_on_each(self, turn, val, now):
        response, _ = opened(turn)
        with pytest.raises(ResponseRefused) as refused:
            submit(turn, replace(response, verdicts=(True, None)), val, now)
        assert [f.field for f in refused.value.report.blocking] == ["verdict-2"]
        assert not Validation.objects.exists()

    def test_accepting_nothing_is_refused(self, turn, val, now):
        response, _ = opened(turn)
        with pytest.raises(ResponseRefused) as refused:
            submit(turn, replace(response, verdicts=(False, False)), val, now)
        assert [f.rule for f in refused.value.report.blocking] == ["nothing-accepted"]

    def test_a_question_can_be_excluded_with_a_reason(self, turn, val, now, state):
        response, _ = opened(turn)
        submit(turn, replace(response, exclude_reason="Too vague."), val, now)
        decision = Decision.objects.get(in_force=True)
        assert (decision.outcome, decision.reason) == ("excluded", "Too vague.")
        assert not decision.accepted.exists()
        assert state(turn.task.question) == "excluded"

    def test_submitting_twice_gives_one_decision(self, turn, val, now):
        response, _ = opened(turn)
        done = replace(response, verdicts=(True, True))
        assert submit(turn, done, val, now) == submit(turn, done, val, now)
        assert Decision.objects.count() == 1


class TestChangesBelow:
    def test_work_left_out_sets_the_decision_aside(
        self, project, turn, val, ann, rosa, answer, now, state
    ):
        response, _ = opened(turn)
        submit(turn, replace(response, verdicts=(True, True)), val, now)
        work = assignments.Assignment.objects.get(user=ann)
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        assert state(turn.task.question) == "generating"
        assert not Decision.objects.filter(in_force=True).exists()
        assert Task.objects.get(policy__stage="validation").seats == 0
        carl = factories.make_member(project, "annotator", name="Carl Cole")
        answer(project, carl, one("1900"))
        assert state(turn.task.question) == "validating"
        assert Task.objects.get(policy__stage="validation").seats == 1

    def test_a_validator_in_the_middle_is_told_and_keeps_the_text(
        self, project, turn, val, ann, rosa, answer, now
    ):
        response, _ = opened(turn)
        work = assignments.Assignment.objects.get(user=ann)
        assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
        with pytest.raises(Conflict, match="being answered again"):
            submit(turn, replace(response, verdicts=(True, True), feedback="Mine."), val, now)
        turn.refresh_from_db()
        assert turn.draft["feedback"] == "Mine."
        carl = factories.make_member(project, "annotator", name="Carl Cole")
        answer(project, carl, several(("When did it close?", "1818"), ("When …?", "1843")))
        with pytest.raises(Conflict, match="have changed since you opened"):
            submit(turn, replace(response, verdicts=(True, True)), val, now)
        fresh, said = opened(turn)
        assert fresh.covers == tuple(each.annotation for each in said)
        assert "1818" in {form.text for row in fresh.rows for form in row.forms}
        submit(turn, replace(fresh, verdicts=(True, True)), val, now)
        assert Decision.objects.filter(in_force=True).count() == 1

    def test_returning_a_validation_reverses_the_decision(self, turn, val, rosa, now, state):
        response, _ = opened(turn)
        submit(turn, replace(response, verdicts=(True, True)), val, now)
        turn.refresh_from_db()
        assignments.return_to_author(assignment=turn, note="Look again.", by=rosa, now=now)
        assert state(turn.task.question) == "validating"
        assert not Decision.objects.exists()
        turn.refresh_from_db()
        assignments.resume_assignment(assignment=turn, by=val, now=now)
        submit(turn, replace(response, verdicts=(True, False)), val, now)
        assert state(turn.task.question) == "edited"

    def test_a_validation_left_out_goes_to_another_validator(
        self, project, turn, val, rosa, now, state
    ):
        response, _ = opened(turn)
        submit(turn, replace(response, verdicts=(True, True)), val, now)
        turn.refresh_from_db()
        assignments.soft_reject(assignment=turn, note="Too quick.", by=rosa, now=now)
        assert state(turn.task.question) == "validating"
        vic = factories.make_member(project, "validator", name="Vic Vole")
        again = assignments.take_next(project=project, stage="validation", by=vic, now=now)
        response, _ = opened(again)
        submit(again, replace(response, verdicts=(False, True)), vic, now)
        assert state(turn.task.question) == "edited"
        assert Decision.objects.get(in_force=True).replaces.validation.validator == val

    def test_asking_for_more_generators_closes_the_validation_seat(
        self, project, disagreed, rosa, now, state
    ):
        policy = project.policies.get(stage="generation", split="dev")
        tasks.change_people(policy=policy, people=3, by=rosa, now=now)
        assert state(disagreed) == "generating"
        assert Task.objects.get(policy__stage="validation").seats == 0
        tasks.change_people(policy=policy, people=2, by=rosa, now=now)
        assert state(disagreed) == "validating"
        assert Task.objects.get(policy__stage="validation").seats == 1


def test_the_sweep_opens_what_a_killed_worker_left(project, disagreed, now):
    Task.objects.filter(policy__stage="validation").delete()
    assignments.Assignment.objects.update(handed_over_at=None)
    from datetime import timedelta

    assert handover.hand_over_missed(now + timedelta(minutes=5)) == 2
    assert Task.objects.filter(policy__stage="validation").count() == 1


def test_columns_are_shuffled_per_validator(project, disagreed, val, now):
    """The order is not that of submission for everybody, and stays for one."""
    from validation.verdicts.queries import list_column_annotations

    turn = assignments.take_next(project=project, stage="validation", by=val, now=now)
    assert list_column_annotations(turn) == list_column_annotations(turn)
    orders = set()
    for pk in range(1, 30):
        turn.pk = pk
        orders.add(tuple(each.annotation for each in list_column_annotations(turn)))
    assert len(orders) == 2


def test_the_union_is_where_it_begins(turn):
    response, said = opened(turn)
    assert response == build_union_response(said)
    assert sorted(len(row.members) for row in response.rows) == [1, 1, 2]
