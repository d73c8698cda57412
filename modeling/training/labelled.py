"""What is accepted in a split of a project, less what may not be learnt from.

Each protocol gives its questions (`ForModels.read_labelled`). Three things are told here for all of
them: work of people who did not allow that it trains models, questions that are held out for scores
anywhere in this installation, and questions whose people saw what the same weights suggested.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from annotation.consent.queries import may_train_models
from annotation.core.refusals import Conflict
from annotation.models import Assignment, Project, Question, Split, SuggestionUse
from metrics.text import answer_key
from modeling.for_models import get_for_models
from modeling.training.reasons import HELD_OUT, NO_CONSENT, SUGGESTED
from modeling.training.values import Labelled

_AT_ONCE: Final = 250
# The splits that a question may not also be in, in any project of this installation.
_HELD: Final = {Split.TRAIN.value: (Split.DEV, Split.TEST), Split.DEV.value: (Split.TEST,)}


@dataclass
class LabelledCounts:
    """What was read: questions used, questions left out by reason, and the sources of those used.

    newest: when the last work on one of those used ended, as text in UTC; "" where none is known.
    """

    used: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    newest: str = ""

    def leave_out(self, reason: str) -> None:
        """Count a question that is not used."""
        self.left_out[reason] += 1

    def use(self, labelled: Labelled) -> None:
        """Count a question that is used."""
        self.used += 1
        self.sources[labelled.source or "people"] += 1
        if labelled.newest is not None:
            self.newest = max(self.newest, labelled.newest.isoformat())


@dataclass(frozen=True, kw_only=True)
class Barriers:
    """What keeps questions of a split out.

    systems: the names of those that run on the weights to be trained, as suggestions have them;
    keep_suggested: whether questions whose people saw their suggestions are used all the same.
    """

    project: Project
    split: str
    systems: Sequence[str]
    keep_suggested: bool = False

    def __post_init__(self) -> None:
        if self.split not in _HELD:
            raise Conflict(
                "The split test is neither trained nor tuned on, so that its scores stay true. "
                "Choose train or dev."
            )

    def read_labelled(self) -> Iterator[Labelled]:
        """Give every question of the split in the order of import; those kept out with a reason.

        Only within `snapshot`. Beside what the protocol reads, a query for all and two for every
        250. Raises Conflict where the protocol has nothing to learn from.
        """
        read = get_for_models(self.project).read_labelled
        if read is None:
            raise Conflict("Projects of this kind have nothing that models are trained on.")
        held = self.read_held_out()
        questions = read(self.project, self.split)
        while chunk := list(islice(questions, _AT_ONCE)):
            reasons = self._find_reasons([row.pk for row in chunk if not row.left_out])
            for row in chunk:
                texts = (row.asked.question, row.prompt)
                reason = row.left_out or reasons.get(row.pk, "")
                if not reason and not held.isdisjoint(map(answer_key, texts)):
                    reason = HELD_OUT
                yield replace(row, left_out=reason)

    def read_held_out(self) -> frozenset[str]:
        """Return the keys (`answer_key`) of questions that are held out, in any project."""
        rows = Question.objects.filter(split__in=_HELD[self.split])
        texts = rows.values_list("text", flat=True).iterator(chunk_size=2_000)
        return frozenset(map(answer_key, texts))

    def _find_reasons(self, questions: Sequence[int]) -> dict[int, str]:
        """Return why some of the questions may not be learnt from, by their ids."""
        work = Assignment.objects.filter(
            task__question__in=questions, state=Assignment.State.SUBMITTED, used=True, gold=False
        )
        refused = work.exclude(may_train_models())
        reasons = dict.fromkeys(refused.values_list("task__question", flat=True), NO_CONSENT)
        if not self.keep_suggested and self.systems:
            seen = SuggestionUse.objects.filter(
                assignment__task__question__in=questions, suggestion__system__in=self.systems
            )
            for question in seen.values_list("assignment__task__question", flat=True):
                reasons.setdefault(question, SUGGESTED)
        return reasons
