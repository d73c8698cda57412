"""What annotators submitted on a question, and what a validator sees of it."""

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Q, QuerySet

from accounts import prepared_statements
from annotation.generation.stage import GENERATION
from annotation.models import Annotation, Answer, Assignment
from annotation.reading.articles import plain_title
from validation.verdicts.responses import Contribution, ContributionPair
from validation.verdicts.statements import ANSWERS_IN_USE, KEPT_WARNINGS, PAGES_READ
from validation.verdicts.tokens import column_place, column_token, quote_token
from validation.verdicts.values import KeptReason, PageRead
from wikipedia.models import Quote


def said_on(question_ids: Sequence[int]) -> dict[int, list[Contribution]]:
    """Return the annotations in use on each question, in the order of their ids. One query."""
    rows = prepared_statements.fetch_rows(
        ANSWERS_IN_USE, {"questions": list(question_ids), "stage": GENERATION}
    )
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


def list_column_annotations(assignment: Assignment) -> list[Contribution]:
    """Return the annotations a validator sees, in an order specific to this assignment.

    The order is that of a keyed hash of assignment and annotation: it is stable for the validator,
    differs between validators, and does not tell who was first.
    """
    contributions = said_on([assignment.task.question_id]).get(assignment.task.question_id, [])
    return sorted(contributions, key=lambda said: column_place(assignment.pk, said.annotation))


def annotation_tokens(assignment: Assignment) -> dict[str, int]:
    """Return the annotation behind each column token, even if not in use. One query."""
    annotations = Annotation.objects.filter(question_id=assignment.task.question_id)
    return {column_token(assignment.pk, pk): pk for pk in annotations.values_list("pk", flat=True)}


def pages_read(said: Sequence[Contribution]) -> list[list[PageRead]]:
    """Return for each column the pages its generator opened, sorted by title. One query."""
    rows = prepared_statements.fetch_rows(
        PAGES_READ, {"annotations": [contribution.annotation for contribution in said]}
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


_OF_PAIR = re.compile(r"(?:question|answer)-(\d+)", re.ASCII)


def reasons_kept(said: Sequence[Contribution]) -> dict[int, list[KeptReason]]:
    """Return the kept warnings of each annotation, with their reasons. One query."""
    kept_reasons: dict[int, list[KeptReason]] = {}
    for annotation, rule, field, reason in prepared_statements.fetch_rows(
        KEPT_WARNINGS, {"annotations": [contribution.annotation for contribution in said]}
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
