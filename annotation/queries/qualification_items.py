"""What an item of a qualification asks, and what an answer to it is worth, by its kind."""

from collections.abc import Mapping
from typing import Any

from annotation.checks import Context, run_checks
from annotation.long_answers import checks as long_checks
from annotation.long_answers import response as long_responses
from annotation.models import Qualification, QualificationItem
from annotation.qualifying import (
    JUDGING,
    LONG,
    Item,
    disambiguations_from,
    reading_from,
    seeded_from,
)
from annotation.qualifying_grades import (
    Grade,
    grade_long_answer,
    grade_response,
    grade_verdicts,
)
from annotation.responses import Response, from_json, settled
from annotation.sheets.report import Report

VERDICTS = {"correct": True, "incorrect": False}
Written = Response | long_responses.Response


def item_of(row: QualificationItem) -> Item:
    """Return the stored item as a value."""
    return Item(
        prompt=row.prompt,
        part=row.part,
        accepted=tuple(reading_from(each, "accepted") for each in row.accepted),
        seeded=tuple(seeded_from(each, "seeded") for each in row.seeded),
        qa_pairs=disambiguations_from(row.qa_pairs),
        model_answer=row.model_answer,
        threshold=row.threshold,
        hint=row.hint,
        hint_seconds=row.hint_seconds,
        explanation=row.explanation,
        pages=tuple(row.pages),
    )


def report_on(qualification: Qualification, item: Item, response: Written) -> Report:
    """Run the rules of the qualification, with the project's settings, on a response.

    Rules that look at what was read are satisfied beforehand: an exam keeps no such log.
    """
    if isinstance(response, long_responses.Response):
        report = long_checks.RULES.run(response, long_context(qualification, item))
    else:
        context = Context(
            prompt=item.prompt,
            reference_date=qualification.project.reference_date,
            pages_opened=1_000,
            minimum_seconds=0,
            settings=qualification.project.rule_settings,
        )
        report = run_checks(response, context)
    wanted = {*qualification.rules}
    return Report(
        findings=tuple(each for each in report.findings if each.rule in wanted),
        blocking=tuple(each for each in report.blocking if each.rule in wanted),
        checklist=(),
    )


def long_context(qualification: Qualification, item: Item) -> long_checks.Context:
    """Return what the rules on a long answer know in an exam."""
    return long_checks.Context(inputs=item.inputs, settings=qualification.project.rule_settings)


def verdicts_of(draft: Mapping[str, Any]) -> list[bool | None]:
    """Return the verdicts in a draft, None where there is none."""
    said = draft.get("verdicts", [])
    return [VERDICTS.get(each) if isinstance(each, str) else None for each in said]


def graded(row: QualificationItem, qualification: Qualification, draft: Mapping[str, Any]) -> Grade:
    """Return what an answer is worth now."""
    item = item_of(row)
    if qualification.kind == JUDGING:
        return grade_verdicts(item, verdicts_of(draft))
    if qualification.kind == LONG:
        written = long_responses.settled(long_responses.from_json(draft))
        report = report_on(qualification, item, written)
        open_ = [finding.summary for finding in report.blocking]
        return grade_long_answer(item, written, unanswered=open_)
    response = settled(from_json(draft))
    report = report_on(qualification, item, response)
    return grade_response(
        item, response, unanswered=[finding.summary for finding in report.blocking]
    )


def is_answered(draft: Mapping[str, Any]) -> bool:
    """Whether something of the chosen kind is in the draft."""
    if "verdicts" in draft:
        return any(each is not None for each in verdicts_of(draft))
    if "text" in draft:
        return bool(draft["text"])
    kind = draft.get("kind")
    if kind == "none":
        return bool(draft.get("none_reason"))
    if kind == "single":
        return bool(draft.get("single"))
    return any(pair.get("answers") for pair in draft.get("pairs", []))
