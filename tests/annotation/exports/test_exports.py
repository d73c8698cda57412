"""Exports: exact values of each format, order, bytes, memory, queries."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.pseudonyms import derive_pseudonym
from annotation.core.refusals import Denied
from annotation.exports import dataset
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.imports import formats
from annotation.models import Answer
from annotation.protocols import registry as protocols
from annotation.reading.quotes import find_proof, proving_among
from tests import factories
from tests.annotation.exports.submissions import make_page, make_quote, opened, search, submit
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from wikipedia.models import ShownPage

pytestmark = pytest.mark.django_db
OF_AMBIGQA = [each.key for each in protocols.get_protocol("ambigqa").exports]


@pytest.fixture
def export(project, now):
    def export(format, split=None, by=None):
        chosen = Selection(split=split or "")
        found = start_export(project=project, format=format, chosen=chosen, by=by, now=now)
        return b"".join(found.blocks())

    return export


@pytest.fixture
def worked(project, ann, ben):
    """Three questions, one of them with two submissions, in an order that is not of the rows."""
    tunnel = factories.make_question(
        project,
        "when did the thames tunnel open",
        external_id="-77",
        known_answers=["1843"],
        context={"nq_doc_title": "Thames Tunnel"},
    )
    bridge = factories.make_question(
        project, "Who built the bridge?", external_id="b", split="train"
    )
    factories.make_question(project, "not answered yet", external_id="c")
    quote = make_quote(make_page(project.snapshot), ben)
    submit(bridge, ann, "none", minutes=1)
    submit(
        tunnel,
        ben,
        "multiple",
        [
            ("When did the tunnel open to walkers?", [("25 March 1843", quote), "1843"]),
            ("When did the tunnel open to trains?", ["1869"]),
        ],
        minutes=9,
        events=[
            search("thames tunnel", "Thames Tunnel", "Rotherhithe"),
            opened("Rotherhithe"),
            opened("Thames Tunnel", rank=1),
            ("quote", {"quote": quote.pk, "target": "answer-1"}),
        ],
        kept=[("long_answer", "answer-1", "It is the full date.")],
        feedback="A good one.",
    )
    submit(
        tunnel,
        ann,
        "single",
        [("", ["1843", "in 1843 <b>“é”</b>\u2028"])],
        minutes=5,
        events=[
            search("thames tunnel", "Wapping", offset=10),
            search("brunel", "Marc Isambard Brunel"),
            opened("Thames Tunnel"),
        ],
    )
    return tunnel, bridge, quote


LIGHT = [
    {
        "id": "-77",
        "question": "When did the thames tunnel open?",
        "annotations": [
            {"type": "singleAnswer", "answer": ["1843", "in 1843 <b>“é”</b>\u2028"]},
            {
                "type": "multipleQAs",
                "qaPairs": [
                    {
                        "question": "When did the tunnel open to walkers?",
                        "answer": ["25 March 1843", "1843"],
                    },
                    {"question": "When did the tunnel open to trains?", "answer": ["1869"]},
                ],
            },
        ],
    },
    {"id": "b", "question": "Who built the bridge?", "annotations": [{"type": "noAnswer"}]},
]


def test_light(worked, export):
    assert json.loads(export("ambignq-light")) == LIGHT
    assert list(json.loads(export("ambignq-light"))[0]) == ["id", "question", "annotations"]


def test_full(worked, export):
    one, two = json.loads(export("ambignq"))
    assert one == LIGHT[0] | {
        "viewed_doc_titles": ["Thames Tunnel", "Rotherhithe"],
        "used_queries": [
            {
                "query": "thames tunnel",
                "results": [
                    {"title": "Wapping", "snippet": "<b>Wapping</b>"},
                    {"title": "Thames Tunnel", "snippet": "<b>Thames Tunnel</b>"},
                    {"title": "Rotherhithe", "snippet": "<b>Rotherhithe</b>"},
                ],
            },
            {
                "query": "brunel",
                "results": [
                    {"title": "Marc Isambard Brunel", "snippet": "<b>Marc Isambard Brunel</b>"}
                ],
            },
        ],
        "nq_answer": ["1843"],
        "nq_doc_title": "Thames Tunnel",
    }
    assert two == LIGHT[1] | {
        "viewed_doc_titles": [],
        "used_queries": [],
        "nq_answer": [],
        "nq_doc_title": None,
    }


def test_the_date_of_a_revision_that_nobody_named_is_null(worked, export):
    ShownPage.objects.update(rev_timestamp=None)
    _, multiple, *_ = map(json.loads, export("annotations").splitlines())
    assert multiple["quotes"][0]["source"]["rev_timestamp"] is None


def test_annotations(worked, export, project, ann, ben):
    tunnel, _, quote = worked
    lines = [json.loads(line) for line in export("annotations").decode().split("\n") if line]
    assert [line["id"] for line in lines] == ["-77", "-77", "b"]
    single, multiple, none = lines
    assert none["response"] == {"type": "noAnswer", "reason": "No page says so."}
    assert single["person"] == none["person"] == derive_pseudonym(ann, scope=project.slug)
    assert single["response"]["answer"][1] == "in 1843 <b>“é”</b>\u2028"
    submitted = tunnel.tasks.get().assignments.get(user=ben)
    events = multiple.pop("events")
    assert multiple == {
        "schema_version": 1,
        "id": "-77",
        "question": "when did the thames tunnel open",
        "prompt": "When did the thames tunnel open?",
        "split": "dev",
        "stage": "generation",
        "task": submitted.task_id,
        "assignment": submitted.pk,
        "annotation": submitted.annotation.pk,
        "person": derive_pseudonym(ben, scope=project.slug),
        "used": True,
        "response": LIGHT[0]["annotations"][1],
        "quotes": [
            {
                "id": quote.pk,
                "exact": "25 March 1843",
                "prefix": "It opened on ",
                "suffix": ".",
                "position": {"start": 13, "end": 26, "unit": "codepoint"},
                "section": {"path": ["History", "Opening"], "anchor": "Opening"},
                "block": "paragraph",
                "headers": {},
                "made_by": "selection",
                "made_at": "2026-03-01T09:00:00+00:00",
                "source": {
                    "title": "Thames Tunnel",
                    "path": "Thames_Tunnel",
                    "page_id": 12,
                    "rev_id": 345,
                    "rev_timestamp": "2026-03-01T09:00:00+00:00",
                    "retrieved_at": "2026-03-01T09:00:00+00:00",
                    "url": "https://en.wikipedia.org/w/index.php?oldid=345",
                    "text_sha256": "ab" * 32,
                    "html_sha256": None,
                    "snapshot": project.snapshot.name,
                    "licence": "CC BY-SA",
                },
                "used_in": [{"pair": 1, "form": 1}],
            }
        ],
        "warnings_kept": [
            {"rule": "long_answer", "field": "answer-1", "reason": "It is the full date."}
        ],
        "feedback": "A good one.",
        "times": {
            "started": "2026-03-01T09:05:00+00:00",
            "submitted": "2026-03-01T09:09:00+00:00",
            "active_seconds": 200,
        },
        "guideline_version": 1,
        "snapshot": {
            "name": project.snapshot.name,
            "title": "English Wikipedia, 2 January 2024",
            "language": "en",
            "as_of": "2024-01-02",
            "licence": "CC BY-SA",
        },
    }
    assert [event["kind"] for event in events] == ["search", "page_open", "page_open", "quote"]
    assert events[3]["at"] == "2026-03-01T09:09:03+00:00"
    assert events[3]["data"] == {"quote": quote.pk, "target": "answer-1"}
    # Nobody's address, name or number.
    text = export("annotations").decode()
    assert not any(
        secret in text for person in (ann, ben) for secret in (person.email, person.name)
    )


def test_annotations_without_the_log(worked, export):
    full = [json.loads(line) for line in export("annotations").splitlines()]
    light = [json.loads(line) for line in export("annotations-light").splitlines()]
    quotes = [[quote for quote in each["quotes"] if quote["used_in"]] for each in full]
    for each in full:
        del each["events"], each["quotes"]
    assert [each.pop("quotes") for each in light] == quotes
    assert light == full


def test_only_the_split_that_is_asked_for(worked, export):
    assert json.loads(export("ambignq-light", "train")) == LIGHT[1:]
    assert json.loads(export("ambignq-light", "test")) == []
    assert export("annotations", "test") == b""


@pytest.mark.parametrize("format", OF_AMBIGQA)
def test_the_same_rows_give_the_same_bytes(worked, export, format):
    assert export(format) == export(format)


def test_what_is_left_out_of_the_data_is_only_in_the_raw_export(project, ann, ben, export):
    question = factories.make_question(project)
    submit(question, ann, pairs=[("", ["a"])], used=False)
    assert json.loads(export("ambignq-light")) == []
    submit(question, ben, pairs=[("", ["b"])], minutes=1)
    [record] = json.loads(export("ambignq-light"))
    assert record["annotations"] == [{"type": "singleAnswer", "answer": ["b"]}]
    lines = export("annotations").splitlines()
    assert [json.loads(line)["used"] for line in lines] == [False, True]


def test_unfinished_work_and_other_projects_stay_out(worked, project, ann, ben, export):
    before = export("ambignq-light")
    other = factories.make_project()
    submit(factories.make_question(other), ann, pairs=[("", ["x"])])
    factories.make_assignment(factories.make_task(project), ben, state="active")
    assert export("ambignq-light") == before


def test_people_have_other_pseudonyms_in_other_projects(project, ann):
    other = factories.make_project()
    assert derive_pseudonym(ann, scope=project.slug) != derive_pseudonym(ann, scope=other.slug)


def test_light_comes_back_in_as_questions(worked, export, tmp_path):
    path = tmp_path / "light.json"
    path.write_bytes(export("ambignq-light"))
    with path.open("rb") as file:
        found = [item.found for item in formats.read_records(file, "ambignq")]
    assert [record.external_id for record in found] == ["-77", "b"]
    assert found[0].context["annotations"] == LIGHT[0]["annotations"]


def test_only_staff_take_data_out(export, ann):
    with pytest.raises(Denied, match="Only researchers and admins"):
        export("annotations", by=ann)


@pytest.mark.parametrize("format", OF_AMBIGQA)
def test_queries_do_not_grow_with_the_records(project, ann, export, format):
    def queries(count):
        for _ in range(count):
            submit(
                factories.make_question(project),
                ann,
                pairs=[("", ["a"])],
                events=[opened("Thames Tunnel")],
            )
        with CaptureQueriesContext(connection) as found:
            export(format)
        return len(found)

    assert queries(1) == queries(20)


def test_many_chunks_are_one_file(project, ann, ben, export, monkeypatch):
    """Chunk borders fall inside questions and inside answers."""
    monkeypatch.setattr("annotation.generation.export._ROWS", 2)
    monkeypatch.setattr("annotation.generation.export._QUESTIONS_AT_ONCE", 2)
    monkeypatch.setattr("annotation.generation.annotations_export.AnnotationRelations.at_once", 2)
    monkeypatch.setattr(dataset, "BLOCK", 10)
    questions = [factories.make_question(project) for _ in range(5)]
    for question in questions:
        for minutes, person in enumerate([ann, ben]):
            pairs = [(f"Question {n}?", [f"{n}a", f"{n}b"]) for n in range(3)]
            submit(question, person, "multiple", pairs, minutes, [opened(f"Page {minutes}")])
    for format in ("ambignq-light", "ambignq"):
        found = json.loads(export(format))
        assert [record["id"] for record in found] == [each.external_id for each in questions]
        assert all(len(record["annotations"]) == 2 for record in found)
        assert all(
            [pair["answer"] for pair in annotation["qaPairs"]]
            == [["0a", "0b"], ["1a", "1b"], ["2a", "2b"]]
            for record in found
            for annotation in record["annotations"]
        )
    assert found[4]["viewed_doc_titles"] == ["Page 0", "Page 1"]
    lines = [json.loads(line) for line in export("annotations").splitlines()]
    assert len(lines) == 10
    assert all(len(line["events"]) == 1 for line in lines)


def test_further_quotes_of_a_form_are_listed_with_their_place(worked, ben, project, export):
    quote = worked[2]
    other = make_quote(quote.page, ben, exact="trains")
    answer = Answer.objects.get(quote=quote)
    answer.more_quotes.add(other)
    for name in ("annotations", "annotations-light"):
        records = [json.loads(line) for line in export(name).splitlines()]
        [found] = [each for each in records if each["response"]["type"] == "multipleQAs"]
        assert [(each["id"], each["used_in"]) for each in found["quotes"]] == [
            (quote.pk, [{"pair": 1, "form": 1}]),
            (other.pk, [{"pair": 1, "form": 1}]),
        ]
    assert set(proving_among(project, [quote, other])) == {quote.pk, other.pk}
    assert find_proof(project, other.pk)[0] == other


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte(worked, project):
    check_digests("ambigqa exports", project)
