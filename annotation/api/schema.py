"""Adds the refusals that every operation of the API may answer with to the schema."""

from typing import Any

_DETAIL = {"$ref": "#/components/schemas/Refusal"}
_PROBLEMS = {
    "type": "object",
    "description": "What is wrong, by parameter or field; `detail` if it is about the whole "
    "request.",
    "additionalProperties": {
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    },
}
_EVERYWHERE = {
    "400": ("A parameter or field is wrong.", _PROBLEMS),
    "401": ("Sign in, or send a token.", _DETAIL),
    "403": ("You may not do this; `detail` says why.", _DETAIL),
    "404": ("Not found, or you do not have access to it.", _DETAIL),
    "405": ("The method is not allowed here.", _DETAIL),
    "406": ("The content type you accept is not offered here.", _DETAIL),
    "415": ("The content type or encoding of the request is not supported.", _DETAIL),
    "429": ("Too many requests; `Retry-After` says when to try again.", _DETAIL),
}


def add_refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give each operation the refusals that any may answer with."""
    for path in result["paths"].values():
        for operation in path.values():
            for status, (description, schema) in _EVERYWHERE.items():
                operation["responses"].setdefault(
                    status,
                    {
                        "description": description,
                        "content": {"application/json": {"schema": schema}},
                    },
                )
    return result
