"""What a page shows of a record, whichever layout it is released in. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.exports.layouts import Layout

Record = Mapping[str, Any]
Answer = tuple[str, tuple[str, ...]]
"""The question of an answer, "" for the question itself, and the forms of the answer."""


@dataclass(frozen=True, slots=True)
class ShownRecord:
    """A released question as a page shows it. Answers are there once, whichever annotation has
    them; is_multiple: whether every annotation has several answers; texts: long answers.
    """

    question: str
    answers: tuple[Answer, ...]
    is_multiple: bool
    texts: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Everything that a search looks in."""
        answers = [text for question, forms in self.answers for text in (question, *forms)]
        return "\n".join(filter(None, [self.question, *answers, *self.texts]))


def find_reader(layout: Layout) -> Callable[[Record], ShownRecord] | None:
    """Return what reads the records of a layout; None where a page cannot show them.

    Layouts are told by the names of their columns, and annotations by those of their parts: tasks
    of another tool have annotations of their own.
    """
    reader = _READERS.get(tuple(column.name for column in layout.columns))
    parts = [part.name for column in layout.columns for part in column.parts]
    return None if reader is _read_annotations and "type" not in parts else reader


def _read_annotations(record: Record) -> ShownRecord:
    annotations = record["annotations"]
    several = bool(annotations) and all("qaPairs" in row for row in annotations)
    return ShownRecord(record["question"], _keep_once(_list_pairs(annotations)), several)


def _list_pairs(annotations: Sequence[Record]) -> Iterator[tuple[str, Sequence[str]]]:
    for annotation in annotations:
        if "qaPairs" in annotation:
            for pair in annotation["qaPairs"]:
                yield pair["question"], pair["answer"]
        else:
            yield "", annotation["answer"]


def _read_long_answers(record: Record) -> ShownRecord:
    pairs = _keep_once((pair["question"], pair["short_answers"]) for pair in record["qa_pairs"])
    texts = tuple(annotation["long_answer"] for annotation in record["annotations"])
    return ShownRecord(record["ambiguous_question"], pairs, len(pairs) > 1, texts)


def _read_list(record: Record) -> ShownRecord:
    answers = _keep_once(
        ("", [row["answer_text"], *row.get("aliases", [])]) for row in record["answer_list"]
    )
    return ShownRecord(record["question_text"], answers, len(answers) > 1)


def _read_forms(record: Record) -> ShownRecord:
    answers = _keep_once(("", forms) for forms in record["answers"])
    return ShownRecord(record["question"], answers, len(answers) > 1)


def _keep_once(answers: Iterable[tuple[str, Sequence[str]]]) -> tuple[Answer, ...]:
    return tuple(
        dict.fromkeys((question, tuple(dict.fromkeys(forms))) for question, forms in answers)
    )


_LIGHT = ("id", "question", "annotations")
_READERS: Mapping[tuple[str, ...], Callable[[Record], ShownRecord]] = {
    _LIGHT: _read_annotations,
    (*_LIGHT, "viewed_doc_titles", "used_queries", "nq_answer", "nq_doc_title"): _read_annotations,
    ("id", "ambiguous_question", "qa_pairs", "wikipages", "annotations"): _read_long_answers,
    ("qid", "question_text", "answer_list"): _read_list,
    ("id", "question", "answers", "answer"): _read_forms,
}
