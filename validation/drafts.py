"""What is on the validation form, as the JSON of a draft and back."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from annotation.responses import Keep, ResponseError
from validation.merging import Member
from validation.responses import PAST, Form, Phrasing, Response, Row


def to_json(response: Response) -> dict[str, object]:
    """Return the response as plain lists and dicts, for a JSON column."""
    return asdict(response)


def from_json(data: Mapping[str, Any]) -> Response:
    """Read what ``to_json`` wrote. Raises ResponseError where it is anything else."""
    try:
        return Response(
            covers=tuple(int(pk) for pk in data["covers"]),
            rows=_rows(data["rows"]),
            verdicts=tuple(None if each is None else bool(each) for each in data["verdicts"]),
            exclude_reason=str(data["exclude_reason"]),
            feedback=str(data["feedback"]),
            keeps=tuple(Keep(**keep) for keep in data["keeps"]),
            past=tuple(_rows(rows) for rows in data["past"])[-PAST:],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ResponseError(f"This draft cannot be read ({error}).") from None


def _rows(data: Iterable[Mapping[str, Any]]) -> tuple[Row, ...]:
    return tuple(
        Row(
            key=str(row["key"]),
            members=tuple(Member(int(m["annotation"]), int(m["pair"])) for m in row["members"]),
            shared=tuple(map(str, row["shared"])),
            forms=tuple(
                Form(str(form["text"]), tuple(form["origin"]) if form["origin"] else None)
                for form in row["forms"]
            ),
            phrasings=tuple(
                Phrasing(
                    str(each["text"]),
                    tuple(each["origin"]) if each["origin"] else None,
                    bool(each["kept"]),
                )
                for each in row["phrasings"]
            ),
            combined=bool(row["combined"]),
            excluded=bool(row["excluded"]),
            why=str(row["why"]),
        )
        for row in data
    )
