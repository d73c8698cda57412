"""Judge models in the studies of AmbigQA, QAMPARI and Natural Questions, as in those of ASQA."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone
from lxml import html

from modeling.judges.prompts import PROMPT
from tests import factories
from tests.evaluation.factories import (
    CRITERIA,
    LEFT,
    RIGHT,
    make_item,
    make_output,
    make_study,
    make_system,
    open_items,
)
from tests.natural_questions import page as nq
from tests.qampari import factories as qampari

pytestmark = pytest.mark.django_db
QUESTIONS = {
    "ambigqa": factories.make_question,
    "qampari": lambda project: qampari.make_question(project, timezone.now()),
    "nq": nq.make_question,
}
FORMS = {
    ("all", "judge"): ["choice-1", "choice-2", "choice-3"],
    ("expert", "expert"): ["verdict"],
}


@pytest.fixture(params=QUESTIONS)
def project(request):
    return factories.make_project(protocol=request.param, policies=False)


@pytest.fixture
def question(project):
    return QUESTIONS[project.protocol](project)


def make_judged(question, pairing):
    """Return the only item of a running study of two systems, or of one for experts."""
    names = ("Amber", "Blue")[: 1 if pairing == "expert" else 2]
    systems = [make_system(question.project, name) for name in names]
    for system, text in zip(systems, (LEFT, RIGHT), strict=False):
        make_output(system, question, text)
    study = make_study(question.project, systems, pairing=pairing)
    item = make_item(study, question, *systems)
    open_items(study)
    return item


def read_page(client, item, role):
    """Return what somebody with a role reads on their page of an item."""
    rater = factories.make_member(item.question.project, role)
    task = item.question.tasks.get(unit=item.unit)
    client.force_login(rater)
    address = reverse("work-page", args=[factories.make_assignment(task, rater).pk])
    return " ".join(html.fromstring(client.get(address).content).text_content().split())


@pytest.mark.parametrize(("pairing", "role"), FORMS)
def test_each_item_is_asked_in_the_words_of_its_page_and_judged(
    question, pairing, role, judging, add, run, client
):
    item = make_judged(question, pairing)
    shown = read_page(client, item, role)
    judge = add(item.study)
    assert run(judge).state == "done"

    sent = [json.loads(body["messages"][1]["content"]) for body in judging.chat.bodies]
    orders = [list(asked["answers"].values()) for asked in sent]
    assert orders[1:] == ([] if pairing == "expert" else [orders[0][::-1]])
    for asked in sent:
        assert [row["field"] for row in asked["form"]] == FORMS[pairing, role]
        for words in (asked["question"], *asked["answers"], *asked["answers"].values()):
            assert words in shown
        for row in asked["form"]:
            assert row["asked"] in shown
            assert all(words in shown for words in row["options"])
        assert asked.keys() == {"question", "answers", "form"}
    said = list(judge.judgments.order_by("swapped"))
    assert [row.outcome for row in said] == ["judged"] * len(orders)
    if pairing == "expert":
        assert said[0].response["verdict"] == "correct"
    else:
        for row in said:
            assert [each["better"] for each in row.response["choices"]] == ["left"] * len(CRITERIA)
    assert judge.prompt == PROMPT


def test_their_pages_show_the_panels(question, judging, add, run, rosa, client):
    item = make_judged(question, "all")
    run(add(item.study))
    client.force_login(rosa)
    for name in ("study-view", "study-results"):
        page = client.get(reverse(name, args=[question.project.slug, item.study.pk]))
        assert (page.status_code, "Judge models" in page.content.decode()) == (200, True)
