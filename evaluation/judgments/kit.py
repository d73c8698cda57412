"""Judgments in the columns of ASQA's kit for human evaluation (S32)."""

from collections.abc import Mapping
from typing import Any

from evaluation.judgments.imported_judgments import (
    BadRow,
    Design,
    ImportedJudgment,
    build_response,
    name_of,
    parse_whole_number,
    value_of,
)
from evaluation.studies.judgment_values import ItemJudgment

ANSWERED = ("accLeft", "accRight")
MODELS = ("leftModel", "rightModel")
CRITERIA: Mapping[str, str] = {"Ambiguity": "comp", "Fluency": "fluency", "Overall": "overall"}
COLUMNS = ("pair", "numQA", *ANSWERED, *CRITERIA, *MODELS, "key")
OPTIONAL = ("pair", "rater")
LEFT, RIGHT, TIE = "Paragraph 1", "Paragraph 2", "Tie"
DESIGN = Design(
    criteria=tuple({"key": key, "label": label, "wording": ""} for label, key in CRITERIA.items())
)
NEEDED = tuple(column.lower() for column in COLUMNS if column not in OPTIONAL)


def row_of(judged: ItemJudgment) -> dict[str, Any]:
    """Return one judgment of two answers in the kit's columns; much better counts as better."""
    choices = {
        column: TIE if (choice := judged.choices[key]) == 0 else LEFT if choice < 0 else RIGHT
        for column, key in CRITERIA.items()
    }
    return {
        "pair": judged.pair,
        "numQA": len(judged.left_found),
        "accLeft": sum(judged.left_found),
        "accRight": sum(judged.right_found),
        **choices,
        "leftModel": judged.left,
        "rightModel": judged.right,
        "key": judged.question,
    }


def parse_row(number: int, data: Mapping[str, object]) -> ImportedJudgment:
    """Read one row; columns in any case, and one more, “rater”. Raises BadRow.

    The kit counts the disambiguations that were answered, and does not say which: they are taken to
    be the first ones.
    """
    row = {column.strip().lower(): value for column, value in data.items()}
    total = parse_whole_number(row, "numQA", 100)
    left, right = (name_of(row, column) for column in MODELS)
    if left == right:
        raise BadRow("rightModel", right, "is the same system as leftModel")
    sides = [parse_whole_number(row, column, total) for column in ANSWERED]
    return ImportedJudgment(
        number=number,
        question=name_of(row, "key", 200),
        left=left,
        right=right,
        judge=name_of(row, "rater") if row.get("rater") not in (None, "") else "",
        pair=parse_whole_number(row, "pair", 2**31 - 1)
        if row.get("pair") not in (None, "")
        else None,
        response=build_response(
            *(
                [("yes" if place < count else "no", "") for place in range(total)]
                for count in sides
            ),
            choices=[_choice(row, column, left, right) for column in CRITERIA],
        ),
    )


def _choice(row: Mapping[str, object], column: str, left: str, right: str) -> str:
    value = value_of(row, column)
    words = {"tie": "tie", "left": "left", "right": "right"}
    words |= {LEFT.lower(): "left", RIGHT.lower(): "right"}
    if left.casefold() != right.casefold():
        words = {left.casefold(): "left", right.casefold(): "right"} | words
    chosen = words.get(value.strip().casefold(), "") if isinstance(value, str) else ""
    if not chosen:
        raise BadRow(column, value, f"is not {TIE}, {LEFT}, {RIGHT} or the name of a model")
    return chosen
