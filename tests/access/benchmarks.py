"""Public pages, the teams that send predictions, and those who run them.

The stranger of the world is in a team: what a team has is theirs alone, also not the project's.
"""

from evaluation.benchmark.services import build_link
from tests.access.expected import (
    EMPTY,
    HIDDEN,
    MANAGERS,
    OK,
    PUBLIC,
    Row,
    answers,
    but,
    everybody,
    slug,
)

TEAM = but(HIDDEN, stranger=OK)
NO_POST = everybody(405)


def _seat(world):
    return [world.slug, build_link(world.invited_seat).split("/")[-2]]


ROWS = {
    "benchmark": Row(slug, get=PUBLIC, post=NO_POST),
    "benchmark-questions": Row(slug, get=PUBLIC, post=NO_POST),
    "benchmark-file": Row(lambda w: [w.slug, f"{w.slug}-ambignq.json"], get=PUBLIC, post=NO_POST),
    "api-leaderboard": Row(slug, get=PUBLIC, post=NO_POST),
    "benchmark-entries": Row(slug, get=TEAM, post=answers(TEAM, 422), data=EMPTY),
    "benchmark-entry": Row(
        lambda w: [w.slug, w.entry.pk], post=answers(TEAM, 302), data={"shown": "anonymous"}
    ),
    "benchmark-test-questions": Row(slug, get=TEAM),
    # The invitation is for somebody without an account.
    "benchmark-join": Row(
        _seat,
        get=but(everybody(403), anonymous=OK),
        post=but(everybody(403), anonymous=302),
        data={"name": "Rita Rowe", "password": "a long-enough secret"},
    ),
    "benchmark-edit": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "benchmark-release": Row(slug, post=answers(MANAGERS, 302), data={"layout": "ambignq"}),
    "benchmark-open": Row(slug, get=MANAGERS, post=answers(MANAGERS, 302)),
    "benchmark-close": Row(slug, post=answers(MANAGERS, 302)),
    "benchmark-invite": Row(
        slug, post=answers(MANAGERS, 302), data={"team": "Blues", "email": "b@lake.example"}
    ),
    "benchmark-seat-end": Row(lambda w: [w.slug, w.invited_seat.pk], post=answers(MANAGERS, 302)),
}
