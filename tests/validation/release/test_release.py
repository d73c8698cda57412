"""What a release holds and leaves out, to the letter."""

import hashlib
import json

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.core.refusals import Conflict, Denied
from annotation.models import Annotation, AuditEntry, Question
from annotation.work import assignments
from tests import factories
from tests.annotation.exports.submissions import opened
from tests.digests import check_digests, same_each_time  # noqa: F401 - a fixture
from tests.validation.release.conftest import (
    AMBIGNQ,
    ambignq,
    log,
    pairs,
    record,
    single,
)
from validation.decisions import accepted_answers
from validation.decisions import services as decisions_services
from validation.models import Decision
from validation.release.services import start_release

pytestmark = pytest.mark.django_db

ANN = pairs(("When did it open to people?", "1843"), ("When did it open to trains?", "1869"))
BEN = pairs(("When did it open to walkers?", "1843", "in 1843"), ("When did it reopen?", "2010"))


def by_id(data):
    return {each["id"]: each for each in json.loads(data)}


def in_any_order(annotations):
    return sorted(annotations, key=json.dumps)


def test_what_stands_accepted_and_nothing_else(project, worked, released):
    found = by_id(released(project)[0])
    assert list(found) == ["train", "match", "both", "edited"]
    assert found["train"] == {
        "id": "train",
        "question": "When did it open?",
        "annotations": [single("1843", "in 1843")],
    }
    # Answers that match stand as each generator wrote them.
    again = pairs(
        ("When did it first open to people?", "1843"), ("When did it first open to trains?", "1869")
    )
    assert found["match"]["annotations"] == [ANN, again]
    # A validator found both correct: both stand, in the order of the validator's own columns.
    assert in_any_order(found["both"]["annotations"]) == in_any_order([ANN, BEN])
    [edited] = found["edited"]["annotations"]
    questions = [pair["question"].split("|") for pair in edited["qaPairs"]]
    assert sorted(questions[0]) == [
        "And when?",
        "When did it open to people?",
        "When did it open to walkers?",
    ]
    assert questions[0][-1] == "And when?"
    assert set(edited["qaPairs"][0]["answer"]) == {"1843", "in 1843"}
    assert edited["qaPairs"][1]["answer"][0] in ("1869!", "2010!")
    assert len(edited["qaPairs"]) == 3
    assert [list(each) for each in found.values()] == [["id", "question", "annotations"]] * 4


def test_the_manifest_counts_what_is_in_and_what_is_out(project, worked, released):
    data, manifest = released(project)
    newest = manifest.pop("newest_work")
    times = Decision.objects.filter(in_force=True).values_list("created_at", flat=True)
    assert newest == max(times).isoformat()
    assert manifest == {
        "schema_version": 1,
        "format": "ambignq-light",
        "split": None,
        "file": "data.json",
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "counts": {
            "questions": 4,
            "by_split": {
                "train": {"single": 1, "multiple": 0, "mixed": 0},
                "dev": {"single": 0, "multiple": 3, "mixed": 0},
                "test": {"single": 0, "multiple": 0, "mixed": 0},
            },
            "annotations": {"singleAnswer": 1, "multipleQAs": 5},
            "annotations_per_question": {"1": 2, "2": 2},
            "pairs": 11,
            "answers": 15,
            "decided_by": {"generators": 2, "validation": 2, "staff": 0, "import": 0},
        },
        "left_out": {
            "questions": {"excluded": 1, "skipped": 1, "unfinished": 3, "no_answer": 2},
            "annotations": {"no_answer": 0},
        },
        "project": {
            "slug": project.slug,
            "title": "Crossings pilot",
            "protocol": "ambigqa",
            "reference_date": "2017-12-31",
            "guideline_versions": [1],
        },
        "snapshot": {
            "name": project.snapshot.name,
            "title": "English Wikipedia, 2 January 2024",
            "language": "en",
            "as_of": "2024-01-02",
            "licence": "CC BY-SA",
        },
        "licence": "CC BY-SA",
        "software": {"name": "Ambit", "version": settings.VERSION},
    }


def test_everybody_s_pages_and_searches_are_merged(project, worked, released, ann, ben):
    found = by_id(released(project, "ambignq")[0])
    both = found["both"]
    assert list(both) == [
        "id",
        "question",
        "annotations",
        "viewed_doc_titles",
        "used_queries",
        "nq_answer",
        "nq_doc_title",
    ]
    # "A" is the page that the tests' generators open; what others had viewed before is not ours.
    assert both["viewed_doc_titles"] == ["A", "Tunnel", "Wapping", "Brunel"]

    def result(title):
        return {"title": title, "snippet": f"<b>{title}</b>"}

    assert both["used_queries"] == [
        {
            "query": "tunnel",
            "results": [result("Tunnel"), result("Wapping"), result("Rotherhithe")],
        },
        {"query": "brunel", "results": [result("Brunel")]},
    ]
    assert (both["nq_answer"], both["nq_doc_title"]) == (["1843"], "Tunnel")
    assert (found["train"]["nq_answer"], found["train"]["nq_doc_title"]) == ([], None)
    light = by_id(released(project)[0])
    assert {key: {k: each[k] for k in light[key]} for key, each in found.items()} == light
    for person in (ann, ben):
        assert person.name not in json.dumps(found)
        assert person.email not in json.dumps(found)


def test_only_the_split_that_is_asked_for(project, worked, released):
    data, manifest = released(project, split="train")
    assert list(by_id(data)) == ["train"]
    assert manifest["left_out"]["questions"] == {
        "excluded": 0,
        "skipped": 1,
        "unfinished": 0,
        "no_answer": 1,
    }
    data, manifest = released(project, split="test")
    assert data == b"[]\n"
    assert (manifest["newest_work"], manifest["counts"]["questions"]) == (None, 0)


def test_work_that_is_left_out_of_the_data_is_not_released(
    project, worked, released, ann, ben, rosa, now
):
    # The validator's decision no longer holds: the question is answered again.
    work = assignments.Assignment.objects.get(task__question=worked["both"], user=ben)
    assignments.soft_reject(assignment=work, note="Copied.", by=rosa, now=now)
    data, manifest = released(project)
    assert "both" not in by_id(data)
    assert manifest["left_out"]["questions"]["unfinished"] == 4


def test_no_answer_beside_an_answer_is_counted_not_written(
    project, ask, answer, released, ann, ben
):
    project.policies.filter(stage="validation").delete()
    from tests.validation.conftest import none, one

    ask("q")
    answer(project, ann, one("1843"))
    answer(project, ben, none())
    data, manifest = released(project)
    assert by_id(data)["q"]["annotations"] == [single("1843")]
    assert manifest["left_out"]["annotations"] == {"no_answer": 1}


def test_a_decision_of_staff_takes_the_place_of_the_validator_s(
    project, worked, released, rosa, now
):
    from validation.verdicts.queries import said_on
    from validation.verdicts.responses import AnswerRow, Form, ProposedSet, ValidationResult

    said = said_on([worked["both"].pk])[worked["both"].pk]
    row = AnswerRow("a", forms=(Form("25 March 1843"),))
    decisions_services.decide_question(
        question=worked["both"],
        result=ValidationResult((ProposedSet("single", (row,)),), "edit", excluded=False),
        said=said,
        source=Decision.Source.STAFF,
        by=rosa,
        now=now,
    )
    Question.objects.filter(pk=worked["both"].pk).update(state="edited")
    data, manifest = released(project)
    assert by_id(data)["both"]["annotations"] == [single("25 March 1843")]
    assert manifest["counts"]["decided_by"]["staff"] == 1


def test_a_decision_that_does_not_cover_what_is_there_is_not_released(project, worked, released):
    """As where a state was left behind: only the submissions can stand then."""
    decision = Decision.objects.get(question=worked["both"], in_force=True)
    Decision.objects.filter(pk=decision.pk).update(covers=decision.covers[:1])
    data, _ = released(project)
    assert by_id(data)["both"]["annotations"] == [ANN, BEN]


@pytest.mark.parametrize("format", AMBIGNQ)
def test_the_same_rows_give_the_same_bytes(project, worked, released, format, monkeypatch):
    first = released(project, format)
    assert released(project, format) == first
    monkeypatch.setattr(accepted_answers, "AT_ONCE", 2)
    assert released(project, format) == first


@pytest.mark.parametrize("format", AMBIGNQ)
def test_worked_released_imported_released(project, worked, released, bring_in, format):
    data, manifest = released(project, format)
    other = factories.make_project()
    for split in ("train", "dev"):
        part = released(project, format, split)[0]
        created, *rest, errors = bring_in(ambignq(*json.loads(part)), into=other, split=split)
        assert (created > 0, rest, errors) == (True, [0, 0, 0], [])
    again, second = released(other, format)
    assert again == data
    assert second["sha256"] == manifest["sha256"]
    assert second["counts"] == manifest["counts"] | {
        "decided_by": {"generators": 0, "validation": 0, "staff": 0, "import": 4}
    }
    assert second["project"]["guideline_versions"] == []


def test_our_own_pages_come_behind_those_of_the_file(project, released, bring_in, now, val):
    """A finished question that people here looked at for a claim keeps what came with it."""
    came = record(
        1,
        single("1843"),
        viewed_doc_titles=["Tunnel", "Tunnel", "Quay"],
        used_queries=[{"query": "tunnel", "results": [{"title": "T", "snippet": "s"}] * 2}],
        nq_answer=["1843", "1843"],
        nq_doc_title="Tunnel",
    )
    bring_in(ambignq(came))
    assert json.loads(released(project, "ambignq")[0]) == [came]
    question = Question.objects.get()
    task = factories.make_task(project, question, stage="validation")
    factories.make_assignment(task, val, state="submitted")
    log(question, val, opened("Quay"), opened("Pier"))
    log(
        question,
        val,
        (
            "search",
            {
                "query": "tunnel",
                "results": [
                    {"title": "T", "path": "T", "snippet": "other"},
                    {"title": "U", "path": "U", "snippet": "u"},
                ],
            },
        ),
    )
    [found] = json.loads(released(project, "ambignq")[0])
    assert found["viewed_doc_titles"] == ["Tunnel", "Tunnel", "Quay", "Pier"]
    assert found["used_queries"] == [
        {
            "query": "tunnel",
            "results": [*came["used_queries"][0]["results"], {"title": "U", "snippet": "u"}],
        }
    ]


def test_a_context_of_another_shape_does_not_stop_a_release(project, released, bring_in):
    bring_in(ambignq(record(1, single("1843"))))
    Question.objects.update(context={"viewed_doc_titles": "T", "used_queries": [{"query": 3}]})
    [found] = json.loads(released(project, "ambignq")[0])
    assert (found["viewed_doc_titles"], found["used_queries"]) == ([], [])


@pytest.mark.parametrize(("format", "most"), [("ambignq-light", 14), ("ambignq", 16)])
def test_queries_do_not_grow_with_the_questions(project, worked, released, bring_in, format, most):
    def queries():
        with CaptureQueriesContext(connection) as found:
            released(project, format)
        return len(found)

    before = queries()
    assert before <= most
    bring_in(ambignq(*[record(n, single("1843"), pairs(("Q?", "a"))) for n in range(100)]))
    assert queries() == before


def test_only_staff_release(project, ann, now):
    with pytest.raises(Denied, match="Only researchers and admins"):
        start_release(project=project, format="ambignq", split=None, by=ann, now=now)


def test_another_protocol_s_layout_is_refused(now, rosa):
    other = factories.make_project(protocol="asqa")
    with pytest.raises(Conflict, match="released as asqa"):
        start_release(project=other, format="ambignq", split=None, by=None, now=now)


def test_a_release_is_logged(project, rosa, now):
    start_release(project=project, format="ambignq", split="dev", by=rosa, now=now)
    entry = AuditEntry.objects.get(action="released")
    assert (entry.actor, entry.data) == (rosa.pk, {"format": "ambignq", "split": "dev"})


def test_the_manifest_waits_for_the_data(project, now):
    release = start_release(project=project, format="ambignq", split=None, by=None, now=now)
    with pytest.raises(RuntimeError, match="not been read"):
        release.build_manifest("x.json")


def test_the_card_says_how_many_and_who_decided(project, worked, now):
    release = start_release(project=project, format="ambignq-light", split=None, by=None, now=now)
    data = b"".join(release.blocks())
    card = release.build_card("data.json").decode()
    assert card.startswith("---\npretty_name: Crossings pilot\n")
    assert "\n---\n\n# Crossings pilot\n" in card
    for words in (
        f"File `data.json`: {len(data):,} bytes, SHA-256 `{hashlib.sha256(data).hexdigest()}`",
        "as of 2 January 2024",
        "answered as of 31 December 2017",
        "Guideline versions read: 1.",
        "| Generation | dev | 2 |",
        "| Validation | dev | 1 |",
        "| train | 1 | 0 | 0 |",
        "| dev | 0 | 3 | 0 |",
        "1 annotation with one answer and 5 with several, these with 11 pairs",
        "- 2: a validator",
        "- 3 questions not yet answered or not yet validated",
        "CC BY-SA",
        "| `annotations` |",
    ):
        assert words in card, words
    assert "None" not in card
    assert not any(
        name in card for name in Annotation.objects.values_list("author__name", flat=True)
    )


def test_the_card_of_imported_work_claims_nothing_of_its_making(project, bring_in, now):
    bring_in(ambignq(record(1, single("1843"))))
    release = start_release(project=project, format="ambignq", split=None, by=None, now=now)
    b"".join(release.blocks())
    card = release.build_card("data.json").decode()
    assert "Imported as finished work: 1 of 1 question." in card
    assert "People searched" not in card
    assert "checked by rules" not in card
    assert "Wikipedia" not in card
    assert "Nothing." in card


def test_texts_of_any_language_and_length_in_bytes(project, released, bring_in):
    texts = ["“é”\u2028", "日本", " a ", "a\tb", "𝔘", "-7", "<b>&amp;</b>"]
    came = record(1, single(*texts), pairs((" Who ? |who?", *texts), ("|a||b|", "x")))
    came["question"] = " who "
    bring_in(ambignq(came))
    data, manifest = released(project)
    assert json.loads(data) == [came]
    assert manifest["bytes"] == len(data) > len(data.decode())


@pytest.mark.usefixtures("same_each_time")
def test_no_file_changes_by_a_byte(project, worked, bring_in, ann):
    """Every layout and export, with work of the project and work that came in finished."""
    project.policies.create(stage="validation", split="test", people=1)
    project.rule_settings = {"longest_answer": 5}
    project.title = "Crossings | of *all* kinds"
    project.save()
    tunnel, bridge = (
        factories.make_shown(project.snapshot, title, f"<p>{text}</p>", rev_id=rev_id)
        for title, text, rev_id in (("Tunnel", "It opened in 1843.", 7), ("Bridge", "Ah.", None))
    )
    for page in (bridge, tunnel):
        log(worked["both"], ann, opened(page.title, shown=page.pk))
    queries = [{"query": "tunnel", "results": [{"title": "Tunnel", "snippet": "<b>Tunnel</b>"}]}]
    seen = {"viewed_doc_titles": ["Tunnel"], "used_queries": queries, "nq_answer": ["1843"]}
    for split, number in (("dev", 1), ("test", 2), ("train", 3)):
        mixed = record(
            number, single("1843", "“é”"), pairs(("When?|And when?", "1", "one")), **seen
        )
        bring_in(ambignq(mixed, record(10 * number, single("1900"))), split=split)
    check_digests("ambigqa", project)
