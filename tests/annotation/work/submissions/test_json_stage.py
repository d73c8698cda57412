"""What a stage that keeps its submissions as JSON inherits: writing, reading, export, pages."""

import json
from dataclasses import dataclass

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.models import AuditEntry, Event, Submission
from annotation.sheets.fields import Form, Keep, LineField, Quotes
from annotation.sheets.many import Keeps, PartsField
from annotation.sheets.response_quotes import quotes_in, with_quotes
from annotation.stages import registry as stages
from annotation.work import assignments
from tests import factories
from tests.stages import recipe
from tests.stages.scene import make_scene, taken
from wikipedia.models import Quote

WHY = "It opened to costermongers and to trains."


@pytest.fixture
def scene(db, now):
    with recipe.registered():
        yield make_scene(recipe.STAGE, now)


@pytest.fixture
def work(scene):
    return taken(scene.worker, scene.project, recipe.STAGE)


@pytest.fixture
def submitted(work, scene, now):
    """A short reason, with its warning kept."""
    keep = {"keep-rule": ["short-reason"], "keep-field": ["why"], "keep-reason": ["It says all."]}
    fields = work.fields | {"verdict": ["no"], "why": ["Only one."], "feedback": ["Easy."]} | keep
    assert work.post("submit", fields).status_code == 302
    return work


def exported(project, folder):
    target = folder / "submissions.jsonl"
    call_command("export", project.slug, "--format", "submissions", "--output", str(target))
    return [json.loads(line) for line in target.read_text().splitlines()]


def test_one_row_holds_the_response_and_what_was_kept(submitted, scene):
    row = Submission.objects.get()
    assert (row.assignment_id, row.author, row.question) == (
        submitted.assignment.pk,
        scene.worker,
        scene.question,
    )
    assert (row.stage, row.response["verdict"]) == (recipe.STAGE, "no")
    assert row.keeps == [{"rule": "short-reason", "field": "why", "reason": "It says all."}]
    assert Event.objects.filter(kind="warning_kept").count() == 1


def test_the_log_keeps_what_is_returned(submitted, scene, now):
    turn = submitted.row()
    assignments.return_to_author(assignment=turn, note="Why?", by=scene.staff, now=now)
    assert not Submission.objects.exists()
    data = AuditEntry.objects.get(action="assignment_returned_to_author").data
    assert "Only one." in json.dumps(data)
    with pytest.raises(Conflict, match="has no submission"):
        stages.get_stage(recipe.STAGE).values_for_log(turn)


def test_the_export_is_one_envelope(submitted, scene, tmp_path):
    [record] = exported(scene.project, tmp_path)
    assert record["response"] == {"verdict": "no", "why": "Only one."}
    assert record["feedback"] == "Easy."
    assert [each["reason"] for each in record["warnings_kept"]] == ["It says all."]
    assert (record["id"], record["stage"], record["unit"], record["used"]) == (
        scene.question.external_id,
        recipe.STAGE,
        "",
        True,
    )
    assert [event["kind"] for event in record["events"]] == ["warning_kept"]
    assert {"times", "person", "snapshot", "quotes", "guideline_version"} <= record.keys()


def test_quotes_are_exported_with_where_they_are_from(submitted, scene, tmp_path):
    quote = quote_of(scene.worker, scene.project.snapshot)
    Submission.objects.get().quotes.add(quote)
    [record] = exported(scene.project, tmp_path)
    [found] = record["quotes"]
    assert (found["id"], found["exact"], found["used"]) == (quote.pk, "Walkers", True)
    assert found["source"]["title"] == "Thames Tunnel"


def test_the_team_sees_it_with_its_quotes_and_reasons(submitted, scene, client_as):
    quote = quote_of(scene.worker, scene.project.snapshot)
    Submission.objects.get().quotes.add(quote)
    pages = [
        reverse("question-view", args=[scene.project.slug, scene.question.pk]),
        reverse("monitoring-person", args=[scene.project.slug, scene.worker.pk]),
    ]
    for page in pages:
        text = client_as(scene.staff).get(page).text
        for words in ("Only one.", "It says all.", "<q>Walkers</q>", "Easy."):
            assert words in text, (words, page)
    shown = client_as(scene.staff).get(reverse("quote-view", args=[scene.project.slug, quote.pk]))
    assert shown.status_code == 200


def test_its_author_sees_it_with_its_result(submitted):
    answer = submitted.client.get(reverse("submission-view", args=[submitted.assignment.pk]))
    assert "Only one." in answer.text
    assert "What you submitted is accepted as you wrote it." in answer.text


def quote_of(user, snapshot):
    page = factories.make_shown(snapshot, html="<p>Walkers came first.</p>")
    return Quote.objects.create(
        page=page, block_kind="paragraph", exact="Walkers", start=0, end=7,
        made_by="selection", created_by=user, created_at=page.retrieved_at,
    )  # fmt: skip


# --- quotes in a response --------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    text: str = ""
    quote: int | None = None
    more: tuple[int, ...] = ()


@dataclass(frozen=True)
class Response:
    quote: int | None = None
    more: tuple[int, ...] = ()
    parts: tuple[Part, ...] = ()
    keeps: tuple[Keep, ...] = ()


PARTS = PartsField(Part, "part", "Part", 5, {"text": LineField(100, "the text"), "quote": Quotes()})
FORM = Form(Response, {"quote": Quotes(), "parts": PARTS, "keeps": Keeps()})
QUOTED = Response(1, (2, 3), (Part("a", 4), Part("b"), Part("c", 5, (6,))))


def test_quotes_are_found_wherever_the_form_has_them():
    assert quotes_in(FORM, QUOTED) == {1, 2, 3, 4, 5, 6}
    assert quotes_in(FORM, Response()) == set()


def test_only_ones_own_are_left_and_the_words_stay():
    left = with_quotes(FORM, QUOTED, {2, 3, 6})
    assert left == Response(2, (3,), (Part("a"), Part("b"), Part("c", 6)))
