"""Import by upload with progress, downloads, and the API's page, in a real browser."""

import json
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from tests.annotation.exports.submissions import submit
from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in

GOOD = "".join(
    json.dumps({"id": f"n{n}", "question": f"what is the number {n}"}) + "\n" for n in range(197)
)


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """Jobs wait until the test runs them."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def overview(page, world):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("import-create", args=[world.slug]))
    page.get_by_text("Skip the check", exact=True).click()
    return page


def choose(page, content, name="crossings.jsonl"):
    page.get_by_label("Format").select_option("jsonl")
    page.get_by_label("Into split").select_option("test")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": name, "mimeType": "application/json", "buffer": content.encode()}
    )
    page.get_by_role("button", name="Import the file").click()


def work():
    jobs_services.claim_and_run(job_id=Job.objects.latest("pk").pk, clock=timezone.now)


def test_an_upload_is_watched_until_it_is_done(overview):
    page = overview
    page.clock.install()
    choose(page, GOOD)
    page.get_by_text("Waiting for a worker").wait_for()
    check_axe(page, label="while it waits")
    # Half of it is done: the page shows it by itself.
    job = Job.objects.latest("pk")
    Job.objects.filter(pk=job.pk).update(
        state="running", done=100, total=200, result={"created": 100}
    )
    page.clock.run_for(1000)
    page.get_by_text("100 of 200 lines").wait_for()
    page.get_by_text("Running, 50 %").wait_for()
    # The key board stays where it was while the fragment renews itself.
    page.locator("#job-cancel").focus()
    for _ in range(3):  # only one that is in place asks for the next
        with page.expect_response(f"**{reverse('job-detail', args=[job.project.slug, job.pk])}"):
            page.clock.run_for(1000)
    assert page.evaluate("document.activeElement.id") == "job-cancel"
    Job.objects.filter(pk=job.pk).update(state="queued", done=0, total=None, result={})
    work()
    page.clock.run_for(1000)
    page.locator("#job").get_by_text("Done", exact=True).wait_for()
    page.get_by_text("197 new", exact=True).wait_for()
    page.locator("#announcer", has_text="crossings.jsonl imported: 197 new").wait_for(
        state="attached"
    )
    assert Question.objects.filter(external_id__startswith="n").count() == 197
    check_axe(page, label="when done")
    check_reflow(page)


def test_bad_lines_are_shown_and_the_rest_follows(overview):
    page = overview
    choose(page, GOOD + "{\n<b>\n" + '{"id": "<img src=x>"}\n')
    page.get_by_text("Waiting for a worker").wait_for()
    work()
    page.get_by_text(
        "3 of 200 lines were rejected, so nothing was imported.", exact=True
    ).wait_for()
    page.get_by_text("Line 199: It is not JSON").wait_for()
    assert page.locator("#job img").count() == 0
    check_axe(page, label="with bad lines")
    check_reflow(page)
    page.get_by_role("button", name="Import the other 197 lines").click()
    page.get_by_text("Waiting for a worker").wait_for()
    work()
    page.get_by_text("197 new", exact=True).wait_for()
    page.get_by_text("3 rejected", exact=True).first.wait_for()


def test_an_upload_is_stopped(overview):
    page = overview
    choose(page, GOOD)
    page.get_by_role("button", name="Stop, and keep what is imported").click()
    page.get_by_text("Stopped", exact=True).wait_for()
    assert page.locator("#job-cancel").count() == 0


def test_an_empty_file_is_explained_in_place(overview):
    page = overview
    allow_problem(page, "status of 422")
    choose(page, "", "empty.jsonl")
    page.get_by_text("There is a problem").wait_for()
    page.locator("#error-file", has_text="The file is empty.").wait_for()
    check_axe(page, label="with an error")


def test_the_page_of_a_job(page, world):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("job-detail", args=[world.slug, world.job.pk]))
    check_axe(page)
    check_reflow(page)


def test_downloads_say_how_much_they_hold(page, world):
    submit(world.waiting_task.question, world.people["judge"], pairs=[("", ["1843"])])
    sign_in(page, world.people["researcher"])
    page.goto(reverse("project-overview", args=[world.slug]))
    with page.expect_download() as started:
        page.get_by_role("link", name="Download AmbigNQ, light, 1 record").click()
    download = started.value
    assert download.suggested_filename == f"{world.slug}-ambignq-light.json"
    [record] = json.loads(Path(download.path()).read_bytes())
    assert record["annotations"] == [{"type": "singleAnswer", "answer": ["1843"]}]
    check_axe(page)


def test_an_export_of_a_part_of_the_project(page, world):
    submit(world.waiting_task.question, world.people["judge"], pairs=[("", ["1843"])])
    sign_in(page, world.people["researcher"])
    page.goto(reverse("project-overview", args=[world.slug]))
    page.get_by_role("link", name="Choose by state, person or date").click()
    page.get_by_label("Format").select_option("skips")
    page.get_by_label("From").fill("2026-03-02")
    page.get_by_label("To", exact=False).last.fill("2026-03-01")
    allow_problem(page, "status of 422")
    page.get_by_role("button", name="Download").click()
    page.locator("#error-until", has_text="The last day is before the first.").wait_for()
    check_axe(page, label="with an error")
    page.get_by_label("To", exact=False).last.fill("2026-03-02")
    page.get_by_label("Split").select_option("dev")
    with page.expect_download() as started:
        page.get_by_role("button", name="Download").click()
    named = f"{world.slug}-dev-since-2026-03-02-until-2026-03-02-skips"
    assert started.value.suggested_filename == f"{named}.zip"


def test_the_page_of_the_api_names_every_operation(page, world):
    sign_in(page, world.people["researcher"])
    page.goto(reverse("api-docs"))
    for path in ("projects/", "projects/{slug}/imports/", "projects/{slug}/export/{format}/"):
        assert page.get_by_text(f"/api/v1/{path}", exact=False).count()
    page.get_by_role("link", name="Create a token").click()
    page.wait_for_url("**/account/settings/#tokens")
