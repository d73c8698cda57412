"""Releases of long answers: the record to the letter, what is left out, manifest and card."""

import hashlib
import json
from dataclasses import replace

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.long_answers.response import Piece
from annotation.models import Concern, LongAnswer, Question
from annotation.sheets.fields import Keep
from annotation.work import assignments
from tests import factories
from tests.annotation.long_answers import helpers
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.validation.release.long_answers import finished, out, record, shown
from validation.decisions import accepted_long_answers

pytestmark = pytest.mark.django_db

SHORT = "Walkers used it from 25 March 1843 and trains from 7 December 1869."


@pytest.fixture
def project(db):
    return helpers.make_project(people=1)


@pytest.fixture
def asked(project, now):
    """asked(id, …): a question with its task."""

    def asked(external_id, **fields):
        return helpers.open_question(project, now, external_id=external_id, **fields)

    return asked


@pytest.fixture
def write(project, ann, now):
    """write(**response): ann's long answer to the next question, every warning kept."""

    def write(by=ann, **fields):
        turn = helpers.take(project, by, now)
        response = helpers.response(**fields)
        found = factories.report_on(turn, response, now).findings
        keeps = [Keep(f.rule, f.field, "I am sure") for f in found if f.level == "warning"]
        response = replace(response, keeps=tuple(keeps))
        assignments.submit_response(assignment=turn, response=response, by=by, now=now)
        turn.refresh_from_db()
        return turn

    return write


def test_what_was_written_here_to_the_letter(project, asked, write, now, ann):
    question = asked("q1", text="when did the thames tunnel open")
    shown(question, 0, now, text="Not needed: the file has one.")
    shown(question, 1, now)
    write(text=f"{SHORT}\n\nSo it opened twice.", knowledge=(Piece("It cost much.", "Tunnel"),))
    data, _, _ = out(project)
    first, second = helpers.TUNNEL["qa_pairs"]
    expected = {
        "dev": {
            "q1": {
                "ambiguous_question": "When did the thames tunnel open?",
                "qa_pairs": [
                    first,
                    second
                    | {
                        "context": "Trains ran from 7 December 1869.",
                        "wikipage": "East London line",
                    },
                ],
                "wikipages": helpers.TUNNEL["wikipages"],
                "annotations": [
                    {
                        "long_answer": f"{SHORT}\n\nSo it opened twice.",
                        "knowledge": [{"content": "It cost much.", "wikipage": "Tunnel"}],
                    }
                ],
            }
        }
    }
    assert json.loads(data) == expected
    # The order of keys is that of the released files too.
    assert json.dumps(json.loads(data)) == json.dumps(expected)
    assert not any(word in data.decode() for word in (ann.name, ann.email))


def test_paragraphs_that_nobody_was_shown_stay_out(project, asked, write, now):
    shown(asked("q1"), 1, now, shown=False)
    write()
    pair = json.loads(out(project)[0])["dev"]["q1"]["qa_pairs"][1]
    assert (pair["context"], pair["wikipage"]) == (None, None)


def test_without_inputs_the_disambiguations_are_there_all_the_same(project, asked, write, now):
    project.policies.update(inputs="question")
    shown(asked("q1"), 1, now)
    write()
    found = json.loads(out(project)[0])["dev"]["q1"]
    assert found["qa_pairs"] == helpers.TUNNEL["qa_pairs"]
    assert found["wikipages"] == helpers.TUNNEL["wikipages"]
    asked("plain", context={})
    write()
    found = json.loads(out(project)[0])["dev"]["plain"]
    assert (found["qa_pairs"], found["wikipages"]) == ([], [])


def test_what_came_in_finished_is_not_touched(project, now):
    finished(project, now, dev={"a": record("  who ")})
    shown(Question.objects.get(), 0, now)
    assert json.loads(out(project)[0]) == {"dev": {"a": record("  who ")}}


def test_splits_in_their_order_and_questions_as_they_came(project, now):
    finished(project, now, test={"t": record()}, dev={"d2": record(), "d1": record()})
    finished(project, now, train={"r": record()}, dev={"d0": record("Why?", ["b", "a", "b"])})
    found = json.loads(out(project)[0])
    assert [(split, list(records)) for split, records in found.items()] == [
        ("train", ["r"]),
        ("dev", ["d2", "d1", "d0"]),
        ("test", ["t"]),
    ]
    assert [each["long_answer"] for each in found["dev"]["d0"]["annotations"]] == ["b", "a", "b"]
    assert json.loads(out(project, "dev")[0]) == {"dev": found["dev"]}


def test_nothing_is_an_object_too(project):
    assert out(project)[0] == b"{}\n"
    assert out(project, "dev")[0] == b'{"dev": {}}\n'
    assert "## Counts" in out(project)[2]


def test_layout_in_lines(project, now):
    finished(project, now, train={"a": record()}, dev={"b": record(), "c": record()})
    lines = out(project)[0].decode().splitlines()
    assert [line[:12] for line in lines] == [
        '{"train": {',
        '"a": {"ambig',
        "},",
        '"dev": {',
        '"b": {"ambig',
        '"c": {"ambig',
        "}}",
    ]


@pytest.fixture
def everything(project, asked, write, now, ann, ben, rosa):
    """A question for each end there is."""
    asked("written")
    write(
        said=(helpers.said(1, "by rail later"),), text="It opened on 25 March 1843, by rail later."
    )
    excluded = asked("excluded")
    write()
    Concern.objects.create(
        question=excluded,
        author=ann,
        reason="The disambiguations are one.",
        disambiguations=[1],
        state="upheld",
        note="Both disambiguations are the same.",
        decided_by=rosa,
        decided_at=now,
        created_at=now,
    )
    Question.objects.filter(pk=excluded.pk).update(state="excluded")
    doubted = asked("doubted")
    write()
    Concern.objects.create(question=doubted, author=ann, reason="Hm.", created_at=now)
    Question.objects.filter(pk=doubted.pk).update(state="flagged")
    asked("left-out")
    work = write()
    assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
    asked("new", split="train")
    finished(project, now, test={"came": record("Who?", ["One.", "Two words."])})
    return project


def test_the_manifest_counts_what_is_in_and_what_is_out(everything, now):
    data, manifest, _ = out(everything)
    assert [list(records) for records in json.loads(data).values()] == [["written"], ["came"]]
    newest = manifest.pop("newest_work")
    assert newest == LongAnswer.objects.latest("created_at").created_at.isoformat()
    assert manifest.pop("snapshot")["name"] == everything.snapshot.name
    assert manifest == {
        "schema_version": 1,
        "format": "asqa",
        "split": None,
        "file": "data.json",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "counts": {
            "questions": 2,
            "by_split": {
                "train": {"questions": 0, "annotations": 0},
                "dev": {"questions": 1, "annotations": 1},
                "test": {"questions": 1, "annotations": 2},
            },
            "annotations": 3,
            "annotations_per_question": {"1": 1, "2": 1},
            "disambiguations": 4,
            "disambiguations_per_question": {"2": 2},
            "short_answers": 6,
            "contexts": 1,
            "wikipages": 3,
            "words": 12,
            "knowledge": 3,
            "overrides": 1,
            "written_by": {"writers": 1, "import": 1},
            "writers_were_given": {"full": 1, "question": 0},
        },
        "left_out": {
            "questions": {"excluded": 1, "concern_open": 1, "skipped": 0, "unfinished": 2},
            "excluded": [
                {
                    "id": "excluded",
                    "split": "dev",
                    "reasons": ["Both disambiguations are the same."],
                }
            ],
        },
        "project": {
            "slug": everything.slug,
            "title": "Crossings pilot",
            "protocol": "asqa",
            "reference_date": "2017-12-31",
            "guideline_versions": [1],
        },
        "licence": "CC BY-SA",
        "software": {"name": "Ambit", "version": settings.VERSION},
    }


def test_the_card_says_how_it_was_made(everything, ann):
    data, _, card = out(everything)
    assert "\n---\n\n# Crossings pilot\n" in card
    for words in (
        "2 ambiguous questions, and 3 long answers",
        f"{len(data):,} bytes, SHA-256 `{hashlib.sha256(data).hexdigest()}`",
        "as of 2 January 2024",
        "Guideline versions read: 1.",
        "Imported as finished work: 1 of 2 questions.",
        "| split | writers for each question |",
        "| test | 1 | 2 |",
        "4 disambiguations, 1 with a context paragraph: 2 questions with 2.",
        "They have 4.0 words on average, and 1.0 pieces of knowledge.",
        "At 1 place a long answer says a short answer in other words",
        "- 2 questions not yet answered",
        "- 1 question with a concern that is not yet decided",
        "The manifest lists what was decided on each excluded question.",
        "| `annotations` |",
    ):
        assert words in card, words
    assert not any(word in card for word in ("None", ann.name, "Copied", "Hm."))


def test_what_writers_were_given_is_counted_as_it_was(project, asked, write, now):
    asked("full"), asked("alone")
    write()
    project.policies.update(inputs="question")
    write()
    project.policies.update(inputs="full")
    _, manifest, card = out(project)
    assert manifest["counts"]["writers_were_given"] == {"full": 1, "question": 1}
    assert "The writers of 1 long answer were given the question alone" in card


def test_a_changed_policy_changes_no_release(project, asked, write, now):
    shown(asked("q1"), 1, now)
    write()
    before = out(project)[0]
    project.policies.update(inputs="question")
    assert out(project)[0] == before


def test_the_card_of_imported_work_claims_nothing_of_its_making(project, now):
    finished(project, now, dev={"a": record()})
    card = out(project)[2]
    assert "Imported as finished work: 1 of 1 question." in card
    assert not any(words in card for words in ("Writers were given", "checked by rules", "CC BY"))
    assert "Nothing.\n" in card


def test_the_same_rows_give_the_same_bytes(everything, monkeypatch):
    first = out(everything)
    assert out(everything) == first
    monkeypatch.setattr(accepted_long_answers, "AT_ONCE", 1)
    assert out(everything) == first


def test_released_imported_and_released_again(everything, now):
    data, _, _ = out(everything)
    other = helpers.make_project()
    assert finished(other, now, **json.loads(data)).errors == []
    assert json.loads(out(other)[0]) == json.loads(data)


def test_statements_do_not_grow_with_the_questions(everything, now):
    def queries():
        with CaptureQueriesContext(connection) as found:
            out(everything)
        return len(found)

    before = queries()
    assert before <= 14
    finished(everything, now, dev={str(number): record() for number in range(100)})
    assert queries() == before


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte(everything, asked, write, now, ann):
    everything.policies.filter(split="dev").update(inputs="question")
    everything.title = "Tunnels [long] <answers>"
    everything.save()
    shown(asked("alone"), 1, now)
    write(knowledge=(Piece("It cost much.", "Tunnel"),))
    finished(everything, now, dev={"d": record("Why?", ["b", "a"])}, train={"t": record("1 | 2")})
    check_digests("asqa", everything)


@pytest.mark.usefixtures("same_each_time")
def test_no_file_of_imported_work_changes_by_a_byte(project, now):
    finished(project, now, dev={"a": record()})
    check_digests("asqa imported", project)
