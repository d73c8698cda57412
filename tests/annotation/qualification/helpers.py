"""A qualification with three items, and attempts at it."""

from annotation.models import QualificationAnswer
from annotation.qualifying import Item, PreparedPair, Reading, Seeded
from annotation.responses import AnswerForm, Pair, Response, to_json
from annotation.services import qualification as services
from annotation.services import qualification_attempts as attempts

TUNNEL = Item(
    prompt="when did the thames tunnel open",
    accepted=(
        Reading(
            pairs=(
                PreparedPair(
                    "When did the Thames Tunnel open to walkers? | "
                    "When did the Thames Tunnel open to pedestrians?",
                    ("25 March 1843", "March 25, 1843"),
                ),
                PreparedPair("When did the Thames Tunnel open to trains?", ("7 December 1869",)),
            )
        ),
    ),
    hint="Two kinds of traffic went **through** it.",
    explanation="It opened twice.",
    pages=("Thames Tunnel",),
)
BRIDGE = Item(prompt="who built the forth bridge", accepted=(Reading(("Fowler", "John Fowler")),))
NOBODY = Item(prompt="who won the 1871 boat prize", accepted=(Reading(),))
ITEMS = (TUNNEL, BRIDGE, NOBODY)
JUDGED = Item(
    prompt="when did the thames tunnel open",
    seeded=(
        Seeded(TUNNEL.accepted[0], True),
        Seeded(Reading(("1850",)), False),
    ),
)

RIGHT = (
    Response(
        kind="multiple",
        pairs=(
            Pair(
                "When did the Thames Tunnel open to pedestrians?", (AnswerForm("March 25, 1843"),)
            ),
            Pair("When did the Thames Tunnel open to trains?", (AnswerForm("7 December 1869"),)),
        ),
    ),
    Response(kind="single", single=(AnswerForm("john fowler"),)),
    Response(kind="none", none_reason="No article names the prize."),
)
WRONG = Response(kind="single", single=(AnswerForm("Somebody else"),))


def make(project, by, now, *, items=ITEMS, opened=True, kind="generation", **settings):
    """An open qualification: all three to pass, two to be read, one to hand in."""
    marks = {"submit_at": 1, "review_from": 2, "pass_at": 3} | settings
    marks = {**marks, **({"title": "First steps"} if "title" not in marks else {})}
    made = services.create(project=project, kind=kind, by=by, now=now, **marks)
    services.add_items(qualification=made, items=items, by=by, now=now)
    if opened:
        services.set_state(qualification=made, state="open", by=by, now=now)
    return made


def write(attempt, responses, *, by, now):
    """Save answers from the first item on."""
    for number, response in enumerate(responses, start=1):
        answer = answer_to(attempt, number)
        attempts.save(
            answer=answer,
            draft=to_json(response),
            version=answer.draft_version,
            by=by,
            now=now,
        )


def answer_to(attempt, number=1):
    return QualificationAnswer.objects.select_related(
        "item", "attempt__user", "attempt__qualification__project"
    ).get(attempt=attempt, number=number)


def attempt_with(qualification, by, now, *, right, hand_in=True):
    """An attempt with so many right answers, the others wrong."""
    attempt = attempts.start(qualification=qualification, by=by, now=now)
    write(attempt, [*RIGHT[:right], *[WRONG] * (attempt.total - right)], by=by, now=now)
    return attempts.submit(attempt=attempt, by=by, now=now) if hand_in else attempt
