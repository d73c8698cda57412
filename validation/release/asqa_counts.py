"""What a release of long answers holds and leaves out, counted while it is written."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.contexts.inputs import given_context
from annotation.exports.layouts import SPLITS, Counted, by_number
from validation.decisions.accepted_long_answers import LEFT_OUT, LongAnsweredQuestion

_SOURCES = ("writers", "import")
_GIVEN = ("full", "question")


@dataclass
class AsqaCounts(Counted):
    """Counts of questions, disambiguations, long answers and their evidence; what is left out.

    `excluded` has the team's notes on each question that a concern excluded (S23).
    """

    sizes: Counter[int] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    excluded: list[dict[str, Any]] = field(default_factory=list)

    def add(self, question: LongAnsweredQuestion, record: Mapping[str, Any] | None) -> None:
        """Count a question: with its record if it is released, without one if it is left out."""
        if record is None:
            self.left_out[question.left_out] += 1
            if question.reasons:
                self.excluded.append(
                    {
                        "id": question.external_id,
                        "split": question.split,
                        "reasons": list(question.reasons),
                    }
                )
            return
        pairs = record["qa_pairs"]
        self.questions[question.split] += 1
        self.annotations[question.split] += len(question.answers)
        self.sizes[len(pairs)] += 1
        self.standing[len(question.answers)] += 1
        self.sources["import" if question.imported else "writers"] += 1
        self.sums["pairs"] += len(pairs)
        self.sums["short_answers"] += sum(len(pair["short_answers"]) for pair in pairs)
        self.sums["contexts"] += sum(given_context(pair) is not None for pair in pairs)
        self.sums["wikipages"] += len(record["wikipages"])
        for answer in question.answers:
            self.sums["words"] += len(answer.text.split())
            self.sums["knowledge"] += len(answer.knowledge)
            self.sums["overrides"] += len(answer.overrides)
            self.given[answer.given] += 1
        self.work_of(question.guidelines, question.newest)

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""
        return {
            "questions": self.total,
            "by_split": {
                split: {
                    "questions": self.questions[split],
                    "annotations": self.annotations[split],
                }
                for split in SPLITS
            },
            "annotations": self.annotations.total(),
            "annotations_per_question": by_number(self.standing),
            "disambiguations": self.sums["pairs"],
            "disambiguations_per_question": by_number(self.sizes),
            "short_answers": self.sums["short_answers"],
            "contexts": self.sums["contexts"],
            "wikipages": self.sums["wikipages"],
            "words": self.sums["words"],
            "knowledge": self.sums["knowledge"],
            "overrides": self.sums["overrides"],
            "written_by": {source: self.sources[source] for source in _SOURCES},
            "writers_were_given": {what: self.given[what] for what in _GIVEN},
        }

    def left_out_json(self) -> dict[str, object]:
        """Return the questions left out by reason, with the notes on excluding concerns."""
        return {
            "questions": {reason: self.left_out[reason] for reason in LEFT_OUT},
            "excluded": self.excluded,
        }
