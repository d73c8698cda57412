"""What annotators submitted on a question, and the decision on it."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts import prepared
from annotation.generation.stage import GENERATION
from annotation.models import Annotation, Answer, Assignment
from annotation.reading.articles import plain_title
from validation.decisions.models import Decision
from validation.verdicts.merging import all_match
from validation.verdicts.models import Validation, Verdict
from validation.verdicts.responses import Contribution, ContributionPair
from wikipedia.models import Quote

# Every answer of every annotation in use on some questions, in the order they were written.
_SAID = """
    SELECT n.question_id, n.id, n.kind, n.none_reason, p.id, p.question, w.text, w.id
    FROM annotation_annotation n
    JOIN annotation_assignment a ON a.id = n.assignment_id
    LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
    LEFT JOIN annotation_answer w ON w.pair_id = p.id
    WHERE n.question_id = ANY(%(questions)s::bigint[])
      AND a.stage = %(stage)s AND a.state = 'submitted' AND a.used
    ORDER BY n.question_id, n.id, p.position, w.position
"""
_IN_FORCE = """
    SELECT d.question_id, d.outcome, d.source, d.covers
    FROM validation_decision d
    LEFT JOIN validation_validation v ON v.id = d.validation_id
    LEFT JOIN annotation_assignment a ON a.id = v.assignment_id
    WHERE d.question_id = ANY(%(questions)s::bigint[]) AND d.in_force
      AND (v.id IS NULL OR (a.state = 'submitted' AND a.used))
"""


def said_on(question_ids: Sequence[int]) -> dict[int, list[Contribution]]:
    """Return the annotations in use on each question, in the order of their ids. One query."""
    rows = prepared.fetch(_SAID, {"questions": list(question_ids), "stage": GENERATION})
    return {
        question: [
            _said(list(of_annotation)) for _, of_annotation in groupby(of_question, itemgetter(1))
        ]
        for question, of_question in groupby(rows, itemgetter(0))
    }


def _said(rows: Sequence[tuple[Any, ...]]) -> Contribution:
    first = rows[0]
    pairs = []
    for pair, forms in groupby(rows, itemgetter(4)):
        answers = list(forms)
        if pair is not None:
            written = [row for row in answers if row[7] is not None]
            pairs.append(
                ContributionPair(
                    question=answers[0][5],
                    forms=tuple(row[6] for row in written),
                    pk=pair,
                    form_pks=tuple(row[7] for row in written),
                )
            )
    return Contribution(
        annotation=first[1], kind=first[2], pairs=tuple(pairs), none_reason=first[3]
    )


def columns(assignment: Assignment) -> list[Contribution]:
    """Return the annotations a validator sees, in an order specific to this assignment.

    The order is that of a keyed hash of assignment and annotation: it is stable for the validator,
    differs between validators, and does not tell who was first.
    """
    contributions = said_on([assignment.task.question_id]).get(assignment.task.question_id, [])
    return sorted(contributions, key=lambda said: _place(assignment.pk, said.annotation))


def _place(assignment_id: int, annotation_id: int) -> bytes:
    return _sealed(f"column:{assignment_id}:{annotation_id}")


def column_token(assignment_id: int, annotation_id: int) -> str:
    """Return the name of a column on the page of one assignment; it hides the annotator."""
    return _sealed(f"token:{assignment_id}:{annotation_id}").hex()[:16]


def quote_token(assignment_id: int, quote_id: int) -> str:
    """Return the name of another person's quote on the page of one assignment."""
    return "c" + _sealed(f"quote:{assignment_id}:{quote_id}").hex()[:15]


def _sealed(text: str) -> bytes:
    return hmac.new(settings.SECRET_KEY.encode(), text.encode(), hashlib.sha256).digest()


def annotation_tokens(assignment: Assignment) -> dict[str, int]:
    """Return the annotation behind each column token, even if not in use. One query."""
    annotations = Annotation.objects.filter(question_id=assignment.task.question_id)
    return {column_token(assignment.pk, pk): pk for pk in annotations.values_list("pk", flat=True)}


@dataclass(frozen=True)
class PageRead:
    """A page that a generator opened."""

    path: str
    title: str


# Distinct and by title, so that neither frequency nor order of reading gives the person away.
_PAGES = """
    SELECT DISTINCT n.id, e.data->>'path', e.data->>'title'
    FROM annotation_annotation n
    JOIN annotation_event e ON e.assignment_id = n.assignment_id AND e.kind = 'page_open'
    WHERE n.id = ANY(%(annotations)s::bigint[])
"""


def pages_read(said: Sequence[Contribution]) -> list[list[PageRead]]:
    """Return for each column the pages its generator opened, sorted by title. One query."""
    rows = prepared.fetch(
        _PAGES, {"annotations": [contribution.annotation for contribution in said]}
    )
    pages: dict[int, dict[str, str]] = {}
    for annotation, path, title in rows:
        if path:
            pages.setdefault(annotation, {})[path] = title or plain_title(path)
    return [
        sorted(
            (
                PageRead(path, title)
                for path, title in pages.get(contribution.annotation, {}).items()
            ),
            key=lambda page: (page.title.casefold(), page.path),
        )
        for contribution in said
    ]


@dataclass(frozen=True)
class KeptReason:
    """A warning that an annotator kept, and why; `pair` from 0, None if it is about several."""

    rule: str
    reason: str
    pair: int | None = None


_KEPT = """
    SELECT annotation_id, rule, field, reason FROM annotation_keptwarning
    WHERE annotation_id = ANY(%(annotations)s::bigint[]) ORDER BY field, rule
"""
_OF_PAIR = re.compile(r"(?:question|answer)-(\d+)", re.ASCII)


def reasons_kept(said: Sequence[Contribution]) -> dict[int, list[KeptReason]]:
    """Return the kept warnings of each annotation, with their reasons. One query."""
    kept_reasons: dict[int, list[KeptReason]] = {}
    for annotation, rule, field, reason in prepared.fetch(
        _KEPT, {"annotations": [contribution.annotation for contribution in said]}
    ):
        named = _OF_PAIR.fullmatch(field)
        pair = int(named[1]) - 1 if named else 0 if field == "single-answer" else None
        kept_reasons.setdefault(annotation, []).append(KeptReason(rule, reason, pair))
    return kept_reasons


def quotes_of(said: Sequence[Contribution], snapshot_id: int) -> dict[int, list[Quote]]:
    """Return by pair the quotes its answers were taken from, each once.

    One query, and a second where there are quotes.
    """
    pairs = [pair.pk for contribution in said for pair in contribution.pairs if pair.pk]
    proven: dict[int, dict[int, None]] = {}
    rows = Answer.objects.filter(pair__in=pairs).order_by("position", "more_quotes")
    for pair, *quotes in rows.values_list("pair_id", "quote_id", "more_quotes"):
        proven.setdefault(pair, {}).update((pk, None) for pk in quotes if pk)
    wanted = {pk for quotes in proven.values() for pk in quotes}
    if not wanted:
        return {}
    shown = Quote.objects.filter(pk__in=wanted, page__snapshot=snapshot_id)
    quotes_by_id = shown.select_related("page").defer("page__text").in_bulk()
    return {
        pair: [quotes_by_id[pk] for pk in ids if pk in quotes_by_id] for pair, ids in proven.items()
    }


def quotes_on(assignment: Assignment, path: str) -> list[tuple[str, Quote]]:
    """Return the quotes of others on a page, each with its token, in the order of their places."""
    answers = Answer.objects.filter(pair__annotation__in=_in_use(assignment))
    quotes = Quote.objects.filter(
        Q(answers__in=answers) | Q(more_answers__in=answers),
        page__path=path,
        page__snapshot=assignment.project.snapshot_id,
    )
    once = {(q.start, q.end, q.exact): q for q in quotes.select_related("page").order_by("-id")}
    return [(quote_token(assignment.pk, quote.pk), quote) for _, quote in sorted(once.items())]


def _in_use(assignment: Assignment) -> QuerySet[Annotation]:
    return Annotation.objects.filter(
        question_id=assignment.task.question_id,
        assignment__stage=GENERATION,
        assignment__state="submitted",
        assignment__used=True,
    )


def validation_of(assignment: Assignment) -> Validation:
    """Return the validation of an assignment, with its decision and the accepted sets."""
    return (
        Validation.objects.select_related("decision")
        .prefetch_related(
            "verdicts",
            "decision__accepted__pairs__questions",
            "decision__accepted__pairs__answers",
            "decision__excluded",
        )
        .get(assignment_id=assignment.pk)
    )


def in_order(assignment: Assignment, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return verdicts in the order of the columns on the validator's page."""
    return sorted(verdicts, key=lambda each: _place(assignment.pk, each.annotation_id))


def decided(questions: Mapping[int, bool]) -> Mapping[int, str]:
    """Return the state of each question that follows from its answers or a decision, if any.

    A decision by a validator holds while it covers exactly the annotations in use and the
    validator's work counts; one by the team or from an import always holds. Without a decision,
    answers that all match are accepted automatically (A46) on questions that ask for validation
    (True). One query, and a second where answers are needed.
    """
    rows = prepared.fetch(_IN_FORCE, {"questions": list(questions)})
    covered = {row[0] for row in rows if row[2] == Decision.Source.VALIDATION}
    looked_at = [pk for pk, asked in questions.items() if asked or pk in covered]
    said = said_on(looked_at) if looked_at else {}
    states: dict[int, str] = {}
    for question, annotations in said.items():
        answers = [[pair.forms for pair in annotation.pairs] for annotation in annotations]
        if questions[question] and all_match(answers):
            states[question] = "auto_accepted"
    for question, outcome, _, covers in rows:
        in_use = sorted(contribution.annotation for contribution in said.get(question, []))
        if question not in covered or sorted(covers) == in_use:
            states[question] = outcome
    return states


def decision_of(question_id: int) -> Decision | None:
    """Return the decision in force on a question."""
    return Decision.objects.filter(question_id=question_id, in_force=True).first()


# On question `q`: excluded by staff, other than by a ruling on a claim. Such a ruling is about
# particular answers; it ends when the question is answered again.
RULED = f"""(
    SELECT d.outcome FROM validation_decision d
    WHERE d.question_id = q.id AND d.in_force AND d.outcome = '{Decision.Outcome.EXCLUDED.value}'
      AND d.source = '{Decision.Source.STAFF.value}'
      AND NOT EXISTS (SELECT 1 FROM validation_ruling r WHERE r.decision_id = d.id))
"""  # noqa: S608 - a constant of this module


def excluded_by_team(question_ids: Sequence[int]) -> list[int]:
    """Return the questions that staff have excluded, other than by a ruling on a claim."""
    rows = prepared.fetch(
        f"""
        SELECT q.id FROM annotation_question q
        WHERE q.id = ANY(%(questions)s::bigint[]) AND {RULED} IS NOT NULL
        """,  # noqa: S608 - a constant of this module
        {"questions": list(question_ids)},
    )
    return [row[0] for row in rows]
