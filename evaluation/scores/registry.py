"""How the answers of systems are scored, by protocol; floors above register it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from annotation import registration
from annotation.models import Project, Question
from evaluation.scores.values import Kinds
from evaluation.systems.models import Output


class MeasuredColumns(NamedTuple):
    """For each measure its value by external id of the question, and how it was made."""

    columns: dict[str, dict[str, float]]
    options: dict[str, Mapping[str, str]]


class ReferenceLine(NamedTuple):
    """A part of what is right for a question, in words. label: what it is, "" for an answer."""

    text: str
    label: str = ""


ListReferences = Callable[[Sequence[Question]], Mapping[int, Sequence[ReferenceLine]]]


def _list_no_references(questions: Sequence[Question]) -> Mapping[int, Sequence[ReferenceLine]]:
    return {}


class SplitScorer(Protocol):
    """What the answers to the questions of a split are scored against; read once for all systems.

    facts: what the scores depend on besides questions, outputs and this program, as JSON.
    """

    @property
    def facts(self) -> Any: ...

    def read_more(self, outputs: Sequence[Output]) -> Any:
        """Return what is scored of these outputs besides themselves, as JSON; None for nothing."""
        ...

    def measure_outputs(self, outputs: Sequence[Output], more: Any) -> MeasuredColumns:
        """Measure the outputs of one system. `more` is what `read_more` gave."""
        ...


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How the answers of systems are scored in the projects of a protocol.

    kinds: the figures, in the order in which they are shown; ranked_by: names of those by which
    systems are ordered: the first that there is; readers: whether a reader answers questions from
    the texts; open_split: from a project, a split and its questions by id to their scorer;
    list_references: what is right for a few questions, by their ids, for people who read it beside
    answers; definition: over which questions the figures are, in sentences.
    """

    kinds: Kinds
    ranked_by: tuple[str, ...]
    open_split: Callable[[Project, str, Mapping[int, Question]], SplitScorer]
    readers: bool = False
    list_references: ListReferences = _list_no_references
    definition: str = (
        "Each figure is over the questions that the system answered and that have what the figure "
        "needs, with its 95 % interval; the length is in words. Systems that answered other "
        "questions than others are compared fairly only by the paired tests."
    )


_scorings: dict[str, Scoring] = {}


def register(protocol: str, scoring: Scoring) -> None:
    """Register how systems are scored under a protocol; what was there before is replaced."""
    _scorings[protocol] = scoring


def scoring_of(project: Project) -> Scoring:
    """Return how the systems of a project are scored. Raises KeyError where they are not."""
    registration.PROTOCOLS.make()
    return _scorings[project.protocol]


def takes_readers(project: Project) -> bool:
    """Return whether a reader can answer questions from the answers of a project’s systems."""
    registration.PROTOCOLS.make()
    scoring = _scorings.get(project.protocol)
    return scoring is not None and scoring.readers
