"""What models need of a kind of project: one object for each protocol, so that none is named here.

`config.protocols` registers them, above every app whose parts they name. The judgments that a study
can ask are stages of the protocol itself (`annotation.protocols.registry`).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db.models import QuerySet

from annotation import registration
from annotation.models import Project, Question
from annotation.suggestions.values import SuggestedContent
from evaluation.scores import registry as scores
from evaluation.scores.registry import Scoring
from evaluation.systems import output_files
from evaluation.systems.output_files import OutputFile
from modeling.base import BaselineQuestion, CandidateAnswer, MissingModel, Prediction
from modeling.examples import Example
from modeling.registry import BaselineEntry
from modeling.training.values import Labelled


class BuildInputs(Protocol):
    """From some questions of a project to these as baselines are asked them, in their order.

    references: whether what is right, and what people wrote, comes with them, for oracles.
    """

    def __call__(
        self, questions: Sequence[Question], *, references: bool = True
    ) -> list[BaselineQuestion]: ...


@dataclass(frozen=True, kw_only=True)
class AnswersToCheck:
    """The answers of questions that people check, and that models can be asked about.

    read: those of some questions, by the ids of these; find_unjudged: from questions, a system and
    a version to those of them with an answer on which no verdict of this version is stored.
    """

    read: Callable[[Sequence[Question]], Mapping[int, tuple[CandidateAnswer, ...]]]
    find_unjudged: Callable[[QuerySet[Question], str, str], QuerySet[Question]]


@dataclass(frozen=True, kw_only=True)
class ForModels:
    """What models need of the projects of a protocol.

    build_inputs: questions with their pages, passages and gold evidence; outputs, suggestions:
    which kinds of content (`modeling.base`) an output can be made of, and which its forms of work
    can show, none where no form shows any; list_suggestions: what people are shown of a prediction,
    where it is not its texts; scoring: what outputs are scored by; read_examples:
    the questions of a split with what is accepted for them, to be copied and shown; read_labelled:
    all questions of a split, to be trained on, within `snapshot`, none where nothing can be learnt;
    to_check: the answers that people check, where they do; asks_lists: whether questions ask for
    lists of short answers; own_pages: whether questions have a page of their own, on which they are
    answered; file: the file in which outputs come and go besides texts by id.
    """

    build_inputs: BuildInputs
    outputs: frozenset[str]
    suggestions: frozenset[str] = frozenset()
    list_suggestions: Callable[[Question, Prediction], Iterable[SuggestedContent]] | None = None
    scoring: Scoring | None = None
    read_examples: Callable[[Project, str], Iterator[Example]]
    read_labelled: Callable[[Project, str], Iterator[Labelled]] | None = None
    to_check: AnswersToCheck | None = None
    asks_lists: bool = False
    own_pages: bool = False
    file: OutputFile | None = None

    def needs_corpus(self, entry: BaselineEntry) -> bool:
        """Return whether a baseline has to search passages here."""
        return entry.searches and not (entry.on_page and self.own_pages)

    def lacks_pages(self, entry: BaselineEntry) -> bool:
        """Return whether a baseline answers only on pages that questions here do not have."""
        return entry.only_on_page and not self.own_pages


_registered: dict[str, ForModels] = {}


def register(protocol: str, for_models: ForModels) -> None:
    """Register what models need of a protocol, how their answers are scored, and their file."""
    _registered[protocol] = for_models
    if for_models.scoring is not None:
        scores.register(protocol, for_models.scoring)
    if for_models.file is not None:
        output_files.register(protocol, for_models.file)


def get_for_models(project: Project) -> ForModels:
    """Return what models need of a project. Raises MissingModel where its protocol has none."""
    registration.PROTOCOLS.make()
    if project.protocol not in _registered:
        raise MissingModel("Models cannot answer the questions of a project of this kind.")
    return _registered[project.protocol]
