"""Whatever happens to work, the ledger adds up to what it entitles to, and is never changed."""

from contextlib import suppress
from dataclasses import replace

import pytest
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from annotation.core.refusals import Denied
from annotation.models import Annotation, Assignment, Event, PayEntry, Thread
from annotation.sheets.fields import Keep
from annotation.work import assignments, tasks
from tests import factories
from tests.validation.conftest import kept, one, outcomes_hold, several
from validation.audits import services as audits_services
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.models import Decision
from validation.outcomes import status
from validation.outcomes.values import Status
from validation.questions import exclusion

pytestmark = pytest.mark.django_db

ANSWERS = (
    one("1843"),
    one("1869"),
    several(("When did it open to people?", "1843"), ("When did it open to trains?", "1869")),
)
# For the work, for its acceptance, for each accepted pair up to a maximum, for a decision that an
# audit matches (A60).
PRICES = (
    ("0.75", "0.10", "USD", "0.00", 5, "0.40"),
    ("1.25", "0.00", "USD", "0.15", 1, "0.00"),
    ("0.00", "0.30", "EUR", "0.20", 5, "0.60"),
)


class Game:
    """One question, two generators, two validators, an expert, a researcher; what they may do."""

    def __init__(self):
        self.project = factories.make_project()
        self.project.policies.create(stage="validation", split="dev", people=1)
        self.project.policies.update(minimum_seconds=0)
        self.price(0)
        member = lambda role, name: factories.make_member(self.project, role, name=name)  # noqa: E731
        self.generators = [member("annotator", "Ann Archer"), member("annotator", "Ben Baker")]
        self.validators = [member("validator", "Val Vance"), member("validator", "Vic Vole")]
        self.expert = member("expert", "Eve Elder")
        self.rosa = member("researcher", "Rosa Reed")
        self.question = factories.make_question(self.project)
        self.terms = {}
        self.before = []
        tasks.open_tasks(question_ids=[self.question.pk], now=timezone.now())

    # --- moves -------------------------------------------------------------------------------

    def price(self, number):
        pay, more, currency, pair, most, match = PRICES[number % 3]
        self.project.policies.update(
            **{"pay": pay, "pay_accepted": more, "currency": currency, "pay_match": match},
            **{"pay_pair": pair, "pay_pairs_max": most},
        )

    def people(self, number):
        policy = self.project.policies.get(stage="generation", split="dev")
        tasks.change_people(policy=policy, people=1 + number % 3, by=self.rosa, now=timezone.now())

    def answer(self, number):
        self.write("generation", self.generators[number % 2], ANSWERS[number % 3])

    def audit(self, number):
        """The question is drawn for the expert, once; they answer it."""
        if not self.question.audit_items.exists():
            project, now = self.project, timezone.now()
            audits_services.draw_sample(project=project, split="dev", size=1, by=self.rosa, now=now)
            project.policies.filter(stage="audit").update(minimum_seconds=0)
        self.write("audit", self.expert, ANSWERS[number % 3])

    def write(self, stage, person, response):
        turn = self.turn(stage, person)
        if turn is not None:
            data = {"path": "A", "title": "A"}
            Event.objects.create(assignment=turn, kind="page_open", at=timezone.now(), data=data)
            self.submit(turn, kept(turn, response, timezone.now()))

    def validate(self, number):
        turn = self.turn("validation", self.validators[number % 2])
        if turn is None:
            return
        given = factories.given_for(turn)
        response, said = given.stored, given.said
        verdicts = tuple((number >> 1) % 3 != place for place in range(len(said)))
        why = "Nobody can know." if number % 7 == 0 else ""
        response = replace(response, verdicts=verdicts, exclude_reason=why)
        found = factories.report_on(turn, response).findings
        keeps = tuple(Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning")
        self.submit(turn, replace(response, keeps=keeps))

    def turn(self, stage, person):
        mine = Assignment.objects.filter(project=self.project, user=person, stage=stage).first()
        if mine is not None and mine.state == "parked":
            return assignments.resume_assignment(assignment=mine, by=person, now=timezone.now())
        if mine is not None and mine.state == "submitted":
            return mine  # handed in again: a double click
        return assignments.take_next(
            project=self.project, stage=stage, by=person, now=timezone.now()
        )

    def submit(self, turn, response):
        turn = Assignment.objects.select_related("policy", "project", "task__question").get(
            pk=turn.pk
        )
        submitted = turn.state == "submitted"
        assignments.submit_response(
            assignment=turn, response=response, by=turn.user, now=timezone.now()
        )
        if not submitted:
            policy = self.project.policies.get(pk=turn.policy_id)
            self.terms[turn.pk] = (
                *(policy.pay, policy.pay_accepted, policy.currency),
                *(policy.pay_pair, policy.pay_pairs_max, policy.pay_match),
            )

    def staff(self, act, number, **fields):
        turns = list(Assignment.objects.filter(project=self.project).order_by("pk"))
        if turns:
            turn = turns[number % len(turns)]
            act(assignment=turn, note="Because.", by=self.rosa, now=timezone.now())

    def send_back(self, number):
        self.staff(assignments.return_to_author, number)

    def leave_out(self, number):
        self.staff(assignments.soft_reject, number)

    def use(self, number):
        self.staff(assignments.use_again, number)

    def claim(self, number):
        """One claims that the result is wrong, and staff accept something else."""
        person = self.generators[number % 2]
        turn = Assignment.objects.filter(user=person, project=self.project).first()
        if turn is None:
            return
        now = timezone.now()
        thread = Thread.objects.filter(assignment=turn, kind="claim", state="open").first()
        thread = thread or claims_services.open_claim(
            assignment=turn, text="No.", by=person, now=now
        )
        standing = claims_services.get_standing(self.question.pk)
        known = sorted(each.annotation for each in standing.said)
        stand = frozenset(known[number % len(known) :]) if known else frozenset()
        edited = RulingEdits(exclude=True) if number % 5 == 0 else RulingEdits(stand=stand)
        claims_services.change_result(
            thread=thread,
            edited=edited,
            basis=standing.basis,
            reason="You are right.",
            keep_warnings=True,
            by=self.rosa,
            now=now,
        )

    def undo(self, number):
        thread = Thread.objects.filter(project=self.project, rulings__undone_at=None).last()
        ruling = thread.rulings.filter(undone_at=None).last() if thread else None
        if ruling is not None:
            claims_services.undo_ruling(ruling=ruling, by=self.rosa, now=timezone.now())

    def exclude(self, number):
        exclusion.exclude_questions(**self.chosen(), reason="Not a question.")

    def restore(self, number):
        exclusion.restore_questions(**self.chosen())

    def reconsider(self, number):
        now = timezone.now()
        self.question.refresh_from_db()
        exclusion.send_back(question=self.question, reason="Look again.", by=self.rosa, now=now)

    def chosen(self):
        return {
            "project": self.project,
            "question_ids": [self.question.pk],
            "by": self.rosa,
            "now": timezone.now(),
        }

    # --- what must hold ----------------------------------------------------------------------

    def check(self):
        rows = list(PayEntry.objects.filter(project=self.project).order_by("pk").values())
        assert rows[: len(self.before)] == self.before, "an entry was changed or is gone"
        self.before = rows
        for turn in Assignment.objects.filter(project=self.project):
            found = {
                (row["kind"], row["currency"]): row["sum"]
                for row in PayEntry.objects.filter(assignment=turn)
                .values("kind", "currency")
                .annotate(sum=Sum("amount"))
                .order_by()
                if row["sum"]
            }
            assert found == self.entitled(turn), (turn.stage, turn.state, turn.used)
        outcomes_hold()

    def entitled(self, turn):
        if turn.state != "submitted":
            return {}
        pay, more, currency, pair, most, match = self.terms[turn.pk]
        due = {("submitted", currency): pay}
        if self.accepted(turn):
            due["accepted", currency] = more
        if self.matched(turn):
            due["match", currency] = match
        due["pairs", currency] = pair * min(self.count_pairs(turn), most)
        return {key: amount for key, amount in due.items() if amount}

    def count_pairs(self, turn):
        """As its author is told, of what was not judged incorrect."""
        if turn.stage != "generation":
            return 0
        told = status.outcome_of(turn)
        counts = told.status in (Status.WRITTEN, Status.CHANGED, Status.PARTLY)
        return told.accepted if counts else 0

    def matched(self, turn):
        """Whether it is a decision in force, and the expert has the answers of one of its sets."""
        audit = Annotation.objects.filter(
            assignment__stage="audit", assignment__state="submitted", assignment__used=True
        ).first()
        if turn.stage != "validation" or audit is None or not self.accepted(turn):
            return False
        return texts(audit) in map(texts, turn.validation.decision.accepted.all())

    def accepted(self, turn):
        """As its author is told; a validator's while the decision is in force."""
        if turn.stage == "generation":
            return status.outcome_of(turn).status in (Status.WRITTEN, Status.CHANGED)
        self.question.refresh_from_db()
        decision = Decision.objects.filter(
            in_force=True, validation__assignment=turn, outcome=self.question.state
        )
        return turn.used and decision.exists()


def texts(answers):
    return sorted(form.text for pair in answers.pairs.all() for form in pair.answers.all())


MOVES = (
    *("answer", "answer", "answer", "validate", "validate", "send_back", "leave_out", "use"),
    *("claim", "undo", "price", "people", "exclude", "restore", "reconsider", "audit", "audit"),
)
# Every game begins with two answers, so that most of them come to a decision.
BEGINNING = [("answer", 0), ("answer", 1), ("validate", 2)]


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@example(moves=[])
@example(moves=[("send_back", 0), ("price", 2), ("answer", 2), ("validate", 4), ("claim", 1)])
@example(moves=[("send_back", 1), ("price", 1), ("answer", 5), ("claim", 0), ("undo", 0)])
@example(moves=[("audit", 0), ("leave_out", 3), ("use", 3), ("send_back", 3), ("audit", 1)])
@example(moves=[("audit", 1), ("leave_out", 2), ("use", 2), ("claim", 1), ("undo", 0)])
@given(moves=st.lists(st.tuples(st.sampled_from(MOVES), st.integers(0, 41)), max_size=16))
def test_the_ledger_adds_up_whatever_happens(db, moves):
    with transaction.atomic():
        game = Game()
        done = set()
        for place, (move, number) in enumerate([*BEGINNING, *moves], start=1):
            with suppress(Denied), transaction.atomic():
                getattr(game, move)(number)
                done.add(move)
                # What is refused is taken back; the beginning is looked at in the shortest game.
                if place >= len(BEGINNING) or not moves:
                    game.check()
        transaction.set_rollback(True)
    assert "answer" in done


def test_a_whole_story_in_one_ledger(db):
    """The same moves by hand, with the amounts written out."""
    game = Game()

    def sums(person):
        rows = PayEntry.objects.filter(user=person).values("kind").annotate(sum=Sum("amount"))
        return {row["kind"]: str(row["sum"]) for row in rows.order_by()}

    ann, ben, val = *game.generators, game.validators[0]
    game.answer(0)  # Ann: 1843
    assert sums(ann) == {"submitted": "0.75"}
    game.answer(1)  # Ben: 1869
    game.validate(2)  # Val: only the second is right, whoever's that is
    right, wrong = (ann, ben) if "accepted" in sums(ann) else (ben, ann)
    assert sums(right) == {"submitted": "0.75", "accepted": "0.10"}
    assert sums(wrong) == {"submitted": "0.75"}
    assert sums(val) == {"submitted": "0.75", "accepted": "0.10"}
    now = timezone.now()
    turn = Assignment.objects.get(user=wrong)
    thread = claims_services.open_claim(assignment=turn, text="Mine is right.", by=wrong, now=now)
    standing = claims_services.get_standing(game.question.pk)
    ruling = claims_services.change_result(
        thread=thread,
        edited=RulingEdits(stand=frozenset({turn.annotation.pk})),
        basis=standing.basis,
        reason="It is.",
        keep_warnings=True,
        by=game.rosa,
        now=now,
    )
    assert sums(wrong) == {"submitted": "0.75", "accepted": "0.10"}
    assert sums(right) == sums(val) == {"submitted": "0.75", "accepted": "0.00"}
    claims_services.undo_ruling(ruling=ruling, by=game.rosa, now=now)
    assert sums(wrong) == {"submitted": "0.75", "accepted": "0.00"}
    assert sums(right) == sums(val) == {"submitted": "0.75", "accepted": "0.10"}


def test_each_accepted_pair_is_paid_once_the_question_is_decided(db):
    """A60, as in the paper's earlier scheme: more for each validated pair, up to a maximum."""
    game = Game()
    game.project.policies.update(pay="0.20", pay_accepted=0, pay_pair="0.15", pay_pairs_max=2)
    ann, ben = game.generators

    def pairs(person):
        rows = PayEntry.objects.filter(user=person, kind="pairs").order_by("pk")
        return [(str(row.amount), row.number, row.label) for row in rows]

    game.answer(0)  # Ann: 1843
    game.answer(5)  # Ben: 1843 and 1869, each with its question
    assert pairs(ann) == pairs(ben) == []
    turn = game.turn("validation", game.validators[0])
    given = factories.given_for(turn)
    response = replace(given.stored, verdicts=(True,) * len(given.said))
    found = factories.report_on(turn, response).findings
    keeps = tuple(Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning")
    game.submit(turn, replace(response, keeps=keeps))
    assert pairs(ann) == [("0.15", 1, "Accepted pairs")]
    assert pairs(ben) == [("0.30", 1, "Accepted pairs")]
    game.check()
    answered = Assignment.objects.get(user=ben)
    assignments.soft_reject(assignment=answered, note="Hm.", by=game.rosa, now=timezone.now())
    assert pairs(ben)[1:] == [("-0.30", 2, "Pairs no longer accepted")]
    entry = PayEntry.objects.get(user=ben, kind="pairs", number=2)
    assert (entry.corrects.number, entry.units) == (1, 0)
    game.check()
