"""Sort a batch of records from a file into new, changed, unchanged and refused."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.db.models import Q

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.imports import seen_ids
from annotation.imports.adapters import AcceptedWorkEffect, ImportAdapter, find_effects
from annotation.imports.equal_texts import EqualQuestion, EqualTexts
from annotation.imports.formats import EXCERPT, BadLine, LeftOut, QuestionRecord, ReadRecord
from annotation.imports.import_rules import NO_RULES, ImportRules
from annotation.imports.not_taken import PARTS
from annotation.imports.query_filters import SENTENCES, filter_query, list_reasons
from annotation.work import tasks

MAX_ERRORS = 1_000
# Finished work stays in its rows while a concern about it is open, and afterwards.
_IN_ROWS = (Question.State.ACCEPTED, Question.State.FLAGGED, Question.State.EXCLUDED)


@dataclass
class ImportCounts:
    """The counts of an import. `errors` holds the first 1,000; `rejected` counts them all.

    `left_out` counts, by reason, records that a protocol has no use for; they are not errors.
    `repeated` counts records whose question was in the file before, and `repeats` names the first
    1,000. `shows_text`: errors have the beginning of what could not be taken.

    `fits` counts, by chosen filter, the questions that fit it, and `filtered` names the first 1,000
    lines that the filters left out. `equal` counts new questions with the same words as another
    one, and `equals` names the first 1,000 with the id of the other.

    `not_taken` counts, by a key of `not_taken.PARTS`, the parts of records that were not taken
    although their questions were, and `parts` names the first 1,000 lines with the reason.
    """

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    errors: list[dict[str, object]] = field(default_factory=list)
    repeated: int = 0
    repeats: list[dict[str, int]] = field(default_factory=list)
    shows_text: bool = False
    fits: dict[str, int] = field(default_factory=dict)
    filtered: list[dict[str, object]] = field(default_factory=list)
    equal: int = 0
    equals: list[dict[str, object]] = field(default_factory=list)
    not_taken: dict[str, int] = field(default_factory=dict)
    parts: list[dict[str, object]] = field(default_factory=list)

    def reject(self, line: int, reason: str, text: str = "") -> None:
        """Count a line that was not taken, and why."""
        self.rejected += 1
        if len(self.errors) < MAX_ERRORS:
            shown = {"text": text} if self.shows_text else {}
            self.errors.append({"line": line, "reason": reason, **shown})

    def repeat(self, line: int, first: int) -> None:
        """Count a line whose question was on another line of the file before."""
        self.repeated += 1
        if len(self.repeats) < MAX_ERRORS:
            self.repeats.append({"line": line, "first": first})

    def begin_counts(self, reasons: Mapping[str, int], rules: ImportRules) -> None:
        """Have a count for each reason to leave a record out, and for each chosen filter."""
        self.left_out = {**reasons, **list_reasons(rules.filters)} | self.left_out
        self.fits = dict.fromkeys(rules.filters, 0) | self.fits

    def leave_out(self, line: int, reason: str, text: str) -> None:
        """Count a question that the filters leave out, and name its line."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1
        if len(self.filtered) < MAX_ERRORS:
            shown = {"text": text} if self.shows_text else {}
            self.filtered.append({"line": line, "reason": SENTENCES[reason], **shown})

    def find_equal(self, line: int, other: str) -> None:
        """Count a new question with the same words as another one, which has this id."""
        self.equal += 1
        if len(self.equals) < MAX_ERRORS:
            self.equals.append({"line": line, "id": other})

    def leave_parts(self, line: int, reasons: Sequence[str], name: str) -> None:
        """Count the parts of a record that are not taken, and name its line once for each why.

        name: of the record, before the sentence, where the line says little.
        """
        for reason, number in Counter(reasons).items():
            self.not_taken[reason] = self.not_taken.get(reason, 0) + number
            if len(self.parts) < MAX_ERRORS:
                self.parts.append({"line": line, "reason": f"{name}{PARTS[reason].sentence}"})

    def as_json(self) -> dict[str, Any]:
        """Return the keys that commands, jobs and the API show.

        `left_out` is present where the import may leave records out, with a count for each reason;
        `repeated` and `repeats` where a question was in the file twice; `fits` and `filtered` where
        filters were chosen; `equal` and `equals` where a new question has the words of another;
        `not_taken` and `parts` where parts of records were not taken.
        """
        counts = asdict(self)
        del counts["shows_text"]
        if not self.left_out:
            del counts["left_out"]
        if not self.repeated:
            del counts["repeated"], counts["repeats"]
        if not self.fits:
            del counts["fits"], counts["filtered"]
        if not self.equal:
            del counts["equal"], counts["equals"]
        if not self.not_taken:
            del counts["not_taken"], counts["parts"]
        return counts


@dataclass(frozen=True)
class Target:
    """Where records go: a project and the default split, with what fits records to them.

    `finished`: their annotations are accepted. `unfit` returns why a record cannot go into a split
    of the project, "" where it can. `named`: errors name records by number and id, because the
    line says little. `once_a_text`: equal texts in the file are one question. `closed`: no one is
    given them yet. `rules`: which are taken, and how splits are drawn.
    """

    project: Project
    split: str | None
    adapter: ImportAdapter
    finished: bool
    unfit: Callable[[QuestionRecord, str], str]
    named: bool
    once_a_text: bool = False
    closed: bool = False
    rules: ImportRules = NO_RULES


@dataclass
class SortedQuestions:
    """The questions to write: new ones, changed ones with their old text, finished ones.

    `taken` are the new and the changed ones with their records.
    """

    new: list[Question] = field(default_factory=list)
    changed: list[tuple[Question, str]] = field(default_factory=list)
    finished: list[tuple[Question, QuestionRecord]] = field(default_factory=list)
    taken: list[tuple[Question, QuestionRecord]] = field(default_factory=list)


def sort_batch(
    target: Target,
    batch: Sequence[ReadRecord],
    start_at: int,
    tally: ImportCounts,
    *,
    lock: bool = False,
) -> SortedQuestions:
    """Count the records of the batch, note refusals in the tally, and return what to write."""
    earlier = seen_ids.remember_records(batch)
    repeats = seen_ids.remember_texts(batch) if target.once_a_text else {}
    existing = _existing(target.project, batch, lock)
    standing = _standing(target, batch, existing)
    texts = EqualTexts(batch)
    found = SortedQuestions()
    for number, line, record in batch:
        if number <= start_at:
            continue
        if isinstance(record, BadLine):
            tally.reject(line, record.reason, record.text)
            continue
        if isinstance(record, LeftOut):
            tally.left_out[record.reason] = tally.left_out.get(record.reason, 0) + 1
            continue
        if _is_filtered(target, record, line, tally):
            continue
        first = earlier.get(number)
        known = existing.get(record.external_id)
        record = _with_split(target, record, known, texts)
        if number in repeats:
            tally.repeat(line, repeats[number])
        elif first is not None:
            if first.same:
                tally.unchanged += 1
            else:
                tally.reject(line, _repeated(record, first.line), record.text)
        elif problem := _problem(target, record):
            tally.reject(line, f"{_name(target, number, record)}{problem}", record.text)
        elif _sort(target, record, line, known, standing, tally, found, texts):
            tally.leave_parts(line, record.not_taken, _name(target, number, record))
    texts.remember_questions()
    return found


def _is_filtered(target: Target, record: QuestionRecord, line: int, tally: ImportCounts) -> bool:
    """Count which filters a record fits; return whether they leave it out."""
    said = filter_query(record.text, target.rules.filters)
    for key in said.fits:
        tally.fits[key] = tally.fits.get(key, 0) + 1
    if said.reason:
        tally.leave_out(line, said.reason, record.text[:EXCERPT])
    return bool(said.reason)


def _with_split(
    target: Target, record: QuestionRecord, known: Question | None, texts: EqualTexts
) -> QuestionRecord:
    """Return the record with its split drawn, where that was chosen and it names none.

    A question stays where it is, and one with the words of another comes to it.
    """
    draw = target.rules.draw
    if draw is None or record.split:
        return record
    equal = texts.find_question(record.text)
    split = known.split if known else equal.split if equal else draw.draw_split(record.text)
    return replace(record, split=split)


def _sort(
    target: Target,
    record: QuestionRecord,
    line: int,
    known: Question | None,
    standing: Mapping[int, AcceptedWorkEffect],
    tally: ImportCounts,
    found: SortedQuestions,
    texts: EqualTexts,
) -> bool:
    """Count a record as new, changed, the same or refused; return whether it is taken."""
    split = record.split or target.split or ""
    kept = _kept(target, record, known)
    if known is None:
        question = _new(target, kept, split)
        found.new.append(question)
        found.taken.append((question, record))
        if target.finished:
            found.finished.append((question, record))
        tally.created += 1
        if equal := texts.find_question(record.text):
            tally.find_equal(line, equal.external_id)
        texts.add_question(record.text, EqualQuestion(record.external_id, split, line))
        return True
    stands = standing.get(known.pk, AcceptedWorkEffect())
    if problem := _conflict(target, known, record, split) or stands.problem:
        tally.reject(line, problem, record.text)
        return False
    before = _take_over(target, known, kept)
    if before:
        found.changed.append((known, before))
        found.taken.append((known, record))
    if stands.changed:
        found.finished.append((known, record))
    if before or stands.changed:
        tally.updated += 1
    else:
        tally.unchanged += 1
    return True


def _name(target: Target, number: int, record: QuestionRecord) -> str:
    """Return what a record is called before a sentence on it, "" where its line tells."""
    return f"Record {number}, “{_short(record.external_id)}”: " if target.named else ""


def _problem(target: Target, record: QuestionRecord) -> str:
    """Return why a record cannot be taken, whatever exists already; "" where it can."""
    split = record.split or target.split
    if split is None:
        return "The record names no split, and none was chosen for the import."
    if problem := target.unfit(record, split):
        return problem
    return target.adapter.unfinished_problem(record) if target.finished else ""


def _kept(target: Target, record: QuestionRecord, known: Question | None) -> QuestionRecord:
    """Return the record without finished work, which is stored in rows of its own."""
    if not (target.finished or (known is not None and known.state in _IN_ROWS)):
        return record
    rows = target.adapter.finished_keys
    context = {key: value for key, value in record.context.items() if key not in rows}
    return replace(record, context=context)


def _existing(project: Project, batch: Sequence[ReadRecord], lock: bool) -> dict[str, Question]:
    """Return the project's questions that the batch names, with `worked_on`."""
    ids = [item.found.external_id for item in batch if isinstance(item.found, QuestionRecord)]
    questions = Question.objects.filter(project=project, external_id__in=ids).order_by("pk")
    if lock:
        # A submission locks its question too, so none arrives before this batch is written.
        questions = questions.select_for_update(of=("self",), no_key=True)
    there = {question.external_id: question for question in questions}
    known = [question.pk for question in there.values()]
    if lock and known:
        tasks.lock_tasks(known)  # from now on no one can take one of these questions
    # An ended lease does not end the work, as a late answer is accepted. A new statement, so that
    # it sees people who took a question while we waited for it.
    taken = Assignment.objects.filter(task__question__in=known).filter(
        Q(state__in=[*HELD, "submitted"]) | Q(state="expired", draft_saved_at__isnull=False)
    )
    worked_on = set(taken.values_list("task__question", flat=True)) if known else set()
    for question in there.values():
        question.worked_on = question.pk in worked_on  # type: ignore[attr-defined]
    return there


def _standing(
    target: Target, batch: Sequence[ReadRecord], there: Mapping[str, Question]
) -> Mapping[int, AcceptedWorkEffect]:
    """Return how finished work in the batch relates to the questions that exist."""
    known: dict[int, tuple[Question, QuestionRecord]] = {}
    for _, _, record in batch if target.finished else ():
        if isinstance(record, QuestionRecord) and record.external_id in there:
            question = there[record.external_id]
            known.setdefault(question.pk, (question, record))
    return find_effects(target.adapter, list(known.values())) if known else {}


def _new(target: Target, record: QuestionRecord, split: str) -> Question:
    return Question(
        project=target.project,
        external_id=record.external_id,
        text=record.text,
        split=split,
        state=Question.State.ACCEPTED if target.finished else Question.State.IMPORTED,
        known_answers=list(record.known_answers),
        context=record.context,
    )


def _conflict(target: Target, known: Question, record: QuestionRecord, split: str) -> str:
    """Return why this record cannot update the existing question; "" where it can."""
    if known.split != split:
        return (
            f"The id “{record.external_id}” is already in split {known.split}. "
            "A question stays in its split."
        )
    if known.text != record.text and getattr(known, "worked_on", False):
        return (
            f"The id “{record.external_id}” is already used by “{_short(known.text)}”, "
            "which someone is working on. Its text was not changed."
        )
    if not getattr(known, "worked_on", False):
        return ""
    return target.adapter.replacement_problem(known, record)


def _take_over(target: Target, known: Question, record: QuestionRecord) -> str:
    """Update the question from the record; return its old text, "" if nothing changed."""
    answers = list(record.known_answers) or known.known_answers
    rows = target.adapter.finished_keys if target.finished else ()
    context = {key: value for key, value in known.context.items() if key not in rows}
    context |= record.context
    before = known.text
    if (before, known.known_answers, known.context) == (record.text, answers, context):
        return ""
    known.text, known.known_answers, known.context = record.text, answers, context
    return before


def _repeated(record: QuestionRecord, line: int) -> str:
    return (
        f"The id “{record.external_id}” was on line {line} already, with something else. "
        "The first one counts."
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"
