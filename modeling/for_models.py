"""What models need of a kind of project: one object for each protocol, so that none is named here.

`config.protocols` registers them, above every app whose parts they name. The judgments that a study
can ask are stages of the protocol itself (`annotation.protocols.registry`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from annotation.models import Project, Question
from evaluation.scores import registry as scores
from evaluation.scores.registry import Scoring
from modeling.base import BaselineQuestion, MissingModel
from modeling.examples import Example


class BuildInputs(Protocol):
    """From some questions of a project to these as baselines are asked them, in their order.

    references: whether what is right, and what people wrote, comes with them, for oracles.
    """

    def __call__(
        self, questions: Sequence[Question], *, references: bool = True
    ) -> list[BaselineQuestion]: ...


@dataclass(frozen=True, kw_only=True)
class ForModels:
    """What models need of the projects of a protocol.

    build_inputs: questions with their pages, passages and gold evidence; outputs, suggestions:
    which kinds of content (`modeling.base`) an output can be made of, and which its forms of work
    can show, none where no form shows any; scoring: what outputs are scored by; read_examples:
    the questions of a split with what is accepted for them, to be copied, shown and trained on.
    """

    build_inputs: BuildInputs
    outputs: frozenset[str]
    suggestions: frozenset[str] = frozenset()
    scoring: Scoring | None = None
    read_examples: Callable[[Project, str], Iterator[Example]]


_registered: dict[str, ForModels] = {}


def register(protocol: str, for_models: ForModels) -> None:
    """Register what models need of a protocol, and how their answers are scored."""
    _registered[protocol] = for_models
    if for_models.scoring is not None:
        scores.register(protocol, for_models.scoring)


def get_for_models(project: Project) -> ForModels:
    """Return what models need of a project. Raises MissingModel where its protocol has none."""
    if project.protocol not in _registered:
        raise MissingModel("Models cannot answer the questions of a project of this kind.")
    return _registered[project.protocol]
