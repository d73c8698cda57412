"""Accepted work as other annotation tools have it: Label Studio's tasks, doccano's records. Pure.

What is written here is read by `annotation.imports.label_studio` and `annotation.imports.doccano`:
questions with ids and splits, and in tasks each answer with its forms, its own question and its
quotes. doccano's records have room for one list of texts alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from annotation.exports.layouts import Column, Record
from annotation.imports.peer_answers import NUMBERED, answers_in
from validation.decisions.official import split_phrasings

_BETWEEN_QUOTES = "\n\n"
CONFIG = ".config.xml"
"""The ending of the labelling interface that goes with a file of tasks."""
TASK_FIELDS = (
    ("data", "`question_id`, `question` and `split`; where there is evidence, `context` with it"),
    (
        "annotations",
        "the accepted answers, one or several: text areas `answer_1` with every accepted form of "
        "the first answer and `question_1` with its question, and so on; spans `evidence` over "
        "the context",
    ),
)
TASK_COLUMNS = (
    Column("id", "the question's id"),
    Column("question", "the prompt question"),
    Column(
        "annotations",
        "the accepted answers",
        parts=(
            Column("questions", "the question of each answer, or nothing", lists=1),
            Column("answers", "the forms of each answer", lists=2),
        ),
    ),
)
LABELLED_FIELDS = (
    ("text", "the prompt question"),
    ("label", "its accepted answers"),
    ("question_id", "the question's id, as it was imported"),
    ("split", "train, dev or test"),
)
LABELLED_COLUMNS = (
    Column("question_id", "the question's id"),
    Column("text", "the prompt question"),
    Column("label", "its accepted answers", lists=1),
)


def build_task(
    external_id: str,
    question: str,
    split: str,
    annotations: Sequence[Mapping[str, Any]],
    *,
    evidence: bool = False,
) -> dict[str, Any]:
    """Return a task of Label Studio.

    annotations: in AmbigNQ's form; an answer may have "quotes", "aid" and "answer_url" besides
    (`annotation.imports.peer_answers`). evidence: whether the interface shows a context, so that
    every task needs one, be it empty.
    """
    context = _Context()
    results = [list(_build_results(annotation, context)) for annotation in annotations]
    data = {"question_id": external_id, "question": question, "split": split}
    if evidence or context.text:
        data["context"] = context.text
    return {
        "data": data,
        "annotations": [
            {"result": result, "was_cancelled": False, "ground_truth": True} for result in results
        ],
        "predictions": [],
    }


class _Context:
    """The quotes of a task as one text, each once, and where they are in it."""

    def __init__(self) -> None:
        self.text = ""
        self._places: dict[str, tuple[int, int]] = {}

    def find_place(self, quote: str) -> tuple[int, int]:
        """Return where a quote begins and ends, in UTF-16 as Label Studio counts."""
        if quote not in self._places:
            self.text += (_BETWEEN_QUOTES if self.text else "") + quote
            end = _count_units(self.text)
            self._places[quote] = (end - _count_units(quote), end)
        return self._places[quote]


def _count_units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _build_results(annotation: Mapping[str, Any], context: _Context) -> Iterator[dict[str, Any]]:
    for number, answer in enumerate(answers_in(annotation), start=1):
        name = f"answer_{number}"
        known = {"aid": answer.get("aid"), "url": answer.get("answer_url")}
        yield _write(name, answer["answer"], {key: text for key, text in known.items() if text})
        if answer.get("question"):
            yield _write(f"question_{number}", split_phrasings(answer["question"]), {})
        for place, quote in enumerate(answer.get("quotes", ()), start=1):
            if quote["text"]:
                yield _mark(name, place, quote, *context.find_place(quote["text"]))


def _write(name: str, texts: Sequence[str], meta: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": name,
        "from_name": name,
        "to_name": "question",
        "type": "textarea",
        "value": {"text": list(texts)},
        **({"meta": dict(meta)} if meta else {}),
    }


def _mark(
    answer: str, number: int, quote: Mapping[str, str], start: int, end: int
) -> dict[str, Any]:
    meta = {"answer": answer} | {key: quote[key] for key in ("url", "pid") if quote[key]}
    return {
        "id": f"{answer}-{number}",
        "from_name": "evidence",
        "to_name": "context",
        "type": "labels",
        "value": {"start": start, "end": end, "text": quote["text"], "labels": ["Evidence"]},
        "meta": meta,
    }


def count_answers(task: Record) -> int:
    """Return the largest number of answers in an annotation of a task."""
    return max((len(_numbered(each)["answer"]) for each in task["annotations"]), default=0)


def _numbered(annotation: Mapping[str, Any]) -> dict[str, dict[int, list[str]]]:
    """Return the texts of an annotation by what they are and by their number."""
    found: dict[str, dict[int, list[str]]] = {"answer": {}, "question": {}}
    for result in annotation["result"]:
        if match := NUMBERED.fullmatch(result["from_name"]):
            found[match[1]][int(match[2])] = result["value"]["text"]
    return found


def build_task_row(external_id: str, task: Record) -> dict[str, Any]:
    """Return a task's values for `TASK_COLUMNS`."""
    annotations = []
    for annotation in task["annotations"]:
        found = _numbered(annotation)
        questions = ("|".join(found["question"].get(number, [])) for number in found["answer"])
        annotations.append(
            {"questions": list(questions), "answers": list(found["answer"].values())}
        )
    return {"id": external_id, "question": task["data"]["question"], "annotations": annotations}


def build_config(most_answers: int, *, evidence: bool) -> bytes:
    """Return the labelling interface that shows these tasks, with a place for each answer.

    evidence: whether the tasks have a context with spans.
    """
    view = ElementTree.Element("View")
    ElementTree.SubElement(view, "Text", name="question", value="$question")
    for number in range(1, max(most_answers, 1) + 1):
        for what in ("answer", "question"):
            ElementTree.SubElement(
                view,
                "TextArea",
                name=f"{what}_{number}",
                toName="question",
                editable="true",
                placeholder=f"{what.capitalize()} {number}",
            )
    if evidence:
        labels = ElementTree.SubElement(view, "Labels", name="evidence", toName="context")
        ElementTree.SubElement(labels, "Label", value="Evidence")
        ElementTree.SubElement(view, "Text", name="context", value="$context")
    ElementTree.indent(view)
    written: bytes = ElementTree.tostring(view, encoding="utf-8")
    return written + b"\n"


def build_labelled(
    external_id: str, question: str, split: str, answers: Iterable[str]
) -> dict[str, Any]:
    """Return a record of doccano, for sequence to sequence."""
    labels = list(dict.fromkeys(answers))
    return {"text": question, "label": labels, "question_id": external_id, "split": split}


def build_labelled_row(external_id: str, record: Record) -> dict[str, Any]:
    """Return a record's values for `LABELLED_COLUMNS`."""
    return {column.name: record[column.name] for column in LABELLED_COLUMNS}
