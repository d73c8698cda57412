"""Judgments in the columns of ASQA's kit for human evaluation (S32)."""

from collections.abc import Mapping
from typing import Any

from evaluation.judged import Judged

ANSWERED = ("accLeft", "accRight")
MODELS = ("leftModel", "rightModel")
CRITERIA: Mapping[str, str] = {"Ambiguity": "comp", "Fluency": "fluency", "Overall": "overall"}
COLUMNS = ("pair", "numQA", *ANSWERED, *CRITERIA, *MODELS, "key")
LEFT, RIGHT, TIE = "Paragraph 1", "Paragraph 2", "Tie"


def row_of(judged: Judged) -> dict[str, Any]:
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
