"""The pages of studies: drafts that are typed, looked at and started, and how far they are."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Task
from evaluation.models import Study
from evaluation.studies import services as studies_services
from evaluation.studies.overview import progress_of
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import (
    CRITERIA,
    make_judgment,
    make_output,
    make_study,
    make_system,
)

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def draft(project, systems):
    return make_study(project, systems, state="draft", title="Pilot", size=4, repeats=25)


def address(study, name="study-view"):
    return reverse(name, args=[study.project.slug, study.pk])


def typed(study, **changes):
    """What the form of a draft posts."""
    data = {
        "title": study.title,
        "systems": [str(system.pk) for system in study.systems.all()],
        "split": study.split,
        "size": str(study.size),
        "seed": str(study.seed),
        "pairing": study.pairing,
        "reference": "",
        "raters": str(study.raters),
        "repeats": str(study.repeats),
        "minutes": str(study.minutes),
        "accuracy": "on",
        "steps": "3",
        "shown": study.shown,
        "criteria": str(len(study.criteria)),
    }
    for place, row in enumerate(study.criteria):
        data |= {f"{part}_{place}": row[part] for part in ("key", "label", "wording")}
    return data | changes


# --- the list ------------------------------------------------------------------------------------


def test_the_list_says_what_a_study_is_while_there_is_none(rosas, project):
    page = rosas.get(reverse("study-list", args=[project.slug])).content.decode()
    assert "No study yet" in page
    assert reverse("study-new", args=[project.slug]) in page


def test_copied_drafts_open_at_once(rosas, project, draft):
    listed = reverse("study-list", args=[project.slug])
    copied = rosas.post(listed, {"copy": str(draft.pk)})
    copy = Study.objects.latest("pk")
    assert copied.url == address(copy)
    assert (copy.size, copy.systems.count()) == (4, 3)
    other = make_study(asqa.make_project(), state="draft")
    assert rosas.post(listed, {"copy": str(other.pk)}).status_code == 404
    for nothing in ({"copy": "x"}, {}):
        assert rosas.post(listed, nothing).status_code == 404


def test_the_list_takes_the_same_number_of_queries_for_more_studies(
    rosas, project, draft, rosa, django_assert_max_num_queries
):
    listed = reverse("study-list", args=[project.slug])
    with django_assert_max_num_queries(99) as few:
        rosas.get(listed)
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    make_judgment(draft.items.first())
    for _ in range(5):
        make_study(project, draft.systems.all(), state="draft")
    with django_assert_max_num_queries(len(few)):
        page = rosas.get(listed).content.decode()
    assert "1 of 5" in page


# --- the design ----------------------------------------------------------------------------------


def test_a_saved_draft_shows_what_was_typed(rosas, draft, systems):
    chosen = [str(system.pk) for system in systems[:2]]
    new = {"label_1": "Flow", "wording_1": "Which one flows?", "raters": "3", "steps": "5"}
    response = rosas.post(address(draft), typed(draft, systems=chosen, **new))
    assert response.url == address(draft)
    draft.refresh_from_db()
    assert (draft.raters, draft.steps, draft.stratified) == (3, 5, False)
    assert list(draft.systems.all()) == systems[:2]
    assert draft.criteria[1] == {"key": "fluency", "label": "Flow", "wording": "Which one flows?"}
    page = rosas.get(address(draft)).content.decode()
    assert page.count(" checked") >= 3
    assert "Which one flows?" in page
    assert "Amber" in page


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"size": "0"}, "at least 1."),
        ({"size": "many"}, "Write a whole number."),
        ({"seed": str(2**60)}, "at most 9007199254740992"),
        ({"raters": "26"}, "at most 25."),
        ({"minutes": "nan"}, "Enter a number"),
        ({"pairing": "sideways"}, "sideways"),
        ({"pairing": "reference"}, "Choose the system that all others are compared with."),
        ({"systems": ["999999999"]}, "deleted"),
        ({"systems": ["x"]}, "deleted|not a valid value"),
        ({"label_1": ""}, "required"),
        ({"label_1": "comprehensiveness"}, "Another criterion has this name."),
        ({"wording_0": "w" * 501}, "at most 500"),
    ],
)
def test_what_cannot_be_read_is_explained_and_changes_nothing(rosas, draft, changes, sentence):
    before = Study.objects.values().get(pk=draft.pk)
    response = rosas.post(address(draft), typed(draft, **changes))
    assert response.status_code == 422
    page = response.content.decode()
    assert "There is a problem" in page
    assert any(words in page for words in sentence.split("|"))
    assert Study.objects.values().get(pk=draft.pk) == before


def test_criteria_are_added_and_removed_without_scripts_and_saved_by_a_press(rosas, draft):
    page = rosas.post(address(draft), typed(draft, press="add", title="Typed")).content.decode()
    assert 'name="label_3"' in page
    assert 'value="Typed"' in page
    assert "There is a problem" not in page
    page = rosas.post(address(draft), typed(draft, press="remove-0")).content.decode()
    assert 'name="label_1"' in page
    assert 'name="label_2"' not in page
    assert "Comprehensiveness" not in page
    draft.refresh_from_db()
    assert draft.criteria == CRITERIA
    added = {"criteria": "4", "label_3": "Tone", "wording_3": "Which is kinder?", "key_3": ""}
    rosas.post(address(draft), typed(draft, **added))
    draft.refresh_from_db()
    assert [row["key"] for row in draft.criteria] == ["comp", "fluency", "overall", "criterion1"]


def test_hidden_fields_that_make_no_sense_are_mended(rosas, draft):
    """What nobody can type is not explained: keys that cannot be used are made anew."""
    odd = {"key_0": "../x", "key_1": "overall", "criteria": "3"}
    assert rosas.post(address(draft), typed(draft, **odd)).status_code == 302
    draft.refresh_from_db()
    assert [row["key"] for row in draft.criteria] == ["criterion1", "overall", "criterion2"]
    for criteria in ("-1", "99999999999999999999", "x", ""):
        response = rosas.post(address(draft), typed(draft, criteria=criteria))
        assert response.status_code in (302, 422), criteria


def test_a_change_on_the_form_alone_saves_nothing_and_opens_the_folded_settings(rosas, draft):
    page = rosas.post(address(draft), typed(draft, press="add", raters="3")).content.decode()
    assert '<details class="card more-settings" id="asked" open>' in page
    assert "open>" not in rosas.get(address(draft)).content.decode().split('id="asked"')[1][:9]
    draft.refresh_from_db()
    assert draft.raters == 1


def test_a_new_seed_is_drawn_and_not_saved(rosas, draft):
    page = rosas.post(address(draft), typed(draft, press="seed")).content.decode()
    assert 'name="seed" value="1"' not in page
    draft.refresh_from_db()
    assert draft.seed == 1


def test_a_script_saves_what_is_typed_and_gets_what_follows(rosas, draft):
    changes = {"pairing": "all", "raters": "2", "minutes": "6"}
    part = rosas.post(address(draft), typed(draft, **changes), headers=HTMX)
    assert part["HX-Replace-Url"] == address(draft)
    page = " ".join(part.content.decode().split())
    assert "<html" not in page
    assert "<strong>24</strong> and 6 repeats" in page
    assert "<strong>3 h</strong>, 6 min each" in page
    assert "12 pairs, 3 for each question" in page
    assert "Draft saved" in page
    assert "With 4 questions, one answer has to be preferred in about 99 of 100" in page
    draft.refresh_from_db()
    assert (draft.raters, draft.pairing, draft.state) == (2, "all", "draft")


def test_a_script_is_told_what_cannot_be_read_or_started(rosas, draft):
    unread = rosas.post(address(draft), typed(draft, size=""), headers=HTMX).content.decode()
    assert "once every field can be read" in unread
    assert "Not saved. Number of questions" in unread
    draft.refresh_from_db()
    assert (draft.size, draft.saved_at) == (4, None)
    short = rosas.post(address(draft), typed(draft, size="9"), headers=HTMX).content.decode()
    assert "asked for 9 questions" in short
    assert 'aria-disabled="true" aria-describedby="why-not"' in short
    draft.refresh_from_db()
    assert draft.size == 9


def test_a_script_never_starts_a_study(rosas, draft, judges):
    rosas.post(address(draft), typed(draft, press="start"), headers=HTMX)
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_the_sample_is_the_one_that_start_draws(rosas, draft, rosa):
    response = rosas.post(address(draft), typed(draft, press="sample", size="2"))
    assert response.url == address(draft, "study-sample")
    before = rosas.get(response.url).content.decode()
    draft.refresh_from_db()
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    after = rosas.get(response.url).content.decode()
    links = [
        [line for line in page.splitlines() if "/questions/" in line] for page in (before, after)
    ]
    assert links[0] == links[1]
    assert len(links[0]) == 1
    assert links[0][0].count("<a ") == 2


def test_start_saves_what_is_typed_and_opens_the_items(rosas, draft, judges):
    response = rosas.post(address(draft), typed(draft, press="start", raters="2"))
    assert response.url == address(draft)
    draft.refresh_from_db()
    assert (draft.state, draft.raters) == ("running", 2)
    assert set(Task.objects.values_list("people", flat=True)) == {2}
    page = rosas.get(address(draft)).content.decode()
    assert "0 of 10 judgments" in page
    assert "Close the study" in page


def test_a_study_does_not_start_without_the_people_it_needs(rosas, draft, judges):
    response = rosas.post(address(draft), typed(draft, press="start", raters="3"))
    assert response.status_code == 422
    page = " ".join(response.content.decode().split())
    assert "Needs 3 raters, 2 can work. Ask fewer people for each item, or find more." in page
    assert "2 judges can work now, 1 too few." in page
    assert f'href="{reverse("project-people", args=[draft.project.slug])}">Find another</a>' in page
    draft.refresh_from_db()
    assert (draft.state, draft.raters) == ("draft", 3)


def test_a_start_that_is_refused_keeps_the_draft_and_says_why(rosas, draft, judges):
    response = rosas.post(address(draft), typed(draft, press="start", size="9"))
    assert response.status_code == 422
    assert "asked for 9 questions" in response.content.decode()
    draft.refresh_from_db()
    assert (draft.state, draft.size) == ("draft", 9)


def test_a_started_study_cannot_be_changed_by_an_old_page(rosas, draft, rosa):
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    for press in ("save", "start"):
        response = rosas.post(address(draft), typed(draft, press=press, raters="7"))
        assert response.status_code == 409
    draft.refresh_from_db()
    assert draft.raters == 1


def test_the_design_page_takes_the_same_number_of_queries_for_more_systems(
    rosas, project, draft, systems, django_assert_max_num_queries
):
    with django_assert_max_num_queries(99) as few:
        rosas.get(address(draft))
    more = [make_system(project) for _ in range(5)]
    for system in more:
        for question in project.questions.all():
            make_output(system, question)
    draft.systems.set([*systems, *more])
    with django_assert_max_num_queries(len(few)):
        assert "8 chosen" in rosas.get(address(draft)).content.decode()


# --- how far it is -------------------------------------------------------------------------------


def test_the_page_of_a_running_study_shows_who_judged_how_much(rosas, draft, rosa):
    factories.make_member(draft.project, "judge", name="Jude Judd")
    factories.make_member(draft.project, "judge", user=rosa)
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    for item in draft.items.all()[:2]:
        make_judgment(item, name="Elsewhere One")
    page = rosas.get(address(draft)).content.decode()
    assert "2 of 5 judgments, 40 %" in page
    assert "Elsewhere One" in page
    assert "Jude Judd" in page
    assert "Rosa Reed can also manage this project" in page
    assert "It ends about" in page


def test_the_end_is_told_from_the_pace_of_the_last_days(draft, rosa):
    now = timezone.now()
    day = dt.timedelta(days=1)
    studies_services.start_study(study=draft, by=rosa, now=now - 20 * day)
    ages = (10, 6, 2)  # days ago
    for item, age in zip(draft.items.all(), ages, strict=False):
        make_judgment(item, created_at=now - age * day)
    progress = progress_of(draft, now=now)
    assert (progress.asked, progress.done, progress.days) == (5, 3, 7)
    assert progress.a_day == pytest.approx(2 / 7)
    assert progress.end - now == pytest.approx(7 * day, abs=day / 1000)
    draft.started_at = now - 3 * day  # shorter than that: the days there were
    assert progress_of(draft, now=now).a_day == pytest.approx(1 / 3)
    studies_services.close_study(study=draft, by=rosa, now=now)
    assert progress_of(draft, now=now).end is None


def test_closing_from_the_page(rosas, draft, rosa):
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    response = rosas.post(address(draft, "study-close"))
    assert response.url == address(draft)
    page = rosas.get(address(draft)).content.decode()
    assert "Closed" in page
    assert "Close the study" not in page
    assert rosas.post(address(draft, "study-close")).status_code == 409


def test_progress_takes_the_same_number_of_queries_for_more_judgments(
    rosas, draft, rosa, django_assert_max_num_queries
):
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    first, *rest = draft.items.all()
    make_judgment(first)
    with django_assert_max_num_queries(99) as few:
        rosas.get(address(draft))
    for number, item in enumerate(rest):
        make_judgment(item, name=f"Rater {number}")
    factories.make_member(draft.project, "judge")
    with django_assert_max_num_queries(len(few)):
        rosas.get(address(draft))


def test_a_study_of_another_project_is_not_found(rosas, project):
    other = make_study(asqa.make_project(), state="draft")
    for name in ("study-view", "study-sample"):
        assert rosas.get(reverse(name, args=[project.slug, other.pk])).status_code == 404


def test_the_log_says_what_was_done_and_leads_there(rosas, draft, rosa):
    new = studies_services.create_study(project=draft.project, by=rosa, now=timezone.now())
    studies_services.delete_study(study=new, by=rosa, now=timezone.now())
    studies_services.start_study(study=draft, by=rosa, now=timezone.now())
    studies_services.close_study(study=draft, by=rosa, now=timezone.now())
    page = rosas.get(reverse("project-log", args=[draft.project.slug])).content.decode()
    listed = reverse("study-list", args=[draft.project.slug])
    for sentence in (
        f'Rosa Reed made a draft of <a href="{listed}">Study 2</a>.',
        f'Rosa Reed deleted Study 2 under <a href="{listed}">Studies</a>.',
        f'Rosa Reed started <a href="{address(draft)}">Pilot</a>: 5 items.',
        f'Rosa Reed closed <a href="{address(draft)}">Pilot</a>.',
    ):
        assert sentence in page, sentence
