"""What every report does: its page, age, filters, files, API; whatever its panels are."""

import json
import re
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from lxml import etree

from accounts.pseudonyms import derive_pseudonym
from annotation.figures import files, pictures
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.models import Job, StoredFigures
from tests import factories
from tests.evaluation.reports import kinds, samples
from tests.evaluation.reports.kinds import file, page, run
from tests.extensions import show_only_reports
from tests.figures import bring_report_up_to_date, compute_report

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


@pytest.fixture
def computed(project, sample, rosa, ada, now):
    return bring_report_up_to_date(project, sample, now)


# --- the page ------------------------------------------------------------------------------------


def test_the_page_names_people_and_escapes_what_they_wrote(project, sample, computed, staff, rosa):
    shown = staff.get(page(project)).content.decode()

    assert rosa.name in shown
    assert (
        f">{derive_pseudonym(rosa, scope=project.slug)}<" not in shown.partition('id="panels"')[2]
    )
    assert "<script>alert" not in shown
    assert "style=" not in shown


def test_every_two_people_have_a_square_that_leads_to_their_questions(
    project, sample, staff, rosa, now
):
    other = factories.make_member(project, "annotator")
    bring_report_up_to_date(project, sample, now, Filters(split="dev"))
    shown = staff.get(page(project, "?split=dev")).content.decode()

    one, two = (derive_pseudonym(user, scope=project.slug) for user in (rosa, other))
    address = f"{page(project)}?split=dev&amp;person={one}&amp;other={two}#disagreements"
    assert (
        f'<td class="heat-1"><a href="{address}"><b>50.0</b><small>n 12</small></a></td>' in shown
    )
    assert f'href="{page(project)}?split=dev&amp;person={one}"' in shown


def test_squares_of_few_questions_are_marked(project, sample, staff, rosa, now):
    sample.panels.append(kinds.entry("pairs"))
    for _ in range(4):
        factories.make_member(project, "annotator")
    bring_report_up_to_date(project, sample, now)
    shown = staff.get(page(project)).content.decode()

    assert re.search(r'<td class="few">.*?<small>n 4<span[^>]*>, few</span></small>', shown)


def test_large_figures_are_shown_with_interval_and_n(project, sample, staff, now):
    sample.panels.append(kinds.entry("tiles"))
    bring_report_up_to_date(project, sample, now)
    shown = staff.get(page(project)).content.decode()
    [first, second] = re.findall(r'<div class="figure[^"]*">.*?</div>', shown, re.DOTALL)

    assert "<h3>Two people agree</h3>" in first
    assert "<b>61.4</b>" in first
    assert "58.9 to 63.8 · n 1,002</p>" in first
    assert 'x="59" y="4" width="5"' in first
    assert "F1-answer</p>" in first
    assert "n 4, few</p>" in second


def test_the_page_names_who_is_chosen(project, sample, staff, rosa, now):
    one = derive_pseudonym(rosa, scope=project.slug)
    shown = staff.get(page(project, f"?person={one}")).content.decode()

    assert f"<h2>{rosa.name}</h2>" in shown
    assert f"<h2>{rosa.name}</h2>" not in staff.get(page(project)).content.decode()


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("project-report", []),
        ("report-rows", ["people"]),
        ("report-file", ["people", "csv"]),
        ("api-report", []),
        ("api-report-panel", ["people"]),
    ],
)
def test_queries_do_not_grow_with_rows(project, sample, computed, staff, name, more, now):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            answer = staff.get(reverse(name, args=[project.slug, "sample", *more]))
            assert answer.status_code == 200
        return len(captured)

    before = queries()
    for _ in range(8):  # so many pairs that they have a row of their own
        factories.make_member(project, "annotator")
    figures_services.store_computed(compute_report(project, sample, now))

    assert StoredFigures.objects.filter(report="report.sample.people").exists()
    assert queries() == before


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("?split=nowhere", "The split is train, dev or test."),
        ("?since=yesterday", "Write a day as 2026-03-01"),
        ("?since=2026-03-02&until=2026-03-01", "The last day is before the first."),
        ("?person=12", "No one who worked in this project has this pseudonym."),
    ],
)
def test_bad_filters_are_explained_and_compute_nothing(project, sample, staff, query, sentence):
    answer = staff.get(page(project, query))

    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Job.objects.filter(kind="report").exists()


def test_two_people_are_compared(project, sample, staff, rosa, now):
    other = factories.make_member(project, "annotator")
    one, two = (derive_pseudonym(user, scope=project.slug) for user in (rosa, other))
    staff.get(page(project, f"?person={one}&other={two}"))
    run(Job.objects.get(kind="report"), now)

    assert samples.calls[-1].filters == Filters(person=rosa.pk, other=other.pk)
    assert staff.get(page(project, f"?person={one}&other={one}")).status_code == 422
    assert staff.get(page(project, f"?other={one}")).status_code == 422


def test_a_report_or_panel_that_is_not_there_is_not_found(project, sample, staff):
    for name, *args in (
        ("project-report", "nothing"),
        ("report-file", "sample", "nothing", "csv"),
        ("report-file", "sample", "shares", "docx"),
        ("api-report", "nothing"),
        ("api-report-panel", "sample", "nothing"),
    ):
        assert staff.get(reverse(name, args=[project.slug, *args])).status_code == 404


# --- files ---------------------------------------------------------------------------------------


def test_a_panel_as_csv_is_whole_and_safe(project, sample, computed, staff):
    lines = staff.get(file(project, "shares", "csv")).content.decode().split("\r\n")

    assert lines[0] == "kind,share,share_low,share_high,share_n,share_note,mean,question"
    assert lines[1].startswith("Several answers,0.75,0.30")
    assert lines[1].endswith(",4,,1.5,Question 1")
    assert lines[2].startswith("\"'=1+1 ")


def test_a_panel_as_json_has_pseudonyms(project, sample, computed, staff, rosa):
    panel = json.loads(staff.get(file(project, "people", "json")).content)

    people = {row["one"] for row in panel["rows"]}
    assert derive_pseudonym(rosa, scope=project.slug) in people
    assert rosa.name not in people
    assert panel["rows"][0]["f1"] == {"value": 0.5, "n": 12, "low": None, "high": None}


def test_a_panel_as_latex_holds_no_command_of_others(project, sample, computed, staff):
    text = staff.get(file(project, "shares", "tex")).content.decode()

    assert text.startswith(
        "% Shares of 50 % and more.\n"
        "% Intervals are left out here. The file with intervals has them.\n"
        "\\begin{tabular}{lrrl}\n\\toprule\n"
    )
    assert r"Several answers & 75\,\% & 1.50 & Question 1 \\" in text
    assert r"50 \% \_ \{x\} 2 & -- & -- & Question 2 \\" in text


def test_a_picture_is_clean_svg_in_which_people_have_pseudonyms(
    project, sample, computed, staff, rosa
):
    svg = staff.get(file(project, "people", "svg")).content

    root = etree.fromstring(svg)
    names = {name for node in root.iter() for name in node.attrib}
    assert not names & {"style", "href", "onload", "class"}
    assert derive_pseudonym(rosa, scope=project.slug)[:16] in svg.decode()
    assert b"person #" not in svg


@pytest.mark.parametrize(
    ("format", "kind", "begins"),
    [("pdf", "application/pdf", b"%PDF"), ("png", "image/png", b"\x89PNG")],
)
def test_a_picture_for_papers_and_slides(project, sample, computed, staff, format, kind, begins):
    answer = staff.get(file(project, "shares", format))

    assert answer["Content-Type"] == kind
    assert answer.content.startswith(begins)


def test_what_has_no_picture_or_no_figures_yet_says_so(project, sample, staff, now):
    none = staff.get(file(project, "shares", "csv"))
    bring_report_up_to_date(project, sample, now)
    plain = staff.get(file(project, "empty", "svg"))

    assert (none.status_code, plain.status_code) == (409, 409)
    assert files.NO_PICTURE in plain.content.decode()


def test_without_the_libraries_there_are_tables_and_a_sentence(
    project, sample, staff, monkeypatch, now
):
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    stored = bring_report_up_to_date(project, sample, now)
    shown = staff.get(page(project)).content.decode()

    assert stored.panel("shares")["svg"] == ""
    assert "Install Ambit with its extra" in shown
    assert "75 %" in shown


def test_what_a_picture_may_not_hold_is_taken_out():
    svg = pictures.sanitise_svg(
        '<svg xmlns="http://www.w3.org/2000/svg" onload="x()" style="a:b" width="1">'
        '<script>x()</script><foreignObject><b/></foreignObject><image href="http://x/"/>'
        '<clipPath id="clip0"/><g clip-path="url(#clip0)"/><g clip-path="url(http://x)"/></svg>',
        "key",
    )

    assert svg == (
        '<svg xmlns="http://www.w3.org/2000/svg" width="1"><clipPath id="key-clip0"/>'
        '<g clip-path="url(#key-clip0)"/><g/></svg>'
    )


# --- the API -------------------------------------------------------------------------------------


def test_programs_wait_for_figures_and_get_every_panel(project, sample, staff, now):
    address = reverse("api-report", args=[project.slug, "sample"])
    waiting = staff.get(address)
    run(Job.objects.get(kind="report"), now)
    answer = staff.get(address)
    one = staff.get(reverse("api-report-panel", args=[project.slug, "sample", "shares"]))

    assert (waiting.status_code, waiting["Retry-After"]) == (202, "2")
    assert answer["Report-State"] == "current"
    assert [panel["key"] for panel in answer.json()["panels"]] == ["shares", "people", "empty"]
    assert one.json() == answer.json()["panels"][0]
    assert one.json()["rows"][0]["share"]["value"] == 0.75


def test_programs_learn_which_reports_there_are(project, sample, staff):
    listed = staff.get(reverse("api-reports", args=[project.slug])).json()

    assert listed[0]["key"] == "sample"
    assert listed[0]["panels"][0] == {"key": "shares", "title": "Shares"}


def test_programs_are_refused_filters_that_a_report_does_not_know(
    project, sample, staff, monkeypatch
):

    show_only_reports(monkeypatch, replace(sample, filters=("split",)))
    address = reverse("api-report", args=[project.slug, "sample"])

    assert staff.get(f"{address}?since=2026-01-01").status_code == 400
    assert staff.get(f"{address}?split=").status_code == 400
    assert staff.get(f"{address}?split=nowhere").json() == {
        "split": ["The split is train, dev or test."]
    }
