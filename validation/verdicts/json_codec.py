"""A validator's response as JSON, for clients of the API.

    {
        "columns": ["1f0c…", "9a2e…"],
        "rows": [{
            "key": "r1", "members": [[0, 0], [1, 0]],
            "combined": false, "excluded": false, "why": "",
            "forms": [{"text": "1843", "origin": [0, 0, 0]}],
            "questions": [{"text": "When …?", "origin": [0, 0], "kept": true}]
        }],
        "verdicts": [true, null], "exclude_reason": "", "feedback": "", "keeps": []
    }

`members` are the places of column and pair, from 0; an origin adds the place of the form. What
comes back is turned into the fields of the form, so that one reader checks both.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.generation.responses import MAX_FEEDBACK
from annotation.sheets.answers import MAX_ANSWER, MAX_QUESTION
from annotation.sheets.fields import list_of, object_of
from annotation.sheets.keeps import KEEPS, MAX_REASON
from annotation.sheets.schemas import object_list_schema, object_with, text_schema
from annotation.text.cleaning import ResponseError, check_count, format_value
from validation.verdicts.post_parser import MAX_COLUMNS, MAX_TEXTS
from validation.verdicts.presses import MAX_ROWS
from validation.verdicts.responses import AnswerRow, ValidationResponse
from validation.verdicts.tokens import quote_token

if TYPE_CHECKING:
    from validation.verdicts.sheet import ValidationContext

_WORDS: Sequence[tuple[bool | None, str]] = ((True, "correct"), (False, "incorrect"), (None, ""))
_NULL = {"type": "null"}
_KEEP = ("rule", "field", "reason")


def annotations_as_json(given: "ValidationContext") -> list[dict[str, Any]]:
    """Return what each generator wrote, with the pages they read, the quotes behind their answers,
    and the warnings they kept. Quotes have names that hide their authors.
    """
    pages, quotes, kept = given.pages(), given.quotes(), given.kept()
    return [
        {
            "kind": contribution.kind,
            "pairs": [
                {
                    "question": pair.question,
                    "answers": list(pair.forms),
                    "quotes": [
                        {
                            "id": quote_token(given.assignment, quote.pk),
                            "exact": quote.exact,
                            "path": quote.page.path,
                            "title": quote.page.title,
                        }
                        for quote in quotes.get(pair.pk or 0, ())
                    ],
                }
                for pair in contribution.pairs
            ],
            "none_reason": contribution.none_reason,
            "pages": [{"path": page.path, "title": page.title} for page in read],
            "kept": [
                {"rule": reason.rule, "pair": reason.pair, "reason": reason.reason}
                for reason in kept.get(contribution.annotation, ())
            ],
        }
        for contribution, read in zip(given.said, pages, strict=True)
    ]


def build_response_schema() -> dict[str, Any]:
    """Return the JSON Schema of a response."""
    place = {"type": "integer", "minimum": 0}
    flag = {"type": "boolean"}
    row = {
        "key": {"type": "string", "pattern": "^r[1-9][0-9]{0,4}$"},
        "members": {"type": "array", "items": _places(place, 2)},
        "combined": flag,
        "excluded": flag,
        "why": text_schema(MAX_REASON),
        "forms": object_list_schema(
            {"text": text_schema(MAX_ANSWER), "origin": {"oneOf": [_places(place, 3), _NULL]}},
            MAX_TEXTS,
        ),
        "questions": object_list_schema(
            {
                "text": text_schema(MAX_QUESTION),
                "origin": {"oneOf": [_places(place, 2), _NULL]},
                "kept": flag,
            },
            MAX_TEXTS,
        ),
    }
    return object_with(
        {
            "columns": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_COLUMNS},
            "rows": object_list_schema(row, MAX_ROWS),
            "verdicts": {"type": "array", "items": {"enum": [value for value, _ in _WORDS]}},
            "exclude_reason": text_schema(MAX_REASON),
            "feedback": text_schema(MAX_FEEDBACK),
            "keeps": KEEPS,
        }
    )


def _places(place: dict[str, Any], count: int) -> dict[str, Any]:
    return {"type": "array", "items": place, "minItems": count, "maxItems": count}


def response_as_json(response: ValidationResponse, names: Sequence[str]) -> dict[str, object]:
    """Return the response; `names` are those of its columns."""
    return {
        "columns": list(names),
        "rows": [_row_as_json(row) for row in response.rows],
        "verdicts": list(response.verdicts),
        "exclude_reason": response.exclude_reason,
        "feedback": response.feedback,
        "keeps": [dict(vars(keep)) for keep in response.keeps],
    }


def _row_as_json(row: AnswerRow) -> dict[str, object]:
    return {
        "key": row.key,
        "members": [[member.annotation, member.pair] for member in row.members],
        "combined": row.combined,
        "excluded": row.excluded,
        "why": row.why,
        "forms": [
            {"text": form.text, "origin": list(form.origin) if form.origin else None}
            for form in row.forms
        ],
        "questions": [
            {
                "text": phrasing.text,
                "origin": list(phrasing.origin) if phrasing.origin else None,
                "kept": phrasing.kept,
            }
            for phrasing in row.phrasings
        ],
    }


class PostedFields(dict[str, list[object]]):
    """Fields of a form, each with its values."""

    def getlist(self, key: str, /) -> Sequence[object]:
        return self.get(key, [])


def build_form_fields(data: Mapping[str, object]) -> PostedFields:
    """Return the fields of the form that says the same. Raises ResponseError."""
    keeps = [object_of(keep, "A kept warning") for keep in list_of(data.get("keeps", []), "keeps")]
    fields = PostedFields(
        {
            "column": [*list_of(data.get("columns", []), "columns")],
            "exclude_reason": [_text(data.get("exclude_reason", ""), "The reason")],
            "feedback": [_text(data.get("feedback", ""), "The feedback")],
            **{f"keep-{name}": [keep.get(name, "") for keep in keeps] for name in _KEEP},
        }
    )
    rows = list_of(data.get("rows", []), "rows")
    check_count(len(rows), MAX_ROWS, "There are {count} answers. The maximum is {most}.")
    for number, row in enumerate(rows, start=1):
        _post_row(object_of(row, f"Answer {number}"), fields)
    verdicts = list_of(data.get("verdicts", []), "verdicts")
    for number, verdict in enumerate(verdicts, start=1):
        # By identity: 1 and 0 are not verdicts.
        word = next((word for value, word in _WORDS if verdict is value), None)
        if word is None:
            raise ResponseError(
                f"{format_value(verdict)} is not a verdict. Send true, false or null."
            )
        fields[f"verdict-{number}"] = [word]
    return fields


def _post_row(row: Mapping[str, object], fields: PostedFields) -> None:
    key = _text(row.get("key", ""), "The key of an answer")
    members = ",".join(_place(place) for place in list_of(row.get("members", []), "members"))
    flags = "c" * (row.get("combined") is True) + "x" * (row.get("excluded") is True)
    fields.setdefault("row", []).append(f"{key};{members};{flags}")
    fields[f"row-{key}-why"] = [_text(row.get("why", ""), "The reason")]
    forms = [object_of(form, "A form") for form in list_of(row.get("forms", []), "forms")]
    fields[f"row-{key}-answer"] = [_text(form.get("text", ""), "A form") for form in forms]
    fields[f"row-{key}-origin"] = [_place(form.get("origin")) for form in forms]
    asked = [
        object_of(question, "A question")
        for question in list_of(row.get("questions", []), "questions")
    ]
    fields[f"row-{key}-question"] = [
        _text(question.get("text", ""), "A question") for question in asked
    ]
    fields[f"row-{key}-from"] = [_place(question.get("origin")) for question in asked]
    fields[f"row-{key}-keep"] = [
        str(place) for place, question in enumerate(asked) if question.get("kept") is True
    ]


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise ResponseError(f"{what} should be text, and is {format_value(value)}.")
    return value


def _place(value: object) -> str:
    """Return [0, 1] as "0.1", and null as nothing; the reader of the form judges it."""
    return ".".join(str(part) for part in list_of(value or [], "A place"))
