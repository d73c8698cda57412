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
from validation.agreement.facts import facts_of
from validation.agreement.long_answer_figures import Written
from validation.agreement.reporting import Group, Report, Section, Shown
from validation.decisions.accepted_long_answers import LongAnsweredQuestion, read_question_chunks
from validation.release.asqa import record_of

_SECTIONS: Sequence[Section[Sequence[Written]]] = (
    Section(
        "agreement",
        "Writers against each other",
        "2 long answers to 1 accepted question",
        {
            "rouge_lsum": ("ROUGE-L of two long answers", "score"),
            "rouge_l": ("ROUGE-L, each text as one sequence", "score"),
        },
        figures.between_writers,
    ),
    Section(
        "answers",
        "Long answers",
        "1 accepted question",
        {
            "words": ("Words", "mean"),
            "knowledge": ("Pieces of knowledge", "mean"),
            "found": ("Short answers found in the text, as STR-EM counts", "share"),
            "overrides": ("Short answers marked as said in other words", "share"),
        },
        figures.long_answers,
        counted="long answer",
    ),
    Section(
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
        figures.attributability,
        counted="long answer",
    ),
)


def report_of(project: Project, split: str | None) -> Report:
    """Return every figure of a project, or of one split of it."""
    report: Report = protocols.protocol_of(project).report(project, split)
    return report


def answers_report(project: Project, split: str | None) -> Report:
    """Return the figures of a project of short answers."""
    return reporting.report(*facts_of(project, split))


def long_answers_report(project: Project, split: str | None) -> Report:
    """Return the figures of a project of long answers."""
    return long_answer_report(written(project, split), split)


def written(project: Project, split: str | None) -> list[Written]:
    """Return the questions of a release for the scorer. At most four queries per chunk."""
    with snapshot(), closing(read_question_chunks(project, split)) as chunks:
        return [_written(question) for some in chunks for question in some if not question.left_out]


def long_answer_report(rows: list[Written], split: str | None) -> Report:
    """Put the figures of long answers into groups."""
    counts = Group("counts", "Accepted questions", "1 accepted question", _counts(rows, split))
    groups = (*(section.group(rows) for section in _SECTIONS), counts)
    return Report(groups=groups, generators=(), validators=())


def _counts(rows: list[Written], split: str | None) -> tuple[Shown, ...]:
    figures_shown = []
    for part, (questions, answers) in figures.counts(rows).items():
        if split in (None, part):
            figures_shown += [
                Shown(f"counts.{part}.{name}", f"{label} in {part}", "count", value, n=questions)
                for name, label, value in (
                    ("questions", "Questions", questions),
                    ("annotations", "Long answers", answers),
                )
            ]
    return tuple(figures_shown)


def _written(question: LongAnsweredQuestion) -> Written:
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
    return Written(
        question=question.external_id,
        split=question.split,
        scored=asqa.Question(pairs, annotations),
        overrides=[answer.overrides for answer in question.answers],
        prompt=display_form(question.text),
    )
