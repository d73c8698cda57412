"""Take the pictures of README and site from a demo: python -m docs.take_screenshots URL [NAME...].

Works on a fresh demo: two annotators answer a question, which the validator then opens and decides,
one of them disputes the result, one of them writes a long answer, and a judge compares two answers.
Without models the demo suggests passages alone, so some pairs are stored, by manage.py in the same
AMBIT_DATA. The password is read from AMBIT_DEMO_PASSWORD or from AMBIT_DATA. Pictures go into
docs/img, or where AMBIT_PICTURES says; of those in docs/img the day is noted. With names, such as
`qampari`, it takes these pictures alone. Uses Debian's Chromium when it is on PATH, else
Playwright's own. `make pictures` starts a demo and takes them all.
"""

import datetime as dt
import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from docs.site import pictures

FOLDER = Path(os.environ.get("AMBIT_PICTURES") or pictures.FOLDER).resolve()
DATA = Path(os.environ.get("AMBIT_DATA") or ".ambit")
SUGGEST = """
from django.utils import timezone
from accounts.models import User
from annotation.models import Question
from annotation.projects import services as projects
from annotation.suggestions import services as suggestions
from annotation.suggestions.values import SuggestedContent

question, now = Question.objects.get(project__slug="demo", external_id="demo-002"), timezone.now()
pairs = {
    "When did the Millennium Bridge open again after its wobble was cured?": "22 February 2002",
    "When did the Millennium Bridge in Gateshead open to the public?": "17 September 2001",
    "When was the Millennium Bridge closed?": "12 June 2000",
}
offered = [SuggestedContent("pair", text, (answer,)) for text, answer in pairs.items()]
suggestions.store_suggestions(
    question=question, system="Reader 8B", version="1", suggestions=offered, now=now
)
projects.change_policy(
    policy=question.project.policies.get(stage="generation", split=question.split),
    changes={"suggestions": "Reader 8B", "suggestions_held_out": 0},
    by=User.objects.get(email="researcher@demo.localhost"),
    now=now,
)
"""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def password() -> str:
    """Return the password of the demo's people."""
    return os.environ.get("AMBIT_DEMO_PASSWORD") or (DATA / "demo_password").read_text()


def sign_in(page: Page, base: str, login: str) -> None:
    """Sign one of the demo's people in."""
    page.goto(f"{base}/account/login/")
    page.get_by_label("E-mail address").fill(f"{login}@demo.localhost")
    page.get_by_label("Password").fill(password().strip())
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{base}/")


def next_of(page: Page, slug: str, stage: str = "") -> None:
    """Take the next question of a project, or of one of its stages."""
    page.locator(f"form[action*='/next/{slug}/{stage}']").get_by_role("button").click()
    page.wait_for_url("**/work/*/**")


def take(page: Page, base: str, login: str) -> None:
    """Take the first question and open the article about it."""
    sign_in(page, base, login)
    next_of(page, "demo")
    page.get_by_role("searchbox").fill("thames tunnel opening")
    page.keyboard.press("Enter")
    page.locator(".result a").first.click()
    page.locator("#article-title").wait_for()


def answer(page: Page, number: int, question: str, *forms: str) -> None:
    """Write one pair."""
    if not page.locator(f"#question-{number}").count():
        page.click("#add-pair")
    page.fill(f"#question-{number}", question)
    for form in forms:
        page.fill(f"#answer-{number}", form)
        page.press(f"#answer-{number}", "Enter")


def submit(page: Page) -> None:
    """Hand the answer in."""
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1500)
    address = page.url
    page.click("[data-submit]")
    page.wait_for_url(lambda url: url != address)


def work(page: Page, base: str) -> None:
    """Search, read and begin an answer; then submit it."""
    take(page, base, "annotator1")
    answer(page, 1, "When did the Thames Tunnel open to people on foot?", "25 March 1843")
    page.fill("#question-2", "When did the Thames Tunnel open to trains")
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1500)
    page.screenshot(path=FOLDER / "work.png")
    answer(page, 2, "When did the Thames Tunnel open to trains?", "7 December 1869")
    submit(page)


def validation(page: Page, base: str) -> None:
    """Let a second person answer otherwise, and open the question as its validator."""
    take(page, base, "annotator2")
    answer(page, 1, "When did the Thames Tunnel first open to the public?", "25 March 1843")
    answer(
        page, 2, "When did the Thames Tunnel open to trains?", "7 December 1869", "December 1869"
    )
    answer(page, 3, "When did the Thames Tunnel reopen?", "27 April 2010")
    submit(page)
    page.context.clear_cookies()
    sign_in(page, base, "validator")
    next_of(page, "demo")
    page.get_by_text("Merged because both wrote").first.wait_for()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "validation.png")


def question(page: Page, base: str) -> None:
    """Decide with an edit and an exclusion, and show the page of the question to a researcher."""
    sign_in(page, base, "validator")
    page.get_by_role("button", name="Continue").or_(
        page.get_by_role("link", name="Continue")
    ).first.click()
    left_out = page.locator("[data-row]", has_text="27 April 2010").first
    key = left_out.get_attribute("data-row")
    left_out.locator("button[value^='exclude ']").click()
    page.fill(f"#row-{key}-why", "The article calls this the start of another line.")
    edited = page.locator("[data-row]", has_text="1843").first
    edited.locator("details.edit > summary").click()
    edited.locator("textarea", has_text="people on foot").fill(
        "When did the Thames Tunnel open to pedestrians?"
    )
    page.wait_for_timeout(1500)
    page.locator("fieldset:not(:has(:checked))", has_text="Verdict on annotator").get_by_text(
        "Correct", exact=True
    ).click()
    submit(page)
    page.context.clear_cookies()
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo/questions/")
    page.get_by_role("link", name="When did the thames tunnel open?").click()
    page.locator(".origins").wait_for()
    page.screenshot(path=FOLDER / "question.png")


def home(page: Page, base: str) -> None:
    """Dispute a result, and show a researcher what waits for the team."""
    sign_in(page, base, "annotator2")
    page.goto(f"{base}/submissions/")
    page.get_by_role("link", name="When did the thames tunnel open?").click()
    page.get_by_label("What is unclear, or wrong?").fill(
        "The article lists 2010 among the openings of the tunnel."
    )
    page.get_by_role("button", name="Dispute this result").click()
    page.get_by_text("Waiting for a decision").wait_for()
    page.context.clear_cookies()
    sign_in(page, base, "researcher")
    page.screenshot(path=FOLDER / "home.png")


def long_answer(page: Page, base: str) -> None:
    """Write a long answer that lacks one of four short answers."""
    sign_in(page, base, "annotator1")
    next_of(page, "demo-long")
    page.fill(
        "#long-answer",
        "Three bridges cross the Forth near Queensferry, so the answer depends on which one is "
        "meant. The oldest, the red railway bridge, opened on 4 March 1890. Cars had to wait for "
        "the ferry until the Forth Road Bridge opened on 4 September 1964. When its cables began "
        "to rust, the Queensferry Crossing was built beside it: the first cars crossed on 30 "
        "August 2017, and the Queen opened it a few days later.",
    )
    page.fill("#piece-1", "Inspectors found in 2004 that wires in the main cables had rusted")
    page.fill("#page-1", "Forth Road Bridge")
    page.locator("#answers-badge", has_text="3 of 4").wait_for()
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "long_answer.png")


def project(page: Page, base: str) -> None:
    """Show the page of the project to a researcher."""
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo/")
    page.screenshot(path=FOLDER / "project.png")


def judging(page: Page, base: str) -> None:
    """Judge what two answers say, by typing digits, up to the last criterion."""
    sign_in(page, base, "judge1")
    next_of(page, "demo-long")
    page.locator("fieldset input[type=radio]").first.focus()
    for digit in "121123":
        page.keyboard.press(digit)
    page.get_by_text("Saved").first.wait_for()
    page.get_by_role("heading", name="Answer 1").scroll_into_view_if_needed()
    page.screenshot(path=FOLDER / "judging.png")


def study_results(page: Page, base: str) -> None:
    """Show the results of the demo's closed study to a researcher."""
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo-long/studies/")
    page.get_by_role("link", name="Study 1").click()
    page.get_by_role("link", name="Results").click()
    page.get_by_role("heading", name="Accuracy").wait_for()
    page.screenshot(path=FOLDER / "study_results.png")


def report(page: Page, base: str) -> None:
    """Show the report of agreement of the finished round."""
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo-round/reports/agreement/")
    page.get_by_role("heading", name="Who agrees with whom").wait_for(timeout=120_000)
    page.evaluate("document.getElementById('outcomes').scrollIntoView()")
    page.screenshot(path=FOLDER / "report.png")


def participants(page: Page, base: str) -> None:
    """Show the participants of a platform, those to look at first."""
    sign_in(page, base, "researcher")
    page.goto(f"{base}/projects/demo-crowd/participants/")
    page.get_by_role("link", name="Three questions about Wikipedia").click()
    page.locator("a[href='?show=all']").click()
    page.get_by_text("Screened out").first.wait_for()
    page.screenshot(path=FOLDER / "participants.png")


def suggestions(page: Page, base: str) -> None:
    """Write a pair, and accept one of those that a model then suggests."""
    root = Path(__file__).parent.parent
    store = [sys.executable, "manage.py", "shell", "-c", SUGGEST]
    subprocess.run(store, cwd=root, check=True)  # noqa: S603 - constants of this module
    sign_in(page, base, "annotator1")
    next_of(page, "demo")
    page.get_by_role("searchbox").first.fill("millennium bridge")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Millennium Bridge, London").first.click()
    page.locator("#article-title").wait_for()
    answer(page, 1, "When did the Millennium Bridge in London first open?", "10 June 2000")
    page.get_by_role("button", name="Accept suggestion 1").click()
    page.locator("#origin-2").wait_for()
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1500)
    page.locator("#suggestions").scroll_into_view_if_needed()
    page.screenshot(path=FOLDER / "suggestions.png")


def natural_questions(page: Page, base: str) -> None:
    """Find the question good, and choose a box of its page as the long answer."""
    sign_in(page, base, "annotator1")
    next_of(page, "demo-nq")
    page.get_by_text("Good question", exact=True).click()
    page.get_by_role("button", name="Show the page").click()
    page.locator("li[data-box]", has_text="Ida Brook").click()
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "natural_questions.png")


def qampari(page: Page, base: str) -> None:
    """Check an answer by its evidence: in a fresh demo, the first is one of those mixed in."""
    sign_in(page, base, "annotator1")
    next_of(page, "demo-lists", "qampari-check")
    page.get_by_role("radio", name="Wrong").check()
    page.get_by_text("Saved").first.wait_for()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "qampari.png")


PICTURES = (
    *(work, validation, question, home, long_answer, project, judging, study_results, report),
    *(participants, suggestions, natural_questions, qampari),
)


def main(base: str = "http://127.0.0.1:8000", *names: str) -> None:
    """Take every picture, or those with these names."""
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell") or shutil.which("chromium"),
            args=ARGUMENTS,
        )
        for picture in PICTURES:
            if names and picture.__name__ not in names:
                continue
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            picture(context.new_page(), base.rstrip("/"))
            context.close()
            if FOLDER == pictures.FOLDER:
                pictures.note_taken([picture.__name__], dt.date.today())
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
