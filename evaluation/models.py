"""The models of evaluation."""

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
    "SampledItem",
    "Study",
    "System",
]
