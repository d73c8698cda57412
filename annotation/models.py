"""The models of annotation, one module for each group of related ones."""

from annotation.consent.models import Background, Consent, ConsentText
from annotation.contexts.models import ContextParagraph, ContextSearch
from annotation.core.models.audit import AuditEntry
from annotation.core.models.changes import ReplacedSubmission, SubmissionChange
from annotation.core.models.jobs import Job
from annotation.core.models.people import Invitation, Membership, Role
from annotation.core.models.projects import Guideline, Project, StagePolicy
from annotation.core.models.qualifications import Qualification
from annotation.core.models.questions import Priority, Question, Split
from annotation.core.models.submissions import Submission
from annotation.core.models.work import Assignment, Event, Task
from annotation.faq.models import FaqEntry
from annotation.figures.models import StoredFigures
from annotation.generation.models import Annotation, Answer, KeptWarning, QAPair
from annotation.golds.models import GoldFlag, GoldItem, GoldPlan, GoldVerdict
from annotation.imports.models import RememberedColumns
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.models import Knowledge, LongAnswer, Override
from annotation.pay.models import PayEntry
from annotation.qualifications.models import (
    Part,
    QualificationAnswer,
    QualificationAttempt,
    QualificationItem,
    Qualified,
    WalkThrough,
)
from annotation.questions.models import SavedView
from annotation.suggestions.models import Suggestion, SuggestionUse
from annotation.threads.models import Message, Thread
from annotation.webhooks.models import Delivery, Webhook

__all__ = [
    "Annotation",
    "Answer",
    "Assignment",
    "AuditEntry",
    "Background",
    "Concern",
    "Consent",
    "ConsentText",
    "ContextParagraph",
    "ContextSearch",
    "Delivery",
    "Event",
    "FaqEntry",
    "GoldFlag",
    "GoldItem",
    "GoldPlan",
    "GoldVerdict",
    "Guideline",
    "Invitation",
    "Job",
    "KeptWarning",
    "Knowledge",
    "LongAnswer",
    "Membership",
    "Message",
    "Override",
    "Part",
    "PayEntry",
    "Priority",
    "Project",
    "QAPair",
    "Qualification",
    "QualificationAnswer",
    "QualificationAttempt",
    "QualificationItem",
    "Qualified",
    "Question",
    "RememberedColumns",
    "ReplacedSubmission",
    "Role",
    "SavedView",
    "Split",
    "StagePolicy",
    "StoredFigures",
    "Submission",
    "SubmissionChange",
    "Suggestion",
    "SuggestionUse",
    "Task",
    "Thread",
    "WalkThrough",
    "Webhook",
]
