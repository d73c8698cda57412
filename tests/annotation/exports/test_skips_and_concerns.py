"""Skips and concerns on their way out, and the filters that every export has."""

import csv
import datetime as dt
import io
import json

import pytest

from accounts.pseudonyms import derive_pseudonym
from annotation.exports.format import JSON, JSON_LINES
from annotation.exports.selection import Selection
from annotation.exports.services import formats_by_key, start_export
from annotation.long_answers.concerns import services as concerns_services
from annotation.work import assignments
from tests import factories
from tests.annotation.exports.submissions import opened, submit
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db


def read(project, format, now, **filters):
    """The records of an export."""
    chosen = Selection(**filters)
    export = start_export(project=project, format=format, chosen=chosen, by=None, now=now)
    text = b"".join(export.blocks()).decode()
    kind = formats_by_key()[format].content_type
    if kind == JSON:
        found = json.loads(text)
    elif kind == JSON_LINES:
        found = [json.loads(line) for line in text.splitlines()]
    else:
        found = list(csv.DictReader(io.StringIO(text)))
    assert export.records == len(found)
    return found


def test_skips_have_reason_and_feedback(project, ann, now):
    question = factories.make_question(project, external_id="q1")
    turn = factories.make_assignment(factories.make_task(project, question), ann, started_at=now)
    assignments.skip_question(
        assignment=turn, reason="subjective", feedback="Taste.", by=ann, now=now
    )
    turn.refresh_from_db()
    # A validator's skip is one too; an expert's of an audit is none.
    for stage in ("validation", "audit"):
        project.policies.create(stage=stage, split="dev", people=1)
    validation = factories.make_task(project, question, stage="validation")
    factories.make_assignment(validation, ann, state="skipped", skip_reason="ill_formed")
    audit = factories.make_task(project, question, stage="audit")
    factories.make_assignment(audit, ann, state="skipped", skip_reason="ill_formed")
    first, second = read(project, "skips", now)
    assert first == {
        "schema_version": 1,
        "id": "q1",
        "question": question.text,
        "prompt": question.prompt,
        "split": "dev",
        "stage": "generation",
        "task": turn.task_id,
        "assignment": turn.pk,
        "person": derive_pseudonym(ann, scope=project.slug),
        "reason": "subjective",
        "feedback": "Taste.",
        "times": {
            "started": now.isoformat(),
            "skipped": now.isoformat(),
            "active_seconds": turn.active_seconds,
        },
        "guideline_version": turn.guideline_version,
    }
    assert (second["stage"], second["reason"]) == ("validation", "ill_formed")


def test_concerns_of_everybody_are_there(ann, rosa, now):
    project = helpers.make_project()
    for person in (ann, rosa):
        factories.make_member(project, "annotator" if person is ann else "researcher", user=person)
    question = helpers.open_question(project, now, external_id="q1")
    turn = helpers.take(project, ann, now)
    mine = concerns_services.raise_concern(
        assignment=turn, disambiguations=[1], reason="Not trains.", by=ann, now=now
    )
    concerns_services.raise_as_staff(
        question=question, disambiguations=[], reason="Odd.", by=rosa, now=now
    )
    first, second = read(project, "concerns", now)
    assert first == {
        "schema_version": 1,
        "id": "q1",
        "question": question.text,
        "prompt": question.prompt,
        "split": "dev",
        "concern": mine.pk,
        "task": turn.task_id,
        "assignment": turn.pk,
        "submitted": False,
        "raised_by": "writer",
        "person": derive_pseudonym(ann, scope=project.slug),
        "disambiguations": [1],
        "reason": "Not trains.",
        "state": "open",
        "note": "",
        "decided_by": None,
        "times": {"raised": now.isoformat(), "decided": None},
    }
    assert (second["raised_by"], second["assignment"], second["reason"]) == ("staff", None, "Odd.")
    concerns_services.decide_concern(
        concern=mine, state="dismissed", note="Trains ran there.", by=rosa, now=now
    )
    first, _ = read(project, "concerns", now)
    assert (first["state"], first["note"]) == ("dismissed", "Trains ran there.")
    assert first["decided_by"] == derive_pseudonym(rosa, scope=project.slug)
    assert read(project, "concerns", now, user=ann.pk) == [first]
    assert read(project, "concerns", now, until=dt.date(2020, 1, 1)) == []


@pytest.mark.parametrize(
    "format",
    ["ambignq-light", "ambignq", "annotations", "annotations-light", "pages-read"],
)
def test_filters_choose_by_state_person_and_day(project, ann, ben, now, format):
    """Ann answers both on 1 March; Ben the second a minute before midnight of 2 March, UTC."""
    one = factories.make_question(project, external_id="one", state="accepted")
    two = factories.make_question(project, external_id="two", split="test")
    for question in (one, two):
        submit(question, ann, pairs=[("", ["a"])], events=[opened("By Ann")])
    late = dt.timedelta(days=1, hours=14, minutes=59)
    submit(two, ben, pairs=[("", ["b"])], minutes=late.total_seconds() / 60, events=[opened("Ben")])

    def chosen(**filters):
        found = read(project, format, now, **filters)
        if format.startswith("ambignq"):
            return [
                (each["id"], answer["answer"][0])
                for each in found
                for answer in each["annotations"]
            ]
        who = {
            derive_pseudonym(ann, scope=project.slug): "a",
            derive_pseudonym(ben, scope=project.slug): "b",
        }
        return [(each["id"], who[each["person"]]) for each in found]

    everything = [("one", "a"), ("two", "a"), ("two", "b")]
    first, second = dt.date(2026, 3, 1), dt.date(2026, 3, 2)
    assert chosen() == chosen(since=first, until=second) == everything
    assert chosen(split="dev") == chosen(state="accepted") == [("one", "a")]
    assert chosen(user=ben.pk) == chosen(since=second) == chosen(since=second, until=second)
    assert chosen(since=second) == [("two", "b")]
    assert chosen(until=first) == [("one", "a"), ("two", "a")]
    assert chosen(state="accepted", user=ben.pk) == []
    if format == "ambignq":  # what others read is none of it
        [record] = read(project, format, now, user=ben.pk)
        assert record["viewed_doc_titles"] == ["Ben"]


def test_a_file_is_named_after_its_filters(project, now):
    chosen = Selection(split="dev", state="accepted", since=dt.date(2026, 3, 1))
    export = start_export(project=project, format="skips", chosen=chosen, by=None, now=now)
    assert export.file_name == f"{project.slug}-dev-accepted-since-2026-03-01-skips.jsonl"
