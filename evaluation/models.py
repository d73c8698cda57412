"""The models of evaluation."""

from evaluation.consensus.models import Consensus
from evaluation.labelling.models import Ambiguity
from evaluation.studies.models import DeletedDraft, Item, Judgment, Study
from evaluation.systems.models import Output, ReaderAnswers, System

__all__ = [
    "Ambiguity",
    "Consensus",
    "DeletedDraft",
    "Item",
    "Judgment",
    "Output",
    "ReaderAnswers",
    "Study",
    "System",
]
