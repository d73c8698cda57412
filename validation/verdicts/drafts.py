"""Drafts of validation: the form as a client sends it, and what only the server knows.

A draft takes what would be refused from a page or a client, so that what was once saved opens.
"""

from collections.abc import Mapping, Sequence

from annotation.generation.responses import Origin
from annotation.sheets.fields import Form, ListField, list_of, object_of
from annotation.sheets.many import Many
from annotation.text.cleaning import ResponseError, format_value
from validation.verdicts.form import REST, ROW
from validation.verdicts.presses import MAX_ROWS
from validation.verdicts.responses import AnswerRow, ValidationResponse

Rows = tuple[AnswerRow, ...]


class StoredRows(Many[AnswerRow]):
    """Rows of a draft, as many as there are."""

    def check_rows(self, rows: Sequence[object]) -> None:
        pass

    def from_json(self, row: Mapping[str, object], name: str, where: str) -> Rows:
        rows = [_renew_row(each) for each in list_of(row.get(name, self.empty), name)]
        return super().from_json({name: rows}, name, where)


def _renew_row(row: object) -> object:
    """Return a row in the shape it has now: once it had "phrasings", and members by name."""
    if not isinstance(row, Mapping) or "phrasings" not in row:
        return row
    members = [object_of(each, "A member") for each in list_of(row.get("members"), "members")]
    places = [[each.get("annotation"), each.get("pair")] for each in members]
    return {**row, "questions": row["phrasings"], "members": places}


def _read_id(value: object) -> int:
    if not isinstance(value, int):
        raise ResponseError(f"{format_value(value)} is not an annotation.")
    return value


def _read_step(value: object) -> Rows:
    return _ROWS.from_json({"rows": value}, "rows", "")


_ROWS = StoredRows(
    AnswerRow,
    "answer",
    "Answer",
    MAX_ROWS,
    {**ROW, "shared": ListField(), "suggestion": Origin()},
)
DRAFT = Form(
    ValidationResponse,
    {
        "covers": ListField(_read_id),
        "rows": _ROWS,
        **REST,
        "past": ListField(_read_step, write_one=_ROWS.value_to_json),
    },
)
