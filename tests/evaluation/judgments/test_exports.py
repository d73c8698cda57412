"""Judgments out: what is in each record, whose work counts, which studies fit the kit's columns."""

import io
import json

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.core.refusals import Conflict, Denied
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.models import StagePolicy, Submission
from evaluation.models import Consensus, Judgment
from evaluation.studies import queries as studies_queries
from evaluation.studies.judgment_values import ItemJudgment
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies


@pytest.fixture
def project(db):
    return asqa.make_project()


@pytest.fixture
def study(project):
    """A pair judged twice, sides swapped, and once more by the first judge."""
    one, _ = studies.make_questions(project)
    a, b = studies.make_system(project, "A"), studies.make_system(project, "B", version="2")
    study = studies.make_study(project, [a, b], seed=7)
    item = studies.make_item(study, one, a, b)
    judgment(item, "ann", studies.compared(why="It says more."))
    judgment(item, "ben", studies.compared((True, False), (False, False)), swapped=True)
    again = studies.make_item(study, one, a, b, repeats=item)
    judgment(again, "ann", studies.compared(choices=("right", "tie", "left")), swapped=True)
    return study


def judgment(item, name, response, used=True, **fields):
    """What somebody of the project submitted."""
    project = item.study.project
    user = factories.User.objects.filter(name=name).first()
    user = user or factories.make_member(project, "judge", name=name)
    policy, _ = StagePolicy.objects.get_or_create(
        project=project, stage=item.study.stage, split="dev", defaults={"people": 2}
    )
    unit = {"stage": policy.stage, "unit": item.unit}
    task = policy.tasks.filter(unit=item.unit).first()
    task = task or factories.make_task(project, item.question, seats=9, **unit)
    turn = factories.make_assignment(task, user, "submitted", active_seconds=90, used=used)
    submission = Submission.objects.create(
        assignment=turn,
        question=item.question,
        author=user,
        stage=policy.stage,
        response=response,
        created_at=timezone.now(),
    )
    return Judgment.objects.create(
        item=item, judge=user, submission=submission, created_at=timezone.now(), **fields
    )


def exported(project, format, **chosen):
    export = start_export(
        project=project, format=format, chosen=Selection(**chosen), by=None, now=timezone.now()
    )
    return b"".join(export.blocks())


def lines(content):
    return [json.loads(line) for line in content.splitlines()]


def who(project, name):
    return derive_pseudonym(factories.User.objects.get(name=name), scope=project.slug)


def test_judgments_are_read_as_values(project, study, django_assert_num_queries):
    with django_assert_num_queries(1):
        judged = studies_queries.list_counted_judgments(study)

    ann = who(project, "ann")
    assert judged[0] == ItemJudgment(
        question="key-1",
        pair=0,
        left="A",
        right="B 2",
        judge=ann,
        left_found=(True, True),
        right_found=(True, False),
        choices={"comp": -1, "fluency": 0, "overall": 1},
        reason="It says more.",
        seconds=90,
    )
    assert (judged[1].left, judged[1].right, judged[1].judge) == ("B 2", "A", who(project, "ben"))
    assert (judged[2].pair, judged[2].repeat, judged[2].judge) == (0, True, ann)


def test_work_that_does_not_count_is_left_out(project, study):
    used = studies_queries.list_counted_judgments(study)
    item = studies.make_item(study, study.items.first().question, *study.systems.all())
    judgment(item, "cyd", studies.compared(), used=False)
    returned = judgment(item, "dee", studies.compared()).submission.assignment
    type(returned).objects.filter(pk=returned.pk).update(
        state="active", submitted_at=None, ended_at=None, lease_ends_at=timezone.now()
    )

    assert studies_queries.list_counted_judgments(study) == used
    assert studies_queries.count_judgments(project) == 3


def test_without_accuracy_nothing_was_found(project, study):
    study.accuracy = False
    assert {
        (row.left_found, row.right_found) for row in studies_queries.list_counted_judgments(study)
    } == {((), ())}


def test_every_judgment_is_exported_with_its_study(project, study):
    first, *records = lines(exported(project, "judgments"))

    assert (first["kind"], first["seed"], first["criteria"]) == ("study", 7, studies.CRITERIA)
    assert first["systems"][1] == {"label": "B 2", "name": "B", "version": "2", "kind": "model"}
    assert [(row["kind"], row["item"], row["repeats"]) for row in records] == [
        ("judgment", 0, None),
        ("judgment", 0, None),
        ("judgment", 1, 0),
    ]
    one = records[0]
    assert (one["id"], one["left"], one["right"]) == ("key-1", "A", "B 2")
    assert one["found"]["right"][1] == {
        "question": "When did the Thames Tunnel open to trains?",
        "found": "no",
        "words": "",
    }
    assert one["choices"] == {"comp": "left", "fluency": "tie", "overall": "right"}
    assert (one["reason"], one["judge"]) == ("It says more.", who(project, "ann"))
    assert one["times"]["active_seconds"] == 90
    assert "ann@" not in json.dumps(records)


def test_the_same_rows_give_the_same_bytes(project, study):
    assert exported(project, "judgments") == exported(project, "judgments")


def test_what_experts_agreed_on_follows_their_judgments(project):
    question, system = studies.make_questions(project)[0], studies.make_system(project, "A")
    study = studies.make_study(project, [system], pairing="expert", criteria=[])
    item = studies.make_item(study, question, system)
    judgment(item, "eva", {"verdict": "wrong", "why": "No.", "feedback": "", "keeps": []})
    Consensus.objects.create(
        item=item,
        verdict="debatable",
        justification="Two of us agree.",
        made_by=factories.make_member(project, "researcher", name="Rosa"),
        created_at=timezone.now(),
    )

    _, one, consensus = lines(exported(project, "judgments"))

    assert (one["verdict"], one["right"], one["choices"]) == ("wrong", None, {})
    assert (consensus["kind"], consensus["verdict"]) == ("consensus", "debatable")
    assert studies_queries.list_counted_judgments(study)[0].verdict == "wrong"
    with pytest.raises(Conflict, match="comparisons of two answers"):
        exported(project, "judgments-asqa")


def test_the_kit_gets_its_columns_without_repeats(project, study):
    assert json.loads(exported(project, "judgments-asqa")) == [
        {
            "pair": 0,
            "numQA": 2,
            "accLeft": 2,
            "accRight": 1,
            "Ambiguity": "Paragraph 1",
            "Fluency": "Tie",
            "Overall": "Paragraph 2",
            "leftModel": "A",
            "rightModel": "B 2",
            "key": "key-1",
        },
        {
            "pair": 0,
            "numQA": 2,
            "accLeft": 1,
            "accRight": 0,
            "Ambiguity": "Paragraph 1",
            "Fluency": "Tie",
            "Overall": "Paragraph 2",
            "leftModel": "B 2",
            "rightModel": "A",
            "key": "key-1",
        },
    ]


@pytest.mark.parametrize(
    "change",
    [{"accuracy": False}, {"criteria": studies.CRITERIA[:2]}, {"pairing": "alone"}],
    ids=str,
)
def test_a_study_that_asks_otherwise_does_not_fit_the_kit(project, study, change):
    type(study).objects.filter(pk=study.pk).update(**change)
    with pytest.raises(Conflict, match=f"“{study.title}” does not fit this layout"):
        exported(project, "judgments-asqa", study=study.pk)


def test_the_kit_holds_one_study(project, study):
    other = studies.make_study(project, study.systems.all())
    with pytest.raises(Conflict, match=f"Choose one of {study.pk} .*, {other.pk} "):
        exported(project, "judgments-asqa")
    assert len(json.loads(exported(project, "judgments-asqa", study=study.pk))) == 2
    assert exported(project, "judgments-asqa", study=other.pk) == b"[]\n"


def test_a_study_a_person_and_days_can_be_chosen(project, study):
    other = studies.make_study(project, study.systems.all())
    studies.make_study(project, study.systems.all(), "draft")
    assert [row["study"] for row in lines(exported(project, "judgments"))] == [
        *[study.pk] * 4,
        other.pk,
    ]
    ben = factories.User.objects.get(name="ben")
    chosen = {"study": study.pk, "person": "ben", "user": ben.pk}
    _, one = lines(exported(project, "judgments", **chosen))
    assert one["judge"] == who(project, "ben")


def export(*args):
    out, err = io.StringIO(), io.StringIO()
    call_command("export", *args, "--output", "-", stdout=out, stderr=err)
    return out.getvalue()


def test_the_command_exports_a_study(project, study):
    args = (project.slug, "--format", "judgments", "--study")
    assert len(export(*args, str(study.pk)).splitlines()) == 4
    for bad in ("0", "x", str(study.pk + 1)):
        with pytest.raises(CommandError, match="--study: This project has no study") as refusal:
            export(*args, bad)
        assert refusal.value.returncode == 2
    with pytest.raises(CommandError, match="Skips cannot be limited to study") as refusal:
        export(project.slug, "--format", "skips", "--study", str(study.pk))
    assert refusal.value.returncode == 2


def test_only_staff_export(project, study):
    judge = factories.User.objects.get(name="ann")
    with pytest.raises(Denied):
        start_export(
            project=project, format="judgments", chosen=Selection(), by=judge, now=timezone.now()
        )


def test_the_page_offers_the_studies(project, study, client_as):
    staff = client_as(factories.make_member(project, "researcher"))
    page = staff.get(reverse("export-page", args=[project.slug])).content.decode()
    assert f'<option value="{study.pk}">{study.title} ({study.pk})</option>' in page
    overview = staff.get(reverse("project-overview", args=[project.slug])).content.decode()
    assert "Download Judgments, 4 records" in overview
    sent = staff.get(reverse("export-download", args=[project.slug, "judgments-asqa"]))
    assert len(json.loads(b"".join(sent.streaming_content))) == 2


def test_more_judgments_take_no_more_queries(project, study):
    def count():
        export = start_export(
            project=project, format="judgments", chosen=Selection(), by=None, now=timezone.now()
        )
        with CaptureQueriesContext(connection) as captured:
            b"".join(export.blocks())
        return len(captured)

    before = count()
    item = studies.make_item(study, asqa.make_question(project), *study.systems.all())
    for name in ("cyd", "dee", "eve"):
        judgment(item, name, studies.compared())
    assert count() == before
