"""The models of evaluation."""

from evaluation.ambiguity.models import Ambiguity
from evaluation.consensus.models import Consensus
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
