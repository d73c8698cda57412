"""Participants and those who recruit them."""

from tests.access.expected import (
    EMPTY,
    HIDDEN,
    MANAGERS,
    PUBLIC,
    Row,
    answers,
    but,
    everybody,
    participant_link,
    participation,
    recruitment,
    slug,
)

ROWS = {
    # Nobody here is a participant; tests/crowds walks as one. Signed in, people only look.
    "participant": Row(get=HIDDEN, post=HIDDEN),
    "participant-consent": Row(get=HIDDEN),
    "participant-link": Row(
        participant_link,
        get=PUBLIC,
        post=but(everybody(403), anonymous=302),
        data={"adult": "on", "agreed": "on", "press": "agree"},
    ),
    "recruitment-list": Row(slug, get=MANAGERS),
    "recruitment-add": Row(slug, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "briefing": Row(
        slug,
        get=MANAGERS,
        post=answers(MANAGERS, 302),
        data={
            "institution": "Department of Questions",
            "contact": "kim@questions.example",
            "consent": "You will answer questions.",
            "form": "",
            "seen": "1",
        },
    ),
    "briefing-file": Row(slug, get=MANAGERS),
    "recruitment-view": Row(recruitment, get=MANAGERS),
    "recruitment-change": Row(recruitment, get=MANAGERS, post=answers(MANAGERS, 422), data=EMPTY),
    "recruitment-state": Row(recruitment, post=answers(MANAGERS, 302), data={"state": "closed"}),
    "recruitment-links": Row(recruitment, post=MANAGERS, data={"ids": "p-2", "days": "7"}),
    "recruitment-file": Row(lambda w: [*recruitment(w), "decisions"], get=MANAGERS),
    "recruitment-statuses": Row(recruitment, post=answers(MANAGERS, 422), data={}),
    "recruitment-erase": Row(recruitment, post=answers(MANAGERS, 302), data={"sure": "on"}),
    "participations-approve": Row(
        recruitment, post=answers(MANAGERS, 302), data={"press": "unflagged"}
    ),
    "participation-view": Row(participation, get=MANAGERS),
    "participation-review": Row(
        participation, post=answers(MANAGERS, 302), data={"press": "approve"}
    ),
}
