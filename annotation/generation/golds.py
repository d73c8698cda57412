"""Gold items that stages get without more: finished questions whose answer is known."""

from collections.abc import Iterable, Sequence

from django.db.models import Count

from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.states import ANY_ACCEPTED
from annotation.generation.models import Annotation
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from annotation.stages.choice_golds import AGREE
from annotation.stages.gold_items import Gold, NoGolds


class AnswerGolds(NoGolds):
    """For written answers: a finished question whose answers came with it or were accepted here."""

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def list_finished_items(self, project: int, split: str) -> Sequence[Gold]:
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
        decide = [stage.key for stage in stages.list_stages() if stage.decides]
        policies = StagePolicy.objects.filter(project=project, split=split, stage__in=decide)
        return policies.exists()

    def _accepted(self, project: int, questions: Sequence[int]) -> Iterable[tuple[int, str]]:
        """Give question and text of each accepted answer to a question that several answered."""
        written = Annotation.objects.filter(
            question__in=questions, assignment__stage=self.stage, assignment__used=True
        )
        people = written.order_by().values("question").annotate(people=Count("author"))
        several = list(people.filter(people__gte=AGREE).values_list("question", flat=True))
        credit = protocols.protocol_of(Project.objects.get(pk=project)).credit
        rows = written.filter(
            question__in=several, assignment__in=list(credit(several)), pairs__answers__isnull=False
        )
        return rows.values_list("question", "pairs__answers__text")
