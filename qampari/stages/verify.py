"""Another person says whether a paraphrase asks the same, and reads naturally (Q6)."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from annotation.models import Assignment, Question, Role, Submission
from annotation.policies.base import Conflict
from annotation.queries.golds import shown_of
from annotation.sheets.fields import Choice, Form, FormData, Keep, Keeps, Passage
from annotation.sheets.given import Given
from annotation.sheets.report import Report, rules_on
from annotation.sheets.rules import Check, Found
from annotation.sheets.sheet import Sheet
from annotation.stages.json_stage import JsonStage, given_of
from qampari.golds import WrongParaphrases
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.services import paraphrases

FIELDS = {"verdict": "your choice", "why": "the reason"}
SAME = Verification.Verdict.SAME.value
# Value, digit, words and what they mean.
VERDICTS = (
    (SAME, 1, "Same meaning", "It has the same answers, and reads naturally."),
    ("changed", 2, "The meaning has changed", "Some of its answers would be different."),
    ("unnatural", 3, "It does not read naturally", "It asks the same, in words nobody would use."),
)


@dataclass(frozen=True)
class Response:
    """What a person says of a paraphrase."""

    verdict: str = ""
    why: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


FORM = Form(
    Response,
    {
        "verdict": Choice(
            ("", *Verification.Verdict.values), "{value} is not one of the three choices."
        ),
        "why": Passage(2_000, "The reason"),
        "feedback": Passage(5_000, "The feedback"),
        "keeps": Keeps(),
    },
)


@dataclass(frozen=True, kw_only=True)
class Paraphrased(Given):
    """The paraphrase to verify, and its version; only its text is shown."""

    row: Paraphrase
    version: int

    @property
    def text(self) -> str:
        """The paraphrase as it is now."""
        return self.row.text


def _undecided(response: Response, given: Paraphrased) -> list[Found]:
    if response.verdict:
        return []
    return [Found("verdict", "Choose one of the three.", "Choose one of the three")]


def _no_reason(response: Response, given: Paraphrased) -> list[Found]:
    if response.why or response.verdict in ("", SAME):
        return []
    return [Found("why", "Say what to change. Its author will read it.", "Write the reason")]


RULES = rules_on(
    FIELDS,
    Check("verify-undecided", "error", "You made a choice", "Nothing is chosen.", "Q6", _undecided),
    Check("verify-reason", "error", "There is a reason", "No reason is given.", "Q6", _no_reason),
)


class VerifySheet(Sheet[Response, Paraphrased]):
    """One of three choices, and why."""

    page = "qampari/verify.html"
    script = "judging.js"
    reads = False
    fields = FIELDS
    form = FORM
    rules = RULES
    blank = Response()

    def told(self, given: Paraphrased) -> dict[str, Any]:
        """Return the paraphrase, and the choices."""
        return {"paraphrase": given.text, "verdicts": Verification.Verdict.values}

    def written(self, response: Response) -> list[str]:
        return ["why"] if response.why else []

    def texts(self, response: Response) -> Iterable[tuple[str, str]]:
        yield "Verdict", dict(Verification.Verdict.choices).get(response.verdict, "")
        yield "Why", response.why
        yield "Feedback", response.feedback

    def summary(self, response: Response) -> str:
        return str(dict(Verification.Verdict.choices).get(response.verdict, ""))

    def shown(
        self, response: Response, report: Report, given: Paraphrased, post: FormData
    ) -> dict[str, Any]:
        more = {"paraphrase": given.text, "verdicts": VERDICTS}
        return super().shown(response, report, given, post) | more


class Verifying(JsonStage[Response, Paraphrased]):
    """Verification of half of each person's paraphrases. Its tasks are opened by these."""

    key = paraphrases.VERIFY
    label = "Verify paraphrases"
    counted = "paraphrase"
    role = Role.VALIDATOR.value
    first = False
    every_question = False
    opens_in = Question.State.ACCEPTED.value
    people_max = 1
    meets_others = True
    to_do = "to verify"
    expects = "Someone else wrote the paraphrase; you do not see who."
    none_ready = (
        "No paraphrase to verify",
        "Half of each person’s paraphrases appear here, and never your own.",
    )
    enough = "has been verified"
    sheet = VerifySheet()
    golds = WrongParaphrases()

    def tasks_for(self, question: Question) -> Sequence[str]:
        """No tasks: a paraphrase that is drawn makes its own."""
        return []

    def given(self, assignment: Assignment, *, now: dt.datetime) -> Paraphrased:
        shown = shown_of(assignment.task)
        pk, version = map(int, shown.unit.split("-"))
        row = Paraphrase.objects.filter(pk=pk).first()
        if row is None:
            raise Conflict("This paraphrase is gone, so it cannot be verified any more.")
        row.text = shown.content.get("text", row.text)
        return Paraphrased(**vars(given_of(assignment, now=now)), row=row, version=version)

    def check_fits(self, assignment: Assignment, response: Response, given: Paraphrased) -> None:
        """Refuse what is no longer asked: the paraphrase went back to its author meanwhile."""
        if given.row.submission_id is None or given.row.version != given.version:
            raise Conflict(
                "The author of this paraphrase is writing it anew, so it does not have to be "
                "verified now. Release this question."
            )
        if given.row.author_id == assignment.user_id:
            raise Conflict("You wrote this paraphrase. Release this question.")

    def write(
        self,
        assignment: Assignment,
        response: Response,
        report: Report,
        *,
        given: Paraphrased,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the submission and the verdict; a refused paraphrase goes back or is replaced.

        The verdict on a gold item changes nothing.
        """
        submission = super().write(assignment, response, report, given=given, by=by, now=now)
        if assignment.gold:
            return submission
        question = assignment.task.question
        paraphrases.judge(submission, question, given.row, response.verdict, response.why, now=now)
        return submission

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the submission with its verdict, unless the paraphrase has gone back already."""
        said = Verification.objects.filter(submission__assignment_id=assignment.pk)
        if said.exclude(verdict=SAME).exists():
            raise Conflict("The paraphrase was refused because of this, so it cannot be returned.")
        super().withdraw(assignment)

    def ended(self, assignment: Assignment) -> dict[str, Any]:
        """Show the paraphrase with what was said of it."""
        given = self.given(assignment, now=assignment.seen_at)
        context = super().ended(assignment)
        return context | {"texts": [("Paraphrase", given.text), *context["texts"]]}
