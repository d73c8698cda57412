"""A qualification with three items, and attempts at it; a training with samples of its own."""

from dataclasses import replace

from annotation.generation.known_answers import PreparedAnswer, PreparedPair, answers_to_json
from annotation.generation.responses import GenerationResponse, WrittenPair, to_json
from annotation.long_answers.response import LongAnswerResponse, Piece
from annotation.long_answers.response import to_json as long_to_json
from annotation.models import Part, QualificationAnswer
from annotation.qualifications import attempts
from annotation.qualifications import services as qualifications_services
from annotation.qualifications.items import Item
from annotation.sheets.answers import AnswerForm


def accepted(*answers):
    """What is expected where any of these answers is right."""
    return {"accepted": answers_to_json(answers)}


WALKED_AND_RODE = PreparedAnswer(
    pairs=(
        PreparedPair(
            "When did the Thames Tunnel open to walkers? | "
            "When did the Thames Tunnel open to pedestrians?",
            ("25 March 1843", "March 25, 1843"),
        ),
        PreparedPair("When did the Thames Tunnel open to trains?", ("7 December 1869",)),
    )
)
TUNNEL = Item(
    prompt="when did the thames tunnel open",
    expected=accepted(WALKED_AND_RODE),
    hint="Two kinds of traffic went **through** it.",
    explanation="It opened twice.",
    pages=("Thames Tunnel",),
)
BRIDGE = Item(
    prompt="who built the forth bridge",
    expected=accepted(PreparedAnswer(("Fowler", "John Fowler"))),
)
NOBODY = Item(prompt="who won the 1871 boat prize", expected=accepted(PreparedAnswer()))
ITEMS = (TUNNEL, BRIDGE, NOBODY)
JUDGED = Item(
    prompt="when did the thames tunnel open",
    expected={
        "seeded": answers_to_json(
            [replace(WALKED_AND_RODE, correct=True), PreparedAnswer(("1850",), correct=False)]
        )
    },
)


def long_answer(*pairs, model):
    """What is expected of a long answer: questions, forms, context and its page; a model answer."""
    names = ("question", "short_answers", "context", "wikipage")
    return {
        "qa_pairs": [dict(zip(names, pair, strict=True)) for pair in pairs],
        "model_answer": model,
    }


WALKED = Item(
    prompt="when did the thames tunnel open",
    expected=long_answer(
        (
            "When did the Thames Tunnel open to walkers?",
            ["25 March 1843", "March 25, 1843"],
            *("Walkers first used the tunnel on 25 March 1843.", "Thames Tunnel"),
        ),
        ("When did the Thames Tunnel open to trains?", ["7 December 1869"], None, None),
        model="It opened twice: to walkers on 25 March 1843, to trains on 7 December 1869.",
    ),
    explanation="Both kinds of traffic, and **why** there are two.",
    pages=("Thames Tunnel",),
)
CROSSED = replace(
    WALKED,
    prompt="when did the forth bridge open",
    expected=long_answer(
        ("When did the Forth Bridge open to trains?", ["4 March 1890"], None, None),
        ("When did the Forth Road Bridge open?", ["4 September 1964"], None, None),
        model="Trains crossed it from 4 March 1890, cars from 4 September 1964.",
    ),
)
LONG_ANSWER = LongAnswerResponse(
    text="The Thames Tunnel opened to walkers on 25 March 1843; a railway came years later.",
    knowledge=(Piece("A railway company bought the tunnel in 1865.", "Thames Tunnel"),),
)

RIGHT = (
    GenerationResponse(
        kind="multiple",
        pairs=(
            WrittenPair(
                "When did the Thames Tunnel open to pedestrians?", (AnswerForm("March 25, 1843"),)
            ),
            WrittenPair(
                "When did the Thames Tunnel open to trains?", (AnswerForm("7 December 1869"),)
            ),
        ),
    ),
    GenerationResponse(kind="single", single=(AnswerForm("john fowler"),)),
    GenerationResponse(kind="none", none_reason="No article names the prize."),
)
WRONG = GenerationResponse(kind="single", single=(AnswerForm("Somebody else"),))


def make(project, by, now, *, items=ITEMS, opened=True, kind="generation", **settings):
    """An open qualification: all three to pass, two to be read, one to hand in."""
    marks = {"submit_at": 1, "review_from": 2, "pass_at": 3} | settings
    marks = {**marks, **({"title": "First steps"} if "title" not in marks else {})}
    made = qualifications_services.create_qualification(
        project=project, kind=kind, by=by, now=now, **marks
    )
    qualifications_services.add_items(qualification=made, items=items, by=by, now=now)
    if opened:
        qualifications_services.set_state(qualification=made, state="open", by=by, now=now)
    return made


def write(attempt, responses, *, by, now):
    """Save answers from the first item on."""
    for number, response in enumerate(responses, start=1):
        answer = answer_to(attempt, number)
        attempts.save_draft(
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
    attempt = attempts.start_attempt(qualification=qualification, by=by, now=now)
    write(attempt, [*RIGHT[:right], *[WRONG] * (attempt.total - right)], by=by, now=now)
    return attempts.submit_attempt(attempt=attempt, by=by, now=now) if hand_in else attempt


def samples_of(items):
    """The same items as samples for self-study."""
    return [replace(item, part=Part.STUDY.value) for item in items]


def make_training(project, by, now, *, samples=(CROSSED,), items=(WALKED,), **settings):
    """A training for long answers: samples, a walk-through, then the exam."""
    settings = {"title": "Training", "submit_at": 1, "walk_through": True} | settings
    made = qualifications_services.create_qualification(
        project=project, kind="long_answer", by=by, now=now, **settings
    )
    qualifications_services.add_items(
        qualification=made, items=[*samples_of(samples), *items], by=by, now=now
    )
    qualifications_services.set_state(qualification=made, state="open", by=by, now=now)
    return made


def study(qualification, by, now, *, response=LONG_ANSWER, hand_in=None):
    """Do the self-study, or the first `hand_in` samples of it."""
    attempt = attempts.start_attempt(qualification=qualification, by=by, now=now, part=Part.STUDY)
    for answer in list(attempt.answers.all())[:hand_in]:
        if answer.handed_in_at is not None:
            continue
        answer = answer_to(attempt, answer.number)
        version = answer.draft_version
        draft = long_to_json(response)
        attempts.save_draft(answer=answer, draft=draft, version=version, by=by, now=now)
        attempts.hand_in_sample(answer=answer, by=by, now=now)
    attempt.refresh_from_db()
    return attempt


def sit(qualification, by, now, *, response=LONG_ANSWER):
    """Take the exam and hand it in."""
    attempt = attempts.start_attempt(qualification=qualification, by=by, now=now)
    for answer in attempt.answers.all():
        answer = answer_to(attempt, answer.number)
        draft = long_to_json(response)
        attempts.save_draft(answer=answer, draft=draft, version=0, by=by, now=now)
    return attempts.submit_attempt(attempt=attempt, by=by, now=now)
