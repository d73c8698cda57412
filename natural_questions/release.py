"""The layouts of releases: lines of records with accepted annotations, in either form."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from annotation.exports.arrangements import LINES
from annotation.exports.format import JSON_LINES
from annotation.exports.layouts import SPLITS, Column, Counted, Layout, Record, by_number
from annotation.models import Project
from natural_questions import pages, records
from natural_questions.annotation import PageSpan, Path
from natural_questions.answers import LEFT_OUT, ReleasedQuestion, read_question_chunks
from natural_questions.records import Form

AT_ONCE = 10  # a record has up to 20 MB
_SPAN = "`start_token` and `end_token` (not part of it)"
_COMMON = (
    ("example_id", "the question's id"),
    ("question_text", "the question, as it was asked"),
    ("document_url", "the address of the page"),
    ("long_answer_candidates", f"the boxes of the page: {_SPAN}, and `top_level`"),
    (
        "annotations",
        "one for each person: `annotation_id`; `long_answer` with its span and its "
        "`candidate_index`, -1 for none; `short_answers`, each a span; and `yes_no_answer`",
    ),
)
FIELDS: Mapping[Form, tuple[tuple[str, str], ...]] = {
    "simplified": (*_COMMON, ("document_text", "the tokens of the page, with blanks between them")),
    "original": (
        *_COMMON,
        ("document_html", "the page; bytes of spans are those of its UTF-8"),
        ("document_title", "the title of the page"),
        ("document_tokens", "its tokens: `token`, `html_token`, `start_byte`, `end_byte`"),
        ("question_tokens", "the words of the question"),
    ),
}
COLUMNS = (
    Column("id", "the question's id"),
    Column("question", "the question, as it was asked"),
    Column("url", "the address of the page"),
    Column(
        "annotations",
        "one for each person",
        parts=(
            Column("annotation_id", "its id"),
            Column("long_answer", "the words of the box, or null"),
            Column("short_answers", "the words of each short answer", lists=1),
            Column("yes_no_answer", "YES, NO or NONE"),
        ),
    ),
)


@dataclass
class PageCounts(Counted):
    """Counts of questions, annotations and the ways they took."""

    def add(self, question: ReleasedQuestion, record: Record | None) -> None:
        """Count a question, released or left out."""
        if record is None:
            self.left_out[question.left_out] += 1
            return
        self.questions[question.split] += 1
        self.annotations[question.split] += len(question.annotations)
        self.standing[len(question.annotations)] += 1
        whole = question.imported == len(question.annotations)
        self.sources["import" if whole else "annotators"] += 1
        for annotation in question.annotations:
            self.sources[annotation.path] += 1
        self.work_of(question.guidelines, None if whole else question.newest)

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""
        return {
            "questions": self.total,
            "by_split": {
                split: {
                    "questions": self.questions[split],
                    "annotations": self.annotations[split],
                }
                for split in SPLITS
            },
            "annotations": self.annotations.total(),
            "annotations_per_question": by_number(self.standing),
            "annotations_by_path": {path.value: self.sources[path] for path in Path},
            "annotated_by": {who: self.sources[who] for who in ("annotators", "import")},
        }

    def left_out_json(self) -> dict[str, object]:
        """Return the questions left out by reason."""
        return {"questions": {reason: self.left_out[reason] for reason in LEFT_OUT}}


def read_few_questions(project: Project, split: str | None) -> Generator[list[ReleasedQuestion]]:
    """Give every question of the split (None: all), few at a time. Only within a snapshot."""
    return read_question_chunks(project, split, size=AT_ONCE)


def build_records(questions: Sequence[ReleasedQuestion], form: Form) -> Iterator[Record]:
    """Give the records of some questions in a form, each with its page. One query."""
    kept = pages.pages_of(question.pk for question in questions)
    for question in questions:
        page = kept.pop(question.pk)
        data = records.complete_record(page.record, question.external_id, question.text)
        yield records.build_record(data, question.annotations, form)


def build_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for `COLUMNS`."""
    tokens = records.token_texts(record)

    def words(span: Mapping[str, int]) -> str:
        return records.text_at(tokens, PageSpan(span["start_token"], span["end_token"]))

    return {
        "id": external_id,
        "question": record["question_text"],
        "url": record["document_url"],
        "annotations": [
            {
                "annotation_id": str(each["annotation_id"]),
                "long_answer": words(each["long_answer"]) or None,
                "short_answers": [words(span) for span in each["short_answers"]],
                "yes_no_answer": each["yes_no_answer"],
            }
            for each in record["annotations"]
        ],
    }


def _layout(form: Form, label: str, hint: str) -> Layout:
    return Layout(
        key=f"nq-{form}",
        label=label,
        hint=hint,
        fields=FIELDS[form],
        questions=read_few_questions,
        records=partial(build_records, form=form),
        arrangement=LINES,
        encode=records.encode_record,
        counts=PageCounts,
        card="natural_questions/card.md",
        columns=COLUMNS,
        row=build_row,
        content_type=JSON_LINES,
    )


SIMPLIFIED = _layout(
    "simplified",
    "Natural Questions, simplified",
    "A line for each question: the page as tokens, its boxes, and every accepted annotation",
)
ORIGINAL = _layout(
    "original",
    "Natural Questions, original",
    "The same with the page’s HTML, and every span in bytes, too",
)
