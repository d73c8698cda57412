"""A60: a validator gets more where an expert, who answers blind in an audit, finds the same."""

import csv
import re

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, PayEntry, Question, StagePolicy
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.work import assignments, seats
from tests import factories, plans
from tests.validation.audits.test_audit import EXPERT, answer_all, hand_in, take
from tests.validation.conftest import answer_next, one
from tests.validation.simulated import first_correct, validate, years
from validation.audits.matches import list_matched_assignments
from validation.audits.services import draw_sample
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits

MATCHED = ["Q3", "Q4", "Q5"]
PAID = ("0.50", "Matched an expert’s audit")
TAKEN_BACK = ("-0.50", "No longer matches an expert’s audit")


@pytest.fixture
def paying(world):
    """As if each decision of the world had been made for 0.50 more where an audit matches it."""
    decided = Assignment.objects.filter(project=world.project, stage="validation")
    decided.update(pay_match="0.50", currency="USD")


@pytest.fixture
def audited(paying, draw, world, eve, now):
    """Every decision was audited; the answers are those of EXPERT."""
    draw(8)
    answer_all(world, eve, now)


def posted(world, question=None):
    """The entries of matches as (amount, label), or those on one question."""
    rows = PayEntry.objects.filter(project=world.project, kind="match").order_by("pk")
    if question is not None:
        rows = rows.filter(assignment__task__question=world.questions[question])
    assert {row.user_id for row in rows} <= {world.val.pk}
    assert {row.assignment.stage for row in rows} <= {"validation"}
    return [(str(row.amount), row.label) for row in rows]


def work_on(world, question, stage):
    return Assignment.objects.select_related("policy", "project", "task__question").get(
        task__question=world.questions[question], stage=stage
    )


def settle(world):
    with transaction.atomic():
        ids = list(world.project.questions.values_list("pk", flat=True))
        seats.lock_questions(ids)
        seats.settle_questions(ids, "ambigqa", now=timezone.now())


class TestPosting:
    def test_a_match_is_paid_once_and_nothing_else(self, audited, world):
        assert posted(world) == [PAID] * 3
        assert [question for question in EXPERT if posted(world, question)] == MATCHED
        settle(world)
        assert posted(world) == [PAID] * 3
        entry = PayEntry.objects.filter(kind="match").first()
        assert (entry.number, entry.units, entry.seconds, entry.by) == (1, 0, 0, None)

    def test_nothing_before_an_expert_answered(self, paying, draw, world, eve, now):
        draw(8)
        settle(world)
        turn = take(world, eve, now)
        settle(world)
        assert posted(world) == []
        name = turn.task.question.external_id
        hand_in(turn, EXPERT[name][0], eve, now)
        assert posted(world) == ([PAID] if name in MATCHED else [])

    def test_what_generators_alone_decided_pays_nobody(self, paying, draw, world, eve, now):
        Assignment.objects.filter(project=world.project).update(pay_match="0.50", currency="USD")
        draw(10, population="accepted")
        same = {"Q1": years("1843", "1869"), "Q2": one("1843")}
        while (turn := take(world, eve, now)) is not None:
            name = turn.task.question.external_id
            hand_in(turn, same.get(name) or EXPERT[name][0], eve, now)
        assert posted(world, "Q1") == posted(world, "Q2") == []
        assert posted(world) == [PAID] * 3

    def test_one_of_two_experts_is_enough_and_two_bring_no_more(
        self, paying, draw, world, eve, now
    ):
        stan = factories.make_member(world.project, "expert", name="Stan Stone")
        StagePolicy.objects.create(
            project=world.project, stage="audit", split="dev", people=2, minimum_seconds=0
        )
        draw(8)
        for who, answers in ((eve, {}), (stan, {"Q3": one("1869"), "Q6": one("25 March 1844")})):
            while (turn := take(world, who, now)) is not None:
                name = turn.task.question.external_id
                hand_in(turn, answers.get(name) or EXPERT[name][0], who, now)
        assert posted(world, "Q3") == posted(world, "Q4") == posted(world, "Q6") == [PAID]
        assert len(posted(world)) == 4

    def test_the_price_is_that_of_the_day_of_the_decision(
        self, project, question, ann, ben, val, rosa, eve, now
    ):
        policies = project.policies.filter(stage="validation")
        policies.update(pay_match="0.40", currency="EUR")
        answer_next(project, ann, one("1843"), now)
        answer_next(project, ben, one("1869"), now)
        validate(project, val, first_correct, ann, now)
        policies.update(pay_match="2.00", currency="USD")
        draw_sample(project=project, split="dev", size=100, percent=True, by=rosa, now=now)
        StagePolicy.objects.filter(stage="audit").update(minimum_seconds=0)
        turn = assignments.take_next(project=project, stage="audit", by=eve, now=now)
        hand_in(turn, one("in 1843", "1843"), eve, now)
        entry = PayEntry.objects.get()
        assert (entry.user, entry.kind) == (val, "match")
        assert (str(entry.amount), entry.currency) == ("0.40", "EUR")


class TestCorrecting:
    def test_an_audit_that_is_returned_and_handed_in_again(self, audited, world, rosa, eve, now):
        turn = work_on(world, "Q3", "audit")
        assignments.return_to_author(assignment=turn, note="Look again.", by=rosa, now=now)
        assert posted(world, "Q3") == [PAID, TAKEN_BACK]
        first, back = PayEntry.objects.filter(
            kind="match", assignment__task__question=world.questions["Q3"]
        ).order_by("pk")
        assert back.corrects == first
        for response, after in ((one("1869"), []), (one("1843"), [PAID])):
            turn = assignments.resume_assignment(
                assignment=work_on(world, "Q3", "audit"), by=eve, now=now
            )
            hand_in(work_on(world, "Q3", "audit"), response, eve, now)
            assert posted(world, "Q3") == [PAID, TAKEN_BACK, *after]
            if not after:
                assignments.return_to_author(assignment=turn, note="Hm.", by=rosa, now=now)

    @pytest.mark.parametrize("stage", ["audit", "validation"])
    def test_work_that_is_left_out_and_used_again(self, audited, world, rosa, now, stage):
        turn = work_on(world, "Q4", stage)
        assignments.soft_reject(assignment=turn, note="Hm.", by=rosa, now=now)
        assert posted(world, "Q4") == [PAID, TAKEN_BACK]
        assignments.use_again(assignment=turn, by=rosa, now=now)
        assert posted(world, "Q4") == [PAID, TAKEN_BACK, PAID]
        assert posted(world, "Q3") == [PAID]

    def test_a_validation_that_is_returned(self, audited, world, rosa, now):
        turn = work_on(world, "Q5", "validation")
        assignments.return_to_author(assignment=turn, note="Hm.", by=rosa, now=now)
        assert posted(world, "Q5") == [PAID, TAKEN_BACK]

    def test_a_ruling_of_the_team_and_its_end(self, audited, world, rosa, ann, now):
        turn = work_on(world, "Q5", "audit")
        own = Assignment.objects.get(task__question=turn.task.question, user=world.ann)
        thread = claims_services.open_claim(assignment=own, text="No.", by=world.ann, now=now)
        standing = claims_services.get_standing(turn.task.question_id)
        ruling = claims_services.change_result(
            thread=thread,
            edited=RulingEdits(stand=frozenset({own.annotation.pk})),
            basis=standing.basis,
            reason="It is.",
            keep_warnings=True,
            by=rosa,
            now=now,
        )
        # The team accepts 1843, which the expert has as well; but that is no validator's decision.
        assert posted(world, "Q5") == [PAID, TAKEN_BACK]
        claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
        assert posted(world, "Q5") == [PAID, TAKEN_BACK, PAID]


class TestReading:
    def test_only_the_validator_and_the_team_see_it(
        self, paying, draw, world, eve, rosa, now, client_as
    ):
        def read(who):
            """What the pages say of an audit or of pay, and the file of one's pay."""
            client = client_as(who)
            said = [client.get(page).text for page in ("/", "/pay/", "/submissions/")]
            found = [re.findall(r"[^<>]*(?:[Aa]udit|USD|EUR)[^<>]*", page) for page in said]
            return found, b"".join(client.get(reverse("pay-mine-export"))).decode()

        others = (world.ann, world.ben, factories.make_member(world.project, "validator"))
        before = [read(who) for who in others]
        draw(8)
        answer_all(world, eve, now)
        assert [read(who) for who in others] == before
        _, file = read(world.val)
        assert [row["kind"] for row in csv.DictReader(file.splitlines())] == ["match"] * 3
        page = client_as(world.val).get("/pay/").text
        assert page.count("Matched an expert’s audit") == 3
        team = reverse("pay-person", args=[world.project.slug, world.val.pk])
        assert client_as(rosa).get(team).text.count("<span>Matched an expert’s audit</span>") == 3
        everyone = client_as(rosa).get(reverse("project-pay", args=[world.project.slug])).text
        assert "1.50 USD" in everyone

    def test_it_is_read_in_three_statements_by_indexes(
        self, audited, world, django_assert_num_queries
    ):
        ids = list(world.project.questions.values_list("pk", flat=True))
        with django_assert_num_queries(3):
            found = list_matched_assignments(ids)
        assert found == sorted(work_on(world, name, "validation").pk for name in MATCHED)
        waiting = list(Question.objects.filter(state="validating").values_list("pk", flat=True))
        with django_assert_num_queries(1):
            assert list_matched_assignments(waiting) == []
        with plans.explained(large=True) as explained:
            list_matched_assignments(ids[:1])
        assert not [str(plan) for plan in explained if plan.sequential]


class TestPolicy:
    def page(self, project, stage):
        policy, _ = project.policies.get_or_create(stage=stage, split="dev")
        return reverse("policy-change", args=[project.slug, policy.pk])

    def test_staff_set_it_for_validation_and_read_what_it_needs(self, client_as, project, rosa):
        form = client_as(rosa).get(self.page(project, "validation"))
        assert "Bonus when an expert’s audit finds the same answers" in form.text
        assert "Without audits, which you draw under Quality, nobody gets it." in form.text
        fields = {"lease_minutes": 60, "park_hours": 24, "pay_basis": "unit", "currency": "USD"}
        fields |= {"pay": 1, "pay_accepted": 0, "pay_match": "0.50"}
        address = self.page(project, "validation")
        for wrong in ("-1", "", "x"):
            sent = client_as(rosa).post(address, fields | {"pay_match": wrong})
            assert (sent.status_code, "error-pay_match" in sent.text) == (422, True)
        assert client_as(rosa).post(address, fields).status_code == 302
        policy = project.policies.get(stage="validation", split="dev")
        assert str(policy.pay_match) == "0.50"
        assert policy.pay_words == "1.00 USD + 0.50 USD when an audit matches"
        assert policy.pay_line == (
            "You get 1.00 USD for this question, and 0.50 USD when an expert’s audit finds the "
            "same answers."
        )
        told = client_as(rosa).get(reverse("project-log", args=[project.slug])).text
        assert "bonus when an audit matches" in told

    def test_no_other_stage_offers_it(self, client_as, project, rosa):
        keys = [stage.key for stage in stages.of_protocol("ambigqa")]
        pages = {key: client_as(rosa).get(self.page(project, key)).text for key in keys}
        assert [key for key in keys if 'name="pay_match"' in pages[key]] == ["validation"]
        assert [
            protocol.key
            for protocol in protocols.list_protocols()
            if any(stages.get_stage(stage).pays_matches for stage in protocol.stages)
        ] == ["ambigqa"]
