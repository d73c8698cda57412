"""A rehearsal shows what raters see, and counts nowhere."""

import re
import uuid

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from accounts.models import Session
from annotation.figures import files
from annotation.figures.registry import list_reports
from evaluation.models import Output, Study
from evaluation.rehearsals.kept import KEY, MOST_ITEMS
from evaluation.studies import services as studies_services
from tests import archives, factories
from tests.access import ROWS
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import make_output, make_questions, make_system
from tests.figures import bring_report_up_to_date, store_results
from tests.stages.examples import half_a_judgment, judgment, wrong
from tests.stages.window import HX, Window, fields_of
from tests.world import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return asqa.make_project()


@pytest.fixture
def systems(project):
    """Two systems that have answered four questions."""
    rows = [make_system(project, name) for name in ("Amber", "Blue")]
    for question in make_questions(project, 4):
        for system, text in zip(rows, ("Walkers in 1843.", "**Trains** in 1869."), strict=True):
            make_output(system, question, text)
    return rows


@pytest.fixture
def rosas(client, project):
    client.force_login(factories.make_member(project, "researcher", name="Rosa Reed"))
    return client


def designed(chosen, **changes):
    """What the form of a new study of these systems posts."""
    data = {
        **{"title": "Pilot", "split": "dev", "size": "4", "seed": "1", "pairing": "all"},
        **{"raters": "1", "repeats": "0", "minutes": "3", "steps": "3", "shown": "lower"},
        **{"accuracy": "on", "criteria": "1", "form_key": str(uuid.uuid4()), "press": "try"},
        **{"key_0": "comp", "label_0": "Completeness", "wording_0": "Which says more?"},
        "systems": [str(system.pk) for system in chosen],
    }
    return data | changes


def url(project, name="study-try", *place):
    return reverse(name, args=[project.slug, *place])


def begin(client, project, systems, **changes):
    """Begin a rehearsal, and return its first page."""
    begun = client.post(url(project), designed(systems, **changes))
    assert begun.status_code == 302, begun.text
    assert begun.url == url(project, "study-try-item", 1)
    return client.get(begun.url)


def rehearse(client, project, systems, fill=judgment, **changes):
    """Judge every item of a rehearsal, and return the page that follows."""
    page = begin(client, project, systems, **changes)
    for number in range(1, MOST_ITEMS + 1):
        fields = fill(fields_of(page.text), "walkers")
        kept = client.post(url(project, "study-try-draft", number), fields, headers=HX)
        assert kept.status_code == 200
        fields["version"] = [str(int(fields["version"][0]) + 1)]
        done = client.post(url(project, "study-try-submit", number), fields)
        assert done.status_code == 302, done.text
        page = client.get(done.url)
    return page


# --- what it shows -------------------------------------------------------------------------------


def core_of(html):
    """The form of a page without what names one assignment, or leads to another, and tokens."""
    form = re.search(r'<form class="panel" id="answer".*?</form>', html, re.DOTALL)[0]
    form = re.sub(r'\s(action|hx-post|data-page|data-assignment|data-carries)="[^"]*"', "", form)
    return re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", form)


@pytest.mark.parametrize(
    ("pairing", "stage", "changes"),
    [
        ("all", "comparison", {}),
        ("all", "comparison", {"accuracy": "", "steps": "5", "shown": "as_is"}),
        ("alone", "accuracy", {"shown": "plain"}),
    ],
)
def test_the_form_is_byte_for_byte_that_of_the_first_judge(
    rosas, project, systems, pairing, stage, changes
):
    rehearsed = begin(rosas, project, systems, pairing=pairing, **changes)
    judge = factories.make_member(project, "judge")
    started = rosas.post(
        reverse("study-new", args=[project.slug]),
        designed(systems, pairing=pairing, press="start", **changes),
    )
    assert started.status_code == 302, started.text
    assert core_of(rehearsed.text) == core_of(Window(judge, project, stage).take().html)


def test_an_expert_s_form_is_rehearsed_too(rosas, project, systems):
    page = begin(rosas, project, systems, pairing="expert")
    assert "Is it correct?" in page.text
    assert "walkers in 1843." in page.text or "trains in 1869." in page.text
    page = rehearse(rosas, project, systems, fill=wrong, pairing="expert")
    assert "It opened to walkers only in 1869." in page.text


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    archives.make_demo(folder)
    return folder


@pytest.fixture
def wikipedia(settings, archive):
    return archives.use(settings, archive, archive / "demo.zim", "demo")


def search_and_read(client, project):
    """Use Wikipedia beside the first item, with and without scripts; return what was answered."""
    search = url(project, "study-try-search", 1)
    article = url(project, "study-try-read", 1, "Thames_Tunnel")
    return [
        client.get(address, query, headers=headers)
        for address, query in ((search, {"q": "thames tunnel"}), (article, {}))
        for headers in (HX, {})
    ]


def test_an_expert_s_rehearsal_has_wikipedia_beside_it(rosas, project, systems, wikipedia):
    type(project).objects.filter(pk=project.pk).update(snapshot=wikipedia)
    page = begin(rosas, project, systems, pairing="expert").text
    assert 'id="search-form"' in page
    assert "What you search and read here is recorded nowhere." in page
    assert "selection-bar" not in page
    found, with_results, article, with_article = (
        answer.text for answer in search_and_read(rosas, project)
    )
    read = url(project, "study-try-read", 1, "Thames_Tunnel")
    for text in (found, with_results):
        assert f'href="{read}?via=search"' in text
    for text in (article, with_article):
        assert 'data-path="Thames_Tunnel"' in text
        assert 'data-open=""' in text
    assert 'id="answer"' not in article
    assert 'id="answer"' in with_article
    again = rosas.get(url(project, "study-try-item", 1), {"page": "Thames_Tunnel"}).text
    assert 'data-path="Thames_Tunnel"' in again
    missing = rosas.get(url(project, "study-try-read", 1, "No_such_page"), headers=HX)
    assert missing.status_code == 404
    assert "“No such page” is not here" in missing.text
    nothing = rosas.get(url(project, "study-try-search", 1), {"q": " "}, headers=HX)
    assert nothing.status_code == 422
    assert "Write what to search for" in nothing.text


def test_raters_who_have_no_wikipedia_have_none_in_a_rehearsal(rosas, project, systems):
    assert 'id="search-form"' not in begin(rosas, project, systems).text
    assert {answer.status_code for answer in search_and_read(rosas, project)} == {404}


def test_a_wikipedia_that_is_down_is_told(rosas, project, systems):
    begin(rosas, project, systems, pairing="expert")
    assert {answer.status_code for answer in search_and_read(rosas, project)} == {503, 200}


def test_it_says_that_it_is_a_rehearsal_and_shows_no_system(rosas, project, systems):
    page = begin(rosas, project, systems).text
    assert "Nothing here is counted or kept." in page
    assert "Comparison 1 of 3" in " ".join(page.split())
    for system in systems:
        assert system.name not in page
    assert '"/work/' not in page


def test_rules_and_fixes_are_those_of_raters(rosas, project, systems):
    page = begin(rosas, project, systems)
    half = half_a_judgment(fields_of(page.text), "x")
    submit = url(project, "study-try-submit", 1)
    for headers in (HX, {}):
        refused = rosas.post(submit, half, headers=headers)
        assert refused.status_code == 422
        assert "choose yes or no for disambiguation 2" in refused.text
        half["version"] = fields_of(rosas.get(url(project, "study-try-item", 1)).text)["version"]
    elsewhere = half | {"left-0-words": ["no such words"], "tried": ["1"]}
    said = rosas.post(url(project, "study-try-draft", 1), elsewhere, headers=HX)
    assert "is not in this text" in said.text


def test_what_was_typed_is_there_again_and_another_window_is_not_overwritten(
    rosas, project, systems
):
    page = begin(rosas, project, systems)
    draft = url(project, "study-try-draft", 1)
    typed = judgment(fields_of(page.text), "walkers")
    assert rosas.post(draft, typed).status_code == 302
    assert "It names walkers." in rosas.get(url(project, "study-try-item", 1)).text
    assert rosas.post(draft, judgment(typed, "walkers"), headers=HX).status_code == 200  # a retry
    other = rosas.post(draft, judgment(typed, "trains"), headers=HX)
    assert other.status_code == 409
    assert 'id="conflict"' in other.text
    assert "It names walkers." in rosas.get(url(project, "study-try-item", 1)).text


def test_at_the_end_one_reads_what_would_be_submitted_and_leaves(rosas, project, systems):
    page = rehearse(rosas, project, systems)
    assert page.request["PATH_INFO"] == url(project)
    assert page.text.count("It names walkers.") == MOST_ITEMS
    assert "Completeness" in page.text
    again = rosas.post(url(project, "study-try-draft", 1), {"version": "1"}, headers=HX)
    assert again.status_code == 409
    assert rosas.get(url(project, "study-try-item", 1)).url == url(project)
    left = rosas.post(url(project, "study-try-leave"))
    assert left.url == url(project, "study-new")
    assert KEY not in rosas.session
    assert rosas.get(url(project)).url == url(project, "study-list")
    assert rosas.get(url(project, "study-try-item", 1)).url == url(project, "study-list")
    for name in ("study-try-draft", "study-try-submit"):
        assert rosas.post(url(project, name, 1), {}).status_code == 404


def test_one_leaves_to_the_draft_that_one_came_from(rosas, project, systems):
    new = reverse("study-new", args=[project.slug])
    form = designed(systems, press="save")
    rosas.post(new, form)
    draft = Study.objects.get()
    begin(rosas, project, systems, form_key=form["form_key"], title="Typed since")
    assert rosas.post(url(project, "study-try-leave")).url == reverse(
        "study-view", args=[project.slug, draft.pk]
    )
    draft.refresh_from_db()
    assert draft.title == "Pilot"


# --- what cannot be rehearsed --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"size": "0"}, "at least 1."),
        ({"size": "9"}, "asked for 9 questions"),
        ({"systems": []}, "Choose at least two systems."),
        ({"criteria": "0"}, "Add a criterion"),
    ],
)
def test_a_design_without_items_is_explained_on_its_page(
    rosas, project, systems, changes, sentence
):
    page = rosas.post(url(project), designed(systems, **changes))
    assert page.status_code == 422
    assert sentence in page.text
    assert KEY not in rosas.session
    assert not Study.objects.exists()


def test_answers_that_are_gone_are_told(rosas, project, systems):
    begin(rosas, project, systems)
    Output.objects.filter(system=systems[0]).delete()
    page = rosas.get(url(project, "study-try-item", 1))
    assert page.status_code == 409
    assert "An answer of this question is gone." in page.text


def test_a_rehearsal_is_of_one_project_and_one_session(rosas, client_as, project, systems):
    begin(rosas, project, systems)
    for number in (0, MOST_ITEMS + 1, 99):
        assert rosas.get(url(project, "study-try-item", number)).status_code == 404
    other = asqa.make_project()
    factories.make_member(other, "researcher", user=rosas.get("/").wsgi_request.user)
    assert rosas.get(url(other, "study-try-item", 1)).status_code == 302
    assert rosas.post(url(other, "study-try-draft", 1), {}).status_code == 404
    adam = client_as(factories.make_member(project, "researcher"))
    assert adam.get(url(project, "study-try-item", 1)).status_code == 302
    assert adam.post(url(project, "study-try-submit", 1), {}).status_code == 404


def test_a_page_of_a_rehearsal_takes_few_queries(
    rosas, project, systems, django_assert_max_num_queries
):
    begin(rosas, project, systems)
    with django_assert_max_num_queries(12):
        rosas.get(url(project, "study-try-item", 2))


# --- that it counts nowhere ----------------------------------------------------------------------


# Pictures have the time of their drawing in them, and show what the other formats say.
DATED = ("svg", "pdf", "png")
PAGES_OF_THE_API = ("api-docs", "api-try")


def list_all_rows():
    """Every row of every table, but sessions."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for model in apps.get_models(include_auto_created=True)
        if model is not Session
    }


def read_everything(world, client, projects):
    """What every panel in every format, every file and every address for programs give now."""
    said = {}
    for project in projects:
        for report in list_reports(project):
            bring_report_up_to_date(project, report, world.now)
            for entry in report.entries(project):
                place = [project.slug, report.key, entry.key]
                addresses = [reverse("api-report-panel", args=place)]
                formats = [key for key in files.FORMATS if key not in DATED]
                addresses += [reverse("report-file", args=[*place, key]) for key in formats]
                for address in addresses:
                    said[address] = said_at(client, address)
    for name, row in ROWS.items():
        told = name.startswith("api-") or name.endswith(("-file", "-export"))
        if row.get and told and name not in PAGES_OF_THE_API:
            address = reverse(name, args=row.args(world))
            said[address] = said_at(client, address)
    return said


def said_at(client, address):
    answer = client.get(address)
    # A refusal may be a page, which has another token each time.
    return answer.status_code, b"".join(answer) if answer.status_code == 200 else b""


def test_nothing_that_is_stored_or_told_knows_of_a_rehearsal(client, wikipedia):
    """Every row but sessions', and every panel, file and address for programs, byte for byte."""
    world = make_world()
    project = world.long.project
    type(project).objects.filter(pk=project.pk).update(snapshot=wikipedia)
    systems = [make_system(project, name) for name in ("Amber", "Blue")]
    for question in make_questions(project, 4):
        for system in systems:
            make_output(system, question)
    by = world.people["researcher"]
    factories.make_member(project, "judge")
    study = studies_services.create_study(project=project, by=by, now=timezone.now())
    changes = {"size": 4, "seed": 1}
    studies_services.change_study(
        study=study, changes=changes, systems=systems, by=by, now=timezone.now()
    )
    studies_services.start_study(study=study, by=by, now=timezone.now())
    store_results(study, world.now)
    client.force_login(by)
    projects = [world.project, project]
    before = read_everything(world, client, projects)
    rows = list_all_rows()
    rehearse(client, project, systems)
    begin(client, project, systems, pairing="expert")
    assert {answer.status_code for answer in search_and_read(client, project)} == {200}
    assert client.post(url(project, "study-try-leave")).status_code == 302
    assert list_all_rows() == rows
    store_results(study, world.now)
    after = read_everything(world, client, projects)
    assert [address for address in before if after[address] != before[address]] == []
    assert sum(status == 200 for status, _ in before.values()) > 150
