"""Judges at their windows, and studies for them to work on."""

from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.factories import LEFT, RIGHT
from tests.stages.examples import judgment
from tests.stages.window import Window


def judge(project, name="Rita Rye", stage="comparison"):
    return Window(factories.make_member(project, "judge", name=name), project, stage)


def submit(window, **chosen):
    fields = judgment(window.fields, "walkers") | chosen
    assert window.post("submit", fields).status_code == 302
    return window


def make_items(project, count, **fields):
    item = studies.judged_question(project, **fields)
    for _ in range(count - 1):
        question = asqa.make_question(project)
        studies.make_output(item.first, question, LEFT)
        studies.make_output(item.second, question, RIGHT)
        studies.make_item(item.study, question, item.first, item.second)
    studies.open_items(item.study)
    return item.study
