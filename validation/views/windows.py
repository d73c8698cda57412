"""Two drafts of one validation, compared: what one window has and the other has not."""

from collections.abc import Iterator

from annotation.views.generation import Row
from metrics.edits import diff
from validation.responses import Response, letter
from validation.views.shown import WORDS


def compared(mine: Response, theirs: Response) -> list[Row]:
    """Return the fields in which two drafts differ: ins is only mine, del only theirs."""
    left, right = dict(_texts(theirs)), dict(_texts(mine))
    return [
        Row(label, diff(left.get(label, ""), right.get(label, "")))
        for label in [*right, *(label for label in left if label not in right)]
        if left.get(label, "") != right.get(label, "")
    ]


def _texts(response: Response) -> Iterator[tuple[str, str]]:
    for number, verdict in enumerate(response.verdicts, start=1):
        yield f"Verdict on generator {number}", WORDS[verdict]
    for place, row in enumerate(response.rows):
        name = f"Answer {letter(place)}"
        forms = " | ".join(form.text for form in row.forms)
        yield name, f"excluded: {row.why or forms}" if row.excluded else forms
        if not row.excluded:
            yield f"{name}, questions", " | ".join(each.text for each in row.kept)
    yield "Why the question is excluded", response.exclude_reason
    yield "Feedback", response.feedback
