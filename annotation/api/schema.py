"""What every operation of the API may answer beside its own, added to the schema once."""

from typing import Any

_DETAIL = {"$ref": "#/components/schemas/Refusal"}
_PROBLEMS = {
    "type": "object",
    "description": "What is wrong, by parameter or field; `detail` where it is the whole request.",
    "additionalProperties": {
        "oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
    },
}
_EVERYWHERE = {
    "400": ("A parameter or field is wrong.", _PROBLEMS),
    "401": ("Sign in, or send a token.", _DETAIL),
    "403": ("You may not do this; `detail` says why.", _DETAIL),
    "404": ("There is nothing here that you may see.", _DETAIL),
    "405": ("Not with this method.", _DETAIL),
    "406": ("Not in this content type.", _DETAIL),
    "415": ("The request is not in a content type or encoding that is read here.", _DETAIL),
    "429": ("Too many requests; `Retry-After` says when to go on.", _DETAIL),
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
