"""The page of relations: counts, filters, a row that opens, its preview, conflicts, adding."""

import json
import sqlite3
from pathlib import Path
from statistics import median

import pytest
from django.conf import settings as django_settings
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job
from qampari.making.choices import read_choice
from qampari.making.editing import counting, queries, services
from qampari.making.relations import list_shipped_relations
from qampari.models import MadeRelation
from tests import factories
from tests.qampari.making.editing.conftest import CROSSES
from tests.qampari.making.test_jobs import fill_in

pytestmark = pytest.mark.django_db
IDS, PLACE = (177, 12280), "P177-Q12280"
SCRIPT = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def office(client_as, rosa):
    return client_as(rosa)


def page_of(office, address, status=200, **headers):
    response = office.get(address, **headers)
    assert response.status_code == status
    return response.content.decode()


def numbers_by_sql(least):
    """How many bridges cross each river, as plain SQL on the file of the graph counts."""
    path = Path(django_settings.AMBIT_DATA) / "wikidata" / "bridges" / "graph.sqlite"
    with sqlite3.connect(path) as read:
        rows = read.execute(
            "SELECT count(DISTINCT f.item) FROM fact f JOIN fact t ON t.item = f.item "
            "AND t.property = 31 AND t.value = 12280 WHERE f.property = 177 "
            "GROUP BY f.value HAVING count(DISTINCT f.item) >= ?",
            [least],
        )
        return [number for (number,) in rows]


# --- counts --------------------------------------------------------------------------------------


@pytest.mark.parametrize("least", [1, 4, 5, 6, 9, 10])
def test_counts_are_those_of_sql_on_the_graph(office, graph, address, least):
    numbers = numbers_by_sql(least)
    counts = counting.count_questions(graph, [IDS], least=least)[IDS]
    middle = median(numbers) if numbers else 0
    assert (counts.questions, counts.median) == (len(numbers), middle)
    page = page_of(office, address(least=least))
    row = page.partition(f'id="relation-{PLACE}"')[2].partition("</tbody>")[0]
    assert f'data-label="Questions">{len(numbers)}<' in row
    assert f'data-label="Answers, median">{f"{middle:g}" if numbers else "–"}<' in row


def test_answers_of_any_type_are_counted_where_no_type_is_asked_for(graph):
    typed, untyped = IDS, (177, None)
    counts = counting.count_questions(graph, [typed, untyped], least=8)
    assert [counts[ids].questions for ids in (typed, untyped)] == [1, 2]


def test_a_graph_is_counted_once_for_all_processes(graph, monkeypatch):
    first = counting.count_questions(graph, [IDS], least=5)

    def count(*_):
        raise AssertionError("was counted before")

    monkeypatch.setattr(counting, "_read_counts", count)
    assert counting.count_questions(graph, [IDS], least=5) == first
    with pytest.raises(AssertionError):
        counting.count_questions(graph, [IDS], least=4)


@pytest.mark.parametrize("numbers", [[], [5], [5, 9], [5, 5, 6, 40], [7, 7, 7], [5, 6, 7, 8, 9]])
def test_the_median_is_the_usual_one(numbers):
    often = {value: numbers.count(value) for value in numbers}
    assert counting.find_median(often) == (median(numbers) if numbers else 0)


def test_more_relations_cost_no_more_statements(office, graph, address, project, rosa):
    def count_statements():
        cache.clear()
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page_of(office, address())
        return len(captured)

    page_of(office, address())
    before = count_statements()
    for number in range(1, 60):
        services.add_relation(project=project, ids=(177, number), by=rosa, now=timezone.now())
    assert count_statements() == before


# --- the table -----------------------------------------------------------------------------------


def test_the_page_is_reached_from_make_questions(office, graph, address, project):
    page = page_of(office, reverse("make-questions", args=[project.slug]))
    assert reverse("made-relations", args=[project.slug]) in page
    table = page_of(office, address())
    assert table.count("<tbody") == len(list_shipped_relations())
    assert "crosses" in table
    assert "P177 · bridge · any time" in table
    assert "Which bridges cross River 1?" in table


def test_filters_and_search(office, graph, address, project, rosa):
    services.add_relation(project=project, ids=(177, None), by=rosa, now=timezone.now())
    services.save_relation(
        project=project, asked=CROSSES, included=False, seen=0, by=rosa, now=timezone.now()
    )
    every, shipped = page_of(office, address()), len(list_shipped_relations())
    for label, count in (("All", shipped + 1), ("Included", shipped - 1), ("To correct", 1)):
        assert f"{label} <span>{count}</span>" in every
    wrong = page_of(office, address(show="correct"))
    assert wrong.count("<tbody") == 1
    assert 'id="relation-P177"' in wrong
    assert page_of(office, address(show="included")).count("<tbody") == shipped - 1
    found = page_of(office, address(q="CROSS+bridge"))
    assert found.count("<tbody") == 1
    assert "Not included" in found
    assert "matches “&lt;b&gt;”" in page_of(office, address(q="<b>"))


def test_without_a_graph_or_lists_the_page_says_what_to_do(
    office, project, client_as, tmp_path, settings
):
    settings.AMBIT_DATA = tmp_path
    page = page_of(office, reverse("made-relations", args=[project.slug]))
    assert "wikidata_graph" in page
    page_of(office, reverse("made-relation", args=[project.slug, PLACE]), status=404)
    other = factories.make_project(slug="pairs")
    staff = client_as(factories.make_member(other, "researcher"))
    assert "has no lists" in page_of(staff, reverse("made-relations", args=["pairs"]))
    page_of(staff, reverse("made-relation", args=["pairs", PLACE]), status=404)


@pytest.mark.parametrize("place", ["P0", "X177", "P177-Q", "P177-12280", "P9999999", "P177-Q5"])
def test_a_relation_that_the_project_does_not_have_is_not_found(office, graph, address, place):
    page_of(office, address(place), status=404)


# --- one relation --------------------------------------------------------------------------------


def test_a_row_opens_in_place_and_closes(office, graph, address):
    opened = page_of(office, address(PLACE), **SCRIPT)
    assert opened.strip().startswith(f'<tbody id="relation-{PLACE}">')
    assert 'value="Which bridges cross {subject}?"' in opened
    assert "Which bridges cross River 1?" in opened
    assert "6 answers: " in opened
    assert "Bridge 900003100 crosses River 1." in opened
    assert "Which bridges cross River 1 and …?" in opened
    closed = page_of(office, address(PLACE, closed=1), **SCRIPT)
    assert "<form" not in closed
    assert "<!doctype html>" in page_of(office, address(PLACE)).lower()


def test_saving_without_scripts_and_with_them(office, graph, address, words, project):
    own = words(question="What leads over {subject}?", cues="over,  lead over", time="day")
    answer = office.post(address(PLACE), own)
    assert (answer.status_code, answer["Location"]) == (
        302, f"{address()}&least=5#relation-{PLACE}",
    )  # fmt: skip
    row = MadeRelation.objects.get()
    assert (row.question, row.cues, row.time, row.version) == (
        "What leads over {subject}?", ["over", "lead"], "day", 1,
    )  # fmt: skip
    answer = office.post(address(PLACE), own | {"noun": "crossings", "version": 1}, **SCRIPT)
    page = answer.content.decode()
    assert "What leads over River 1?" in page
    assert "Saved" in page
    assert "<form" not in page
    assert json.loads(answer["HX-Trigger"]) == {"announce": "Saved."}
    assert "P177 · bridge · on the snapshot’s day" in page
    (asked,) = [
        each for each in queries.list_asked_relations(project) if queries.ids_of(each) == IDS
    ]
    assert (asked.noun, asked.time) == ("crossings", "day")


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"question": "Which bridges cross it?"}, "question", "needs {subject} once"),
        ({"question": "Which {subject} cross {subject}?"}, "question", "needs {subject} once"),
        ({"question": "Which {type} cross {subject}?"}, "question", "stands for nothing there"),
        ({"question": "Which bridges cross {subject}"}, "question", "does not end with"),
        ({"question": "Which <b>bridges</b> cross {subject}?"}, "question", "signs that belong in"),
        ({"question": "Which\u202e bridges cross {subject}?"}, "question", "signs that belong in"),
        ({"question": "Which {subject?"}, "question", "needs {subject} once"),
        ({"question": "x" * 301 + " {subject}?"}, "question", "longer than 300 characters"),
        ({"statement": "It crosses {subject}."}, "statement", "needs {answer} once"),
        ({"statement": "{answer} crosses {subject}\x01."}, "statement", "signs that belong in"),
        ({"phrase": "cross"}, "phrase", "needs {subject} once"),
        ({"noun": "{subject}"}, "noun", "stands for nothing there"),
        ({"noun": ""}, "noun", "Fill this in"),
        ({"values": " "}, "values", "Fill this in"),
        ({"cues": "over, Über"}, "cues", "not the beginning of a word in small letters"),
        ({"cues": " ".join(f"a{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(51))},
         "cues", "The maximum is 50 words"),
        ({"time": "now"}, "time", "is not in the list"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_its_field(
    office, graph, address, words, changes, field, sentence
):
    for headers in ({}, SCRIPT):
        answer = office.post(address(PLACE), words(**changes), **headers)
        page = answer.content.decode()
        assert answer.status_code == 422
        error = page.partition(f'id="{PLACE}-{field}-error"')[2].partition("</div>")[0]
        assert sentence in error
        assert "<b>bridges" not in page
        assert f'aria-describedby="{PLACE}-{field}-error' in page
    assert not MadeRelation.objects.exists()


def test_a_preview_shows_what_is_typed_and_saves_nothing(office, graph, address, words):
    typed = words(question="What leads over {subject}?", noun="", action="example")
    page = office.post(address(PLACE), typed, **SCRIPT).content.decode()
    assert "What leads over River 1?" in page
    assert "<form" not in page
    assert "<strong>Error" not in page, "what is empty is not wrong while somebody types"
    wrong = office.post(address(PLACE), typed | {"statement": "It <i>."}, **SCRIPT)
    page = wrong.content.decode()
    error = page.partition(f'id="{PLACE}-statement-error" hx-swap-oob="true"')[2]
    assert "signs that belong in no sentence" in error.partition("</div>")[0]
    assert wrong.status_code == 200
    whole = office.post(address(PLACE), typed).content.decode()
    assert "What leads over River 1?" in whole
    assert 'value="What leads over {subject}?"' in whole
    assert not MadeRelation.objects.exists()


@pytest.mark.parametrize("headers", [{}, SCRIPT])
def test_whoever_saves_second_is_told_and_keeps_what_they_typed(
    office, graph, address, words, headers, project, rosa
):
    office.post(address(PLACE), words(question="Theirs crosses {subject}?", included=None))
    mine = words(question="Mine crosses {subject}?")
    answer = office.post(address(PLACE), mine, **headers)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Someone else has changed this relation meanwhile" in page
    assert 'value="Mine crosses {subject}?"' in page
    assert 'Saved by someone else: <q dir="auto">Theirs crosses {subject}?</q>' in page
    assert '<q dir="auto">not included</q>' in page
    assert 'name="version" value="1"' in page
    assert MadeRelation.objects.get().question == "Theirs crosses {subject}?"
    office.post(address(PLACE), mine | {"version": 1}, **headers)
    row = MadeRelation.objects.get()
    assert (row.question, row.included, row.version) == ("Mine crosses {subject}?", True, 2)


def test_going_back_to_the_one_that_comes_with_ambit(office, graph, address, words):
    assert "Back to the one" not in page_of(office, address(PLACE))
    office.post(address(PLACE), words(noun="crossings"))
    assert "Back to the one that comes with Ambit" in page_of(office, address(PLACE))
    refused = office.post(address(PLACE), {"action": "restore", "version": 9}, **SCRIPT)
    assert refused.status_code == 409
    page = office.post(address(PLACE), {"action": "restore", "version": 1}, **SCRIPT)
    assert "Changed" not in page.content.decode()
    assert not MadeRelation.objects.exists()


# --- adding --------------------------------------------------------------------------------------


def test_a_relation_of_the_graph_is_added_worded_and_removed(
    office, graph, address, words, project
):
    added = office.post(address(), {"property": "p177", "type": ""})
    assert (added.status_code, added["Location"]) == (302, f"{address('P177')}&least=5")
    page = page_of(office, added["Location"])
    assert "Remove it" in page
    assert "To correct" in page_of(office, address())
    # With scripts and without, the words are those of any other relation.
    office.post(address("P177"), words(version=1, noun="things", included="on"), **SCRIPT)
    assert queries.list_asked_relations(project)[-1].noun == "things"
    gone = office.post(address("P177"), {"action": "restore", "version": 2}, **SCRIPT)
    assert gone["HX-Redirect"] == f"{address()}&least=5"
    assert not MadeRelation.objects.exists()


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"property": ""}, "required"),
        ({"property": "177"}, "is no property of Wikidata"),
        ({"property": "P57"}, "The graph “bridges” has no facts of P57"),
        ({"property": "P177", "type": "bridge"}, "is no type of Wikidata"),
        ({"property": "P177", "type": "Q5"}, "Nothing of the type Q5 has P177"),
    ],
)
def test_what_the_graph_does_not_have_is_not_added(office, graph, address, data, sentence):
    answer = office.post(address(), data)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not MadeRelation.objects.exists()


# --- making questions ----------------------------------------------------------------------------


def test_questions_are_made_of_the_relations_of_the_project(office, graph, address, words, project):
    office.post(address(PLACE), words(question="What leads over {subject}?"))
    page = page_of(office, f"{reverse('make-questions', args=[project.slug])}?graph=bridges")
    assert "What leads over River 1? 6 answers" in page
    office.post(
        reverse("make-questions", args=[project.slug]),
        fill_in(graph="bridges", asked=["P177/Q12280"]),
    )
    (relation,) = read_choice(Job.objects.get().options["choice"]).relations
    assert relation.question == "What leads over {subject}?"
    file = office.get(reverse("making-choices", args=[project.slug])).json()
    assert "What leads over {subject}?" in [each["question"] for each in file["relations"]]


def test_a_relation_that_is_not_included_is_not_offered(office, graph, address, words, project):
    office.post(address(PLACE), words(included=None))
    page = page_of(office, f"{reverse('make-questions', args=[project.slug])}?graph=bridges")
    assert 'name="asked"' not in page
    body = {"graph": "bridges"}
    office.post(reverse("api-makings", args=[project.slug]), body, content_type="application/json")
    relations = read_choice(Job.objects.get().options["choice"]).relations
    assert len(relations) == len(list_shipped_relations()) - 1


# --- the API -------------------------------------------------------------------------------------


def test_the_api_lists_words_and_restores(office, project):
    listed = office.get(reverse("api-made-relations", args=[project.slug])).json()
    assert len(listed) == len(list_shipped_relations())
    one = reverse("api-made-relation", args=[project.slug, PLACE])
    body = office.get(one).json()
    assert (body["property"], body["type"], body["version"]) == ("P177", "Q12280", 0)
    for name in ("property", "type", "origin"):
        del body[name]
    body["noun"] = "crossings"

    def put(address, **changes):
        return office.put(address, body | changes, content_type="application/json")

    saved = put(one)
    assert (saved.status_code, saved.json()["version"], saved.json()["origin"]) == (
        200, 1, "changed",
    )  # fmt: skip
    assert put(one, noun="bridges over it").status_code == 409
    refused = put(one, question="What?", statement="It.", version=1)
    assert refused.status_code == 400
    assert refused.json().keys() == {"question", "statement"}
    assert put(one, cues=["Over"], version=1).json().keys() == {"cues"}
    own = reverse("api-made-relation", args=[project.slug, "P4321"])
    assert office.get(own).status_code == 404
    assert put(own).json()["origin"] == "added"
    assert office.delete(f"{one}?version=4").status_code == 409
    assert office.delete(f"{one}?version=1").status_code == 204
    assert not MadeRelation.objects.filter(property=177).exists()


def test_only_staff_see_relations(project, client_as, graph, address):
    person = client_as(factories.make_member(project, "annotator"))
    assert person.get(address()).status_code == 403
    assert person.get(reverse("api-made-relations", args=[project.slug])).status_code == 403
