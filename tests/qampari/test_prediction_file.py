"""The file of QAMPARI's scorer: every form of it comes in, and what went out comes back."""

import io
import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Output, System
from evaluation.systems.downloads import OFFICIAL, stream_answers
from evaluation.systems.services import import_outputs
from qampari.prediction_file import is_predictions
from tests.factories import make_member
from tests.qampari import factories

pytestmark = pytest.mark.django_db
LISTS = (["Kelso town", "Leeds#1", " Leeds#1"], ["Wells"])


@pytest.fixture
def project():
    return factories.make_project()


@pytest.fixture
def names(project):
    now = timezone.now()
    return [factories.make_question(project, now).external_id for _ in range(2)]


def take(project, content, name="Reader"):
    file = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    return import_outputs(
        project=project, file=file, name=name, kind="model", by=None, now=timezone.now()
    )


def stored(system):
    rows = system.outputs.order_by("pk").values_list("question__external_id", "text", "details")
    return [tuple(row) for row in rows]


def records(names, key):
    return [{key: name, "predictions": list(rows)} for name, rows in zip(names, LISTS, strict=True)]


def test_every_form_of_the_file_is_read(project, names):
    forms = {
        "object": json.dumps(dict(zip(names, LISTS, strict=True)), indent=1),
        "array": json.dumps(records(names, "id")),
        "lines": "".join(json.dumps(row) + "\n" for row in records(names, "qid")),
        "first": json.dumps([{"predictions": row["predictions"], "qid": row["qid"]} for row in
                             records(names, "qid")]),
        "marked": "\ufeff" + json.dumps(records(names, "qid")),
    }  # fmt: skip
    for name, content in forms.items():
        system, report = take(project, content, name)
        assert (report.created, report.refused) == (2, 0), name
        assert stored(system) == [
            (names[0], "Kelso town\nLeeds#1\nLeeds#1", {"answers": LISTS[0]}),
            (names[1], "Wells", {"answers": LISTS[1]}),
        ], name


def test_what_went_out_comes_back(project, names):
    system, _ = take(project, json.dumps(dict(zip(names, LISTS, strict=True))))
    Output.objects.filter(question__external_id=names[1]).update(
        text="Wells # Ripon", details={"passages": ["Wells."]}
    )
    again, report = take(project, b"".join(stream_answers(system, OFFICIAL)), "Again")
    assert report.refused == 0
    assert [details["answers"] for _, _, details in stored(again)] == [
        LISTS[0],
        ["Wells", "Ripon"],
    ]


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ("Kelso", "“predictions” should be a list, and is “Kelso”."),
        (["Kelso", 3], "“predictions” should be text in quotes, and is the number 3."),
        ([], "no text"),
        ([" "], "no text"),
        (["x"] * 2_001, "It has 2,001 answers. The maximum is 2,000."),
        (["x" * 50_001], "Its list has 50,001 characters. The maximum is 50,000."),
    ],
)
def test_a_list_that_cannot_be_taken_is_named(project, names, answers, why):
    _, report = take(project, json.dumps({names[0]: ["Kelso"], names[1]: answers}))
    assert (report.created, report.refused) == (1, 1)
    assert why in report.lines[0]["reason"]


def test_texts_by_id_are_read_as_before(project, names):
    system, _ = take(project, json.dumps({names[0]: "Kelso\nLeeds"}))
    assert stored(system) == [(names[0], "Kelso\nLeeds", {})]


@pytest.mark.parametrize(
    "beginning", [b"", b"{", b'{"id": "1", "answer": "x"}', b'["a"]', b"[[", b'{"a": {"b": []}}']
)
def test_other_files_are_not_taken_for_predictions(beginning):
    assert not is_predictions(beginning)


def test_pages_lead_to_studies_systems_and_scores(project, names, client_as):
    system, _ = take(project, json.dumps({names[0]: ["Kelso"]}))
    staff = client_as(make_member(project, "researcher"))

    def links(name, *args):
        return staff.get(reverse(name, args=[project.slug, *args])).content.decode()

    def address(name, *args):
        return f'href="{reverse(name, args=[project.slug, *args])}'

    near = re.findall(r'href="(/projects/[^"]+)"', links("project-overview"))
    pages = [staff.get(each, follow=True).content.decode() for each in dict.fromkeys(near)]
    assert any(address("study-list") in page for page in pages)
    assert address("system-list") in links("study-list")
    assert address("system-scores") in links("system-list")
    assert address("system-run") in links("system-list")
    assert "QAMPARI" in links("system-view", system.pk)
    assert re.search(r'value="as_is"\s+selected', links("study-new"))  # a line for each answer
    assert System.objects.count() == 1
