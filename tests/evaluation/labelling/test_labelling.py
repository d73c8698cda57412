"""Who labels without seeing others, who decides, and what experts may not read."""

import json
import re

import pytest
from django.contrib import admin
from django.db import IntegrityError, transaction
from django.test import RequestFactory
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.models import AuditEntry, StagePolicy
from annotation.work import assignments, tasks
from evaluation.labelling import queries, services
from evaluation.models import Labelling, LabelReader, LabelSample
from tests.evaluation import factories as made
from tests.evaluation.labelling.steps import label, page_of
from tests.evaluation.reports.test_papers_read import panels
from validation.audits import services as audits_services
from validation.audits.values import AUDIT

pytestmark = pytest.mark.django_db


def everything_told(client, project, sample, item):
    """All that a person can read: pages, file, API, the tables and the log."""
    slug = project.slug
    addresses = [
        *(page_of(item), sample.get_absolute_url(), reverse("label-list", args=[slug])),
        reverse("label-file", args=[slug, sample.pk]),
        reverse("api-labels", args=[slug]),
        reverse("api-label-sample", args=[slug, sample.pk]),
        reverse("project-log", args=[slug]),
    ]
    told = []
    for address in addresses:
        answer = client.get(address)
        body = answer.getvalue() if answer.streaming else answer.content
        told.append((answer.status_code, body.decode()))
    return told


@pytest.mark.parametrize("reader", ["ed", "rosa", "adam"])
def test_labels_of_another_are_nowhere_before_all_have_chosen(
    project, sample, team, client_as, now, reader
):
    item = sample.items.first()
    other = team["eve"]
    told = []
    for category in ("one-over", "several-correct"):
        before = transaction.savepoint()
        label(item, other, now, category)
        found = everything_told(client_as(team[reader]), project, sample, item)
        told.append([(status, mask(text)) for status, text in found])
        figures = panels(project, now)
        assert figures["ambigqa-table-6"].rows == figures["labels-agreement"].rows == []
        entry = AuditEntry.objects.get(action="item_labelled")
        assert entry.data == {"title": "Errors of predictions, SpanSeqGen"}
        transaction.savepoint_rollback(before)
    # Whatever the other chose, every answer is the same to the letter.
    assert told[0] == told[1]
    rows = json.loads(told[0][5][1]).get("rows", []) if told[0][5][0] == 200 else []
    assert all(row["labels"] == [] and row["final"] == [] for row in rows)


def mask(text):
    """Leave out what differs each time: tokens of forms, and the ids of rows of the log."""
    text = re.sub(r'(csrf[^"]*|x-csrftoken)("|&#34;)[^>]{0,20}("|&#34;)\w+', "", text)
    text = re.sub(r'value="\w{64}"', "", text)
    return re.sub(r"nonce-?[\w=\"-]*|(?<=[?&])after=\d+|#entry-\d+|entry-\d+", "", text)


def test_the_admin_shows_labels_once_all_have_chosen(sample, team, now):
    rows = admin.site._registry[Labelling].get_queryset(RequestFactory().get("/"))
    item = sample.items.first()
    label(item, team["eve"], now, "one-over")
    assert not rows.all().exists()
    label(item, team["ed"], now, "one-over")
    assert rows.all().count() == 2


def test_one_changes_ones_own_labels_until_all_have_chosen(sample, team, client_as, now):
    item = sample.items.first()
    label(item, team["eve"], now, "one-over")
    client = client_as(team["eve"])
    assert (
        "You can change your labels until all 2 people have chosen"
        in client.get(page_of(item)).text
    )
    label(item, team["eve"], now, "one-wrong", seen=now)
    with pytest.raises(Conflict, match="labelled this question meanwhile"):
        label(item, team["eve"], now, "one-correct", seen=None)
    label(item, team["ed"], now, "one-correct")
    with pytest.raises(Conflict, match="All labellers have chosen"):
        label(item, team["eve"], now, "one-correct", seen=now)
    with pytest.raises(Conflict, match="labelled this question meanwhile"):
        label(item, team["rosa"], now, "one-correct")
    page = client.get(page_of(item)).text
    assert "What each labeller chose" in page
    assert "Somebody who is not one of the labellers decides" in page
    assert "Eve Reed" not in page.split("</header>")[-1]
    places = Labelling.objects.order_by("place").values_list("place", "labeller__name")
    assert list(places) == [(1, "Eve Reed"), (2, "Ed Reed")]


@pytest.mark.parametrize(
    ("categories", "sentence"),
    [
        ((), "Choose at least one category"),
        (("one-over", "one-wrong"), "Choose one category"),
        (("tense",), "Choose at least one category"),
    ],
)
def test_labels_that_make_no_sense_are_refused(sample, team, now, categories, sentence):
    with pytest.raises(Conflict, match=sentence):
        label(sample.items.first(), team["eve"], now, *categories)


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"place": 2}, "labelling_once_per_person"),
        ({"place": 1, "labeller": "ed"}, "labelling_place_once"),
        ({"place": 4, "labeller": "ed"}, "labelling_place_in_range"),
        ({"place": 2, "labeller": "ed", "categories": ["span"]}, "labelling_categories_known"),
    ],
)
def test_the_database_refuses_what_must_never_be(sample, team, now, fields, constraint):
    item = sample.items.first()
    label(item, team["eve"], now, "one-over")
    by = team[fields.get("labeller", "eve")]
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        made.make_labelling(item, by, fields.get("categories", ["one-over"]), fields["place"])


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"labellers": 4}, "label_sample_one_to_three_people"),
        ({"labellers": 0}, "label_sample_one_to_three_people"),
        ({"seed": -1}, "label_sample_seed_in_range"),
        ({"scheme_key": "tone"}, "label_sample_scheme_known"),
        ({"scheme_key": "own"}, "label_sample_own_scheme"),
    ],
)
def test_the_database_refuses_samples_that_cannot_be(sample, fields, constraint):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        LabelSample.objects.filter(pk=sample.pk).update(**fields)


def test_there_is_one_sample_of_a_scheme_and_system(sample):
    with pytest.raises(IntegrityError, match="label_sample_once"), transaction.atomic():
        LabelSample.objects.create(
            project=sample.project, scheme_key=sample.scheme_key, system=sample.system,
            labellers=1, seed=1, created_at=sample.created_at,
        )  # fmt: skip


def test_labels_that_differ_are_decided_by_the_team_or_a_third(project, sample, team, now):
    item = sample.items.first()
    decide = {"item": item, "categories": ["one-correct"], "seen": None, "now": now}
    label(item, team["eve"], now, "one-over")
    with pytest.raises(Conflict, match="There is nothing to decide"):
        services.decide_labels(by=team["adam"], **decide)
    label(item, team["rosa"], now, "one-wrong")
    assert [row.item for row in queries.list_disagreements(sample)] == [item]
    with pytest.raises(Denied, match="Somebody else decides"):
        services.decide_labels(by=team["eve"], **decide)
    services.decide_labels(by=team["ed"], **decide)
    with pytest.raises(Conflict, match="Someone else has decided meanwhile"):
        services.decide_labels(by=team["rosa"], **decide)
    services.decide_labels(by=team["rosa"], **decide | {"seen": now, "categories": ["one-wrong"]})
    assert queries.find_item(item).final == ["one-wrong"]
    assert queries.list_disagreements(sample) == []
    entries = AuditEntry.objects.filter(action="labels_decided").order_by("pk")
    assert [row.data.get("before") for row in entries] == [None, ["one-correct"]]
    shown = panels(project, now)["ambigqa-table-6"]
    counts = {row[0]: row[1] for row in shown.rows}
    assert counts["One answer is accepted: Not found"] == 1
    assert sum(counts.values()) == 1


def test_labels_that_agree_need_no_decision(sample, team, now):
    item = sample.items.first()
    for name in ("eve", "ed"):
        label(item, team[name], now, "one-over")
    with pytest.raises(Conflict, match="nothing to decide"):
        services.decide_labels(
            item=item, categories=["one-wrong"], seen=None, by=team["rosa"], now=now
        )
    assert queries.find_item(item).final == ["one-over"]


def test_agreement_is_that_of_the_machinery_of_metrics(project, sample, team, now):
    choices = [("one-over", "one-over"), ("one-wrong", "one-wrong"), ("one-over", "one-wrong")]
    items = list(sample.items.order_by("position"))
    for item, (one, other) in zip(items, choices, strict=False):
        label(item, team["eve"], now, one)
        label(item, team["ed"], now, other)
    [row] = panels(project, now)["labels-agreement"].rows
    assert row[:3] == ["Errors of predictions, SpanSeqGen", "All categories", 3]
    assert row[3].value == pytest.approx(100 * 2 / 3)
    # Alpha by hand: observed 1/3; six ratings, three of each: expected 18/30.
    assert row[4].value == pytest.approx(1 - (1 / 3) / (18 / 30))
    # Kappa by hand: chance is 2/3 · 1/3 + 1/3 · 2/3.
    assert row[5].value == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


def test_an_expert_cannot_label_what_they_may_still_audit(project, sample, team, client_as, now):
    audits_services.draw_sample(
        project=project, split="dev", size=4, population="accepted", by=team["rosa"], now=now
    )
    item = sample.items.first()
    client = client_as(team["eve"])
    answer = client.get(page_of(item))
    assert answer.status_code == 409
    assert "1869" not in answer.text
    assert not LabelReader.objects.exists()
    assert queries.list_open_items(sample, team["eve"]) == []
    assert "not for you now" in client.get(sample.get_absolute_url()).text
    with pytest.raises(Conflict, match="cannot label"):
        label(item, team["eve"], now, "one-over")
    label(item, team["rosa"], now, "one-over")  # the team knows it all


def test_who_has_read_an_item_is_not_asked_to_audit_it(project, sample, team, client_as, now):
    item = sample.items.first()
    assert client_as(team["eve"]).get(page_of(item)).status_code == 200
    assert client_as(team["rosa"]).get(page_of(item)).status_code == 200
    assert [row.user for row in LabelReader.objects.all()] == [team["eve"]]
    StagePolicy.objects.get_or_create(
        project=project, stage=AUDIT, split="dev", defaults={"people": 1}
    )
    tasks.open_units(stage=AUDIT, project=project, units=[(item.question_id, "audit-1")], now=now)
    take = {"project": project, "stage": AUDIT, "now": now}
    assert assignments.take_next(by=team["eve"], **take) is None
    assert assignments.take_next(by=team["ed"], **take) is not None
