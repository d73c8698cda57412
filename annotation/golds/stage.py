"""Gold items that stages get without more: finished questions whose answer is known."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Count

from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.models.submissions import Submission
from annotation.core.states import ANY_ACCEPTED
from annotation.generation.models import Annotation
from annotation.generation.responses import Response
from annotation.generation.sheet import written_pairs
from annotation.sheets.fields import Choice
from annotation.sheets.sheet import Sheet
from annotation.stages import protocols
from annotation.stages import registry as stages
from annotation.stages.gold_items import Gold, NoGolds, Values
from metrics.text import same_answer

AGREE = 2
"""How many people must have said the same before it counts as known."""


class ChoiceGolds(NoGolds):
    """For stages that keep JSON: what several people chose alike on a finished question is right.

    Only choices are compared; text that people write in their own words is not.
    """

    def __init__(self, stage: str, sheet: Sheet[Any, Any]) -> None:
        self.stage = stage
        self.names = [name for name, kind in sheet.form.fields.items() if isinstance(kind, Choice)]

    def known(self, project: int, split: str) -> Sequence[Gold]:
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

    def judge(self, response: Any, expected: Values) -> bool | None:
        """Return whether the same was chosen in every field that is expected."""
        return all(getattr(response, name, None) == value for name, value in expected.items())


class AnswerGolds(NoGolds):
    """For written answers: a finished question whose answers came with it or were accepted here."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def known(self, project: int, split: str) -> Sequence[Gold]:
        """Return finished questions with the answers that came with them, and with the accepted
        ones, where several people answered and their answers matched or were validated.
        Six queries.
        """
        rows = Question.objects.filter(project=project, split=split, state__in=ANY_ACCEPTED)
        columns = rows.order_by("pk").values_list("pk", "known_answers")
        answers = {pk: list(known) for pk, known in columns}
        if self._decided(project, split):
            for question, text in self._accepted(project, list(answers)):
                answers[question].append(text)
        return [
            Gold(question=pk, expected={"answers": sorted(set(known))})
            for pk, known in answers.items()
            if known
        ]

    def _decided(self, project: int, split: str) -> bool:
        """Whether answers of a split that differ are decided on, not only collected."""
        decide = [stage.key for stage in stages.every() if stage.decides]
        policies = StagePolicy.objects.filter(project=project, split=split, stage__in=decide)
        return policies.exists()

    def _accepted(self, project: int, questions: Sequence[int]) -> Iterable[tuple[int, str]]:
        """Give question and text of each accepted answer to a question that several answered."""
        written = Annotation.objects.filter(
            question__in=questions, assignment__stage=self.stage, assignment__used=True
        )
        people = written.order_by().values("question").annotate(people=Count("author"))
        several = list(people.filter(people__gte=AGREE).values_list("question", flat=True))
        credit = protocols.of(Project.objects.get(pk=project)).credit
        rows = written.filter(
            question__in=several, assignment__in=list(credit(several)), pairs__answers__isnull=False
        )
        return rows.values_list("question", "pairs__answers__text")

    def judge(self, response: Response, expected: Values) -> bool | None:
        """Return whether one of the written answers is a known or an accepted one."""
        if response.kind == "none":
            return False
        written = [form for pair in written_pairs(response) for form in pair["forms"]]
        return any(same_answer(form, known) for form in written for known in expected["answers"])
