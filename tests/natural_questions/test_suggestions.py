"""Suggested boxes: which systems suggest, where they are shown, and what becomes of them."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.models import StagePolicy, Submission, Suggestion
from annotation.projects.services import change_policy
from annotation.sheets.steps import load_progress
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import OfferedSuggestion, SuggestedContent
from metrics.nq import NqSpan
from natural_questions.annotation import PageSpan
from natural_questions.boxes import Box
from natural_questions.for_models import find_smallest_box
from natural_questions.response import NO_BOX, PageAnswerResponse
from natural_questions.suggestions import Boxes
from tests import factories
from tests.annotation.suggestions.test_api import Work
from tests.natural_questions import page, samples
from tests.natural_questions.test_importing import bring_in
from tests.stages.examples import good_question, nq_project, nq_question
from tests.stages.suggested import SYSTEM, show, uses
from tests.stages.window import HX, Window

TABLE, ROW = "30-50", "31-40"
FIRST = "First paragraph of the page"


# --- which systems suggest ------------------------------------------------------------------------


@pytest.fixture
def project(db):
    """Two questions of one page on train, and a finished one on dev."""
    project = nq_project()
    for name, question in ((51, "how many lamps has pump lane"), (52, "is the mill open")):
        bring_in(project, samples.original(name, question, annotations=[]), split="train")
    bring_in(project, samples.original(), finished=True)
    return project


def suggest(project, key, *options, split="train"):
    arguments = [f"--option={option}" for option in options]
    call_command("suggest", project.slug, "--split", split, "--system", key, *arguments)
    return list(Suggestion.objects.order_by("question__external_id"))


def test_the_first_paragraph_is_suggested_as_a_box_of_the_own_page(project):
    rows = suggest(project, "first-paragraph")
    assert [row.question.external_id for row in rows] == ["51", "52"]
    assert {row.kind for row in rows} == {"long_answer"}
    content = rows[0].content
    assert (content["box"], content["title"]) == ("4-27", "Pump Lane")
    assert content["text"].startswith("Pump Lane is a short street")


def test_a_copied_annotation_is_suggested_as_the_box_that_it_is(project):
    for key in ("most-frequent", "closest-question"):
        suggest(project, key, "train=dev")
    systems = {row.system: row.content["box"] for row in Suggestion.objects.all()}
    assert {*systems.values()} == {"4-27"}
    assert len(systems) == 2


def test_answers_of_a_split_are_not_suggested_on_it(project, now):
    bring_in(project, samples.original(53, "how long is it"), finished=True, split="train")
    with pytest.raises(CommandError, match="would copy answers of train to other questions of it"):
        suggest(project, "closest-question", "train=train")
    suggest(project, "most-frequent", "train=train", split="dev")
    assert {row.question.split for row in Suggestion.objects.all()} == {"dev"}


def test_a_page_without_a_paragraph_has_no_suggestion(project, capsys):
    html = "<Ul><Li>No café is open.</Li></Ul>"
    found = samples.tokens(html)
    bring_in(
        project,
        samples.original(
            43, "is it open", document_html=html, document_tokens=found, annotations=[],
            long_answer_candidates=samples.candidates(found),
        ),
        split="train",
    )  # fmt: skip
    assert len(suggest(project, "first-paragraph")) == 2
    assert "new suggestions for 2 questions, none for 1" in capsys.readouterr().out


def box(start, end, *, by_bytes=False):
    place = (-1, -1, start, end) if by_bytes else (start, end)
    return Box(PageSpan(*place), "paragraph", 0)


@pytest.mark.parametrize(
    ("span", "found"),
    [
        (NqSpan(-1, -1, 10, 20), 1),
        (NqSpan(-1, -1, 12, 14), 1),
        (NqSpan(-1, -1, 5, 25), 0),
        (NqSpan(-1, -1, 15, 45), None),
        (NqSpan(12, 14, -1, -1), 2),
        (NqSpan(12, 19, -1, -1), None),
    ],
)
def test_the_smallest_box_that_holds_the_whole_answer(span, found):
    boxes = [box(0, 40), box(10, 20), box(10, 15, by_bytes=True)]
    assert find_smallest_box(boxes, span) == (None if found is None else boxes[found])


# --- what becomes of one --------------------------------------------------------------------------


def offer(key=TABLE):
    return OfferedSuggestion(7, 1, SYSTEM, SuggestedContent("long_answer", text="…", box=key))


@pytest.mark.parametrize(
    ("chosen", "fate"),
    [
        (TABLE, "accepted"), (ROW, "edited"), ("4-60", "edited"),
        (page.PARAGRAPH, ""), (NO_BOX, ""), ("", ""),
    ],
)  # fmt: skip
def test_a_box_around_it_or_in_it_is_an_edited_one(chosen, fate):
    response = PageAnswerResponse(good="yes", box=chosen, suggestion=7)
    assert Boxes().part_fate(response, 0, offer()) == fate


def test_it_opens_after_a_box_or_none_of_ones_own():
    taking = Boxes()
    assert not taking.has_begun(PageAnswerResponse(good="yes"))
    assert taking.has_begun(PageAnswerResponse(good="yes", box=page.PARAGRAPH))
    assert taking.has_begun(PageAnswerResponse(good="yes", box=NO_BOX))


@pytest.fixture
def work(now, db):
    """Somebody in the second step of a question, whose project shows suggestions."""
    project = nq_project()
    nq_question(project, now, "train")
    window = Window(factories.make_member(project, "annotator"), project, "nq").take()
    content = SuggestedContent("long_answer", text="Height 31 metres", box=TABLE)
    show(window.assignment, content, now=now)
    window.post("step", good_question(window.open().fields))
    return window.open()


def save(work, **fields):
    answer = work.post("draft", work.fields | {name: [value] for name, value in fields.items()})
    assert answer.status_code == 302
    return work.open()


def go_on(work, **fields):
    answer = work.post("step", work.open().fields | {name: [each] for name, each in fields.items()})
    assert answer.status_code == 302
    return work.open()


def accept(work):
    return save(work, action=f"accept-suggestion {Suggestion.objects.get().pk}")


def test_the_box_is_chosen_on_the_page(work):
    accept(save(work, box=page.PARAGRAPH))
    assert work.fields["box"] == [TABLE]
    assert "Used in your long answer" in work.words
    assert uses(work.assignment) == ["accepted"]


def test_a_box_elsewhere_gives_the_suggestion_back(work):
    save(accept(save(work, box=page.PARAGRAPH)), box="66-73")
    assert uses(work.assignment) == [""]
    assert work.row().draft.get("suggestion") is None
    assert f"From {SYSTEM}" not in work.words


def test_what_was_chosen_alike_is_not_shown(work):
    save(work, box=TABLE)
    assert f"{SYSTEM} suggests no other box than yours." in work.words
    assert uses(work.assignment) == []


def test_a_step_that_is_left_at_once_showed_nothing(work):
    go_on(work, box=page.PARAGRAPH)
    assert uses(work.assignment) == []


def test_without_a_long_answer_the_second_step_submits_and_records(work):
    accept(save(work, box=NO_BOX))
    go_on(work, box=NO_BOX)
    assert work.row().state == "submitted"
    assert uses(work.assignment) == [""]


def test_a_box_changed_in_the_press_that_leaves_the_step_counts(work):
    accept(save(work, box=page.PARAGRAPH))
    go_on(work, box=ROW)
    assert uses(work.assignment) == ["edited"]


def test_what_was_shown_is_still_there_after_going_back(work):
    accept(save(work, box=page.PARAGRAPH))
    go_on(work)
    assert SYSTEM not in work.html
    assert "suggestion" not in work.fields
    go_on(work, action="back")
    assert work.fields["box"] == [TABLE]
    assert f"From {SYSTEM}, as it was suggested" in work.words
    assert uses(work.assignment) == ["accepted"]
    go_on(work)
    go_on(work, answer="none")
    assert work.row().state == "submitted"
    assert {*load_progress(work.row().steps).seconds} == {"question", "long", "short"}
    stored = Submission.objects.get().response
    assert stored["annotation"]["long"][:2] == [30, 50]
    assert uses(work.assignment) == ["accepted"]


def test_leaving_the_question_and_coming_back_keeps_the_panel(work):
    save(save(work, box=page.PARAGRAPH), action=f"dismiss-suggestion {Suggestion.objects.get().pk}")
    assert work.post("park", {"reason": "Later."}).status_code == 302
    work.post("resume", {})
    assert "Dismissed" in work.open().words
    assert uses(work.assignment) == ["dismissed"]


def test_a_reply_to_a_script_says_which_box_was_chosen(work):
    save(work, box=page.PARAGRAPH)
    fields = work.fields | {"action": [f"accept-suggestion {Suggestion.objects.get().pk}"]}
    answer = work.post("draft", fields, headers=HX)
    assert f'data-made data-box-chosen="{TABLE}"' in answer.text
    assert "data-made" not in work.open().html


def test_only_the_second_step_tells_clients_of_any(work):
    client = Work(work)
    assert client.work["step"] == "long"
    assert client.shown()["locked"].startswith("Choose a box")
    client.work["response"]["box"] = page.PARAGRAPH
    assert client.send(reverse("api-work-draft", args=[client.pk])).status_code == 200
    [row] = client.shown()["suggestions"]
    assert (row["box"], row["state"]) == (TABLE, "open")
    assert client.decide(Suggestion.objects.get(), "accept").status_code == 200
    assert client.work["response"]["box"] == TABLE
    go_on(work)
    assert client.shown() == {
        "system": "", "locked": "", "progress": "", "hidden": 0, "suggestions": [],
    }  # fmt: skip


def test_nothing_of_the_page_is_told_in_the_first_step(now, db):
    project = nq_project()
    nq_question(project, now, "train")
    work = Window(factories.make_member(project, "annotator"), project, "nq").take()
    show(work.assignment, SuggestedContent("long_answer", text=page.SECRET, box=TABLE), now=now)
    assert SYSTEM not in work.open().html
    assert Work(work).shown()["system"] == ""
    save(work, good="yes", action=f"accept-suggestion {Suggestion.objects.get().pk}")
    assert uses(work.assignment) == []
    assert work.row().draft["box"] == ""


def test_the_number_of_a_suggestion_is_in_no_export(work):
    accept(save(work, box=page.PARAGRAPH))
    go_on(go_on(work), answer="none")
    stage = work.stage
    from annotation.stages import registry

    stored = Submission.objects.get().response
    exported = registry.get_stage(stage).response_for_export(stored)
    assert "suggestion" in stored
    assert "suggestion" not in exported


# --- evaluation splits ----------------------------------------------------------------------------


@pytest.mark.parametrize("split", ["dev", "test"])
def test_evaluation_splits_show_none_and_say_why(split, now, client_as, db):
    project = nq_project()
    policy, _ = project.policies.get_or_create(stage="nq", split=split, defaults={"people": 1})
    staff = factories.make_member(project, "admin")
    address = reverse("policy-change", args=[project.slug, policy.pk])
    shown = client_as(staff).get(address).text
    assert "see no suggestion of one. Suggestions can be shown on train." in " ".join(shown.split())
    assert 'name="suggestions"' in shown
    with pytest.raises(Conflict, match="Systems are scored by the answers on dev and test"):
        change_policy(policy=policy, changes={"suggestions": SYSTEM}, by=staff, now=now)
    policy.refresh_from_db()
    assert policy.suggestions == ""


def test_on_train_the_policy_says_what_is_missing(client_as, db):
    project = nq_project()
    policy = project.policies.get(split="train")
    address = reverse("policy-change", args=[project.slug, policy.pk])
    shown = client_as(factories.make_member(project, "admin")).get(address).text
    assert "None are stored for questions on train yet." in shown


def test_whatever_a_policy_says_an_evaluation_split_shows_none(now, db):
    project = nq_project()
    question = nq_question(project, now)
    suggestions_services.store_suggestions(
        question=question,
        system=SYSTEM,
        version="1",
        suggestions=[SuggestedContent("long_answer", text="Height", box=TABLE)],
        now=now,
    )
    StagePolicy.objects.filter(project=project).update(suggestions=SYSTEM)
    work = Window(factories.make_member(project, "annotator"), project, "nq").take()
    go_on(work, good="yes")
    save(work, box=page.PARAGRAPH)
    assert 'id="suggestions"' not in work.html
    assert Work(work).shown()["system"] == ""


# --- for the team ---------------------------------------------------------------------------------


def test_the_report_counts_them(work, client_as, capsys):
    accept(save(work, box=page.PARAGRAPH))
    go_on(go_on(work), answer="none")
    project = work.project
    shown = client_as(factories.make_member(project, "admin")).get(
        reverse("suggestion-report", args=[project.slug])
    )
    assert shown.status_code == 200
    assert SYSTEM in shown.text
    call_command("uptake", project.slug, "--json")
    figures = {row["figure"]: row["value"] for row in json.loads(capsys.readouterr().out)}
    assert (figures["shown"], figures["accepted"]) == (1, 1)
