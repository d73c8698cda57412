"""The rules on an answer of generation, in the order of its checklist."""

from collections.abc import Collection

from annotation.generation import answer_checks as answers
from annotation.generation import pair_checks as pairs
from annotation.generation import question_checks as questions
from annotation.generation.check_values import Context
from annotation.generation.responses import GenerationResponse
from annotation.sheets.report import FindingsReport, Rules
from annotation.sheets.rules import Check, Finding

# Fields that belong to no pair: their place in the list of problems.
_PLACES = {
    "pages": 0,
    "time": 1,
    "kind": 2,
    "none-reason": 3,
    "single-answer": 4,
    "no-conflict": 10,
}
_NAMES = {
    "pages": "Search",
    "time": "Time",
    "kind": "Kind of answer",
    "none-reason": "Reason",
    "single-answer": "Answer",
    "no-conflict": "Say so",
}

CHECKS: tuple[Check[GenerationResponse, Context], ...] = (
    *answers.EFFORT,
    *pairs.CHECKS,
    *questions.CHECKS,
    *answers.CHECKS,
)


def _place(finding: Finding) -> tuple[int, ...]:
    """Order findings as on the page: by pair, the question before the answer."""
    pair = -1 if finding.pair is None else finding.pair
    answer = finding.field.startswith("answer")
    return (pair, _PLACES.get(finding.field, 9), answer, finding.level == "warning")


def _name(finding: Finding) -> str:
    return _NAMES.get(finding.field, f"Pair {(finding.pair or 0) + 1}")


RULES: Rules[GenerationResponse, Context] = Rules(CHECKS, _place, _name)
REGISTRY = RULES.registry


def run_checks(
    response: GenerationResponse, context: Context, *, touched: Collection[str] | None = None
) -> FindingsReport:
    """Run every rule of generation: see ``Rules.run``."""
    return RULES.run(response, context, touched=touched)
