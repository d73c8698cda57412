"""Lists of the API a page at a time: each page looks at a bounded number of rows, and leads on."""

import base64

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Question
from annotation.rest.base import ByKey
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(client_as, rosa, project):
    """pages("questions/?split=dev", "next"): the pages from an address on."""

    def pages(address, way="next"):
        client, found = client_as(rosa), []
        address = f"/api/v1/projects/{project.slug}/{address}"
        while address:
            found.append(client.get(address).json())
            address = found[-1][way]
        return found

    return pages


def ids(*pages):
    return [row["id"] for page in pages for row in page["results"]]


def test_with_a_filter_a_page_may_be_empty_and_leads_on(pages, project, monkeypatch):
    monkeypatch.setattr(ByKey, "looks_at", 4)
    for number in range(11):
        factories.make_question(project, split="test" if number in (1, 9) else "dev")
    first, second, third = pages("questions/?split=test&page_size=2")
    names = Question.objects.filter(split="test").order_by("pk")
    assert ids(first) + ids(third) == [question.external_id for question in names]
    assert len(ids(first)) == 1
    assert ids(second) == []
    assert first["previous"] is None
    assert third["next"] is None
    back = pages(third["previous"].partition(f"{project.slug}/")[2], "previous")
    assert [ids(page) for page in back] == [[], ids(first)]


@pytest.mark.parametrize("name", ["questions", "assignments"])
def test_every_row_is_on_one_page_there_and_back(pages, project, ann, monkeypatch, name):
    monkeypatch.setattr(ByKey, "looks_at", 3)
    other = factories.make_project()
    for _ in range(7):
        factories.make_assignment(factories.make_task(project), ann, state="submitted")
        factories.make_assignment(factories.make_task(other), ann, state="submitted")
    [everything] = pages(f"{name}/?page_size=100")
    assert len(everything["results"]) == 7
    there = pages(f"{name}/?page_size=2")
    assert ids(*there) == ids(everything)
    back = pages(there[-1]["previous"].partition(f"{project.slug}/")[2], "previous")
    assert ids(*back[::-1]) == ids(everything)[: -len(ids(there[-1]))]


def test_people_see_their_own_turns_of_this_project(client_as, project, ann, ben):
    mine = [
        factories.make_assignment(factories.make_task(project), ann, state="submitted")
        for _ in range(3)
    ]
    factories.make_assignment(factories.make_task(project), ben, state="submitted")
    factories.make_assignment(factories.make_task(factories.make_project()), ann, state="submitted")
    address = f"/api/v1/projects/{project.slug}/assignments/?page_size=2"
    client, seen = client_as(ann), []
    while address:
        page = client.get(address).json()
        seen += ids(page)
        address = page["next"]
    assert seen == [turn.pk for turn in mine]


@pytest.mark.parametrize("position", ["5", "1.2.3", f"{'9' * 17}.1", f"1.{'9' * 19}", "1."])
def test_a_position_that_is_no_key_is_refused(client_as, rosa, project, position):
    cursor = base64.b64encode(f"p={position}".encode()).decode()
    address = f"/api/v1/projects/{project.slug}/questions/?cursor="
    assert client_as(rosa).get(address + cursor).status_code == 404
    assert client_as(rosa).get(address).status_code == 200


def test_the_list_of_work_takes_as_many_statements_for_much(client_as, ann, project):
    client, counts = client_as(ann), []
    client.get("/api/v1/work/")
    for _ in range(2):
        factories.make_assignment(factories.make_task(project), ann, state="parked")
        with CaptureQueriesContext(connection) as queries:
            rows = client.get("/api/v1/work/?state=parked").json()["results"]
        counts.append(len(queries))
        for _ in range(3):
            factories.make_assignment(factories.make_task(project), ann, state="parked")
    assert (len(rows), counts[0]) == (5, counts[1])
