"""Figures for the page of context paragraphs: what each threshold would show (S21)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from django.db import connection
from django.utils import timezone

from annotation.contexts.choice import SearchedParagraph
from annotation.contexts.inputs import NO_CONTEXT, inputs_of
from annotation.contexts.models import ContextParagraph, ContextSearch
from annotation.contexts.searches import JOB_KIND, count_unsearched
from annotation.contexts.statements import (
    COUNTED_PAIRS,
    COUNTED_QUESTIONS,
    COUNTED_SCORES,
    OUTERMOST_PARAGRAPHS,
)
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.figures import counts as stored_counts
from annotation.figures.counts import CONTEXTS
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature

STEP = 5  # hundredths between two rows of the table
_LEAST_ROWS = 7
_EXAMPLES = 3
_MISSING_NAMED = 10

_OUTERMOST = OUTERMOST_PARAGRAPHS.format(examples=_EXAMPLES)


@dataclass(frozen=True)
class Level:
    """How many disambiguations have a context at a threshold, of how many."""

    threshold: float
    kept: int
    total: int

    @property
    def share(self) -> float:
        """The share of disambiguations with a context, in percent."""
        return 100 * self.kept / self.total if self.total else 0.0


@dataclass(frozen=True)
class Overview:
    """The contexts of a project. `found`: paragraphs for disambiguations without a `given` one.

    `fixed` are shown in questions that someone has opened, whatever the threshold; `scores[n]`
    is how many of the others have n hundredths or more.
    """

    questions: int
    open_questions: int
    disambiguations: int
    given: int
    found: int
    fixed: int
    scores: Sequence[int]

    @property
    def opened_questions(self) -> int:
        return self.questions - self.open_questions

    @property
    def without(self) -> int:
        """The number of disambiguations without a paragraph, or not searched yet."""
        return max(0, self.disambiguations - self.given - self.found)

    def level_at(self, threshold: float) -> Level:
        """Return how many would have a context at a threshold, in whole hundredths."""
        kept = self.given + self.fixed + self.scores[round(threshold * 100)]
        return Level(threshold, kept, self.disambiguations)

    def list_levels(self) -> list[Level]:
        """Return the levels 0, 0.05, … up to the first that no paragraph reaches."""
        found = []
        for hundredths in range(0, 101, STEP):
            found.append(self.level_at(hundredths / 100))
            if not self.scores[hundredths] and len(found) >= _LEAST_ROWS:
                break
        return found


@dataclass(frozen=True)
class ThresholdEffect:
    """What a new threshold would change: paragraphs, in how many questions.

    `kept`: questions it would change if no one had opened them.
    """

    shown: int
    hidden: int
    questions: int
    kept: int


@dataclass(frozen=True)
class Example:
    """A paragraph near the threshold, in pieces, each with whether it is an accepted answer."""

    row: ContextParagraph
    prompt: str
    question: str
    answers: tuple[str, ...]
    pieces: list[tuple[str, bool]]


@dataclass(frozen=True)
class MissingPages:
    """Pages that are not in this Wikipedia: their number, and the first by name."""

    count: int
    titles: list[str]

    @property
    def more(self) -> int:
        return self.count - len(self.titles)


def get_overview(project: Project) -> Overview:
    """Return the figures of a project's contexts. At most two queries."""
    questions, still_open, pairs, given = _read(project, "pairs")[0]
    exactly = [0] * 101
    found = fixed = 0
    for hundredths, unopened, shown, count in _read(project, "scores"):
        found += count
        if unopened:
            exactly[hundredths] += count
        elif shown:
            fixed += count
    return Overview(
        questions=questions,
        open_questions=still_open,
        disambiguations=pairs,
        given=given,
        found=found,
        fixed=fixed,
        scores=list(accumulate(reversed(exactly)))[::-1],
    )


def preview_threshold(project: Project, threshold: float) -> ThresholdEffect:
    """Return what a threshold in whole hundredths would change. At most two queries."""
    wanted = round(threshold * 100)
    changed = {True: 0, False: 0}  # paragraphs that are shown now, and that are hidden now
    questions = {True: 0, False: 0}  # those that no one has opened, and the others
    for hundredths, unopened, shown, count in _read(project, "scores"):
        if unopened and shown != (hundredths >= wanted):
            changed[shown] += count
    for unopened, lowest, highest, count in _read(project, "questions"):
        if lowest < wanted or highest >= wanted:
            questions[unopened] += count
    return ThresholdEffect(changed[False], changed[True], questions[True], questions[False])


def list_threshold_examples(
    project: Project, threshold: float
) -> tuple[list[Example], list[Example]]:
    """Return the paragraphs that just reach the threshold, and those just below.

    At most two queries.
    """
    rows = _read(project, "outermost")
    above = sorted((score, pk) for pk, score in rows if score >= threshold)[:_EXAMPLES]
    below = sorted((-score, pk) for pk, score in rows if score < threshold)[:_EXAMPLES]
    paragraphs = ContextParagraph.objects.select_related("question").in_bulk(
        [pk for _, pk in above + below]
    )
    found = [
        [_example(paragraphs[pk]) for _, pk in side if pk in paragraphs] for side in (above, below)
    ]
    return found[0], found[1]


def _example(row: ContextParagraph) -> Example:
    inputs = inputs_of(row.question.prompt, row.question.context, {})
    found = [each for each in inputs.disambiguations if each.position == row.position]
    question, answers = (found[0].question, found[0].answers) if found else ("", ())
    return Example(
        row, inputs.prompt, question, answers, SearchedParagraph(row.text).mark_answers(answers)
    )


def get_missing_pages(project: Project) -> MissingPages:
    """Return the pages that questions name but this Wikipedia lacks. At most one query."""
    return MissingPages(*_read(project, "missing"))


def _missing(project: Project, now: dt.datetime) -> tuple[int, list[str]]:
    lists = ContextSearch.objects.filter(question__project=project).exclude(missing=[])
    titles = sorted({title for each in lists.values_list("missing", flat=True) for title in each})
    return len(titles), titles[:_MISSING_NAMED]


def latest_job(project: Project) -> Job | None:
    """Return the newest job that looked for paragraphs. One query."""
    return Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk").first()


def waiting_questions(project: Project) -> int:
    """Return how many unopened questions were not searched in their present form."""
    count: int = _read(project, "waiting")
    return count


def _rows(statement: str) -> stored_counts.Count:
    def read(project: Project, now: dt.datetime) -> list[Any]:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"project": project.pk, "none": NO_CONTEXT})
            return list(cursor.fetchall())

    return read


_PARTS: Mapping[str, stored_counts.Count] = {
    "pairs": _rows(COUNTED_PAIRS),
    "scores": _rows(COUNTED_SCORES),
    "questions": _rows(COUNTED_QUESTIONS),
    "outermost": _rows(_OUTERMOST),
    "missing": _missing,
    "waiting": lambda project, now: count_unsearched(project),
}


def _read(project: Project, part: str) -> Any:
    """Return a part of the report on contexts: as it was counted, or counted now."""
    stored = stored_counts.find_stored_part(project, CONTEXTS, part)
    return _PARTS[part](project, timezone.now()) if stored is None else stored


def _where_there_are_contexts(count: stored_counts.Count) -> stored_counts.Count:
    def counted(project: Project, now: dt.datetime) -> Any:
        return (
            count(project, now)
            if protocols.protocol_of(project).has_feature(Feature.CONTEXTS)
            else None
        )

    return counted


for _name, _count in _PARTS.items():
    stored_counts.register_part(CONTEXTS, _name, _where_there_are_contexts(_count))
