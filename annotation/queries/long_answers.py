"""What a writer of a long answer is given, and what the rules know of their reading."""

from collections.abc import Callable, Sequence

from annotation.long_answers.inputs import Inputs, Paragraph, inputs_of
from annotation.long_answers.response import Response
from annotation.models import Assignment, ContextParagraph, StagePolicy
from annotation.queries.reading import opened_pages
from wikipedia import quotes as quoting
from wikipedia.models import Quote, ShownPage


def inputs_for(assignment: Assignment) -> Inputs:
    """Return what the writer was given with the question. At most two queries."""
    question = assignment.task.question
    if assignment.inputs == StagePolicy.Inputs.QUESTION:
        return Inputs(prompt=question.prompt).question_only()
    return inputs_of(question.prompt, question.context, shown_contexts([question.pk])[question.pk])


def shown_contexts(question_ids: Sequence[int]) -> dict[int, dict[int, Paragraph]]:
    """Return the paragraphs that writers are shown, by question and position. One query."""
    found: dict[int, dict[int, Paragraph]] = {pk: {} for pk in question_ids}
    rows = ContextParagraph.objects.filter(question__in=question_ids, shown=True)
    for row in rows:
        found[row.question_id][row.position] = Paragraph(row.text, row.title, row.path)
    return found


def own_quotes(assignment: Assignment, response: Response) -> frozenset[int]:
    """Return which of the quotes named in the response are this person's, from this snapshot."""
    named = {quote for piece in response.knowledge for quote in piece.quotes}
    if not named:
        return frozenset()
    return frozenset(
        Quote.objects.filter(
            pk__in=named,
            created_by_id=assignment.user_id,
            page__snapshot_id=assignment.project.snapshot_id,
        ).values_list("pk", flat=True)
    )


def pages_reader(assignment: Assignment) -> Callable[[str, str], bool | None]:
    """Return a function that says whether words stand on an opened page of a title.

    Each line of them on its own: a piece may be put together from several places of a page. None
    where no page of that title was opened. It reads the pages once, when it is first asked.
    """
    loaded: list[list[ShownPage]] = []

    def stands(title: str, text: str) -> bool | None:
        if not loaded:
            loaded.append(opened_pages(assignment))
        wanted = title.strip().casefold()
        pages = [page for page in loaded[0] if page.title.casefold() == wanted]
        if not pages:
            return None
        return all(
            any(quoting.find_on_page(page.text, line) is not None for page in pages)
            for line in text.splitlines()
            if any(map(str.isalnum, line))
        )

    return stands
