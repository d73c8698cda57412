"""The people of the soak: they write, park, skip, change, read and use the API, and never give up.

Whoever gets no answer, or a server error, asks again, as a browser's person does. What each
submission was answered is written down: `Journal`.
"""

import asyncio
import itertools
import json
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from benchmarks.crowd import TOKEN, Crowd, Figures, Person, Reply, Visitor
from benchmarks.cycle import WRITES, Fields, fields_of

ANSWER_SECONDS, AGAIN_SECONDS = 60.0, 0.3
WORDS = 200  # letters of a refusal
FIRST_MARK = 1_000_000  # no year: people who add a year to a question are asked for a reason
PHASES = ("calm", "fault")
STAGES = ("generation", "long_answers", "validation")
# Of ten people; the first four are there in the smallest soak, too.
KINDS = (
    "generation", "long_answers", "validation", "api", "generation", "reader", "generation",
    "long_answers", "validation", "generation",
)  # fmt: skip
MOST_PARKED = 2  # of a person; one more may have been parked by a post whose answer was lost
# A change may come too late; everything else that people submit is to be taken.
MUST_BE_TAKEN = ("submission", "API: submission", "upload", "park", "skip", "draft")
PARKS, SKIPS, DRAFTS, READS, CHANGES, RESUMES, STAYS = 0.03, 0.03, 0.15, 0.1, 0.05, 0.7, 0.5
MARK = re.compile(r"note (\d+)")
QUESTION = "When did the crossing open to"
ARTICLE = "Thames_Tunnel"


class Stopped(Exception):
    """The time is up, and somebody still waited for an answer."""


@dataclass
class Entry:
    """One text that somebody submitted: the assignment, the number in the text, what came back."""

    stage: str
    assignment: int
    mark: int
    unanswered: int = 0  # how often it was sent without an answer
    acknowledged: bool = False


class Journal:
    """Everything that people sent, in order, and what they were told."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.numbers = itertools.count(FIRST_MARK)
        self.left: dict[int, str] = {}  # assignments that are parked or skipped, as people know it
        # By job: the first question of the file, and how many are to be there; 0: it was cancelled.
        self.uploads: dict[int, tuple[int, int]] = {}

    def write(self, stage: str, assignment: int) -> Entry:
        """Write down that a text is about to be sent; return its entry, which has its number."""
        self.entries.append(Entry(stage, assignment, next(self.numbers)))
        return self.entries[-1]

    def acknowledged(self) -> int:
        """Return how many submissions people were told are in."""
        return sum(entry.acknowledged for entry in self.entries)


class Watched(Crowd):
    """Everyone at work, and what they saw: apart for calm, and from each fault until it is over."""

    def __init__(self, port: int, seed: int, pause: float) -> None:
        super().__init__(port)
        self.journal, self.chance, self.pause = Journal(), random.Random(seed), pause
        self.phases = {phase: Figures() for phase in PHASES}
        self.errors = {phase: Figures() for phase in PHASES}
        self.unanswered: dict[str, Counter[str]] = {phase: Counter() for phase in PHASES}
        self.refusals: dict[str, Counter[str]] = defaultdict(Counter)
        self.longest: dict[str, float] = defaultdict(float)  # with asking again
        self.in_fault, self.calm_since = False, time.perf_counter()
        self.wrong: list[str] = []
        self.uploaded = 0  # questions, so that each file has its own

    def end_fault(self) -> None:
        """Note that from this moment on it is calm."""
        if self.in_fault:
            self.in_fault, self.calm_since = False, time.perf_counter()

    def phase_since(self, start: float) -> str:
        """Return the phase of a request that was sent at this moment and is over now."""
        return "fault" if self.in_fault or start < self.calm_since else "calm"

    def figures_of(self, reply: Reply, start: float) -> Figures:
        """Return where to count an answer: errors apart, which come fast and help nobody."""
        return (self.errors if reply.status >= 500 else self.phases)[self.phase_since(start)]


class Persistent(Person):
    """Somebody who asks until there is an answer."""

    crowd: Watched

    def __init__(self, crowd: Watched, visitor: Visitor, slug: str = "") -> None:
        super().__init__(crowd, [visitor])
        self.slug, self.chance, self.parked = slug, crowd.chance, list[str]()
        self.opened = time.perf_counter()  # when its connection was

    async def _exchange(self, message: bytes) -> tuple[int, Reply]:
        if self.streams is None:
            self.opened = time.perf_counter()
        try:
            return await super()._exchange(message)
        except (OSError, asyncio.IncompleteReadError):
            # A connection may have been cut by a fault and be found out when it is next used.
            phase = self.crowd.phase_since(self.opened)
            self.crowd.unanswered[phase][message.partition(b" ")[0].decode()] += 1
            raise

    async def ask(
        self, kind: str, method: str, path: str, form: Any = b"", *headers: str,
        entry: Entry | None = None,
    ) -> Reply:  # fmt: skip
        """Ask until there is an answer. Raises Stopped once the time is up."""
        start = time.perf_counter()
        while True:
            began = time.perf_counter()
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    reply = await super().ask(kind, method, path, form, *headers)
            except TimeoutError:
                self.crowd.unanswered[self.crowd.phase_since(began)][method] += 1
                await self._hang_up()
            except (OSError, asyncio.IncompleteReadError):
                await self._hang_up()
            else:
                if reply.status < 500:
                    break
            if entry:
                entry.unanswered += 1
            if self.crowd.stopping:
                raise Stopped
            await asyncio.sleep(AGAIN_SECONDS)
        took = time.perf_counter() - start
        self.crowd.longest[kind] = max(self.crowd.longest[kind], took)
        if "/account/" in reply.location:
            self.crowd.wrong.append(f"{path} led somebody who had signed in to {reply.location}")
        if reply.status >= 400:
            self.crowd.refusals[f"{kind} {reply.status}"][words_of(reply)] += 1
            if kind in MUST_BE_TAKEN:
                self.crowd.wrong.append(f"{path} was refused with {reply.status}.")
        return reply

    async def post(self, kind: str, path: str, **fields: str) -> Reply:
        """Post a form."""
        return await self.ask(kind, "POST", path, {"csrfmiddlewaretoken": TOKEN, **fields})

    async def rest(self, times: float = 1.0) -> None:
        """Think for a while."""
        await asyncio.sleep(self.crowd.pause * times * self.chance.uniform(0.5, 1.5))

    async def work(self, cycle: Callable[[Any], Awaitable[bool]]) -> None:
        """Repeat the cycle until the time is up."""
        try:
            while not self.crowd.stopping:
                await cycle(self)
                await self.rest()
        except Stopped:
            pass
        finally:
            await self._hang_up()


def words_of(reply: Reply) -> str:
    """Return the first words of a page or of JSON, the same for all numbers in them."""
    body = reply.body.decode().rpartition("<main")[2].rpartition('id="answer"')[2]
    words = re.sub(r"(?s)<[^>]*>|^[^<{]*>", " ", body)
    return re.sub(r"\d+", "N", " ".join(words.split()))[:WORDS]


# --- the work page -------------------------------------------------------------------------------


def number_of(page: str) -> int:
    """Return the assignment of the address of a work page."""
    return int(page.split("/")[2])


def write_response(stage: str, quotes: Sequence[str], mark: int) -> Fields:
    """Return what somebody writes, with its number in it where there is text."""
    fields = dict(WRITES[stage](quotes))
    for name, words in (("pair-0-question", "on foot"), ("long_answer", "opened twice")):
        if name in fields:
            fields[name] = [fields[name][0].replace(words, f"{words} (note {mark})")]
    return fields


def at_work(stage: str) -> Callable[[Persistent], Awaitable[bool]]:
    """Return the cycle of a person who does the work of a stage."""

    async def cycle(person: Persistent) -> bool:
        form = await open_page(person, stage)
        if form is None:
            return False
        at, page = person.chance.random(), person.page
        if at < PARKS and len(person.parked) < MOST_PARKED:
            return await leave(person, "park", "parked", reason="Later.")
        if at < PARKS + SKIPS and stage == "generation":
            return await leave(person, "skip", "skipped", reason="subjective")
        if at < DRAFTS:
            await save_draft(person, stage, form)
            form = await open_page(person, stage)
        elif at > 1 - READS:
            await read_articles(person)
        if form is None or not await submit(person, stage, form, "submission"):
            return False
        if stage != "validation" and person.chance.random() < CHANGES:
            await change(person, stage, page)
        elif person.chance.random() < CHANGES:
            await person.ask("pages", "GET", "/submissions/")
        return True

    return cycle


async def open_page(person: Persistent, stage: str) -> Fields | None:
    """Take a question unless one is in hand, and open its page; return the fields of its form."""
    if not person.page.startswith("/work/") and person.parked and person.chance.random() < RESUMES:
        person.page = person.parked[0]
        if (await person.post("resume", f"{person.page}resume/")).location == person.page:
            person.crowd.journal.left.pop(number_of(person.parked.pop(0)), None)
        else:
            person.page = ""  # there is another one in hand, given by an answer that was lost
    if not person.page.startswith("/work/"):
        person.page = (await person.post("take", f"/work/next/{person.slug}/{stage}/")).location
    if not person.page.startswith("/work/"):
        person.crowd.refusals["take, nothing ready"][stage] += 1
        return None
    reply = await person.ask("page", "GET", person.page)
    html = reply.body.decode()
    if 'id="answer"' not in html:  # it was submitted, and only the answer was lost
        person.page = ""
        return None
    return fields_of(html)


async def submit(person: Persistent, stage: str, form: Fields, kind: str) -> bool:
    """Submit the form of the page, and write down what was answered; say whether it is in."""
    page, journal = person.page, person.crowd.journal
    entry = journal.write(stage, number_of(page))
    fields = form | write_response(stage, person.visitor.quotes, entry.mark)
    body = urlencode(fields, doseq=True).encode()
    reply = await person.ask(kind, "POST", f"{page}submit/", body, entry=entry)
    # “Submitted already” leads to the page itself: then an earlier answer was lost.
    entry.acknowledged = bool(reply.location) and "/account/" not in reply.location
    person.page = reply.location if reply.location != page else ""
    return entry.acknowledged


async def change(person: Persistent, stage: str, page: str) -> None:
    """Change what was submitted at this page, then go on with what is in hand."""
    in_hand, person.page = person.page, page
    reply = await person.post("change", f"{page}change/")
    if reply.location == page:
        shown = await person.ask("page", "GET", page)
        if 'id="answer"' in shown.body.decode():
            await submit(person, stage, fields_of(shown.body.decode()), "submission of a change")
    person.page = in_hand


async def leave(person: Persistent, how: str, state: str, **fields: str) -> bool:
    """Park or skip the question in hand, and stop there or go on with the next one."""
    page, journal = person.page, person.crowd.journal
    fields |= {"then": "next"} if person.chance.random() < STAYS else {}
    reply = await person.post(how, f"{page}{how}/", **fields)
    person.page = reply.location
    if reply.location:
        journal.left[number_of(page)] = state
        person.parked += [page] * (state == "parked")
    return bool(reply.location)


async def save_draft(person: Persistent, stage: str, form: Fields) -> None:
    """Save what somebody has written so far."""
    fields = form | write_response(stage, person.visitor.quotes, 0)
    await person.ask(
        "draft", "POST", f"{person.page}draft/", urlencode(fields, doseq=True).encode()
    )


# --- readers and programs ------------------------------------------------------------------------


async def read_articles(person: Persistent) -> None:
    """Search Wikipedia and open an article, beside the question in hand."""
    await person.ask("search", "GET", f"{person.page}search/?q=thames+tunnel+opening")
    await person.ask("article", "GET", f"{person.page}read/{ARTICLE}?via=search")


async def read_pages(person: Persistent) -> bool:
    """Open pages, one after the other, and an article beside a question."""
    person.page = (await person.post("take", f"/work/next/{person.slug}/generation/")).location
    if person.page.startswith("/work/"):
        await read_articles(person)
    for path in ("/", "/projects/", f"/projects/{person.slug}/", "/submissions/"):
        await person.rest(0.3)
        await person.ask("pages", "GET", path)
    await person.ask("pages", "GET", f"/projects/{person.slug}/guidelines/")
    return True


def as_program(token: str) -> Callable[[Persistent], Awaitable[bool]]:
    """Return the cycle of a program that does the work of generation through the API."""
    headers = f"Accept: application/json\r\nAuthorization: Token {token}\r\n"
    headers += "Content-Type: application/json\r\n"

    async def cycle(person: Persistent) -> bool:
        path = f"/api/v1/projects/{person.slug}/work/generation/"
        reply = await person.ask("API: take", "POST", path, b"{}", headers)
        if reply.status not in (200, 201):
            return False
        work = json.loads(reply.body)
        await person.ask("API: reading", "GET", f"/api/v1/work/{work['id']}/", b"", headers)
        entry = person.crowd.journal.write("generation", work["id"])
        first, second = (int(quote) for quote in person.visitor.quotes)
        pairs = [
            _pair(f"{QUESTION} people on foot (note {entry.mark})?", "25 March 1843", first),
            _pair(f"{QUESTION} trains?", "7 December 1869", second),
        ]
        pairs[0]["answers"].append({"text": "March 25, 1843", "quote": None})
        body = {"version": work["version"]}
        body["response"] = work["response"] | {"kind": "multiple", "pairs": pairs}
        path = f"/api/v1/work/{work['id']}/submit/"
        reply = await person.ask(
            "API: submission", "POST", path, json.dumps(body).encode(), headers, entry=entry
        )
        entry.acknowledged = reply.status == 200
        return entry.acknowledged

    return cycle


def _pair(question: str, answer: str, quote: int) -> dict[str, Any]:
    return {"question": question, "answers": [{"text": answer, "quote": quote}]}
