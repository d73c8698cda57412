"""The tour of the demo: three things to try for each of its people, at the top of their home."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from accounts.models import User
from annotation.extensions.extension import Extension
from annotation.extensions.parts import HomePanel
from annotation.models import Project
from demo.people import DOMAIN


@dataclass(frozen=True)
class TourStep:
    """Something to try: what, on which page of which project ("" for pages of the person)."""

    title: str
    text: str
    page: str
    project: str = ""


SUBMISSIONS = "submission-list"
ANNOTATOR = (
    TourStep(
        "Answer an ambiguous question",
        "Search, open an article, select the words that answer, and press “a”. Each answer gets "
        "a question of its own.",
        *("project-start", "demo"),
    ),
    TourStep(
        "See the results of your answers",
        "You answered half of a finished round. Open one that was judged incorrect: it says why, "
        "and you can dispute it.",
        SUBMISSIONS,
    ),
    TourStep(
        "Write one long answer",
        "It has to cover every reading of the question. The list beside it says what is missing.",
        *("project-start", "demo-long"),
    ),
)
JUDGE = (
    TourStep(
        "Compare two answers, blind",
        "You do not learn who or what wrote them. Digits alone are enough: each key moves on.",
        *("project-start", "demo-long"),
    ),
    TourStep(
        "Change your mind",
        "Press “z” on the next pair, or open an earlier one here.",
        SUBMISSIONS,
    ),
    TourStep(
        "Read how to judge",
        "The team writes the guidelines; every judgment remembers their version.",
        *("project-guidelines", "demo-long"),
    ),
)
RESEARCHER = (
    TourStep(
        "Read a finished round",
        "Who agrees with whom, what validation changed, and each figure with its interval.",
        *("project-reports", "demo-round"),
    ),
    TourStep(
        "See who won a blind study",
        "Open Study 1, then its results: win shares, rater agreement, and metrics against people.",
        *("study-list", "demo-long"),
    ),
    TourStep(
        "Bring questions of your own",
        "A name is enough for a project. Then drop a file, or paste one question a line.",
        "project-create",
    ),
)
STEPS = {
    "annotator1": ANNOTATOR,
    "annotator2": ANNOTATOR,
    "validator": (
        TourStep(
            "See what you decided",
            "You validated a round of 36 questions: what was accepted, and what you wrote.",
            SUBMISSIONS,
        ),
        TourStep(
            "Verify a paraphrase",
            "It has to ask the same, in the words of a person. One key decides.",
            *("project-start", "demo-lists"),
        ),
        TourStep(
            "Get a question to validate",
            "Answer the same question as Annotator One and as Annotator Two. Then it is yours.",
            *("project-guidelines", "demo"),
        ),
    ),
    "judge1": JUDGE,
    "judge2": JUDGE,
    "expert": (
        TourStep(
            "Answer a question that is decided",
            "An audit asks you again, without what others wrote, to measure the accepted answers.",
            *("project-start", "demo-round"),
        ),
        TourStep(
            "Judge a long answer",
            "Expert judgments are made alone, and then agreed on.",
            *("project-start", "demo-long"),
        ),
        TourStep(
            "See your answers of the audit",
            "They change no decision; they give a figure.",
            SUBMISSIONS,
        ),
    ),
    "expert2": (
        TourStep(
            "Judge a long answer",
            "You see one answer, and neither who wrote it nor what the other expert says.",
            *("project-start", "demo-long"),
        ),
        TourStep(
            "Agree on an answer",
            "You and the Demo Expert differ on one. Read both reasons, then write the consensus.",
            *("consensus-list", "demo-long"),
        ),
        TourStep(
            "See your judgments",
            "Each with its answer and your reason.",
            SUBMISSIONS,
        ),
    ),
    "researcher": RESEARCHER,
    "admin": (
        TourStep(
            "Settle a dispute",
            "Annotator Two says that a result is wrong. Keep it with a reason, or change it.",
            *("claim-list", "demo-round"),
        ),
        TourStep(
            "Invite people",
            "Paste addresses; each gets a link that says what they would do.",
            *("project-people", "demo"),
        ),
        TourStep(
            "See what it cost",
            "What each submission earned, by person and month, and as a file for payroll.",
            *("project-pay", "demo-round"),
        ),
    ),
}


def build_tour(user: User) -> dict[str, Any] | None:
    """Return the steps of one of the demo's people, with links; None for everyone else.

    Steps in projects that are no longer there are left out.
    """
    login, _, domain = user.email.partition("@")
    steps = STEPS.get(login, ()) if domain == DOMAIN else ()
    wanted = {step.project for step in steps if step.project}
    there = set(Project.objects.filter(slug__in=wanted).values_list("slug", flat=True))
    shown = [
        {"step": step, "url": reverse(step.page, args=[step.project] if step.project else [])}
        for step in steps
        if not step.project or step.project in there
    ]
    return {"steps": shown} if there else None


EXTENSION = Extension(key="demo", home_panels=(HomePanel("demo/_tour.html", build_tour),))
