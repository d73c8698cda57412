"""Gold items of Natural Questions: finished questions on which all annotations agree."""

from collections.abc import Iterable, Sequence
from typing import Any

from annotation.core.states import ANY_ACCEPTED
from annotation.models import Question, Submission
from annotation.stages.choice_golds import AGREE
from annotation.stages.gold_items import Gold, NoGolds
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, from_json


class AgreedAnswers(NoGolds):
    """Questions that everyone called bad, or to which everyone found a long answer.

    Annotations count whether they were imported or made here. Boxes within each other agree, and
    so do short answers that share a word: careful people differ by that much.
    """

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def list_finished_items(self, project: int, split: str) -> Sequence[Gold]:
        """Return the finished questions with two annotations or more that agree. Three queries."""
        rows = Question.objects.filter(project=project, split=split, state__in=ANY_ACCEPTED)
        given = dict(sorted(pages.annotations_of(rows.values_list("pk", flat=True)).items()))
        made = Submission.objects.filter(
            question__in=list(given),
            stage=self.stage,
            assignment__state="submitted",
            assignment__used=True,
        )
        for question, response in made.order_by("pk").values_list("question", "response"):
            given[question].append(response["annotation"])
        agreed = {
            pk: build_expected_values([from_json(row) for row in rows])
            for pk, rows in given.items()
        }
        return [Gold(question=pk, expected=values) for pk, values in agreed.items() if values]


def build_expected_values(annotations: Sequence[PageAnnotation]) -> dict[str, Any]:
    """Return what a person is expected to say, {} if the annotations do not agree."""
    if len(annotations) < AGREE:
        return {}
    if not any(row.good for row in annotations):
        return {"good": "no"}
    boxes = [row.long for row in annotations]
    # An imported one without a long answer does not tell a bad question from a page without one.
    if min(box.start_token for box in boxes) < 0:
        return {}
    values: dict[str, Any] = {"good": "yes", "long": _places(boxes)}
    said = {row.yes_no for row in annotations}
    if said == {"YES"} or said == {"NO"}:
        values["answer"] = said.pop().lower()
    elif all(row.short for row in annotations):
        values["short"] = _places(span for row in annotations for span in row.short)
    return values


def _places(spans: Iterable[PageSpan]) -> list[list[int]]:
    return sorted([start, end] for start, end in {span.place for span in spans})
