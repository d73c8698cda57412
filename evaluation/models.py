"""The models of evaluation."""

from evaluation.ambiguity.models import Ambiguity
from evaluation.studies.models import Consensus, Item, Judgment, Results, Study
from evaluation.systems.models import Output, ReaderAnswers, System

__all__ = [
    "Ambiguity",
    "Consensus",
    "Item",
    "Judgment",
    "Output",
    "ReaderAnswers",
    "Results",
    "Study",
    "System",
]
