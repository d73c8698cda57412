"""How the whole-job test drives Ambit: an installation of its own, and people at their desks."""

import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from celery import Celery
from django.conf import settings
from django.db import connection
from playwright.sync_api import expect

from annotation.jobs import services as jobs_services
from annotation.models import Assignment, Task
from config import embedded
from tests.browser.helpers import arrived
from tests.browser.job_script import SHOWN, Words
from tests.browser.slow import TIMEOUT

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "a piano at midnight"
HELD = ("active", "parked", "submitted")
# Where on the screen words of the article begin and end; `near` says which of several places.
FIND_WORDS = """([words, near]) => {
  const walker = document.createTreeWalker(
    document.querySelector(".article-text"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  let all = "";
  while (walker.nextNode()) {
    nodes.push([walker.currentNode, all.length]);
    all += walker.currentNode.data;
  }
  const around = all.indexOf(near);
  if (around < 0) throw new Error(`not in the article: ${near}`);
  const start = around + near.indexOf(words), end = start + words.length;
  const place = (at, last) => {
    const inside = ([node, from]) => (last ? at <= from + node.length : at < from + node.length);
    const [node, from] = nodes.find(inside);
    return [node, at - from];
  };
  const range = document.createRange();
  range.setStart(...place(start, false));
  range.setEnd(...place(end, true));
  range.startContainer.parentElement.scrollIntoView({ block: "center" });
  const rects = range.getClientRects(), first = rects[0], last = rects[rects.length - 1];
  const middle = (box) => (box.top + box.bottom) / 2;
  return [first.left, middle(first), last.right, middle(last)];
}"""


class Installation:
    """The test's database with a folder of its own: commands and a worker as real processes."""

    def __init__(self, folder):
        self.folder = folder
        variable = "DATABASE_URL" if os.environ.get("DATABASE_URL") else embedded.URL_VARIABLE
        name = connection.settings_dict["NAME"]
        address = urlunsplit(urlsplit(os.environ[variable])._replace(path=f"/{name}"))
        self.environment = {
            **os.environ,
            variable: address,
            "AMBIT_DATA": str(folder),
            "SECRET_KEY": settings.SECRET_KEY,
            "PSEUDONYM_KEY": settings.PSEUDONYM_KEY,
            "REDIS_URL": "",
            "BROKER_URL": "",
        }
        self.processes = []

    def start(self, *arguments, **options):
        """Begin `manage.py …` in a process."""
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stderr=subprocess.STDOUT,
            **{"stdout": subprocess.PIPE} | options,
        )
        self.processes.append(process)
        return process

    def start_worker(self, monkeypatch):
        """Begin the Celery worker, and send what the web server asks for to it."""
        queue = self.folder / "queue"
        for name in ("messages", "control"):
            (queue / name).mkdir(parents=True)
        broker = Celery("job", set_as_current=False)
        broker.conf.update(
            task_default_queue="default",
            broker_url="filesystem://",
            broker_transport_options={
                "data_folder_in": str(queue / "messages"),
                "data_folder_out": str(queue / "messages"),
                "control_folder": str(queue / "control"),
            },
        )

        def wake(job_id):
            broker.send_task("annotation.tasks.run_job", kwargs={"job_id": job_id})

        monkeypatch.setattr(jobs_services, "wake_workers", wake)
        with (self.folder / "worker.log").open("wb") as log:
            self.start("worker", stdout=log)

    def finish(self, process):
        """Wait for a command; returns what it printed."""
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0, printed.decode()
        return printed.decode()

    def stop(self):
        """End every process that is still there, and show what the worker said."""
        for process in self.processes:
            process.kill()
            process.communicate()
        log = self.folder / "worker.log"
        if log.exists():
            sys.stdout.write(log.read_text(errors="replace")[-3000:])


def find_archive(realdata):
    """Return the Ray Charles snapshot; skips, saying so, where it is missing."""
    path = realdata / "wikipedia/wikipedia_en_ray_charles_2015-06.zim"
    if not path.is_file():
        pytest.skip(f"no archive at {path}")
    return path


def check_seats(project):
    """No question with more people than its policy asks for, and nobody twice at one."""
    for task in Task.objects.filter(policy__project=project).select_related("policy"):
        rows = Assignment.objects.filter(task=task).values_list("user", "state")
        assert max(Counter(user for user, _ in rows).values(), default=1) == 1, rows
        held = sum(state in HELD for _, state in rows)
        assert held <= task.policy.people <= 2, rows
        assert task.seats == task.policy.people - held, (task.seats, rows)


class Desk:
    """One person with a browser window of their own.

    `queries` and `titles` note, for each prompt, what the person saw: for each query the results
    as (title, snippet), and the titles of the articles opened. `handed_in` is a list that all
    share: (prompt, name) of each submission, in order.
    """

    def __init__(self, page, name, handed_in):
        self.page, self.name, self.handed_in = page, name, handed_in
        self.queries, self.titles = defaultdict(dict), defaultdict(list)

    @property
    def prompt(self):
        shown = self.page.locator("#prompt").inner_text()
        return next(key for key, text in SHOWN.items() if text == shown)

    def take(self):
        """Ask for work on My work."""
        self.page.goto("/")
        self.page.get_by_role("button", name="Take the next question").click()
        arrived(self.page, self.page.locator("#prompt"))

    # --- reading ---------------------------------------------------------------------------

    def search(self, words=None):
        """Search, for the prompt itself when no words are given; notes what was found."""
        page = self.page
        if words is None:
            words = SHOWN[self.prompt]
            page.get_by_role("link", name="Search for the prompt").click()
        else:
            page.fill("#query", words)
            page.press("#query", "Enter")
        expect(page.locator("#results")).to_have_attribute("data-query", words)
        expect(page.locator("#query")).to_have_value(words)
        rows = page.locator("#results .result")
        self.queries[self.prompt][words] = [
            (row.locator("a").inner_text(), row.locator("p").inner_html()) for row in rows.all()
        ]

    def open(self, title):
        """Open a result of the search."""
        exactly = re.compile(f"^{re.escape(title)}$")
        self.page.locator("#results .result a").filter(has_text=exactly).click()
        self._reading(title)

    def follow(self, link, title):
        """Follow a link inside the article."""
        exactly = re.compile(f"^{re.escape(link)}$")
        self.page.locator(".article-text a.internal").filter(has_text=exactly).first.click()
        self._reading(title)

    def back(self, title):
        self.page.go_back()
        self._reading(title)

    def find(self, words, hits):
        """Find in the article; waits until it is logged."""
        with self.page.expect_response("**/events/"):
            self.page.fill("#find", words)
        expect(self.page.locator("#find-count")).to_have_text(f"1 of {hits}")

    def _reading(self, title):
        expect(self.page.locator("#article-title")).to_have_text(title)
        self.titles[self.prompt].append(title)

    # --- answering -------------------------------------------------------------------------

    def choose(self, kind):
        self.page.locator("#kind label", has=self.page.locator(f"[value={kind}]")).click()

    def answer(self, typed):
        """Write an answer: select its words in the article, type the rest."""
        if typed.kind != "multiple":
            self.choose(typed.kind)
        for form in typed.single:
            self.use(form, "single")
        for number, pair in enumerate(typed.pairs, start=1):
            self.write(pair, number)
        if typed.kind == "none":
            self.page.fill("#none-reason", typed.reason)
        if typed.feedback:
            self.page.fill("#feedback", typed.feedback)
        if typed.kept:
            self.keep(*typed.kept)

    def write(self, pair, number):
        if number > 2 and not isinstance(pair.forms[0], Words):
            self.page.click("#add-pair")
        for form in pair.forms:
            self.use(form, number)
        self.page.fill(f"#question-{number}", pair.question)

    def use(self, form, answer):
        """Put one form of an answer in: `answer` is the number of its pair, or "single"."""
        text = form.exact if isinstance(form, Words) else form
        if isinstance(form, Words):
            self.select(form)
            self._offer(answer)
        else:
            box = self.page.locator("#single-answer" if answer == "single" else f"#answer-{answer}")
            box.fill(form)
            box.press("Enter")
        forms = "single" if answer == "single" else f"pair-{answer - 1}"
        chips = self.page.locator(f"[data-forms={forms}] .chip > span")
        expect(chips.get_by_text(text, exact=True)).to_be_visible()

    def select(self, words):
        """Drag over the words, from the first letter to the last."""
        self.page.locator("#selection-bar[data-ready]").wait_for(state="attached")
        left, top, right, bottom = self.page.evaluate(FIND_WORDS, [words.exact, words.near])
        mouse = self.page.mouse
        mouse.move(left + 0.5, top)
        mouse.down()
        mouse.move(right - 2, bottom, steps=4)
        mouse.move(right - 0.5, bottom)
        mouse.up()
        self.page.locator("#selection-bar:popover-open").wait_for()

    def _offer(self, answer):
        self.page.locator("#selection-bar [data-do=answer]").click()
        if answer == "single":
            return
        known = self.page.locator("#pairs > li").count()
        target = answer if answer <= known else "new"
        self.page.locator(f"#selection-targets [data-target='{target}']").click()

    def keep(self, rule, field, reason):
        """Keep a warning and say why."""
        warning = self.page.locator(f"#messages-{field} .warning")
        warning.locator("summary").click()
        warning.locator("[name=keep-reason]").fill(reason)
        warning.locator("[name=keep-reason]").press("Enter")
        expect(warning).to_contain_text(f"Kept: “{reason[:40]}")

    def saved(self):
        expect(self.page.locator("#save-state")).to_contain_text("Saved")

    def ready(self):
        """Wait until nothing blocks any more, the minimum time included."""
        try:
            expect(self.page.locator("#todo")).to_contain_text("Ready", timeout=2 * TIMEOUT)
        except AssertionError as error:
            blocking = self.page.locator("#checks-card li:is(.ask, .todo)").all_inner_texts()
            raise AssertionError(f"{self.name}, {self.prompt}: {blocking}") from error

    def submit(self, message="Submitted. Here is the next question."):
        """Hand in by keyboard, and arrive where the next thing is."""
        self.ready()
        before, prompt = self.page.url, self.prompt
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_url(lambda url: url != before)
        arrived(self.page, self.page.locator("#messages", has_text=message))
        self.handed_in.append((prompt, self.name))
