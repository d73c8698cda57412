"""What staff see of a visit, the figure of pages read, and pages fetched beforehand."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.exports.services import start_export
from annotation.models import Annotation, Event
from annotation.reading import visits
from annotation.reading.quotes import quote_surroundings
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.reading.steps import THAMES, open_page, quote, search
from wikipedia.html.page import PageMissing
from wikipedia.models import Quote, ShownPage
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.zim import ZimProvider

pytestmark = pytest.mark.django_db


def hand_in(assignment, used=True):
    now = assignment.started_at
    type(assignment).objects.filter(pk=assignment.pk).update(
        state="submitted", submitted_at=now, ended_at=now, lease_ends_at=None, used=used
    )
    Annotation.objects.create(
        assignment=assignment,
        question=assignment.task.question,
        author=assignment.user,
        kind="none",
        created_at=now,
    )


@pytest.fixture
def down(monkeypatch):
    """From now on Wikipedia does not answer, or has no such page any more."""

    def go(error=ProviderUnavailable):
        def fail(*args, **kwargs):
            raise error("Wikipedia sleeps.")

        for name in ("load_page", "search"):
            monkeypatch.setattr(ZimProvider, name, fail)

    return go


# --- when Wikipedia does not answer ---


@pytest.mark.parametrize("error", [ProviderUnavailable, PageMissing])
def test_what_was_opened_in_this_work_stays_readable(assignment, down, error):
    before = open_page(assignment)
    open_page(assignment, "River_Thames")
    down(error)
    again = open_page(assignment, via="history")
    assert again.article.html == before.article.html
    assert again.source.stored_because == "Wikipedia sleeps."
    assert Event.objects.last().data["stored"] is True
    assert Event.objects.last().data["shown"] == ShownPage.objects.get(path=THAMES).pk
    assert quote(assignment).page.path == THAMES


def test_a_page_stays_readable_under_the_redirect_it_was_opened_by(assignment, down):
    open_page(assignment, "Brunel's_tunnel")
    down()
    assert open_page(assignment, "Brunel's_tunnel").source.path == THAMES


def test_a_deleted_page_is_shown_again_to_nobody_else(assignment, others, down):
    open_page(assignment)
    down(PageMissing)
    with pytest.raises(PageMissing):
        open_page(others)


def test_the_reader_says_that_the_page_is_a_kept_one(client_as, assignment, down):
    client = client_as(assignment.user)
    open_page(assignment)
    down()
    for address, headers in (
        (reverse("work-read", args=[assignment.pk, THAMES]), {"HX-Request": "true"}),
        (reverse("work-page", args=[assignment.pk]), {}),
    ):
        answer = client.get(address, headers=headers)
        assert answer.status_code == 200
        assert "This is the page as it was kept on" in answer.text
        assert "Wikipedia sleeps." in answer.text
    # Where nothing was kept the person reads why, and the work goes on.
    address = reverse("work-read", args=[assignment.pk, "River_Thames"])
    answer = client.get(address, headers={"HX-Request": "true"})
    assert answer.status_code == 503
    assert "Wikipedia sleeps." in answer.text


# --- the page of a visit ---


def visit_page(client, visit):
    slug = visit.assignment.project.slug
    return client.get(reverse("visit-view", args=[slug, visit.pk]))


def test_staff_see_what_was_shown_even_when_wikipedia_is_down(client_as, assignment, rosa, down):
    found = search(assignment)
    result = next(each for each in found.results if each.path == THAMES)
    opened = open_page(assignment, THAMES, via="search", search_event=found.event, rank=result.rank)
    quote(assignment)
    down()
    answer = visit_page(client_as(rosa), Event.objects.get(pk=opened.event))
    assert answer.status_code == 200
    assert answer.context["article"].text == opened.article.text
    kept = ShownPage.objects.get(path=THAMES)
    for words in (
        f"via search, result {result.rank}", kept.html_sha256, kept.text_sha256,
        "About 50,000 people", "/wikipedia/demo/files/images/thames-tunnel.svg",
    ):  # fmt: skip
        assert words in answer.text, words
    assert "/-/" not in answer.text
    assert f"/work/{assignment.pk}/" not in answer.text


def test_only_quotes_of_an_answer_handed_in_lead_to_their_page(client_as, assignment, rosa):
    """Whatever leads on from here can be opened."""
    opened = open_page(assignment, THAMES)
    made = quote(assignment)
    visit = Event.objects.get(pk=opened.event)
    address = reverse("quote-view", args=[assignment.project.slug, made.pk])
    client = client_as(rosa)
    answer = visit_page(client, visit)
    assert "About 50,000 people" in answer.text
    assert address not in answer.text
    assert client.get(address).status_code == 404
    annotation = Annotation.objects.create(
        assignment=assignment,
        question=assignment.task.question,
        author=assignment.user,
        kind="single",
        created_at=visit.at,
    )
    pair = annotation.pairs.create(position=0)
    pair.answers.create(position=0, text="50,000", quote=made)
    assert address in visit_page(client, visit).text
    assert client.get(address).status_code == 200


def test_revision_and_day_are_told(client_as, assignment, rosa):
    answer = visit_page(client_as(rosa), factories.make_visit(assignment))
    assert "345, of <time" in answer.text
    assert "15 June 2017, 12:00 UTC" in answer.text
    assert "It opened on 25 March 1843." in answer.text
    assert "Revision 345 of 15 June 2017" in answer.text  # as the reader said it


def test_what_is_damaged_or_was_not_kept_is_told(client_as, assignment, rosa):
    client, visit = client_as(rosa), factories.make_visit(assignment)
    ShownPage.objects.update(html=b"broken")
    assert "is not what its hash says" in visit_page(client, visit).text
    ShownPage.objects.update(html=None, html_sha256="")
    assert "only the text was kept" in visit_page(client, visit).text
    lost = factories.make_visit(assignment, shown=10**9)
    assert "was not kept" in visit_page(client, lost).text
    old = factories.make_visit(assignment, shown=None)
    assert "only the text was kept" in visit_page(client, old).text


def test_only_staff_and_only_visits_of_their_project(client_as, assignment, ann, rosa, stan):
    visit = factories.make_visit(assignment)
    assert visit_page(client_as(ann), visit).status_code == 403
    assert visit_page(client_as(stan), visit).status_code == 404
    elsewhere = factories.make_project()
    other = factories.make_visit(
        factories.make_assignment(factories.make_task(elsewhere), factories.make_user())
    )
    mine = reverse("visit-view", args=[assignment.project.slug, other.pk])
    assert client_as(rosa).get(mine).status_code == 404
    find = Event.objects.create(
        assignment=assignment, kind="quote", at=visit.at, data={"quote": 1, "target": ""}
    )
    address = reverse("visit-view", args=[assignment.project.slug, find.pk])
    assert client_as(rosa).get(address).status_code == 404


def test_the_question_leads_to_its_visits(client_as, assignment, rosa):
    visit = factories.make_visit(assignment)
    for at in (1_500, 2_500):
        data = {"page_open": visit.pk, "dwell_ms": at, "depth": 40}
        Event.objects.create(assignment=assignment, kind="page_close", at=visit.at, data=data)
    page = reverse("question-view", args=[assignment.project.slug, assignment.task.question_id])
    answer = client_as(rosa).get(page)
    assert reverse("visit-view", args=[assignment.project.slug, visit.pk]) in answer.text
    [other] = answer.context["page"].others
    [seen] = other.visits
    assert (other.turn, seen.seconds, seen.depth) == (assignment, 4, 40)


# --- the figure ---


@pytest.fixture
def read(project, ann, ben):
    """Two people at one question, one at another, one whose work is left out."""
    question = factories.make_question(project, external_id="=q1")
    task = factories.make_task(project, question)
    first, second = (factories.make_assignment(task, user) for user in (ann, ben))
    for path, way in ((THAMES, "search"), ("River_Thames", "link"), (THAMES, "history")):
        page = factories.make_shown(project.snapshot, path.replace("_", " "))
        factories.make_visit(first, via=way, shown_page=page)
    # Another name of a page that was read: it counts as that page.
    tunnel = ShownPage.objects.get(path=THAMES)
    factories.make_visit(first, via="search", shown_page=tunnel, redirect_from="Brunel's_tunnel")
    factories.make_visit(second, via="search", shown_page=tunnel)
    ben_nevis = factories.make_shown(project.snapshot, "Ben Nevis")
    factories.make_visit(second, via="title", shown_page=ben_nevis)
    lone = factories.make_assignment(
        factories.make_task(project, factories.make_question(project, split="train")), ann,
        state="expired",
    )  # fmt: skip
    for each in (first, second, lone):
        hand_in(each)
    out = factories.make_assignment(factories.make_task(project), ben, state="expired")
    factories.make_visit(out, via="search")
    hand_in(out, used=False)
    return first


def test_pages_as_ambigqa_counted_and_all_pages(project, read):
    figure = visits.pages_read(project, per="annotation")
    assert figure.as_counted == {0: 1, 1: 1, 2: 1}
    assert figure.all == {0: 1, 2: 2}
    figure = visits.pages_read(project, per="question")
    assert figure.as_counted == {0: 1, 2: 1}
    assert figure.all == {0: 1, 3: 1}
    assert visits.pages_read(project, per="question", split="train").all == {0: 1}
    assert visits.pages_read(project, per="annotation", split="test").all == {}


def test_the_figure_through_the_api(client_as, project, read, rosa):
    address = reverse("api-pages-read", args=[project.slug])
    assert client_as(rosa).get(address, {"split": "dev"}).json() == {
        "per_annotation": {"as_counted": {"1": 1, "2": 1}, "all": {"2": 2}},
        "per_question": {"as_counted": {"2": 1}, "all": {"3": 1}},
        "counted_at": None,
    }
    assert client_as(rosa).get(address, {"split": "x"}).status_code == 400


def test_pages_read_for_long_answers(now, ann):
    project = long_answers.make_project()
    factories.make_member(project, "annotator", user=ann)
    long_answers.open_question(project, now)
    turn = long_answers.answer(project, ann, now)
    factories.make_visit(turn, via="link")
    assert visits.pages_read(project, per="annotation").all == {1: 1}
    assert visits.pages_read(project, per="question", split="dev").as_counted == {0: 1}


def test_the_export_has_a_line_per_submission(project, read, rosa, now):
    Event.objects.create(
        assignment=read,
        kind="search",
        at=now,
        data={"query": "tunnel", "offset": 0, "total": 0, "results": []},
    )
    Event.objects.create(
        assignment=read,
        kind="search",
        at=now,
        data={"query": "tunnel", "offset": 10, "total": 0, "results": []},
    )
    visit = Event.objects.filter(assignment=read, kind="page_open").first()
    data = {"page_open": visit.pk, "dwell_ms": 1_250, "depth": 40}
    Event.objects.create(assignment=read, kind="page_close", at=now, data=data)
    export = start_export(project=project, format="pages-read", by=rosa, now=now)
    assert (export.file_name, export.content_type) == (f"{project.slug}-pages-read.csv", "text/csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(export.blocks()).decode())))
    assert [(r["pages_from_search"], r["pages"], r["used"]) for r in rows] == [
        ("1", "2", "true"), ("2", "2", "true"), ("0", "0", "true"), ("1", "1", "false"),
    ]  # fmt: skip
    assert rows[0]["id"] == "'=q1"  # no spreadsheet takes it for a formula
    assert (rows[0]["searches"], rows[0]["reading_seconds"]) == ("1", "1.2")
    assert rows[0]["person"] != rows[1]["person"]
    assert "@" not in rows[0]["person"]


# --- fetched beforehand ---


def fetch(project, *titles, **options):
    out = io.StringIO()
    call_command("fetch_pages", project.slug, *titles, json=True, stdout=out, **options)
    return json.loads(out.getvalue())


def test_pages_that_questions_name_are_fetched_once(project, capsys):
    factories.make_question(
        project, context={"viewed_doc_titles": ["Thames Tunnel", "Nowhere At All"]}
    )
    factories.make_question(
        project,
        split="train",
        context={"viewed_doc_titles": ["Thames Tunnel"], "nq_doc_title": "River Thames"},
    )
    factories.make_question(project, context={"viewed_doc_titles": "not a list"})
    assert visits.pages_named(project) == ["Nowhere At All", "River Thames", "Thames Tunnel"]
    assert fetch(project, split="train") == {"fetched": 2, "kept_before": 0, "missing": 0}
    assert fetch(project) == {"fetched": 0, "kept_before": 2, "missing": 1}
    assert sorted(ShownPage.objects.values_list("path", flat=True)) == ["River_Thames", THAMES]
    assert not Event.objects.exists()  # nobody has read anything


def test_what_was_fetched_is_read_when_wikipedia_is_down(project, assignment, down):
    fetch(project, "Thames Tunnel")
    down()
    assert open_page(assignment).source.stored_because
    with pytest.raises(CommandError, match=r"Stopped after 1 of 2 pages: Wikipedia sleeps\."):
        fetch(project, "Thames Tunnel", "Ben Nevis")


def test_what_cannot_be_fetched_is_told(project, capsys):
    assert fetch(project, revision=[3])["missing"] == 1
    assert fetch(project) == {"fetched": 0, "kept_before": 0, "missing": 0}
    with pytest.raises(CommandError, match="no project"):
        call_command("fetch_pages", "nowhere")


@pytest.mark.parametrize(
    ("prefix", "suffix", "shown"),
    [
        ("l Opened For whom 25 March 1843 ", " 7 December 1869 Steam trains of", (
            "Opened For whom 25 March 1843 ", " 7 December 1869 Steam trains")),
        ("The tunnel opened on ", ". It", ("The tunnel opened on ", ". It")),
        ("", "", ("", "")),
        ("x" * 32, "y" * 32, ("x" * 32, "y" * 32)),
    ],
)  # fmt: skip
def test_what_stands_around_a_quote_is_shown_in_whole_words(prefix, suffix, shown):
    assert quote_surroundings(Quote(prefix=prefix, suffix=suffix)) == shown
