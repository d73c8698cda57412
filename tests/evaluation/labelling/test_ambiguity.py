"""Types of ambiguity: a sample is drawn, labelled by the team, and counted in a table."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.figures.panel import Link
from annotation.figures.registry import find_report
from annotation.models import AuditEntry, Question
from evaluation.labelling.schemes import AMBIGUITY, find_scheme
from evaluation.labelling.services import draw_items, label_item
from evaluation.models import Labelling, LabelSample, SampledItem
from evaluation.reports.papers import ambiguity as table
from evaluation.reports.papers.ambiguity import tabulate_types
from tests import factories
from tests.evaluation.factories import make_ambiguity
from tests.evaluation.reports.test_papers_read import SEVERAL, SINGLE, bring, panels, record
from tests.figures import bring_report_up_to_date

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(now):
    project = factories.make_project()
    many = [record(f"q{n}", SEVERAL) for n in range(6)]
    bring(project, [*many, record("one", SINGLE)], "ambignq", "dev", now)
    bring(project, [record("t1", SEVERAL)], "ambignq", "train", now)
    return project


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def row(project, rosa, now):
    draw_questions(project=project, split="dev", size=2, by=rosa, now=now)
    return SampledItem.objects.get(position=1)


def draw_questions(**values):
    return draw_items(scheme=find_scheme(AMBIGUITY), **values)[1]


def label_question(*, ambiguity, types, **values):
    label_item(item=ambiguity, categories=types, **values)


def drawn():
    return list(SampledItem.objects.values_list("question__external_id", flat=True))


def sample(project):
    return reverse("ambiguity-sample", args=[project.slug])


def page_of(row):
    return reverse("ambiguity-label", args=[row.sample.project.slug, row.position])


# --- drawing --------------------------------------------------------------------------------------


def test_two_draws_are_one_of_twice_the_size(project, rosa, now):
    for _ in range(2):
        assert draw_questions(project=project, split="dev", size=2, by=rosa, now=now) == 2
    four = drawn()
    LabelSample.objects.all().delete()
    assert draw_questions(project=project, split="dev", size=4, by=rosa, now=now) == 4
    assert drawn() == four
    assert list(SampledItem.objects.values_list("position", flat=True)) == [1, 2, 3, 4]
    entry = AuditEntry.objects.filter(action="ambiguity_sample_drawn").last()
    assert entry.data == {"size": 4, "split": "dev"}


def test_only_questions_with_several_accepted_answers_are_drawn(project, rosa, now):
    Question.objects.filter(external_id="q1").update(state="excluded")
    assert draw_questions(project=project, split="dev", size=500, by=rosa, now=now) == 5
    assert set(drawn()) == {"q0", "q2", "q3", "q4", "q5"}
    with pytest.raises(Conflict, match="No other question of dev"):
        draw_questions(project=project, split="dev", size=1, by=rosa, now=now)
    assert draw_questions(project=project, split="train", size=5, by=rosa, now=now) == 1


def test_only_the_team_draws_and_labels(project, row, now):
    ann = factories.make_member(project, "annotator")
    with pytest.raises(Denied):
        draw_questions(project=project, split="dev", size=1, by=ann, now=now)
    with pytest.raises(Denied):
        label_question(ambiguity=row, types=["time"], seen=None, by=ann, now=now)
    assert Labelling.objects.count() == 0


# --- labelling ------------------------------------------------------------------------------------


def test_labels_are_stored_in_their_order_and_logged(row, rosa, now):
    label_question(ambiguity=row, types=["time", "event"], seen=None, by=rosa, now=now)
    labels = row.labellings.get()
    assert (labels.categories, labels.labeller, labels.labelled_at) == (
        ["event", "time"],
        rosa,
        now,
    )
    scheme = row.sample.scheme
    assert scheme.list_labels(labels.categories) == ["Event references", "Time-dependency"]
    entry = AuditEntry.objects.get(action="ambiguity_labelled")
    assert (entry.target, entry.data) == (
        f"question:{row.question_id}",
        {"types": ["event", "time"]},
    )
    # The same again changes nothing; others replace them, and the log has both.
    label_question(ambiguity=row, types=["event", "time"], seen=now, by=rosa, now=now)
    assert AuditEntry.objects.filter(action="ambiguity_labelled").count() == 1
    label_question(ambiguity=row, types=["other"], seen=now, by=rosa, now=now)
    entry = AuditEntry.objects.filter(action="ambiguity_labelled").last()
    assert entry.data == {"types": ["other"], "before": ["event", "time"]}


def test_labels_that_somebody_gave_meanwhile_are_not_replaced(row, rosa, now):
    label_question(ambiguity=row, types=["event"], seen=None, by=rosa, now=now)
    with pytest.raises(Conflict, match="Someone else has labelled this question meanwhile"):
        label_question(ambiguity=row, types=["time"], seen=None, by=rosa, now=now)
    assert row.labellings.get().categories == ["event"]


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        ([], "Choose at least one type"),
        (["other", "time"], "not both"),
        (["tense"], "at least one"),
    ],
)
def test_labels_that_make_no_sense_are_refused(row, rosa, now, types, sentence):
    with pytest.raises(Conflict, match=sentence):
        label_question(ambiguity=row, types=types, seen=None, by=rosa, now=now)


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"categories": ["tense"]}, "labelling_categories_known"),
        ({"categories": ["other", "time"]}, "labelling_none_of_these_alone"),
        ({"categories": []}, "labelling_chooses"),
        ({"categories": ["time"], "labelled_at": None}, "labelled_at"),
    ],
)
def test_the_database_refuses_them_too(row, rosa, now, fields, constraint):
    label_question(ambiguity=row, types=["event"], seen=None, by=rosa, now=now)
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Labelling.objects.filter(item=row).update(**fields)


# --- the pages ------------------------------------------------------------------------------------


def test_from_a_sample_to_the_table(project, rosa, client_as, now):
    client = client_as(rosa)
    report = find_report(project, "tables")
    bring_report_up_to_date(project, report, now)
    page = client.get(reverse("project-report", args=[project.slug, "tables"]))
    assert f'<a href="{sample(project)}">Label questions</a>' in page.text
    assert "No questions have been drawn yet" in client.get(sample(project)).text
    page = client.post(sample(project), {"split": "dev", "size": "2"}, follow=True)
    assert "Drew 2 questions." in page.text
    assert "0 of 2 labelled" in page.text
    first, second = SampledItem.objects.all()
    page = client.get(page_of(first))
    assert "When did the tunnel open to walkers?" in page.text
    assert "1 of 2" in page.text
    answer = client.post(page_of(first), {"types": ["event", "time"], "seen": ""})
    assert answer.url == page_of(second)
    answer = client.post(page_of(second), {"types": ["time"], "seen": ""})
    assert answer.url == sample(project)
    assert "2 of 2 labelled" in client.get(sample(project)).text

    shown = panels(project, now)["ambigqa-table-1"]
    counts = {row[0]: (row[1], row[2].value) for row in shown.rows}
    assert counts["Time-dependency"] == (2, 1)
    assert counts["Event references"] == (1, 0.5)
    assert counts["Properties"] == (0, 0)
    assert shown.page == Link("Label questions", sample(project))
    assert panels(project, now, split="train")["ambigqa-table-1"].n == 0


def test_the_last_is_followed_by_what_was_left_out(project, rosa, client_as, row):
    answer = client_as(rosa).post(
        reverse("ambiguity-label", args=[project.slug, 2]), {"types": ["time"], "seen": ""}
    )
    assert answer.url == page_of(row)


def test_bad_input_is_explained_and_changes_nothing(project, rosa, client_as, row, now):
    client = client_as(rosa)
    for data in (
        {},
        {"split": "dev"},
        {"split": "all", "size": "2"},
        {"split": "dev", "size": "501"},
    ):
        page = client.post(sample(project), data)
        assert page.status_code == 422
        assert "There is a problem" in page.text
    page = client.post(page_of(row), {"seen": ""})
    assert page.status_code == 422
    assert "choose at least one type" in page.text
    assert client.post(page_of(row), {"types": ["tense"]}).status_code == 422
    page = client.post(page_of(row), {"types": ["time", "other"], "seen": ""})
    assert (page.status_code, "not both" in page.text) == (422, True)
    assert page.text.count('" checked') == 2  # what was chosen stays
    label_question(ambiguity=row, types=["event"], seen=None, by=rosa, now=now)
    page = client.post(page_of(row), {"types": ["time"], "seen": ""})
    assert page.status_code == 409
    assert "Someone else has labelled" in page.text
    assert row.labellings.get().categories == ["event"]


def test_projects_without_pairs_have_no_such_page(client_as):
    from tests.annotation.long_answers import helpers

    long = helpers.make_project()
    rosa = factories.make_member(long, "researcher")
    assert client_as(rosa).get(sample(long)).status_code == 404
    assert client_as(rosa).get(reverse("ambiguity-label", args=[long.slug, 1])).status_code == 404


def test_statements_do_not_grow_with_the_sample(project, rosa, client_as, row):
    client = client_as(rosa)

    def statements(address):
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        return len(captured)

    before = statements(sample(project)), statements(page_of(row))
    for question in Question.objects.filter(project=project, label_items=None):
        make_ambiguity(question)
    assert (statements(sample(project)), statements(page_of(row))) == before


def test_a_hundred_questions_to_a_page(project, rosa, client_as, monkeypatch, now):
    from evaluation.labelling import views as labelling

    monkeypatch.setattr(labelling, "PAGE", 2)
    draw_questions(project=project, split="dev", size=5, by=rosa, now=now)
    client = client_as(rosa)
    first, last = client.get(sample(project)).text, client.get(sample(project), {"after": "4"}).text
    assert 'href="?after=2"' in first
    assert "?after=" not in last
    assert client.get(sample(project), {"after": "9" * 30}).status_code == 200


def test_the_table_counts_each_type_once_for_a_question():
    panel = tabulate_types([["event", "time"], ["time"], ["other"]], "/there/")
    assert panel.n == 3
    assert panel.summary == (
        "“Time-dependency” is the most frequent type, with 67 % of 3 questions."
    )
    assert tabulate_types([], "/there/").rows == []
    assert table.tabulate_types([["other"]], "/there/").summary == ""
