"""Gold items that stages of choices get without more: finished questions whose answer is known."""

from collections.abc import Sequence
from typing import Any

from annotation.core.models.submissions import Submission
from annotation.core.states import ANY_ACCEPTED
from annotation.sheets.fields import Choice
from annotation.sheets.sheet import Sheet
from annotation.stages.gold_items import Gold, NoGolds

AGREE = 2
"""How many people must have said the same before it counts as known."""


class ChoiceGolds(NoGolds):
    """For stages that keep JSON: what several people chose alike on a finished question is right.

    Only choices are expected; text that people write in their own words is not.
    """

    def __init__(self, stage: str, sheet: Sheet[Any, Any]) -> None:
        self.stage = stage
        self.names = [name for name, kind in sheet.form.fields.items() if isinstance(kind, Choice)]

    def list_finished_items(self, project: int, split: str) -> Sequence[Gold]:
        """Return the units on which at least two people chose alike, and no one otherwise."""
        if not self.names:
            return []
        rows = Submission.objects.filter(
            stage=self.stage,
            question__project=project,
            question__split=split,
            question__state__in=ANY_ACCEPTED,
            assignment__state="submitted",
            assignment__used=True,
        ).order_by("question", "pk")
        said: dict[tuple[int, str], list[dict[str, Any]]] = {}
        values = rows.values_list("question", "assignment__task__unit", "response")
        for question, unit, response in values.iterator(2_000):
            chosen = {name: response.get(name) for name in self.names}
            said.setdefault((question, unit), []).append(chosen)
        return [
            Gold(question=question, unit=unit, expected=choices[0])
            for (question, unit), choices in said.items()
            if len(choices) >= AGREE and all(other == choices[0] for other in choices)
        ]
