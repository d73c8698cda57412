"""A15: a project can ask whether people are free of a conflict of interest."""

import json

import pytest
from django.db import IntegrityError, transaction
from django.http import QueryDict

from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.generation.check_values import Context
from annotation.generation.sheet import GenerationSheet
from annotation.models import Annotation
from tests.annotation.work.conftest import HX, form, reload, url

BOX = 'name="no_conflict"'


@pytest.fixture
def asking(project):
    project.rule_settings = {"ask_conflict": True}
    project.save()
    return project


def exported(project, now):
    found = start_export(
        project=project, format="annotations", chosen=Selection(), by=None, now=now
    )
    return json.loads(b"".join(found.blocks()))


def test_nobody_is_asked_unless_the_project_wants_it(client_as, project, work, ann, now):
    client = client_as(ann)
    assert BOX not in client.get(url("page", work)).text
    answer = client.post(url("submit", work), form(work, no_conflict="yes"), headers=HX)
    assert answer.headers["HX-Redirect"]
    assert Annotation.objects.get().no_conflict is None
    assert "no_conflict" not in exported(project, now)


def test_who_does_not_say_so_cannot_submit_and_what_is_said_is_kept(
    client_as, asking, work, ann, now
):
    client = client_as(ann)
    page = client.get(url("page", work)).text
    assert BOX in page
    assert "You have no conflict of interest" in page
    answer = client.post(url("submit", work), form(work), headers=HX)
    assert answer.status_code == 422
    assert "If you have one, skip the question." in answer.text
    assert not Annotation.objects.exists()
    said = form(reload(work), no_conflict="yes")
    client.post(url("draft", work), said, headers=HX)
    assert f'{BOX} value="yes" checked' in client.get(url("page", work)).text
    answer = client.post(url("submit", work), form(reload(work), no_conflict="yes"), headers=HX)
    assert answer.headers["HX-Redirect"]
    assert Annotation.objects.get().no_conflict is True
    assert exported(asking, now)["no_conflict"] is True


@pytest.mark.parametrize(("texts", "asks"), [(None, False), ([], True)])
def test_the_form_of_an_item_of_an_exam_does_not_ask(texts, asks):
    """There nothing is known of pages read, and nothing is submitted."""
    sheet = GenerationSheet()
    given = Context(prompt="Who?", page_texts=texts, settings={"ask_conflict": True})
    response = sheet.blank
    report = sheet.check_response(response, given)
    shown = sheet.form_context(response, report, given, QueryDict())
    assert shown["asks_conflict"] is asks


def test_an_answer_in_spite_of_a_conflict_cannot_be_stored(client_as, asking, work, ann):
    client_as(ann).post(url("submit", work), form(work, no_conflict="yes"), headers=HX)
    with (
        transaction.atomic(),
        pytest.raises(IntegrityError, match="annotation_without_conflict"),
    ):
        Annotation.objects.update(no_conflict=False)
