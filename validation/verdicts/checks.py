"""The rules on a validator's final set: those of generation (A18-A35), and some of its own.

Fields are named as on the validation form: `row-<key>-question-<k>` and `row-<key>-answer`, with
the key of a row of the final set and k from 1; `verdict-<n>` for a column, n from 1; `rows` for
the set as a whole. Sentences call rows by their letters, counting excluded ones.
"""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.generation.check_values import Context
from annotation.generation.checks import run_checks
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.sheets.answers import AnswerForm
from annotation.sheets.report import FindingsReport, mark_kept_warnings
from annotation.sheets.rules import Finding
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    ValidationResponse,
    build_result,
    has_changed_rows,
    resolve_verdicts,
    row_letter,
)

# Rules about time spent, pages opened and the like: a validator only reads the work of others.
_NOT_ASKED = {"pages-unread", "too-quick", "not-on-page", "few-pairs", "none-reason-missing"}
_OWN_FIELD = re.compile(r"row-(\w+)-(?:question-(\d+)|answer)", re.ASCII)
_PAIRS = re.compile(r"\b([Pp])air(s?) (\d+(?:(?:, | and )\d+)*)", re.ASCII)
_FIELD = re.compile(r"(question|answer)-(\d+)", re.ASCII)


def check_response(
    response: ValidationResponse,
    said: Sequence[Contribution],
    *,
    prompt: str,
    reference_date: dt.date,
    settings: Mapping[str, object],
) -> FindingsReport:
    """Run every rule on what would be accepted.

    Texts are checked only once the validator has changed the set: until then every annotation
    is as its author wrote it, and has passed the rules.
    """
    findings_so_far = list(_verdicts(response, said))
    if not response.exclude_reason:
        if has_changed_rows(response, said):
            asked = _texts(response, prompt, reference_date, settings)
            findings_so_far += [
                finding
                for finding in asked
                if finding.level == "error" or _own(finding, response, said)
            ]
        if not build_result(response, said).accepted and not any(
            f.rule == "no-verdict" for f in findings_so_far
        ):
            findings_so_far.append(
                _error("nothing-accepted", "rows", _NOTHING, "Nothing would be accepted")
            )
    findings = tuple(mark_kept_warnings(findings_so_far, response.keeps))
    blocking = tuple(finding for finding in findings if not finding.kept_because)
    return FindingsReport(findings, blocking, checklist=())


_NOTHING = (
    "Nothing would be accepted. Mark an annotation correct, keep an answer, or exclude the "
    "question with a reason."
)


def _verdicts(response: ValidationResponse, said: Sequence[Contribution]) -> list[Finding]:
    if response.exclude_reason:
        return []
    return [
        _error(
            "no-verdict",
            f"verdict-{column}",
            "Mark this annotation correct or incorrect.",
            f"Annotator {column} is not judged yet",
        )
        for column, verdict in enumerate(resolve_verdicts(response, said), start=1)
        if verdict is None
    ]


def _texts(
    response: ValidationResponse,
    prompt: str,
    reference_date: dt.date,
    settings: Mapping[str, object],
) -> list[Finding]:
    rows = response.standing
    names = {row.key: row_letter(place) for place, row in enumerate(response.rows)}
    findings: list[Finding] = []
    for row in rows:
        if not row.forms:
            findings.append(
                _error(
                    "empty-answer",
                    f"row-{row.key}-answer",
                    "This answer is empty. Write it, or exclude it.",
                    f"Answer {names[row.key]} is empty",
                )
            )
        if len(rows) > 1 and not row.kept:
            findings.append(
                _error(
                    "answer-without-question",
                    f"row-{row.key}-question-1",
                    "Each answer needs a question. Write one, or exclude the answer.",
                    f"Answer {names[row.key]} has no question",
                )
            )
    context = Context(
        prompt=prompt, reference_date=reference_date, pages_opened=1, settings=settings
    )
    most = max((len(row.kept) for row in rows), default=0)
    seen: set[tuple[str, str, str]] = set()
    for phrasing in range(max(1, most) if rows else 0):
        for finding in run_checks(_written(rows, phrasing), context).findings:
            moved = _moved(_by_letter(finding, rows, names), rows, phrasing)
            if moved is None or (moved.rule, moved.field, moved.sentence) in seen:
                continue
            if not any(f.field == moved.field and f.level == "error" for f in findings):
                seen.add((moved.rule, moved.field, moved.sentence))
                findings.append(moved)
    return findings


def _own(finding: Finding, response: ValidationResponse, said: Sequence[Contribution]) -> bool:
    """Whether a warning is about the validator's own words: authors have answered theirs."""
    named = _OWN_FIELD.fullmatch(finding.field)
    if not named:
        return True
    row = next(row for row in response.standing if row.key == named[1])
    if named[2] and int(named[2]) <= len(row.phrasings):
        phrasing = row.phrasings[int(named[2]) - 1]
        return (
            phrasing.origin is None
            or said[phrasing.origin[0]].pairs[phrasing.origin[1]].question != phrasing.text
        )
    return any(
        form.origin is None
        or said[form.origin[0]].pairs[form.origin[1]].forms[form.origin[2]] != form.text
        for form in row.forms
    )


def _written(rows: Sequence[AnswerRow], phrasing: int) -> GenerationResponse:
    """Return the set as a generator would have written it, with each row's n-th phrasing."""
    forms = [tuple(AnswerForm(form.text) for form in row.forms) for row in rows]
    if len(rows) == 1:
        return GenerationResponse(kind="single", single=forms[0])
    questions = [
        row.kept[min(phrasing, len(row.kept) - 1)].text if row.kept else "" for row in rows
    ]
    return GenerationResponse(pairs=tuple(map(WrittenPair, questions, forms)))


def _moved(finding: Finding, rows: Sequence[AnswerRow], phrasing: int) -> Finding | None:
    """Name the field as the validation form does; None for rules that validators are spared."""
    if finding.rule in _NOT_ASKED:
        return None
    if finding.field == "single-answer":
        return replace(finding, field=f"row-{rows[0].key}-answer", pair=0, fix=None)
    named = _FIELD.fullmatch(finding.field)
    if not named:
        return replace(finding, field="rows", fix=None)
    row = rows[int(named[2]) - 1]
    if named[1] == "answer":
        return replace(finding, field=f"row-{row.key}-answer", fix=None)
    if phrasing and phrasing >= len(row.kept):
        return None  # looked at with an earlier phrasing
    place = row.phrasings.index(row.kept[phrasing]) + 1 if row.kept else 1
    return replace(finding, field=f"row-{row.key}-question-{place}", fix=None)


def _by_letter(finding: Finding, rows: Sequence[AnswerRow], names: Mapping[str, str]) -> Finding:
    """Return the finding with "Answers A and C" where it says "Pairs 1 and 2"."""

    def named(found: re.Match[str]) -> str:
        word = "Answer" if found[1] == "P" else "answer"
        letters = re.sub(r"\d+", lambda n: _letter_at(n[0], rows, names), found[3])
        return f"{word}{found[2]} {letters}"

    return replace(
        finding,
        sentence=_PAIRS.sub(named, finding.sentence),
        summary=_PAIRS.sub(named, finding.summary),
    )


def _letter_at(number: str, rows: Sequence[AnswerRow], names: Mapping[str, str]) -> str:
    place = int(number) - 1
    return names[rows[place].key] if place < len(rows) else number


def _error(rule: str, field: str, sentence: str, summary: str) -> Finding:
    return Finding(
        rule=rule, level="error", field=field, pair=None, sentence=sentence, summary=summary
    )
