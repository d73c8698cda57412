"""Kept warnings: which rule, at which field, and why it does not apply."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.sheets.schemas import object_list_schema, text_schema
from annotation.text.cleaning import ResponseError, check_count, format_value, passage_of

MAX_KEEPS = 500
MAX_REASON = 1_000
_FIELD_ID = re.compile(r"[a-z][a-z0-9_-]{0,63}", re.ASCII)
_NAME = {"type": "string", "pattern": f"^{_FIELD_ID.pattern}$"}
KEEPS = object_list_schema(
    {"rule": _NAME, "field": _NAME, "reason": text_schema(MAX_REASON)}, MAX_KEEPS
)


@dataclass(frozen=True)
class Keep:
    """A warning that was read and kept: which rule, at which field, and why."""

    rule: str
    field: str
    reason: str


def keeps_from(rows: Iterable[tuple[object, object, object]]) -> tuple[Keep, ...]:
    """Return the last reason for each rule and field; an empty one removes the keep."""
    last: dict[tuple[str, str], Keep] = {}
    for rule, at, reason in rows:
        for name in (rule, at):
            if not (isinstance(name, str) and _FIELD_ID.fullmatch(name)):
                raise ResponseError(f"{format_value(name)} is not the name of a rule or a field.")
        key = (str(rule), str(at))
        last.pop(key, None)
        if words := passage_of(reason, MAX_REASON, "The reason for keeping it"):
            last[key] = Keep(*key, reason=words)
    check_count(len(last), MAX_KEEPS, "There are {count} kept warnings. The maximum is {most}.")
    return tuple(last.values())


def renumber_keeps(
    keeps: Iterable[Keep], names: Sequence[str], numbers: Mapping[int, int]
) -> tuple[Keep, ...]:
    """Give kept warnings the new numbers of their parts; drop those of deleted parts."""
    pattern = re.compile(rf"({'|'.join(names)})-(\d{{1,7}})", re.ASCII)
    following = []
    for keep in keeps:
        match = pattern.fullmatch(keep.field)
        if match and int(match[2]) not in numbers:
            continue
        at = f"{match[1]}-{numbers[int(match[2])]}" if match else keep.field
        following.append(replace(keep, field=at))
    return tuple(following)
