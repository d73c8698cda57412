"""What the panels of the papers' tables read, each once for a report."""

from contextlib import closing

from annotation.core.consistent_view import snapshot
from annotation.figures.registry import Request
from annotation.reading.effort import Effort, list_efforts
from validation.agreement import project_report
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.decisions import accepted_answers
from validation.decisions.accepted_answers import DecidedQuestion


def read_accepted_pairs(request: Request) -> list[DecidedQuestion]:
    """Return the questions with accepted pairs. At most four queries for each chunk."""
    with (
        snapshot(),
        closing(
            accepted_answers.read_question_chunks(request.project, chosen_split(request))
        ) as chunks,
    ):
        return [row for rows in chunks for row in rows if not row.left_out]


def read_long_answers(request: Request) -> list[WrittenAnswers]:
    """Return the questions with accepted long answers. At most four queries for each chunk."""
    return project_report.read_written_answers(request.project, chosen_split(request))


def read_effort(request: Request) -> list[Effort]:
    """Return what was opened and searched for. Two queries."""
    return list_efforts(request.project, chosen_split(request))


def chosen_split(request: Request) -> str | None:
    """Return the split that was chosen, None for all."""
    return request.filters.split or None
