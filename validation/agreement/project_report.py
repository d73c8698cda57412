"""The report of a project: the figures of its protocol."""

from collections.abc import Sequence
from contextlib import closing

from annotation.contexts.inputs import given_context
from annotation.core.consistent_view import snapshot
from annotation.core.models.questions import display_form
from annotation.models import Project
from annotation.protocols import registry as protocols
from metrics import asqa
from validation.agreement import long_answer_figures as figures
from validation.agreement import reporting
from validation.agreement.facts import read_facts
from validation.agreement.long_answer_figures import WrittenAnswers
from validation.agreement.reporting import (
    AgreementReport,
    FigureGroup,
    FigureSection,
    LabelledFigure,
)
from validation.decisions.accepted_long_answers import LongAnsweredQuestion, read_question_chunks
from validation.release.asqa import record_of

_SECTIONS: Sequence[FigureSection[Sequence[WrittenAnswers]]] = (
    FigureSection(
        "agreement",
        "Writers against each other",
        "2 long answers to 1 accepted question",
        {
            "rouge_lsum": ("ROUGE-L of two long answers", "score"),
            "rouge_l": ("ROUGE-L, each text as one sequence", "score"),
        },
        figures.score_writers,
    ),
    FigureSection(
        "answers",
        "Long answers",
        "1 accepted question",
        {
            "words": ("Words", "mean"),
            "knowledge": ("Pieces of knowledge", "mean"),
            "found": ("Short answers found in the text, as STR-EM counts", "share"),
            "overrides": ("Short answers marked as said in other words", "share"),
        },
        figures.measure_long_answers,
        counted="long answer",
    ),
    FigureSection(
        "attributability",
        "Attributability",
        "1 accepted question",
        {
            "with_disambiguations": ("Words that the evidence has", "share"),
            "without_disambiguations": ("The same without the disambiguations", "share"),
            "support_length": ("Words of the evidence", "mean"),
            "support_length_without_disambiguations": (
                "The same without the disambiguations",
                "mean",
            ),
        },
        figures.score_attributability,
        counted="long answer",
    ),
)


def report_project(project: Project, split: str | None) -> AgreementReport:
    """Return every figure of a project, or of one split of it."""
    report: AgreementReport = protocols.protocol_of(project).report(project, split)
    return report


def report_answers(project: Project, split: str | None) -> AgreementReport:
    """Return the figures of a project of short answers."""
    return reporting.build_report(*read_facts(project, split))


def report_long_answers(project: Project, split: str | None) -> AgreementReport:
    """Return the figures of a project of long answers."""
    return build_long_answer_report(read_written_answers(project, split), split)


def read_written_answers(project: Project, split: str | None) -> list[WrittenAnswers]:
    """Return the questions of a release for the scorer. At most four queries per chunk."""
    with snapshot(), closing(read_question_chunks(project, split)) as chunks:
        return [_written(question) for some in chunks for question in some if not question.left_out]


def build_long_answer_report(rows: list[WrittenAnswers], split: str | None) -> AgreementReport:
    """Put the figures of long answers into groups."""
    counts = FigureGroup(
        "counts", "Accepted questions", "1 accepted question", _counts(rows, split)
    )
    groups = (*(section.group(rows) for section in _SECTIONS), counts)
    return AgreementReport(groups=groups, generators=(), validators=())


def _counts(rows: list[WrittenAnswers], split: str | None) -> tuple[LabelledFigure, ...]:
    figures_shown = []
    for part, (questions, answers) in figures.count_by_split(rows).items():
        if split in (None, part):
            figures_shown += [
                LabelledFigure(
                    f"counts.{part}.{name}", f"{label} in {part}", "count", value, n=questions
                )
                for name, label, value in (
                    ("questions", "Questions", questions),
                    ("annotations", "Long answers", answers),
                )
            ]
    return tuple(figures_shown)


def _written(question: LongAnsweredQuestion) -> WrittenAnswers:
    record = record_of(question)
    pairs = []
    for pair in record["qa_pairs"]:
        given = given_context(pair)
        pairs.append(
            asqa.AsqaPair(pair["question"], pair["short_answers"], given.text if given else "")
        )
    annotations = [
        asqa.AsqaAnnotation(answer.text, [content for content, _ in answer.knowledge if content])
        for answer in question.answers
    ]
    return WrittenAnswers(
        question=question.external_id,
        split=question.split,
        scored=asqa.Question(pairs, annotations),
        overrides=[answer.overrides for answer in question.answers],
        prompt=display_form(question.text),
    )
