"""What the columns of a file become: the proposal made from their names, and records read by it.

A column is a column of a table, or a key of the objects of a JSON file.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unicodedata import normalize

import orjson

from annotation.imports.answers import is_answers, list_answers
from annotation.imports.records import (
    SPLITS,
    QuestionRecord,
    context_of,
    describe_value,
    id_of,
    load_object,
    question_of,
)

QUESTION, ID, ANSWERS, SPLIT, PAGE = "question", "id", "answers", "split", "page"
KEEP, LEAVE_OUT = "keep", "leave"
USES: Mapping[str, str] = {
    QUESTION: "Question",
    ID: "Id",
    ANSWERS: "Answers",
    SPLIT: "Split",
    PAGE: "Wikipedia page",
    KEEP: "Keep with the question",
    LEAVE_OUT: "Leave out",
}
_ONCE = (QUESTION, ID, SPLIT, PAGE)
MOST_COLUMNS = 200
LARGE = 20_000  # characters; a larger value is proposed to be left out

# Names of columns as they are found, without case, blanks and signs; the likeliest first.
_NAMES: Mapping[str, Sequence[str]] = {
    QUESTION: (
        *("question", "questiontext", "ambiguousquestion", "prompt", "query", "questions"),
        *("frage", "fragetext", "pregunta", "domanda", "vraag", "pergunta", "text", "q"),
    ),
    ID: ("id", "qid", "questionid", "exampleid", "sampleid", "uid", "key", "ref", "nr", "number"),
    ANSWERS: (
        *("answers", "answer", "shortanswers", "shortanswer", "knownanswers", "nqanswer"),
        *("goldanswers", "goldanswer", "gold", "correctanswers", "correctanswer", "answerlist"),
        *("answertext", "aliases", "alias", "answeraliases", "label", "labels", "target"),
        *("targets", "reference", "references", "antwort", "antworten", "respuesta", "risposta"),
    ),
    SPLIT: ("split", "set", "subset", "fold", "partition"),
    PAGE: ("page", "wikipage", "wikipediapage", "title", "pagetitle", "article", "documenttitle"),
}
_SPLIT_BEGINNINGS: Mapping[str, tuple[str, ...]] = {
    "train": ("train", "trn"),
    "dev": ("dev", "val", "eval"),
    "test": ("test", "tst"),
}


@dataclass(frozen=True)
class ColumnMapping:
    """What becomes of each column: a key of USES. Columns that are not named are kept.

    `separator`: what stands between the answers in a cell, "" where a text is one answer. `splits`:
    the split for each value of the column of splits, beside those that `find_split` knows.
    """

    uses: Mapping[str, str]
    separator: str = ""
    splits: Mapping[str, str] = field(default_factory=dict)

    def find_column(self, use: str) -> str | None:
        """Return the column for a use, None where there is none."""
        return next((column for column, its in self.uses.items() if its == use), None)

    def check_uses(self) -> None:
        """Raise ValueError, with the sentence to show, where no file could be read by it."""
        if unknown := next((use for use in self.uses.values() if use not in USES), None):
            raise ValueError(f"“{unknown}” is not one of {', '.join(USES)}.")
        if len(self.uses) > MOST_COLUMNS:
            raise ValueError(f"The file has more than {MOST_COLUMNS} columns.")
        if self.find_column(QUESTION) is None:
            raise ValueError("Say which column holds the question.")
        for use in _ONCE:
            columns = [column for column, its in self.uses.items() if its == use]
            if len(columns) > 1:
                names = " and ".join(f"“{column}”" for column in columns[:2])
                raise ValueError(f"{names} are both used as {USES[use].lower()}. Choose one.")
        if wrong := next((name for name in self.splits.values() if name not in SPLITS), None):
            raise ValueError(f"“{wrong}” is not a split. It should be train, dev or test.")

    def as_json(self) -> dict[str, Any]:
        """Return what `mapping_from_json` reads."""
        return {
            "uses": dict(self.uses),
            "separator": self.separator,
            "splits": dict(self.splits),
        }


def mapping_from_json(data: object) -> ColumnMapping:
    """Return the mapping in JSON from outside. Raises ValueError with the sentence to show."""
    if not isinstance(data, dict):
        raise ValueError("A mapping is an object with “uses”, “separator” and “splits”.")
    uses, splits = _texts_in(data, "uses"), _texts_in(data, "splits")
    mapping = ColumnMapping(uses, _separator_in(data), splits)
    mapping.check_uses()
    return mapping


def _texts_in(data: Mapping[str, Any], key: str) -> dict[str, str]:
    texts = data.get(key, {})
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"“{key}” should be an object that holds text.")
    return texts


def changes_from_json(data: object) -> dict[str, Any]:
    """Return the changes to a mapping in JSON from outside: any of its keys.

    Raises ValueError with the sentence to show.
    """
    if not isinstance(data, dict) or data.keys() - {"uses", "separator", "splits"}:
        raise ValueError("A mapping is an object with “uses”, “separator” and “splits”.")
    changes: dict[str, Any] = {key: _texts_in(data, key) for key in ("uses", "splits")}
    return changes | {key: _separator_in(data) for key in ("separator",) if key in data}


def _separator_in(data: Mapping[str, Any]) -> str:
    separator = data.get("separator", "")
    if not isinstance(separator, str) or len(separator) > 5:
        raise ValueError("“separator” should be text of at most 5 characters.")
    return separator


class FileColumn(NamedTuple):
    """A column as the head of the file shows it: its first values and what is to be noted."""

    name: str
    values: tuple[str, ...]
    note: str
    proposed: str


# --- the proposal ---------------------------------------------------------------------------------


def propose_mapping(
    names: Sequence[str], sample: Sequence[Mapping[str, object]], separator: str = ""
) -> ColumnMapping:
    """Return what the columns probably become, by their names and the values in the sample."""
    uses = dict.fromkeys(names, KEEP)
    for use in (QUESTION, ID, SPLIT, PAGE):
        likely = rank_columns(names, use)
        column = next((name for name in likely if _fits(name, use, uses, sample)), None)
        if column is None and use == QUESTION:
            column = _find_asked(names, uses, sample)
        if column is not None:
            uses[column] = use
    for name in rank_columns(names, ANSWERS):
        if _fits(name, ANSWERS, uses, sample):
            uses[name] = ANSWERS
    for name in names:
        if uses[name] == KEEP and any(_is_large(record.get(name)) for record in sample):
            uses[name] = LEAVE_OUT
    return ColumnMapping(uses, separator, _propose_splits(uses, sample))


def plain_name(name: str) -> str:
    """Return a name without case, blanks and signs."""
    return "".join(character for character in name.casefold() if character.isalnum())


def is_known_name(name: str) -> bool:
    """Return whether a column of this name says what it holds."""
    return any(plain_name(name) in known for known in _NAMES.values())


def rank_columns(names: Iterable[str], use: str) -> list[str]:
    """Return the columns whose names say that they are for a use, the likeliest first."""
    known = _NAMES[use]
    likely = (name for name in names if plain_name(name) in known)
    return sorted(likely, key=lambda name: known.index(plain_name(name)))


def _fits(
    name: str, use: str, uses: Mapping[str, str], sample: Sequence[Mapping[str, object]]
) -> bool:
    """Return whether the values of a column that is free can be used so."""
    if uses[name] != KEEP:
        return False
    values = [record[name] for record in sample if record.get(name) not in (None, "")]
    if use == ANSWERS:
        return all(is_answers(value) for value in values)
    if use == ID:
        texts = [str(value) for value in values if isinstance(value, str | int)]
        return len(set(texts)) == len(values)
    if use == SPLIT:
        return all(isinstance(value, str) for value in values) and len(set(map(str, values))) <= 20
    return all(isinstance(value, str) for value in values)


def _find_asked(
    names: Sequence[str], uses: Mapping[str, str], sample: Sequence[Mapping[str, object]]
) -> str | None:
    """Return the column in which most values end with a question mark."""

    def count_marks(name: str) -> int:
        return sum(str(record.get(name, "")).rstrip().endswith("?") for record in sample)

    free = [name for name in names if uses[name] == KEEP]
    best = max(free, key=count_marks, default=None)
    if best is not None and 2 * count_marks(best) > len(sample):
        return best
    return free[0] if len(names) == 1 and free else None


def _is_large(value: object) -> bool:
    text = value if isinstance(value, str) else orjson.dumps(value)
    return len(text) > LARGE


def _propose_splits(
    uses: Mapping[str, str], sample: Sequence[Mapping[str, object]]
) -> dict[str, str]:
    column = next((name for name, use in uses.items() if use == SPLIT), None)
    if column is None:
        return {}
    values = dict.fromkeys(str(record[column]) for record in sample if record.get(column))
    known = {value: find_split(value) for value in values if value not in SPLITS}
    return {value: split for value, split in known.items() if split is not None}


def find_split(value: str) -> str | None:
    """Return the split that a word such as “Training” or “eval” means, None where none is known."""
    word = value.strip().casefold()
    return next(
        (split for split, begins in _SPLIT_BEGINNINGS.items() if word.startswith(begins)), None
    )


def describe_columns(
    names: Sequence[str], sample: Sequence[Mapping[str, object]], mapping: ColumnMapping
) -> tuple[FileColumn, ...]:
    """Return the columns as they are shown to the person who chooses."""
    return tuple(_describe_column(name, sample, mapping) for name in names)


def _describe_column(
    name: str, sample: Sequence[Mapping[str, object]], mapping: ColumnMapping
) -> FileColumn:
    values = [record[name] for record in sample if record.get(name) not in (None, "", [])]
    use = mapping.uses.get(name, KEEP)
    note = ""
    if use in (QUESTION, ID) and len(values) < len(sample):
        note = f"{len(sample) - len(values):,} of the first {len(sample):,} are empty"
    elif use == ID:
        same = len(values) - len({str(value) for value in values})
        note = f"{same:,} occur twice" if same else "all different"
    elif use == QUESTION:
        note = "none empty"
    elif use == KEEP:
        note = "not shown to people"
    first = dict.fromkeys(show_value(value) for value in values[:20])
    return FileColumn(name, tuple(first)[:3], note, use)


def show_value(value: object) -> str:
    """Return a value as a short line of text."""
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    text = " ".join(text.split())
    text = "".join(each if each.isprintable() else "\ufffd" for each in text[:81])
    return text if len(text) <= 80 else f"{text[:79]}…"


# --- reading --------------------------------------------------------------------------------------


def made_id(text: str) -> str:
    """Return "q-" and the first 16 hex digits of the SHA-256 of the text in Unicode's form NFC."""
    return f"q-{hashlib.sha256(normalize('NFC', text.strip()).encode()).hexdigest()[:16]}"


def read_mapped(raw: bytes, mapping: ColumnMapping) -> QuestionRecord:
    """Read one record by what its columns become. Raises ValueError with the sentence to show."""
    data = _load_fields(raw, mapping)
    column = mapping.find_column(QUESTION) or QUESTION
    text = question_of(data, column).strip()
    answers: list[str] = []
    kept: dict[str, object] = {}
    page: object = None
    for name, value in data.items():
        use = mapping.uses.get(name, KEEP)
        if value in (None, "") or use in (QUESTION, ID, SPLIT, LEAVE_OUT):
            continue
        if use == ANSWERS:
            answers += _named(name, list_answers, value, mapping.separator)
        elif use == PAGE:
            page = value
        elif name == "context" and isinstance(value, dict):
            kept |= value
        else:
            kept[name] = value
    return QuestionRecord(
        external_id=_id_of(data, mapping.find_column(ID)) or made_id(text),
        text=text,
        split=_split_of(data, mapping),
        known_answers=tuple(dict.fromkeys(answers)),
        context=context_of(kept if page is None else kept | {"page": page}),
    )


def _load_fields(raw: bytes, mapping: ColumnMapping) -> dict[str, object]:
    """Return the object in the bytes; a text alone stands for its only column."""
    if raw[:1] != b'"':
        return load_object(raw)
    [text] = load_object(b'{"":' + raw + b"}").values()
    return {mapping.find_column(QUESTION) or QUESTION: text}


def _named(name: str, read: Any, *args: Any) -> Any:
    try:
        return read(*args)
    except ValueError as error:
        raise ValueError(f"“{name}”: {error}") from None


def _id_of(data: Mapping[str, object], column: str | None) -> str:
    value = data.get(column) if column is not None else None
    if column is None or value is None or value == "":
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return id_of(data, column)


def _split_of(data: Mapping[str, object], mapping: ColumnMapping) -> str | None:
    column = mapping.find_column(SPLIT)
    value = data.get(column) if column is not None else None
    if value in (None, ""):
        return None
    text = str(value)
    split = mapping.splits.get(text) or find_split(text)
    if split is None:
        raise ValueError(
            f"“{column}” is {describe_value(value)}. It should be train, dev or test, or be mapped "
            "to one of them."
        )
    return split
