"""Natural Questions: one person finds the long and the short answer to a question on one page."""

from annotation.exports.skips import SKIPS
from annotation.models import Question
from annotation.projects.services import GUIDELINES
from annotation.protocols.registry import Feature, Protocol
from annotation.work.submissions_export import SUBMISSIONS
from evaluation.judging.stages import STUDIES
from evaluation.judgments.exports import JUDGMENTS
from modeling.judges.exports import MODEL_JUDGMENTS
from natural_questions import release
from natural_questions.answer_lines import list_answer_lines
from natural_questions.exams import EXAMS
from natural_questions.format import KEY
from natural_questions.import_adapter import PageImportAdapter
from natural_questions.report import build_report
from natural_questions.sheet import RULES
from natural_questions.stage import NaturalQuestions, list_credited_assignments

State = Question.State

NQ = Protocol(
    key="nq",
    label="Natural Questions",
    about="people find the long and the short answer to a question on one page.",
    stages=(NaturalQuestions.key, *STUDIES),
    measuring=frozenset(STUDIES),
    rules=RULES,
    guidelines=GUIDELINES / "nq.md",
    exams=EXAMS,
    feedback_tags={
        "good": "Good example",
        "smaller": "Choose a smaller box",
        "first": "Take the first box that answers",
        "shorter": "Select fewer words",
        "judge": "Judge the question, not its page",
    },
    imports=PageImportAdapter(KEY),
    exports=(SUBMISSIONS, SKIPS, JUDGMENTS, MODEL_JUDGMENTS),
    layouts=(release.SIMPLIFIED, release.ORIGINAL),
    report=build_report,
    credit=list_credited_assignments,
    answers=list_answer_lines,
    features=frozenset({Feature.SCORES, Feature.STUDIES, Feature.SUGGESTIONS}),
    # What no one validates is accepted as soon as it has its answers.
    unused_states=frozenset(
        {State.VALIDATING.value, State.AUTO_ACCEPTED.value, State.EDITED.value, State.FLAGGED.value}
    ),
)
