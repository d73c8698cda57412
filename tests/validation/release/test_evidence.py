"""Answers with the articles that people opened: which, in which order, and what is not told."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Question
from tests.annotation.exports.submissions import opened
from tests.factories import make_shown
from tests.validation.conftest import one
from tests.validation.release.conftest import ambignq, log, record, single
from tests.validation.release.test_tables import read_back, written
from validation.release.services import start_release

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]
KEY = "ambignq-evidence"


@pytest.fixture
def page(project):
    """page(title, text): a stored article."""

    def page(title, text="Nothing of note.", **fields):
        return make_shown(project.snapshot, title, f"<p>{text}</p>", **fields)

    return page


@pytest.fixture
def asked(project, ask, answer, ann):
    """asked(id, response, *pages): a question that ann answered after opening these pages."""
    project.policies.filter(stage="validation").delete()
    project.policies.filter(stage="generation").update(people=1)

    def asked(external_id, response, *pages, split="dev"):
        question = ask(external_id, split=split)
        answer(project, ann, response)
        log(question, ann, *[opened(one.title, shown=one.pk) for one in pages])
        return question

    return asked


def titles(released, project, **options):
    data, manifest = released(project, KEY, **options)
    return {
        each["id"]: [article["title"] for article in each["articles"]] for each in json.loads(data)
    }, manifest


def test_the_record_to_the_letter(project, asked, page, released):
    """The keys of the published evidence, and where each article is from."""
    tunnel = page("Thames Tunnel", "It opened in <b>1843</b>.")
    other = page("Bridge", rev_id=None, url="")
    asked("q", one("1843"), tunnel, other)
    [found] = json.loads(released(project, KEY)[0])
    assert found == {
        "id": "q",
        "question": found["question"],
        "annotations": [single("1843")],
        "articles_plain_text": [
            "# Thames Tunnel\nIt opened in 1843.",
            "# Bridge\nNothing of note.",
        ],
        "articles_html_text": [
            "<h1>Thames Tunnel</h1>\n<p>It opened in <b>1843</b>.</p>",
            "<h1>Bridge</h1>\n<p>Nothing of note.</p>",
        ],
        "articles": [
            {
                "title": "Thames Tunnel",
                "url": "https://en.wikipedia.org/wiki/Thames_Tunnel?oldid=345",
                "revision": "345",
            },
            {"title": "Bridge", "url": None, "revision": None},
        ],
    }


def test_all_articles_with_an_answer_and_up_to_three_in_all(project, asked, page, released):
    without = [page(f"No {number}", "In 18432, or 184.") for number in range(4)]
    having = [page(f"Yes {number}", "Opened (1843).") for number in range(4)]
    asked("few", one("1843"), *without[:2], having[0], *without[2:])
    asked("many", one("1843"), without[0], *having)
    asked("none", one("1843"), *without)
    asked("one", one("1843"), without[0], without[0])
    asked("nothing", one("1843"))
    found, manifest = titles(released, project)
    assert found == {
        "few": ["No 0", "No 1", "Yes 0"],
        "many": ["Yes 0", "Yes 1", "Yes 2", "Yes 3"],
        "none": ["No 0", "No 1", "No 2"],
        "one": ["No 0"],
        "nothing": [],
    }
    assert manifest["counts"]["articles"] == 11
    assert manifest["counts"]["articles_per_question"] == {"0": 1, "1": 1, "3": 2, "4": 1}


def test_an_answer_is_found_as_scorers_compare_it(project, asked, page, released):
    asked("a", one("The  Thames-Tunnel!"), *[page(f"N{n}") for n in range(3)])
    asked(
        "b",
        one("The  Thames-Tunnel!"),
        *[page(f"N{n}") for n in range(3)],
        page("Yes", "a thamestunnel, it is"),
    )
    found, _ = titles(released, project)
    assert found == {"a": ["N0", "N1", "N2"], "b": ["N0", "N1", "Yes"]}


def test_test_questions_come_without_answers(project, asked, page, released):
    tunnel = page("Thames Tunnel", "Opened in 1843.")
    asked("dev", one("1843"), tunnel)
    asked("test", one("1843 or so"), tunnel, split="test")
    data, manifest = released(project, KEY)
    assert [each["annotations"] for each in json.loads(data)] == [[single("1843")], []]
    assert "or so" not in data.decode()
    counts = manifest["counts"]
    assert counts["by_split"]["test"] == {
        "single": 0,
        "multiple": 0,
        "mixed": 0,
        "without_answers": 1,
    }
    assert counts["questions"] == 2
    assert counts["annotations"] == {"singleAnswer": 1, "multipleQAs": 0}
    release = start_release(project=project, format=KEY, split=None, by=None, now=timezone.now())
    b"".join(release.blocks())
    card = release.build_card("data.json").decode()
    assert "| test | 0 | 0 | 0 | 1 |" in card
    assert "with 2 articles that people opened" in card
    assert "are text of English Wikipedia" in card


def test_pages_that_an_import_names_are_there_if_they_were_fetched(
    project, bring_in, page, released
):
    page("Thames Tunnel", "In 1843.")
    page("Known", "Before.")
    fields = {
        "viewed_doc_titles": ["Not fetched", "thames Tunnel"],
        "used_queries": [],
        "nq_answer": [],
        "nq_doc_title": "Known",
    }
    bring_in(ambignq(record(1, single("1843")) | fields))
    assert titles(released, project)[0] == {"r1": ["Thames Tunnel", "Known"]}
    # What others had viewed before is not ours once people answer here.
    Question.objects.update(context={"viewed_doc_titles": 7, "nq_doc_title": None})
    assert titles(released, project)[0] == {"r1": []}


def test_an_article_is_the_version_that_was_opened_first(project, asked, page, released):
    first = page("Tunnel", "Opened in 1843.", rev_id=1)
    later = page("Tunnel", "Opened in 1844.", rev_id=3)
    asked("q", one("1844"), first, later)
    [found] = json.loads(released(project, KEY)[0])
    assert [article["revision"] for article in found["articles"]] == ["1"]


def test_queries_do_not_grow_with_pages(project, asked, page, released):
    asked("q1", one("1843"), page("A"))

    def queries():
        with CaptureQueriesContext(connection) as found:
            released(project, KEY)
        return len(found)

    before = queries()
    for number in range(2, 8):
        asked(f"q{number}", one("1843"), *[page(f"{number} {n}", "1843") for n in range(4)])
    assert queries() == before


@pytest.mark.parametrize("tables", ["json", "parquet"])
def test_croissant_gives_the_articles_back(project, asked, page, tmp_path, tables):
    asked("q", one("1843"), page("Thames Tunnel", "“1843”"), page("B"))
    asked("t", one("1843"), split="test")
    official = written(project, tmp_path, KEY, tables)
    rows = [*read_back(tmp_path, "dev"), *read_back(tmp_path, "test")]
    names = ("id", "question", "articles_plain_text", "articles_html_text", "articles")
    assert [[row[name] for name in names] for row in rows] == [
        [each[name] for name in names] for each in official
    ]
    assert rows[0]["annotations"][0]["answer"] == ["1843"]
    assert rows[1]["annotations"] == []
