"""AmbigQA: people find every plausible answer to a question, validators compare the answers."""

from annotation.exports.skips import SKIPS
from annotation.generation import annotations_export as annotations
from annotation.generation import export as ambignq
from annotation.generation.checks import RULES
from annotation.generation.stage import Generation
from annotation.imports.peer_answers import PEERS
from annotation.models import Question
from annotation.projects.services import GUIDELINES
from annotation.protocols.registry import Feature, Protocol
from annotation.qualifications.exams import Judging, Writing
from annotation.qualifications.items import JUDGING, WRITING
from annotation.reading.export import PAGES_READ
from evaluation.judging.stages import STUDIES
from evaluation.judgments.exports import JUDGMENTS, KIT
from modeling.judges.exports import MODEL_JUDGMENTS
from validation.agreement.project_report import report_answers
from validation.audits.matches import list_matched_assignments
from validation.audits.values import Auditing
from validation.outcomes.credits import count_accepted_pairs, list_credited_assignments
from validation.release import peers, records
from validation.release.evidence import EVIDENCE
from validation.release.import_adapter import AmbigNQImportAdapter
from validation.release.nq_open import NQ_OPEN
from validation.release.validations_export import VALIDATIONS
from validation.turns.stage import Validating

AMBIGQA = Protocol(
    key="ambigqa",
    label="AmbigQA",
    about="people find every plausible answer to a question.",
    stages=(Generation.key, Validating.key, Auditing.key, *STUDIES),
    rules=RULES,
    guidelines=GUIDELINES / "ambigqa.md",
    exams={WRITING: Writing(), JUDGING: Judging()},
    feedback_tags={
        "good": "Good example",
        "more_answers": "There are more answers",
        "read_on": "Read the page to the end",
        "closer": "Stay closer to the prompt",
        "exact": "Say exactly what differs",
        "forms": "Give more forms of the answer",
    },
    imports=AmbigNQImportAdapter("nq-open", "ambignq", *PEERS, "jsonl", "table"),
    exports=(
        *(ambignq.LIGHT, ambignq.FULL, annotations.RAW, annotations.RAW_LIGHT),
        *(SKIPS, PAGES_READ, VALIDATIONS, JUDGMENTS, KIT, MODEL_JUDGMENTS),
    ),
    layouts=(
        *(records.LIGHT, records.FULL, EVIDENCE, NQ_OPEN),
        *(peers.LABEL_STUDIO_TASKS, peers.DOCCANO_RECORDS),
    ),
    report=report_answers,
    measuring=frozenset({Auditing.key, *STUDIES}),
    credit=list_credited_assignments,
    credit_pairs=count_accepted_pairs,
    credit_matches=list_matched_assignments,
    features=frozenset(
        {
            *(Feature.AUDITS, Feature.DISAMBIGUATIONS, Feature.DISPUTES, Feature.EXCLUSION),
            *(Feature.NO_ANSWER, Feature.PAIRS, Feature.SCORES, Feature.STUDIES),
            *(Feature.SUGGESTIONS, Feature.WARNINGS),
        }
    ),
    unused_states=frozenset({Question.State.FLAGGED.value}),
)
