"""Edit distance with bit vectors, for finding edited words again.

The recurrence is Myers's (1999) in the form of Hyyrö (2003): one column of the table is two
integers of as many bits as the pattern has characters, so a step costs about a microsecond
for patterns of up to a thousand characters.
"""

from __future__ import annotations

from collections.abc import Iterator


def edit_distance(one: str, other: str) -> int:
    """Return the edit distance of two texts, in O(len(other)) integer steps."""
    if one == other:
        return 0
    last = len(one)
    for last in _last_row(one, other, anchored=True):  # noqa: B007 - the last one counts
        pass
    return last if one else len(other)


def best_ends(pattern: str, text: str) -> tuple[int, list[int]]:
    """Return the pattern's least distance to any piece of the text, and the ends of such pieces."""
    least, ends = len(pattern), [0]
    for end, errors in enumerate(_last_row(pattern, text, anchored=False), start=1):
        if errors < least:
            least, ends = errors, [end]
        elif errors == least:
            ends.append(end)
    return least, ends


def similarity_at_start(wanted: str, text: str) -> float:
    """Return how well a text begins with `wanted`: 1 if every character is in place, 0 if none is.

    The text may continue after it.
    """
    if text.startswith(wanted):
        return 1.0
    least = min(_last_row(wanted, text, anchored=True), default=len(wanted))
    return 1 - min(least, len(wanted)) / len(wanted)


def _last_row(pattern: str, text: str, *, anchored: bool) -> Iterator[int]:
    """Yield the distance of the whole pattern to the text up to and including each character.

    `anchored`: from the start of the text; otherwise from the place where it is least.
    """
    length = len(pattern)
    if not length:
        return
    masks: dict[str, int] = {}
    for at, character in enumerate(pattern):
        masks[character] = masks.get(character, 0) | 1 << at
    every, top = (1 << length) - 1, 1 << (length - 1)
    rises, falls, errors = every, 0, length
    for character in text:
        same = masks.get(character, 0)
        carried = same | falls
        diagonal = (((same & rises) + rises) ^ rises) | same
        up = falls | ~(diagonal | rises) & every
        down = rises & diagonal
        if up & top:
            errors += 1
        elif down & top:
            errors -= 1
        up = (up << 1 | anchored) & every
        down = down << 1 & every
        rises = down | ~(carried | up) & every
        falls = up & carried
        yield errors
