"""The models of validation."""

from validation.audits.models import AuditItem, AuditSample
from validation.claims.models import Ruling
from validation.decisions.models import (
    AcceptedAnnotation,
    AcceptedAnswer,
    AcceptedPair,
    AcceptedQuestion,
    Decision,
    ExcludedAnswer,
)
from validation.outcomes.models import SubmissionOutcome
from validation.verdicts.models import Validation, Verdict

__all__ = [
    "AcceptedAnnotation",
    "AcceptedAnswer",
    "AcceptedPair",
    "AcceptedQuestion",
    "AuditItem",
    "AuditSample",
    "Decision",
    "ExcludedAnswer",
    "Ruling",
    "SubmissionOutcome",
    "Validation",
    "Verdict",
]
