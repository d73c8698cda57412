"""Figures for the page of context paragraphs: what each threshold would show (S21)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.db import connection

from annotation.contexts import Searched
from annotation.long_answers.inputs import NO_CONTEXT, inputs_of
from annotation.models import ContextParagraph, ContextSearch, Job, Project
from annotation.services.contexts import JOB_KIND, UNOPENED, waiting

STEP = 5  # hundredths between two rows of the table
_LEAST_ROWS = 7
_EXAMPLES = 3
_MISSING_NAMED = 10

# As `given_context` reads a pair. Questions imported as finished work have no task.
_PAIRS = f"""
    WITH asked AS (
        SELECT q.id, q.context -> 'qa_pairs' AS pairs, {UNOPENED} AS open
        FROM annotation_question q
        WHERE q.project_id = %(project)s
          AND EXISTS (SELECT 1 FROM annotation_task t WHERE t.question_id = q.id))
    SELECT count(*), count(*) FILTER (WHERE open), coalesce(sum(p.pairs), 0)::int,
           coalesce(sum(p.given), 0)::int
    FROM asked CROSS JOIN LATERAL (
        SELECT count(*) AS pairs,
               count(*) FILTER (WHERE jsonb_typeof(pair -> 'context') = 'string'
                                  AND pair ->> 'context' ~ '\\S'
                                  AND pair ->> 'context' <> %(none)s) AS given
        FROM jsonb_array_elements(CASE WHEN jsonb_typeof(pairs) = 'array'
                                       THEN pairs ELSE '[]' END) AS each (pair)
        WHERE jsonb_typeof(pair) = 'object') p
"""  # noqa: S608 - a constant of another module
# The score in hundredths, rounded down: a paragraph is shown from there on.
_SCORES = f"""
    SELECT floor(c.score::numeric * 100)::int, count(*) FILTER (WHERE open),
           count(*) FILTER (WHERE NOT open AND c.shown), count(*) FILTER (WHERE NOT open)
    FROM (SELECT q.id, {UNOPENED} AS open FROM annotation_question q
          WHERE q.project_id = %(project)s) asked
    JOIN annotation_contextparagraph c ON c.question_id = asked.id
    GROUP BY 1
"""  # noqa: S608 - a constant of another module
_EFFECT = f"""
    SELECT count(*) FILTER (WHERE open AND NOT c.shown), count(*) FILTER (WHERE open AND c.shown),
           count(DISTINCT asked.id) FILTER (WHERE open),
           count(DISTINCT asked.id) FILTER (WHERE NOT open)
    FROM (SELECT q.id, {UNOPENED} AS open FROM annotation_question q
          WHERE q.project_id = %(project)s) asked
    JOIN annotation_contextparagraph c ON c.question_id = asked.id
    WHERE c.shown <> (c.score >= %(threshold)s)
"""  # noqa: S608 - a constant of another module


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

    def level(self, threshold: float) -> Level:
        """Return how many would have a context at a threshold, in whole hundredths."""
        kept = self.given + self.fixed + self.scores[round(threshold * 100)]
        return Level(threshold, kept, self.disambiguations)

    def levels(self) -> list[Level]:
        """Return the levels 0, 0.05, … up to the first that no paragraph reaches."""
        found = []
        for hundredths in range(0, 101, STEP):
            found.append(self.level(hundredths / 100))
            if not self.scores[hundredths] and len(found) >= _LEAST_ROWS:
                break
        return found


@dataclass(frozen=True)
class Effect:
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
class Missing:
    """Pages that are not in this Wikipedia: their number, and the first by name."""

    count: int
    titles: list[str]

    @property
    def more(self) -> int:
        return self.count - len(self.titles)


def overview(project: Project) -> Overview:
    """Return the figures of a project's contexts. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"project": project.pk, "none": NO_CONTEXT})
        questions, still_open, pairs, given = cursor.fetchone()
        cursor.execute(_SCORES, {"project": project.pk})
        rows = cursor.fetchall()
    exactly = [0] * 101
    for hundredths, unopened, _, _ in rows:
        exactly[hundredths] += unopened
    return Overview(
        questions=questions,
        open_questions=still_open,
        disambiguations=pairs,
        given=given,
        found=sum(unopened + opened for _, unopened, _, opened in rows),
        fixed=sum(shown for _, _, shown, _ in rows),
        scores=list(accumulate(reversed(exactly)))[::-1],
    )


def effect(project: Project, threshold: float) -> Effect:
    """Return what this threshold would change now. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_EFFECT, {"project": project.pk, "threshold": threshold})
        return Effect(*cursor.fetchone())


def examples(project: Project, threshold: float) -> tuple[list[Example], list[Example]]:
    """Return the paragraphs that just reach the threshold, and those just below. Two queries."""
    rows = ContextParagraph.objects.filter(question__project=project).select_related("question")
    above = rows.filter(score__gte=threshold).order_by("score", "pk")[:_EXAMPLES]
    below = rows.filter(score__lt=threshold).order_by("-score", "pk")[:_EXAMPLES]
    return [_example(row) for row in above], [_example(row) for row in below]


def _example(row: ContextParagraph) -> Example:
    inputs = inputs_of(row.question.prompt, row.question.context, {})
    found = [each for each in inputs.disambiguations if each.position == row.position]
    question, answers = (found[0].question, found[0].answers) if found else ("", ())
    return Example(row, inputs.prompt, question, answers, Searched(row.text).marked(answers))


def missing(project: Project) -> Missing:
    """Return the pages that questions name but this Wikipedia lacks. One query."""
    lists = ContextSearch.objects.filter(question__project=project).exclude(missing=[])
    titles = sorted({title for each in lists.values_list("missing", flat=True) for title in each})
    return Missing(len(titles), titles[:_MISSING_NAMED])


def latest_job(project: Project) -> Job | None:
    """Return the newest job that looked for paragraphs. One query."""
    return Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk").first()


def waiting_questions(project: Project) -> int:
    """Return how many unopened questions were not searched in their present form."""
    return waiting(project)
