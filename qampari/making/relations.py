"""Relations that are asked about, and their wording. Pure.

QAMPARI's section 2.1 (Q9) has a template for each of its relations. These are our own: a question,
a statement, and the parts from which questions of two relations are written, so that no finished
sentence has to be cut. The items that have a relation are the answers; its value is what is asked
about. `relations.json` holds those that come with Ambit, each read by a person.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from annotation.core.refusals import Conflict

SUBJECT, ANSWER = "{subject}", "{answer}"
# Facts that were ever true, or those that were true on the day of the snapshot.
ANY_TIME, ON_THE_DAY = "any", "day"
TIMES: Final[Mapping[str, str]] = {ANY_TIME: "Any time", ON_THE_DAY: "On the snapshot’s day"}
MOST_CHARACTERS: Final = 300

_SHIPPED: Final = Path(__file__).with_name("relations.json")
_SLOT: Final = re.compile(r"\{[^{}]*\}")
_ID: Final = {"P": re.compile(r"P[1-9]\d{0,5}"), "Q": re.compile(r"Q[1-9]\d{0,11}")}
# Which slots each text has, and how it ends.
_TEXTS: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "question": ((SUBJECT,), "?"),
    "phrase": ((SUBJECT,), ""),
    "statement": ((ANSWER, SUBJECT), "."),
    "noun": ((), ""),
    "values": ((), ""),
}


MOST_CUES: Final = 50
TEXT_NAMES: Final = tuple(_TEXTS)


class BadRelation(Conflict):
    """A relation cannot be asked about as it is worded. The message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRelation:
    """A property of Wikidata between answers of one type and what is asked about.

    property, type: numbers of the ids, as in P177 and Q12280; type is None where answers may be
    anything. noun: what the answers are, in the plural ("bridges"). phrase: what is said of them
    ("cross {subject}"). values: what its values are to the answers, in the plural ("architects").
    cues: beginnings of words; where no model judges it, a sentence that shows it has one of them.
    time: ANY_TIME or ON_THE_DAY.
    """

    property: int
    type: int | None
    noun: str
    question: str
    phrase: str
    statement: str
    values: str
    cues: tuple[str, ...] = ()
    time: str = ANY_TIME


def key_of_relation(relation: AskedRelation) -> str:
    """Return its ids: P177, or P177/Q12280."""
    return f"P{relation.property}" + (f"/Q{relation.type}" if relation.type else "")


def parse_relation_key(key: str) -> tuple[int, int | None]:
    """Return the numbers of P177 or P177/Q12280. Raises BadRelation where it is neither."""
    prop, separator, type_id = key.partition("/")
    return _read_id(prop, "P"), _read_id(type_id, "Q") if separator else None


def preview_question(relation: AskedRelation, name: str) -> str:
    """Return the question of a relation about something of this name."""
    return relation.question.replace(SUBJECT, name)


@cache
def list_shipped_relations() -> tuple[AskedRelation, ...]:
    """Return the relations that come with Ambit, in the order of the file."""
    return tuple(map(read_relation, json.loads(_SHIPPED.read_text(encoding="utf-8"))))


def read_relation(row: Mapping[str, Any], *, check: bool = True) -> AskedRelation:
    """Return the relation of an object with the names of the fields and ids as Wikidata has them.

    Raises BadRelation with a sentence that says what is wrong with which text; without `check` for
    what cannot be read alone, so that a caller can say it of each field.
    """
    known = {field.name for field in fields(AskedRelation)}
    if unknown := sorted(set(row) - known):
        raise BadRelation(
            f"A relation has no “{unknown[0][:40]}”. It has {', '.join(sorted(known))}."
        )
    texts = {name: str(row.get(name, "")).strip() for name in _TEXTS}
    relation = AskedRelation(
        property=_read_id(row.get("property"), "P"),
        type=None if row.get("type") is None else _read_id(row["type"], "Q"),
        time=str(row.get("time", ANY_TIME)),
        cues=_read_cues(row.get("cues", [])),
        **texts,
    )
    if check:
        check_wording(relation)
    return relation


def write_relation(relation: AskedRelation) -> dict[str, Any]:
    """Return the object that `read_relation` reads."""
    return {
        "property": f"P{relation.property}",
        "type": f"Q{relation.type}" if relation.type else None,
        **{name: getattr(relation, name) for name in _TEXTS},
        "cues": list(relation.cues),
        "time": relation.time,
    }


def check_wording(relation: AskedRelation) -> None:
    """Raise BadRelation where a text lacks a slot, has another, or is no sentence."""
    for sentence in find_wording_problems(relation).values():
        raise BadRelation(sentence)


def find_wording_problems(relation: AskedRelation) -> dict[str, str]:
    """Return what is wrong with the words of a relation: a sentence by name of the field."""
    about, problems = key_of_relation(relation), {}
    if relation.time not in TIMES:
        problems["time"] = f"The time of {about} is “{relation.time[:40]}”. Use any or day."
    for name, (slots, end) in _TEXTS.items():
        if problem := _find_problem(getattr(relation, name), slots, end):
            problems[name] = f"The {name} of {about} {problem}"
    return problems


def _find_problem(text: str, slots: tuple[str, ...], end: str) -> str:
    if not text:
        return "is empty."
    if len(text) > MOST_CHARACTERS:
        return f"is longer than {MOST_CHARACTERS} characters."
    if not text.isprintable() or "<" in text or ">" in text:
        return "has signs that belong in no sentence, such as < and >."
    for slot in slots:
        if text.count(slot) != 1:
            return f"needs {slot} once: “{text}”."
    if others := [slot for slot in _SLOT.findall(text) if slot not in slots]:
        return f"has {others[0]}, which stands for nothing there."
    if "{" in _SLOT.sub("", text) or "}" in _SLOT.sub("", text):
        return "has a brace that is not closed."
    if end and not text.endswith(end):
        return f"does not end with “{end}”: “{text}”."
    return ""


def is_cue(text: object) -> bool:
    """Return whether a text can be the beginning of a word that shows a relation."""
    return isinstance(text, str) and text.isalpha() and text.islower() and len(text) <= 40


def _read_cues(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > MOST_CUES or not all(map(is_cue, value)):
        raise BadRelation(
            f"The cues of a relation are a list of at most {MOST_CUES} small words, such as "
            "cross, over."
        )
    return tuple(value)


def _read_id(value: Any, letter: str) -> int:
    if not isinstance(value, str) or not _ID[letter].fullmatch(value):
        kind = "property" if letter == "P" else "type"
        raise BadRelation(f"“{str(value)[:40]}” is no {kind} of Wikidata, such as {letter}177.")
    return int(value[1:])
