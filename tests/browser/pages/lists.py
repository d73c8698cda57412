"""The pages of questions with many answers."""

from io import StringIO

from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from annotation.models import Job
from qampari.making.editing import services
from qampari.making.editing.proposals import PROPOSE
from qampari.making.jobs import TRY
from tests import factories
from tests.browser.helpers import allow_problem, sign_in
from tests.browser.pages.steps import writes
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.qampari.making.tried import make_sample
from tests.stages.window import Window
from wikipedia.demo.build import HERE
from wikipedia.wikidata.folders import delete_graph


def refused(page, project, stage, role):
    """Take a task, and hand it in with nothing in it."""
    person = factories.make_member(project, role)
    turn = Window(person, project, stage).take().assignment
    sign_in(page, person)
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def paraphrase(page, world):
    project = paraphrasing.make_project()
    paraphrasing.accepted(project, timezone.now())
    refused(page, project, "qampari-paraphrase", "annotator")


@writes
def verification(page, world):
    project = paraphrasing.make_project()
    paraphrasing.paraphrased(project, timezone.now())
    refused(page, project, "qampari-verify", "validator")


@writes
def tables(page, world):
    """The report of a project of QAMPARI, before anything is computed."""
    project = paraphrasing.make_project()
    staff = factories.make_member(project, "researcher")
    sign_in(page, staff)
    page.goto(reverse("project-report", args=[project.slug, "tables"]))


@writes
def checking(page, world):
    project = lists.make_project(slug="checked-lists")
    lists.make_question(project, world.now)
    refused(page, project, "qampari-check", "annotator")


@writes
def team(page, world):
    """Staff have two answers to check, one with a note."""
    project = lists.make_project(slug="team-lists")
    lists.make_question(project, world.now)
    person = factories.make_member(project, "annotator")
    lists.check(person, project, ["correct", "doubtful", "correct", "unclear", "correct"])
    refused(page, project, "qampari-team", "researcher")


@writes
def making(page, world):
    """The form with a graph to choose, sent with what cannot be."""
    project = lists.make_project(slug="made-lists")
    staff = factories.make_member(project, "researcher")
    words = [str(HERE / "wikidata.json"), "--name", "small", "--processes", "0"]
    call_command("wikidata_graph", *words, stdout=StringIO(), stderr=StringIO())
    try:
        sign_in(page, staff)
        allow_problem(page, "status of 422")
        page.goto(reverse("make-questions", args=[project.slug]))
        page.get_by_label("Share of the answers").fill("7")
        page.get_by_role("button", name="Try").click()
        page.get_by_text("There is a problem").wait_for()
    finally:
        delete_graph("small")


@writes
def tried(page, world):
    """The job that has tried to make questions."""
    project = lists.make_project(slug="tried-lists")
    staff = factories.make_member(project, "researcher")
    proof = "Tower Bridge crosses the River Thames beside the Tower of London."
    answer = {"text": "Tower Bridge", "proof": proof, "page": "Tower Bridge", "score": 1.0}
    sample = {"question": "Which bridges cross the Thames?", "count": 6, "answers": [answer] * 3}
    dropped = {
        "reason": "too few answers that a page shows",
        "count": 2,
        "texts": ["Who?", "What?"],
    }
    shown = {"sample": [sample], "left_out": [dropped]}
    levels = [{"threshold": level, "facts": 7} for level in (0.00195, 0.5)]
    evidence = {"facts": 19, "with_sentence": 15, "levels": levels}
    job = Job.objects.create(
        project=project, kind=TRY, state="done", file_name="From the graph “small”",
        unit="queries", done=3, result={"counts": {"evidence": evidence}, "shown": shown},
        created_by=staff,
        created_at=world.now, started_at=world.now, ended_at=world.now,
    )  # fmt: skip
    sign_in(page, staff)
    page.goto(reverse("job-detail", args=[project.slug, job.pk]))
    page.get_by_text("2 left out").click()
    page.get_by_text("and 3 more answers").wait_for()


@writes
def evidence(page, world):
    """Scores of a model, sentences near the threshold, one of them judged."""
    job, staff = sampled_job(world)
    sign_in(page, staff)
    page.goto(reverse("making-evidence", args=[job.project.slug, job.pk]))
    page.get_by_label("Does not").first.check()
    page.get_by_text("0 of 1 show their answer").wait_for()
    page.get_by_text("As a table").click()


@writes
def sample(page, world):
    """A question of a sample, with words that cannot be its own."""
    job, staff = sampled_job(world)
    sign_in(page, staff)
    allow_problem(page, "status of 409")
    page.goto(reverse("sampled-question", args=[job.project.slug, job.pk, 1]))
    page.get_by_role("radio", name="The wording is off").check()
    page.get_by_label("Better words").fill("Is it Bridge 1?")
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("names one of its answers").wait_for()
    page.get_by_text("All of them").click()


def sampled_job(world):
    project = lists.make_project(slug="sampled-lists")
    staff = factories.make_member(project, "researcher")
    return make_sample(project, staff, world.now), staff


@writes
def relations(page, world):
    """The relations of a project: one to be worded, one open with a wording that is refused, and
    one with a proposal of a model.
    """
    project = lists.make_project(slug="worded-lists")
    staff = factories.make_member(project, "researcher")
    words = [str(HERE / "wikidata.json"), "--name", "small", "--processes", "0"]
    call_command("wikidata_graph", *words, stdout=StringIO(), stderr=StringIO())
    services.add_relation(project=project, ids=(177, None), by=staff, now=world.now)
    proposal = {"question": "Which bridges cross {subject}?", "noun": "bridges"}
    Job.objects.create(
        project=project, kind=PROPOSE, state="done", unit="relations", done=1,
        result={"wordings": {"P177": proposal}}, created_by=staff, created_at=world.now,
        started_at=world.now, ended_at=world.now,
    )  # fmt: skip
    try:
        sign_in(page, staff)
        allow_problem(page, "status of 422")
        page.goto(reverse("made-relations", args=[project.slug]))
        page.get_by_role("link", name="Edit crosses, P177 · any time").click()
        page.get_by_label("Question", exact=True).fill("Which bridges cross it?")
        page.get_by_role("button", name="Save").click()
        page.locator("#P177-statement-error").get_by_text("Fill this in").wait_for()
        page.locator("#relation-P50-Q7725634").get_by_role("link").click()
        page.locator("#P50-Q7725634-question").wait_for()
    finally:
        delete_graph("small")


PAGES = [
    ("making-evidence", "researcher", evidence),
    ("making-sample", "researcher", sample),
    ("relations", "researcher", relations),
    ("making-refused", "researcher", making),
    ("making-tried", "researcher", tried),
    ("list-answer-refused", "annotator", checking),
    ("team-check-refused", "annotator", team),
    ("paraphrase-refused", "annotator", paraphrase),
    ("verify-refused", "annotator", verification),
    ("qampari-tables", "annotator", tables),
]
