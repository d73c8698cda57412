"""The fields of a validation as texts, for comparing the drafts of two windows."""

from collections.abc import Iterator

from validation.responses import Response, letter
from validation.views.shown import WORDS


def texts(response: Response) -> Iterator[tuple[str, str]]:
    """Return label and text of every field."""
    for number, verdict in enumerate(response.verdicts, start=1):
        yield f"Verdict on annotator {number}", WORDS[verdict]
    for place, row in enumerate(response.rows):
        name = f"Answer {letter(place)}"
        forms = " | ".join(form.text for form in row.forms)
        yield name, f"excluded: {row.why or forms}" if row.excluded else forms
        if not row.excluded:
            yield f"{name}, questions", " | ".join(each.text for each in row.kept)
    yield "Why the question is excluded", response.exclude_reason
    yield "Feedback", response.feedback
