"""Examples as lines of JSON, as a training keeps those that it was begun with."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from metrics.nq import NqAnnotation, NqSpan
from modeling.base import ArticlePassage
from modeling.page_texts import PageBox, PageText, pack_numbers
from modeling.training.examples import Example, PageExample, PassageExample, TextExample


def encode_example(example: Example) -> str:
    """Return an example as a line of JSON; `decode_example` reads what it holds."""
    if isinstance(example, PageExample):  # its parts are tuples, of which a page has thousands
        said = _fields(example) | {"page": _fields(example.page)}
    else:
        said = asdict(example)
    return json.dumps(said, ensure_ascii=False, default=list)  # numbers of pages are arrays


def decode_example(said: Mapping[str, Any]) -> Example:
    """Return the example that a line holds."""
    if "page" in said:
        return PageExample(
            said["id"],
            said["question"],
            _decode_page(said["page"]),
            tuple(map(_decode_annotation, said["annotations"])),
        )
    values = dict(said)
    for name in ("passages", "positives", "negatives"):
        if name in values:
            values[name] = tuple(ArticlePassage(**passage) for passage in values[name])
    values["answers"] = tuple(map(tuple, values["answers"]))
    if "positives" in values:
        return PassageExample(**values)
    return TextExample(**values | {name: tuple(values[name]) for name in ("inputs", "targets")})


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _decode_page(said: Mapping[str, Any]) -> PageText:
    boxes = (PageBox(kind, top, NqSpan(*span)) for kind, top, span in said["boxes"])
    numbers = {name: pack_numbers(said[name]) for name in ("tokens", "starts", "ends")}
    return PageText(tuple(map(sys.intern, said["words"])), **numbers, boxes=tuple(boxes))


def _decode_annotation(said: Any) -> NqAnnotation:
    long, short, yes_no = said
    return NqAnnotation(NqSpan(*long) if long else None, tuple(NqSpan(*s) for s in short), yes_no)
