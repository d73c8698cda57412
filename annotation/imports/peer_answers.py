"""What other annotation tools hold of a question, in the form that protocols take.

An export of Label Studio or doccano becomes annotations in AmbigNQ's form under the key
`annotations` of a record's context. Beside what that form has, a pair or a single answer may have
"quotes" (each a "text" with "url" and "pid"), "aid" and "answer_url". Several answers that nobody
asked apart are pairs whose question is "".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from annotation.imports.columns import QUESTION, find_split, rank_columns
from annotation.imports.records import MAX_ID, describe_value
from metrics.sentences import Rules
from metrics.text import comparison_form

LABEL_STUDIO, DOCCANO = "label-studio", "doccano"
PEERS = (LABEL_STUDIO, DOCCANO)
"""The keys of the formats of other tools."""
NUMBERED = re.compile(r"(answer|question)_([1-9][0-9]{0,3})")
"""Names of fields that belong together: the forms of the third answer, and its question."""
SPANS_KEY = "spans"
"""The key of a record's context under which spans are kept that are no evidence."""


class Quote(NamedTuple):
    """Words that show an answer, with the address and the id of where they were found."""

    text: str
    url: str = ""
    pid: str = ""


@dataclass(slots=True)
class WrittenAnswer:
    """One answer of an annotation: its forms, the name first, and what belongs to it."""

    forms: list[str]
    question: str = ""
    quotes: list[Quote] = field(default_factory=list)
    aid: str = ""
    url: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return all but the question, as an annotation has it."""
        found: dict[str, Any] = {"answer": self.forms}
        if self.quotes:
            found["quotes"] = [quote._asdict() for quote in self.quotes]
        return found | {
            key: value for key, value in (("aid", self.aid), ("answer_url", self.url)) if value
        }


def build_annotation(answers: Sequence[WrittenAnswer]) -> dict[str, Any]:
    """Return an annotation of at least one answer in AmbigNQ's form."""
    if len(answers) == 1 and not answers[0].question:
        return {"type": "singleAnswer", **answers[0].as_json()}
    pairs = [{"question": answer.question, **answer.as_json()} for answer in answers]
    return {"type": "multipleQAs", "qaPairs": pairs}


def answers_in(annotation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of an annotation that was built here, each with its forms as "answer"."""
    pairs = annotation.get("qaPairs")
    return pairs if isinstance(pairs, list) else [dict(annotation)]


def list_forms(annotations: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return every form of every answer, each once."""
    pairs = (pair for annotation in annotations for pair in answers_in(annotation))
    return tuple(dict.fromkeys(form for pair in pairs for form in pair["answer"]))


def count_quotes(annotations: Iterable[Mapping[str, Any]]) -> int:
    """Return how many quotes support answers of these annotations."""
    pairs = (pair for annotation in annotations for pair in answers_in(annotation))
    return sum(len(pair.get("quotes", ())) for pair in pairs)


def find_supported(answers: Sequence[WrittenAnswer], words: str) -> list[WrittenAnswer]:
    """Return the answers of which some form is among these words, as whole words."""
    said = f" {comparison_form(words)} "

    def is_said(answer: WrittenAnswer) -> bool:
        return any(f" {comparison_form(form)} " in said for form in answer.forms if form.strip())

    return [answer for answer in answers if is_said(answer)]


def find_question(data: Mapping[str, object]) -> str:
    """Return the name of the field that holds the question, "" where none is known.

    It is named like one, or it is the only text that ends with a question mark.
    """
    texts = {name: value for name, value in data.items() if isinstance(value, str) and value}
    if named := rank_columns(texts, QUESTION):
        return named[0]
    asked = [name for name, text in texts.items() if text.rstrip().endswith("?")]
    return asked[0] if len(asked) == 1 else ""


def widen_to_sentences(text: str, start: int, end: int) -> str:
    """Return the sentences of a text that hold its characters from `start` to `end`.

    The words alone would show nothing: a quote has to say that the answer is one. No sentence
    goes over the end of a line.
    """
    first = start
    for begin, stop in _cut_sentences(text):
        if begin <= start < stop:
            first = begin
        if begin < end <= stop:
            return text[first:stop]
    return text[start:end]


def _cut_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Give where each sentence begins and ends, blanks around it left out."""
    for line in re.finditer(r"[^\n]+", text):
        begin = line.start()
        for sentence in Rules().split_sentences(line.group()):
            begin = text.index(sentence, begin)
            yield begin, begin + len(sentence)
            begin += len(sentence)


def id_in(data: Mapping[str, object], *names: str) -> str:
    """Return the first id under these names, text or a whole number; "" where there is none."""
    for name in names:
        value = data.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise ValueError(
                f"“{name}” should be text or a number, and is {describe_value(value)}."
            )
        if len(value) > MAX_ID or not value.isprintable() or not value.strip():
            raise ValueError(f"“{name}” cannot be an id: it is {describe_value(value)}.")
        return value
    return ""


def split_in(data: Mapping[str, object]) -> str | None:
    """Return the split that the field “split” names, None where it names none."""
    value = data.get("split")
    return find_split(value) if isinstance(value, str) else None


def texts_in(value: object, where: str) -> list[str]:
    """Return the texts of a list. Raises ValueError where it holds something else."""
    if not isinstance(value, list):
        raise ValueError(f"“{where}” should be a list, and is {describe_value(value)}.")
    for text in value:
        if not isinstance(text, str):
            raise ValueError(f"“{where}” should hold texts, and holds {describe_value(text)}.")
        if "\0" in text:
            raise ValueError(f"“{where}” holds a NUL character. Remove it.")
    return value


def strip_texts(texts: Iterable[str]) -> list[str]:
    """Return texts as people wrote them in a tool: each once, blanks and empty ones left out."""
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))
