"""A new study: what it proposes, the draft that its first change makes, and deleting that."""

import re
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import AuditEntry
from evaluation.models import Study
from evaluation.studies import services as studies_services
from evaluation.studies.overview import read_answers_there_are
from evaluation.studies.proposal import propose_study
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import make_output, make_questions, make_study, make_system

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def draft(project, systems):
    return make_study(project, systems, state="draft", title="Pilot", size=4)


def address(study, name="study-view"):
    return reverse(name, args=[study.project.slug, study.pk])


def form_of(page):
    """What the form of a page posts as it was shown."""
    page = page.content.decode()
    data = dict(re.findall(r'<input[^>]* name="(\w+)" value="([^"]*)"', page))
    for name in re.findall(r'<input type="number" name="(\w+)"', page):
        data[name] = re.search(rf'name="{name}" value="([^"]*)"', page)[1]
    data["systems"] = re.findall(r'name="systems" value="(\d+)" checked', page)
    data["pairing"] = re.search(r'name="pairing" value="(\w+)" checked', page)[1]
    selects = re.findall(r'<select name="(\w+)".*?</select>', page, re.DOTALL)
    for name in selects:
        box = re.search(rf'<select name="{name}".*?</select>', page, re.DOTALL)[0]
        chosen = re.search(r'value="([^"]*)" selected', box)
        data[name] = chosen[1] if chosen else ""
    for name, text in re.findall(r'<textarea name="(\w+)"[^>]*>(.*?)</textarea>', page, re.DOTALL):
        data[name] = text.strip()
    return data


def test_a_new_study_proposes_what_there_is_and_saves_nothing(rosas, project, systems, judges):
    partial = make_system(project, "Dull")
    make_output(partial, project.questions.first())
    before = AuditEntry.objects.count()
    page = rosas.get(reverse("study-new", args=[project.slug]))
    posted = form_of(page)
    assert posted["systems"] == [str(system.pk) for system in systems]
    assert (posted["size"], posted["raters"], posted["pairing"]) == ("4", "2", "all")
    assert (posted["split"], posted["title"]) == ("dev", "Study 1")
    text = " ".join(page.content.decode().split())
    assert "Nothing is saved yet. Your first change creates a draft." in text
    assert "4 have an answer from every chosen system" in text
    assert "dev, 4 questions" in text
    assert "test, no answers yet" in text
    assert "1 of 4" in text
    assert 'aria-disabled="true"' not in text
    assert not Study.objects.exists()
    assert AuditEntry.objects.count() == before


def test_the_first_change_makes_one_draft_and_the_next_ones_change_it(rosas, project, systems):
    new = reverse("study-new", args=[project.slug])
    posted = form_of(rosas.get(new))
    first = rosas.post(new, posted | {"raters": "2"}, headers=HTMX)
    study = Study.objects.get()
    assert first["HX-Replace-Url"] == address(study)
    page = " ".join(first.content.decode().split())
    assert f'action="{address(study, "study-delete")}"' in page
    assert "Study 1, draft" in page
    assert rosas.post(new, posted | {"raters": "3"}, headers=HTMX).status_code == 200
    assert Study.objects.get().raters == 3
    whole = rosas.post(new, posted | {"title": "Pilot", "press": "save"})
    assert whole.url == address(study)
    assert Study.objects.get().title == "Pilot"
    # The page that was left open does not begin another one once it has started.
    for _ in range(3):
        factories.make_member(project, "judge")
    assert rosas.post(new, posted | {"press": "start"}).status_code == 302
    assert rosas.post(new, posted | {"press": "start"}).status_code == 409
    assert Study.objects.get().state == "running"


def test_two_open_pages_make_two_drafts(rosas, project, systems):
    new = reverse("study-new", args=[project.slug])
    for _ in range(2):
        rosas.post(new, form_of(rosas.get(new)), headers=HTMX)
    assert Study.objects.count() == 2


@pytest.mark.parametrize("key", ["", "x", "' OR 1=1", "0" * 5_000, "\x00"])
def test_a_key_that_makes_no_sense_makes_a_draft_all_the_same(rosas, project, systems, key):
    new = reverse("study-new", args=[project.slug])
    posted = form_of(rosas.get(new)) | {"form_key": key}
    assert rosas.post(new, posted).status_code == 302
    assert Study.objects.get().form_key is not None


def test_the_key_of_another_project_makes_a_draft_of_its_own(rosas, rosa, project, systems):
    other = asqa.make_project()
    factories.make_member(other, "researcher", user=rosa)
    theirs = make_study(other, state="draft", form_key=uuid.uuid4())
    new = reverse("study-new", args=[project.slug])
    posted = form_of(rosas.get(new))
    assert rosas.post(new, posted | {"form_key": str(theirs.form_key)}).status_code == 302
    assert Study.objects.filter(project=project).count() == 1
    assert rosas.post(new, posted | {"study": str(theirs.pk)}).status_code == 404


def test_what_is_wrong_with_a_new_study_is_explained_and_makes_nothing(rosas, project, systems):
    new = reverse("study-new", args=[project.slug])
    posted = form_of(rosas.get(new))
    assert rosas.post(new, posted | {"size": "0"}).status_code == 422
    assert "Not saved." in rosas.post(new, posted | {"size": ""}, headers=HTMX).content.decode()
    assert not Study.objects.exists()


def test_without_answers_the_page_says_what_is_missing_and_leads_there(rosas, project):
    make_system(project, "Silent")
    page = rosas.get(reverse("study-new", args=[project.slug])).content.decode()
    assert "There is nothing to compare yet" in page
    assert reverse("system-add", args=[project.slug]) in page
    assert "Run a baseline" in page
    assert "<form" not in page.split("<main")[1].split("</main")[0]


@pytest.mark.parametrize(
    ("answers", "size", "systems", "pairing"),
    [
        # answers: by system of how many of 6 questions
        ((6, 6, 6, 3), 6, "ABC", "all"),
        ((6, 4, 2), 4, "AB", "all"),
        ((6, 6, 6, 6), 6, "ABCD", "matching"),
        ((0, 5), 5, "B", "alone"),
    ],
)
def test_the_proposal_is_of_the_systems_that_answer_most(project, answers, size, systems, pairing):
    questions = make_questions(project, 6)
    for name, count in zip("ABCD", answers, strict=False):
        system = make_system(project, name)
        for question in questions[:count]:
            make_output(system, question)
    proposed = propose_study(project, read_answers_there_are(project))
    assert "".join(system.name for system in proposed.systems) == systems
    assert (proposed.study.size, proposed.study.pairing) == (size, pairing)
    assert (proposed.study.raters, proposed.study.pk) == (1, None)


def test_the_proposal_asks_of_disambiguations_only_where_there_are_some(project):
    systems = [
        make_system(project, name, kind=kind) for name, kind in (("A", "model"), ("B", "human"))
    ]
    for system in systems:
        make_output(system, factories.make_question(project, split="test"))
    proposed = propose_study(project, read_answers_there_are(project)).study
    assert (proposed.split, proposed.accuracy) == ("test", False)
    assert proposed.reference == systems[1]


def test_the_page_of_a_new_study_takes_the_same_number_of_queries_for_more_systems(
    rosas, project, systems, judges, django_assert_max_num_queries
):
    new = reverse("study-new", args=[project.slug])
    with django_assert_max_num_queries(24) as few:
        rosas.get(new)
    for system in [make_system(project) for _ in range(5)]:
        for question in project.questions.all():
            make_output(system, question)
    with django_assert_max_num_queries(len(few)):
        rosas.get(new)


# --- deleted drafts ------------------------------------------------------------------------------


def test_a_deleted_draft_is_brought_back_from_the_list(rosas, project, draft):
    gone = rosas.post(address(draft, "study-delete"))
    page = rosas.get(gone.url).content.decode()
    assert "Draft of Pilot deleted" in page
    listed = reverse("study-list", args=[project.slug])
    page = rosas.get(listed).content.decode()
    assert "Draft of Pilot deleted" not in page
    assert "1 deleted draft" in page
    [undo] = set(re.findall(r'action="([^"]*/deleted/\d+/)"', page))
    back = rosas.post(undo)
    assert back.url == address(draft)
    assert "Pilot, draft" in rosas.get(back.url).content.decode()
    assert rosas.post(undo).status_code == 404
    assert "deleted draft" not in rosas.get(listed).content.decode()


def test_a_deleted_draft_of_another_project_is_not_found(rosas, rosa, project, draft):
    other = asqa.make_project()
    theirs = make_study(other, state="draft")
    by = factories.make_member(other, "researcher")
    deleted = studies_services.delete_study(study=theirs, by=by, now=timezone.now())
    restore = reverse("study-restore", args=[project.slug, deleted.pk])
    assert rosas.post(restore).status_code == 404
    listed = reverse("study-list", args=[project.slug])
    assert "deleted" not in rosas.get(f"{listed}?deleted={deleted.pk}").content.decode()
    for odd in ("x", "", "99999999999999999999999"):
        assert rosas.get(f"{listed}?deleted={odd}").status_code == 200


def test_where_there_are_no_disambiguations_none_are_spoken_of(client_as, now):
    project = factories.make_project(protocol="qampari", policies=False)
    question = factories.make_question(project, split="dev")
    systems = [make_system(project, name) for name in ("Short", "Long")]
    for system in systems:
        make_output(system, question)
    client = client_as(factories.make_member(project, "researcher"))
    page = client.get(reverse("study-new", args=[project.slug])).content.decode()
    assert "disambiguation" not in page.partition("<main")[2].partition("</main>")[0]
    posted = client.post(
        reverse("api-studies", args=[project.slug]), {}, content_type="application/json"
    )
    assert posted.status_code == 201
    study = project.studies.get()
    assert (study.accuracy, study.stratified) == (False, False)
