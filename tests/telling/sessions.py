"""People at work on a stage with gold items, and everything that they get to see of each item.

Half of them work on the pages, half by the API. The answers that every item needs are read of all;
those of the other addresses in turn, so that each is read of some hundred items.
"""

import csv
import datetime as dt
import itertools
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from django.test import Client
from django.urls import reverse
from lxml import html as pages

from annotation.models import Assignment
from annotation.stages import registry as stages
from tests import factories, plans
from tests.stages.window import HX, fields_of
from tests.telling.features import entries_of, of_answer, of_page, of_row

BACK = 6  # of so many submissions one is looked at again
JSON = {"content_type": "application/json"}


@dataclass
class Item:
    """One piece of work of somebody, with the features read of it."""

    work: Assignment
    session: "Session"
    content: list[str]
    began: dt.datetime
    features: dict = field(default_factory=dict)

    @property
    def gold(self):
        return self.work.gold

    def note(self, name, answer, entry=None):
        """Keep the features of an answer about this item, those to each method apart."""
        self.session.asked.add(name)
        named = f"{answer.request['REQUEST_METHOD']} {name}"
        self.features |= of_answer(named, answer, self.content, self.session.began, entry)


class Session:
    """Somebody works on a stage, item after item."""

    def __init__(self, world, clock, draw, *, by_api):
        self.world, self.clock, self.draw, self.by_api = world, clock, draw, by_api
        role = stages.get_stage(world.stage).role
        self.person = factories.make_member(world.project, role)
        self.client = Client()
        self.client.force_login(self.person)
        self.items, self.asked, self.began = [], set(), clock.now()
        self.turn = draw.randrange(99)

    def get(self, name, *args, **options):
        self.clock.tick(self.draw.randint(1, 20))
        return self.client.get(reverse(name, args=args), **options)

    def post(self, name, *args, data=None, **options):
        self.clock.tick(self.draw.randint(1, 20))
        return self.client.post(reverse(name, args=args), data, **options)

    def run(self, most):
        """Work until there is nothing more, or enough is done."""
        name = "api-work-take" if self.by_api else "work-next"
        answer = self.post(name, self.world.project.slug, self.world.stage)
        while len(self.items) < most:
            work = Assignment.objects.select_related("task__question").filter(
                user=self.person, state="active"
            )
            if not work:
                break
            answer, name = self._do(work[0], answer, name)
        return self

    def _do(self, work, answer, name):
        """Look at an item, answer it, and return the answer that brings the next one."""
        item = Item(work, self, self.world.content(work), self.clock.now())
        self.items.append(item)
        item.note(name, answer)
        self.world.read(work)
        self._look(item, BEFORES)
        if self.by_api:
            self._submit_by_api(item)
        else:
            self._submit(item)
        if len(self.items) % 3 == 0:
            self._look(item, AFTERS)
        if self.by_api:
            name = "api-work-take"
            return self.post(name, self.world.project.slug, self.world.stage), name
        return self.next, "work-submit"

    def _look(self, item, ways):
        """Read one of the addresses, in turn, whatever the item is."""
        usual = [way for way in ways if self.world.has(way)]
        name = usual[(len(self.items) // 3 + self.turn) % len(usual)]
        answers = ways[name](self, item.work)
        for asked, answer in answers if isinstance(answers, list) else [(name, answers)]:
            item.note(asked, answer, entry=item.work.pk)

    def _submit(self, item):
        page = self.get("work-page", item.work.pk)
        item.note("work-page", page)
        for fill in (fills := self.world.fills(self.draw))[:-1]:
            if self.world.saves:
                page = self._save(item, fill(fields_of(page.text)))
            answer = self.post("work-step", item.work.pk, data=fill(fields_of(page.text)))
            item.note("work-step", answer)
            page = self.get("work-page", item.work.pk)
            item.note("work-page", page)
        if self.world.suggests:
            page = self._save(item, fills[-1](fields_of(page.text)))
        self.next = self.post("work-submit", item.work.pk, data=fills[-1](fields_of(page.text)))
        assert self.next.status_code == 302, self.next.text

    def _save(self, item, fields):
        """Save what is filled, and look at its page again."""
        item.note("work-draft", self.post("work-draft", item.work.pk, data=fields, headers=HX))
        page = self.get("work-page", item.work.pk)
        item.note("work-page", page)
        return page

    def _save_by_api(self, item, sent):
        """Save what is filled, and ask what is suggested then; return the work."""
        shown = self.post("api-work-draft", item.work.pk, data=sent, **JSON)
        item.note("api-work-draft", shown)
        offered = self.get("api-work-suggestions", item.work.pk)
        item.note("api-work-suggestions", offered)
        assert offered.json()["suggestions"] or not self.world.suggests
        return shown

    def _look_first_by_api(self, item, shown):
        """Say something first, and see what a model says of it."""
        told = shown.json()
        said = self.world.said(self.draw)[-1]
        sent = {"version": told["version"], "response": told["response"] | said}
        return self._save_by_api(item, sent)

    def _submit_by_api(self, item):
        shown = self.get("api-work", item.work.pk)
        item.note("api-work", shown)
        if self.world.suggests:
            shown = self._look_first_by_api(item, shown)
        said = self.world.said(self.draw)
        for part in said:
            told = shown.json()
            sent = {"version": told["version"], "response": told["response"] | part}
            if self.world.saves:
                told = self._save_by_api(item, sent).json()
                sent |= {"version": told["version"]}
            name = "api-work-submit" if part is said[-1] else "api-work-step"
            shown = self.post(name, item.work.pk, data=sent | {"step": told["step"]}, **JSON)
            item.note(name, shown)
        assert shown.json()["state"] == "submitted", shown.text

    def look_back(self, when):
        """Read the lists of all that was done, and each submission."""
        seen = self._submissions()
        assigned = self._pages_of("api-assignments", self.world.project.slug)
        paid = self._paid()
        for at, item in enumerate(self.items):
            row = seen.get(item.work.pk)
            features = of_page(f"submission-list {when}", row, item.content, self.began)
            item.features |= features
            if at % BACK == 0:
                item.note("submission-view", self.get("submission-view", item.work.pk))
            item.features |= of_row(
                f"api-assignments {when}", assigned[item.work.pk], item.content, self.began
            )
            item.features |= {
                f"pay-mine-export {when} {kind}": len(rows)
                for kind, rows in paid[item.content[0]].items()
            }

    def _submissions(self):
        found, before = {}, ""
        while True:
            page = pages.fromstring(self.get("submission-list", data={"before": before}).content)
            self.asked.add("submission-list")
            mine = {item.work.pk for item in self.items}
            rows = entries_of(page)
            new = {pk: row for pk, row in rows.items() if pk in mine and pk not in found}
            found |= new
            if not new or len(found) == len(self.items):
                return found
            before = str(min(new))

    def _pages_of(self, name, *args):
        self.asked.add(name)
        rows = self.get(name, *args, data={"page_size": "1000"}).json()["results"]
        return {row["id"]: row for row in rows}

    def _paid(self):
        answer = self.get("pay-mine-export")
        self.asked.add("pay-mine-export")
        lines = b"".join(answer).decode().splitlines()
        found = defaultdict(lambda: defaultdict(list))
        for row in csv.DictReader(lines):
            found[row["text"]][row["kind"]].append(row)
        return found


def _of_work(name, **options):
    return lambda session, work: session.get(name, work.pk, **options)


def _list(name, by_project=False):
    return lambda session, work: session.get(
        name, *([session.world.project.slug] if by_project else [])
    )


def _press(name, data=None, **options):
    return lambda session, work: session.post(name, work.pk, data=data, **options)


def _draft(session, work):
    page = session.client.get(reverse("work-page", args=[work.pk]))
    return session.post("work-draft", work.pk, data=fields_of(page.text), headers=HX)


def _draft_by_api(session, work):
    shown = session.client.get(reverse("api-work", args=[work.pk])).json()
    sent = {"version": shown["version"], "response": shown["response"]}
    return session.post("api-work-draft", work.pk, data=sent, **JSON)


def _back(leave, data, resume, **options):
    """Leave the work and take it up again."""
    return lambda session, work: [
        (leave, session.post(leave, work.pk, data=data, **options)),
        (resume, session.post(resume, work.pk)),
    ]


def _change(session, work):
    """Begin to change what was submitted, look at it, and leave it as it was."""
    return [
        ("work-change", session.post("work-change", work.pk)),
        ("work-page", session.get("work-page", work.pk)),
        ("work-change-leave", session.post("work-change-leave", work.pk)),
        ("submission-view", session.get("submission-view", work.pk)),
    ]


def _change_by_api(session, work):
    address = reverse("api-work-change", args=[work.pk])
    return [
        ("api-work-change", session.post("api-work-change", work.pk)),
        ("api-work", session.get("api-work", work.pk)),
        ("api-work-change", session.client.delete(address)),
    ]


# What somebody may ask of work in hand, and of work that is submitted.
BEFORES = {
    "work-page": _of_work("work-page"),
    "api-work": _of_work("api-work"),
    "api-assignments": _list("api-assignments", by_project=True),
    "api-work-list": _list("api-work-list"),
    "home": _list("home"),
    "project-start": _list("project-start", by_project=True),
    "project-overview": _list("project-overview", by_project=True),
    "submission-view": _of_work("submission-view"),
    "work-guidelines": _of_work("work-guidelines"),
    "work-faq": _of_work("work-faq"),
    "work-touch": _press("work-touch"),
    "work-extend": _press("work-extend", headers=HX),
    "work-draft": _draft,
    "api-work-draft": _draft_by_api,
    "work-events": _press("work-events", data="[]", **JSON),
    "api-work-events": _press("api-work-events", data={}, **JSON),
    "work-search": _of_work("work-search", data={"q": "bridge"}, headers=HX),
    "api-work-search": _press("api-work-search", data={"query": "bridge"}, **JSON),
    "api-work-reading": _of_work("api-work-reading"),
    "api-work-suggestions": _of_work("api-work-suggestions"),
    "work-park": _back("work-park", {"reason": "Later."}, "work-resume"),
    "api-work-park": _back("api-work-park", {"reason": "Later."}, "api-work-resume", **JSON),
    "work-return": _back("work-return", {}, "work-resume"),
    "api-work-release": _back("api-work-release", {}, "api-work-resume", **JSON),
    "work-skip": _back("work-skip", {"reason": "subjective"}, "work-resume"),
    "api-work-skip": _back("api-work-skip", {"reason": "subjective"}, "api-work-resume", **JSON),
}
AFTERS = {
    "work-page": _of_work("work-page"),
    "api-work": _of_work("api-work"),
    "submission-view": _of_work("submission-view"),
    "home": _list("home"),
    "pay-mine": _list("pay-mine"),
    "work-submit": _press("work-submit", data={}),
    "thread-open": _press("thread-open", data={"kind": "question", "text": "Why?"}),
    "feedback-read": _press("feedback-read"),
    "work-change": _change,
    "api-work-change": _change_by_api,
}


def place_in_session(items):
    """Add what somebody sees who compares the items of a session with each other."""
    groups = Counter(item.work.task.question_id for item in items)
    texts = Counter(item.content[-1] for item in items)
    seen, met, before = Counter(), Counter(), None
    for at, item in enumerate(items):
        question, text = item.work.task.question_id, item.content[-1]
        own = item.features
        own |= {
            "place": at,
            "place from the end": len(items) - at,
            "place in question": seen[question],
            "place in question from its end": groups[question] - seen[question],
            "items of question": groups[question],
            "same question as before": before is not None
            and before.work.task.question_id == question,
            "question left and met again": bool(seen[question])
            and before.work.task.question_id != question,
            "text met before": met[text],
            "text met": texts[text],
            "id": item.work.pk - items[0].work.pk,
            "id after the one before": item.work.pk - before.work.pk if before else None,
            "seconds after the one before": (item.began - before.began).total_seconds()
            if before
            else None,
        }
        seen[question] += 1
        met[text] += 1
        before = item
    _numbers_in_order(items)


def _numbers_in_order(items):
    """Compare every number with that of the item before, and with the highest so far."""
    for name in {name for item in items for name in item.features if name.endswith("number")}:
        highest = last = None
        for item in items:
            value = item.features.get(name)
            if value is None:
                continue
            if highest is not None:
                item.features[f"{name} is the highest"] = value > highest
                item.features[f"{name} rose by"] = value - last
            highest, last = max(value, highest or value), value


def simulate(world, clock, *, seed, sessions, most):
    """Let people do the work of a stage; return the items."""
    draw = random.Random(seed)
    people = []
    for number in range(sessions):
        plans.count_rows()
        session = Session(world, clock, draw, by_api=bool(number % 2)).run(most)
        session.look_back("then")
        people.append(session)
    for session in people:
        session.look_back("later")
        place_in_session(session.items)
    items = list(itertools.chain.from_iterable(session.items for session in people))
    return items, set().union(*(session.asked for session in people))


# Read of every item, whatever is looked at besides.
ALWAYS = {
    *("work-next", "work-submit", "work-step", "api-work-take", "api-work-submit", "api-work-step"),
    *("work-resume", "api-work-resume", "submission-list", "pay-mine-export"),
    "work-change-leave",
}
READ = ALWAYS | BEFORES.keys() | AFTERS.keys()
