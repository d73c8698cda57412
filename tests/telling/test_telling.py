"""Gold items cannot be told from other work by anything but what is judged.

Whoever adds a screen or an API answer for the people who work adds it to `BEFORES` or `AFTERS` of
`tests/telling/sessions.py`, or says in `APART` of `tests/telling/addresses.py` why it is not about
one piece of work.
"""

import datetime as dt
import random

import pytest
from django.db import connection
from django.utils import timezone
from rest_framework.throttling import SimpleRateThrottle

from tests.access import ROWS
from tests.access.expected import MANAGERS, MEMBERS, Row, api
from tests.stages.gold_examples import GOLDS
from tests.stages.scene import at_hand
from tests.telling import sessions
from tests.telling.addresses import APART
from tests.telling.detector import tell
from tests.telling.worlds import SIZES

GOLD, OTHER, SEED = 200, 1_800, 18


class Clock:
    """The time, which goes on only when it is told to."""

    def __init__(self):
        self.at = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)

    def now(self):
        return self.at

    def tick(self, seconds):
        self.at += dt.timedelta(seconds=seconds)


def number_rows():
    """Let the numbers of all rows begin at a million, until the test is rolled back: lots, and so
    which items are drawn, hang on them.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
        for (name,) in cursor.fetchall():
            cursor.execute(f'ALTER SEQUENCE "{name}" RESTART WITH 1000000')


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock.now)
    # The API counts requests of a minute: of the minutes in which people work here.
    monkeypatch.setattr(SimpleRateThrottle, "timer", lambda each: clock.now().timestamp())
    return clock


def work_on(stage, clock):
    """Have people work on a stage; return their items, and the addresses that they asked."""
    size, draw = SIZES[stage], random.Random(SEED)
    with at_hand(stage):
        world = size.make(draw, size.questions)
        drawn = world.mix(size.source)
        items, asked = sessions.simulate(
            world, clock, seed=SEED, sessions=size.sessions, most=size.most
        )
    gold = sum(item.gold for item in items)
    print(f"{stage}: {drawn} drawn; seen {gold} gold items, {len(items) - gold} other")  # noqa: T201
    return items, asked


@pytest.mark.django_db
@pytest.mark.patience(3)
def test_nothing_tells_gold_items_from_other_work(clock):
    number_rows()
    everything, asked = [], set()
    for stage in SIZES:
        items, addresses = work_on(stage, clock)
        everything += items
        asked |= addresses
    draw = random.Random(SEED)
    chosen = [
        item
        for gold, number in ((True, GOLD), (False, OTHER))
        for item in draw.sample([item for item in everything if item.gold is gold], number)
    ]
    told = tell(
        [item.features for item in chosen],
        [item.gold for item in chosen],
        [item.session.world.stage for item in chosen],
        seed=SEED,
        same=[item.work.task_id for item in chosen],
    )
    print(told.questions, "questions;", told.single, ";", told.tree)  # noqa: T201
    assert asked == sessions.READ
    assert told.single.p > 0.05, f"gold items can be told by {told.single}"
    assert told.tree.p > 0.05, f"gold items can be told by {told.tree}"


def test_every_stage_with_gold_items_is_looked_at():
    assert SIZES.keys() == GOLDS.keys()


# What somebody who works cannot open.
CLOSED = {401, 403, 404, 405}


def opened_by_who_works(rows):
    """Return the addresses that an annotator may open, and all that are about their work."""
    return {
        name
        for name, row in rows.items()
        if name.startswith(("work-", "api-work"))
        or {row.get["annotator"], row.post["annotator"]} - CLOSED
    }


def unread(rows):
    """Return a sentence for each address that is neither read nor set apart with a reason."""
    return [
        f"{name} is new to people who work. Read it in tests/telling/sessions.py, so that it "
        "cannot tell gold items from other work, or say in APART of tests/telling/addresses.py "
        "why it is not about one piece of work."
        for name in sorted(opened_by_who_works(rows) - sessions.READ - APART.keys())
    ]


def test_whatever_people_may_open_is_read_or_set_apart():
    assert not unread(ROWS)
    assert not (sessions.READ | APART.keys()) - opened_by_who_works(ROWS)
    assert not sessions.READ & APART.keys()


def test_a_new_page_or_answer_of_the_api_has_to_be_added():
    for new in (
        {"work-progress": Row()},
        {"project-figures": Row(get=MEMBERS)},
        {"api-mine": Row(get=api(MEMBERS))},
    ):
        [told] = unread(ROWS | new)
        assert told.startswith(f"{next(iter(new))} is new to people who work. Read it in")
    assert not unread(ROWS | {"project-costs": Row(get=MANAGERS)})
