"""Runs of baselines over the API."""

import pytest
from django.urls import reverse

from annotation.models import Job, Suggestion
from evaluation.models import Output
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("woken")]


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


def post(client, project, name="api-predictions", **body):
    address = reverse(name, args=[project.slug])
    return client.post(address, body, content_type="application/json")


def test_a_run_is_started_watched_and_listed(tiny, project, questions, staff, run):
    body = {"baseline": "tiny", "split": "dev", "options": {"json": "on"}}
    started = post(staff, project, **body)
    assert started.status_code == 202
    assert post(staff, project, **body).json()["id"] == started.json()["id"]
    run(Job.objects.get())
    job = staff.get(started["Location"]).json()
    assert (job["state"], job["result"]["created"], job["done"]) == ("done", 5, 5)
    assert Output.objects.count() == 5
    listed = staff.get(reverse("api-predictions", args=[project.slug])).json()["results"]
    assert [row["id"] for row in listed] == [job["id"]]
    assert staff.get(reverse("api-suggestion-runs", args=[project.slug])).json()["results"] == []
    again = post(staff, project, **body, missing=True)
    assert again.status_code == 409
    assert "Every question on dev" in again.json()["detail"]


def test_suggestions_are_run_and_stopped(tiny, project, questions, staff, run):
    started = post(staff, project, "api-suggestion-runs", baseline="tiny", split="dev").json()
    job = Job.objects.get()
    assert (job.kind, started["state"]) == ("suggest", "queued")
    stopped = staff.post(reverse("api-job-cancel", args=[project.slug, job.pk]))
    assert stopped.json()["state"] == "cancelled"
    post(staff, project, "api-suggestion-runs", baseline="tiny", split="dev")
    run(Job.objects.latest("pk"))
    assert Suggestion.objects.exists()


def test_baselines_are_listed_with_what_they_lack(tiny, project, staff):
    listed = staff.get(reverse("api-baselines", args=[project.slug])).json()
    assert listed == {"baselines": [{"key": "tiny", "name": "Tiny", "problem": ""}]}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"baseline": "tiny"}, "split"),
        ({"baseline": "tiny", "split": "live"}, "split"),
        ({"split": "dev"}, "baseline"),
        ({"baseline": "tiny", "split": "dev", "options": {"top": "1"}}, "options"),
        ({"baseline": "tiny", "split": "dev", "options": {"of": "a,b@/srv"}}, "options"),
        ({"baseline": "tiny", "split": "dev", "options": {"train": "/etc/passwd"}}, "options"),
        ({"baseline": "tiny", "split": "dev", "options": {"encoder": "../a"}}, "options"),
        ({"baseline": "tiny", "split": "dev", "options": "top=1"}, "options"),
    ],
)
def test_bad_input_names_the_field_and_starts_nothing(tiny, project, questions, staff, body, field):
    refused = post(staff, project, **body)
    assert (refused.status_code, list(refused.json())) == (400, [field])
    assert not Job.objects.exists()


def test_a_baseline_that_there_is_not_is_named(tiny, project, questions, staff):
    refused = post(staff, project, baseline="robot", split="dev")
    assert refused.status_code == 409
    assert "There is no baseline “robot”." in refused.json()["detail"]
