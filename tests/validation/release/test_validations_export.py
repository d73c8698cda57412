"""The export of validations, read back against the database row by row."""

import datetime as dt
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.pseudonyms import derive_pseudonym
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.models import Annotation, Assignment, Thread
from annotation.work import assignments
from tests import factories
from tests.validation import simulated
from validation.claims import services as claims_services
from validation.claims.ruling_form import RulingEdits
from validation.decisions.accepted_answers import accepted_counts
from validation.models import AcceptedAnnotation, Decision, Validation
from validation.release import validations_export as exports
from validation.release.services import start_release

pytestmark = pytest.mark.django_db
KEPT = {"rule": "single-pair", "field": "r1", "reason": "I am sure."}


def make_world():
    """The simulated project, with a claim of Ann on Q4 that changed it, undone, and one on Q6."""
    world = simulated.make_world()
    ann, now = world.ann, world.now
    world.rosa = rosa = factories.make_member(world.project, "researcher", name="Rosa Reed")
    Assignment.objects.filter(stage="validation").update(feedback="Hard to tell.")
    Validation.objects.filter(question=world.questions["Q3"]).update(keeps=[KEPT])

    def claim(question, text):
        turn = Assignment.objects.get(task__question__external_id=question, user=ann)
        return claims_services.open_claim(assignment=turn, text=text, by=ann, now=now)

    thread = claim("Q4", "2010 is in the article.")
    ruling = claims_services.change_result(
        thread=thread,
        edited=RulingEdits(exclude=True),
        basis=claims_services.get_standing(world.questions["Q4"].pk).basis,
        reason="Nobody can know.",
        by=rosa,
        now=now,
    )
    claims_services.undo_ruling(ruling=ruling, by=rosa, now=now)
    claims_services.uphold_result(
        thread=claim("Q6", "It is 1843."), reason="It is not.", by=rosa, now=now
    )
    return world


@pytest.fixture
def exported(project, now):
    def exported(**filters):
        chosen = Selection(**filters)
        found = start_export(project=project, format="validations", chosen=chosen, by=None, now=now)
        lines = [json.loads(line) for line in b"".join(found.blocks()).splitlines()]
        assert found.records == len(lines)
        return [[each for each in lines if each["kind"] == kind] for kind in ("decision", "claim")]

    return exported


def text_of(row, name, source, scope):
    """What the record says of an accepted text, built from the rows alone."""
    if source is None:
        return {"text": row.text, "edited": row.edited, "source": None}
    pair = source if name == "questions" else source.pair
    place = {"pair": pair.position + 1}
    if name == "answers":
        place["form"] = source.position + 1
    return {
        "text": row.text,
        "edited": row.edited,
        "source": {
            "annotation": pair.annotation_id,
            "author": derive_pseudonym(pair.annotation.author, scope=scope),
            **place,
            "text": source.question if name == "questions" else source.text,
        },
    }


def expected(decision):
    """A decision's record, built from the rows alone."""
    scope, question = decision.question.project.slug, decision.question
    validation = decision.validation
    turn = validation.assignment if validation else None
    ruling = getattr(decision, "ruling", None)
    return {
        "schema_version": 1,
        "kind": "decision",
        "id": question.external_id,
        "question": question.text,
        "prompt": question.prompt,
        "split": question.split,
        "state": question.state,
        "decision": decision.pk,
        "source": decision.source,
        "validation": validation.pk if validation else None,
        "task": turn.task_id if turn else None,
        "assignment": turn.pk if turn else None,
        "person": derive_pseudonym(decision.made_by, scope=scope),
        "used": turn.used if turn else None,
        "in_force": decision.in_force,
        "replaces": decision.replaces_id,
        "claim": ruling.thread_id if ruling else None,
        "covers": decision.covers,
        "verdicts": [
            {
                "annotation": verdict.annotation_id,
                "author": derive_pseudonym(verdict.author, scope=scope),
                "correct": verdict.correct,
                "derived": verdict.derived,
            }
            for verdict in (validation.verdicts.order_by("annotation") if validation else [])
        ],
        "outcome": decision.outcome,
        "change": decision.change,
        "reason": decision.reason,
        "accepted": [
            {
                "type": {"single": "singleAnswer", "multiple": "multipleQAs"}[found.kind],
                "annotation": found.annotation_id,
                "pairs": [
                    {
                        name: [
                            text_of(row, name, row.source, scope)
                            for row in getattr(pair, name).all()
                        ]
                        for name in ("questions", "answers")
                    }
                    for pair in found.pairs.all()
                ],
            }
            for found in decision.accepted.all()
        ],
        "excluded": [
            {
                "answers": each.answers,
                "questions": each.questions,
                "reason": each.reason,
                "pairs": [
                    {
                        "annotation": pair.annotation_id,
                        "author": derive_pseudonym(pair.annotation.author, scope=scope),
                        "pair": pair.position + 1,
                    }
                    for pair in each.pairs.order_by("annotation", "position")
                ],
            }
            for each in decision.excluded.all()
        ],
        "warnings_kept": validation.keeps if validation else ruling.warnings,
        "feedback": turn.feedback if turn else None,
        "times": {
            "started": turn.started_at.isoformat() if turn else None,
            "submitted": turn.submitted_at.isoformat() if turn else None,
            "decided": decision.created_at.isoformat(),
            "active_seconds": turn.active_seconds if turn else None,
        },
        "guideline_version": turn.guideline_version if turn else None,
    }


def test_every_decision_is_as_the_database_has_it(world, exported):
    decisions, _ = exported()
    rows = Decision.objects.order_by("question", "pk")
    assert len(rows) == 10  # nine of the validator, one of staff
    assert decisions == [expected(row) for row in rows]


def test_what_they_say_is_what_was_done(world, exported, project, ann, ben, val, rosa):
    """By hand: what a reader of the record learns of some of the questions."""
    decisions, _ = exported()
    by_question = {each["id"]: each for each in decisions if each["source"] == "validation"}
    names = {who: derive_pseudonym(who, scope=project.slug) for who in (ann, ben, val, rosa)}
    assert {each["person"] for each in by_question.values()} == {names[val]}
    # Q4: the first is correct, the second is not; its accepted texts are Ann's, as she wrote them.
    fourth = by_question["Q4"]
    assert {each["author"]: each["correct"] for each in fourth["verdicts"]} == {
        names[ann]: True,
        names[ben]: False,
    }
    assert fourth["in_force"] is True
    answers = [form for pair in fourth["accepted"][0]["pairs"] for form in pair["answers"]]
    assert [(each["text"], each["edited"], each["source"]["text"]) for each in answers] == [
        ("1843", False, "1843"),
        ("1869", False, "1869"),
    ]
    assert {each["source"]["author"] for each in answers} == {names[ann]}
    # Q6: rewritten, with its source; the other is excluded with its reason, and whose it was.
    sixth = by_question["Q6"]
    [form] = sixth["accepted"][0]["pairs"][0]["answers"]
    assert (form["text"], form["edited"], form["source"]["text"]) == ("25 March 1844", True, "1843")
    [gone] = sixth["excluded"]
    assert (gone["answers"], gone["reason"]) == (["1869"], "That was another one.")
    assert [each["author"] for each in gone["pairs"]] == [names[ben]]
    # Q9: left out altogether, and why. The validator's feedback and kept warnings are there.
    assert by_question["Q9"]["reason"] == "Which tunnel is meant cannot be known."
    assert sixth["feedback"] == "Hard to tell."
    assert by_question["Q3"]["warnings_kept"] == [KEPT]
    [staff] = [each for each in decisions if each["source"] == "staff"]
    assert (staff["person"], staff["in_force"]) == (names[rosa], False)
    assert staff["replaces"] == fourth["decision"]


def test_claims_have_their_words_and_rulings(world, exported, project, ann, rosa, now):
    _, (fourth, sixth) = exported()
    scope, at = project.slug, now.isoformat()
    thread = Thread.objects.get(pk=fourth["claim"])
    staff = Decision.objects.get(source="staff")
    assert fourth == {
        "schema_version": 1,
        "kind": "claim",
        "id": "Q4",
        "question": world.questions["Q4"].text,
        "prompt": world.questions["Q4"].prompt,
        "split": "dev",
        "state": "edited",
        "claim": thread.pk,
        "task": thread.assignment.task_id,
        "assignment": thread.assignment_id,
        "stage": "generation",
        "person": derive_pseudonym(ann, scope=scope),
        "outcome": "open",
        "messages": [
            {
                "by": who,
                "person": derive_pseudonym(person, scope=scope),
                "text": text,
                "at": at,
            }
            for who, person, text in (
                ("author", ann, "2010 is in the article."),
                ("staff", rosa, "Nobody can know."),
            )
        ],
        "rulings": [
            {
                "verdict": "changed",
                "decision": staff.pk,
                "former": staff.replaces_id,
                "reason": "Nobody can know.",
                "person": derive_pseudonym(rosa, scope=scope),
                "at": at,
                "undone_at": at,
                "undone_by": derive_pseudonym(rosa, scope=scope),
            }
        ],
        "times": {"opened": at, "closed": None},
    }
    assert (sixth["outcome"], sixth["times"]["closed"]) == ("upheld", at)
    assert [each["verdict"] for each in sixth["rulings"]] == ["upheld"]


def test_a_decision_that_no_longer_holds_says_so(world, exported, project, rosa, now):
    turn = Assignment.objects.get(task__question__external_id="Q3", user=world.ben)
    assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
    decisions, _ = exported()
    [third] = [each for each in decisions if each["id"] == "Q3"]
    assert third["in_force"] is False


def test_the_filters_choose(world, exported, now):
    decisions, said = exported()
    today = now.astimezone(dt.UTC).date()
    day = dt.timedelta(days=1)
    assert exported(since=today, until=today) == [decisions, said]
    assert exported(since=today + day) == [[], []] == exported(until=today - day)
    assert exported(split="train") == [[], []]
    assert [each["id"] for each in exported(state="excluded")[0]] == ["Q9"]
    by_val = exported(user=world.val.pk)
    assert by_val == [[each for each in decisions if each["source"] == "validation"], []]
    assert exported(user=world.ann.pk) == [[], said]


def test_nobody_is_named(world, project, ann, ben, val, rosa, now):
    export = start_export(project=project, format="validations", by=None, now=now)
    text = b"".join(export.blocks()).decode()
    for person in (ann, ben, val, rosa):
        assert person.name not in text
        assert person.email not in text


def test_queries_grow_with_chunks_and_not_with_rows(world, exported, monkeypatch):
    with CaptureQueriesContext(connection) as once:
        whole = exported()
    assert len(once) <= 20
    monkeypatch.setattr(exports, "_AT_ONCE", 2)
    assert exported() == whole


@pytest.mark.parametrize("split", [None, "dev", "train"])
def test_accepted_is_what_the_release_holds(world, project, rosa, now, split):
    """The button, the file and its manifest say the same number, also when work is left out."""

    def agree():
        release = start_release(
            project=project, format="ambignq-light", split=split, by=None, now=now
        )
        records = json.loads(b"".join(release.blocks()))
        counts = accepted_counts(project, split)
        assert counts.released == len(records) == release.counts.total
        assert counts.no_answer == release.counts.left_out["no_answer"]
        return counts

    assert agree() == {None: (11, 2), "dev": (10, 1), "train": (1, 1)}[split]
    Annotation.objects.filter(question=world.questions["Q2"]).update(kind="none")
    AcceptedAnnotation.objects.filter(decision__question=world.questions["Q5"]).delete()
    Decision.objects.filter(question=world.questions["Q10"]).update(covers=[])
    assert agree() == {None: (9, 4), "dev": (8, 3), "train": (1, 1)}[split]


def test_the_card_says_what_is_left_out(world, client_as, rosa, project):
    page = client_as(rosa).get(reverse("project-overview", args=[project.slug])).content.decode()
    assert "11 accepted</a>" in page
    assert "2 more were accepted without an answer and are not included" in page
