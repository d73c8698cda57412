"""Releases as Label Studio and doccano take them: what fits comes back through our own import."""

import io
import json

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from annotation.imports.doccano import parse_record as parse_labelled
from annotation.imports.label_studio import parse_record as parse_task
from annotation.imports.services import import_questions
from qampari.peer_release import LABEL_STUDIO_TASKS
from qampari.peers import list_peer_answers
from qampari.records import of_context
from qampari.release import ReleaseRow
from tests import factories
from tests.annotation.imports import peer_files
from tests.qampari.factories import record as list_record
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.release.peer_records import build_config, build_labelled, build_task
from validation.release.services import start_release

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Co"]), min_size=1
).filter(str.strip)
FORMS = st.lists(WORDS, min_size=1, max_size=3, unique=True)
ASKED = st.lists(WORDS.filter(lambda text: "|" not in text), min_size=1, max_size=2).map("|".join)
PAIRS = st.lists(st.fixed_dictionaries({"question": ASKED, "answer": FORMS}), min_size=1)
ANNOTATIONS = st.lists(
    st.builds(lambda answer: {"type": "singleAnswer", "answer": answer}, FORMS)
    | st.builds(lambda found: {"type": "multipleQAs", "qaPairs": found}, PAIRS),
    min_size=1,
    max_size=3,
)
IDS = WORDS.filter(lambda text: text.isprintable() and len(text) <= 200)
SPLITS = st.sampled_from(["train", "dev", "test"])
PROOFS = st.builds(
    lambda text, url, pid: {"proof_text": text, "found_in_url": url, "pid": pid},
    *(WORDS, st.sampled_from(["", "https://w.example/A"]), st.sampled_from(["", "p1"])),
)
ANSWERS = st.builds(
    lambda forms, proofs, aid, url: {
        **{"answer_text": forms[0], "aliases": forms, "proof": proofs},
        **({"aid": aid} if aid else {}),
        **({"answer_url": url} if url else {}),
    },
    *(FORMS, st.lists(PROOFS, max_size=3, unique_by=str), st.sampled_from(["", "a1"])),
    st.sampled_from(["", "https://w.example/B"]),
)


@given(IDS, WORDS, SPLITS, ANNOTATIONS)
def test_a_task_gives_back_all_that_is_accepted(key, question, split, annotations):
    task = json.dumps(build_task(key, question, split, annotations)).encode()
    found = parse_task(task)
    assert (found.external_id, found.text, found.split) == (key, question, split)
    assert found.context == {"annotations": annotations}
    assert found.not_taken == ()


@given(IDS, WORDS, SPLITS, st.lists(WORDS.map(str.strip), max_size=5, unique=True))
def test_a_record_of_doccano_gives_back_its_list(key, question, split, answers):
    found = parse_labelled(json.dumps(build_labelled(key, question, split, answers)).encode())
    assert (found.external_id, found.text, found.split) == (key, question, split)
    assert list(found.known_answers) == answers
    assert found.not_taken == ()


@given(WORDS, st.lists(ANSWERS, min_size=1, max_size=4), st.data())
def test_a_list_comes_back_with_aliases_evidence_and_addresses(question, answers, data):
    kept = data.draw(st.sets(st.integers(0, len(answers) - 1)))
    row = ReleaseRow("7__other__dev", question, "dev", {"answer_list": answers}, "", kept)
    [task] = LABEL_STUDIO_TASKS.records([row])
    found = parse_task(json.dumps(task).encode())
    assert found.not_taken == ()
    rows = list_peer_answers(found).context["answer_list"]
    expected = [answer for place, answer in enumerate(answers) if place in kept]
    both = [
        of_context("q", "q", {"answer_list": each}).answers if each else ()
        for each in (rows, expected)
    ]
    assert both[0] == both[1]


def test_the_interface_has_a_place_for_each_answer():
    view = etree.fromstring(build_config(3, evidence=True))
    areas = [each.get("name") for each in view.iter("TextArea")]
    assert areas == [
        *("answer_1", "question_1", "answer_2", "question_2", "answer_3", "question_3")
    ]
    shown = {each.get("name"): each.get("value") for each in view.iter("Text")}
    assert shown == {"question": "$question", "context": "$context"}
    assert [each.get("toName") for each in view.iter("Labels")] == ["context"]
    assert build_config(0, evidence=False).count(b"TextArea") == 2


def test_tasks_have_the_keys_and_kinds_of_label_studios_own_export():
    quote = {"text": "It opened in 1843.", "url": "u", "pid": ""}
    answer = {"type": "singleAnswer", "answer": ["1843"], "quotes": [quote]}
    ours = build_task("a", "When?", "dev", [answer], evidence=True)
    theirs = peer_files.task(
        1, peer_files.annotation(peer_files.write("answer", "1843"), peer_files.mark(0, 2))
    )
    assert ours.keys() <= theirs.keys()
    [annotation], [their_annotation] = ours["annotations"], theirs["annotations"]
    assert annotation.keys() - their_annotation.keys() == {"ground_truth"}
    for result, their in zip(annotation["result"], their_annotation["result"], strict=True):
        assert their.keys() <= result.keys()
        assert result["type"] == their["type"]
        assert result["value"].keys() == their["value"].keys()
    assert "completed_by" not in json.dumps(ours)  # nobody's name or number goes along


def release(project, key):
    found = start_release(
        project=project, format=key, split=None, by=None, now=timezone.now(), tables=None
    )
    data = b"".join(found.blocks())
    companions = found.build_companions("data")
    found.close()
    return data, companions


@pytest.mark.django_db
def test_a_project_goes_out_as_tasks_and_comes_into_another_the_same(project, bring_in, now):
    several = pairs(("When to walkers?|On foot?", "1843", "in 1843"), ("When to trains?", "1869"))
    bring_in(ambignq(record(1, several), record(2, single("Ada"), several)))
    bring_in(ambignq(record(3, single("𝔘 1", "b"))), split="test")
    tasks, companions = release(project, "label-studio")
    assert companions[".config.xml"].count(b"TextArea") == 4
    other = factories.make_project("other", policies=False)
    tally = import_questions(
        project=other,
        file=io.BytesIO(tasks),
        format="label-studio",
        split=None,
        finished=True,
        by=None,
        now=now,
    )
    assert (tally.created, tally.rejected, tally.not_taken) == (3, 0, {})
    assert release(other, "ambignq-light")[0] == release(project, "ambignq-light")[0]


@pytest.mark.django_db
def test_a_list_goes_out_and_comes_in_again_the_same(now):
    projects = [
        factories.make_project(name, protocol="qampari", policies=False) for name in ("one", "two")
    ]
    rows = [list_record(1), list_record(2)]
    file = "\n".join(map(json.dumps, rows)).encode()
    known = {"by": None, "now": now, "finished": True, "split": "dev"}
    import_questions(project=projects[0], file=io.BytesIO(file), format="qampari", **known)
    tasks, companions = release(projects[0], "label-studio")
    assert b"$context" in companions[".config.xml"]
    tally = import_questions(
        project=projects[1], file=io.BytesIO(tasks), format="label-studio", **known
    )
    assert (tally.created, tally.rejected, tally.not_taken) == (2, 0, {})
    before, after = (
        [json.loads(line) for line in release(each, "qampari")[0].splitlines()] for each in projects
    )
    texts = [
        [(each["qid"], each["question_text"], of_context("q", "q", each).answers) for each in found]
        for found in (before, after)
    ]
    assert texts[0] == texts[1]


@pytest.mark.django_db
def test_labels_of_doccano_come_into_another_project_as_known_answers(project, bring_in, now):
    several = pairs(("When to walkers?", "1843"), ("When to trains?", "1869"))
    bring_in(ambignq(record(1, several)))
    lines, _ = release(project, "doccano")
    assert json.loads(lines) == {
        "text": "When was bridge 1 built?",
        "label": ["1843", "1869"],
        "question_id": "r1",
        "split": "dev",
    }
    other = factories.make_project("other", policies=False)
    import_questions(
        project=other, file=io.BytesIO(lines), format="doccano", split=None, by=None, now=now
    )
    [question] = other.questions.all()
    assert (question.external_id, question.split) == ("r1", "dev")
    assert question.known_answers == ["1843", "1869"]
