"""Experts answer finished questions once more: who draws, who gets what, what counts where."""

import re

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.exports.services import start_export
from annotation.imports.queries import export_rows
from annotation.models import (
    Annotation,
    AuditEntry,
    Event,
    Membership,
    Question,
    StagePolicy,
    Task,
)
from annotation.monitoring import queries as monitoring_queries
from annotation.progress.queries import state_counts
from annotation.protocols import registry as protocols
from annotation.reading.visits import pages_read
from annotation.work import assignments
from tests import factories
from tests.validation.conftest import kept, none, one
from tests.validation.simulated import years
from validation.agreement import figures
from validation.agreement.facts import read_facts
from validation.agreement.project_report import report_project
from validation.audits import queries as audits_queries
from validation.audits import services as audits_services
from validation.audits.values import AUDIT
from validation.decisions.accepted_answers import accepted_counts
from validation.models import AuditItem, AuditSample
from validation.release.services import start_release
from validation.verdicts.queries import said_on

FRACTION = re.compile(r"(?<=:\d\d)\.\d+")  # of a second: it can hold any word of four digits
# Decided by a validator with something accepted: Q9 was left out, Q13 waits.
VALIDATED = {"Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q10", "Q12"}
# Beside them those on which all answers match; nothing is accepted on Q11.
ACCEPTED = VALIDATED | {"Q1", "Q2"}

# What the expert answers, and by hand: precision, recall against the set that fits best.
EXPERT = {
    "Q3": (one("1843"), 1, 1),  # B's set
    "Q4": (years("1869", "1843"), 1, 1),
    "Q5": (one("on 25 March 1843", "1843"), 1, 1),  # on its second form
    "Q6": (one("1843"), 0, 0),  # 25 March 1844 is accepted
    "Q7": (one("1843"), 1, 1 / 2),
    "Q8": (years("1843", "1869"), 1, 2 / 4),
    "Q10": (none(), 0, 0),
    "Q12": (years("1843", "2010"), 1, 2 / 3),  # B's set
}


OF_AMBIGQA = [each.key for each in protocols.get_protocol("ambigqa").exports]
FIGURES = {
    "pages read, by annotation": lambda project: pages_read(project, per="annotation"),
    "pages read, by question": lambda project: pages_read(project, per="question"),
    "agreement": lambda project: [
        group for group in report_project(project, None).groups if group.key != "audit"
    ],
    "generators": lambda project: report_project(project, None).generators,
    "validators": lambda project: report_project(project, None).validators,
    "accepted": accepted_counts,
    "states": state_counts,
    "who writes": lambda project: [
        (each.user, each.count)
        for each in monitoring_queries.list_people(project, now=timezone.now())
    ],
}


def names(sample):
    return list(sample.items.values_list("question__external_id", flat=True))


def take(world, who, now):
    return assignments.take_next(project=world.project, stage=AUDIT, by=who, now=now)


def hand_in(turn, response, who, now):
    Event.objects.create(
        assignment=turn, kind="page_open", at=now, data={"path": "A", "title": "A"}
    )
    done = kept(turn, response, now)
    return assignments.submit_response(assignment=turn, response=done, by=who, now=now)


def answer_all(world, who, now):
    while (turn := take(world, who, now)) is not None:
        hand_in(turn, EXPERT[turn.task.question.external_id][0], who, now)


class TestDraw:
    def test_only_questions_that_were_decided_are_drawn(self, draw):
        sample = draw(8)
        assert set(names(sample)) == VALIDATED
        assert sample.drawn_from == 8

    def test_or_all_that_are_accepted(self, draw):
        assert set(names(draw(10, population="accepted"))) == ACCEPTED

    def test_the_same_seed_draws_the_same(self, draw):
        first = draw(4, seed=7)
        drawn = names(first)
        first.delete()
        Task.objects.filter(policy__stage=AUDIT).delete()
        assert names(draw(4, seed=7)) == drawn
        assert first.seed == 7

    def test_a_seed_is_made_up_and_kept(self, draw):
        assert 0 <= draw(1).seed < 2**31

    def test_no_question_comes_twice_over_all_draws(self, draw):
        assert not set(names(draw(4))) & set(names(draw(4)))
        with pytest.raises(Conflict, match="no question to draw from"):
            draw(1)

    def test_unless_that_is_wanted(self, draw):
        draw(8)
        assert set(names(draw(8, again=True))) == VALIDATED
        assert Task.objects.filter(policy__stage=AUDIT).count() == 16

    def test_fewer_questions_than_asked_are_refused_and_nothing_is_drawn(self, draw):
        with pytest.raises(
            Conflict, match="There are 8 questions to draw from, and you asked for 9"
        ):
            draw(9)
        assert not AuditSample.objects.exists()
        assert not Task.objects.filter(policy__stage=AUDIT).exists()

    def test_half_of_what_validators_decided_can_be_drawn(self, draw, monkeypatch):
        """A60: the paper's authors checked half of the validations."""
        assert len(names(draw(50, percent=True))) == 4
        assert len(names(draw(50, percent=True))) == 2  # of those that are left
        assert len(names(draw(1, percent=True))) == 1
        entry = AuditEntry.objects.filter(action="audit_sample_drawn").latest("pk")
        assert (entry.data["size"], entry.data["drawn_from"]) == (1, 2)
        monkeypatch.setattr(audits_services, "MOST", 3)
        with pytest.raises(Conflict, match=r"8 questions are 8\. Draw at most 3 at once"):
            draw(100, percent=True, again=True)
        draw(1)
        with pytest.raises(Conflict, match="no question to draw from"):
            draw(100, percent=True)

    @pytest.mark.parametrize("percent", [0, 101])
    def test_a_percentage_has_bounds(self, draw, percent):
        with pytest.raises(Conflict, match="Draw 1 to 100 percent"):
            draw(percent, percent=True)

    @pytest.mark.parametrize("size", [0, 1001])
    def test_the_size_has_bounds(self, draw, size):
        with pytest.raises(Conflict, match="Draw 1 to 1,000"):
            draw(size)

    def test_no_question_on_which_the_only_expert_worked(self, world, draw, eve):
        turn = assignments.Assignment.objects.get(
            task__question=world.questions["Q4"], user=world.ben
        )
        assignments.Assignment.objects.filter(pk=turn.pk).update(user=eve)
        Annotation.objects.filter(assignment=turn).update(author=eve)
        assert set(names(draw(7))) == VALIDATED - {"Q4"}

    def test_without_enough_experts_the_sentence_says_what_to_do(self, world, draw, now):
        draw(1)
        StagePolicy.objects.filter(stage=AUDIT).update(people=2)
        with pytest.raises(Conflict, match="Each question needs 2 experts"):
            draw(1)

    def test_it_is_for_staff_and_leaves_an_audit_row(self, world, draw, ann, now):
        with pytest.raises(Denied):
            audits_services.draw_sample(project=world.project, split="dev", size=1, by=ann, now=now)
        sample = draw(2, seed=5)
        entry = AuditEntry.objects.get(action="audit_sample_drawn")
        assert entry.target == f"auditsample:{sample.pk}"
        assert (entry.data["size"], entry.data["seed"], entry.data["drawn_from"]) == (2, 5, 8)

    def test_the_database_refuses_a_question_twice_in_a_sample(self, draw):
        from django.db import IntegrityError

        item = draw(1).items.get()
        with pytest.raises(IntegrityError, match="audit_question_once_per_sample"):
            AuditItem.objects.create(sample=item.sample, question=item.question, position=1)


class TestWork:
    def test_experts_get_the_questions_of_the_sample_and_nobody_else_does(
        self, world, draw, eve, now
    ):
        drawn = set(names(draw(3)))
        with pytest.raises(Denied, match="role expert"):
            take(world, world.val, now)
        seen = set()
        while (turn := take(world, eve, now)) is not None:
            seen.add(turn.task.question.external_id)
            hand_in(turn, one("1843"), eve, now)
        assert seen == drawn

    def test_my_work_offers_it_once_something_was_drawn(self, world, draw, eve, client_as):
        def labels():
            return [each.label for each in client_as(eve).get("/").context["ready"]]

        assert labels() == ["Expert judgment"]
        draw(2)
        assert labels() == ["Audit", "Expert judgment"]

    def test_nobody_gets_a_question_on_which_they_worked(self, world, draw, eve, now):
        draw(8)
        for who in (world.ann, world.ben, world.val):
            Membership.objects.filter(project=world.project, user=who).update(role="expert")
            assert take(world, who, now) is None or who == world.val
        turn = assignments.Assignment.objects.filter(user=world.val, stage=AUDIT)
        assert not turn.exclude(task__question__external_id="Q1").exists()

    def test_a_question_drawn_again_goes_to_another_expert(self, world, draw, eve, now):
        draw(8)
        answer_all(world, eve, now)
        roy = factories.make_member(world.project, "expert", name="Roy Rook")
        draw(8, again=True)
        assert take(world, eve, now) is None
        assert take(world, roy, now) is not None

    def test_the_question_keeps_its_state_and_its_answers(self, world, draw, eve, now):
        before = dict(Question.objects.values_list("external_id", "state"))
        said = said_on([each.pk for each in world.questions.values()])
        draw(8)
        answer_all(world, eve, now)
        assert dict(Question.objects.values_list("external_id", "state")) == before
        assert said_on([each.pk for each in world.questions.values()]) == said

    @pytest.mark.parametrize("format", OF_AMBIGQA)
    def test_every_export_is_as_before(self, world, draw, eve, now, format):
        def data():
            export = start_export(project=world.project, format=format, by=None, now=now)
            return b"".join(export.blocks())

        before = data(), export_rows(world.project)
        draw(8)
        answer_all(world, eve, now)
        stan = factories.make_member(world.project, "expert", name="Stan Stone")
        draw(1, again=True)
        turn = take(world, stan, now)
        assignments.skip_question(assignment=turn, reason="subjective", by=stan, now=now)
        assert (data(), export_rows(world.project)) == before

    @pytest.mark.parametrize("format", ["ambignq-light", "ambignq"])
    def test_every_release_is_as_before(self, world, draw, eve, now, format):
        def data():
            asked = {"project": world.project, "format": format, "split": None}
            return b"".join(start_release(**asked, by=None, now=now).blocks())

        before = data()
        draw(8)
        answer_all(world, eve, now)
        assert data() == before

    @pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
    def test_every_figure_is_as_before(self, world, draw, eve, now, figure):
        before = figure(world.project)
        draw(8)
        answer_all(world, eve, now)
        assert figure(world.project) == before

    def test_figures_of_generators_and_validators_are_as_before(self, world, draw, eve, now):
        before, judged = read_facts(world.project)
        draw(8)
        answer_all(world, eve, now)
        after, judged_after = read_facts(world.project)
        assert judged_after == judged
        assert [each.given for each in after] == [each.given for each in before]
        agreed = figures.compare_annotators(before).scores()
        assert figures.compare_annotators(after).scores() == agreed

    def test_the_page_of_the_expert_shows_nothing_of_what_others_wrote(
        self, world, draw, eve, now, client_as
    ):
        draw(8)
        turn = take(world, eve, now)
        page = client_as(eve).get(f"/work/{turn.pk}/")
        text = FRACTION.sub("", page.content.decode())
        assert page.status_code == 200
        assert "Audit, dev" in text
        for word in ("1869", "2010", "25 March", "open to people", "Ann Archer", "Val Vance"):
            assert word not in text

    def test_answers_of_others_stay_closed_while_the_question_is_in_hand_and_later(
        self, world, draw, eve, now, client_as
    ):
        draw(8)
        turn = take(world, eve, now)
        address = f"/projects/{world.project.slug}/questions/{turn.task.question_id}/"
        assert client_as(eve).get(address).status_code == 403
        hand_in(turn, one("1843"), eve, now)
        assert client_as(eve).get(address).status_code == 403

    def test_a_researcher_finishes_what_was_begun_before_there_were_experts(
        self, world, draw, rosa, now
    ):
        sample = draw(8)
        task = Task.objects.filter(unit=sample.unit).first()
        turn = factories.make_assignment(task, rosa)
        assert hand_in(turn, one("1843"), rosa, now).author == rosa
        with pytest.raises(Denied, match="role expert"):
            take(world, rosa, now)

    def test_nothing_becomes_of_it(self, world, draw, eve, now, client_as):
        draw(8)
        turn = take(world, eve, now)
        hand_in(turn, one("1843"), eve, now)
        assert client_as(eve).get("/submissions/").context["submissions"] == []
        assert client_as(eve).get(f"/work/{turn.pk}/").status_code == 200


class TestFigure:
    def test_it_is_what_one_counts_by_hand(self, world, draw, eve, now):
        draw(8)
        answer_all(world, eve, now)
        found = figures.score_audit(read_facts(world.project)[0])
        got = {
            question: (precision, recall, f1)
            for question, f1, precision, recall in zip(
                found.ids, *found.columns.values(), strict=True
            )
        }
        assert got.keys() == EXPERT.keys()
        for question, (_, precision, recall) in EXPERT.items():
            f1 = 2 * precision * recall / (precision + recall) if precision else 0
            assert got[question] == pytest.approx((precision, recall, f1)), question
        # 1 + 1 + 1 + 0 + 2/3 + 2/3 + 0 + 4/5 over eight questions
        [f1, *_] = found.figures
        assert found.value(f1) == pytest.approx((3 + 4 / 3 + 4 / 5) / 8)

    def test_two_experts_on_a_question_count_as_one_question(self):
        accepted = figures.DecisionInForce("validation", "accepted", "none", ((("1843",),),))
        experts = (
            figures.SubmittedAnswers(1, "single", (("1843",),)),
            figures.SubmittedAnswers(2, "single", (("1869",),)),
        )
        row = figures.AgreementFacts("Q", "accepted", True, experts=experts, decided=accepted)
        found = figures.score_audit([row])
        assert list(found.ids) == ["Q"]
        assert found.columns["f1_answer"] == [1 / 2]

    def test_what_is_no_longer_accepted_does_not_count(self):
        expert = (figures.SubmittedAnswers(1, "single", (("1843",),)),)
        row = figures.AgreementFacts("Q", "validating", True, experts=expert)
        assert figures.score_audit([row]) is None


class TestItems:
    def test_answers_are_shown_once_nobody_is_to_answer(self, world, draw, eve, now):
        sample = draw(2)
        assert [item.answered for item in audits_queries.list_sample_questions(sample)] == [(), ()]
        first = take(world, eve, now)
        held = {
            item.question.pk: item.held for item in audits_queries.list_sample_questions(sample)
        }
        assert held[first.task.question_id] == 1
        hand_in(first, one("1843"), eve, now)
        shown = {
            item.question.pk: item.answered for item in audits_queries.list_sample_questions(sample)
        }
        [answered] = shown.pop(first.task.question_id)
        assert answered.person == "Eve Elder"
        assert answered.pairs
        assert list(shown.values()) == [()]

    def test_the_list_takes_the_same_statements_for_any_size(
        self, world, draw, eve, now, django_assert_max_num_queries
    ):
        sample = draw(8)
        answer_all(world, eve, now)
        with django_assert_max_num_queries(18):
            assert len(audits_queries.list_sample_questions(sample)) == 8
        assert [(size, done) for _, size, done in audits_queries.list_samples(world.project)] == [
            (8, 8)
        ]
