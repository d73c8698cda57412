"""What a row of the matrix is made of: who gets what, and the addresses of the world."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from annotation.people.invitation_services import invitation_link
from tests import factories
from tests.world import PERSONAS

OK = 200


def everybody(status):
    return dict.fromkeys(PERSONAS, status)


def but(expected, **different):
    return expected | different


def answers(expected, status):
    """The same people, with another status for those who may."""
    return {who: status if was == OK else was for who, was in expected.items()}


PUBLIC = everybody(OK)
SIGNED_IN = but(PUBLIC, anonymous=302)
NOT_ALLOWED = but(everybody(405), anonymous=302)
MEMBERS = but(SIGNED_IN, stranger=404, staff=404)
MANAGERS = but(MEMBERS, annotator=403, validator=403, judge=403, expert=403)
ADMINS = but(MANAGERS, researcher=403)
# The assignment of tests.world is the annotator's.
OWNER = but(everybody(404), anonymous=302, annotator=OK)
HIDDEN = but(everybody(404), anonymous=302)


# Who may start a project: researchers and admins of some project, staff of the installation.
CREATORS = but(SIGNED_IN, stranger=403, annotator=403, validator=403, judge=403, expert=403)


def api(expected):
    """The same for scripts: signed out is 401."""
    return but(expected, anonymous=401)


@dataclass
class Row:
    args: Any = lambda world: []
    get: dict[str, int] = field(default_factory=lambda: NOT_ALLOWED)
    post: dict[str, int] = field(default_factory=lambda: NOT_ALLOWED)
    data: Any = None


EMPTY = {"title": ""}  # a form sent without being filled in
REASON = {"reason": "They mean the same."}


def slug(world):
    return [world.slug]


def report(world):
    return [world.slug, "agreement"]


def work(world):
    return [world.assignment.pk]


def long_work(world):
    return [world.long.assignment.pk]


def job(world):
    return [world.slug, world.job.pk]


def thread(world):
    return [world.thread.pk]


def claim(world):
    return [world.slug, world.thread.pk]


def faq(world):
    return [world.slug, world.faq_entry.pk]


def proof(world):
    return [world.slug, factories.make_proof(world.project, world.people["validator"]).pk]


def token(world):
    return [invitation_link(world.invitation).split("/")[-2]]


def participant_link(world):
    return [world.recruitment.build_link("p-9", world.now + dt.timedelta(days=7)).signed_token()]


def recruitment(world):
    return [world.slug, world.recruitment.pk]


def participation(world):
    return [world.slug, world.recruitment.pk, world.participation.pk]


def draft_study(world):
    return [world.slug, world.draft_study.pk]


def study(world):
    return [world.slug, world.study.pk]


def exam(world):
    return [world.slug, world.exam.pk]


def writing(world):
    return [world.slug, world.writing.pk]


def writing_item(world):
    return [world.slug, world.writing.pk, world.writing_item.pk]


def attempt(world):
    return [world.attempt.pk]


def attempt_item(world):
    return [world.attempt.pk, 1]
