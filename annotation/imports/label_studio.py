"""Label Studio's export as JSON: one array of tasks, each with what was shown and what was written.

Its fields have the names that the project's labelling interface gives them:

- a text area named like an answer (“answer”, “answers”, “response”): each text is an answer;
- `answer_3` and `question_3`: the forms of the third answer, and the question that it answers;
- labels over a text: a span. Where an answer is among its words, it is a quote for that answer;
- choices and all else of the task's data are kept with the question under their own names.

What is not taken is counted (`not_taken`). The same tasks come from `validation.release.tasks`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.imports.answers import is_answers, list_answers
from annotation.imports.columns import ANSWERS, rank_columns
from annotation.imports.not_taken import CANCELLED, DRAFTS, EMPTY, PREDICTIONS, RESULTS, SPANS
from annotation.imports.peer_answers import (
    NUMBERED,
    SPANS_KEY,
    Quote,
    WrittenAnswer,
    build_annotation,
    find_question,
    find_supported,
    id_in,
    list_forms,
    split_in,
    strip_texts,
    texts_in,
    widen_to_sentences,
)
from annotation.imports.records import (
    QuestionRecord,
    context_of,
    describe_value,
    load_object,
    objects_of,
    question_of,
)

_WRITTEN = ("textarea", "choices", "taxonomy", "rating", "number", "datetime")
_SPANS = ("labels", "hypertextlabels", "paragraphlabels")


def is_like(record: Mapping[str, object]) -> bool:
    """Return whether a record is a task of which the question can be told."""
    data = record.get("data")
    tasks = isinstance(data, dict) and isinstance(record.get("annotations"), list)
    return tasks and bool(find_question(data))  # type: ignore[arg-type]


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one task. Raises ValueError with the sentence to show."""
    task = load_object(raw)
    data = task.get("data")
    if not isinstance(data, dict):
        raise ValueError(f"“data” should be an object, and is {describe_value(data)}.")
    asked = find_question(data)
    if not asked:
        names = ", ".join(f"“{name}”" for name in data) or "nothing"
        raise ValueError(
            f"None of its fields is known to hold the question. “data” has {names}. Import the "
            "file by its columns, and say which one it is."
        )
    known = [name for name in rank_columns(data, ANSWERS) if is_answers(data[name])]
    split = split_in(data)
    reader = _TaskReader(data)
    annotations = list(reader.read_annotations(task))
    answers = [answer for name in known for answer in list_answers(data[name])]
    columns = [asked, "id", "question_id", "annotations", *known, *(["split"] if split else [])]
    kept = reader.chosen | context_of(data, *columns)
    if reader.spans:
        kept[SPANS_KEY] = reader.spans
    if annotations:
        kept["annotations"] = annotations
    return QuestionRecord(
        external_id=id_in(data, "question_id", "id") or _id_of(task),
        text=question_of(data, asked),
        split=split,
        known_answers=tuple(dict.fromkeys((*answers, *list_forms(annotations)))),
        context=context_of(kept),
        not_taken=tuple(reader.not_taken),
    )


def _id_of(task: Mapping[str, object]) -> str:
    if found := id_in(task, "id"):
        return found
    raise ValueError("“id” is missing: the task has none, and neither has its data.")


class _TaskReader:
    """Reads the annotations of one task; what belongs to none of their answers is kept beside."""

    def __init__(self, data: Mapping[str, object]) -> None:
        self.data = data
        self.chosen: dict[str, object] = {}
        self.spans: list[dict[str, Any]] = []
        self.not_taken: list[str] = []

    def read_annotations(self, task: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """Give each annotation that has answers, in AmbigNQ's form."""
        for key, reason in (("predictions", PREDICTIONS), ("drafts", DRAFTS)):
            rows = task.get(key)
            self.not_taken += [reason] * (len(rows) if isinstance(rows, list) else 0)
        for annotation in objects_of(task, "annotations"):
            if annotation.get("was_cancelled"):
                self.not_taken.append(CANCELLED)
                continue
            answers = self._read_results(objects_of(annotation, "result"))
            if answers:
                yield build_annotation(answers)
            else:
                self.not_taken.append(EMPTY)

    def _read_results(self, results: Sequence[Mapping[str, Any]]) -> list[WrittenAnswer]:
        apart: list[WrittenAnswer] = []
        numbered: dict[int, WrittenAnswer] = {}
        spans = []
        for result in results:
            name, value = str(result.get("from_name", "")), result.get("value")
            kind = result.get("type")
            if kind in _SPANS and isinstance(value, dict):
                spans.append(result)
            elif kind not in _WRITTEN or not isinstance(value, dict):
                self.not_taken.append(RESULTS)
            elif kind == "textarea" and (match := NUMBERED.fullmatch(name)):
                answer = numbered.setdefault(int(match[2]), WrittenAnswer([]))
                _fill(answer, match[1], texts_in(value.get("text"), name), result)
            elif kind == "textarea" and rank_columns([name], ANSWERS):
                texts = strip_texts(texts_in(value.get("text"), name))
                apart += [WrittenAnswer([text]) for text in texts]
            else:
                self._keep_chosen(name, str(kind), value)
        answers = [numbered[number] for number in sorted(numbered)]
        by_name = {f"answer_{number}": numbered[number] for number in numbered}
        self.not_taken += [RESULTS for answer in answers if not answer.forms]
        found = [answer for answer in (*answers, *apart) if answer.forms]
        for result in spans:
            self._take_span(result, found, by_name)
        return found

    def _keep_chosen(self, name: str, kind: str, value: Mapping[str, Any]) -> None:
        """Keep what was chosen or written beside the answers under its name."""
        if kind == "textarea":
            self.not_taken.append(RESULTS)
        texts = value.get("text") if kind == "textarea" else value.get(kind)
        rows = texts if isinstance(texts, list) else [texts]
        key = f"{name} (annotated)" if name in self.data else name
        before = self.chosen.setdefault(key, [])
        assert isinstance(before, list)
        before.extend(row for row in rows if row is not None)

    def _take_span(
        self,
        result: Mapping[str, Any],
        answers: Sequence[WrittenAnswer],
        by_name: Mapping[str, WrittenAnswer],
    ) -> None:
        """Give a span to the answers that it supports; keep it beside them where it does not."""
        value: Mapping[str, Any] = result["value"]
        meta = result.get("meta")
        meta = meta if isinstance(meta, dict) else {}
        words, sentence = self._find_words(value)
        named = by_name.get(str(meta.get("answer")))
        supported = [named] if named else find_supported(answers, words)
        if not words or not supported:
            labels = value.get(str(result.get("type")), value.get("labels"))
            self.spans.append(
                {key: value[key] for key in ("start", "end", "text") if key in value}
                | {"name": result.get("from_name"), "labels": labels}
            )
            self.not_taken.append(SPANS)
            return
        url, pid = (meta[key] if isinstance(meta.get(key), str) else "" for key in ("url", "pid"))
        quote = Quote(words if named else sentence, url, pid)
        for answer in supported:
            if quote not in answer.quotes:
                answer.quotes.append(quote)

    def _find_words(self, value: Mapping[str, Any]) -> tuple[str, str]:
        """Return the words of a span, and the sentences that hold them where their text is here.

        Label Studio counts in UTF-16, as browsers do, and an end is one past the last character.
        """
        words, start, end = value.get("text"), value.get("start"), value.get("end")
        words = words if isinstance(words, str) else ""
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end):
            return words, words
        for text in self.data.values():
            if not isinstance(text, str):
                continue
            at = code_point_at(text, start)
            to = code_point_at(text, end)
            if words and text[at:to] == words:
                return words, widen_to_sentences(text, at, to)
        return words, words


def _fill(answer: WrittenAnswer, what: str, texts: list[str], result: Mapping[str, Any]) -> None:
    if what == "question":
        answer.question = "|".join(texts)
        return
    answer.forms = list(dict.fromkeys((*answer.forms, *texts)))
    meta = result.get("meta")
    if isinstance(meta, dict):
        answer.aid = meta["aid"] if isinstance(meta.get("aid"), str) else ""
        answer.url = meta["url"] if isinstance(meta.get("url"), str) else ""


def code_point_at(text: str, unit: int) -> int:
    """Return the place of a character, counted in code points, from its place in UTF-16."""
    if text.isascii():
        return unit
    return len(text.encode("utf-16-le")[: 2 * unit].decode("utf-16-le", "ignore"))
