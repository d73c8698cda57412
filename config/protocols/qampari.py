"""QAMPARI: people check every answer of questions with many answers."""

from django.db.models import Q

from annotation.exports.skips import SKIPS
from annotation.imports.peer_answers import PEERS
from annotation.models import Question
from annotation.projects.services import GUIDELINES
from annotation.protocols.registry import Feature, Protocol, WaitingQuestions
from annotation.work.submissions_export import SUBMISSIONS
from evaluation.judging.expert import EXPERT
from evaluation.judging.stages import Comparison
from evaluation.judgments.exports import JUDGMENTS
from modeling.judges.exports import MODEL_JUDGMENTS
from qampari import peer_release, release
from qampari.answer_lines import list_answer_lines
from qampari.exams import EXAMS
from qampari.extended_set import EXTENDED_SET
from qampari.import_adapter import ListImportAdapter
from qampari.report import build_report
from qampari.stages.check import Checking
from qampari.stages.extend import EXTEND
from qampari.stages.paraphrase import Paraphrasing
from qampari.stages.team import TeamChecking
from qampari.stages.verify import Verifying

State = Question.State
# No judging of one answer alone: it asks about disambiguations.
STUDIES = (Comparison.key, EXPERT)
# The stages, in the order of the work. Each is in a module of `qampari.stages`.
STAGES: tuple[str, ...] = (
    *(Checking.key, TeamChecking.key),
    *(Paraphrasing.key, Verifying.key, EXTEND),
    *STUDIES,
)

QAMPARI = Protocol(
    key="qampari",
    label="QAMPARI",
    about="people check every answer of a question with many, with its evidence.",
    stages=STAGES,
    measuring=frozenset(STUDIES),
    rules=Checking.sheet.rules,
    guidelines=GUIDELINES / "qampari.md",
    exams=EXAMS,
    feedback_tags={
        "good": "Good example",
        "evidence_only": "Judge by the evidence alone",
        "read_question": "Read the question again",
    },
    imports=ListImportAdapter("qampari", "qampari-readers", *PEERS),
    exports=(SUBMISSIONS, EXTENDED_SET, SKIPS, JUDGMENTS, MODEL_JUDGMENTS),
    layouts=(
        *(release.OFFICIAL, release.READERS),
        *(peer_release.LABEL_STUDIO_TASKS, peer_release.DOCCANO_RECORDS),
    ),
    report=build_report,
    credit=release.list_credited_assignments,
    answers=list_answer_lines,
    features=frozenset({Feature.SCORES, Feature.STUDIES, Feature.SUGGESTIONS}),
    unused_states=frozenset({State.FLAGGED.value, State.AUTO_ACCEPTED.value, State.EDITED.value}),
    aside=WaitingQuestions("In the reserve", Q(list__reserve=True)),
)
