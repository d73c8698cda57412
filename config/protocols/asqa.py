"""ASQA: people write one long answer that covers every disambiguation of a question."""

from annotation.exports.skips import SKIPS
from annotation.imports.peer_answers import PEERS
from annotation.long_answers import export as long_answers
from annotation.long_answers.adapter import LongAnswerImportAdapter
from annotation.long_answers.checks import RULES
from annotation.long_answers.concerns.export import CONCERNS
from annotation.long_answers.stage import LongAnswering, list_credited_assignments
from annotation.models import Question
from annotation.projects.services import GUIDELINES
from annotation.protocols.registry import Feature, Protocol
from annotation.qualifications.exams import LongAnswers
from annotation.qualifications.items import LONG
from annotation.reading.export import PAGES_READ
from evaluation.judging.stages import STUDIES
from evaluation.judgments.exports import JUDGMENTS, KIT
from modeling.judges.exports import MODEL_JUDGMENTS
from validation.agreement.project_report import report_long_answers
from validation.release import asqa as release

State = Question.State

ASQA = Protocol(
    key="asqa",
    label="ASQA",
    about="people write one long answer that covers all its disambiguations, with evidence.",
    stages=(LongAnswering.key, *STUDIES),
    measuring=frozenset(STUDIES),
    rules=RULES,
    guidelines=GUIDELINES / "asqa.md",
    exams={LONG: LongAnswers()},
    feedback_tags={
        "good": "Good example",
        "why_several": "Explain why there are several answers",
        "name_every": "Name every answer",
        "a_list": "Reads like a list",
        "evidence": "Add evidence",
    },
    imports=LongAnswerImportAdapter("asqa", "ambignq", "nq-open", *PEERS, "jsonl", "table"),
    exports=(
        *(long_answers.RAW, long_answers.RAW_LIGHT, SKIPS, CONCERNS, PAGES_READ),
        *(JUDGMENTS, KIT, MODEL_JUDGMENTS),
    ),
    layouts=(release.ASQA,),
    report=report_long_answers,
    credit=list_credited_assignments,
    features=frozenset(
        {
            *(Feature.CONCERNS, Feature.CONTEXTS, Feature.DISAMBIGUATIONS, Feature.INPUTS),
            *(Feature.LONG, Feature.SCORES, Feature.STUDIES, Feature.SUGGESTIONS),
            Feature.WARNINGS,
        }
    ),
    # Long answers are not validated.
    unused_states=frozenset(
        {State.VALIDATING.value, State.AUTO_ACCEPTED.value, State.EDITED.value}
    ),
)
