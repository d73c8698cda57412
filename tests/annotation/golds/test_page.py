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
    "both": "1",
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


def words(page):
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_off_it_says_what_gold_items_would_cost_and_one_press_mixes_them_in(client):
    project = checks.make(38)
    project.policies.update(pay="0.50", pay_accepted="0.10")
    client.force_login(factories.make_member(project, "researcher"))
    page = client.get(at(project)).text
    assert "At 5 % of the work they would cost about 2 more submissions, 1 USD." in words(page)
    form = page[page.index("No gold items yet") : page.index("Use 5 %")]
    sent = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
    assert client.post(at(project), sent).status_code == 302
    plan = GoldPlan.objects.get()
    assert (plan.rate, plan.enough, plan.missed, plan.share, plan.both) == (5, 5, 3, 25, True)
    assert plan.pauses


def test_past_and_present_are_told_apart(client):
    project = checks.make(40)
    checks.plan(project, rate=50, pauses=False)
    ann = factories.make_member(project, "annotator", name="Wanda Wren")
    client.force_login(factories.make_member(project, "researcher"))
    miss(project, ann)
    done = project.assignments.filter(state="submitted").count()
    page = words(client.get(at(project)).text)
    assert f"1 of {done} submissions so far" in page
    assert "From now on 50 %." in page
    checks.plan(project, rate=0)
    page = words(client.get(at(project)).text)
    assert "No gold items are mixed in now" in page
    assert f"1 of {done} submissions so far" in page
    assert "From now on none." in page
    while (work := checks.take(ann, project)) is not None:
        checks.submit(work, "yes")
    assert "Finished all open work" in words(client.get(at(project)).text)
    Membership.objects.filter(user=ann).delete()
    assert "No longer in this role" in words(client.get(at(project)).text)


def test_a_stage_without_gold_items_leads_to_what_checks_it_instead(client):
    project = factories.make_project()
    client.force_login(factories.make_member(project, "researcher"))
    page = client.get(f"{at(project)}?stage=validation").text
    assert "Validation cannot have gold items" in page
    assert f'href="{reverse("project-audit", args=[project.slug])}">Plan an audit<' in page


def test_what_a_person_missed_is_listed_for_staff(client):
    project = checks.make(40)
    plan = checks.plan(project, rate=50, pauses=False)
    ann = factories.make_member(project, "annotator", name="Wanda Wren")
    client.force_login(factories.make_member(project, "researcher"))
    miss(project, ann)
    item = plan.items.get(verdicts__user=ann)
    page = client.get(f"{at(project)}?person={ann.pk}").text
    assert "Missed by Wanda Wren" in page
    assert reverse("question-view", args=[project.slug, item.task.question_id]) in page
    for hostile in ("0", "-1", "9" * 30, "x", "%00"):
        assert "Missed by" not in client.get(f"{at(project)}?person={hostile}").text


def test_an_item_that_most_people_miss_is_doubted(client):
    project = checks.make(6, people=4)
    plan = checks.plan(project, rate=50, pauses=False)
    client.force_login(factories.make_member(project, "researcher"))
    crowd = [factories.make_member(project, "annotator") for _ in range(4)]
    for person in crowd:
        while (work := checks.take(person, project)) is not None:
            checks.submit(work, "yes")
    page = words(client.get(at(project)).text)
    assert "4 of 4 people missed the first: perhaps the known answer is wrong." in page
    assert plan.items.filter(verdicts__missed=True).exists()


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
