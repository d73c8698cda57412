"""The study that a project could have now: what the page of a new study begins with."""

from dataclasses import dataclass

from annotation.models import Project, Split
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.studies import services
from evaluation.studies.models import Study
from evaluation.studies.overview import Answerer, AnswersThereAre
from evaluation.studies.pool import read_eligible_questions
from evaluation.studies.raters import raters_of
from evaluation.systems.models import System

MOST_PROPOSED = 100
"""More questions only tell differences of a few points, at a price: somebody chooses that."""
_MOST_RATERS = 3
_MOST_IN_ALL_PAIRS = 3
"""With more systems, each is in one pair per question: all pairs would be six and more."""


@dataclass(frozen=True)
class Proposal:
    """A design that is not saved, and its systems."""

    study: Study
    systems: list[System]


def propose_study(project: Project, there_are: AnswersThereAre) -> Proposal:
    """Return a study of what the project has. Four or five queries.

    Of the split with most answers, the systems that answer most of its questions; as many questions
    as all of them have answered; the people who hold the role.
    """
    split = max(Split.values, key=lambda name: (_count_second(there_are, name), name == Split.DEV))
    systems = _choose_systems(there_are.list_answering(split))
    study = Study(
        project=project,
        title=services.name_next_study(project),
        seed=services.new_seed(),
        split=split,
        criteria=list(services.CRITERIA),
        pairing=_choose_pairing(project, len(systems)),
        shown=_choose_shown(project),
        reference=next((row for row in systems if row.kind == System.Kind.HUMAN), None),
    )
    questions = read_eligible_questions(study, systems)
    if not questions:  # perhaps none has disambiguations to ask about
        study.accuracy = study.pairing == Study.Pairing.ALONE
        questions = read_eligible_questions(study, systems)
    study.size = min(len(questions), MOST_PROPOSED) or 1
    held = len(raters_of(project, study.stage, None).people)
    study.raters = min(held, _MOST_RATERS) or 1
    return Proposal(study, systems)


def _count_second(there_are: AnswersThereAre, split: str) -> tuple[int, int]:
    """Return how many questions the second most and the most answering system have answered."""
    counts = sorted((row.answers for row in there_are.answerers[split]), reverse=True)
    most, second, *_ = (*counts, 0, 0)
    return second, most


def _choose_systems(answering: list[Answerer]) -> list[System]:
    """Choose all that have answered as much as the second best: those that answer every question,
    where two do.
    """
    counts = sorted((row.answers for row in answering), reverse=True)
    least = counts[1] if len(counts) > 1 else 0
    return [row.system for row in answering if row.answers >= least]


def _choose_shown(project: Project) -> str:
    """Choose how answers are shown: what is no prose, such as a list, needs its lines."""
    prose = protocols.protocol_of(project).has_feature(Feature.DISAMBIGUATIONS)
    return Study.Shown.LOWER if prose else Study.Shown.AS_IS


def _choose_pairing(project: Project, systems: int) -> str:
    alone = Study(pairing=Study.Pairing.ALONE)
    if systems < 2 and alone.stage in protocols.protocol_of(project).stages:
        return Study.Pairing.ALONE
    return Study.Pairing.ALL if systems <= _MOST_IN_ALL_PAIRS else Study.Pairing.MATCHING
