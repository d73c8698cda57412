"""Files of other data sets and tools: how they are told, and their records made flat.

What is flat then goes through the columns (annotation.imports.columns) like any other file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from annotation.imports.records import objects_of, text_or_null_of

Record = Mapping[str, object]


class Release(NamedTuple):
    """A kind of file: `is_like` tells one of its records, `flatten` makes its questions.

    `separator`: what it writes between the answers in a cell.
    """

    key: str
    label: str
    is_like: Callable[[Record], bool]
    flatten: Callable[[Record], Iterator[Record]] | None = None
    separator: str = ""


def _has(*keys: str) -> Callable[[Record], bool]:
    return lambda record: all(key in record for key in keys)


def _flatten_squad(article: Record) -> Iterator[Record]:
    """Give each question with its paragraph as “context”, and the texts of its answers."""
    title = text_or_null_of(article, "title")
    for paragraph in objects_of(article, "paragraphs"):
        for asked in objects_of(paragraph, "qas"):
            record = {**asked, "context": paragraph.get("context")}
            yield record if title is None else record | {"title": title}


def _flatten_task(task: Record) -> Iterator[Record]:
    """Give what a task of Label Studio shows, and what people wrote or chose, by its field."""
    data = task.get("data")
    if not isinstance(data, dict):
        raise ValueError("“data” should be an object.")
    written: dict[str, list[object]] = {}
    for annotation in objects_of(task, "annotations"):
        if annotation.get("was_cancelled"):
            continue
        for result in objects_of(annotation, "result"):
            value = result.get("value")
            name = result.get("from_name")
            if not isinstance(value, dict) or not isinstance(name, str):
                continue
            texts = value.get("text") if result.get("type") == "textarea" else None
            texts = value.get("choices") if texts is None else texts
            if isinstance(texts, list):
                written.setdefault(name, []).extend(texts)
    free = {name: texts for name, texts in written.items() if name not in data}
    yield {"id": task.get("id"), **data, **free}


RELEASES: Sequence[Release] = (
    Release("squad", "SQuAD", _has("paragraphs"), _flatten_squad),
    Release("hotpotqa", "HotpotQA", _has("question", "answer", "supporting_facts", "context")),
    Release("triviaqa", "TriviaQA", _has("Question", "QuestionId", "Answer")),
    Release(
        "label-studio",
        "Label Studio export",
        _has("data", "annotations"),
        _flatten_task,
    ),
    Release("label-studio-flat", "Label Studio export", _has("annotation_id", "annotator", "id")),
    Release("doccano", "doccano export", _has("text", "label", "Comments"), separator="#"),
    Release("doccano-labels", "doccano export", _has("text", "labels", "meta"), separator="#"),
)


def find_release(records: Sequence[Record]) -> Release | None:
    """Return the kind of file that all of these records are of, None where it is not known."""
    if not records:
        return None
    return next((each for each in RELEASES if all(map(each.is_like, records))), None)


def get_release(key: str) -> Release | None:
    """Return a kind of file by its key, None where there is none."""
    return next((each for each in RELEASES if each.key == key), None)
