"""Known answers, in the many ways that files write them."""

from collections.abc import Iterator, Mapping

import orjson

# The keys under which data sets have an answer, and its aliases.
_KEYS = ("text", "Value", "value", "answer", "answer_text", "short_answers", "Aliases", "aliases")
_DEEPEST = 4


def list_answers(value: object, separator: str = "") -> tuple[str, ...]:
    """Return the answers in a value, each once; an empty separator splits no text.

    Taken are text and numbers, lists of answers, objects that name them as released data sets do,
    and all of these as JSON in a cell. Raises ValueError where there is something else.
    """
    found = _walk(value, separator, 0)
    return tuple(dict.fromkeys(answer for each in found if (answer := each.strip())))


def is_answers(value: object) -> bool:
    """Return whether a value can be read as answers."""
    try:
        list_answers(value)
    except ValueError:
        return False
    return True


def _walk(value: object, separator: str, depth: int) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, str):
        inner = _load_json(value) if depth == 0 and value.lstrip()[:1] in ("[", "{") else None
        if isinstance(inner, list | dict):
            yield from _walk(inner, separator, depth + 1)
        elif "\0" in value:
            raise ValueError("An answer holds a NUL character. Remove it.")
        else:
            yield from value.split(separator) if separator and depth == 0 else (value,)
    elif isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list) and depth < _DEEPEST and not _is_span(value):
        for each in value:
            yield from _walk(each, separator, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST and any(key in value for key in _KEYS):
        for key in _KEYS:
            if key in value:
                yield from _walk(value[key], separator, depth + 1)
    else:
        raise ValueError("The answers should be text, or a list of texts.")


def _is_span(value: list[object]) -> bool:
    """Return whether this is a place in a text, as doccano writes it: start, end, label."""
    return len(value) == 3 and all(isinstance(each, int) for each in value[:2])


def _load_json(text: str) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
