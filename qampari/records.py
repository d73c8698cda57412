"""QAMPARI's records: a question with many answers, each with its aliases and proofs. Pure.

Two forms are read. The official one, as released: JSON lines with "qid", "question_text" and
"answer_list", each answer with "answer_text", "aid", "answer_url", "aliases" and "proof" (each with
"proof_text", "found_in_url" and "pid"). The readers' one: one JSON array of records with "id",
"question" and "answers", a list of forms for each answer, the first of which is its name; there,
"answer" is the names in one sentence.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotation.imports.records import (
    QuestionRecord,
    context_of,
    describe_value,
    id_of,
    load_object,
    objects_of,
    question_of,
    text_of,
    text_or_null_of,
    texts_of,
)
from metrics.text import answer_key

OFFICIAL, READERS = "official", "readers"
LIST = "answer_list"
SIMPLE, INTERSECTION, COMPOSITION, OTHER = "simple", "intersection", "composition", "other"
KINDS: Mapping[str, str] = {
    SIMPLE: "Simple",
    INTERSECTION: "Intersection",
    COMPOSITION: "Composition",
    OTHER: "Other",
}
_KINDS = {SIMPLE: SIMPLE, INTERSECTION: INTERSECTION, COMPOSITION: COMPOSITION, "comp": COMPOSITION}
_SOURCES = {"wikidata": "Wikidata", "wikitables": "Wikipedia tables"}
_SPLITS = ("train", "dev", "test")
MOST_ANSWERS = 2_000
MOST_TEXT = 2_000

_ANSWER_KEYS = ("answer_text", "aid", "answer_url", "aliases", "proof")
_PROOF_KEYS = ("proof_text", "found_in_url", "pid")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Proof:
    """A text that shows that an answer is one, and where it was found."""

    text: str
    url: str = ""
    pid: str = ""


@dataclass(frozen=True, slots=True)
class RecordAnswer:
    """An answer with every other way to write it; `aid` and `url` are "" where there are none."""

    text: str
    aliases: tuple[str, ...] = ()
    aid: str = ""
    url: str = ""
    proofs: tuple[Proof, ...] = ()

    @property
    def forms(self) -> tuple[str, ...]:
        """Every way to write it, its name first."""
        return tuple(dict.fromkeys((self.text, *self.aliases)))


@dataclass(frozen=True, slots=True)
class Record:
    """A question with its answers; `kind` is a key of KINDS, `source` where it was made from."""

    qid: str
    text: str
    answers: tuple[RecordAnswer, ...]
    kind: str
    source: str
    form: str = OFFICIAL


def kind_of(qid: str) -> str:
    """Return the kind of question that an id such as "12__wikidata_comp__dev" names."""
    return _KINDS.get(_made(qid).partition("_")[2], OTHER)


def source_of(qid: str) -> str:
    """Return what the question was made from, "" if its id does not say."""
    return _SOURCES.get(_made(qid).partition("_")[0], "")


def split_of(qid: str) -> str | None:
    """Return the split that an id names, if it does."""
    parts = qid.split("__")
    return parts[2] if len(parts) > 2 and parts[2] in _SPLITS else None


def _made(qid: str) -> str:
    parts = qid.split("__")
    return parts[1] if len(parts) > 1 else ""


# --- reading --------------------------------------------------------------------------------------


def parse_record(raw: bytes) -> QuestionRecord:
    """Read one record of either form, for an import. Raises ValueError with the sentence to show.

    The context holds everything but the id and the question, exactly as it is in the file.
    """
    data = load_object(raw)
    record = record_of(data)
    names = ("qid", "question_text") if record.form == OFFICIAL else ("id", "question")
    return QuestionRecord(
        external_id=record.qid,
        text=record.text,
        split=split_of(record.qid),
        context=context_of(data, *names),
    )


def record_of(data: Mapping[str, object]) -> Record:
    """Return the record in an object of either form. Raises ValueError with the sentence to show"""
    if LIST in data or "qid" in data:
        qid, text = id_of(data, "qid"), question_of(data, "question_text")
    elif "answers" in data:
        qid, text = id_of(data), question_of(data)
    else:
        raise ValueError("“answer_list” is missing, the list of the question’s answers.")
    return of_context(qid, text, data)


def of_context(qid: str, text: str, context: Mapping[str, object]) -> Record:
    """Return the record of an imported question. Raises ValueError with the sentence to show."""
    form = OFFICIAL if LIST in context else READERS
    answers = _official(context) if form == OFFICIAL else _readers(context)
    if not answers:
        raise ValueError("It has no answers. A question needs at least one.")
    if len(answers) > MOST_ANSWERS:
        raise ValueError(f"It has {len(answers):,} answers. The maximum is {MOST_ANSWERS:,}.")
    return Record(qid, text, answers, kind_of(qid), source_of(qid), form)


def count_of(context: Mapping[str, object]) -> int:
    """Return how many answers an imported question came with."""
    answers = context.get(LIST, context.get("answers"))
    return len(answers) if isinstance(answers, list) else 0


def _official(data: Mapping[str, object]) -> tuple[RecordAnswer, ...]:
    rows = objects_of(data, LIST)
    return tuple(_numbered(f"Answer {n}", _answer, row) for n, row in enumerate(rows, start=1))


def _answer(row: Mapping[str, object]) -> RecordAnswer:
    proofs = objects_of(row, "proof") if row.get("proof") is not None else []
    return RecordAnswer(
        text=_short(text_of(row, "answer_text"), "answer_text"),
        aliases=texts_of(row, "aliases") if row.get("aliases") is not None else (),
        aid=text_or_null_of(row, "aid") or "",
        url=text_or_null_of(row, "answer_url") or "",
        proofs=tuple(_numbered(f"Proof {n}", _proof, each) for n, each in enumerate(proofs, 1)),
    )


def _proof(row: Mapping[str, object]) -> Proof:
    return Proof(
        text=text_of(row, "proof_text"),
        url=text_or_null_of(row, "found_in_url") or "",
        pid=text_or_null_of(row, "pid") or "",
    )


def _readers(data: Mapping[str, object]) -> tuple[RecordAnswer, ...]:
    rows = data.get("answers")
    if not isinstance(rows, list):
        raise ValueError(f"“answers” should be a list, and is {describe_value(rows)}.")
    return tuple(_numbered(f"Answer {n}", _forms, row) for n, row in enumerate(rows, start=1))


def _forms(row: object) -> RecordAnswer:
    forms = texts_of({"answers": row}, "answers")
    if not forms:
        raise ValueError("It has no form. Give at least its name.")
    return RecordAnswer(_short(forms[0], "answers"), forms[1:])


def _short(text: str, key: str) -> str:
    # The released files have answers without a single character.
    if len(text) > MOST_TEXT:
        raise ValueError(f"“{key}” has {len(text):,} characters. The maximum is {MOST_TEXT:,}.")
    return text


def _numbered(what: str, read: Callable[[Any], T], value: object) -> T:
    try:
        return read(value)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


# --- writing --------------------------------------------------------------------------------------


def official_of(
    qid: str, text: str, context: Mapping[str, Any], kept: Collection[int]
) -> dict[str, Any]:
    """Return the official record with the answers at these places.

    A record that came in this form keeps whatever else it had.
    """
    rest = {key: value for key, value in context.items() if key not in (LIST, "answers", "answer")}
    if LIST in context:
        rows = [_in_order(row) for n, row in enumerate(context[LIST]) if n in kept]
    else:
        rows = [_as_official(f"{qid}__{n}", row) for n, row in _kept(context["answers"], kept)]
    return {"qid": qid, "question_text": text, LIST: rows, **rest}


def readers_of(
    qid: str, text: str, context: Mapping[str, Any], kept: Collection[int]
) -> dict[str, Any]:
    """Return the readers' record with the answers at these places."""
    if LIST in context:
        answers = of_context(qid, text, context).answers
        rows = [_listed(answer) for _, answer in _kept(answers, kept)]
        rest: dict[str, Any] = {}
    else:
        rows = [row for _, row in _kept(context["answers"], kept)]
        rest = {key: value for key, value in context.items() if key not in ("answers", "answer")}
    names = f"{', '.join(row[0] for row in rows)}."
    return {"id": qid, "question": text, "answers": rows, "answer": names, **rest}


def _kept(rows: Sequence[T], kept: Collection[int]) -> list[tuple[int, T]]:
    return [(n, row) for n, row in enumerate(rows) if n in kept]


def _in_order(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with its keys in the order of the released files, which rows forget."""
    proofs = row.get("proof")
    if proofs:
        row = {**row, "proof": [_ordered(proof, _PROOF_KEYS) for proof in proofs]}
    return _ordered(row, _ANSWER_KEYS)


def _ordered(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {key: row[key] for key in keys if key in row} | dict(row)


def _listed(answer: RecordAnswer) -> list[str]:
    named = answer.aliases[:1] == (answer.text,)
    return list(answer.aliases) if named else list(answer.forms)


def _as_official(aid: str, forms: Sequence[str]) -> dict[str, Any]:
    return {"answer_text": forms[0], "aid": aid, "aliases": list(forms), "proof": []}


# --- the same answer ------------------------------------------------------------------------------


def count_distinct_answers(answers: Sequence[RecordAnswer]) -> int:
    """Return how many different answers there are: two that share a form are one, and one that
    says nothing is none.
    """
    groups: list[set[str]] = []
    for answer in answers:
        forms = {answer_key(form) for form in answer.forms} - {""}
        if not forms:
            continue
        apart = []
        for group in groups:
            if group & forms:
                forms |= group
            else:
                apart.append(group)
        groups = [*apart, forms]
    return len(groups)
