"""What a release holds and leaves out, counted while it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.exports.layouts import SPLITS, Counted, by_number
from validation.decisions.accepted_answers import LEFT_OUT, DecidedQuestion
from validation.decisions.models import AcceptedAnnotation

_KINDS = ("single", "multiple", "mixed")
_SOURCES = ("generators", "validation", "staff", "import")


@dataclass
class Counts(Counted):
    """Counts of questions by split and kind, of annotations by type, of what is left out.

    A question is "mixed" if it has annotations with one answer and with several.
    """

    pairs: int = 0
    answers: int = 0
    no_answers: int = 0

    def add(self, question: DecidedQuestion, record: Mapping[str, Any] | None) -> None:
        """Count a question, released or left out."""
        if record is None:
            self.left_out[question.left_out] += 1
            return
        kinds = {accepted.kind for accepted in question.sets}
        self.questions[question.split, kinds.pop() if len(kinds) == 1 else "mixed"] += 1
        self.sources[question.source] += 1
        self.standing[len(question.sets)] += 1
        self.no_answers += question.no_answers
        self.work_of(question.guidelines, question.newest)
        for accepted in question.sets:
            self.annotations[accepted.kind] += 1
            if accepted.kind == AcceptedAnnotation.Kind.MULTIPLE:
                self.pairs += len(accepted.pairs)
            self.answers += sum(len(pair.forms) for pair in accepted.pairs)

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""
        return {
            "questions": self.total,
            "by_split": {
                split: {kind: self.questions[split, kind] for kind in _KINDS} for split in SPLITS
            },
            "annotations": {
                "singleAnswer": self.annotations["single"],
                "multipleQAs": self.annotations["multiple"],
            },
            "annotations_per_question": by_number(self.standing),
            "pairs": self.pairs,
            "answers": self.answers,
            "decided_by": {source: self.sources[source] for source in _SOURCES},
        }

    def left_out_json(self) -> dict[str, object]:
        """Return what is left out: questions by reason, and submissions without an answer."""
        return {
            "questions": {reason: self.left_out[reason] for reason in LEFT_OUT},
            "annotations": {"no_answer": self.no_answers},
        }
