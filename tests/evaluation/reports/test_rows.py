"""All rows of a panel: a page at a time, and by what they are about."""

import datetime as dt

import pytest
from django.urls import reverse

from accounts.pseudonyms import derive_pseudonym
from annotation.core import audit
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.panel import Column, Link, Panel, Person
from annotation.figures.registry import Entry
from annotation.models import Membership, StoredFigures
from tests.figures import bring_report_up_to_date

pytestmark = pytest.mark.django_db


def many(request):
    """Return 120 rows, of which every third is of two kinds."""
    person = Membership.objects.filter(project=request.project, role="researcher").first().user_id
    kinds = ["Missed, Extra", "Missed", "<b>Odd & end</b>"]
    return Panel(
        columns=(Column("question", "Question"), Column("kinds", "Kinds"), Column("by", "By")),
        rows=[
            (Link(f"Question {place:03d}", "/projects/"), kinds[place % 3], Person(person))
            for place in range(120)
        ],
        n=120,
        definition="Rows.",
        facet="kinds",
    )


@pytest.fixture
def computed(project, sample, rosa, now):
    sample.panels.append(Entry("many", "Many rows", f"{__name__}.many"))
    return bring_report_up_to_date(project, sample, now)


@pytest.fixture
def get(project, client_as, rosa):
    client = client_as(rosa)

    def get(query="", panel="many"):
        return client.get(reverse("report-rows", args=[project.slug, "sample", panel]) + query)

    return get


def test_the_report_leads_to_the_rows_it_leaves_out(project, computed, client_as, rosa):
    address = reverse("project-report", args=[project.slug, "sample"])
    page = client_as(rosa).get(address).content.decode()

    assert "70 more rows" in page
    assert f'href="{address}many/"' in page


def test_rows_come_a_page_at_a_time(computed, get):
    first, last = get().content.decode(), get("?after=100").content.decode()

    assert first.count("Question 0") == 50
    assert "Next 50 of 120" in first
    assert last.count("Question 1") == 20
    assert "Next 50" not in last


def test_rows_of_one_kind(computed, get):
    page = get("?kind=Extra&after=0").content.decode()

    assert page.count("Question ") == 40
    assert "Question 001" not in page
    assert 'Missed <span class="badge">80</span>' in page
    assert "<b>Odd" not in page
    assert "kind=%3Cb%3EOdd%20%26%20end%3C/b%3E" in page


def test_people_lead_to_the_report_on_them(project, computed, get, rosa):
    page = get().content.decode()

    name = derive_pseudonym(rosa, scope=project.slug)
    assert f'href="/projects/{project.slug}/reports/sample/?person={name}"' in page


@pytest.mark.parametrize("query", ["?kind=nothing", "?kind=Missed, Extra"])
def test_an_unknown_kind_is_not_found(computed, get, query):
    assert get(query).status_code == 404


@pytest.mark.parametrize("query", ["?after=-1", "?after=x", "?after=99999999999999999999"])
def test_an_odd_place_is_no_error(computed, get, query):
    assert get(query).status_code == 200


def test_bad_filters_and_missing_figures_are_explained(computed, get):
    assert get("?split=nowhere").status_code == 409
    assert get("?split=dev").status_code == 409
    assert get(panel="nothing").status_code == 404


def test_a_panel_without_kinds_has_none_to_choose(computed, get):
    page = get(panel="shares").content.decode()

    assert 'aria-label="What differs"' not in page
    assert "75 %" in page


# --- where they are stored, and for programs ----------------------------------------------------


def test_only_first_rows_are_stored_with_the_report(project, sample, computed, now):
    rows = {row.report: row.figures for row in StoredFigures.objects.filter(project=project)}

    assert len(computed.panel("many")["rows"]) == 50
    assert computed.panel("many")["whole"] == 120
    assert rows.keys() == {"report.sample", "report.sample.many"}
    assert len(rows["report.sample.many"]["rows"]) == 120


def test_rows_of_a_panel_that_became_short_are_dropped(project, sample, computed, rosa, now):
    sample.panels.pop()
    audit.record_action("faq_changed", project, by=rosa, now=now, project=project)
    bring_report_up_to_date(project, sample, now)

    assert not StoredFigures.objects.filter(report="report.sample.many").exists()


def test_rows_are_forgotten_with_their_report(project, sample, computed, monkeypatch, now):
    monkeypatch.setattr(figures_services, "KEPT", 1)
    for day in (1, 2):
        bring_report_up_to_date(
            project, sample, now + dt.timedelta(minutes=day), Filters(since=dt.date(2026, 1, day))
        )

    left = StoredFigures.objects.filter(report="report.sample.many")
    assert sorted(left.values_list("filters", flat=True)) == ["", "since=2026-01-02"]


def test_a_file_has_all_rows(project, computed, client_as, rosa):
    address = reverse("report-file", args=[project.slug, "sample", "many", "json"])
    panel = client_as(rosa).get(address).json()

    assert len(panel["rows"]) == panel["whole"] == 120
    assert panel["next"] is None


@pytest.fixture
def asked(project, client_as, rosa):
    client = client_as(rosa)

    def asked(query=""):
        return client.get(
            reverse("api-report-panel", args=[project.slug, "sample", "many"]) + query
        )

    return asked


def test_programs_follow_the_rows_from_page_to_page(project, computed, asked, client_as, rosa):
    client = client_as(rosa)
    first = client.get(reverse("api-report", args=[project.slug, "sample"])).json()["panels"][-1]
    questions, address = [row["question"]["text"] for row in first["rows"]], first["next"]
    while address:
        page = client.get(f"{address}&page_size=30").json()
        questions += [row["question"]["text"] for row in page["rows"]]
        address = page["next"]

    assert len(first["rows"]) == 50
    assert questions == [f"Question {place:03d}" for place in range(120)]
    assert len(asked().json()["rows"]) == 120


def test_programs_choose_rows_of_one_kind(computed, asked):
    page = asked("?kind=Extra&page_size=25&after=25").json()

    assert (page["whole"], len(page["rows"]), page["next"]) == (40, 15, None)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("?kind=nothing", "kind"),
        ("?kind=", "kind"),
        ("?after=-1", "after"),
        ("?after=x", "after"),
        ("?page_size=0", "page_size"),
        ("?page_size=1001", "page_size"),
    ],
)
def test_programs_are_told_what_is_wrong_with_a_page(computed, asked, query, name):
    answer = asked(query)

    assert answer.status_code == 400
    assert list(answer.json()) == [name]
