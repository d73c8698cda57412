"""The exports that Label Studio and doccano wrote, into projects of each protocol that fits."""

import io

import pytest
from django.core.management import call_command

from qampari.models import Candidate, Evidence
from tests import factories
from validation.models import AcceptedAnswer

pytestmark = [pytest.mark.realdata, pytest.mark.django_db]
TASKS, RECORDS = "peers/labelstudio/export.json", "peers/doccano/questions.jsonl"


def bring(realdata, name, key, *args):
    """Import a file into a new project; return the project and what was said."""
    path = realdata / name
    if not path.exists():
        pytest.skip(f"{path} is missing")
    project = factories.make_project(protocol=key, policies=False)
    out = io.StringIO()
    call_command("import_questions", project.slug, str(path), *args, stdout=out, stderr=out)
    return project, out.getvalue()


@pytest.mark.parametrize(("name", "quotes"), [(TASKS, 3), (RECORDS, 0)])
def test_answers_become_known_answers_of_ambigqa(realdata, name, quotes):
    project, said = bring(realdata, name, "ambigqa")
    assert "4 created, 0 updated, 0 unchanged, 0 rejected." in said
    assert (f"{quotes} spans for which this protocol has no place" in said) == (quotes > 0)
    known = dict(project.questions.values_list("text", "known_answers"))
    assert known == {
        "When did the tunnel open?": ["25 March 1843", "7 December 1869"],
        "How long is the bridge?": ["1,280 m"],
        "Who designed it?": [],
        "Where is the crossing?": ["a firth", "a river"],
    }


@pytest.mark.parametrize("name", [TASKS, RECORDS])
def test_one_answer_is_finished_work_of_ambigqa_and_several_are_told_why_not(realdata, name):
    _, said = bring(realdata, name, "ambigqa", "--finished")
    assert "1 created, 0 updated, 0 unchanged, 3 rejected." in said
    assert said.count("2 answers and no question for each") == 2
    assert [each.text for each in AcceptedAnswer.objects.all()] == ["1,280 m"]


def test_answers_of_qampari_have_the_sentences_of_their_spans(realdata):
    _, said = bring(realdata, TASKS, "qampari")
    assert "3 created, 0 updated, 0 unchanged, 1 rejected." in said
    assert "Record 3, “3”: It has no answers." in said
    assert "Not taken" not in said
    names = Candidate.objects.order_by("question__external_id", "position")
    assert [each.text for each in names] == [
        *("25 March 1843", "7 December 1869", "1,280 m", "a firth", "a river")
    ]
    proofs = Evidence.objects.order_by("candidate__question__external_id")
    assert [(each.candidate.text, each.text) for each in proofs] == [
        (
            "25 March 1843",
            "The tunnel opened to people on foot on 25 March 1843 and to trains on 7 December "
            "1869.",
        ),
        ("1,280 m", "The bridge is 1,280 m long."),
        ("a firth", "It crosses a firth; the older one crosses a river."),
    ]


def test_passages_with_spans_are_refused_line_by_line(realdata):
    project, said = bring(realdata, "peers/doccano/spans.jsonl", "ambigqa")
    assert "0 created, 0 updated, 0 unchanged, 2 rejected." in said
    assert "Line 1: The text has spans and is no question" in said
    assert project.questions.count() == 0
