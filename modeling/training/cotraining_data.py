"""What a co-training reads of a project before it begins (A94)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from annotation.core.consistent_view import snapshot
from annotation.core.refusals import Conflict
from annotation.models import Project, Split
from metrics.ambigqa import Reference
from modeling.base import ArticlePassage
from modeling.training.answer_forms import build_reference
from modeling.training.building import ExampleBuilder, ExampleChoice
from modeling.training.cotraining import order_by_seed
from modeling.training.examples import Example, TextExample
from modeling.training.partial_questions import (
    PartialQuestion,
    choose_partial_questions,
    read_partial_file,
    read_project_partial,
)
from modeling.training.reasons import NO_PASSAGES
from modeling.training.text_examples import build_text_examples
from modeling.training.values import Labelled

SYSTEM: Final = "span-seq-gen"


@dataclass(frozen=True, kw_only=True)
class CotrainingChoice:
    """What is co-trained.

    name: of the weights, NAME-R-M for model M of round R; models: 2 to 16; rounds: of labelling;
    partial: a file as NQ-open's, None for the project's own questions with known answers; base,
    preset, changes, max_steps, device, at_once, no_dev: as for `TrainingChoice`; keep_suggested: as
    for `ExampleChoice`.
    """

    name: str
    models: int = 6
    rounds: int = 2
    partial: Path | None = None
    base: str = ""
    preset: str = "paper"
    changes: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    max_steps: int | None = None
    device: str = "auto"
    at_once: int | None = None
    no_dev: bool = False
    keep_suggested: bool = False


class CotrainingData:
    """The questions of a co-training, with the passages that SpanSeqGen reads for each.

    full: those with all of their answers; partial: those of which one is known; left_out: how many
    other such questions there are, by reason; dev: examples that checkpoints are chosen by, none
    without dev, and references: what is accepted for their questions; passages: by the id of a
    question.

    Raises MissingModel where passages cannot be searched, BadOption for a file that is none, and
    Conflict where no question has one known answer.
    """

    def __init__(self, project: Project, choice: CotrainingChoice) -> None:
        train, dev = (
            ExampleBuilder(
                project,
                ExampleChoice(
                    system=SYSTEM,
                    split=split,
                    options=choice.options,
                    keep_suggested=choice.keep_suggested,
                ),
            )
            for split in (Split.TRAIN.value, Split.DEV.value)
        )
        self.recipe = train.recipe
        self.full: list[Labelled] = []
        self.dev: list[Example] = []
        self.references: list[Reference] = []
        self.passages: dict[str, Sequence[ArticlePassage]] = {}
        with snapshot():
            for labelled, made in train.iterate_examples():
                self.full.append(labelled)
                self.passages[labelled.asked.id] = _passages_of(made)
            if not choice.no_dev:
                for labelled, made in dev.iterate_examples():
                    self.dev.extend(made)
                    self.references.append(build_reference(labelled))
            self.partial, self.left_out = self._read_partial(train, choice.partial)
        if not self.partial:
            raise Conflict(
                "There is no question of which one answer is known. Give NQ-open's file "
                "(--partial), or import questions of train with their known answers."
            )

    def build_examples(self, rows: Sequence[Labelled], seed: int) -> list[Example]:
        """Return what a model learns from: its own order of answers, as far as passages have them.

        What is too long to be written is left out by the training, and counted there.
        """
        found: list[Example] = []
        for labelled in rows:
            own = order_by_seed(labelled, seed)
            made = build_text_examples(self.recipe.role, own, self.passages[labelled.asked.id])
            found.extend(made if isinstance(made, list) else ())
        return found

    def _read_partial(
        self, builder: ExampleBuilder, path: Path | None
    ) -> tuple[list[PartialQuestion], Counter[str]]:
        found = read_partial_file(path) if path else read_project_partial(builder.barriers)
        held = builder.barriers.read_held_out()
        chosen, left_out = choose_partial_questions(found, self.full, held)
        kept = []
        for each in chosen:
            asked = each.labelled.asked
            passages = builder.search_passages(asked.question)
            if passages:
                self.passages[asked.id] = passages
                kept.append(each)
            else:
                left_out[NO_PASSAGES] += 1
        return kept, left_out


def _passages_of(made: Sequence[Example]) -> Sequence[ArticlePassage]:
    return made[0].passages if isinstance(made[0], TextExample) else ()
