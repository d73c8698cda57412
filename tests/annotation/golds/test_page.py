"""The page of gold items: settings are saved, people paused and resumed."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import GoldPlan, Membership
from tests import factories
from tests.annotation.golds import checks

pytestmark = pytest.mark.django_db


def at(project):
    return reverse("project-golds", args=[project.slug])


FIELDS = {
    "stage": checks.STAGE,
    "rate": "20",
    "source": "copies",
    "seed": "7",
    "enough": "4",
    "missed": "2",
    "share": "",
    "pauses": "on",
}


def miss(project, *people):
    for person in people:
        checks.submit(checks.take_gold(person, project), "yes")


def test_nothing_is_drawn_until_staff_press_save(client):
    project = checks.make(30)
    staff = factories.make_member(project, "researcher")
    client.force_login(staff)
    assert "No gold items yet" in client.get(at(project)).text
    assert not GoldPlan.objects.exists()
    reply = client.post(at(project), FIELDS)
    assert reply.status_code == 302
    plan = GoldPlan.objects.get()
    assert (plan.rate, plan.seed, plan.enough, plan.missed, plan.share) == (20, 7, 4, 2, None)
    page = client.get(reply["Location"]).text
    assert plan.items.count() > 0
    assert "changed the settings of" in page
    assert "were drawn at 20 %" in re.sub("<[^>]+>", "", page)
    bad = client.post(at(project), FIELDS | {"missed": ""})
    assert bad.status_code == 422
    assert "how many or what share" in bad.text
    assert client.get(f"{at(project)}?stage=nothing").status_code == 404


def test_people_with_their_counts_pause_and_resume_and_the_statements_do_not_grow(client):
    project = checks.make(40)
    checks.plan(project, rate=50, enough=1, missed=1, pauses=False)
    staff = factories.make_member(project, "researcher", name="Agatha Stonecrop")
    ann = factories.make_member(project, "annotator", name="Wanda Wren")
    client.force_login(staff)
    miss(project, ann)
    client.get(at(project))
    with CaptureQueriesContext(
        connection,
    ) as few:
        page = client.get(at(project)).text
    assert "Wanda Wren" in page
    assert "too few to tell" in page
    others = [factories.make_member(project, "annotator") for _ in range(3)]
    miss(project, *others, ann)
    with CaptureQueriesContext(connection) as many:
        client.get(at(project))
    assert len(many) <= len(few)

    person = reverse("gold-person", args=[project.slug, ann.pk])
    membership = Membership.objects.get(user=ann, project=project)
    client.post(person, {"action": "pause", "stage": checks.STAGE})
    membership.refresh_from_db()
    assert membership.paused_at
    assert "Resume" in client.get(at(project)).text
    client.post(person, {"action": "resume", "stage": checks.STAGE})
    membership.refresh_from_db()
    assert membership.paused_at is None


def test_the_page_of_the_work_and_its_api_tell_nothing(client):
    project = checks.make(20)
    checks.plan(project, rate=50)
    ann = factories.make_member(project, "annotator")
    work = checks.take_gold(ann, project)
    client.force_login(ann)
    gold = client.get(reverse("work-page", args=[work.pk]))
    api = client.get(f"/api/v1/work/{work.pk}/")
    checks.submit(work, "no")
    plain = checks.take(ann, project)
    while plain.gold:
        checks.submit(plain, "no")
        plain = checks.take(ann, project)
    other = client.get(reverse("work-page", args=[plain.pk]))
    other_api = client.get(f"/api/v1/work/{plain.pk}/")

    def shape(reply):
        text = re.sub(r"nonce-[\w-]+|csrf\w*\" value=\"\w+|\d+", "#", reply.text)
        return re.sub(r"crossing #", "crossing", text)

    assert gold.status_code == other.status_code == 200
    assert "gold" not in gold.text.replace("golden", "").lower()
    assert sorted(gold.headers) == sorted(other.headers)
    assert set(re.findall(r"[\w-]+=", shape(gold))) == set(re.findall(r"[\w-]+=", shape(other)))
    assert api.status_code == other_api.status_code == 200
    assert api.json().keys() == other_api.json().keys()
    assert "gold" not in api.text
    # What the author reads later tells nothing either.
    for name in ("home", "submission-list"):
        assert "gold" not in client.get(reverse(name)).text.lower()
