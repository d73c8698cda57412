"""The whole main job in real browsers, over a real Wikipedia archive.

1. A researcher signs in with a password, creates a project over the Ray Charles snapshot, publishes
   guidelines, sets a minimum time, uploads a file of six prompts, and watches a real worker
   import it.
2. Two annotators are invited; each opens the link in a browser of their own and is in.
3. They work at the same time, two people to a question: search, read, follow a link, find, select
   words as answers, type further forms, keep a warning with a reason, hand in by keyboard. Who
   hands in one clear answer too soon is told how long to read on.
4. Ann parks a question, and goes on with another. Her time for that one ends; Ben asks for work
   and gets it; what Ann types late is kept, and she is told. Then she resumes what she parked.
5. The researcher downloads all three exports; the command writes the same bytes; they hold what
   was typed and seen, and nobody's name, address or number.
6. At every step no question is with more people than its policy asks for, nor twice with one.
"""

import datetime as dt
import json
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, Project
from tests import factories
from tests.browser.helpers import allow_problem, arrived
from tests.browser.job_exports import MINIMUM, check_nobody_is_named, check_raw, check_released
from tests.browser.job_script import (
    CRY,
    DON_GIBSON,
    FILM,
    GEORGIA,
    GUIDELINES,
    PROMPTS,
    RAY,
    SHOWN,
    STOP,
    TYPED,
)
from tests.browser.job_steps import PASSWORD, Desk, Installation, check_seats, find_archive
from wikipedia.models import Snapshot
from wikipedia.providers.registry import forget_providers

SLUG = "ray-charles"
WIDE = {"viewport": {"width": 1440, "height": 900}}
FIRST_USER = 7_301_948_266_001  # a number that no other row has, to look for in exports
ADDRESSES = {"ann": "ann.archer@example.org", "ben": "ben.baker@example.org"}
# Names that stand in no article: the exports are searched for each part of them.
NAMES = {"ann": "Ottoline Varga", "ben": "Bertil Quendt"}


@pytest.fixture
def archive(realdata):
    return find_archive(realdata)


@pytest.fixture
def installation(archive, transactional_db, settings, tmp_path, monkeypatch):
    """Worker, commands and web server over one database and one folder."""
    cache.clear()  # it counts attempts to sign in
    settings.AMBIT_DATA, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
    forget_providers()
    before = next_user(FIRST_USER)
    installed = Installation(tmp_path)
    try:
        installed.start_worker(monkeypatch)
        yield installed
    finally:
        installed.stop()
        next_user(before)


def next_user(number):
    """Let people be numbered from here; returns the number that would have come."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence('accounts_user', 'id')")
        [sequence] = cursor.fetchone()
        cursor.execute("SELECT nextval(%s), setval(%s, %s, false)", [sequence, sequence, number])
        return cursor.fetchone()[0]


# --- 1. the researcher ---------------------------------------------------------------------


def sign_in_with_password(page, user):
    page.goto("/")
    page.get_by_label("E-mail address").fill(user.email)
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=f"account of {user.name}").wait_for()


def create_project(page):
    page.goto("/projects/new/")
    page.get_by_label("Name", exact=True).fill("Ray Charles and friends")
    page.get_by_label("Short name").fill(SLUG)
    page.get_by_label("Wikipedia snapshot").select_option(label="Wikipedia, 2 June 2015")
    page.get_by_role("button", name="Create the project").click()
    expect(page.locator("#messages")).to_contain_text("Ray Charles and friends is ready.")
    page.goto(f"/projects/{SLUG}/guidelines/")
    page.get_by_label("Guidelines in Markdown").fill(GUIDELINES)
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#messages")).to_contain_text("Annotators now see version 2.")
    page.get_by_role("link", name="Policies").click()
    page.get_by_role("link", name="Change generation for dev").click()
    page.get_by_label("Minimum time (seconds)").fill(str(MINIMUM))
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#messages")).to_contain_text("Saved for Generation on dev.")


def import_prompts(page, folder):
    file = folder / "prompts.jsonl"
    file.write_text("".join(json.dumps(prompt) + "\n" for prompt in PROMPTS), encoding="utf-8")
    page.goto(f"/projects/{SLUG}/")
    expect(page.locator("#exports")).to_contain_text("none yet")
    page.get_by_role("link", name="Choose a file or paste lines").click()
    page.locator("#upload-file").set_input_files(file)
    page.get_by_role("button", name=f"Import {len(PROMPTS)} questions").click()
    done = page.get_by_role("heading", name=f"{len(PROMPTS)} questions are in")
    expect(done).to_be_visible(timeout=30_000)
    expect(page.locator("main")).to_contain_text("prompts.jsonl, imported by you")
    came = page.get_by_role("region", name="What came")
    expect(came).to_contain_text(re.compile(rf"New questions\s*{len(PROMPTS)}"))


def invite(page, address):
    page.goto(f"/projects/{SLUG}/invitations/")
    page.get_by_label("One person a line").fill(f"{address}, annotator")
    page.get_by_role("button", name="Check the list").click()
    page.get_by_role("button", name="Invite 1").click()
    return page.get_by_role("textbox", name=f"Link for {address}").input_value()


# --- 2. and 3. the annotators --------------------------------------------------------------


def join(new_page, name, link, handed_in):
    page = new_page(**WIDE)
    page.goto(link)
    page.get_by_label("Name").fill(NAMES[name])
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("I am 18 or older.").check()
    page.get_by_label("I have read what is kept about me").check()
    page.get_by_label("No", exact=True).check()
    page.get_by_role("button", name="Create account and join").click()
    page.get_by_role("link", name=f"account of {NAMES[name]}").wait_for()
    return Desk(page, name, handed_in)


def both_sing(ann, ben, check):
    """Two people on one question at once; several answers; one warning is kept."""
    ann.take()
    ben.take()
    assert ann.prompt == ben.prompt == "rc-cry"
    assert ann.page.url != ben.page.url
    check()
    ann.search("who sang cry")
    ben.search()
    ann.open(CRY)
    ben.search("first recording of cry, ruth casey")
    ben.open(CRY)
    ann.follow("Ray Charles", RAY)
    ann.back(CRY)
    ann.find("version", 14)
    ann.answer(TYPED["ann", "rc-cry"])
    ben.answer(TYPED["ben", "rc-cry"])
    ann.submit()
    check()


def both_born(ann, ben):
    """One clear answer: not before the minimum time."""
    allow_problem(ann.page, "status of 422")
    assert ann.prompt == "rc-born"
    ann.choose("single")
    ann.page.keyboard.press("Control+Enter")
    expect(ann.page.locator("#problems")).to_contain_text("Read for ")
    sentence = rf"One clear answer needs {MINIMUM} seconds of reading\. [1-{MINIMUM}] seconds? left"
    expect(ann.page.locator("#messages-time")).to_contain_text(re.compile(sentence))
    assert not Annotation.objects.filter(author__name=NAMES["ann"], kind="single").exists()
    ben.submit()
    for desk in (ann, ben):
        assert desk.prompt == "rc-born"
        desk.search()
        desk.open(RAY)
        desk.answer(TYPED[desk.name, "rc-born"])
    ann.submit()
    ben.submit()


def ann_parks_and_goes_on(ann, ben, check):
    """Not found: Ben says so; Ann parks it and answers the next one first."""
    assert ann.prompt == ben.prompt == "rc-height"
    ann.search()
    ann.open(RAY)
    ann.answer(TYPED["ann", "rc-height"])
    ann.page.get_by_role("button", name="Park", exact=True).click()
    ann.page.get_by_label("What is unclear?").fill("Do the album notes count as Wikipedia?")
    ann.page.get_by_role("button", name="Park and stop").click()
    expect(ann.page.locator("#messages")).to_contain_text("Parked.")
    check()
    ben.search("how tall was ray charles in feet")
    ben.open(RAY)
    ben.answer(TYPED["ben", "rc-height"])
    ann.take()
    ben.submit()
    assert ann.prompt == ben.prompt == "rc-georgia"
    for desk in (ann, ben):
        desk.search()
        desk.open(GEORGIA)
        desk.answer(TYPED[desk.name, "rc-georgia"])
    ann.submit()
    ben.submit()
    check()


# --- 4. time ends --------------------------------------------------------------------------


def anns_time_ends(ann, ben, check):
    """For one person each: Ann's time ends, Ben gets her question, her text is kept."""
    page = ann.page
    assert (ann.prompt, ben.prompt) == ("rc-stop", "rc-played")
    ann.search()
    ann.open(STOP)
    ann.write(DON_GIBSON, 1)
    ann.saved()
    ben.search()
    ben.open(FILM)
    ben.answer(TYPED["ben", "rc-played"])
    ben.ready()
    number = int(page.url.split("/work/")[1].split("/")[0])
    ended = timezone.now() - dt.timedelta(seconds=1)
    assert Assignment.objects.filter(pk=number).update(lease_ends_at=ended) == 1  # a clock does so
    ben.submit()
    assert ben.prompt == "rc-stop"
    check()
    lost = Assignment.objects.get(pk=number)
    assert (lost.state, lost.ended_at) == ("expired", ended)

    allow_problem(page, "status of 409")
    page.fill("#question-2", "When was i can't stop loving you by Ray Char")
    page.keyboard.press("Control+Enter")
    notice = page.locator("#refused")
    expect(notice).to_contain_text("someone else has this question now")
    expect(notice).to_contain_text("Your text is kept under Drafts.")
    notice.get_by_role("link", name="Show this question’s state").click()
    expect(page.locator("main")).to_contain_text("someone else has this question now")
    assert page.get_by_role("button", name="Take it up again").count() == 0
    expect(page.locator("main")).to_contain_text("When was i can't stop loving you by Ray Char")
    expect(page.locator("main .chip")).to_have_text(["1958"])
    assert not Annotation.objects.filter(assignment=lost).exists()

    ben.search()
    ben.open(STOP)
    ben.answer(TYPED["ben", "rc-stop"])
    ben.submit("Submitted. No other question is ready for you here.")
    check()


def ann_resumes(ann, check):
    """My work shows the draft whose time ended, and what she parked with her reason."""
    page = ann.page
    page.goto("/")
    drafts = page.get_by_role("region", name="Drafts")
    expect(drafts).to_contain_text(SHOWN["rc-stop"])
    expect(drafts).to_contain_text("Time ended")
    parked = page.get_by_role("region", name="Parked")
    expect(parked).to_contain_text("“Do the album notes count as Wikipedia?”")
    resume = re.compile(rf"^Resume ?: {re.escape(SHOWN['rc-height'])}$")
    parked.get_by_role("button", name=resume).click()
    arrived(page, page.locator("#none-reason"))
    expect(page.locator("#none-reason")).to_have_value(TYPED["ann", "rc-height"].reason)
    ann.submit("Submitted. No other question is ready for you here.")
    expect(parked).to_contain_text("Unsure about a question?")
    check()


# --- 5. the data ---------------------------------------------------------------------------


def download_exports(page, installation):
    """Return format -> bytes: from the page's links, equal to what the commands write."""
    page.goto(f"/projects/{SLUG}/")
    labels = {
        "ambignq-light": "Download AmbigNQ, light, 6 records",
        "ambignq": "Download AmbigNQ, full, 6 records",
        "annotations": "Download Raw annotations, 10 records",
    }
    files = {key: installation.folder / f"{key}.out" for key in labels}
    commands = [
        installation.start("export", SLUG, "--format", key, "--output", str(file))
        for key, file in files.items()
    ]
    found = {}
    for key, label in labels.items():
        with page.expect_download() as download:
            page.get_by_role("link", name=label).click()
        ending = "jsonl" if key == "annotations" else "json"
        assert download.value.suggested_filename == f"{SLUG}-{key}.{ending}"
        found[key] = download.value.path().read_bytes()
    for command in commands:
        installation.finish(command)
    for key, file in files.items():
        assert found[key] == file.read_bytes(), key
    return found


def test_the_whole_job(new_page, installation, archive):
    indexing = installation.start("index_wikipedia", str(archive), "--name", "ray", "--json")
    rosa = factories.make_user(name="Rosa Reed", is_staff=True)
    page = new_page(**WIDE)
    sign_in_with_password(page, rosa)
    assert json.loads(installation.finish(indexing).splitlines()[-1])["articles"] == 85
    assert Snapshot.objects.get().name == "ray"
    create_project(page)
    import_prompts(page, installation.folder)
    project = Project.objects.get()

    def check():
        check_seats(project)

    links = {name: invite(page, address) for name, address in ADDRESSES.items()}
    handed_in = []
    ann, ben = (join(new_page, name, link, handed_in) for name, link in links.items())
    both_sing(ann, ben, check)
    both_born(ann, ben)
    ann_parks_and_goes_on(ann, ben, check)
    anns_time_ends(ann, ben, check)
    ann_resumes(ann, check)

    assert len(handed_in) == 10
    assert {TYPED[name, prompt].kind for prompt, name in handed_in} == {
        "multiple",
        "single",
        "none",
    }
    exports = download_exports(page, installation)
    desks = {"ann": ann, "ben": ben}
    check_released(exports["ambignq-light"], exports["ambignq"], desks)
    check_raw(exports["annotations"], desks)
    users = [membership.user for membership in project.memberships.select_related("user")]
    assert {user.pk for user in users} == {FIRST_USER, FIRST_USER + 1, FIRST_USER + 2}
    check_nobody_is_named(exports, users)
