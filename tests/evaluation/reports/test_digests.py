"""The values of every panel of every report, in projects where each panel has some."""

import datetime as dt
import io
import json
import uuid
from decimal import Decimal

import pytest
from django.utils import timezone

import metrics
from annotation.imports.services import import_questions
from annotation.models import (
    LongAnswer,
    Message,
    PayEntry,
    Question,
    StagePolicy,
    Suggestion,
    SuggestionUse,
    Thread,
)
from evaluation.models import LabelScheme, ReaderAnswers
from evaluation.scores.reading import digest_of, questions_of
from evaluation.scores.values import Details
from metrics import nq
from qampari.paraphrase_rows import Sample
from tests import factories
from tests.annotation.golds import checks
from tests.annotation.long_answers import helpers as asqa
from tests.digests import same_each_time  # noqa: F401 - a fixture
from tests.evaluation import factories as made
from tests.evaluation.consensus import experts
from tests.evaluation.reports.test_protocols import PANELS
from tests.evaluation.results.judged_study import make_judged
from tests.figures import store_results
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in
from tests.qampari import factories as lists
from tests.qampari import paraphrasing, test_panels
from tests.report_digests import check_figures, read_known
from tests.validation import simulated
from tests.validation.audits.test_audit import answer_all
from validation.audits import services as audits_services
from validation.audits.values import AUDIT

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("same_each_time", "same_names")]
COMMANDS = (("agreement",), ("uptake",), ("system_scores", "--split=dev"))
SHORT = "Walkers went through it from 25 March 1843."


@pytest.fixture
def same_names(same_each_time, monkeypatch):  # noqa: F811
    """Let rows of evaluation be named the same, and signatures name no version."""
    monkeypatch.setattr(made, "_count", iter(range(1, 1_000)))
    monkeypatch.setattr(metrics, "VERSION", "0")


def make_pairs():
    """AmbigQA: work, validation, an audit, claims, pay, suggestions, labels and two systems."""
    world = simulated.make_world(pay={"generation": Decimal("0.75")})
    project, now = world.project, world.now
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    audit(world, rosa, now)
    raise_claims(world, now)
    show_suggestions(world, now)
    PayEntry.objects.create(
        **{"project": project, "user": world.ann, "kind": "bonus", "amount": "1.00", "units": 0},
        **{"currency": "USD", "note": "Thanks.", "key": uuid.UUID(int=1), "at": now, "by": rosa},
    )
    labels = (["event"], ["event", "time"], ["other"])
    for name, types in zip(("Q1", "Q4", "Q7"), labels, strict=True):
        made.make_ambiguity(
            world.questions[name], types=types, labelled_at=now, labelled_by=world.val
        )
    for name, answers in (("BM25", ["1843"]), ("Copy", ["1900", "1869"])):
        system = made.make_system(project, name, options={"trained": "NQ-open"})
        for number, question in enumerate(world.questions.values()):
            known = ["1843", "in 1843"][: 1 + number % 2]
            Question.objects.filter(pk=question.pk).update(known_answers=known)
            details = {"answers": answers[number % 2 :] or ["1869"], "passages": ["In 1843."] * 10}
            made.make_output(system, question, f"It opened in {answers[0]}.", details=details)
    label_pairs(world, system, rosa, now)
    return project


def label_pairs(world, system, rosa, now):
    """Two samples of two labellers who do not agree on all, and one of a scheme of the team."""
    own = LabelScheme.objects.create(
        project=world.project,
        **{"title": "Tone", "kind": "accepted", "made_by": rosa, "created_at": now},
        categories=[{"key": f"c{n}", "label": f"Tone {n}", "hint": ""} for n in (1, 2)],
    )
    for scheme, fields, labels in (
        ("predictions", {"system": system}, ["one-over", "one-wrong"]),
        ("mismatches", {}, ["span", "time"]),
        ("own", {"own": own}, ["c1", "c2"]),
    ):
        sample = made.make_label_sample(world.project, scheme, 2, **fields)
        for number, question in enumerate(list(world.questions.values())[:6]):
            item = made.make_label_item(sample, question)
            for place, by in enumerate((world.ann, world.val), 1):
                made.make_labelling(item, by, [labels[number % 5 == place]], place)


def audit(world, rosa, now):
    eve = factories.make_member(world.project, "expert", name="Eve Elm")
    audits_services.draw_sample(project=world.project, split="dev", size=8, by=rosa, now=now)
    StagePolicy.objects.filter(stage=AUDIT).update(minimum_seconds=0)
    answer_all(world, eve, now)


def raise_claims(world, now):
    turns = world.ann.assignments.filter(project=world.project).order_by("pk")
    for turn, state, hours in zip(turns[:3], ("open", "upheld", "upheld"), (0, 1, 3), strict=True):
        thread = Thread.objects.create(
            assignment=turn,
            project=world.project,
            kind="claim",
            state=state,
            waiting_since=now,
            closed_at=now + dt.timedelta(hours=hours) if hours else None,
        )
        Message.objects.create(
            thread=thread, author=world.ann, by_staff=False, text="Why?", created_at=now
        )


def show_suggestions(world, now):
    world.project.policies.filter(stage="generation", split="dev").update(
        suggestions="Reader 8B", suggestions_held_out=50
    )
    turns = world.ann.assignments.filter(project=world.project, stage="generation").order_by("pk")
    for number, turn in enumerate(turns):
        turn.active_seconds = 60 + number
        turn.save()
        suggestion = Suggestion.objects.create(
            **{"question": turn.task.question, "system": "Reader 8B", "version": "1"},
            **{"position": 0, "kind": "answer", "content": {"answers": ["1843"]}},
            created_at=now - dt.timedelta(hours=1),
        )
        if number % 3:
            fate = "accepted" if number % 2 else "dismissed"
            SuggestionUse.objects.create(
                assignment=turn, suggestion=suggestion, fate=fate, shown_at=now, decided_at=now
            )


def make_long_answers():
    """ASQA: work, finished work, a system with a reader, and a study that was judged."""
    now, project = timezone.now(), asqa.make_project()
    ann, ben = (
        factories.make_member(project, "annotator", name=name)
        for name in ("Ann Archer", "Ben Baker")
    )
    rows = [asqa.open_question(project, now, external_id=f"L{n}") for n in (1, 2, 3)]
    for _ in rows:
        asqa.answer(project, ann, now)
        asqa.answer(project, ben, now)
    LongAnswer.objects.filter(question=rows[1], author=ben).update(text=SHORT)
    finished = {
        "ambiguous_question": "When did the tunnel open?",
        "qa_pairs": asqa.TUNNEL["qa_pairs"],
        "wikipages": [],
        "annotations": [{"long_answer": text, "knowledge": []} for text in (asqa.TEXT, SHORT)],
    }
    file = io.BytesIO(json.dumps({"dev": {"L4": finished}}).encode())
    import_questions(
        project=project, file=file, format="asqa", split=None, finished=True, by=None, now=now
    )
    system = made.make_system(project, "T5", options={"passages": "3"})
    for row, text in zip(rows, (SHORT, asqa.TEXT, "Nobody knows."), strict=True):
        output = made.make_output(system, row, text)
        asked = questions_of(row)
        ReaderAnswers.objects.create(
            **{"output": output, "reader": "squad 1", "answers": ["25 March 1843", ""]},
            digest=digest_of(output.text, asked),
            read_at=now,
        )
    sample = made.make_label_sample(project, "long-errors", 2, system=system)
    for row in rows:
        for place, by in enumerate((ann, ben), 1):
            span = {"start": 0, "end": 7, "category": "hallucination", "quote": "Walkers"}
            item = sample.items.filter(question=row).first() or made.make_label_item(sample, row)
            made.make_labelling(item, by, ["hallucination"], place, spans=[span])
    study = make_judged(project, state="closed", title="Three systems")
    store_results(study, now)
    return project


def make_pages():
    """Natural Questions: questions with three and with six annotations, one judged by experts."""
    project = factories.make_project(protocol="nq")
    records = [samples.original(), samples.original(42, "how long is pump lane")]
    records[1]["annotations"] = records[1]["annotations"] * 2
    bring_in(project, *records, finished=True)
    bring_in(project, samples.original(43, "is the mill open"), finished=True, split="train")
    page = project.questions.get(external_id="43").natural_questions_page
    for place, row in enumerate(page.annotations):
        row["seconds"] = {"question": 10 + place, "long": 40, "short": 30}
    page.save()
    [item] = experts.make_items(project, [project.questions.get(external_id="42")])
    pair = [factories.make_member(project, "expert", name=name) for name in ("Eve", "Ed")]
    for expert in pair:
        experts.judge(item, expert, "debatable")
    experts.agree(item, pair[0], "debatable")
    for name, score in (("reader", 0.5), ("second reader", None)):
        spans = nq.Prediction(nq.NqSpan(18, 114, 4, 27), (), "none", score, score)
        system, details = made.make_system(project, name=name), Details(spans=spans).as_json()
        made.make_output(system, item.question, details=details)
    return project


def make_lists():
    """QAMPARI: answers, paraphrases, what was added in time, and systems."""
    now, project = timezone.now(), paraphrasing.make_project()
    author = factories.make_member(project, "annotator", name="Ann Archer")
    Sample.objects.create(project=project, person=author, seed=4)
    simple, table, _ = (
        test_panels.add(project, number, answers, now, split=split)
        for number, answers, split in ((0, 5, "dev"), (1, 10, "dev"), (2, 6, "train"))
    )
    paraphrasing.paraphrase(project, author, "Which are by Rennie?")
    test_panels.extend(project, simple, ["Bridge 9", "the bridge 9", "Bridge 1", "Leith"], now)
    given = {"answers": ["Bridge 0", "Leith"], "passages": ["Bridge 1."] * 10}
    test_panels.answered(project, simple, "-", now, **given)
    test_panels.answered(project, table, "Bridge 1#Bridge 2\nTunnel", now)
    for number in range(3, 7):
        question = test_panels.add(project, number, 7, now)
        test_panels.answered(project, question, "Bridge 1", now, name="one")
    for stage in ("qampari-check", "qampari-team"):
        project.policies.create(stage=stage, split="dev", people=1, minimum_seconds=0)
    lists.make_question(project, now)
    lists.check(author, project, ["correct"] * 3 + ["incorrect", "doubtful"])
    return project


def make_gold_items():
    """A stage of the tests with gold items, of which one person missed most."""
    checks.number_tasks()
    plan = checks.plan(checks.make(12), rate=50, enough=3, missed=2)
    for name, verdicts in (("Wanda Wren", ["yes"] * 3), ("Crispin Thistlewood", ["no"] * 4)):
        person = factories.make_member(plan.project, "annotator", name=name)
        for verdict in verdicts:
            checks.submit(checks.take_gold(person, plan.project), verdict)
    return plan.project


def test_ambigqa():
    check_figures("ambigqa", make_pairs(), *COMMANDS)


def test_asqa():
    check_figures("asqa", make_long_answers(), *COMMANDS, ("study_results",))


def test_natural_questions():
    check_figures("nq", make_pages(), ("agreement",), ("study_results",), COMMANDS[-1])


def test_qampari():
    check_figures("qampari", make_lists(), ("agreement",))


def test_gold_items():
    with checks.registered():
        check_figures("gold items", make_gold_items())


def test_every_panel_of_every_protocol_has_rows_in_some_scene():
    filled = {
        name for of in read_known().values() for name in of if not of[name].startswith("0 rows")
    }
    panels = {
        f"{report} {panel}"
        for of in PANELS.values()
        for report, panels in of.items()
        for panel in panels
    }
    assert panels - filled == set()
    assert set(PANELS) <= set(read_known())
