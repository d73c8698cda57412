"""What was sent, fitted to the annotations: nothing of it is believed.

Every answer of an annotation has to be in exactly one row, and texts say truly where they come
from. Texts are cleaned as in generation, unless they are an annotator's own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat

from annotation.sheets.answers import MAX_ANSWER, MAX_QUESTION
from annotation.sheets.keeps import MAX_REASON
from annotation.text.cleaning import ResponseError, check_count, line_of
from validation.verdicts.form import KEY, MAX_COLUMNS, MAX_TEXTS, MISFIT, SentResponse
from validation.verdicts.merging import Member
from validation.verdicts.presses import shared_forms
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    ContributionPair,
    Form,
    FormOrigin,
    Phrasing,
    ValidationResponse,
    each_once,
)

Columns = Mapping[int, Contribution]
"""The annotations by their columns; one that was withdrawn meanwhile is missing."""


def fit_response(
    sent: SentResponse,
    *,
    stored: ValidationResponse,
    said: Sequence[Contribution],
    tokens: Mapping[str, int],
) -> ValidationResponse:
    """Return what was sent as a response, with the stored draft and the annotations.

    `tokens` gives the annotation behind each column token. Raises ResponseError, saying what cannot
    be read.
    """
    covers = _covers(sent.columns, tokens)
    columns = {
        covers.index(contribution.annotation): contribution
        for contribution in said
        if contribution.annotation in covers
    }
    same = stored.covers == covers
    stored_rows = {row.key: row for row in stored.rows} if same else {}
    rows = tuple(_fit_row(row, columns, stored_rows.get(row.key)) for row in sent.rows)
    _check_whole(rows, covers, columns)
    before = stored.verdicts if same else (None,) * len(covers)
    return ValidationResponse(
        covers=covers,
        rows=rows,
        verdicts=tuple(
            was if chosen is None else chosen
            for was, chosen in zip(before, chain(sent.verdicts, repeat(None)), strict=False)
        ),
        exclude_reason=sent.exclude_reason,
        feedback=sent.feedback,
        keeps=sent.keeps,
    )


def _covers(names: Sequence[str], tokens: Mapping[str, int]) -> tuple[int, ...]:
    """Return the annotations of the columns; a negative number for a withdrawn one."""
    check_count(len(names), MAX_COLUMNS, "There are {count} columns. The maximum is {most}.")
    covers = tuple(tokens.get(name, -place) for place, name in enumerate(names, start=1))
    _check(bool(covers) and len(set(covers)) == len(covers))
    return covers


def _check(fits: bool) -> None:
    if not fits:
        raise ResponseError(MISFIT)


def _fit_row(row: AnswerRow, columns: Columns, was: AnswerRow | None) -> AnswerRow:
    shown = [member for member in row.members if member.annotation in columns]
    _check(re.fullmatch(KEY, row.key) is not None)
    _check(all(member.pair < len(columns[member.annotation].pairs) for member in shown))
    same = was is not None and was.members == row.members
    why = line_of(row.why, MAX_REASON, "The reason for excluding an answer")
    return replace(
        row,
        shared=was.shared if was and same else shared_forms(columns, shown),
        forms=fit_forms(row.forms, row.members, columns),
        phrasings=fit_phrasings(row.phrasings, row.members, columns, was),
        why=why if row.excluded else "",
        suggestion=was.suggestion if was else None,
    )


def _check_whole(rows: Sequence[AnswerRow], covers: Sequence[int], columns: Columns) -> None:
    """Raise ResponseError unless each answer is in exactly one row and the keys are unique."""
    members = [member for row in rows for member in row.members]
    wanted = {
        Member(column, place) for column, s in columns.items() for place in range(len(s.pairs))
    }
    _check(len(set(members)) == len(members) and len({row.key for row in rows}) == len(rows))
    _check(wanted <= set(members) and all(m.annotation < len(covers) for m in members))


def fit_forms(
    forms: Iterable[Form], members: Sequence[Member], columns: Columns
) -> tuple[Form, ...]:
    """Return the forms of a row, each with its origin if an annotator wrote it.

    A text identical to an annotator's counts as theirs, wherever it was typed, and stays as it is
    even if cleaning would change it.
    """
    origins: dict[str, FormOrigin] = {}
    for member in members:
        if member.annotation in columns:
            texts = columns[member.annotation].pairs[member.pair].forms
            for number, text in enumerate(texts):
                origins.setdefault(text, (member.annotation, member.pair, number))
    fitted = []
    for form in forms:
        pair = _pair_at(form.origin, members, columns)
        _check(pair is None or form.origin is None or form.origin[2] < len(pair.forms))
        if pair and form.origin and form.text and form.text == pair.forms[form.origin[2]]:
            fitted.append(form)
        elif text := form.text if form.text in origins else _clean_form(form.text):
            fitted.append(Form(text, origins.get(text, form.origin)))
    check_count(len(fitted), MAX_TEXTS, "An answer has {count} forms. The maximum is {most}.")
    return each_once(fitted)


def _clean_form(text: str) -> str:
    return line_of(text, MAX_ANSWER, "This form of an answer")


def _pair_at(
    origin: tuple[int, ...] | None, members: Sequence[Member], columns: Columns
) -> ContributionPair | None:
    """Return the pair that a text comes from, None if nobody here wrote it."""
    if origin is None:
        return None
    _check(Member(origin[0], origin[1]) in members)
    return columns[origin[0]].pairs[origin[1]] if origin[0] in columns else None


def fit_phrasings(
    phrasings: Sequence[Phrasing],
    members: Sequence[Member],
    columns: Columns,
    was: AnswerRow | None = None,
) -> tuple[Phrasing, ...]:
    """Return the questions of a row. If any has text, at least one of them is kept."""
    check_count(
        len(phrasings), MAX_TEXTS, "An answer has {count} questions. The maximum is {most}."
    )
    fitted: list[Phrasing] = []
    for phrasing in phrasings:
        pair = _pair_at(phrasing.origin, members, columns)
        own = pair is not None and phrasing.text == pair.question
        text = phrasing.text if own else line_of(phrasing.text, MAX_QUESTION, "The question")
        fitted.append(replace(phrasing, text=text))
    # An emptied question keeps its place, so that page and draft number them alike.
    while fitted and not fitted[-1].text and fitted[-1].origin is None:
        fitted.pop()
    written = [at for at, phrasing in enumerate(fitted) if phrasing.text]
    if written and not any(fitted[at].kept for at in written):
        before = {phrasing.origin or phrasing.text for phrasing in was.kept} if was else set()
        known = (at for at in written if (fitted[at].origin or fitted[at].text) in before)
        last = next(known, written[0])
        fitted[last] = replace(fitted[last], kept=True)
    return tuple(fitted)
