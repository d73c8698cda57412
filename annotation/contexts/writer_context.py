"""What the writer of a long answer is given: disambiguations, each with its paragraph."""

import json
from collections.abc import Sequence

from accounts import prepared_statements
from annotation.contexts.inputs import Inputs, Paragraph, inputs_of
from annotation.contexts.models import ContextParagraph
from annotation.contexts.statements import GIVEN_CONTEXT
from annotation.core.models.projects import StagePolicy
from annotation.core.models.work import Assignment


def inputs_for(assignment: Assignment) -> Inputs:
    """Return the inputs that the writer was given. At most one query."""
    question = assignment.task.question
    if assignment.inputs == StagePolicy.Inputs.QUESTION:
        return Inputs(prompt=question.prompt).question_only()
    ((context, paragraphs),) = prepared_statements.fetch_rows(
        GIVEN_CONTEXT, {"question": question.pk}
    )
    shown = {position: Paragraph(*texts) for position, *texts in json.loads(paragraphs or "[]")}
    return inputs_of(question.prompt, json.loads(context), shown)


def shown_contexts(question_ids: Sequence[int]) -> dict[int, dict[int, Paragraph]]:
    """Return the paragraphs that writers are shown, by question and position. One query."""
    found: dict[int, dict[int, Paragraph]] = {pk: {} for pk in question_ids}
    rows = ContextParagraph.objects.filter(question__in=question_ids, shown=True)
    for row in rows:
        found[row.question_id][row.position] = Paragraph(row.text, row.title, row.path)
    return found
