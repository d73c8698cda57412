"""One definition of "the same answer": money, results, figures and acceptance all follow it."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.home import queries as home_queries
from annotation.models import PayEntry, Question
from annotation.work import assignments, tasks
from metrics.text import answer_key, same_answer
from tests import factories
from tests.validation.claims.conftest import MINE, THEIRS, only
from tests.validation.conftest import one
from validation.agreement import facts, figures
from validation.audits import scores
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.models import SubmissionOutcome
from validation.outcomes import status
from validation.outcomes.services import update_outcomes
from validation.outcomes.values import decide_outcome
from validation.verdicts import merging
from validation.verdicts.comparing import AnswerSet, Texts, match_pairs

# Two people's answers, and whether metrics.text calls them the same.
TEXTS = [
    ("A+", "A-", False),
    ("A+", "a+.", True),
    ("C++", "C#", True),  # a score deletes ASCII punctuation
    ("The The", "the", False),
    ("The The", "the the!", True),
    ("A-ha", "Aha", True),
    ("A-ha", "ha", False),
    ("?", "!", False),
    ("1990–95", "1990-95", False),  # only the hyphen is ASCII
    ("1990–95", "1990—95", False),
    ("1990-95", "199095", True),
    ("٣", "3", False),
    ("٣", "٣.", True),
]


@pytest.mark.parametrize(("mine", "theirs", "same"), TEXTS)
def test_metrics_text_says_whether_it_is_the_same(mine, theirs, same):
    assert same_answer(mine, theirs) == same
    assert answer_key(mine)
    assert answer_key(theirs)


@pytest.fixture
def ruled(project, question, ann, ben, rosa, answer, validate, turn_of, now):
    """ruled(mine, theirs): Ann and Ben answer; in the end staff accept what Ben wrote, no more."""

    def ruled(mine, theirs):
        project.policies.update(pay="0.75", pay_accepted="0.10")
        answer(project, ann, one(mine))
        answer(project, ben, one(theirs))
        question.refresh_from_db()
        automatic = question.state == Question.State.AUTO_ACCEPTED
        if not automatic:
            validate(lambda response, said: replace(response, verdicts=(True, True)))
        thread = claims_services.open_claim(
            assignment=turn_of(ben), text="Only mine.", by=ben, now=now
        )
        claims_services.change_result(
            thread=thread,
            edited=RulingEdits(stand=frozenset({turn_of(ben).annotation.pk})),
            basis=claims_services.get_standing(question.pk).basis,
            reason="Only Ben's.",
            keep_warnings=True,
            by=rosa,
            now=now,
        )
        return automatic

    return ruled


@pytest.mark.parametrize(("mine", "theirs", "same"), TEXTS)
def test_all_that_compares_answers_agrees(
    ruled, project, question, ann, ben, ada, turn_of, now, client_as, mine, theirs, same
):
    """Ann's answer is accepted by Ben's words, everywhere, just where metrics.text says so."""
    since = now - dt.timedelta(days=1)
    assert merging.all_match([[[mine]], [[theirs]]]) == same
    assert ruled(mine, theirs) == same  # accepted automatically

    result = status.outcome_of(turn_of(ann))
    assert result.status == ("changed" if same else "other")
    assert result.accepted == int(same)
    assert [each.status for each in status.list_submissions(ann)] == [result.status]
    assert status.count_by_status(ann) == {result.status: 1}
    assert status.outcome_of(turn_of(ben)).status == "written"

    amounts = PayEntry.objects.filter(user=ann, kind="accepted").values_list("amount", flat=True)
    assert sum(amounts) == (Decimal("0.10") if same else 0)

    assert status.count_results(ann, since=since) == (1, int(same))
    assert home_queries.summarise_week(ann, monday=since).percent == (100 if same else 0)

    [row], _ = facts.read_facts(project)
    assert figures.compare_annotators([row]).columns["exact"] == [float(same)]
    assert figures.find_missed_and_invalid(row) == (not same, not same)

    address = reverse("question-view", args=[project.slug, question.pk])
    page = client_as(ada).get(address).content.decode()
    of_ann = page.split(f'id="turn-{turn_of(ann).pk}"')[1].split("</article>")[0]
    assert [result.status.label in of_ann, "Not accepted" in of_ann] == [True, not same]


def mine(*pairs, kind="multiple"):
    """An annotation: mine(("q?", "a", "b"), …)."""
    return accepted(*pairs, kind=kind, annotation=7)


def accepted(*pairs, kind="multiple", annotation=None):
    return AnswerSet(kind, tuple(Texts((q,), tuple(forms)) for q, *forms in pairs), annotation)


class TestOneSubmission:
    """`outcomes.outcome` on plain values, one line of docs/validation.md each."""

    PAIRS = (("To people?", "1843"), ("To trains?", "1869"))

    def test_what_was_judged_incorrect_is_incorrect_whatever_is_accepted(self):
        assert (
            decide_outcome(mine(*self.PAIRS), [accepted(*self.PAIRS)], correct=False) == "incorrect"
        )

    def test_the_set_itself_is_accepted_as_written(self):
        other = accepted(("When?", "1900"), annotation=7)
        assert decide_outcome(mine(*self.PAIRS), [other]) == "written"

    def test_a_set_that_two_decisions_put_together_is_nobodys(self):
        nobodys = AnswerSet("multiple", mine(*self.PAIRS).pairs)
        assert decide_outcome(nobodys, [accepted(("When?", "1900"))]) == "other"

    def test_further_phrasings_and_aliases_leave_it_as_written(self):
        pairs = (
            Texts(("To trains?", "Since when?"), ("1869", "in 1869")),
            Texts(("To people?",), ("1843",)),
        )
        assert decide_outcome(mine(*self.PAIRS), [AnswerSet("multiple", pairs)]) == "written"

    def test_another_question_text_is_a_change(self):
        assert (
            decide_outcome(mine(*self.PAIRS), [accepted(("People?", "1843"), self.PAIRS[1])])
            == "changed"
        )

    def test_one_answer_more_is_a_change(self):
        assert (
            decide_outcome(mine(*self.PAIRS), [accepted(*self.PAIRS, ("Cars?", "1900"))])
            == "changed"
        )

    def test_answers_of_several_sets_count(self):
        sets = [accepted(self.PAIRS[0]), accepted(self.PAIRS[1])]
        assert decide_outcome(mine(*self.PAIRS), sets) == "changed"

    def test_some_answers_are_accepted(self):
        assert decide_outcome(mine(*self.PAIRS), [accepted(("People?", "the 1843"))]) == "partly"

    def test_no_answer_is_accepted(self):
        assert decide_outcome(mine(*self.PAIRS), [accepted(("Cars?", "1900"))]) == "other"
        assert decide_outcome(mine(*self.PAIRS), []) == "other"

    def test_a_verdict_makes_it_accepted_with_a_change(self):
        assert (
            decide_outcome(mine(*self.PAIRS), [accepted(("Cars?", "1900"))], correct=True)
            == "changed"
        )

    def test_the_kind_must_be_the_same_to_be_as_written(self):
        single = AnswerSet("single", (Texts((), ("1843",)),), 7)
        assert decide_outcome(single, [accepted(("To people?", "1843"))]) == "changed"
        assert (
            decide_outcome(single, [AnswerSet("single", (Texts((), ("1843", "in 1843")),))])
            == "written"
        )

    def test_nothing_found_is_accepted_where_nothing_is(self):
        assert decide_outcome(mine(kind="none"), [], correct=True) == "written"
        assert decide_outcome(mine(kind="none"), [accepted(*self.PAIRS)], correct=True) == "changed"
        assert decide_outcome(mine(kind="none"), [accepted(*self.PAIRS)]) == "other"

    def test_white_space_is_the_same_as_nothing(self):
        assert decide_outcome(mine(("When?", " ")), [accepted(("When then?", "\t"))]) == "other"
        assert not any(
            pair.own and pair.accepted
            for pair in match_pairs([Texts((), (" ",))], [Texts((), (" ",))])
        )


class TestRows:
    def test_they_come_with_the_last_answer_and_go_with_it(
        self, project, question, ann, ben, rosa, answer, turn_of, now
    ):
        answer(project, ann, one("1843"))
        assert not SubmissionOutcome.objects.exists()
        answer(project, ben, one("the 1843"))
        rows = SubmissionOutcome.objects.values_list("status", "decision")
        assert list(rows) == [("written", None)] * 2
        assignments.soft_reject(assignment=turn_of(ben), note="Copied.", by=rosa, now=now)
        assert not SubmissionOutcome.objects.exists()

    def test_long_answers_have_them_too(self, db):
        project = factories.make_project(protocol="asqa", policies=False)
        project.policies.create(stage="long_answers", split="dev", people=1)
        task = factories.make_task(project, stage="long_answers")
        turn = factories.make_assignment(task, factories.make_user(), state="submitted")
        Question.objects.filter(pk=task.question_id).update(state="accepted")
        update_outcomes([task.question_id])
        assert turn.outcome.status == "written"

    def test_the_database_refuses_a_status_that_no_decision_gives(self, bens, ann, turn_of):
        row = SubmissionOutcome.objects.filter(assignment=turn_of(ann))
        for values, name in (
            ({"status": "waiting"}, "submission_outcome_known"),
            ({"decision": None}, "submission_outcome_decided_or_as_written"),
        ):
            with pytest.raises(IntegrityError, match=name), transaction.atomic():
                row.update(**values)

    def test_statements_do_not_grow(self, bens, project, ann, ben, answer, validate, now):
        def settled(questions):
            """How many statements it takes to store what became of all, and then of none."""
            SubmissionOutcome.objects.filter(assignment__task__question__in=questions).update(
                status="excluded"
            )
            with CaptureQueriesContext(connection) as stored:
                update_outcomes(questions)
            with CaptureQueriesContext(connection) as same:
                update_outcomes(questions)
            return len(stored), len(same)

        one_question = settled([bens.pk])
        ids = [bens.pk]
        for _ in range(3):
            ids.append(factories.make_question(project).pk)
            tasks.open_tasks(question_ids=ids, now=now)
            answer(project, ann, MINE)
            answer(project, ben, THEIRS)
            validate(only("2010"))
        assert settled(ids) == one_question == (4, 3)


def test_an_audit_predicts_with_the_form_that_is_accepted():
    """Scores delete the signs of A+ and A-; which form is scored follows the answer itself."""
    sets = ((("A+",),),)
    assert scores.forms_to_score((("Z", "A-"),), sets) == ["Z"]
    assert scores.forms_to_score((("Z", "a+."),), sets) == ["a+."]
