"""The models of evaluation."""

from evaluation.benchmark.models import (
    Benchmark,
    BenchmarkEntry,
    BenchmarkTeam,
    ReleasedQuestion,
    TeamSeat,
)
from evaluation.consensus.models import Consensus
from evaluation.labelling.models import (
    Labelling,
    LabelReader,
    LabelSample,
    LabelScheme,
    SampledItem,
)
from evaluation.studies.models import DeletedDraft, Item, Judgment, Study
from evaluation.systems.models import Output, ReaderAnswers, System

__all__ = [
    "Benchmark",
    "BenchmarkEntry",
    "BenchmarkTeam",
    "Consensus",
    "DeletedDraft",
    "Item",
    "Judgment",
    "LabelReader",
    "LabelSample",
    "LabelScheme",
    "Labelling",
    "Output",
    "ReaderAnswers",
    "ReleasedQuestion",
    "SampledItem",
    "Study",
    "System",
    "TeamSeat",
]
