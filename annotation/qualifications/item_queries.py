"""Items of a qualification as values, on the sheet of their kind, and answers to them."""

import hashlib
import json
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from annotation.core.models.qualifications import Qualification
from annotation.protocols import registry as protocols
from annotation.qualifications.items import Item, read_expected
from annotation.qualifications.models import QualificationAnswer, QualificationItem
from annotation.sheets.known_items import Grade
from annotation.sheets.report import FindingsReport


def item_of(row: QualificationItem) -> Item:
    """Return the stored item as a value."""
    columns = {name: getattr(row, name) for name in Item.__dataclass_fields__}
    expected, pages = read_expected(row.expected), tuple(row.pages)
    return Item(**columns | {"expected": expected, "pages": pages})


class Asked:
    """An item as it is asked in a qualification, on the sheet of its kind."""

    def __init__(self, qualification: Qualification, row: QualificationItem) -> None:
        self.qualification, self.row = qualification, row
        self.exam = protocols.exam_of(qualification.kind)
        self.sheet = self.exam.sheet

    @cached_property
    def item(self) -> Item:
        return item_of(self.row)

    @cached_property
    def given(self) -> Any:
        """The facts that rules and form get."""
        project = self.qualification.project
        return self.exam.build_sheet_context(
            self.item, reference_date=project.reference_date, settings=project.rule_settings
        )

    def check_response(
        self, response: Any, *, touched: Collection[str] | None = None
    ) -> FindingsReport:
        """Run the rules of the qualification on a response."""
        rules = {*self.qualification.rules}
        return self.exam.check_response(response, self.given, rules=rules, touched=touched)

    def grade_draft(self, draft: Mapping[str, Any]) -> Grade:
        """Return the grade that a stored answer would get now."""
        response = self.sheet.submitted_part(self.sheet.load(draft))
        unanswered = [finding.summary for finding in self.check_response(response).blocking]
        return self.sheet.grade_response(response, self.item, unanswered)


def is_answered(answer: QualificationAnswer) -> bool:
    """Return whether a stored answer has content of the chosen kind."""
    exam = protocols.exam_of(answer.attempt.qualification.kind)
    return bool(answer.draft) and exam.has_answer(exam.sheet.load(answer.draft))


def answer_fingerprint(data: object) -> str:
    """Return a SHA-256 (hex) to tell whether an answer has changed since it was checked."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
