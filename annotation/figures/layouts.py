"""Where the boxes of a tree and the words of a cloud stand, in pixels from the top left."""

from collections.abc import Mapping, Sequence
from typing import Any

BOX_WIDTH, BOX_HEIGHT = 128, 46
INDENT = 26
Place = tuple[float, float]
Line = dict[str, float]


def place_boxes(rows: Sequence[Mapping[str, Any]], name: str, after: str) -> dict[str, Place]:
    """Return left and top of each box of a tree; a parent is level with the middle of its own."""
    children = _group_children(rows, name, after)
    placed: dict[str, Place] = {}
    lowest = 0.0

    def place(box: str, depth: int) -> float:
        nonlocal lowest
        tops = [place(child, depth + 1) for child in children.get(box, [])]
        if tops:
            top = (tops[0] + tops[-1]) / 2
        else:
            top, lowest = lowest, lowest + BOX_HEIGHT + 14
        placed[box] = (depth * (BOX_WIDTH + 42), top)
        return top

    for root in children.get("", []):
        place(root, 0)
    return placed


def place_boxes_in_rows(
    rows: Sequence[Mapping[str, Any]], name: str, after: str
) -> dict[str, Place]:
    """Return left and top of each box below the one before, the deeper the further right."""
    children = _group_children(rows, name, after)
    placed: dict[str, Place] = {}

    def place(box: str, depth: int) -> None:
        placed[box] = (depth * INDENT, len(placed) * (BOX_HEIGHT + 10))
        for child in children.get(box, []):
            place(child, depth + 1)

    for root in children.get("", []):
        place(root, 0)
    return placed


def _group_children(
    rows: Sequence[Mapping[str, Any]], name: str, after: str
) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    for row in rows:
        children.setdefault(row[after], []).append(row[name])
    return children


def link_beside(parent: Place, child: Place) -> list[Line]:
    """Return the line from the right of a box to the left of one of its own."""
    (left, top), (x2, y2) = parent, child
    half = BOX_HEIGHT / 2
    return [{"x": left + BOX_WIDTH, "y": top + half, "x2": x2, "y2": y2 + half}]


def link_below(parent: Place, child: Place) -> list[Line]:
    """Return the lines from below a box, down and right, to one of its own."""
    x, top = parent[0] + INDENT / 2, parent[1] + BOX_HEIGHT
    level = child[1] + BOX_HEIGHT / 2
    return [
        {"x": x, "y": top, "x2": x, "y2": level},
        {"x": x, "y": level, "x2": child[0], "y2": level},
    ]


def place_words(rows: Sequence[dict[str, Any]], word: str, count: str, *, width: int) -> float:
    """Give words a size and a place in lines, the most frequent first; return the height of all.

    rows: gain `size` (of letters), `left` and `top` (of the line's foot). No two words overlap.
    """
    most = max(row[count] for row in rows) or 1
    across, down, line = 0.0, 0.0, 0.0
    for row in rows:
        size = 11 + 27 * (row[count] / most) ** 0.5
        wide = 0.6 * size * len(str(row[word])) + 14
        if across and across + wide > width:
            across, down, line = 0.0, down + line, 0.0
        line = max(line, 1.25 * size)
        row |= {"size": size, "left": across, "top": down + line}
        across += wide
    return down + line + 8
