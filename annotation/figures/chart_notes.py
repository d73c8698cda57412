"""Marks of a picture whose figures have no interval: they are hollow, and words below say why."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from annotation.figures.series import MUTED


def split_by_note(base: Any, y: str) -> tuple[Any, Any]:
    """Return a chart of the rows whose `y` has an interval or needs none, and one of the others."""
    noted = f"datum['{y}_note']"
    return base.transform_filter(f"!{noted}"), base.transform_filter(f"!!{noted}")


def explain_notes(rows: Sequence[Mapping[str, Any]], y: str) -> dict[str, Any]:
    """Return the words below a picture that has hollow marks; nothing where it has none."""
    notes = sorted({row[f"{y}_note"] for row in rows if row.get(f"{y}_note")})
    if not notes:
        return {}
    title = alt.Title(
        f"Hollow: {', '.join(notes)}",
        orient="bottom",
        anchor="start",
        color=MUTED,
        fontSize=12,
        fontWeight="normal",
    )
    return {"title": title}
