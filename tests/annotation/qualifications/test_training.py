"""Training before an exam: self-study, walk-through, exam, acceptance (S17-S19)."""

import datetime as dt

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.models import (
    AuditEntry,
    QualificationAnswer,
    QualificationAttempt,
    Qualified,
    WalkThrough,
)
from annotation.qualifications import attempts, grading
from annotation.qualifications import services as qualifications_services
from annotation.qualifications import training_queries as queries
from annotation.qualifications import training_services as training
from annotation.qualifications.grading import ItemGrade
from annotation.qualifications.policies import NotQualified
from annotation.qualifications.queries import get_standing
from annotation.qualifications.training import (
    TrainingFacts,
    exam_refusal,
    next_step_sentence,
)
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import (
    CROSSED,
    LONG_ANSWER,
    RIGHT,
    TUNNEL,
    WALKED,
    answer_to,
    make,
    make_training,
    samples_of,
    sit,
    study,
    write,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return long_answers.make_project(slug="long-answers")


@pytest.fixture
def wilma(project):
    return factories.make_member(project, "annotator", name="Wilma Wood")


@pytest.fixture
def rita(project):
    return factories.make_member(project, "researcher", name="Rita Reed")


@pytest.fixture
def course(project, rita, now):
    return make_training(project, rita, now, samples=(CROSSED, WALKED), items=(WALKED, CROSSED))


def hold(course, user, by, now, **fields):
    fields = {"held_on": now.date(), "notes": "Say why there are two."} | fields
    return training.record_walk_through(qualification=course, user=user, by=by, now=now, **fields)


def where(course, user):
    return queries.facts_for(user, course).where


def at(name, *args):
    return reverse(name, args=args)


class TestSteps:
    def test_every_step_in_its_order(self):
        facts = TrainingFacts(samples=3, items=5, walk_through=True)
        assert [step.state for step in facts.steps] == [
            "now",
            "later",
            "later",
            "later",
        ]
        assert next_step_sentence(facts) == "Begin with self-study: 3 sample questions."
        assert exam_refusal(facts) == "Self-study comes first: 0 of 3 samples submitted."
        facts = TrainingFacts(3, 5, walk_through=True, handed_in=3, study_done=True)
        assert [step.state for step in facts.steps] == [
            "done",
            "now",
            "later",
            "later",
        ]
        assert exam_refusal(facts).startswith("The walk-through comes first.")
        held = dt.date(2026, 5, 4)
        facts = TrainingFacts(3, 5, walk_through=True, study_done=True, held_on=held)
        assert [step.state for step in facts.steps] == [
            "done",
            "done",
            "now",
            "later",
        ]
        assert facts.steps[1].text == "Held on 4 May 2026."
        assert (exam_refusal(facts), next_step_sentence(facts)) == (
            "",
            "Take the exam: 5 questions.",
        )
        facts = TrainingFacts(3, 5, True, study_done=True, held_on=held, exam="in_review")
        assert facts.where == "grading"
        assert [step.state for step in facts.steps] == [
            "done",
            "done",
            "now",
            "later",
        ]
        facts = TrainingFacts(3, 5, True, qualified=True)
        assert {step.state for step in facts.steps} == {"done"}

    def test_parts_that_are_not_asked_are_not_there(self):
        assert TrainingFacts(samples=0, items=8, walk_through=False).steps == ()
        only = TrainingFacts(samples=0, items=8, walk_through=True).steps
        assert [step.key for step in only] == ["walk-through", "exam", "accepted"]
        facts = TrainingFacts(1, 1, walk_through=False, handed_in=1, study_done=True)
        only = facts.steps
        assert [step.key for step in only] == ["study", "exam", "accepted"]

    @pytest.mark.parametrize(
        ("exam", "said"),
        [
            ("in_progress", "Continue your exam."),
            ("failed", "See the result of your exam."),
            ("in_review", "The team is reading your exam."),
        ],
    )
    def test_what_is_next_after_the_walk_through(self, exam, said):
        facts = TrainingFacts(0, 5, True, held_on=dt.date(2026, 5, 4), exam=exam)
        assert next_step_sentence(facts).startswith(said)


class TestSelfStudy:
    def test_sample_by_sample(self, course, wilma, now):
        attempt = study(course, wilma, now, hand_in=1)
        assert attempt.state == "in_progress"
        assert queries.facts_for(wilma, course).handed_in == 1
        answer = answer_to(attempt, 2)
        with pytest.raises(Conflict, match="Answer it first"):
            attempts.hand_in_sample(answer=answer, by=wilma, now=now)
        study(course, wilma, now)
        attempt.refresh_from_db()
        assert (attempt.state, attempt.part, attempt.submitted_at) == ("submitted", "study", now)
        assert where(course, wilma) == "walk-through"
        assert AuditEntry.objects.filter(action="self_study_done").count() == 1

    def test_handed_in_stays_as_it_was(self, course, wilma, now):
        attempt = study(course, wilma, now, hand_in=1)
        answer = answer_to(attempt)
        version = answer.draft_version
        with pytest.raises(Conflict, match="This sample has been submitted"):
            attempts.save_draft(
                answer=answer, draft={"text": "x"}, version=version, by=wilma, now=now
            )
        later = now + dt.timedelta(hours=1)
        attempts.hand_in_sample(answer=answer, by=wilma, now=later)
        answer.refresh_from_db()
        assert answer.handed_in_at == now
        assert answer.draft["text"] == LONG_ANSWER.text

    def test_it_is_done_once(self, course, wilma, now):
        first = study(course, wilma, now)
        with pytest.raises(Conflict, match="You have submitted every sample"):
            attempts.start_attempt(qualification=course, by=wilma, now=now, part="study")
        assert QualificationAttempt.objects.get() == first

    def test_it_decides_nothing(self, course, wilma, rita, now):
        attempt = study(course, wilma, now)
        with pytest.raises(Conflict, match="neither passed nor failed"):
            grading.grade_attempt(attempt=attempt, items={}, passed=True, note="", by=rita, now=now)
        with pytest.raises(Conflict, match="one at a time"):
            attempts.submit_attempt(attempt=study(course, other(course), now, hand_in=1),
                            by=other(course), now=now)  # fmt: skip
        with pytest.raises(IntegrityError, match="attempt_study_decides_nothing"), \
                transaction.atomic():  # fmt: skip
            QualificationAttempt.objects.update(state="passed")
        assert not Qualified.objects.exists()

    def test_taken_back_it_begins_anew(self, course, wilma, rita, now):
        study(course, wilma, now, hand_in=1)
        assert (
            qualifications_services.set_state(qualification=course, state="draft", by=rita, now=now)
            == 1
        )
        qualifications_services.set_state(qualification=course, state="open", by=rita, now=now)
        assert queries.facts_for(wilma, course).handed_in == 0
        again = study(course, wilma, now)
        assert (again.number, again.state) == (2, "submitted")

    def test_the_team_writes_about_samples(self, course, wilma, rita, now, client_as):
        attempt = study(course, wilma, now)
        address = at("qualification-grade", course.project.slug, course.pk, attempt.pk)
        page = client_as(rita).get(address)
        assert "Verdict on item" not in page.text
        sent = client_as(rita).post(address, {"feedback-1": "Name the second date."})
        assert sent.status_code == 302
        mine = client_as(wilma).get(at("attempt-view", attempt.pk)).text
        assert "Name the second date." in mine
        attempt.refresh_from_db()
        assert attempt.state == "submitted"

    def test_an_exam_is_not_handed_in_item_by_item(self, project, rita, wilma, now):
        exam = make_training(project, rita, now, samples=(), walk_through=False)
        attempt = attempts.start_attempt(qualification=exam, by=wilma, now=now)
        with pytest.raises(Conflict, match="submitted as a whole"):
            attempts.hand_in_sample(answer=answer_to(attempt), by=wilma, now=now)
        with pytest.raises(Conflict, match="has no samples"):
            attempts.start_attempt(qualification=exam, by=wilma, now=now, part="study")

    def test_an_answered_item_stays_in_its_part(self, course, wilma, rita, now):
        study(course, wilma, now)
        qualifications_services.set_state(qualification=course, state="draft", by=rita, now=now)
        item = course.items.filter(part="study").first()
        with pytest.raises(Conflict, match="stays in its part"):
            qualifications_services.change_item(item=item, to=CROSSED, by=rita, now=now)

    def test_what_is_prepared_shows_after_the_answer(self, course, wilma, now, client_as):
        client = client_as(wilma)
        begun = client.post(
            at("qualification-start", course.project.slug, course.pk), {"part": "study"}
        )
        item = begun["Location"]
        page = client.get(item)
        assert CROSSED.prompt in page.text
        assert CROSSED.expected["model_answer"] not in page.text
        attempt = QualificationAttempt.objects.get()
        draft = at("attempt-draft", attempt.pk, 1)
        said = {"long_answer": "Trains crossed it first.", "version": 0, "action": "hand-in"}
        assert client.post(draft, said)["Location"] == item
        page = client.get(item)
        assert CROSSED.expected["model_answer"] in page.text
        assert "not in the text" in page.text
        assert at("attempt-item", attempt.pk, 2) in page.text
        empty = client.post(at("attempt-draft", attempt.pk, 2), {"version": 0, "action": "hand-in"})
        assert "Answer it first" in client.get(empty["Location"]).text


def other(course):
    """Another writer of the same project."""
    found = course.project.memberships.filter(user__name="Otto Oak").first()
    return found.user if found else factories.make_member(
        course.project, "annotator", name="Otto Oak"
    )  # fmt: skip


class TestWalkThrough:
    def test_held_and_read_by_its_person(self, course, wilma, rita, now, client_as):
        study(course, wilma, now)
        with pytest.raises(Conflict, match="The walk-through comes first"):
            attempts.start_attempt(qualification=course, by=wilma, now=now)
        walk = hold(course, wilma, rita, now)
        assert where(course, wilma) == "exam"
        page = client_as(wilma).get(at("qualification-start", course.project.slug, course.pk))
        assert "Say why there are two." in page.text
        assert "Rita Reed" not in page.text
        assert "Begin the exam" in page.text
        entry = AuditEntry.objects.get(action="walk_through_held")
        assert (entry.actor, entry.data["notes"]) == (rita.pk, walk.notes)

    def test_samples_come_first(self, course, wilma, rita, now):
        study(course, wilma, now, hand_in=1)
        with pytest.raises(Conflict, match="has not submitted every sample"):
            hold(course, wilma, rita, now)

    def test_not_before_its_day_nor_for_strangers(self, course, wilma, rita, now):
        study(course, wilma, now)
        with pytest.raises(Conflict, match="in the future"):
            hold(course, wilma, rita, now, held_on=now.date() + dt.timedelta(days=2))
        with pytest.raises(Conflict, match="does not work in this project"):
            hold(course, factories.make_user(), rita, now)
        with pytest.raises(Denied, match="your own"):
            hold(course, rita, rita, now)
        with pytest.raises(Denied):
            hold(course, wilma, other(course), now)
        with pytest.raises(Conflict, match="at most 5,000"):
            hold(course, wilma, rita, now, notes="x" * 5001)

    def test_only_where_one_is_asked_for(self, project, rita, wilma, now):
        plain = make_training(project, rita, now, samples=(), walk_through=False)
        with pytest.raises(Conflict, match="asks for no walk-through"):
            hold(plain, wilma, rita, now)

    def test_the_same_again_is_the_same_and_others_notes_are_not_lost(
        self, course, wilma, rita, now
    ):
        study(course, wilma, now)
        walk = hold(course, wilma, rita, now)
        assert hold(course, wilma, rita, now) == walk
        with pytest.raises(Conflict, match="Rita Reed marked this walk-through already"):
            hold(course, wilma, rita, now, notes="Something else.")
        assert AuditEntry.objects.filter(action="walk_through_held").count() == 1

    def test_taken_back_while_the_exam_has_not_begun(self, course, wilma, rita, now):
        study(course, wilma, now)
        walk = hold(course, wilma, rita, now)
        with pytest.raises(Conflict, match="Say why"):
            training.take_back(walk_through=walk, note=" ", by=rita, now=now)
        training.take_back(walk_through=walk, note="It was somebody else.", by=rita, now=now)
        assert where(course, wilma) == "walk-through"
        with pytest.raises(Conflict, match="taken back already"):
            training.take_back(walk_through=walk, note="Again.", by=rita, now=now)
        again = hold(course, wilma, rita, now)
        attempts.start_attempt(qualification=course, by=wilma, now=now)
        with pytest.raises(Conflict, match="has begun the exam"):
            training.take_back(walk_through=again, note="Too late.", by=rita, now=now)

    def test_what_the_database_refuses(self, course, wilma, rita, now):
        def row(**fields):
            with transaction.atomic():
                WalkThrough.objects.create(
                    qualification=course, user=wilma, held_on=now.date(), created_at=now,
                    **({"held_by": rita} | fields),
                )  # fmt: skip

        row()
        with pytest.raises(IntegrityError, match="walk_through_once_at_a_time"):
            row()
        with pytest.raises(IntegrityError, match="walk_through_taken_back_by_iff_at"):
            row(taken_back_at=now)
        with pytest.raises(IntegrityError, match="walk_through_held_by_somebody_else"):
            row(held_by=wilma, taken_back_at=now, taken_back_by=rita)


class TestExamAndAcceptance:
    def ready(self, course, wilma, rita, now):
        study(course, wilma, now)
        hold(course, wilma, rita, now)
        return sit(course, wilma, now)

    def test_graded_by_hand_item_by_item(self, course, wilma, rita, now, client_as):
        attempt = self.ready(course, wilma, rita, now)
        assert (attempt.state, where(course, wilma)) == ("in_review", "grading")
        answer = QualificationAnswer.objects.get(attempt=attempt, number=1)
        assert (answer.passed, answer.result["score"]) == (None, 0.5)
        figures = answer.result["figures"]
        assert (figures["present"], figures["total"], figures["pieces"]) == (1, 2, 1)
        assert 0 < figures["support"] < 1
        with pytest.raises(Conflict, match="Mark each item as passed or not"):
            grading.grade_attempt(
                attempt=attempt, items={1: ItemGrade(True)}, passed=True, note="", by=rita, now=now
            )
        address = at("qualification-grade", course.project.slug, course.pk, attempt.pk)
        page = client_as(rita).get(address).text
        assert "1 of 2 short answers in the text (STR-EM 0.50)" in page
        assert "A railway company bought the tunnel in 1865." in page
        said = {"feedback-1": "Name both dates.", "graded-1": "yes", "decision": "pass"}
        refused = client_as(rita).post(address, said)
        assert refused.status_code == 422
        assert "Mark whether it passes, then decide." in refused.text
        assert "Name both dates." in refused.text  # what was typed stays
        sent = client_as(rita).post(address, said | {"graded-2": "no"})
        assert sent.status_code == 302
        attempt.refresh_from_db()
        assert (attempt.state, attempt.score) == ("passed", 1)
        assert Qualified.objects.get(user=wilma).attempt == attempt
        assert where(course, wilma) == "accepted"
        mine = client_as(wilma).get(at("attempt-view", attempt.pk)).text
        assert "Name both dates." in mine
        assert WALKED.expected["model_answer"] in mine

    def test_work_waits_for_acceptance(self, course, wilma, rita, now, client_as):
        course.project.policies.update(qualification=course)
        long_answers.open_question(course.project, now)
        home = client_as(wilma).get("/").text
        assert "Begin with self-study: 2 sample questions." in home
        assert 'aria-current="step"' in home
        with pytest.raises(NotQualified):
            long_answers.take(course.project, wilma, now)
        attempt = self.ready(course, wilma, rita, now)
        assert "The team is reading your exam." in client_as(wilma).get("/").text
        items = {number: ItemGrade(True, "Good.") for number in (1, 2)}
        grading.grade_attempt(
            attempt=attempt, items=items, passed=True, note="Welcome.", by=rita, now=now
        )
        assert long_answers.take(course.project, wilma, now) is not None
        home = client_as(wilma).get("/").text
        assert "You are accepted" in home
        assert at("attempt-view", attempt.pk) in home
        note = "It was somebody else’s."
        grading.revoke_qualification(qualification=course, user=wilma, note=note, by=rita, now=now)
        assert "You are accepted" not in client_as(wilma).get("/").text

    def test_not_passed_and_tried_again_without_another_walk_through(
        self, course, wilma, rita, now
    ):
        attempt = self.ready(course, wilma, rita, now)
        items = {number: ItemGrade(False) for number in (1, 2)}
        grading.grade_attempt(attempt=attempt, items=items, passed=False, note="", by=rita, now=now)
        assert where(course, wilma) == "exam"
        assert sit(course, wilma, now).number == 2

    def test_a_model_answer_is_not_shown_before(self, course, wilma, rita, now, client_as):
        attempt = self.ready(course, wilma, rita, now)
        page = client_as(wilma).get(at("attempt-view", attempt.pk)).text
        assert "Not graded yet" in page
        assert WALKED.expected["model_answer"] not in page

    def test_self_study_works_for_every_kind(self, rita, now):
        project = factories.make_project(slug="pairs")
        staff = factories.make_member(project, "researcher", name="Rosa Reed")
        ann = factories.make_member(project, "annotator", name="Ann Ash")
        exam = make(project, staff, now, items=[*samples_of([TUNNEL]), TUNNEL], pass_at=1,
                    review_from=1)  # fmt: skip
        attempt = attempts.start_attempt(qualification=exam, by=ann, now=now, part="study")
        with pytest.raises(Conflict, match="Self-study comes first"):
            attempts.start_attempt(qualification=exam, by=ann, now=now)
        write(attempt, RIGHT[:1], by=ann, now=now)
        attempts.hand_in_sample(answer=answer_to(attempt), by=ann, now=now)
        attempt.refresh_from_db()
        assert (attempt.state, attempt.score) == ("submitted", 1)
        assert get_standing(ann, exam, now).refusal == ""
        assert not Qualified.objects.exists()
