"""The first hour of a stranger, by docs/first_project.md: a clean start, one's own questions, and
somebody else who answers one of them. At most 12 pages and 25 clicks, and nothing is refused.

Commands and the worker are processes, as on a server. The rule that an answer needs a minute of
reading is in force; the test does not read for a minute, but adds one to what was counted.
"""

import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db.models import F
from playwright.sync_api import expect

from annotation.models import Annotation, Assignment, Membership
from tests.browser.job_steps import Installation
from wikipedia.demo.build import build_demo_zim
from wikipedia.providers.registry import forget_providers

DOC = Path(__file__).parents[2] / "docs" / "first_project.md"
PAGES, CLICKS = 12, 25
QUESTIONS = [
    "when did the thames tunnel open to trains",
    "who directed king kong of 1933?",
    "when did the forth bridge open",
]
PASSWORD = "a long walk by the river"
WORDS = "7 December 1869"


def presses():
    """The bold words of the page, in order."""
    return re.findall(r"\*\*(.+?)\*\*", DOC.read_text().partition("## You, in")[2])


def commands():
    """The commands of the page, each as its words after `manage.py`."""
    lines = re.findall(r"^    python manage.py (.+)$", DOC.read_text(), re.MULTILINE)
    return [line.split() for line in lines]


class Visitor:
    """Somebody with a browser, who counts pages and clicks."""

    def __init__(self, page):
        self.page, self.seen, self.clicks = page, [], 0
        page.on("framenavigated", lambda frame: self.note(frame.url))
        page.on("response", self.check)

    def note(self, address):
        place = re.sub(r"[?#].*", "", address)
        if place != "about:blank" and place not in self.seen:
            self.seen.append(place)

    def check(self, response):
        assert response.status < 400, (response.status, response.url)

    def click(self, target):
        self.clicks += 1
        target.click()

    def press(self, label):
        """Press a button or link, whose key may stand beside its name."""
        named = re.compile(rf"^{re.escape(label)}( Ctrl ↵)?$")
        button = self.page.get_by_role("button", name=named)
        self.click(button.or_(self.page.get_by_role("link", name=named)).first)


@pytest.fixture
def clean_start(transactional_db, settings, tmp_path, monkeypatch):
    """An installation without an account or a Wikipedia, whose worker runs."""
    settings.AMBIT_DATA, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
    forget_providers()
    installation = Installation(tmp_path)
    try:
        installation.start_worker(monkeypatch)
        yield installation
    finally:
        installation.stop()


def test_a_stranger_gets_to_the_first_answer(clean_start, new_page, server, tmp_path):
    create_admin, index_wikipedia = commands()
    build_demo_zim(tmp_path / index_wikipedia[1])
    index_wikipedia[1] = str(tmp_path / index_wikipedia[1])
    indexing = clean_start.start(*index_wikipedia)
    label = iter(presses())
    owner = Visitor(new_page(viewport={"width": 1440, "height": 900}))
    page = owner.page

    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_contain_text("create the first account")
    out = io.StringIO()
    call_command(*create_admin, site=server.url, stdout=out)
    page.goto(re.search(r"http\S+", out.getvalue())[0])
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password, again").fill(PASSWORD)
    owner.press(next(label))
    assert "can be searched as “simple”" in clean_start.finish(indexing)
    owner.press(next(label))
    page.get_by_label("Name", exact=True).fill("Bridges")
    owner.press(next(label))
    page.locator("#upload-lines").fill("\n".join(QUESTIONS))
    owner.press(next(label))
    owner.press(next(label))
    page.get_by_text("3 questions in this project").wait_for()
    owner.press(next(label))
    page.get_by_label("One person a line").fill("annotator.1@example.org")
    owner.press(next(label))
    owner.press(next(label))
    link = page.get_by_role("textbox", name="Link for annotator.1").input_value()

    writer = Visitor(new_page(viewport={"width": 1440, "height": 900}))
    page = writer.page
    page.goto(link)
    page.get_by_label("Name", exact=True).fill("Annotator One")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    for box in page.get_by_role("checkbox").all():
        writer.click(box)
    writer.click(page.get_by_role("radio", name="Yes"))
    writer.press(next(label))
    writer.press(next(label))
    page.wait_for_url(re.compile(r"/work/\d+/"))
    answer_question(writer)
    Assignment.objects.update(active_seconds=F("active_seconds") + 60)
    pages = [*owner.seen, "home, whose address is that of the first page", *writer.seen]
    writer.press(next(label))
    expect(page.locator("#messages")).to_contain_text("Submitted.")

    assert list(label) == []
    assert Annotation.objects.get().assignment.user.email == "annotator.1@example.org"
    assert Membership.objects.get(user__email="annotator.1@example.org").role == "annotator"
    assert len(pages) <= PAGES, "\n".join(pages)
    assert owner.clicks + writer.clicks <= CLICKS


def answer_question(writer):
    """Search, open the article, and say that there is one clear answer in it."""
    page = writer.page
    expect(page.get_by_text(QUESTIONS[0][1:]).first).to_be_visible()
    page.get_by_role("searchbox").first.fill("thames tunnel")
    page.keyboard.press("Enter")
    writer.click(page.locator(".result a").first)
    page.locator("#article-title").wait_for()
    writer.click(page.get_by_text("One clear answer", exact=True))
    page.fill("#single-answer", WORDS)
    page.get_by_text("Saved").first.wait_for()
