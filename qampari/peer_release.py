"""The layouts of other annotation tools: accepted lists as Label Studio and doccano take them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.exports.arrangements import ARRAY, LINES
from annotation.exports.format import JSON_LINES
from annotation.exports.layouts import Counted, Layout, Record
from annotation.imports.peer_answers import DOCCANO, LABEL_STUDIO
from qampari.records import RecordAnswer, of_context
from qampari.release import Counts, ReleaseRow, read_question_chunks
from validation.release.peer_records import (
    CONFIG,
    LABELLED_COLUMNS,
    LABELLED_FIELDS,
    TASK_COLUMNS,
    TASK_FIELDS,
    build_config,
    build_labelled,
    build_labelled_row,
    build_task,
    build_task_row,
    count_answers,
)


@dataclass
class TaskCounts(Counts):
    """The counts of a release of tasks; `most_answers` of a question, for their interface."""

    most_answers: int = 0

    def add(self, row: ReleaseRow, record: Record | None) -> None:
        """Count a question, released or left out."""
        super().add(row, record)
        if record is not None:
            self.most_answers = max(self.most_answers, count_answers(record))


def build_tasks(rows: Iterable[ReleaseRow]) -> Iterator[Record]:
    """Give the task of each question: its accepted answers with aliases and evidence."""
    for row in rows:
        pairs = [_pair(answer) for answer in _accepted(row)]
        annotations = [{"type": "multipleQAs", "qaPairs": pairs}] if pairs else []
        yield build_task(row.external_id, row.text, row.split, annotations, evidence=True)


def build_labelled_records(rows: Iterable[ReleaseRow]) -> Iterator[Record]:
    """Give the record of each question, with the names of its accepted answers."""
    for row in rows:
        names = [answer.text for answer in _accepted(row)]
        yield build_labelled(row.external_id, row.text, row.split, names)


def _accepted(row: ReleaseRow) -> list[RecordAnswer]:
    answers = of_context(row.external_id, row.text, row.context).answers
    return [answer for place, answer in enumerate(answers) if place in row.kept]


def _pair(answer: RecordAnswer) -> dict[str, Any]:
    quotes = [{"text": each.text, "url": each.url, "pid": each.pid} for each in answer.proofs]
    return {
        "question": "",
        "answer": list(answer.forms),
        "quotes": quotes,
        "aid": answer.aid,
        "answer_url": answer.url,
    }


def _describe_interface(counts: Counted) -> dict[str, bytes]:
    assert isinstance(counts, TaskCounts)
    return {CONFIG: build_config(counts.most_answers, evidence=True)}


LABEL_STUDIO_TASKS = Layout(
    key=LABEL_STUDIO,
    label="Label Studio tasks",
    hint="Questions with their accepted answers, aliases and evidence as tasks, and the interface "
    "that shows them",
    fields=TASK_FIELDS,
    questions=read_question_chunks,
    records=build_tasks,
    arrangement=ARRAY,
    counts=TaskCounts,
    companions=_describe_interface,
    card="qampari/label_studio_card.md",
    columns=TASK_COLUMNS,
    row=build_task_row,
)
DOCCANO_RECORDS = Layout(
    key=DOCCANO,
    label="doccano JSONL",
    hint="A line for each question with the names of its accepted answers as labels",
    fields=LABELLED_FIELDS,
    questions=read_question_chunks,
    records=build_labelled_records,
    arrangement=LINES,
    counts=Counts,
    card="qampari/doccano_card.md",
    columns=LABELLED_COLUMNS,
    row=build_labelled_row,
    content_type=JSON_LINES,
)
