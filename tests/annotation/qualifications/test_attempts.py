"""Attempts: begin, save, check, hint, hand in, be graded; who is qualified."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict, Denied
from annotation.generation.responses import to_json
from annotation.models import (
    AuditEntry,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
    Qualified,
)
from annotation.projects import services as projects_services
from annotation.qualifications import attempts, grading
from annotation.qualifications import queries as qualifications_queries
from annotation.qualifications import services as qualifications_services
from annotation.qualifications.grading import ItemGrade
from annotation.qualifications.items import Item
from annotation.work.drafts import DraftConflict
from tests import factories
from tests.annotation.qualifications.helpers import (
    ITEMS,
    JUDGED,
    RIGHT,
    TUNNEL,
    WRONG,
    answer_to,
    attempt_with,
    make,
    write,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def exam(project, rosa, now):
    return make(project, rosa, now)


def held(qualification, user):
    rows = Qualified.objects.filter(user=user, qualification=qualification)
    return rows.filter(revoked_at=None).exists()


class TestBeginning:
    def test_an_attempt_has_every_item(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        assert attempt.total == 3
        assert [answer.number for answer in attempt.answers.all()] == [1, 2, 3]
        assert attempt.answers.get(number=1).opened_at == now
        assert attempt.answers.get(number=2).opened_at is None

    def test_twice_is_once(self, exam, ann, now):
        first = attempts.start_attempt(qualification=exam, by=ann, now=now)
        assert attempts.start_attempt(qualification=exam, by=ann, now=now) == first
        assert AuditEntry.objects.filter(action="qualification_started").count() == 1

    def test_strangers_cannot(self, exam, stan, now):
        with pytest.raises(Denied, match="no longer work"):
            attempts.start_attempt(qualification=exam, by=stan, now=now)

    @pytest.mark.parametrize(
        ("state", "sentence"), [("draft", "still a draft"), ("closed", "is closed")]
    )
    def test_only_when_it_is_open(self, exam, ann, rosa, now, state, sentence):
        qualifications_services.set_state(qualification=exam, state=state, by=rosa, now=now)
        with pytest.raises(Conflict, match=sentence):
            attempts.start_attempt(qualification=exam, by=ann, now=now)

    def test_not_in_a_closed_project(self, exam, ann, rosa, project, now):
        projects_services.change_state(project=project, state="closed", by=rosa, now=now)
        with pytest.raises(Conflict, match="project is closed"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)

    def test_new_guidelines_make_it_wait_for_the_team(self, exam, ann, rosa, project, now):
        projects_services.publish_guidelines(project=project, body="## New", by=rosa, now=now)
        with pytest.raises(Conflict, match="guidelines have changed"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)
        qualifications_services.confirm_guidelines(qualification=exam, by=rosa, now=now)
        assert attempts.start_attempt(qualification=exam, by=ann, now=now).guideline_version == 2

    def test_who_has_passed_needs_no_other(self, exam, ann, now):
        attempt_with(exam, ann, now, right=3)
        with pytest.raises(Conflict, match="qualified already"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)

    def test_attempts_run_out(self, project, rosa, ann, now):
        exam = make(project, rosa, now, max_attempts=2)
        for _ in range(2):
            attempt_with(exam, ann, now, right=1)
        with pytest.raises(Conflict, match="used 2 of 2"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)

    def test_days_lie_between(self, project, rosa, ann, now):
        exam = make(project, rosa, now, days_between=2)
        attempt_with(exam, ann, now, right=1)
        with pytest.raises(Conflict, match="try again from"):
            attempts.start_attempt(qualification=exam, by=ann, now=now + dt.timedelta(days=1))
        assert attempts.start_attempt(qualification=exam, by=ann, now=now + dt.timedelta(days=2))

    def test_not_while_the_team_reads(self, exam, ann, now):
        attempt_with(exam, ann, now, right=2)
        with pytest.raises(Conflict, match="is reading"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)


class TestSaving:
    def test_versions(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        answer = answer_to(attempt)
        draft = to_json(RIGHT[0])
        assert attempts.save_draft(answer=answer, draft=draft, version=0, by=ann, now=now) == 1
        # A retry after a lost reply.
        assert attempts.save_draft(answer=answer, draft=draft, version=0, by=ann, now=now) == 1
        with pytest.raises(DraftConflict) as conflict:
            attempts.save_draft(answer=answer, draft=to_json(WRONG), version=0, by=ann, now=now)
        assert conflict.value.theirs == draft
        assert answer_to(attempt).draft == draft

    def test_only_ones_own(self, exam, ann, ben, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Denied, match="another person"):
            attempts.save_draft(answer=answer_to(attempt), draft={}, version=0, by=ben, now=now)

    def test_nothing_comes_in_after_the_end(self, exam, ann, now):
        attempt = attempt_with(exam, ann, now, right=1)
        before = answer_to(attempt).draft
        with pytest.raises(Conflict, match="has been submitted"):
            attempts.save_draft(
                answer=answer_to(attempt), draft=to_json(RIGHT[1]), version=1, by=ann, now=now
            )
        assert answer_to(attempt).draft == before

    def test_nul_and_half_surrogates_do_not_break_it(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        draft = {"kind": "none", "none_reason": "a\x00b\ud800"}
        attempts.save_draft(answer=answer_to(attempt), draft=draft, version=0, by=ann, now=now)
        assert answer_to(attempt).draft["none_reason"] == "ab"


class TestChecking:
    def test_it_says_whether_it_passes_and_counts(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        write(attempt, [WRONG], by=ann, now=now)
        assert not attempts.check_answer(answer=answer_to(attempt), by=ann, now=now)["passed"]
        write(attempt, [RIGHT[0]], by=ann, now=now)
        assert attempts.check_answer(answer=answer_to(attempt), by=ann, now=now)["passed"]
        assert answer_to(attempt).checks == 2

    def test_rules_count(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        pairs = RIGHT[0].pairs
        bad = {**to_json(RIGHT[0])}
        bad["pairs"][0]["question"] = pairs[0].question.rstrip("?")
        attempts.save_draft(answer=answer_to(attempt), draft=bad, version=0, by=ann, now=now)
        verdict = attempts.check_answer(answer=answer_to(attempt), by=ann, now=now)
        assert verdict["score"] == 1
        assert not verdict["passed"]
        assert any("question mark" in sentence for sentence in verdict["open"])

    def test_rules_that_are_switched_off_do_not(self, project, rosa, ann, now):
        exam = make(project, rosa, now, rules=[])
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        bad = to_json(RIGHT[0])
        bad["pairs"][0]["question"] = "no mark"
        attempts.save_draft(answer=answer_to(attempt), draft=bad, version=0, by=ann, now=now)
        assert attempts.check_answer(answer=answer_to(attempt), by=ann, now=now)["passed"]

    def test_not_where_the_result_comes_at_the_end(self, project, rosa, ann, now):
        exam = make(project, rosa, now, instant_feedback=False)
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Conflict, match="at the end"):
            attempts.check_answer(answer=answer_to(attempt), by=ann, now=now)


class TestHint:
    def test_it_opens_after_its_time(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Conflict, match="opens in 20 seconds"):
            attempts.show_hint(
                answer=answer_to(attempt), by=ann, now=now + dt.timedelta(seconds=100)
            )
        later = now + dt.timedelta(seconds=120)
        attempts.show_hint(answer=answer_to(attempt), by=ann, now=later)
        assert answer_to(attempt).hint_at == later

    def test_the_clock_of_an_item_begins_when_it_is_opened(self, project, rosa, ann, now):
        exam = make(project, rosa, now, items=(TUNNEL, TUNNEL, TUNNEL))
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        later = now + dt.timedelta(hours=1)
        with pytest.raises(Conflict, match="120 seconds"):
            attempts.show_hint(answer=answer_to(attempt, 2), by=ann, now=later)
        attempts.open_item(answer=answer_to(attempt, 2), by=ann, now=later)
        attempts.open_item(answer=answer_to(attempt, 2), by=ann, now=later + dt.timedelta(1))
        assert answer_to(attempt, 2).opened_at == later

    def test_not_every_item_has_one(self, exam, ann, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Conflict, match="no hint"):
            attempts.show_hint(answer=answer_to(attempt, 2), by=ann, now=now)


class TestHandingIn:
    @pytest.mark.parametrize(
        ("right", "state", "qualified"),
        [(3, "passed", True), (2, "in_review", False), (1, "submitted", False)],
    )
    def test_the_marks_decide(self, exam, ann, now, right, state, qualified):
        attempt = attempt_with(exam, ann, now, right=right)
        assert (attempt.state, attempt.score) == (state, right)
        assert held(exam, ann) is qualified

    def test_too_few_cannot_be_handed_in(self, exam, ann, now):
        attempt = attempt_with(exam, ann, now, right=0, hand_in=False)
        with pytest.raises(Conflict, match=r"0 of 3 items pass\. 1 are needed"):
            attempts.submit_attempt(attempt=attempt, by=ann, now=now)
        attempt.refresh_from_db()
        assert attempt.state == "in_progress"
        assert answer_to(attempt).result == {}

    def test_where_the_result_comes_at_the_end_answers_are_counted(self, project, rosa, ann, now):
        exam = make(project, rosa, now, instant_feedback=False, submit_at=2, review_from=2)
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        write(attempt, [WRONG], by=ann, now=now)
        with pytest.raises(Conflict, match="1 of 3 items are answered"):
            attempts.submit_attempt(attempt=attempt, by=ann, now=now)
        write(attempt, [WRONG, WRONG], by=ann, now=now)
        attempts.submit_attempt(attempt=attempt, by=ann, now=now)
        assert attempt.state == "failed"

    def test_by_hand_the_team_decides(self, project, rosa, ann, now):
        exam = make(project, rosa, now, by_hand=True)
        assert attempt_with(exam, ann, now, right=3).state == "in_review"
        assert not held(exam, ann)

    def test_twice_is_once(self, exam, ann, now):
        attempt = attempt_with(exam, ann, now, right=3)
        attempts.submit_attempt(attempt=attempt, by=ann, now=now + dt.timedelta(hours=1))
        assert attempt.submitted_at == now
        assert Qualified.objects.count() == 1

    def test_what_was_prepared_that_day_is_kept(self, exam, ann, rosa, now):
        attempt = attempt_with(exam, ann, now, right=1)
        qualifications_services.set_state(qualification=exam, state="draft", by=rosa, now=now)
        item = exam.items.first()
        changed = Item(prompt="another", expected={"accepted": [{"answers": ["x"]}]})
        qualifications_services.change_item(item=item, to=changed, by=rosa, now=now)
        assert answer_to(attempt).result["prompt"] == TUNNEL.prompt

    def test_somebody_who_left_keeps_what_they_typed(self, exam, ann, project, now):
        attempt = attempt_with(exam, ann, now, right=3, hand_in=False)
        project.memberships.filter(user=ann).delete()
        with pytest.raises(Denied, match="is kept"):
            attempts.submit_attempt(attempt=attempt, by=ann, now=now)

    def test_verdicts_of_validators(self, project, rosa, val, now):
        exam = make(
            project, rosa, now, items=[JUDGED], kind="validation",
            submit_at=0, review_from=1, pass_at=1,
        )  # fmt: skip
        attempt = attempts.start_attempt(qualification=exam, by=val, now=now)
        draft = {"verdicts": ["correct", "incorrect"]}
        attempts.save_draft(answer=answer_to(attempt), draft=draft, version=0, by=val, now=now)
        assert attempts.submit_attempt(attempt=attempt, by=val, now=now).state == "passed"


class TestAsking:
    def test_the_team_reads_it_then(self, exam, ann, now):
        attempt = attempt_with(exam, ann, now, right=1)
        attempts.request_review(attempt=attempt, text="Item 2?", by=ann, now=now)
        assert (attempt.state, attempt.asked) == ("in_review", "Item 2?")
        attempts.request_review(attempt=attempt, text="again", by=ann, now=now)
        assert attempt.asked == "Item 2?"

    def test_not_with_too_few(self, project, rosa, ann, now):
        exam = make(project, rosa, now, instant_feedback=False, submit_at=2)
        attempt = attempt_with(exam, ann, now, right=1)
        with pytest.raises(Conflict, match="asked once"):
            attempts.request_review(attempt=attempt, text="", by=ann, now=now)

    def test_not_about_an_old_one(self, exam, ann, now):
        first = attempt_with(exam, ann, now, right=1)
        attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Conflict, match="another attempt"):
            attempts.request_review(attempt=first, text="", by=ann, now=now)


class TestGrading:
    def grade(self, attempt, by, now, passed, items=None, note="Well done."):
        grading.grade_attempt(
            attempt=attempt, items=items or {}, passed=passed, note=note, by=by, now=now
        )

    def test_passed_by_hand(self, exam, ann, rosa, now):
        attempt = attempt_with(exam, ann, now, right=2)
        items = {3: ItemGrade(True, "The prize did not exist.")}
        self.grade(attempt, rosa, now, True, items)
        assert (attempt.state, attempt.score) == ("passed", 3)
        assert attempt.decided_by == rosa
        assert held(exam, ann)
        assert answer_to(attempt, 3).feedback == "The prize did not exist."

    def test_keeping_grades_decides_nothing(self, exam, ann, rosa, now):
        attempt = attempt_with(exam, ann, now, right=2)
        self.grade(attempt, rosa, now, None, {1: ItemGrade(False)})
        assert (attempt.state, attempt.score) == ("in_review", 1)

    def test_a_decision_can_be_changed(self, exam, ann, rosa, now):
        attempt = attempt_with(exam, ann, now, right=3)
        self.grade(attempt, rosa, now, False, note="Copied.")
        assert attempt.state == "failed"
        assert not held(exam, ann)
        self.grade(attempt, rosa, now, True)
        assert held(exam, ann)
        assert AuditEntry.objects.filter(action="qualification_graded").count() == 2

    def test_nobody_grades_their_own(self, exam, rosa, now):
        attempt = attempt_with(exam, rosa, now, right=2)
        with pytest.raises(Denied, match="your own attempt"):
            self.grade(attempt, rosa, now, True)

    def test_not_what_is_not_handed_in(self, exam, ann, rosa, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        with pytest.raises(Conflict, match="not been submitted"):
            self.grade(attempt, rosa, now, True)

    def test_annotators_cannot(self, exam, ann, ben, now):
        attempt = attempt_with(exam, ann, now, right=2)
        with pytest.raises(Denied):
            self.grade(attempt, ben, now, True)


class TestByHand:
    def test_staff_qualify_somebody(self, exam, ann, rosa, now):
        for _ in range(2):
            grading.grant_qualification(
                qualification=exam, user=ann, note="Pilot", by=rosa, now=now
            )
        row = Qualified.objects.get()
        assert (row.given_by, row.note, row.attempt) == (rosa, "Pilot", None)
        assert AuditEntry.objects.filter(action="qualified_by_hand").count() == 1

    def test_and_take_it_back_with_a_note(self, exam, ann, rosa, now):
        grading.grant_qualification(qualification=exam, user=ann, note="", by=rosa, now=now)
        with pytest.raises(Conflict, match="Say why"):
            grading.revoke_qualification(qualification=exam, user=ann, note=" ", by=rosa, now=now)
        grading.revoke_qualification(
            qualification=exam, user=ann, note="Careless", by=rosa, now=now
        )
        assert not held(exam, ann)
        with pytest.raises(Conflict, match="not qualified now"):
            grading.revoke_qualification(qualification=exam, user=ann, note="x", by=rosa, now=now)
        # And can be given again: the history stays.
        grading.grant_qualification(qualification=exam, user=ann, note="", by=rosa, now=now)
        assert Qualified.objects.count() == 2

    def test_not_themselves_nor_strangers(self, exam, rosa, stan, now):
        with pytest.raises(Denied, match="qualify yourself"):
            grading.grant_qualification(qualification=exam, user=rosa, note="", by=rosa, now=now)
        with pytest.raises(Conflict, match="does not work"):
            grading.grant_qualification(qualification=exam, user=stan, note="", by=rosa, now=now)

    def test_annotators_cannot(self, exam, ann, ben, now):
        with pytest.raises(Denied):
            grading.grant_qualification(qualification=exam, user=ben, note="", by=ann, now=now)


class TestWriting:
    def test_items_change_only_while_it_is_written(self, exam, rosa, now):
        with pytest.raises(Conflict, match="only in a draft"):
            qualifications_services.add_items(qualification=exam, items=ITEMS, by=rosa, now=now)
        with pytest.raises(Conflict, match="only in a draft"):
            qualifications_services.change_qualification(
                qualification=exam, changes={"pass_at": 3}, by=rosa, now=now
            )

    def test_taking_it_back_ends_attempts_which_do_not_count(self, exam, ann, rosa, now):
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
        write(attempt, RIGHT, by=ann, now=now)
        assert (
            qualifications_services.set_state(qualification=exam, state="draft", by=rosa, now=now)
            == 1
        )
        attempt.refresh_from_db()
        assert attempt.state == "ended"
        assert answer_to(attempt).draft == to_json(RIGHT[0])
        with pytest.raises(Conflict, match="ended the attempt"):
            attempts.submit_attempt(attempt=attempt, by=ann, now=now)
        qualifications_services.set_state(qualification=exam, state="open", by=rosa, now=now)
        again = attempts.start_attempt(qualification=exam, by=ann, now=now)
        assert again.number == 2
        assert qualifications_queries.get_standing(ann, exam, now).left == 2

    def test_it_opens_with_enough_items(self, project, rosa, now):
        exam = make(project, rosa, now, items=ITEMS[:1], opened=False)
        with pytest.raises(Conflict, match="3 items must pass, and there are 1 item"):
            qualifications_services.set_state(qualification=exam, state="open", by=rosa, now=now)

    def test_it_does_not_open_under_old_guidelines(self, project, rosa, now):
        exam = make(project, rosa, now, opened=False)
        projects_services.publish_guidelines(project=project, body="## New", by=rosa, now=now)
        with pytest.raises(Conflict, match="Confirm first"):
            qualifications_services.set_state(qualification=exam, state="open", by=rosa, now=now)

    def test_answered_items_stay(self, exam, ann, rosa, now):
        attempts.start_attempt(qualification=exam, by=ann, now=now)
        qualifications_services.set_state(qualification=exam, state="draft", by=rosa, now=now)
        with pytest.raises(Conflict, match="so it stays"):
            qualifications_services.remove_item(item=exam.items.first(), by=rosa, now=now)

    def test_order(self, project, rosa, now):
        exam = make(project, rosa, now, opened=False)
        qualifications_services.move_item(item=exam.items.last(), direction="up", by=rosa, now=now)
        qualifications_services.move_item(item=exam.items.first(), direction="up", by=rosa, now=now)
        prompts = list(exam.items.values_list("prompt", flat=True))
        assert prompts == [ITEMS[0].prompt, ITEMS[2].prompt, ITEMS[1].prompt]
        qualifications_services.remove_item(item=exam.items.first(), by=rosa, now=now)
        assert exam.items.count() == 2

    def test_names_and_marks(self, project, rosa, now):
        make(project, rosa, now)
        with pytest.raises(Conflict, match="with this name"):
            make(project, rosa, now)
        with pytest.raises(Conflict, match="three numbers must increase"):
            make(project, rosa, now, title="Other", submit_at=3, review_from=2)

    def test_unknown_rules(self, project, rosa, now):
        with pytest.raises(Conflict, match="too-quick: no rule"):
            make(project, rosa, now, rules=["too-quick"])

    def test_annotators_cannot(self, project, ann, now):
        with pytest.raises(Denied):
            make(project, ann, now)

    def test_nothing_of_it_is_a_question(self, exam, project):
        assert not project.questions.exists()
        assert QualificationItem.objects.count() == 3


def test_counts_do_not_grow_with_attempts(exam, ann, rosa, now, django_assert_num_queries):
    for _ in range(3):
        attempt_with(exam, ann, now, right=1)
    for number in range(5):
        grading.grant_qualification(
            qualification=exam,
            user=factories.make_member(exam.project, "annotator", name=f"P{number} P"),
            note="",
            by=rosa,
            now=now,
        )
    with django_assert_num_queries(4):
        qualifications_queries.get_standing(ann, exam, now)
    with django_assert_num_queries(1):
        assert len(qualifications_queries.attempts_at(exam)) == 3
    with django_assert_num_queries(2):
        assert sum(bool(each.held) for each in qualifications_queries.list_people(exam)) == 5
    with django_assert_num_queries(1):
        list(qualifications_queries.of_project(exam.project, ann, drafts=True))
    assert QualificationAttempt.objects.count() == 3
    assert QualificationAnswer.objects.count() == 9
