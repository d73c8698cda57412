"""The panels of a project, counted by hand, with as many queries however many rows there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.panel import Person, Value
from annotation.figures.registry import Request, find_report
from annotation.models import Submission
from evaluation.models import Output, System
from qampari import checkers, panels
from qampari.checkers import Checker
from qampari.entries import TABLES
from qampari.paraphrase_rows import Sample
from qampari.paraphrases import Author
from tests import factories
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.stages.window import Window

pytestmark = pytest.mark.django_db
KINDS = ("wikidata_simple", "wikitables_composition")
MOST_QUERIES = 8


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def project():
    return paraphrasing.make_project()


def record(number, answers):
    rows = [
        {"answer_text": f"Bridge {n}", "proof": [{"proof_text": f"Bridge {n} is old."}]}
        for n in range(answers)
    ]
    return {"answer_list": rows, "entities": paraphrasing.ENTITIES}


def add(project, number, answers, now, split="dev"):
    return paraphrasing.accepted(
        project,
        now,
        external_id=f"{number}__{KINDS[number % 2]}__{split}",
        split=split,
        context=record(number, answers),
    )


def extend(project, question, texts, now):
    """Store what somebody added within the time."""
    policy = project.policies.get_or_create(stage="qampari-extend", split="dev")[0]
    task = factories.make_task(project, question, stage=policy.stage, seats=1)
    user = factories.make_member(project, "annotator")
    assignment = factories.make_assignment(
        task, user, state="submitted", submitted_at=now, ended_at=now
    )
    response = {"added": [{"text": text, "page": ""} for text in texts]}
    Submission.objects.create(
        assignment=assignment,
        question=question,
        author=user,
        stage=policy.stage,
        response=response,
        created_at=now,
    )


def answered(project, question, text, now, name="copy", **details):
    system, _ = System.objects.get_or_create(
        project=project, name=name, defaults={"created_at": now}
    )
    Output.objects.create(system=system, question=question, text=text, details=details)


def computed(project, now, **filters):
    """The panels of this protocol in the report, by key, and how many queries they took."""
    request = Request(project, Filters(**filters), now)
    entries = [e for e in find_report(project, "tables").entries(project) if "qampari" in e.key]
    with CaptureQueriesContext(connection) as queries:
        made = {entry.key: entry.panel(request) for entry in entries}
    return made, len(queries)


def cell(panel, key, row=0):
    value = panel.rows[row][[column.key for column in panel.columns].index(key)]
    return value.value if isinstance(value, Value) else value


def test_an_empty_project(project, now):
    made, queries = computed(project, now)
    assert list(made) == [entry.key for entry in TABLES]
    assert all(not panel.rows and panel.n == 0 and panel.needs for panel in made.values())
    assert queries <= MOST_QUERIES


def test_other_projects_have_none_of_them(now):
    other = factories.make_project()
    assert not [entry for entry in TABLES if entry.fits(other)]


def test_every_panel_is_counted_and_rows_take_no_more_queries(project, now):
    author = factories.make_member(project, "annotator")
    Sample.objects.create(project=project, person=author, seed=4)  # the first is not verified
    simple = add(project, 0, 5, now)
    table = add(project, 1, 10, now)
    train = add(project, 2, 6, now, split="train")
    paraphrasing.paraphrase(project, author, "Which are by Rennie?")
    extend(project, simple, ["Bridge 9", "the bridge 9", "Bridge 1", "Leith"], now)
    answered(project, simple, "-", now, answers=["Bridge 0", "Leith"], passages=["Bridge 1."] * 10)
    answered(project, table, "Bridge 1#Bridge 2\nTunnel", now)
    made, before = computed(project, now)

    counts = made["qampari-table-2"]
    assert [row[:3] for row in map(tuple, counts.rows)] == [
        ("train", "All", 1),
        ("dev + test", "All", 2),
        ("dev + test", "Simple, Wikidata", 1),
        ("dev + test", "Composition, tables", 1),
    ]
    assert [cell(counts, "answers", n) for n in range(4)] == [6, 7.5, 5, 10]
    assert cell(counts, "words", 2) == 4  # the paraphrase
    assert cell(counts, "generated", 2) == 9  # the synthetic question

    assert [cell(made["qampari-figure-3a"], "questions", n) for n in range(2)] == [0.5, 0.5]
    extended = made["qampari-figure-3b"]
    assert extended.n == 1
    assert [row[0] for row in extended.rows if row[1].value] == ["2"]  # Bridge 9 and Leith

    passages = made["qampari-table-3"]
    assert cell(passages, "arecall_10") == pytest.approx(1 / 5)
    scores = made["qampari-table-4"]
    assert cell(scores, "questions") == 2
    assert cell(scores, "recall") == pytest.approx((1 / 5 + 2 / 10) / 2)
    assert cell(scores, "precision") == pytest.approx((1 / 2 + 2 / 3) / 2)
    by_kind = made["qampari-table-7"]
    assert [cell(by_kind, "precision", n) for n in range(2)] == pytest.approx([1 / 2, 2 / 3])
    both = made["qampari-table-8"]
    assert [cell(both, "precision", n) for n in range(2)] == [0.5, 1]
    assert [cell(both, "recall", n) for n in range(2)] == pytest.approx([1 / 5, 2 / 7])
    assert made["qampari-paraphrases"].rows[0][:4] == [Person(author.pk), 1, 0, 0]

    only, _ = computed(project, now, split="train")
    assert only["qampari-table-2"].n == 1
    assert only["qampari-table-4"].rows == []

    for number in range(3, 9):
        answered(project, add(project, number, 7, now), "Bridge 1", now, name=f"s{number}")
    made, after = computed(project, now)
    assert made["qampari-table-4"].n == 8
    assert after == before <= MOST_QUERIES
    assert train.split == "train"


def test_authors_are_counted():
    panel = panels.of_authors([Author(7, 5, 2, 2, 1, 1, 0), Author(3, 4, 2, 2, 2, 0, 0)])
    assert [row[0] for row in panel.rows] == [Person(3), Person(7)]
    assert [cell(panel, "same", n) for n in range(2)] == [1, 0.5]
    assert panel.n == 9
    assert panel.summary == "75 % of those verified have the same meaning."


def test_who_is_overruled_most_often_stands_first():
    """Q4: the share of each checker's verdicts that staff overrule."""
    panel = checkers.build_checkers_panel(
        [Checker(3, 20, 0, 0, 0, 0), Checker(5, 40, 10, 1, 10, 2), Checker(9, 30, 10, 5, 0, 0)]
    )
    assert [row[:3] for row in panel.rows] == [
        [Person(9), 30, 10],
        [Person(5), 40, 20],
        [Person(3), 20, 0],
    ]
    assert [cell(panel, "overruled", n) for n in range(3)] == [0.5, 0.15, None]
    assert [cell(panel, "correct", n) for n in range(3)] == [0.5, 0.1, None]
    assert [cell(panel, "doubted", n) for n in range(3)] == [None, 0.2, None]
    bounds = panel.rows[1][3]
    assert bounds.n == 20
    assert bounds.low < 0.15 < bounds.high
    assert panel.summary == "Staff overruled 27 % of the verdicts that they checked."


def test_verdicts_are_compared_with_those_of_staff(db, now):
    project = lists.make_project(checked_percent=0)
    project.policies.filter(stage="qampari-check").update(people=2)
    people = [factories.make_member(project, "annotator") for _ in range(2)]
    lists.make_question(project, now)
    lists.check(people[0], project, ["correct", "correct", "doubtful", "unclear", "correct"])
    lists.check(people[1], project, ["correct", "doubtful", "doubtful", "correct", "correct"])
    assert checkers.read_checkers(project) == [
        Checker(person.pk, 5, 0, 0, 0, 0) for person in people
    ]
    window = Window(factories.make_member(project, "researcher"), project, "qampari-team").take()
    said = ("doubtful", "correct", "correct")  # of the second, the third and the fourth answer
    fields = {f"answer-{n}-verdict": [verdict] for n, verdict in enumerate(said)}
    assert window.post("submit", window.fields | fields).status_code == 302
    ann, ben = checkers.read_checkers(project)
    assert ann == Checker(people[0].pk, 5, 1, 1, 2, 2)
    assert ben == Checker(people[1].pk, 5, 1, 0, 2, 1)
    assert checkers.read_checkers(project, "train") == []
    assert checkers.read_checkers(lists.make_project()) == []
