"""Parts of JSON Schemas of responses, for clients of the API."""

from collections.abc import Mapping
from typing import Any

from annotation.text.cleaning import MAX_QUOTES


def object_with(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with these keys, none of which has to be there."""
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


def object_list_schema(properties: Mapping[str, Any], most: int) -> dict[str, Any]:
    """Return the schema of a list of objects with these keys; `most` is the maximum."""
    return {"type": "array", "maxItems": most, "items": object_with(properties)}


def text_schema(most: int) -> dict[str, Any]:
    """Return the schema of text; `most` is the maximum of characters."""
    return {"type": "string", "maxLength": most}


ID = {"type": ["integer", "null"], "minimum": 1}
# The first quote of a part, and the further ones.
QUOTES = {
    "quote": ID | {"description": "The id of a quote of your own."},
    "more": {"type": "array", "items": {"type": "integer"}, "maxItems": MAX_QUOTES - 1},
}
