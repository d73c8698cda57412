"""Finished questions of generation: what several people answered, and was accepted, is known."""

import pytest
from django.utils import timezone

from annotation.models import Question
from annotation.sheets.known_items import KnownItem
from annotation.stages import registry as stages
from annotation.work import assignments, tasks
from tests import factories
from tests.annotation.work.helpers import easy, read_a_page, single

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = factories.make_project()
    project.policies.create(stage="validation", split="dev", people=1)
    easy(project)
    return project


def known(project, split="dev"):
    golds = stages.get_stage("generation").golds
    return {
        gold.question: gold.expected["answers"]
        for gold in golds.list_finished_items(project.pk, split)
    }


def answered(project, *answers, split="dev"):
    """A question with these answers, each by somebody else."""
    now = timezone.now()
    question = factories.make_question(project, split=split)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    for text in answers:
        person = factories.make_member(project, "annotator")
        work = assignments.take_next(project=project, stage="generation", by=person, now=now)
        read_a_page(work, now, text=f"It opened on {text}.", path=f"Page_{work.pk}")
        assignments.submit_response(assignment=work, response=single(text), by=person, now=now)
    return Question.objects.get(pk=question.pk)


def test_accepted_answers_of_several_people_are_known(project):
    alike = answered(project, "25 March 1843", "25 March 1843")
    assert alike.state == "auto_accepted"
    assert known(project) == {alike.pk: ["25 March 1843"]}
    item = KnownItem(expected={"answers": known(project)[alike.pk]})
    sheet = stages.get_stage("generation").sheet
    assert sheet.grade_response(single("25 march 1843."), item).passed
    assert not sheet.grade_response(single("7 December 1869"), item).passed


def test_what_one_person_said_or_no_one_decided_is_not_known(project):
    alone = answered(project, "25 March 1843", split="train")
    undecided = answered(project, "25 March 1843", "7 December 1869")
    assert (alone.state, undecided.state) == ("accepted", "validating")
    assert known(project) == known(project, "train") == {}


def test_answers_that_differ_are_not_known_where_no_one_validates(project):
    project.policies.filter(stage="validation").delete()
    assert answered(project, "25 March 1843", "7 December 1869").state == "accepted"
    assert known(project) == {}


def test_answers_that_came_with_a_question_are_known_beside_those(project):
    alike = answered(project, "25 March 1843", "25 March 1843")
    Question.objects.filter(pk=alike.pk).update(known_answers=["1843"])
    came = factories.make_question(project, state="accepted", known_answers=["1869"])
    open_ = factories.make_question(project, known_answers=["1900"])
    assert known(project) == {alike.pk: ["1843", "25 March 1843"], came.pk: ["1869"]}
    assert open_.pk not in known(project)
