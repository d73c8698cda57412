"""One person rewrites a synthetic question so that it reads naturally; its names stay (Q6)."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.models import Assignment, Project, Question, Split, StagePolicy, Submission
from annotation.sheets.fields import Form, FormData, Keep, LineField, PassageField
from annotation.sheets.many import Keeps
from annotation.sheets.report import FindingsReport, rules_on
from annotation.sheets.rules import Check, RuleFinding
from annotation.sheets.sheet import Sheet
from annotation.sheets.work_context import WorkContext
from annotation.text.question_marks import is_marked
from annotation.work.json_stage import JsonStage, given_of
from qampari.entities import (
    Entity,
    guess_entities,
    in_words,
    list_missing_entities,
    normalise_text,
    of_context,
)
from qampari.services import paraphrases

FIELDS = {"text": "your question"}
MOST = 500


@dataclass(frozen=True)
class ParaphraseResponse:
    """A question in a person's own words."""

    text: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()


FORM = Form(
    ParaphraseResponse,
    {
        "text": LineField(MOST, "The question"),
        "feedback": PassageField(5_000, "The feedback"),
        "keeps": Keeps(),
    },
)


@dataclass(frozen=True, kw_only=True)
class ParaphraseContext(WorkContext):
    """The question with the names in it. `sure`: they come from its file, and are not guessed."""

    entities: tuple[Entity, ...]
    sure: bool


def _blank(response: ParaphraseResponse, given: ParaphraseContext) -> list[RuleFinding]:
    if response.text:
        return []
    return [RuleFinding("text", "Write the question in your own words.", "Write the question")]


def _lost(response: ParaphraseResponse, given: ParaphraseContext) -> list[RuleFinding]:
    gone = (
        list_missing_entities(given.entities, response.text) if given.sure and response.text else []
    )
    if not gone:
        return []
    are = "is" if len(gone) == 1 else "are"
    sentence = f"{in_words(gone)} {are} missing. Names have to stay in the question."
    others = [form for entity in gone for form in entity.aliases[:3]]
    if others:
        sentence += f" Another form will do, such as “{others[0]}”."
    return [RuleFinding("text", sentence, f"Put {in_words(gone)} back")]


def _maybe_lost(response: ParaphraseResponse, given: ParaphraseContext) -> list[RuleFinding]:
    gone = (
        list_missing_entities(given.entities, response.text)
        if not given.sure and response.text
        else []
    )
    if not gone:
        return []
    names = in_words(gone)
    sentence = f"Did you leave out {names} on purpose? Names have to stay in the question."
    return [RuleFinding("text", sentence, f"{names} may be missing")]


def _unchanged(response: ParaphraseResponse, given: ParaphraseContext) -> list[RuleFinding]:
    if not response.text or normalise_text(response.text) != normalise_text(given.prompt):
        return []
    sentence = "This is the question as it was. Does it read as you would ask it?"
    return [RuleFinding("text", sentence, "The question is as it was")]


def _unmarked(response: ParaphraseResponse, given: ParaphraseContext) -> list[RuleFinding]:
    if not response.text or is_marked(response.text):
        return []
    return [
        RuleFinding("text", "It does not end with a question mark.", "There is no question mark")
    ]


RULES = rules_on(
    FIELDS,
    Check("paraphrase-blank", "error", "You wrote the question", "It is blank.", "Q6", _blank),
    Check("names-stay", "error", "Every name is in it", "A name is missing.", "Q6", _lost),
    Check(
        "names-may-stay",
        "warning",
        "Names with capital letters are in it",
        "A word with a capital letter is missing, and the file does not say which names there are.",
        "Q6",
        _maybe_lost,
    ),
    Check(
        "paraphrase-unchanged",
        "warning",
        "It differs from the question as it was",
        "The question is as it was.",
        "Q6",
        _unchanged,
    ),
    Check(
        "paraphrase-unmarked",
        "warning",
        "It ends with a question mark",
        "There is no question mark.",
        "Q6",
        _unmarked,
    ),
)


class ParaphraseSheet(Sheet[ParaphraseResponse, ParaphraseContext]):
    """One field for the question."""

    page = "qampari/paraphrase.html"
    reads = False
    fields = FIELDS
    form = FORM
    rules = RULES
    blank = ParaphraseResponse()

    def given_to_json(self, given: ParaphraseContext) -> dict[str, Any]:
        """Return the names in the question, each with its other forms."""
        rows = [{"name": row.name, "aliases": list(row.aliases)} for row in given.entities]
        return {"entities": rows, "entities_are_guessed": not given.sure}

    def list_filled_fields(self, response: ParaphraseResponse) -> list[str]:
        return ["text"] if response.text else []

    def list_field_texts(self, response: ParaphraseResponse) -> Iterable[tuple[str, str]]:
        yield "Question", response.text
        yield "Feedback", response.feedback

    def summarise_response(self, response: ParaphraseResponse) -> str:
        return response.text

    def form_context(
        self,
        response: ParaphraseResponse,
        report: FindingsReport,
        given: ParaphraseContext,
        post: FormData,
    ) -> dict[str, Any]:
        more = {"entities": given.entities, "guessed": not given.sure, "most": MOST}
        return super().form_context(response, report, given, post) | more


class Paraphrasing(JsonStage[ParaphraseResponse, ParaphraseContext]):
    """Paraphrase of questions whose answers are accepted."""

    key = paraphrases.PARAPHRASE
    label = "Paraphrase"
    first = False
    every_question = False
    opens_in = Question.State.ACCEPTED.value
    people_max = 1
    meets_others = True
    revisable: int | None = 5
    to_do = "to rephrase"
    expects = "A program made the question. You rewrite it as a person would ask it."
    none_ready = (
        "No question to rephrase",
        "Questions appear here once their answers have been checked.",
    )
    enough = "has been rephrased"
    no_golds = (
        "A question can be put in many words, and no rule can judge them; half of each person’s "
        "paraphrases are verified instead."
    )
    sheet = ParaphraseSheet()

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return one task once the answers of the question are accepted."""
        return [""] if question.state == Question.State.ACCEPTED else []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One person on every split (Q6). The paper has all of dev and test and 3,000 of train."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1, minimum_seconds=0)
            for split in Split
        ]

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> ParaphraseContext:
        plainly = given_of(assignment, now=now)
        known = of_context(plainly.context)
        return ParaphraseContext(
            **vars(plainly),
            entities=tuple(known or guess_entities(plainly.prompt)),
            sure=bool(known),
        )

    def write_rows(
        self,
        assignment: Assignment,
        response: ParaphraseResponse,
        report: FindingsReport,
        *,
        given: ParaphraseContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the submission, and keep the paraphrase."""
        submission = super().write_rows(assignment, response, report, given=given, by=by, now=now)
        paraphrases.keep_paraphrase(submission, assignment.task.question, response.text, now=now)
        return submission

    def check_may_change(self, assignment: Assignment) -> None:
        """Refuse once another person reads the paraphrase, or has read it."""
        if paraphrases.is_read(self.get_submission(assignment)):
            raise Conflict(
                "Someone else has your paraphrase to verify, so it stays as it is. If it does not "
                "pass, it comes back to you."
            )

    def list_readers(self, protocol: str) -> Sequence[str]:
        """Return the stage in which others verify it."""
        return (paraphrases.VERIFY,)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the submission; nobody verifies the paraphrase until it is submitted again."""
        paraphrases.take_back(self.get_submission(assignment))
        super().withdraw(assignment)
