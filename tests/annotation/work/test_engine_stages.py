"""The registry, the generation stage's own parts, and bulk."""

import re
import time
from importlib import import_module
from pathlib import Path

import pytest

from annotation.core.refusals import Conflict
from annotation.generation.responses import GenerationResponse, WrittenPair, to_json
from annotation.models import Assignment, Question, StagePolicy, Task
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import easy, multiple, read_a_page


@pytest.fixture
def generation():
    return stages.get_stage("generation")


def test_generation_is_the_first_stage_of_ambigqa(generation):
    assert stages.first_of("ambigqa") is generation
    assert generation in stages.of_protocol("ambigqa")
    assert [stage.key for stage in stages.of_protocol("ambigqa")] == [
        *("generation", "validation", "audit", "accuracy", "comparison", "expert")
    ]
    with pytest.raises(KeyError):
        stages.get_stage("nothing")


def test_default_policies_are_the_papers(project, generation):
    policies = stages.default_policies(project)
    found = {(each.stage, each.split): each.people for each in policies}
    assert found == {
        ("generation", "train"): 1,
        ("generation", "dev"): 2,
        ("generation", "test"): 2,
        ("validation", "dev"): 1,
        ("validation", "test"): 1,
    }
    StagePolicy.objects.filter(project=project).delete()
    StagePolicy.objects.bulk_create(generation.default_policies(project))


def test_an_empty_draft_opens_with_two_pairs(generation):
    assert generation.sheet.load({}) == GenerationResponse(pairs=(WrittenPair(), WrittenPair()))
    assert generation.sheet.load(to_json(multiple())) == multiple()


def test_the_context_counts_pages_once_and_finds_words(project, ann, now, generation):
    assignment = factories.make_assignment(factories.make_task(project), ann, seen_at=now)
    for path, text in (("A", "It opened in 1843."), ("B", "Trains came in 1869."), ("A", None)):
        read_a_page(assignment, now, text, path)
    other = factories.make_assignment(
        factories.make_task(project), factories.make_user(), project=project
    )
    read_a_page(other, now, "Somebody else read this.", "C")
    context = generation.build_sheet_context(assignment, now=now)
    assert context.pages_opened == 2
    assert context.on_opened_page("1843")
    assert context.on_opened_page("1869")
    assert not context.on_opened_page("Somebody else")
    assert context.prompt == "When did the thames tunnel open?"


def test_page_texts_are_read_only_when_a_rule_asks(
    project, ann, now, generation, django_assert_num_queries
):
    assignment = factories.make_assignment(factories.make_task(project), ann)
    read_a_page(assignment, now, "It opened in 1843.")
    assignment = Assignment.objects.select_related("task__question", "policy", "project").get()
    with django_assert_num_queries(1):
        context = generation.build_sheet_context(assignment, now=now)
    with django_assert_num_queries(1):
        context.on_opened_page("1843")
        context.on_opened_page("1869")


def test_record_is_what_was_submitted(project, ann, now, generation):
    easy(project)
    assignment = factories.make_assignment(factories.make_task(project), ann)
    with pytest.raises(Conflict, match="has no submission"):
        generation.values_for_log(assignment)
    read_a_page(assignment, now, "1843 and 1869")
    assignments.submit_response(assignment=assignment, response=multiple(), by=ann, now=now)
    record = generation.values_for_log(assignment)
    assert record["kind"] == "multiple"
    assert [pair["question"] for pair in record["pairs"]] == [
        pair.question for pair in multiple().pairs
    ]


def test_ten_thousand_questions_at_once(project, now, django_assert_max_num_queries):
    Question.objects.bulk_create(
        Question(
            project=project, external_id=str(n), text=f"question {n}", split="dev", created_at=now
        )
        for n in range(10_000)
    )
    ids = list(Question.objects.values_list("pk", flat=True))
    start = time.perf_counter()
    with django_assert_max_num_queries(8):
        assert tasks.open_tasks(question_ids=ids, now=now) == 10_000
    assert time.perf_counter() - start < 20
    assert Task.objects.filter(seats=2).count() == 10_000


ENGINE = ("assignments", "drafts", "handover", "leases", "seats", "taking", "tasks")


@pytest.mark.parametrize("module", ENGINE)
def test_no_engine_module_names_a_stage_or_a_protocol(module):
    """What it has to know of them is in `Stage` and in the hooks (docs/adr/0017)."""
    text = Path(import_module(f"annotation.work.{module}").__file__).read_text()
    keys = [each.key for each in (*stages.list_stages(), *protocols.list_protocols())]
    words = set(re.findall(r"[\"']([a-z_]+)[\"']|\b([A-Z][A-Z_]+)\b", text))
    named = {word for pair in words for word in pair if word}
    assert not named & {*keys, *map(str.upper, keys)}
