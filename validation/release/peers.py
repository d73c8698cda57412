"""The layouts of other annotation tools: accepted answers as Label Studio and doccano take them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.exports.arrangements import ARRAY, LINES
from annotation.exports.format import JSON_LINES
from annotation.exports.layouts import Counted, Layout, Record
from annotation.imports.peer_answers import DOCCANO, LABEL_STUDIO, list_forms
from validation.decisions.accepted_answers import DecidedQuestion, read_question_chunks
from validation.release.counts import Counts
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
from validation.release.records import build_light_records


@dataclass
class TaskCounts(Counts):
    """The counts of a release of tasks; `most_answers` in one annotation, for their interface."""

    most_answers: int = 0

    def add(self, question: DecidedQuestion, record: Mapping[str, Any] | None) -> None:
        """Count a question, released or left out."""
        super().add(question, record)
        if record is not None:
            self.most_answers = max(self.most_answers, count_answers(record))


def build_tasks(questions: Sequence[DecidedQuestion]) -> Iterator[Record]:
    """Give the task of each question."""
    for question, light in zip(questions, build_light_records(questions), strict=True):
        yield build_task(light["id"], light["question"], question.split, light["annotations"])


def build_labelled_records(questions: Sequence[DecidedQuestion]) -> Iterator[Record]:
    """Give the record of each question, with every accepted form of its answers."""
    for question, light in zip(questions, build_light_records(questions), strict=True):
        forms = list_forms(light["annotations"])
        yield build_labelled(light["id"], light["question"], question.split, forms)


def _describe_interface(counts: Counted) -> dict[str, bytes]:
    assert isinstance(counts, TaskCounts)
    return {CONFIG: build_config(counts.most_answers, evidence=False)}


LABEL_STUDIO_TASKS = Layout(
    key=LABEL_STUDIO,
    label="Label Studio tasks",
    hint="Questions with their accepted answers as tasks, and the interface that shows them",
    fields=TASK_FIELDS,
    questions=read_question_chunks,
    records=build_tasks,
    arrangement=ARRAY,
    counts=TaskCounts,
    companions=_describe_interface,
    card="validation/release/label_studio_card.md",
    columns=TASK_COLUMNS,
    row=build_task_row,
)
DOCCANO_RECORDS = Layout(
    key=DOCCANO,
    label="doccano JSONL",
    hint="A line for each question with all accepted forms of its answers as labels",
    fields=LABELLED_FIELDS,
    questions=read_question_chunks,
    records=build_labelled_records,
    arrangement=LINES,
    counts=Counts,
    card="validation/release/doccano_card.md",
    columns=LABELLED_COLUMNS,
    row=build_labelled_row,
    content_type=JSON_LINES,
)
