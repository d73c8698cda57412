"""What an item about long answers shows: the form, what is found and missing, the result.

The parts of the form are the work page's. An exam has no log of reading, and so no quotes.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.http import QueryDict

from annotation.long_answers import checks
from annotation.long_answers.response import Response, from_json
from annotation.models import Qualification, QualificationItem
from annotation.qualifying import Item, disambiguations_from
from annotation.queries import qualification_items as queries
from annotation.sheets import long_answers_presses as presses
from annotation.sheets import long_answers_shown as parts
from annotation.sheets.long_answers import LongAnswerSheet
from annotation.sheets.parts import idle
from annotation.sheets.report import Report


def response_of(draft: Mapping[str, Any]) -> Response:
    """Return a stored draft."""
    return from_json(draft) if draft else Response()


def pressed(response: Response, press: str, row: QualificationItem, data: QueryDict) -> Response:
    """Return the response after a press. Raises ResponseError where it cannot do what it says."""
    return presses.pressed(response, press, inputs=queries.item_of(row).inputs, data=data)


def written(draft: Mapping[str, Any]) -> list[str]:
    """Return the fields that have text."""
    response = response_of(draft)
    fields = ["long-answer"] if response.text else []
    for number, piece in enumerate(response.knowledge, start=1):
        fields += [f"piece-{number}"] if piece.content else []
        fields += [f"page-{number}"] if piece.page else []
    return fields


def item_context(
    qualification: Qualification,
    row: QualificationItem,
    draft: Mapping[str, Any],
    *,
    touched: list[str] | None,
) -> dict[str, Any]:
    """Return what the form shows of a draft; the list of short answers is always up to date."""
    response = response_of(draft)
    item = queries.item_of(row)
    report = queries.report_on(qualification, item, response)
    if touched is not None:
        report = _seen(report, response, touched, queries.long_context(qualification, item))
    known = queries.long_context(qualification, item)
    answers = [
        parts.answer_shown(each, response.text, report.at(each.disambiguation.field))
        for each in checks.covered(response, known)
    ]
    there = sum(each.state != "missing" for each in answers)
    pieces = [
        parts.PieceShown(index, piece.content, piece.page, (), report.at(f"piece-{index + 1}"))
        for index, piece in enumerate(response.knowledge)
    ]
    return {
        "inputs": item.inputs,
        "text": response.text,
        "length": parts.length(response.text),
        "text_findings": report.at("long-answer"),
        "knowledge_findings": report.at("knowledge"),
        "pieces": pieces or [parts.BLANK_PIECE],
        "blank_piece": parts.BLANK_PIECE,
        "answers": answers,
        "there": there,
        "missing": len(answers) - there,
        "said": response.said,
        "idle_keeps": idle(response.keeps, report.findings),
    }


def _seen(report: Report, response: Response, touched: list[str], known: checks.Context) -> Report:
    """Leave out what is said of fields that nobody has been in, as the work page does."""
    fields = LongAnswerSheet().seen(response, touched, known)
    answers = "long-answer" in fields
    return replace(
        report,
        findings=tuple(
            each
            for each in report.findings
            if each.field in fields and (answers or not each.field.startswith("answer-"))
        ),
    )


def result_of(
    draft: Mapping[str, Any], result: Mapping[str, Any], *, opened: bool
) -> dict[str, Any]:
    """Return what was written beside the inputs of that day, and the outcome of each answer."""
    response = response_of(draft)
    item = Item(result.get("prompt", ""), qa_pairs=disambiguations_from(result.get("qa_pairs", [])))
    context = checks.Context(inputs=item.inputs)
    return {
        "text": response.text,
        "knowledge": [piece for piece in response.knowledge if not piece.empty],
        "kept": [keep for keep in response.keeps if keep.reason],
        "answers": [
            parts.answer_shown(each, response.text, ())
            for each in checks.covered(response, context)
        ],
        "model_answer": result.get("model_answer", "") if opened else "",
        "figures": _figures(result.get("figures", {})),
    }


def _figures(found: Mapping[str, Any]) -> dict[str, Any]:
    share = found.get("support")
    return {**found, "percent": None if share is None else round(100 * share)} if found else {}
