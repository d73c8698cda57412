"""Whoever judges a study finds nothing of judge models: on no page, in no answer of the API."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job
from evaluation.models import Judgment
from modeling.judges import services as judges_services
from modeling.models import CachedReply, JudgeModel, JudgeRun, ModelJudgment
from tests import factories
from tests.access import ROWS
from tests.evaluation import factories as studies
from tests.evaluation.factories import compared
from tests.world import make_world

pytestmark = pytest.mark.django_db

MODEL, HOST = "oracle-of-the-study", "oracle.example.org"
RATERS = ("judge", "expert", "annotator", "validator")
# It counts requests, which monitoring reads.
APART = {"metrics"}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    from django.db import transaction

    with django_db_blocker.unblock(), transaction.atomic():
        world = make_world()
        JudgeModel.objects.all().delete()
        studies.open_items(world.study, world.now)
        task = world.study.items.get().question.tasks.get(unit=world.study.items.get().unit)
        world.judging = factories.make_assignment(task, world.people["judge"])
        yield world
        transaction.set_rollback(True)


def plain(body):
    """Return a body without what differs each time."""
    if body.startswith(b"PK"):  # files in a ZIP have the time at which they were made
        return ""
    token = r"\b[A-Za-z0-9]{64}\b|nonce=.[^\"]*"
    moment = r"\d{4}-\d\d-\d\d[T ][\d:.]+|\d+ (seconds?|minutes?|milliseconds?)"
    return re.sub(f"{token}|{moment}", "", body.decode(errors="replace"))


def readable(world, persona):
    """Return name and address of whatever somebody in a role can read, work in hand included."""
    found = {
        name: reverse(name, args=row.args(world))
        for name, row in ROWS.items()
        if row.get[persona] == 200 and name not in APART and "{" not in name
    }
    if persona == "judge":
        found["work-page of the study"] = reverse("work-page", args=[world.judging.pk])
        found["api-work of the study"] = reverse("api-work", args=[world.judging.pk])
    return found


def read_everything(world, persona):
    """Return everything that somebody in a role can read: plain, and as it is."""
    client = Client()
    client.force_login(world.people[persona])
    seen, bodies = {}, {}
    for name, address in readable(world, persona).items():
        answer = client.get(address)
        assert answer.status_code == 200, (name, answer.status_code)
        bodies[name] = b"".join(answer) if answer.streaming else answer.content
        seen[name] = plain(bodies[name])
    return seen, bodies


def judge_by_model(world):
    """Have a model judge every item of the study, and people be asked on."""
    by, now = world.people["researcher"], timezone.now()
    judge = JudgeModel.objects.create(
        study=world.study, talker="endpoint", model=MODEL, host=HOST, prompt=1, added_by=by,
        added_at=now, allowed_by=by, allowed_at=now,
    )  # fmt: skip
    job = judges_services.start_run(judge=judge, by=by, now=now)
    for item in world.study.items.all():
        for swapped in (False, True):
            ModelJudgment.objects.create(
                judge=judge, item=item, swapped=swapped, outcome="judged", created_at=now,
                response=compared(why=f"{MODEL} says so"),
            )  # fmt: skip
    Job.objects.filter(pk=job.pk).update(state="done", ended_at=now, started_at=now)
    JudgeRun.objects.update(ended_at=now)
    CachedReply.objects.create(
        project=world.project, digest="1" * 64, tokens_in=1, tokens_out=1, created_at=now
    )
    assert not Judgment.objects.filter(item__study=world.study).exists()


# What an annotator reads logs that they read it, so their pages never stay the same.
@pytest.mark.parametrize("persona", [who for who in RATERS if who != "annotator"])
def test_nothing_that_a_rater_can_read_changes_with_judge_models(world, db, persona):
    read_everything(world, persona)
    before, _ = read_everything(world, persona)
    judge_by_model(world)
    after, bodies = read_everything(world, persona)
    assert len(before) > 20
    for name, body in bodies.items():
        assert MODEL.encode() not in body, name
        assert HOST.encode() not in body, name
    changed = {
        name: [line for line in text.splitlines() if line not in before[name].splitlines()][:3]
        for name, text in after.items()
        if text != before[name]
    }
    assert changed == {}
    assert after.keys() == before.keys()


def test_staff_do_read_them(world, db):
    judge_by_model(world)
    client = Client()
    client.force_login(world.people["researcher"])
    page = client.get(reverse("study-view", args=[world.slug, world.study.pk]))
    assert MODEL in page.content.decode()
    export = client.get(reverse("export-bundle", args=[world.slug, "model-judgments"]))
    body = b"".join(export) if export.streaming else export.content
    assert export.status_code == 200
    assert body


@pytest.mark.parametrize("persona", RATERS)
def test_the_addresses_of_judge_models_are_closed(world, db, persona):
    client = Client()
    client.force_login(world.people[persona])
    place = [world.slug, world.study.pk]
    addresses = [
        reverse("study-view", args=place),
        reverse("study-results", args=place),
        reverse("judge-figures", args=place),
        reverse("api-study-judges", args=place),
        reverse("api-study-judge-results", args=place),
        reverse("export-bundle", args=[world.slug, "model-judgments"]),
    ]
    assert [client.get(address).status_code for address in addresses] == [403] * len(addresses)
