"""Exports of an ASQA project: long answers with all that is known of them."""

import csv
import io
import json
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.pseudonyms import derive_pseudonym
from annotation.core.refusals import Conflict
from annotation.exports import services as exports_services
from annotation.exports.selection import Selection
from annotation.imports.queries import export_rows
from annotation.long_answers.response import Piece
from annotation.models import Concern, Event, Knowledge, LongAnswer
from annotation.sheets.fields import Keep
from annotation.work import assignments
from tests import factories
from tests.annotation.exports.submissions import make_page, make_quote, opened, search
from tests.annotation.long_answers import helpers
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db

TEXT = "The tunnel opened to walkers on 25 March 1843. Trains came in the winter of 1869."


@pytest.fixture
def project(db):
    return helpers.make_project(people=2)


@pytest.fixture
def question(project, now):
    return helpers.open_question(project, now, external_id="q1")


def read(project, format="annotations", split=None):
    export = exports_services.start_export(
        project=project,
        format=format,
        chosen=Selection(split=split or ""),
        by=None,
        now=timezone.now(),
    )
    return b"".join(export.blocks())


def records(project, *args):
    return [json.loads(line) for line in read(project, *args).splitlines()]


@pytest.fixture
def said(project, question, ann, now):
    """Ann's long answer with a quote, an override, a kept warning, events and a concern."""
    quote = make_quote(make_page(project.snapshot), ann)
    turn = helpers.take(project, ann, now)
    for kind, data in (
        search("tunnel", "Thames Tunnel"),
        opened("Thames Tunnel", path="Thames_Tunnel", text_sha256="ab" * 32),
        ("quote", {"quote": quote.pk}),
    ):
        Event.objects.create(assignment=turn, kind=kind, at=now, data=data)
    concern = Concern.objects.create(
        question=question,
        assignment=turn,
        author=ann,
        disambiguations=[1],
        reason="Which trains?",
        state="dismissed",
        note="Any train.",
        decided_by=ann,
        decided_at=now,
        created_at=now,
    )
    response = helpers.response(
        text=TEXT,
        knowledge=(
            Piece("25 March 1843", "Thames Tunnel", quote.pk),
            Piece("A penny was paid.", "Thames Tunnel"),
        ),
        said=(helpers.said(1, "in the winter of 1869"),),
        feedback="The pages are good.",
    )
    found = factories.report_on(turn, response, now).findings
    keeps = [Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning"]
    response = replace(response, keeps=tuple(keeps))
    assignments.submit_response(assignment=turn, response=response, by=ann, now=now)
    turn.refresh_from_db()
    return turn, quote, concern


def test_a_record_to_the_letter(project, question, said, ann, now):
    turn, quote, _ = said
    [found] = records(project)
    answer = LongAnswer.objects.get()
    events = found.pop("events")
    assert [each["kind"] for each in events][:3] == ["search", "page_open", "quote"]
    [shown] = found.pop("quotes")
    assert (shown["id"], shown["exact"], shown["used_in"]) == (
        quote.pk,
        "25 March 1843",
        [{"piece": 1}],
    )
    assert shown["source"]["title"] == "Thames Tunnel"
    times = found.pop("times")
    assert times["submitted"] == turn.submitted_at.isoformat()
    start = TEXT.index("in the winter")
    assert found == {
        "schema_version": 1,
        "id": "q1",
        "question": "when did the thames tunnel open",
        "prompt": "When did the thames tunnel open?",
        "split": "dev",
        "stage": "long_answers",
        "task": turn.task_id,
        "assignment": turn.pk,
        "annotation": answer.pk,
        "person": derive_pseudonym(ann, scope=project.slug),
        "used": True,
        "inputs": "full",
        "response": {
            "long_answer": TEXT,
            "knowledge": [
                {
                    "content": "25 March 1843",
                    "wikipage": "Thames Tunnel",
                    "quote": quote.pk,
                    "quotes": [quote.pk],
                },
                {
                    "content": "A penny was paid.",
                    "wikipage": "Thames Tunnel",
                    "quote": None,
                    "quotes": [],
                },
            ],
            "overrides": [
                {
                    "disambiguation": 1,
                    "words": "in the winter of 1869",
                    "start": start,
                    "end": start + len("in the winter of 1869"),
                }
            ],
        },
        "warnings_kept": answer.keeps,
        "concerns": [
            {
                "disambiguations": [1],
                "reason": "Which trains?",
                "state": "dismissed",
                "note": "Any train.",
                "raised": now.isoformat(),
                "decided": now.isoformat(),
            }
        ],
        "feedback": "The pages are good.",
        "guideline_version": 1,
        "snapshot": {
            "name": project.snapshot.name,
            "title": "English Wikipedia, 2 January 2024",
            "language": "en",
            "as_of": "2024-01-02",
            "licence": "CC BY-SA",
        },
    }
    assert found["warnings_kept"][0] == {
        "rule": "text-too-short",
        "field": "long-answer",
        "reason": "I am sure",
    }
    assert ann.name not in json.dumps(found)


def test_without_events_the_same(project, said):
    [whole], [light] = records(project), records(project, "annotations-light")
    del whole["events"]
    assert light == whole


def test_kept_warnings_and_work_that_is_left_out(project, said, rosa, now):
    turn, _, _ = said
    keeps = [{"rule": "x", "field": "long-answer", "reason": "So it is."}]
    LongAnswer.objects.update(keeps=keeps)
    assignments.soft_reject(assignment=turn, note="Copied.", by=rosa, now=now)
    [found] = records(project)
    assert (found["warnings_kept"], found["used"]) == (keeps, False)


def test_in_order_and_by_split(project, said, ben, now):
    helpers.answer(project, ben, now)
    helpers.open_question(project, now, external_id="t1", split="test")
    helpers.answer(project, ben, now)
    assert [each["id"] for each in records(project)] == ["q1", "q1", "t1"]
    assert [each["id"] for each in records(project, "annotations", "test")] == ["t1"]


def test_pages_read(project, said):
    [row] = csv.DictReader(io.StringIO(read(project, "pages-read").decode()))
    assert (row["id"], row["stage"], row["pages"], row["searches"]) == (
        *("q1", "long_answers", "1", "1"),
    )


def test_statements_do_not_grow(project, said, ben, now):
    def statements():
        with CaptureQueriesContext(connection) as found:
            read(project)
        return len(found)

    before = statements()
    assert before <= 15
    helpers.answer(project, ben, now)
    for _ in range(3):
        helpers.open_question(project, now)
        helpers.answer(project, ben, now)
    assert statements() == before


def test_what_fits_is_offered(project, said, client_as, rosa):
    assert [(row.format.key, row.records) for row in export_rows(project)] == [
        ("annotations", 1),
        ("annotations-light", 1),
        ("skips", 0),
        ("concerns", 1),
        ("pages-read", 1),
        ("judgments", 0),
        ("judgments-asqa", 0),
        ("model-judgments", 0),
    ]
    page = client_as(rosa).get(reverse("project-overview", args=[project.slug])).content.decode()
    assert "Raw annotations" in page
    assert "AmbigNQ, full" not in page
    with pytest.raises(Conflict, match="This project is exported as annotations, annotations-ligh"):
        read(project, "ambignq")
    with pytest.raises(CommandError) as refusal:
        call_command("export", project.slug, "--format=ambignq", "--output=-")
    assert refusal.value.returncode == 2


def test_ambigqa_projects_export_as_before(db):
    other = factories.make_project()
    assert [row.format.key for row in export_rows(other)] == [
        *("ambignq-light", "ambignq", "annotations", "annotations-light"),
        *("skips", "pages-read", "validations", "judgments", "judgments-asqa", "model-judgments"),
    ]
    assert read(other, "ambignq-light") == b"[]\n"


def test_further_quotes_of_a_piece_are_listed(project, said, ann):
    quote = said[1]
    other = make_quote(quote.page, ann, exact="trains")
    Knowledge.objects.get(quote=quote).more_quotes.add(other)
    [found] = records(project)
    assert found["response"]["knowledge"][0]["quotes"] == [quote.pk, other.pk]
    assert [(each["id"], each["used_in"]) for each in found["quotes"]] == [
        (quote.pk, [{"piece": 1}]),
        (other.pk, [{"piece": 1}]),
    ]


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte(project, said, ben, now):
    helpers.answer(project, ben, now)
    check_digests("asqa exports", project)
